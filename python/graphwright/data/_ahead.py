"""Work that is done ahead: some items of an iterator, by threads that only this file starts.

A thread works as long as there is room for items; it never waits for a consumer. So one that stops early, or
is collected, leaves nothing behind, and threads are shared by all iterators of the process.
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import functools
import os
import queue
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any


class _Workers:
    """Threads that do what they are given, one after the other, until the process ends."""

    #: More are of no use: what is done ahead waits for files, or computes.
    MOST = min(8, os.cpu_count() or 1)
    #: So many seconds are waited for what is begun, which may be a loop without an end.
    PATIENCE = 5.0

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: deque[Callable[[], None]] = deque()
        self._threads: list[threading.Thread] = []
        self._idle = self._busy = self._starting = 0
        self.is_ending = self.is_pausing = False

    @property
    def is_working(self) -> bool:
        """True if more may be begun."""
        return not (self.is_ending or self.is_pausing)

    def submit(self, job: Callable[[], None]) -> bool:
        """Has a job done, unless the process ends sooner; whether it is begun at once."""
        with self._changed:
            if self.is_ending:
                return False
            self._jobs.append(job)
            if self._idle < len(self._jobs) and len(self._threads) < self.MOST:
                thread = threading.Thread(target=self._work, name="graphwright-ahead", daemon=True)
                # Without a thread the consumer finds nothing, and does the work itself.
                with contextlib.suppress(RuntimeError):
                    thread.start()
                    self._threads.append(thread)
                    self._starting += 1
            self._changed.notify()
            return self._idle + self._starting >= len(self._jobs)

    def _work(self) -> None:
        with self._changed:
            self._starting -= 1
        while True:
            with self._changed:
                self._idle += 1
                while not self.is_ending and (self.is_pausing or not self._jobs):
                    self._changed.wait()
                self._idle -= 1
                if self.is_ending:
                    return
                job = self._jobs.popleft()
                self._busy += 1
            job()
            # Objects of the job are not kept while there is no other.
            del job
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def pause(self) -> None:
        """Waits until nothing is done: a copy of the process would find the locks that are held then."""
        with self._changed:
            self.is_pausing = True
            self._changed.wait_for(lambda: self._busy == 0, self.PATIENCE)

    def go_on(self) -> None:
        """After a pause."""
        with self._changed:
            self.is_pausing = False
            self._changed.notify_all()

    def finish(self) -> None:
        """Waits for what is begun; the interpreter has to be whole while threads use it."""
        with self._changed:
            self.is_ending = True
            self._jobs.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(self.PATIENCE)


_WORKERS = _Workers()


def _renew() -> None:
    """A copy of the process has none of the threads, and locks that nobody opens."""
    global _WORKERS
    _WORKERS = _Workers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _WORKERS.pause(),
        after_in_parent=lambda: _WORKERS.go_on(),
        after_in_child=_renew,
    )
# The interpreter stops daemons where they are, so they have to be gone before it ends.
atexit.register(lambda: _WORKERS.finish())


def submit(job: Callable[[], None]) -> bool:
    """Has a job done by a thread, unless the process ends sooner; whether it is begun at once."""
    return _WORKERS.submit(job)


def is_working() -> bool:
    """True if jobs are to go on: not while the process is copied, or ends."""
    return _WORKERS.is_working


def alone(work: Callable[[], Any]) -> Any:
    """The result of a function on a thread of its own, where no line of the user's has called it.

    A graph that is built there knows no such line, and errors of its runs do not show it: who runs the graph
    may be somewhere else.
    """
    found: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            found.put((work(), None))
        except BaseException as error:
            found.put((None, error))

    # Not `threading.Thread`, which calls by lines of its own.
    _thread.start_new_thread(run, ())
    result, error = found.get()
    if error is not None:
        raise error
    return result


class Ahead:
    """The items of an iterator, of which so many are made before they are asked for.

    Items are made one after the other, by a worker or by who asks for one that is not there: nobody waits for
    work that nobody has begun. An error comes out where its item would have.
    """

    def __init__(self, items: Iterator[Any], bound: int) -> None:
        self._items, self._bound = items, bound
        self._changed = threading.Condition()
        self._found: deque[Any] = deque()
        self._end: BaseException | None = None
        self._is_making = self._is_scheduled = False
        self._schedule()

    def __iter__(self) -> Ahead:
        return self

    def __next__(self) -> Any:
        while True:
            with self._changed:
                while self._is_making and not self._found:
                    self._changed.wait()
                if self._found:
                    item = self._found.popleft()
                    break
                if self._end is not None:
                    raise self._end
                self._is_making = True
            self._make()
        self._schedule()
        return item

    def _make(self) -> None:
        """Makes an item, which only who has set `_is_making` does."""
        end, found = None, []
        try:
            found.append(next(self._items))
        except BaseException as error:
            end = error
        with self._changed:
            self._found.extend(found)
            self._end, self._is_making = end, False
            self._changed.notify_all()

    def _schedule(self) -> None:
        with self._changed:
            if self._is_scheduled or not self._has_room():
                return
            self._is_scheduled = True
        _WORKERS.submit(functools.partial(_fill, weakref.ref(self)))

    def _has_room(self) -> bool:
        return self._end is None and len(self._found) < self._bound

    def _begin(self) -> bool:
        """True if a worker is to make one more item."""
        with self._changed:
            self._is_scheduled = self._has_room() and not self._is_making and _WORKERS.is_working
            self._is_making = self._is_making or self._is_scheduled
            return self._is_scheduled


def _fill(ahead: weakref.ref[Ahead]) -> None:
    """Makes items while there is room, and somebody who may ask for them."""
    while (each := ahead()) is not None and each._begin():
        each._make()
        del each

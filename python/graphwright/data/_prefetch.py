"""Elements that are computed before they are asked for: the step of a machine, run by a thread.

What a machine gives depends on its state alone, so who runs its step is no matter; the state of what is
prefetched is that behind the last element that was asked for, whatever the thread has done since.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import threading
import weakref
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from .. import _native, nest
from .._function import function
from .._native import Tensor, TensorSpec
from ._ahead import alone, is_working, submit
from ._hosted import FILE_READS, Hosted
from ._iterator import begun
from ._machine import Machine
from ._order import Zip, machines
from ._parts import is_batched

_BOOL, _NUMBER = TensorSpec([], _native.bool), TensorSpec([], _native.int64)

#: Names of our own calls of Python.
_OURS = "elements ahead"

#: So many seconds are waited for a thread to begin.
_SOON = 0.05

#: Effects of graphs on the world, in their text.
_EFFECTS = re.compile(r"^\s*(?:%\S.* = )?(?:host_call|print)\b.*$", re.MULTILINE)


class _Run:
    """Elements from some place on, of which some are made, and the states behind them.

    `made` is the number of the next element that is made, `place` that of the next one that is asked for;
    what was asked for and is made again, since the state is an older one, is left out.
    """

    def __init__(self, first: int, place: int, state: Any, loop: Any, bound: int) -> None:
        self.made, self.place, self.loop, self.bound = first, place, loop, bound
        self.number = next(_NUMBERS)
        _RUNS[self.number] = self
        self.changed = threading.Condition()
        self.found: deque[list[Any]] = deque()
        #: Places with the states there; behind the last one elements are made next.
        self.states = [(first, state)]
        self.end: BaseException | None = None
        #: The most elements that may wait, and the number that is still being made.
        self.room = self.wanted = 0
        self.is_making = self.is_scheduled = self.is_left = False
        #: True if a thread is at it, or about to be.
        self.is_coming = False

    def put(self, more: bool, leaves: Iterable[Any]) -> bool:
        """Takes an element that was made; whether there is to be one more."""
        with self.changed:
            if not more:
                self.end = StopIteration()
            elif self.made >= self._next():
                self.found.append(list(leaves))
            self.made += more
            self.wanted -= 1
            self.changed.notify_all()
            return more and self.wanted > 0 and len(self.found) < self.room and not self.is_left

    def _next(self) -> int:
        """The number of the element behind those that are there."""
        return self.place + len(self.found)

    def has_news(self) -> bool:
        """True if there is a later state than the first, up to what was asked for."""
        return len(self.states) > 1 and self.states[1][0] <= self.place

    def is_wanted(self) -> bool:
        """True if elements are to be made: some at a time, which costs less."""
        has_room = self.end is None and not self.is_left and 2 * len(self.found) <= self.bound
        return has_room and self.bound > 0 and not self.is_making

    def begin(self, room: int, most: int) -> None:
        """Notes that elements are made now: until so many are there, and so many at most."""
        self.is_making, self.room, self.wanted = True, room, most

    def finish(self, state: Any, error: BaseException | None) -> None:
        """Notes what who has made elements leaves behind."""
        with self.changed:
            if error is None:
                if len(self.states) > 1 and self.states[-1][0] - self.states[-2][0] < Prefetch.KEPT:
                    # A state close behind another one is not needed.
                    del self.states[-1]
                self.states.append((self.made, state))
            self.end, self.is_making = self.end or error, False
            self.changed.notify_all()


#: Runs by number, as long as some `Steps` keeps them.
_RUNS: weakref.WeakValueDictionary[int, _Run] = weakref.WeakValueDictionary()
_NUMBERS = itertools.count()


def _put(number: Tensor, more: Tensor, *leaves: Tensor) -> Any:
    """Gives an element that was made to its run; whether there is to be one more."""
    run = _RUNS.get(int(number))
    return np.bool_(run is not None and run.put(bool(more), leaves) and is_working())


@function(reduce_retracing=False)
def _made(machine: Machine, state: Any, number: Tensor) -> Any:
    """Makes the elements behind a state, as many as their run wants; the state behind them."""
    going = _native.constant(True)
    while going:
        more, element, state = machine.step(state)
        given = [number, more, *nest.flatten(element)]
        going = _native.py_function(_put, given, _BOOL, name=_OURS)
    return state


@function(reduce_retracing=False)
def _stepped(machine: Machine, state: Any) -> Any:
    return machine.step(state)


class Steps:
    """Runs of a machine, some elements ahead, by number."""

    #: So many runs go on where they are; older ones are begun anew from their states.
    KEPT = 16
    #: So many elements are made in one call of a graph, behind which the state is known.
    MOST = 16

    def __init__(self, source: Machine, bound: int) -> None:
        self._source, self._bound = source, bound
        self.state_spec = begun.get_concrete_function(source, _NUMBER).structured_outputs
        self._process = os.getpid()
        self._live: dict[int, _Run] = {}
        self._graph()

    def __reduce__(self) -> Any:
        return Steps, (self._source, self._bound)

    def _graph(self) -> Any:
        """The graph that makes elements; another one once the user's functions read something else."""
        return _made.get_concrete_function(self._source, self.state_spec, _NUMBER)

    def is_pure(self) -> bool:
        """True if elements depend on nothing but the state, and to make them does nothing but read files."""
        return all(leaf is not None for leaf in nest.flatten(self.state_spec)) and _is_pure(self._graph())

    def spec(self) -> Any:
        """The type of each element."""
        return self._source.spec()

    def begin(self, epoch: Tensor) -> list[Any]:
        """The leaves of a first state, and the number of a new run, which begins with it."""
        state = begun.get_concrete_function(self._source, _NUMBER)(self._source, epoch)
        return [*nest.flatten(state), self._run(0, 0, state)]

    def resume(self, first: Tensor, place: Tensor, *leaves: Tensor) -> Any:
        """The number of a new run, which is at a place, if the state that is given is that at `first`."""
        return self._run(int(first), int(place), nest.pack_sequence_as(self.state_spec, leaves))

    def take(self, number: Tensor, first: Tensor, place: Tensor) -> list[Any]:
        """True if a run is at a place, has one more element, knows a newer state; the element's leaves."""
        run = self._runs().get(int(number))
        found = None
        if run is not None:
            try:
                found = self._next(run, int(place))
            except BaseException:
                # Who asks again begins with the state.
                self._leave(int(number))
                raise
            self._schedule(run)
        if run is None or found is None:
            return [np.bool_(False)] * 3 + self._blank()
        is_due = int(place) - int(first) >= Prefetch.KEPT and run.has_news()
        return [np.bool_(True), np.bool_(bool(found)), np.bool_(is_due), *(found or self._blank())]

    def state(self, number: Tensor) -> list[Any]:
        """The last place of a run, up to where it is, at which the state is known, and its leaves."""
        run = self._live[int(number)]
        with run.changed:
            while run.has_news():
                del run.states[0]
            first, state = run.states[0]
        return [np.int64(first), *nest.flatten(state)]

    def _next(self, run: _Run, place: int) -> list[Any] | None:
        """The leaves of the element at a place of a run; none at its end, `None` if it is elsewhere.

        Nobody waits for what nobody has begun.
        """
        while True:
            with run.changed:
                while (run.is_making or run.is_coming) and not run.found and run.place == place:
                    # Work that is about to begin may never do so: while the process is copied, or ends.
                    run.is_coming = run.changed.wait(None if run.is_making else _SOON) and run.is_coming
                if run.place != place:
                    return None
                if run.found:
                    run.place += 1
                    return run.found.popleft()
                if run.end is not None:
                    if isinstance(run.end, StopIteration):
                        return []
                    raise run.end
                run.begin(1, self.MOST)
            self._make(run)

    def _make(self, run: _Run) -> None:
        """Makes elements, which only who has begun to does."""
        state, error = None, None
        try:
            state = self._looped(run) if run.bound else self._stepped(run)
        except BaseException as raised:
            error = raised
        run.finish(state, error)

    def _looped(self, run: _Run) -> Any:
        return run.loop(self._source, run.states[-1][1], _native.constant(run.number, _native.int64))

    def _stepped(self, run: _Run) -> Any:
        """Makes one element, by a graph that is another one once what it reads is something else."""
        step = alone(lambda: _stepped.get_concrete_function(self._source, self.state_spec))
        more, element, state = step(self._source, run.states[-1][1])
        run.put(bool(more), nest.flatten(element))
        return state

    def _schedule(self, run: _Run) -> None:
        with run.changed:
            if run.is_scheduled or not run.is_wanted():
                return
            run.is_scheduled = True
            run.is_coming = submit(functools.partial(_fill, weakref.ref(self), weakref.ref(run)))

    def fill(self, run: _Run) -> None:
        """Makes elements of a run, as long as there is room for them."""
        while self._is_begun(run):
            self._make(run)

    def _is_begun(self, run: _Run) -> bool:
        with run.changed:
            run.is_scheduled = run.is_coming = is_working() and run.is_wanted()
            if run.is_scheduled:
                run.begin(run.bound, self.MOST)
            else:
                run.changed.notify_all()
            return run.is_scheduled

    def _run(self, first: int, place: int, state: Any) -> Any:
        loop = alone(self._graph)
        # Elements that depend on more than the state are computed when they are asked for.
        run = _Run(first, place, state, loop, self._bound if _is_pure(loop) else 0)
        number = run.number
        self._runs()[number] = run
        while len(self._live) > self.KEPT:
            self._leave(next(iter(self._live)))
        self._schedule(run)
        return np.int64(number)

    def _leave(self, number: int) -> None:
        run = self._live.pop(number, None)
        if run is not None:
            run.is_left = True

    def _runs(self) -> dict[int, _Run]:
        """The runs of this process: a copy of it has none of those that make something there."""
        if self._process != os.getpid():
            self._process, self._live = os.getpid(), {}
        return self._live

    def _blank(self) -> list[Any]:
        return [_zeros(leaf) for leaf in nest.flatten(self.spec())]


def _fill(steps: weakref.ref[Steps], run: weakref.ref[_Run]) -> None:
    """Has elements made, if somebody may ask for them."""
    makes, made = steps(), run()
    if makes is not None and made is not None:
        makes.fill(made)


def _is_pure(loop: Any) -> bool:
    effects = _EFFECTS.findall(str(loop.graph))
    ours = tuple(f'name="{name}"' for name in (FILE_READS, _OURS))
    return loop.is_closed and all(any(name in effect for name in ours) for effect in effects)


def _zeros(leaf: TensorSpec) -> Tensor:
    return _native.zeros([0 if length is None else length for length in leaf.shape], leaf.dtype)


@dataclass(frozen=True, eq=False)
class Prefetch(Machine):
    """The elements of a machine, which a thread computes.

    The state is that of the machine at some element, whose number is kept, and a run that is some elements
    further: states may be large, and not each is looked at.
    """

    steps: Any

    gives_batches: ClassVar[bool] = True
    #: After so many elements the state is taken over.
    KEPT: ClassVar[int] = 16

    def spec(self) -> Any:
        return self.steps.spec()

    def start(self, epoch: Tensor) -> Any:
        promised = [*nest.flatten(self.steps.state_spec), _NUMBER]
        *leaves, run = _native.py_function(self.steps.begin, [epoch], promised, name=_OURS)
        zero = _native.constant(0, _native.int64)
        return run, zero, zero, nest.pack_sequence_as(self.steps.state_spec, leaves)

    def step(self, state: Any) -> Any:
        run, first, place, inner = state
        is_here, more, is_due, leaves = self._take(run, first, place)
        if not is_here:
            given = [first, place, *nest.flatten(inner)]
            run = _native.py_function(self.steps.resume, given, _NUMBER, name=_OURS)
            _, more, is_due, leaves = self._take(run, first, place)
        if more:
            place += 1
        if is_due:
            specs = [_NUMBER, *nest.flatten(self.steps.state_spec)]
            first, *taken = _native.py_function(self.steps.state, [run], specs, name=_OURS)
            inner = nest.pack_sequence_as(self.steps.state_spec, taken)
        return more, nest.pack_sequence_as(self.spec(), leaves), (run, first, place, inner)

    def _take(self, run: Tensor, first: Tensor, place: Tensor) -> Any:
        promised = [_BOOL, _BOOL, _BOOL, *nest.flatten(self.spec())]
        found = _native.py_function(self.steps.take, [run, first, place], promised, name=_OURS)
        is_here, more, is_due, *leaves = found
        return is_here, more, is_due, leaves


def prefetched(machine: Machine, ahead: Machine, count: int) -> Machine:
    """A machine whose elements a thread makes, if that changes nothing and they are large; else `ahead`.

    `ahead` is the same machine with files that are read ahead.
    """
    if count < 1 or isinstance(machine, Hosted) or not _native.executing_eagerly():
        return ahead
    # To hand an element over takes as long as to compute many small ones.
    if not _reads(machine) or not any(is_batched(each) for each in _beside(machine)):
        return ahead
    try:
        steps = alone(lambda: Steps(machine, count))
    except Exception:
        # Whatever it is, the user gets it where the elements are asked for.
        return ahead
    return Prefetch(steps) if steps.is_pure() else ahead


def _reads(machine: Machine) -> bool:
    """True if files are read somewhere."""
    return isinstance(machine, (Hosted, Prefetch)) or any(_reads(part) for part in _parts(machine))


def _parts(machine: Machine) -> list[Machine]:
    values = [getattr(machine, field.name) for field in fields(machine)]  # type: ignore[arg-type]
    return [part for value in values for part in _machines(value)]


def _machines(value: Any) -> list[Machine]:
    if isinstance(value, Machine):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return [machine for part in parts for machine in _machines(part)]


def _beside(machine: Machine) -> list[Machine]:
    """Units that elements are put together of: a number and a batch are large enough."""
    if not isinstance(machine, Zip):
        return [machine]
    return [part for source in machines(machine.sources) for part in _beside(source)]

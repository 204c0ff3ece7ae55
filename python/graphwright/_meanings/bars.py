"""`tqdm` over what the graph iterates: the bar moves while native code runs."""

from __future__ import annotations

import threading
import time
from typing import Any

from .. import _native
from .._host import host
from . import iterables, written_bars

#: The bar is moved about so often, in seconds.
INTERVAL = 0.1


class Bar:
    """A bar for each run of a loop, on the thread that runs it."""

    def __init__(self, make: Any, args: Any, options: Any) -> None:
        self.make = make
        self.args = args
        self.options = options
        self.local = threading.local()

    @host
    def open(self, total: Any) -> None:
        """A loop begins; one that was left early is over."""
        self._end()
        options = {"total": None if total is None or total < 0 else int(total), **self.options}
        self.local.bar = self.make(None, *self.args, **options)
        self.local.done, self.local.moved = 0, time.perf_counter()

    @host
    def tick(self, done: Any) -> int:
        """Moves the bar; gives how many turns are to be done when it is to be moved again."""
        now = time.perf_counter()
        steps, taken = self._move(int(done)), now - self.local.moved
        self.local.moved = now
        # The first turns may take less time, or more, than the rest.
        wanted = min(10 * steps + 1, int(steps * INTERVAL / max(taken, 1e-9)))
        return int(self.local.done) + max(1, wanted)

    @host
    def close(self, done: Any) -> None:
        """The loop has come to its end."""
        self._move(int(done))
        self._end()

    def _move(self, done: int) -> int:
        steps: int = done - self.local.done
        self.local.done = done
        self.local.bar.update(steps)
        return steps

    def _end(self) -> None:
        bar = self.local.__dict__.pop("bar", None)
        if bar is not None:
            bar.close()


def bar(make: Any, iterable: Any = None, *args: Any, **options: Any) -> Any:
    """`tqdm(iterable, *args, **options)`, where `make` is the class."""
    if not _native.is_staged(iterable) and not iterables.is_dataset(iterable):
        return make(iterable, *args, **options)
    total = None
    if iterables.is_dataset(iterable):
        total = iterable.cardinality()
    elif isinstance(iterable, _native.Tensor) and len(iterable.shape) > 0:
        total = _native.shape(iterable)[0]
    ticked = _native.operators.conv(written_bars.ticked)
    return ticked(iterable, total, Bar(make, args, options))

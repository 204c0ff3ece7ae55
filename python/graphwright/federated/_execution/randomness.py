"""Random numbers of clients: a function of the seed, of the step of a computation and of the client's index.

A computation that draws takes one number from `gw.random`, its key. Before a client's work in a step the
state of `gw.random` becomes what key, step and index give; when the computation ends it is what it was behind
the key.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator
from typing import Any

from ... import _native, random
from ..._function import function

#: The index in the place of a client's where the server draws.
SERVER_INDEX = -1
#: The index where partial results are merged.
MERGE_INDEX = -2

_MOST = 2**62
_LOCK = threading.RLock()


@functools.cache
def state() -> Any:
    """Returns the variable that `gw.random` counts in."""
    drawn = function(lambda: random.uniform([])).get_concrete_function()
    return drawn.variables[0]


def begin(key: Any, step: Any, index: Any) -> None:
    """Has `gw.random` begin anew for a step of a computation on a client; in graphs too."""
    seed = _mixed(_mixed(key, step), index)
    state().assign(_native.stack([seed, seed, _native.constant(0, _native.int64)]))


def _mixed(key: Any, number: Any) -> Any:
    pair = _native.stack([_native.cast(key, _native.int64), _native.cast(number, _native.int64)])
    return random.stateless_uniform([], pair, 0, _MOST, _native.int64)


@contextlib.contextmanager
def drawing(draws: bool) -> Iterator[Any]:
    """Gives the key of a computation, and puts the state of `gw.random` back behind it; 0 if nothing draws.

    Computations that draw run one after the other, since they share that state.
    """
    if not draws:
        yield 0
        return
    with _LOCK:
        key = int(random.uniform([], 0, _MOST, _native.int64).numpy())
        kept = state().value()
        try:
            yield key
        finally:
            state().assign(kept)

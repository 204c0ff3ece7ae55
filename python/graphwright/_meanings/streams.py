"""Functions of `itertools`, and `dict.fromkeys`, over lists that grow, generators and open axes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from .. import _native
from . import written_streams
from .iterables import gathered, is_uncounted
from .refused import refuse

conv = _native.operators.conv


def is_iterated_by_graph(x: Any) -> bool:
    """True if Python alone does not come to the items of `x`."""
    if isinstance(x, _native.Tensor):
        return is_uncounted(x)
    return isinstance(x, _native.Generator | _native.Comprehension) or _native.is_staged(x)


def of_graph(name: str, called: int | None) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A function of `itertools` that calls its argument at `called`, and its meaning.

    Python's own, unless the graph iterates an argument.
    """
    original, written = getattr(itertools, name), getattr(written_streams, name)

    def meaning(*args: Any, **kwargs: Any) -> Any:
        # Python's own functions, and generators that Python asks, call what they are given as it is. What is
        # iterated may have a `__call__` too.
        args = tuple(conv(x) if at == called and callable(x) else x for at, x in enumerate(args))
        kwargs = {key: conv(x) if key == "func" and callable(x) else x for key, x in kwargs.items()}
        if not any(map(is_iterated_by_graph, (*args, *kwargs.values()))):
            return original(*args, **kwargs)
        given = [gathered(x) if isinstance(x, _native.Comprehension) else x for x in args]
        return conv(written)(*given, **kwargs)

    return original, meaning


def islice(iterable: Any, /, *bounds: Any) -> Any:
    """`itertools.islice(iterable, stop)`, or with a start, a stop and a step."""
    if any(isinstance(bound, _native.Tensor) for bound in bounds):
        help = "write a slice, `xs[start:stop]`, of a list, or a loop that counts and ends with `break`"
        refuse("`islice` takes bounds that are known while the graph is built", help)
    if not is_iterated_by_graph(iterable):
        return itertools.islice(iterable, *bounds)
    itertools.islice((), *bounds)
    start, stop, step = (None, *bounds, None) if len(bounds) == 1 else (*bounds, None)[:3]
    if isinstance(iterable, _native.Comprehension):
        iterable = gathered(iterable)
    return conv(written_streams.between)(iterable, start or 0, stop, step or 1)


def from_iterable(iterables: Any, /) -> Any:
    """`itertools.chain.from_iterable(iterables)`"""
    is_held = isinstance(iterables, list | tuple) and any(map(is_iterated_by_graph, iterables))
    if not (is_held or is_iterated_by_graph(iterables)):
        return itertools.chain.from_iterable(iterables)
    if isinstance(iterables, _native.Comprehension):
        iterables = gathered(iterables)
    return conv(written_streams.from_iterable)(iterables)


def fromkeys(keys: Any, value: Any = None, /) -> Any:
    """`dict.fromkeys(keys, value)`"""
    if not is_iterated_by_graph(keys):
        return dict.fromkeys(keys, value)
    keys = gathered(keys) if isinstance(keys, _native.Comprehension) else keys
    return conv(written_streams.fromkeys)(keys, value)


#: Which argument a function calls.
CALLED = {
    "accumulate": 1,
    "chain": None,
    "dropwhile": 0,
    "filterfalse": 0,
    "pairwise": None,
    "starmap": 0,
    "takewhile": 0,
}

MEANINGS = [
    (itertools.islice, islice),
    (itertools.chain.from_iterable, from_iterable),
    *(of_graph(name, called) for name, called in CALLED.items()),
]

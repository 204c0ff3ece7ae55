"""Slices whose step the graph decides: the elements at places that are counted when it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _arrays, _native
from .meant import fails, length, tensor

_int64 = _native.int64


def _is_staged(part: Any) -> bool:
    return isinstance(part, _native.Tensor) and _native.is_staged(part)


def _clamped(end: Any, count: Any, low: Any, high: Any, left_out: Any) -> Any:
    """One end of a slice as Python counts it: from the back if it is negative, within the axis."""
    if end is None:
        return left_out
    end = _native.cast(end, _int64)
    return _native.where(end < 0, _native.maximum(end + count, low), _native.minimum(end, high))


def places(part: slice, count: Any) -> Any:
    """The places along an axis of so many elements that a slice names."""
    step = _native.cast(part.step, _int64)
    fails(step != 0, "ValueError", "slice step cannot be zero")
    step = _native.where(step == 0, _native.ones_like(step), step)
    count = _native.cast(count, _int64)
    ahead = step > 0
    low, high = _native.where(ahead, 0, -1), _native.where(ahead, count, count - 1)
    low, high = _native.cast(low, _int64), _native.cast(high, _int64)
    start = _clamped(part.start, count, low, high, _native.where(ahead, low, high))
    stop = _clamped(part.stop, count, low, high, _native.where(ahead, high, low))
    span = _native.where(ahead, stop - start, start - stop)
    size = _native.abs(step)
    number = _native.maximum(_native.floordiv(span + size - 1, size), 0)
    return start + step * _native.cast(_native.range(number), _int64)


def _axes_of(one: Any) -> int:
    """The number of axes that an entry of an index takes."""
    if one is None:
        return 0
    is_mask = isinstance(one, list | np.ndarray | _native.Tensor) and tensor(one).dtype == _native.bool
    return tensor(one).ndim if is_mask else 1


def _spread(x: Any, key: Any) -> tuple[list[Any], list[int]]:
    """The entries of an index without `...`, and the axis at which each begins."""
    entries = list(key) if isinstance(key, tuple) else [key]
    if any(isinstance(one, bool) for one in entries):
        raise _native.diagnosed(
            "GW108",
            "the graph decides the step of a slice beside a bool between the brackets",
            "index by the bool first, or give the step as a Python number",
        )
    dots = [at for at, one in enumerate(entries) if one is ...]
    taken = sum(_axes_of(one) for one in entries if one is not ...)
    if taken > x.ndim:
        raise IndexError(
            f"too many indices for array: array is {x.ndim}-dimensional, but {taken} were indexed"
        )
    for at in dots[:1]:
        entries[at : at + 1] = [slice(None)] * (x.ndim - taken)
    axes, begun = [], 0
    for one in entries:
        axes.append(begun)
        begun += _axes_of(one)
    return entries, axes


def _is_stepped(one: Any) -> bool:
    return isinstance(one, slice) and _is_staged(one.step)


def _taken(x: Any, key: Any) -> Any:
    """The elements that an index names: along an axis with such a slice those at its places."""
    entries, axes = _spread(x, key)
    for at, one in enumerate(entries):
        if _is_stepped(one):
            x = _native.gather(x, places(one, length(x, axes[at])), axis=axes[at])
            entries[at] = slice(None)
    return x[tuple(entries)]


def _is_basic(one: Any) -> bool:
    """True of an entry that leaves an index a view: a number, a slice, a new axis."""
    return one is None or one is ... or isinstance(one, int | slice | np.integer) or tensor(one).ndim == 0


def _stored(x: Any, key: Any, value: Any) -> Any:
    """The array with other elements where an index names them, by their places in one row."""
    shape = _arrays.lengths(x)
    numbers = _native.reshape(_native.cast(_native.range(_native.size(x)), _int64), shape)
    row = _native.reshape(x, [-1])
    row[_taken(numbers, key)] = value
    return _native.reshape(row, shape)


def read(x: Any, key: Any) -> Any:
    """`x[::n]`, in which the graph decides `n`: a view as NumPy's is, where no array stands beside it."""
    found = _taken(x, key)
    entries = key if isinstance(key, tuple) else (key,)
    if not all(map(_is_basic, entries)):
        return _native.as_array(found, x)
    return _native.as_view(
        found, x, lambda array: _taken(array, key), lambda array, part: _stored(array, key, part)
    )


def store(x: Any, key: Any, value: Any) -> None:
    """`x[::n] = value`, in which the graph decides `n`."""
    entries, axes = _spread(x, key)
    stepped = [at for at, one in enumerate(entries) if _is_stepped(one)]
    if len(stepped) == 1 and all(isinstance(one, slice) for one in entries):
        at = stepped[0]
        entries[at] = places(entries[at], length(x, axes[at]))
        x[tuple(entries)] = value
        return
    x[...] = _stored(x, key, value)

"""Slices whose step the graph decides: the elements at places that are counted when it runs."""

from __future__ import annotations

from typing import Any

from .. import _native
from .meant import fails, length

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


def _spread(x: Any, key: Any) -> tuple[list[Any], int]:
    """The entries of an index without `...`, and the one whose step the graph decides."""
    entries = list(key) if isinstance(key, tuple) else [key]
    kinds_known = all(one is None or one is ... or isinstance(one, int | slice) for one in entries)
    steps = [at for at, one in enumerate(entries) if isinstance(one, slice) and _is_staged(one.step)]
    if len(steps) != 1 or not kinds_known:
        raise _native.diagnosed(
            "GW108",
            "the graph decides the step of a slice beside other indices of the graph",
            "read one axis after the other, or give the step as a Python number",
        )
    marked = entries[steps[0]]
    if any(one is ... for one in entries):
        at = next(place for place, one in enumerate(entries) if one is ...)
        taken = sum(1 for one in entries if one is not None and one is not ...)
        entries[at : at + 1] = [slice(None)] * (x.ndim - taken)
    return entries, next(at for at, one in enumerate(entries) if one is marked)


def read(x: Any, key: Any) -> Any:
    """`x[::n]`, in which the graph decides `n`: stores into it are refused, since NumPy's is a view."""
    entries, at = _spread(x, key)
    part = entries[at]
    entries[at] = slice(None)
    rest = x[tuple(entries)]
    axis = sum(1 for one in entries[:at] if not isinstance(one, int))
    found = _native.gather(rest, places(part, length(rest, axis)), axis=axis)
    array = _native.as_array(found, x)
    _native.may_be_parts([array], [x])
    return array


def store(x: Any, key: Any, value: Any) -> None:
    """`x[::n] = value`, in which the graph decides `n`."""
    entries, at = _spread(x, key)
    if any(not isinstance(one, slice) for one in entries):
        raise _native.diagnosed(
            "GW108",
            "the graph decides the step of a slice beside other indices of a store",
            "store into one axis after the other, or give the step as a Python number",
        )
    entries[at] = places(entries[at], length(x, at))
    x[tuple(entries)] = value

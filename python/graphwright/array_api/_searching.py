"""Searching, sorting and set functions of the standard.

Lengths of results that depend on elements are known when the graph runs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _arrays, _native
from .._native import Tensor
from .._numpy import reductions, sets
from .._places import places_in
from ._operands import axes_of, axis_of, flat, is_number, length, of_one_dtype, operand

__all__ = [
    "argmax",
    "argmin",
    "argsort",
    "count_nonzero",
    "isin",
    "nonzero",
    "searchsorted",
    "sort",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "where",
]

_argmax = reductions.place_of(_native.argmax, "argmax")
_argmin = reductions.place_of(_native.argmin, "argmin")


class UniqueAll(NamedTuple):
    """Distinct values, the first place of each, the number of the value at each place, and their counts."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """Distinct values and how often each is there."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """Distinct values and the number of the value at each place."""

    values: Tensor
    inverse_indices: Tensor


def argmax(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Finds the first place of the greatest element along an axis, of all for `None`."""
    found: Tensor = _argmax(operand(x), axis, keepdims=keepdims)
    return found


def argmin(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Finds the first place of the least element along an axis, of all for `None`."""
    found: Tensor = _argmin(operand(x), axis, keepdims=keepdims)
    return found


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Counts elements that are not zero."""
    x = operand(x)
    numbers = _native.cast(_truths(x), _native.int64)
    return _native.reduce_sum(numbers, axes_of(axis, x.ndim), keepdims=keepdims)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Tensor:
    """Tells of each element of a tensor whether it is in another."""
    elements, others = of_one_dtype(x1, x2)
    found: Tensor = sets.isin(elements, others, invert=invert)
    return found


def nonzero(x: Any, /) -> tuple[Tensor, ...]:
    """Finds the places of elements that are not zero, a tensor for each axis."""
    x = operand(x)
    if x.ndim == 0:
        raise ValueError("places are along axes, and this tensor has none")
    places, found = _places(flat(_truths(x))), []
    for count in reversed(_arrays.lengths(x)):
        # An axis of no elements leaves no places to divide.
        count = _native.cast(_native.maximum(count, 1), _native.int64)
        found.append(_native.floormod(places, count))
        places = _native.floordiv(places, count)
    return tuple(reversed(found))


def _truths(x: Tensor) -> Tensor:
    return x if x.dtype == _native.bool else _native.not_equal(x, _native.zeros_like(x))


def _places(truths: Tensor) -> Tensor:
    """The places of what is true in a row, in order: those of a stable sort that puts it first."""
    count = _native.reduce_sum(_native.cast(truths, _native.int64))
    return _native.argsort(_native.logical_not(truths), stable=True)[:count]


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Tensor:
    """Finds the places at which values keep a sorted row in order, by halving."""
    if side not in ("left", "right"):
        raise ValueError(f"`side` is {side!r}: it may be 'left' or 'right'")
    row = operand(x1) if sorter is None else _native.gather(x1, sorter, axis=0)
    row, values = of_one_dtype(row, x2)
    return places_in(row, values, _native.less if side == "left" else _native.less_equal)


def where(condition: Any, x1: Any, x2: Any, /) -> Tensor:
    """Picks elements of one tensor or of another."""
    if is_number(x1) and is_number(x2):
        x1 = operand(x1)
    return _native.where(condition, x1, x2)


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Sorts elements along an axis."""
    del stable
    x = operand(x)
    at = axis_of(axis, x.ndim)
    return _native.sort(x, at, "DESCENDING" if descending else "ASCENDING")


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Finds the places of elements in sorted order, equal ones in theirs."""
    del stable
    x = operand(x)
    at = axis_of(axis, x.ndim)
    return _native.argsort(x, at, "DESCENDING" if descending else "ASCENDING", stable=True)


def _unique(x: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Sorted elements, their places, the places at which a new value begins, and those as truths."""
    row = flat(operand(x))
    order = _native.argsort(row, stable=True)
    ordered = _native.gather(row, order, axis=0)
    changes = _native.not_equal(ordered[1:], ordered[:-1])
    begins = _native.concat([_native.ones_like(ordered[:1], _native.bool), changes], 0)
    return ordered, order, _places(begins), begins


def _counts(starts: Tensor, count: Any) -> Tensor:
    ends = _native.concat([starts[1:], _native.reshape(_native.cast(count, _native.int64), [1])], 0)
    # No value has no end.
    return ends[: length(starts, 0)] - starts


def _inverse(x: Tensor, order: Tensor, begins: Tensor) -> Tensor:
    from ._statistics import cumulative_sum

    numbers = cumulative_sum(_native.cast(begins, _native.int64)) - 1
    return _native.reshape(_native.gather(numbers, _native.argsort(order), axis=0), _arrays.lengths(x))


def unique_all(x: Any, /) -> UniqueAll:
    """Finds distinct values, the first place of each, which stands at each place, and their counts."""
    x = operand(x)
    ordered, order, starts, begins = _unique(x)
    values, first = _native.gather(ordered, starts, axis=0), _native.gather(order, starts, axis=0)
    return UniqueAll(values, first, _inverse(x, order, begins), _counts(starts, length(ordered, 0)))


def unique_counts(x: Any, /) -> UniqueCounts:
    """Finds distinct values and how often each is there."""
    ordered, _, starts, _ = _unique(x)
    return UniqueCounts(_native.gather(ordered, starts, axis=0), _counts(starts, length(ordered, 0)))


def unique_inverse(x: Any, /) -> UniqueInverse:
    """Finds distinct values and which of them stands at each place."""
    x = operand(x)
    ordered, order, starts, begins = _unique(x)
    return UniqueInverse(_native.gather(ordered, starts, axis=0), _inverse(x, order, begins))


def unique_values(x: Any, /) -> Tensor:
    """Finds distinct values."""
    ordered, _, starts, _ = _unique(x)
    return _native.gather(ordered, starts, axis=0)

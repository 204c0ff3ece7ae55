"""Places of values in sorted rows, and counts of whole numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import _native
from ._arrays import lengths
from ._function import function
from ._native import Tensor


def places_in(row: Any, values: Any, is_behind: Callable[[Any, Any], Any]) -> Tensor:
    """Finds by halving how many elements of a row values belong behind.

    Args:
      row: tensor with one axis; elements that a value belongs behind come first.
      values: tensor of the same dtype, of any shape.
      is_behind: tells of an element and a value if the value belongs behind; a function of a module.

    Returns:
      `int64` tensor in the shape of `values`.
    """
    found: Tensor = _halved(is_behind)(row, _native.reshape(values, [-1]))
    return _native.reshape(found, lengths(values))


@functools.cache
def _halved(is_behind: Callable[[Any, Any], Any]) -> Callable[[Tensor, Tensor], Tensor]:
    """Searches for one value after the other.

    The next half is chosen without a jump, so that the processor works at several searches at once.
    """

    @function
    def halved(row: Tensor, values: Tensor) -> Tensor:
        found = _native.zeros_like(values, _native.int64)
        count = _native.cast(len(row), _native.int64)
        if count > 0:
            for at in _native.range(len(values)):
                value, place, left = values[at], _native.constant(0, _native.int64), count
                while left > 1:
                    half = left // 2
                    place = _native.where(is_behind(row[place + (half - 1)], value), place + half, place)
                    left -= half
                found[at] = place + _native.cast(is_behind(row[place], value), _native.int64)
        return found

    return halved


@function
def ends_of(numbers: Tensor) -> tuple[Tensor, Tensor]:
    """Finds the least and the greatest of a row of `int64` and of 0 and -1, in one pass."""
    least, most = _native.constant(0, _native.int64), _native.constant(-1, _native.int64)
    for at in _native.range(len(numbers)):
        least, most = _native.minimum(least, numbers[at]), _native.maximum(most, numbers[at])
    return least, most


def counted(numbers: Tensor, counts: Tensor) -> Tensor:
    """Adds 1 to the count of each number of a row; each number is one of a count."""
    ones = _native.ones(lengths(numbers), counts.dtype)
    return _native.tensor_scatter_nd_add(counts, _native.expand_dims(numbers, -1), ones)

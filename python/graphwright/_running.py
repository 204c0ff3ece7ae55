"""Running sums and products along an axis."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from . import _native
from ._arrays import axis_of, identity, lengths, moved
from ._function import function
from ._native import Tensor


def cumsum(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes running sums along an axis.

    Args:
      x: tensor of numbers with at least one axis.
      axis: the axis to sum along.
      exclusive: whether each sum leaves out the element at its own place.
      reverse: whether to sum from the end.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.cumsum(gw.constant([1, 2, 3]))
      <gw.Tensor: shape=(3,), dtype=int32, numpy=array([1, 3, 6], dtype=int32)>
      >>> gw.cumsum(gw.constant([1, 2, 3]), exclusive=True)
      <gw.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 3], dtype=int32)>
    """
    del name
    return _running(operator.add, 0, x, axis, exclusive, reverse)


def cumprod(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes running products along an axis.

    Args:
      x: tensor of numbers with at least one axis.
      axis: the axis.
      exclusive: whether each product leaves out the element at its own place.
      reverse: whether to multiply from the end.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.cumprod(gw.constant([1, 2, 3]))
      <gw.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 6], dtype=int32)>
    """
    del name
    return _running(operator.mul, 1, x, axis, exclusive, reverse)


#: Elements of arrays wrap, in rows of one element too.
_WRAPPING: dict[Any, Any] = {operator.add: _native.wrapping_add, operator.mul: _native.wrapping_multiply}


def _running(
    join: Callable[[Any, Any], Any], nothing: int, x: Any, axis: int, exclusive: bool, reverse: bool
) -> Tensor:
    given: Tensor = _native.convert_to_tensor(x)
    at = axis_of(given, axis)
    if 0 in given.shape:
        return identity(given)
    rows = moved(given, at, 0)
    if rows.dtype.is_integer:
        join = _WRAPPING[join]
    # The sum of nothing and a zero has the sign of the zero.
    is_signed = nothing == 0 and not exclusive and not rows.dtype.is_integer
    number: Any = nothing
    if is_signed:
        number = complex(-0.0, -0.0) if rows.dtype.is_complex else -0.0
    start = _native.fill(lengths(rows)[1:], _native.cast(number, rows.dtype))
    return moved(_joined(join, exclusive, reverse)(rows, start), 0, at)


@functools.cache
def _joined(
    join: Callable[[Any, Any], Any], exclusive: bool, reverse: bool
) -> Callable[[Tensor, Tensor], Tensor]:
    @function
    def joined(rows: Tensor, total: Tensor) -> Tensor:
        found = _native.zeros_like(rows)
        for turn in _native.range(len(rows)):
            at = len(rows) - 1 - turn if reverse else turn
            before, total = total, join(total, rows[at])
            found[at] = before if exclusive else total
        return found

    return joined

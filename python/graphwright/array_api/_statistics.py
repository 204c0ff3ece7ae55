"""Statistical and utility functions of the standard."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from .. import _arrays, _native, _running
from .._native import DType, Tensor
from .._numpy.reductions import is_some
from ._operands import along, axes_of, axis_of, default_integer, floating, of_one_dtype, operand

__all__ = [
    "all",
    "any",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]


def all(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Tells whether all elements along axes are true."""
    return _reduced(_native.reduce_all, _native.cast(operand(x), _native.bool), axis, keepdims)


def any(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Tells whether an element along axes is true."""
    return _reduced(_native.reduce_any, _native.cast(operand(x), _native.bool), axis, keepdims)


def max(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Finds the greatest elements along axes."""
    x = operand(x)
    is_some(x, axis, "no elements have no greatest one")
    return _reduced(_native.reduce_max, x, axis, keepdims)


def min(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Finds the least elements along axes."""
    x = operand(x)
    is_some(x, axis, "no elements have no least one")
    return _reduced(_native.reduce_min, x, axis, keepdims)


def mean(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Computes means along axes."""
    return _reduced(_native.reduce_mean, floating(x), axis, keepdims)


def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Sums elements along axes."""
    return _reduced(_native.reduce_sum, _widened(operand(x), dtype), axis, keepdims)


def prod(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Multiplies elements along axes."""
    return _reduced(_native.reduce_prod, _widened(operand(x), dtype), axis, keepdims)


def _reduced(reduce: Callable[..., Tensor], x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    axes = axes_of(axis, x.ndim)
    return reduce(x, axes, keepdims=keepdims) if axes else _arrays.identity(x)


def _widened(x: Tensor, dtype: Any) -> Tensor:
    """The elements in the dtype of their sum: integers of fewer bits in the default one."""
    if dtype is not None:
        return _native.cast(x, dtype)
    if x.dtype.is_floating or x.dtype.is_complex:
        return x
    wide: DType = _native.uint64 if x.dtype.is_unsigned else default_integer
    return _native.cast(x, wide)


def var(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Computes variances along axes: means of squared distances from the mean."""
    x = floating(x)
    axes, lengths = axes_of(axis, x.ndim), _arrays.lengths(x)
    apart = x - _reduced(_native.reduce_mean, x, axes, True)
    count: Any = 1
    for at in axes:
        count = count * lengths[at]
    left = count - correction
    left = builtins.max(left, 0) if isinstance(left, int | float) else _native.maximum(left, 0)
    return _reduced(_native.reduce_sum, apart * apart, axes, keepdims) / _native.cast(left, x.dtype)


def std(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Computes standard deviations along axes."""
    return _native.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Computes running sums along an axis."""
    return _cumulative(_running.cumsum, 0, operand(x), axis, dtype, include_initial)


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Computes running products along an axis."""
    return _cumulative(_running.cumprod, 1, operand(x), axis, dtype, include_initial)


def _cumulative(
    accumulate: Callable[[Tensor, int], Tensor],
    nothing: int,
    x: Tensor,
    axis: int | None,
    dtype: Any,
    include_initial: bool,
) -> Tensor:
    if axis is None and x.ndim != 1:
        raise ValueError(f"`axis` may be left out for one axis, and this tensor has {x.ndim}")
    at = axis_of(axis or 0, x.ndim)
    # Elements are added as rows of one each: arrays of integers wrap, where single numbers fail.
    rows = _native.expand_dims(_widened(x, dtype), -1)
    found = _native.squeeze(accumulate(rows, at), [x.ndim])
    if not include_initial:
        return found
    lengths = _arrays.lengths(found)
    initial = _native.fill([*lengths[:at], 1, *lengths[at + 1 :]], _native.cast(nothing, found.dtype))
    return _native.concat([initial, found], at)


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Tensor:
    """Computes differences of neighbours along an axis, so many times."""
    given = [one for one in (prepend, x, append) if one is not None]
    parts = of_one_dtype(*given)
    at = axis_of(axis, parts[0].ndim)
    found: Tensor = parts[0] if len(parts) == 1 else _native.concat(parts, at)
    for _ in builtins.range(n):
        if found.shape[at] == 0:
            break
        later, earlier = along(found, at, slice(1, None)), along(found, at, slice(None, -1))
        is_bool = found.dtype == _native.bool
        found = _native.logical_xor(later, earlier) if is_bool else later - earlier
    return _arrays.identity(found)

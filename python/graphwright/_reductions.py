"""What is taken of all elements along some axes, beyond sums and extremes, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _native
from ._native import Tensor

_Axis = int | Sequence[int] | None


def reduce_logsumexp(
    input_tensor: Any, axis: _Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`log(sum(exp(x)))` without overflow on the way; of infinities alone it is that infinity."""
    del name
    x = _native.convert_to_tensor(input_tensor)
    most = _native.stop_gradient(_native.reduce_max(x, axis, keepdims=True))
    most = _native.where(_native.is_finite(most), most, _native.zeros_like(most))
    found = _native.log(_native.reduce_sum(_native.exp(x - most), axis, keepdims=True)) + most
    return found if keepdims else _native.reduce_sum(found, axis)


def reduce_variance(
    input_tensor: Any, axis: _Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean of the squares of the distances from the mean."""
    del name
    x = _native.convert_to_tensor(input_tensor)
    away = x - _native.reduce_mean(x, axis, keepdims=True)
    return _native.reduce_mean(_native.square(away), axis, keepdims)


def reduce_std(
    input_tensor: Any, axis: _Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of `reduce_variance`."""
    del name
    return _native.sqrt(reduce_variance(input_tensor, axis, keepdims))


def count_nonzero(
    input: Any,
    axis: _Axis = None,
    keepdims: bool = False,
    dtype: Any = _native.int64,
    name: str | None = None,
) -> Tensor:
    """How many elements are not zero."""
    del name
    x = _native.convert_to_tensor(input)
    return _native.reduce_sum(_native.cast(_native.cast(x, _native.bool), dtype), axis, keepdims)


def l2_normalize(x: Any, axis: _Axis = None, epsilon: float = 1e-12, name: str | None = None) -> Tensor:
    """`x` over the root of the sum of its squares, which counts as `epsilon` at least."""
    del name
    found = _native.convert_to_tensor(x)
    squares = _native.reduce_sum(_native.square(found), axis, keepdims=True)
    return found * _native.rsqrt(_native.maximum(squares, epsilon))

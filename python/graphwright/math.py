"""Elementwise functions and reductions, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from . import _elementwise, _native
from ._arrays import cumprod, cumsum
from ._elementwise import *  # noqa: F403
from ._native import (
    Tensor,
    argmax,
    argmin,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    softmax,
    top_k,
)
from ._reductions import count_nonzero, l2_normalize, reduce_logsumexp, reduce_std, reduce_variance

mod = _native.floormod


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`(x - y) (x - y)`"""
    del name
    return _native.square(_native.subtract(x, y))


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """`1 / x`"""
    del name
    return _native.divide(1.0, x)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """`log(1 + _native.exp(x))`, where `_native.exp(x)` is too large or too small to be a number too."""
    del name
    x = _native.convert_to_tensor(features)
    zero = _native.cast(0, x.dtype)
    # One condition chooses both parts, so that each derivative at 0 is that of the one side.
    is_low = x <= zero
    return _native.where(is_low, zero, x) + _native.log1p(_native.exp(_native.where(is_low, x, -x)))


__all__ = [
    "argmax",
    "argmin",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "l2_normalize",
    "mod",
    "reciprocal",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "softmax",
    "softplus",
    "squared_difference",
    "top_k",
]
__all__ += _elementwise.__all__

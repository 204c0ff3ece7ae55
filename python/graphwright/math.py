"""Elementwise functions and reductions, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from . import _native
from ._arrays import cumprod, cumsum
from ._native import (
    Tensor,
    abs,
    add,
    argmax,
    argmin,
    atan,
    atan2,
    ceil,
    cos,
    divide,
    equal,
    erf,
    exp,
    expm1,
    floor,
    floordiv,
    floormod,
    greater,
    greater_equal,
    is_finite,
    is_nan,
    less,
    less_equal,
    log,
    log1p,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    round,
    rsqrt,
    sigmoid,
    sign,
    sin,
    softmax,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    top_k,
)
from ._reductions import count_nonzero, l2_normalize, reduce_logsumexp, reduce_std, reduce_variance

mod = floormod


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`(x - y) (x - y)`"""
    del name
    return square(subtract(x, y))


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """`1 / x`"""
    del name
    return divide(1.0, x)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """`log(1 + exp(x))`, where `exp(x)` is too large or too small to be a number too."""
    del name
    x = _native.convert_to_tensor(features)
    zero = _native.cast(0, x.dtype)
    # One condition chooses both parts, so that each derivative at 0 is that of the one side.
    is_low = x <= zero
    return _native.where(is_low, zero, x) + log1p(exp(_native.where(is_low, x, -x)))


__all__ = [
    "abs",
    "add",
    "argmax",
    "argmin",
    "atan",
    "atan2",
    "ceil",
    "cos",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "divide",
    "equal",
    "erf",
    "exp",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "is_finite",
    "is_nan",
    "l2_normalize",
    "less",
    "less_equal",
    "log",
    "log1p",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "negative",
    "not_equal",
    "pow",
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
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "softmax",
    "softplus",
    "sqrt",
    "square",
    "squared_difference",
    "subtract",
    "tan",
    "tanh",
    "top_k",
]

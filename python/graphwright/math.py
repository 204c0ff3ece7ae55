"""Elementwise functions and reductions, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from . import _elementwise, _native
from ._elementwise import *  # noqa: F403
from ._native import (
    Tensor,
    angle,
    argmax,
    argmin,
    conj,
    imag,
    real,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
    softmax,
    top_k,
)
from ._reductions import count_nonzero, l2_normalize, reduce_logsumexp
from ._running import cumprod, cumsum
from ._tensorflow.activations import softsign
from ._tensorflow.elementwise import (
    acos,
    acosh,
    add_n,
    asin,
    atanh,
    cosh,
    divide_no_nan,
    is_inf,
    log_sigmoid,
    multiply_no_nan,
    reciprocal_no_nan,
    rint,
    sinh,
    truncatediv,
    truncatemod,
    xdivy,
    xlog1py,
    xlogy,
)
from ._tensorflow.further import (
    accumulate_n,
    cumulative_logsumexp,
    polyval,
    reduce_euclidean_norm,
    scalar_mul,
    truediv,
)
from ._tensorflow.incomplete import betainc, igamma, igammac
from ._tensorflow.segments import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from ._tensorflow.sets import (
    bincount,
    confusion_matrix,
    in_top_k,
    invert_permutation,
    is_non_decreasing,
    is_strictly_increasing,
    zero_fraction,
)
from ._tensorflow.special import (
    digamma,
    erfc,
    erfcinv,
    erfinv,
    lbeta,
    lgamma,
    ndtri,
    polygamma,
    zeta,
)

mod = _native.floormod


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes `(x - y)` squared, elementwise.

    Args:
      x: tensor of numbers, of any shape.
      y: tensor that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape.

    Example:
      >>> gw.squared_difference(gw.constant(5.0), 3.0)
      <gw.Tensor: shape=(), dtype=float32, numpy=4.0>
    """
    del name
    return _native.squared_difference(x, y)


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """Computes `1 / x`.

    Args:
      x: tensor of any shape, floating or complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.reciprocal(gw.constant(4.0))
      <gw.Tensor: shape=(), dtype=float32, numpy=0.25>
    """
    del name
    return _native.reciprocal(x)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """Computes `log(1 + exp(x))` without overflow.

    Args:
      features: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.softplus(gw.constant(100.0))
      <gw.Tensor: shape=(), dtype=float32, numpy=100.0>
    """
    del name
    return _native.softplus(_native.convert_to_tensor(features))


__all__ = [
    "accumulate_n",
    "acos",
    "acosh",
    "add_n",
    "angle",
    "argmax",
    "argmin",
    "asin",
    "atanh",
    "betainc",
    "bincount",
    "confusion_matrix",
    "conj",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_logsumexp",
    "digamma",
    "divide_no_nan",
    "erfc",
    "erfcinv",
    "erfinv",
    "igamma",
    "igammac",
    "imag",
    "in_top_k",
    "invert_permutation",
    "is_inf",
    "is_non_decreasing",
    "is_strictly_increasing",
    "l2_normalize",
    "lbeta",
    "lgamma",
    "log_sigmoid",
    "mod",
    "multiply_no_nan",
    "ndtri",
    "polygamma",
    "polyval",
    "real",
    "reciprocal",
    "reciprocal_no_nan",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "rint",
    "scalar_mul",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "sinh",
    "softmax",
    "softplus",
    "softsign",
    "squared_difference",
    "top_k",
    "truediv",
    "truncatediv",
    "truncatemod",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
    "xdivy",
    "xlog1py",
    "xlogy",
    "zero_fraction",
    "zeta",
]
__all__ += _elementwise.__all__

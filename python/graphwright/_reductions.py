"""Reductions along axes, beyond sums and extremes, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _native
from ._native import Tensor

_Axis = int | Sequence[int] | None


def reduce_logsumexp(
    input_tensor: Any, axis: _Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes `log(sum(exp(x)))` along axes without overflow.

    Args:
      input_tensor: tensor of any shape, `float32` or `float64`.
      axis: an axis or a list of axes; all of them if it is `None`.
      keepdims: whether the axes stay, with length 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the axes.

    Example:
      >>> gw.reduce_logsumexp(gw.constant([1000.0, 1000.0]))
      <gw.Tensor: shape=(), dtype=float32, numpy=1000.6931762695312>
    """
    del name
    return _native.log_sum_exp(_native.convert_to_tensor(input_tensor), axis, keepdims)


def count_nonzero(
    input: Any,
    axis: _Axis = None,
    keepdims: bool = False,
    dtype: Any = _native.int64,
    name: str | None = None,
) -> Tensor:
    """Counts elements that are not zero.

    Args:
      input: tensor or array of any shape and dtype.
      axis: an axis or a list of axes; all of them if it is `None`.
      keepdims: whether the axes stay, with length 1.
      dtype: dtype of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the axes.

    Example:
      >>> gw.math.count_nonzero(gw.constant([1, 0, 2]))
      <gw.Tensor: shape=(), dtype=int64, numpy=2>
    """
    del name
    x = _native.convert_to_tensor(input)
    return _native.counted_nonzero(x, axis, keepdims, dtype)


def l2_normalize(x: Any, axis: _Axis = None, epsilon: float = 1e-12, name: str | None = None) -> Tensor:
    """Divides by the Euclidean norm along axes.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      axis: an axis or a list of axes; all of them if it is `None`.
      epsilon: least value of the sum of squares.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.l2_normalize(gw.constant([3.0, 4.0])).numpy().round(3).tolist()
      [0.6000000238418579, 0.800000011920929]
    """
    del name
    return _native.l2_normalize(_native.convert_to_tensor(x), axis, epsilon)

"""Functions of `keras.ops` that normalize and weigh."""

from __future__ import annotations

import math
from typing import Any

from .. import _native, _reductions, nn
from .._native import Tensor
from ._more_losses import EPSILON
from ._ops_places import shape


def gelu(x: Any, approximate: bool = True) -> Tensor:
    """Computes the Gaussian error linear unit.

    Args:
      x: tensor of floats.
      approximate: whether to use the formula with `tanh`.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.ops.gelu(gw.constant([0.0])).numpy().tolist()
      [0.0]
    """
    return nn.gelu(x, approximate)


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Computes logarithms of sums of exponentials.

    Args:
      x: tensor of floats.
      axis: axis or list of axes; all of them if it is `None`.
      keepdims: whether the axes stay, with length 1.

    Returns:
      Tensor without the axes.

    Example:
      >>> float(gw.keras.ops.logsumexp(gw.constant([0.0])))
      0.0
    """
    return _reductions.reduce_logsumexp(x, axis, keepdims)


def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> tuple[Tensor, Tensor]:
    """Computes means and variances along axes.

    Args:
      x: tensor of floats.
      axes: axis or list of axes.
      keepdims: whether the axes stay, with length 1.
      synchronized: `False`.

    Returns:
      Pair of tensors.

    Example:
      >>> [float(one) for one in gw.keras.ops.moments(gw.constant([1.0, 5.0]), [0])]
      [3.0, 4.0]
    """
    if synchronized:
        raise ValueError("`synchronized=True` is absent: there is one device")
    value = _native.convert_to_tensor(x)
    return nn.moments(value, [axes] if isinstance(axes, int) else list(axes), keepdims=keepdims)


def normalize(x: Any, axis: Any = -1, order: float = 2, epsilon: float | None = None) -> Tensor:
    """Scales to the norm 1 along an axis.

    Args:
      x: tensor of floats.
      axis: the axis.
      order: order of the norm.
      epsilon: least norm; 1e-7 if it is `None`.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.ops.normalize(gw.constant([3.0, 4.0])).numpy().round(2).tolist()
      [0.6000000238418579, 0.800000011920929]
    """
    value, least = _native.convert_to_tensor(x), EPSILON if epsilon is None else epsilon
    if order == 2:
        total = _native.reduce_sum(_native.square(value), axis, keepdims=True)
        return _native.multiply(value, _native.rsqrt(_native.maximum(total, least**2)))
    powers = _native.pow(_native.abs(value), _native.cast(order, value.dtype))
    norm = _native.pow(
        _native.reduce_sum(powers, axis, keepdims=True), _native.cast(1.0 / order, value.dtype)
    )
    return _native.divide(value, _native.maximum(norm, least))


def batch_normalization(
    x: Any, mean: Any, variance: Any, axis: int, offset: Any = None, scale: Any = None, epsilon: float = 1e-3
) -> Tensor:
    """Subtracts means and divides by deviations along an axis, then scales and shifts.

    Args:
      x: tensor of floats.
      mean: vector of means.
      variance: vector of variances.
      axis: the axis.
      offset: vector that is added, or `None`.
      scale: vector that is a factor, or `None`.
      epsilon: number added to the variances.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> x = gw.constant([[3.0]])
      >>> gw.keras.ops.batch_normalization(x, [1.0], [4.0], -1, epsilon=0.0).numpy().tolist()
      [[1.0]]
    """
    value = _native.convert_to_tensor(x)
    wide = [-1 if at == axis % value.ndim else 1 for at in range(value.ndim)]
    parts: list[Any] = [
        one if one is None else _native.reshape(one, wide) for one in (mean, variance, offset, scale)
    ]
    return nn.batch_normalization(value, parts[0], parts[1], parts[2], parts[3], epsilon)


def layer_normalization(
    x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: float | None = None
) -> Tensor:
    """Normalizes to mean 0 and variance 1 along axes, then scales and shifts.

    Args:
      x: tensor of floats.
      gamma: factor, or `None`.
      beta: number that is added, or `None`.
      axis: axis or list of axes.
      epsilon: number added to the variance; 1e-7 if it is `None`.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.ops.layer_normalization(gw.constant([1.0, 3.0])).numpy().round(4).tolist()
      [-1.0, 1.0]
    """
    value = _native.convert_to_tensor(x)
    centred = value - _native.reduce_mean(value, axis, keepdims=True)
    variance = _native.reduce_mean(_native.square(centred), axis, keepdims=True)
    found = centred * _native.rsqrt(variance + (EPSILON if epsilon is None else epsilon))
    found = found if gamma is None else found * gamma
    return found if beta is None else found + beta


def rms_normalization(x: Any, scale: Any = None, axis: Any = -1, epsilon: float | None = None) -> Tensor:
    """Divides by the root of the mean square along axes, then scales.

    Args:
      x: tensor of floats.
      scale: factor, or `None`.
      axis: axis or list of axes.
      epsilon: number added to the mean square; 1e-7 if it is `None`.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.ops.rms_normalization(gw.constant([2.0, 2.0])).numpy().round(4).tolist()
      [1.0, 1.0]
    """
    value = _native.convert_to_tensor(x)
    mean = _native.reduce_mean(_native.square(value), axis, keepdims=True)
    found = _native.multiply(value, _native.rsqrt(mean + (EPSILON if epsilon is None else epsilon)))
    return found if scale is None else _native.multiply(found, scale)


def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: float | None = None,
    is_causal: bool = False,
) -> Tensor:
    """Weighs values by the products of queries and keys, head by head.

    Args:
      query: tensor `(batch, times, heads, n)`.
      key: tensor `(batch, others, heads, n)`.
      value: tensor `(batch, others, heads, m)`.
      bias: tensor that is added to the scores `(batch, heads, times, others)`.
      mask: tensor of `bool`, true where a query sees a key.
      scale: factor of the scores; `1 / sqrt(n)` if it is `None`.
      is_causal: whether a query sees earlier keys alone.

    Returns:
      Tensor `(batch, times, heads, m)`.

    Example:
      >>> x = gw.ones([1, 3, 2, 4])
      >>> gw.keras.ops.dot_product_attention(x, x, x).shape
      (1, 3, 2, 4)
    """
    q, k, v = (_native.transpose(_native.convert_to_tensor(one), [0, 2, 1, 3]) for one in (query, key, value))
    factor = scale if scale is not None else 1.0 / math.sqrt(q.shape[-1] or 1)
    scores = _native.matmul(q, k, transpose_b=True) * factor
    scores = scores if bias is None else scores + bias
    seen = mask
    if is_causal:
        times, others = (_native.range(shape(one)[2]) for one in (q, k))
        causal = _native.expand_dims(times, 1) >= others
        seen = causal if seen is None else _native.logical_and(_native.convert_to_tensor(seen), causal)
    if seen is not None:
        scores = _native.where(seen, scores, -1e30)
    return _native.transpose(_native.matmul(_native.softmax(scores), v), [0, 2, 1, 3])

"""Activations of Keras's that `gw.nn` has not, or has with other arguments."""

from __future__ import annotations

from typing import Any

from .. import _native, nn
from .._native import Tensor
from .._running import cumsum


def relu(x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """Computes `x` from a threshold up to a greatest value, and a line of another slope below.

    Args:
      x: tensor of numbers.
      negative_slope: slope below the threshold.
      max_value: greatest value; there is none if it is `None`.
      threshold: the threshold.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.relu(gw.constant([-1.0, 2.0, 8.0]), max_value=6.0).numpy().tolist()
      [0.0, 2.0, 6.0]
    """
    x = _native.convert_to_tensor(x)
    if threshold == 0.0 and not negative_slope:
        found = _native.relu(x)
    else:
        below = negative_slope * (x - threshold) if negative_slope else _native.zeros_like(x)
        found = _native.where(x > threshold, x, below)
    return found if max_value is None else _native.minimum(found, _native.cast(max_value, x.dtype))


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Tensor:
    """Computes `x` where it is positive, and `negative_slope * x` elsewhere.

    Args:
      x: tensor of floats.
      negative_slope: slope below 0.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.leaky_relu(gw.constant([-1.0, 2.0]), negative_slope=0.5).numpy().tolist()
      [-0.5, 2.0]
    """
    return nn.leaky_relu(x, negative_slope)


def elu(x: Any, alpha: float = 1.0) -> Tensor:
    """Computes `x` where it is positive, and `alpha * (exp(x) - 1)` elsewhere.

    Args:
      x: tensor of floats.
      alpha: factor below 0.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.elu(gw.constant([0.0, 2.0])).numpy().tolist()
      [0.0, 2.0]
    """
    x = _native.convert_to_tensor(x)
    return _native.where(x > 0.0, x, alpha * _native.expm1(_native.minimum(x, 0.0)))


def celu(x: Any, alpha: float = 1.0) -> Tensor:
    """Computes `max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)`.

    Args:
      x: tensor of floats.
      alpha: factor below 0.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.celu(gw.constant([0.0, 2.0])).numpy().tolist()
      [0.0, 2.0]
    """
    x = _native.convert_to_tensor(x)
    return _native.maximum(x, 0.0) + alpha * _native.expm1(_native.minimum(x, 0.0) / alpha)


def exponential(x: Any) -> Tensor:
    """Computes `exp(x)`.

    Args:
      x: tensor of floats.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.exponential(gw.constant([0.0])).numpy().tolist()
      [1.0]
    """
    return _native.exp(x)


def glu(x: Any, axis: int = -1) -> Tensor:
    """Multiplies the first half along an axis with the sigmoid of the second.

    Args:
      x: tensor of floats.
      axis: axis of an even length.

    Returns:
      Tensor with half the length along the axis.

    Example:
      >>> gw.keras.activations.glu(gw.constant([2.0, 0.0])).numpy().tolist()
      [1.0]
    """
    from .._arrays import split

    first, second = split(_native.convert_to_tensor(x), 2, axis)
    found: Tensor = first * _native.sigmoid(second)
    return found


def hard_sigmoid(x: Any) -> Tensor:
    """Computes `x / 6 + 0.5`, from 0 to 1.

    Args:
      x: tensor of floats.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.hard_sigmoid(gw.constant([-4.0, 0.0, 4.0])).numpy().tolist()
      [0.0, 0.5, 1.0]
    """
    return nn.relu6(_native.convert_to_tensor(x) + 3.0) / 6.0


def hard_silu(x: Any) -> Any:
    """Computes `x * hard_sigmoid(x)`.

    Args:
      x: tensor of floats.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.hard_silu(gw.constant([-4.0, 0.0, 4.0])).numpy().tolist()
      [-0.0, 0.0, 4.0]
    """
    x = _native.convert_to_tensor(x)
    return x * hard_sigmoid(x)


def hard_tanh(x: Any) -> Tensor:
    """Computes `x`, from -1 to 1.

    Args:
      x: tensor of floats.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.hard_tanh(gw.constant([-4.0, 0.5])).numpy().tolist()
      [-1.0, 0.5]
    """
    return _native.clip_by_value(x, -1.0, 1.0)


def hard_shrink(x: Any, threshold: float = 0.5) -> Tensor:
    """Computes `x` where its size is above a threshold, and 0 elsewhere.

    Args:
      x: tensor of floats.
      threshold: the threshold.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.hard_shrink(gw.constant([-4.0, 0.25])).numpy().tolist()
      [-4.0, 0.0]
    """
    x = _native.convert_to_tensor(x)
    return _native.where(_native.abs(x) > threshold, x, _native.zeros_like(x))


def soft_shrink(x: Any, threshold: float = 0.5) -> Tensor:
    """Moves `x` toward 0 by a threshold.

    Args:
      x: tensor of floats.
      threshold: the threshold.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.soft_shrink(gw.constant([-4.0, 0.25])).numpy().tolist()
      [-3.5, 0.0]
    """
    x = _native.convert_to_tensor(x)
    return _native.where(_native.abs(x) > threshold, x - threshold * _native.sign(x), _native.zeros_like(x))


def tanh_shrink(x: Any) -> Any:
    """Computes `x - tanh(x)`.

    Args:
      x: tensor of floats.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.tanh_shrink(gw.constant([0.0])).numpy().tolist()
      [0.0]
    """
    x = _native.convert_to_tensor(x)
    return x - _native.tanh(x)


def threshold(x: Any, threshold: float, default_value: float) -> Tensor:
    """Computes `x` where it is above a threshold, and another value elsewhere.

    Args:
      x: tensor of floats.
      threshold: the threshold.
      default_value: the other value.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.threshold(gw.constant([1.0, 3.0]), 2.0, 0.0).numpy().tolist()
      [0.0, 3.0]
    """
    x = _native.convert_to_tensor(x)
    return _native.where(x > threshold, x, default_value * _native.ones_like(x))


def mish(x: Any) -> Any:
    """Computes `x * tanh(softplus(x))`.

    Args:
      x: tensor of floats.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.mish(gw.constant([0.0])).numpy().tolist()
      [0.0]

    Source: Misra, "Mish: A Self Regularized Non-Monotonic Activation Function", 2019.
    """
    x = _native.convert_to_tensor(x)
    return x * _native.tanh(nn.softplus(x))


def squareplus(x: Any, b: float = 4) -> Any:
    """Computes `(x + sqrt(x ** 2 + b)) / 2`.

    Args:
      x: tensor of floats.
      b: number that decides how round it is at 0.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.squareplus(gw.constant([0.0])).numpy().tolist()
      [1.0]

    Source: Barron, "Squareplus: A Softplus-Like Algebraic Rectifier", 2021.
    """
    x = _native.convert_to_tensor(x)
    return (x + _native.sqrt(_native.square(x) + float(b))) / 2.0


def sparse_plus(x: Any) -> Tensor:
    """Computes 0 up to -1, `x` from 1 on, and `(x + 1) ** 2 / 4` between.

    Args:
      x: tensor of floats.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.sparse_plus(gw.constant([-2.0, 0.0, 2.0])).numpy().tolist()
      [0.0, 0.25, 2.0]
    """
    x = _native.convert_to_tensor(x)
    between = 0.25 * _native.square(_native.clip_by_value(x, -1.0, 1.0) + 1.0)
    return _native.where(x < 1.0, between, x)


def sparse_sigmoid(x: Any) -> Tensor:
    """Computes `(x + 1) / 2`, from 0 to 1.

    Args:
      x: tensor of floats.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.sparse_sigmoid(gw.constant([-2.0, 0.0, 2.0])).numpy().tolist()
      [0.0, 0.5, 1.0]
    """
    return _native.clip_by_value(0.5 * (_native.convert_to_tensor(x) + 1.0), 0.0, 1.0)


def sparsemax(x: Any, axis: int = -1) -> Tensor:
    """Computes the nearest probabilities to `x`, of which many are 0.

    Args:
      x: tensor of floats.
      axis: axis of the classes.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.activations.sparsemax(gw.constant([1.0, 1.5, -2.0])).numpy().tolist()
      [0.25, 0.75, 0.0]

    Source: Martins and Astudillo, "From Softmax to Sparsemax", 2016.
    """
    x = _native.convert_to_tensor(x)
    order = [at for at in range(x.ndim) if at != axis % x.ndim] + [axis % x.ndim]
    back = [order.index(at) for at in range(x.ndim)]
    rows = _native.transpose(x, order)
    falling = _native.sort(rows, direction="DESCENDING")
    count = _native.cast(_native.range(1, _native.shape(rows)[-1] + 1), x.dtype)
    totals = cumsum(falling, -1)
    inside = 1.0 + count * falling > totals
    size = _native.reduce_sum(_native.cast(inside, x.dtype), -1, keepdims=True)
    total = _native.reduce_sum(_native.where(inside, falling, _native.zeros_like(falling)), -1, keepdims=True)
    return _native.transpose(_native.maximum(rows - (total - 1.0) / size, 0.0), back)

"""TensorFlow's normalizations of neural networks, and the moments behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from .._arrays import axis_of, lengths
from .._native import Tensor
from .elementwise import divide_no_nan

__all__ = [
    "batch_normalization",
    "bias_add",
    "local_response_normalization",
    "normalize_moments",
    "sufficient_statistics",
    "weighted_moments",
]


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """Adds one number to each channel.

    Args:
      value: tensor with two axes at least.
      bias: tensor with one axis, a number for each channel.
      data_format: `None` or a text that ends in `"C"` where channels are the last axis, else one that
        begins with `"NC"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Raises:
      ValueError: `bias` has another number of axes or channels.

    Example:
      >>> gw.nn.bias_add(gw.ones([1, 2]), gw.constant([1.0, 2.0])).numpy().tolist()
      [[2.0, 3.0]]
    """
    del name
    x, b = _native.convert_to_tensor(value), _native.convert_to_tensor(bias)
    if b.ndim != 1:
        raise ValueError(f"`bias` has the shape {tuple(b.shape)}: it has one axis")
    first = data_format is not None and data_format.startswith("NC")
    if not first and data_format is not None and not data_format.endswith("C"):
        raise ValueError(f"`data_format` is {data_format!r}: it is 'N…C' or 'NC…'")
    channels = x.shape[1 if first else -1]
    if None not in (channels, b.shape[0]) and channels != b.shape[0]:
        raise ValueError(f"`bias` has {b.shape[0]} numbers for {channels} channels")
    return x + (_native.reshape(b, [-1] + [1] * (x.ndim - 2)) if first else b)


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Tensor:
    """Normalizes by given means and variances.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      mean: tensor that broadcasts against `x`.
      variance: tensor that broadcasts against `x`.
      offset: tensor that is added, or `None`.
      scale: tensor that is a factor, or `None`.
      variance_epsilon: number that is added to the variance.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.batch_normalization(gw.constant([1.0, 3.0]), 2.0, 4.0, 1.0, 2.0, 0.0).numpy().tolist()
      [0.0, 2.0]
    """
    del name
    x = _native.convert_to_tensor(x)
    factor = _native.rsqrt(_native.convert_to_tensor(variance) + variance_epsilon)
    factor = factor if scale is None else factor * scale
    shift = -mean * factor
    result: Tensor = x * factor + (shift if offset is None else offset + shift)
    return result


def weighted_moments(
    x: Any, axes: int | Sequence[int], frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Computes weighted means and variances along axes.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      axes: axis or list of axes.
      frequency_weights: tensor of weights that broadcasts against `x`.
      keepdims: whether the axes stay, with length 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Pair of tensors without the axes.

    Example:
      >>> x, weights = gw.constant([1.0, 5.0]), gw.constant([3.0, 1.0])
      >>> [float(part) for part in gw.nn.weighted_moments(x, [0], weights)]
      [2.0, 3.0]
    """
    del name
    x = _native.convert_to_tensor(x)
    weights = _native.cast(frequency_weights, x.dtype) + _native.zeros_like(x)
    total = _native.reduce_sum(weights, axes, keepdims=True)
    mean = divide_no_nan(_native.reduce_sum(weights * x, axes, keepdims=True), total)
    variance = divide_no_nan(
        _native.reduce_sum(weights * _native.square(x - mean), axes, keepdims=True), total
    )
    if keepdims:
        return mean, variance
    return _native.squeeze(mean, axes), _native.squeeze(variance, axes)


def sufficient_statistics(
    x: Any, axes: int | Sequence[int], shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Tensor, Tensor, Any]:
    """Computes counts, sums and sums of squares along axes.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      axes: axis or list of axes.
      shift: number that is taken from the elements first.
      keepdims: whether the axes stay, with length 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Count, sum, sum of squares, and `shift`.

    Example:
      >>> [float(part) for part in gw.nn.sufficient_statistics(gw.constant([1.0, 5.0]), [0])[:3]]
      [2.0, 6.0, 26.0]
    """
    del name
    x = _native.convert_to_tensor(x)
    some = [axes] if isinstance(axes, int) else list(axes)
    count: Any = 1
    for axis in some:
        count = count * lengths(x)[axis_of(x, axis)]
    moved = x if shift is None else x - shift
    total = _native.reduce_sum(moved, axes, keepdims)
    return (
        _native.cast(count, x.dtype),
        total,
        _native.reduce_sum(_native.square(moved), axes, keepdims),
        shift,
    )


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Computes means and variances from counts, sums and sums of squares.

    Args:
      counts: number of elements.
      mean_ss: sum of the elements.
      variance_ss: sum of their squares.
      shift: number that was taken from them, or `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Pair of tensors.

    Example:
      >>> count, total, squares = gw.constant(2.0), gw.constant(6.0), gw.constant(26.0)
      >>> [float(part) for part in gw.nn.normalize_moments(count, total, squares, None)]
      [3.0, 4.0]
    """
    del name
    mean = mean_ss / counts
    variance = variance_ss / counts - _native.square(mean)
    return (mean if shift is None else mean + shift), variance


def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divides each channel by a power of the squares of its neighbours.

    Args:
      input: tensor `(batch, height, width, channels)`, `float32` or `float64`.
      depth_radius: number of neighbours on each side.
      bias: number that is added to the squares.
      alpha: factor of the squares.
      beta: exponent.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.local_response_normalization(gw.ones([1, 1, 1, 3]), depth_radius=1).numpy().round(2).tolist()
      [[[[0.5799999833106995, 0.5, 0.5799999833106995]]]]

    Source: Krizhevsky, Sutskever and Hinton, "ImageNet Classification", 2012, 3.3.
    """
    del name
    x = _native.convert_to_tensor(input)
    channels = x.shape[-1]
    if x.ndim != 4 or channels is None:
        raise ValueError(
            f"images `(batch, height, width, channels)` are normalized, not the shape {tuple(x.shape)}"
        )
    numbers = _native.range(channels)
    near = _native.abs(_native.expand_dims(numbers, 1) - numbers) <= depth_radius
    total = _native.matmul(_native.square(x), _native.cast(near, x.dtype))
    return x * _native.pow(bias + alpha * total, -beta)

"""Functions of neural networks, under TensorFlow's names."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from . import _native
from ._native import Tensor, conv2d, relu, sigmoid, softmax, tanh, top_k
from ._reductions import l2_normalize
from .math import softplus

__all__ = [
    "avg_pool2d",
    "conv2d",
    "embedding_lookup",
    "gelu",
    "l2_normalize",
    "log_softmax",
    "max_pool2d",
    "moments",
    "relu",
    "sigmoid",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
    "top_k",
]


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """Computes the Gaussian error linear unit, `x P(X <= x)` for a normal `X`.

    Args:
      features: tensor of any shape, `float32` or `float64`.
      approximate: whether to use the formula with `tanh`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.gelu(gw.constant(0.0))
      <gw.Tensor: shape=(), dtype=float32, numpy=0.0>

    Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
    """
    del name
    x = _native.convert_to_tensor(features)
    if approximate:
        return 0.5 * x * (1.0 + _native.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1.0 + _native.erf(x * math.sqrt(0.5)))


def log_softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Computes logarithms of softmax without underflow.

    Args:
      logits: tensor of any shape, `float32` or `float64`.
      axis: axis of the classes.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.log_softmax(gw.constant([0.0, 0.0])).numpy().round(4).tolist()
      [-0.6930999755859375, -0.6930999755859375]
    """
    del name
    x = _native.convert_to_tensor(logits)
    x = x - _native.stop_gradient(_native.reduce_max(x, axis, keepdims=True))
    return x - _native.log(_native.reduce_sum(_native.exp(x), axis, keepdims=True))


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """Computes the cross-entropy of probabilities and logits.

    Args:
      labels: tensor of probabilities, in the shape of `logits`.
      logits: tensor of any shape, `float32` or `float64`.
      axis: axis of the classes.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.nn.softmax_cross_entropy_with_logits(gw.constant([0.0, 1.0]), gw.constant([0.0, 0.0]))
      <gw.Tensor: shape=(), dtype=float32, numpy=0.6931471824645996>
    """
    del name
    return -_native.reduce_sum(labels * log_softmax(logits, axis), axis)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """Computes the cross-entropy of class numbers and logits.

    Labels are whole numbers of shape `(…)`, logits floats of shape `(…, classes)`.

    Args:
      labels: tensor of class numbers, `int32` or `int64`.
      logits: tensor `(*labels.shape, classes)`, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor in the shape of `labels`.

    Example:
      >>> gw.nn.sparse_softmax_cross_entropy_with_logits(gw.constant([1]), gw.constant([[0.0, 0.0]]))
      <gw.Tensor: shape=(1,), dtype=float32, numpy=array([0.6931472], dtype=float32)>
    """
    del name
    found = log_softmax(logits)
    numbers = _native.convert_to_tensor(labels)
    classes = _native.range(_native.cast(_native.shape(found)[-1], numbers.dtype))
    chosen = _native.equal(_native.expand_dims(numbers, -1), classes)
    return -_native.reduce_sum(_native.where(chosen, found, _native.zeros_like(found)), -1)


def embedding_lookup(params: Any, ids: Any, max_norm: float | None = None, name: str | None = None) -> Tensor:
    """Looks up rows of a table.

    Args:
      params: tensor `(rows, …)`.
      ids: tensor of row numbers.
      max_norm: greatest Euclidean norm of a row; longer ones are scaled down.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(*ids.shape, …)`.

    Example:
      >>> gw.nn.embedding_lookup(gw.constant([[1.0], [2.0]]), gw.constant([1, 0, 1])).numpy().tolist()
      [[2.0], [1.0], [2.0]]
    """
    del name
    rows = _native.gather(params, ids)
    if max_norm is None:
        return rows
    norm = _native.sqrt(_native.reduce_sum(_native.square(rows), -1, keepdims=True))
    return rows * (max_norm / _native.maximum(norm, max_norm))


def moments(
    x: Any, axes: int | Sequence[int], shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Computes means and variances along axes.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      axes: axis or list of axes.
      shift: accepted as in TensorFlow; has no effect.
      keepdims: whether the axes stay, with length 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Pair of tensors without the axes.

    Example:
      >>> [float(part) for part in gw.nn.moments(gw.constant([1.0, 5.0]), [0])]
      [3.0, 4.0]
    """
    del shift, name
    mean = _native.reduce_mean(x, axes, keepdims=True)
    variance = _native.reduce_mean(_native.square(x - mean), axes, keepdims=keepdims)
    return (mean if keepdims else _native.squeeze(mean, axes)), variance


def max_pool2d(
    input: Any,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the greatest element of each window of images, channel by channel.

    Windows that reach over the edges (`padding="SAME"`) count the elements inside alone.

    Args:
      input: tensor `(batch, height, width, channels)` of numbers.
      ksize: size of the windows, an int or two.
      strides: distance of the windows, an int or two.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NHWC"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new height, new width, channels)`.

    Example:
      >>> gw.nn.max_pool2d(gw.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
      (1, 2, 2, 1)
    """
    del name
    x = _native.convert_to_tensor(input)
    windows = _windows(x, ksize, strides, padding, data_format, -math.inf)
    return _joined(_native.maximum, windows)


def avg_pool2d(
    input: Any,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window of images, channel by channel.

    Windows that reach over the edges (`padding="SAME"`) count the elements inside alone.

    Args:
      input: `float32` or `float64` tensor `(batch, height, width, channels)`.
      ksize: size of the windows, an int or two.
      strides: distance of the windows, an int or two.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NHWC"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new height, new width, channels)`.

    Example:
      >>> gw.nn.avg_pool2d(gw.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
      (1, 2, 2, 1)
    """
    del name
    x = _native.convert_to_tensor(input)
    total = _joined(_native.add, _windows(x, ksize, strides, padding, data_format, 0.0))
    ones = _native.ones_like(x[:1, :, :, :1])
    return total / _joined(_native.add, _windows(ones, ksize, strides, padding, data_format, 0.0))


def _windows(
    x: Tensor,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str,
    outside: float,
) -> list[Tensor]:
    """For each place in a window a tensor of what stands there, of all windows."""
    if data_format != "NHWC":
        raise ValueError(f"`data_format` is {data_format!r}: only 'NHWC' can be pooled")
    if padding not in ("VALID", "SAME"):
        raise ValueError(f"`padding` is {padding!r}, neither 'VALID' nor 'SAME'")
    sizes, steps = _two(ksize), _two(strides)
    counts = []
    for axis in (1, 2):
        size, step, length = sizes[axis - 1], steps[axis - 1], x.shape[axis]
        if length is None:
            raise ValueError("only images whose height and width are known can be pooled")
        count = -(-length // step) if padding == "SAME" else (length - size) // step + 1
        lacking = max(0, (count - 1) * step + size - length)
        x = _padded(x, axis, lacking // 2, lacking - lacking // 2, outside)
        counts.append(count)
    down, across = ((count - 1) * step + 1 for count, step in zip(counts, steps, strict=True))
    return [
        x[:, i : i + down : steps[0], j : j + across : steps[1]]
        for i in range(sizes[0])
        for j in range(sizes[1])
    ]


def _two(value: int | Sequence[int]) -> tuple[int, int]:
    """Height and width of one number, of two, or of TensorFlow's four."""
    both = [value] if isinstance(value, int) else list(value)
    both = both[1:3] if len(both) == 4 else both
    return both[0], both[-1]


def _padded(x: Tensor, axis: int, before: int, after: int, value: float) -> Tensor:
    def edge(count: int) -> Tensor:
        lengths: list[Any] = list(_native.shape(x))
        lengths[axis] = count
        return _native.fill(lengths, _native.cast(value, x.dtype))

    parts = [edge(before)] * (before > 0) + [x] + [edge(after)] * (after > 0)
    return parts[0] if len(parts) == 1 else _native.concat(parts, axis)


def _joined(join: Callable[[Tensor, Tensor], Tensor], parts: list[Tensor]) -> Tensor:
    total = parts[0]
    for part in parts[1:]:
        total = join(total, part)
    return total

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
    """`x P(X <= x)` for a normal X (Hendrycks and Gimpel, 2016); `approximate` by `tanh`."""
    del name
    x = _native.convert_to_tensor(features)
    if approximate:
        return 0.5 * x * (1.0 + _native.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1.0 + _native.erf(x * math.sqrt(0.5)))


def log_softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """The logarithms of `softmax`, without rounding to zero on the way."""
    del name
    x = _native.convert_to_tensor(logits)
    x = x - _native.stop_gradient(_native.reduce_max(x, axis, keepdims=True))
    return x - _native.log(_native.reduce_sum(_native.exp(x), axis, keepdims=True))


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """For each row minus the mean of `log_softmax(logits)`, weighted with the probabilities `labels`."""
    del name
    return -_native.reduce_sum(labels * log_softmax(logits, axis), axis)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """For each row minus the element of `log_softmax(logits)` whose number the label is.

    Labels are whole numbers of shape `(…)`, logits floats of shape `(…, classes)`.
    """
    del name
    found = log_softmax(logits)
    numbers = _native.convert_to_tensor(labels)
    classes = _native.range(_native.cast(_native.shape(found)[-1], numbers.dtype))
    chosen = _native.equal(_native.expand_dims(numbers, -1), classes)
    return -_native.reduce_sum(_native.where(chosen, found, _native.zeros_like(found)), -1)


def embedding_lookup(params: Any, ids: Any, max_norm: float | None = None, name: str | None = None) -> Tensor:
    """The rows of a table with these numbers, each no longer than `max_norm`."""
    del name
    rows = _native.gather(params, ids)
    if max_norm is None:
        return rows
    norm = _native.sqrt(_native.reduce_sum(_native.square(rows), -1, keepdims=True))
    return rows * (max_norm / _native.maximum(norm, max_norm))


def moments(
    x: Any, axes: int | Sequence[int], shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance along some axes."""
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
    """The greatest element of each window of `(batch, height, width, channels)`, channel by channel.

    Windows that reach over the edges (`padding="SAME"`) count what is inside alone.
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
    """The mean of each window of `(batch, height, width, channels)`, channel by channel.

    Windows that reach over the edges (`padding="SAME"`) count what is inside alone.
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

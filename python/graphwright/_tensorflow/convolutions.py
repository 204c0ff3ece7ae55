"""TensorFlow's convolutions over one to three axes, transposed, depthwise and separable."""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from .. import _native
from .._arrays import lengths
from .._native import Tensor
from .windows import _channels_last, _middle, at_each_place, edges, padded, sizes

__all__ = [
    "atrous_conv2d",
    "conv1d",
    "conv2d",
    "conv3d",
    "convolution",
    "depth_to_space",
    "depthwise_conv2d",
    "separable_conv2d",
    "space_to_depth",
]


_Sizes = int | Sequence[int]


def _operands(
    input: Any, filters: Any, data_format: Any, axes: int
) -> tuple[Tensor, Tensor, Callable[[Tensor], Tensor]]:
    kernel = _native.convert_to_tensor(filters)
    if kernel.ndim != axes + 2:
        raise ValueError(f"`filters` has the shape {tuple(kernel.shape)}: {axes + 2} axes are needed")
    x, back = _channels_last(_native.convert_to_tensor(input), data_format, axes)
    return x, kernel, back


def conv1d(
    input: Any,
    filters: Any,
    stride: _Sizes,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves rows with filters.

    Args:
      input: tensor `(batch, width, channels)`, `float32` or `float64`.
      filters: tensor `(size, channels, new channels)` of the same dtype.
      stride: distance of the windows.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NWC"` or `"NCW"`.
      dilations: distance of the elements of a window.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new width, new channels)`.

    Example:
      >>> gw.nn.conv1d(gw.constant([[[1.0], [2.0], [3.0]]]), gw.ones([2, 1, 1]), 1, "VALID").numpy().tolist()
      [[[3.0], [5.0]]]
    """
    del name
    x, kernel, back = _operands(input, filters, data_format, 1)
    step, apart = sizes(stride, 1, "stride")[0], sizes(dilations or 1, 1, "dilations")[0]
    if not isinstance(padding, str):
        padding = [[0, 0], [0, 0], list(padding[-2]), [0, 0]]
    found = _native.conv2d(
        _native.expand_dims(x, 1), _native.expand_dims(kernel, 0), [1, step], padding, dilations=[1, apart]
    )
    return back(_native.squeeze(found, 1))


def conv2d(
    input: Any,
    filters: Any,
    strides: _Sizes,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves images with filters.

    Args:
      input: tensor `(batch, height, width, channels)`, `float32` or `float64`.
      filters: tensor `(height, width, channels, new channels)` of the same dtype.
      strides: distance of the windows, an int or a list.
      padding: `"VALID"`, `"SAME"`, or pairs of numbers.
      data_format: `"NHWC"` or `"NCHW"`.
      dilations: distance of the elements of a window, an int or a list.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new height, new width, new channels)`.

    Example:
      >>> gw.nn.conv2d(gw.ones([1, 4, 4, 1]), gw.ones([3, 3, 1, 2]), 1, "VALID").shape
      (1, 2, 2, 2)
    """
    del name
    if data_format != "NCHW":
        return _native.conv2d(input, filters, strides, padding, data_format, dilations)
    x, kernel, back = _operands(input, filters, data_format, 2)
    steps, apart = (_middle(one or 1, data_format) for one in (strides, dilations))
    if not isinstance(padding, str):
        padding = [padding[0], padding[2], padding[3], padding[1]]
    return back(_native.conv2d(x, kernel, steps, padding, dilations=apart))


def conv3d(
    input: Any,
    filters: Any,
    strides: _Sizes,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves volumes with filters.

    Args:
      input: tensor `(batch, depth, height, width, channels)`, `float32` or `float64`.
      filters: tensor `(depth, height, width, channels, new channels)` of the same dtype.
      strides: distance of the windows, an int or a list.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NDHWC"` or `"NCDHW"`.
      dilations: distance of the elements of a window, an int or a list.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new depth, new height, new width, new channels)`.

    Example:
      >>> gw.nn.conv3d(gw.ones([1, 3, 3, 3, 1]), gw.ones([2, 2, 2, 1, 1]), 1, "VALID").shape
      (1, 2, 2, 2, 1)
    """
    del name
    x, kernel, back = _operands(input, filters, data_format, 3)
    steps = sizes(_middle(strides, data_format), 3, "strides")
    apart = sizes(_middle(dilations or 1, data_format), 3, "dilations")
    window = [length or 1 for length in kernel.shape[:3]]
    known = [length or 0 for length in x.shape[1:4]]
    reach = [(size - 1) * far + 1 for size, far in builtins.zip(window, apart, strict=True)]
    pairs = edges(padding, known, reach, steps)
    x = padded(x, [pairs[0]], 0)
    count = max(0, (known[0] + sum(pairs[0]) - reach[0]) // steps[0] + 1)
    inner = [[0, 0], list(pairs[1]), list(pairs[2]), [0, 0]]
    batch, _, high, wide, channels = lengths(x)
    parts = []
    for at in builtins.range(window[0]):
        planes = x[:, at * apart[0] : at * apart[0] + (count - 1) * steps[0] + 1 : steps[0]]
        flat = _native.reshape(planes, [batch * count, high, wide, channels])
        parts.append(_native.conv2d(flat, kernel[at], steps[1:], inner, dilations=apart[1:]))
    total = functools.reduce(operator.add, parts)
    return back(_native.reshape(total, [batch, count, *lengths(total)[1:]]))


def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves over one to three axes.

    Args:
      input: tensor `(batch, …, channels)`, `float32` or `float64`.
      filters: tensor `(…, channels, new channels)` of the same dtype.
      strides: distance of the windows; 1 if it is `None`.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NWC"`, `"NHWC"`, `"NDHWC"`, or with the channels second.
      dilations: distance of the elements of a window.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, …, new channels)`.

    Example:
      >>> gw.nn.convolution(gw.ones([1, 4, 1]), gw.ones([2, 1, 3])).shape
      (1, 3, 3)
    """
    del name
    axes = _native.convert_to_tensor(input).ndim - 2
    functions: dict[int, Any] = {1: (conv1d, "NWC"), 2: (conv2d, "NHWC"), 3: (conv3d, "NDHWC")}
    if axes not in functions:
        raise ValueError(f"a batch with one to three axes and channels is convolved, not {axes + 2} axes")
    compute, usual = functions[axes]
    found: Tensor = compute(input, filters, strides or 1, padding, data_format or usual, dilations)
    return found


def atrous_conv2d(value: Any, filters: Any, rate: int, padding: Any, name: str | None = None) -> Tensor:
    """Convolves images with filters whose elements are apart.

    Args:
      value: tensor `(batch, height, width, channels)`, `float32` or `float64`.
      filters: tensor `(height, width, channels, new channels)` of the same dtype.
      rate: distance of the elements of a window.
      padding: `"VALID"` or `"SAME"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new height, new width, new channels)`.

    Example:
      >>> gw.nn.atrous_conv2d(gw.ones([1, 5, 5, 1]), gw.ones([2, 2, 1, 1]), 2, "VALID").shape
      (1, 3, 3, 1)
    """
    del name
    return _native.conv2d(value, filters, 1, padding, dilations=rate)


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: _Sizes,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel with filters of its own.

    Args:
      input: tensor `(batch, height, width, channels)`, `float32` or `float64`.
      filter: tensor `(height, width, channels, factor)` of the same dtype.
      strides: distance of the windows, an int or a list.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NHWC"` or `"NCHW"`.
      dilations: distance of the elements of a window, an int or a list.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new height, new width, channels * factor)`.

    Example:
      >>> gw.nn.depthwise_conv2d(gw.ones([1, 4, 4, 2]), gw.ones([2, 2, 2, 3]), [1, 1, 1, 1], "VALID").shape
      (1, 3, 3, 6)
    """
    del name
    x, kernel, back = _operands(input, filter, data_format, 2)
    steps = sizes(_middle(strides, data_format), 2, "strides")
    apart = sizes(_middle(dilations or 1, data_format), 2, "dilations")
    high, wide = (length or 1 for length in kernel.shape[:2])
    parts = at_each_place(x, [high, wide], steps, padding, 0, apart)
    taps = [kernel[i, j] for i in builtins.range(high) for j in builtins.range(wide)]
    products = [_native.expand_dims(part, -1) * tap for part, tap in builtins.zip(parts, taps, strict=True)]
    total = functools.reduce(operator.add, products)
    *front, channels, factor = lengths(total)
    return back(_native.reshape(total, [*front, channels * factor]))


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: _Sizes,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel by itself, then joins channels at each place.

    Args:
      input: tensor `(batch, height, width, channels)`, `float32` or `float64`.
      depthwise_filter: tensor `(height, width, channels, factor)` of the same dtype.
      pointwise_filter: tensor `(1, 1, channels * factor, new channels)`.
      strides: distance of the windows, an int or a list.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NHWC"` or `"NCHW"`.
      dilations: distance of the elements of a window, an int or a list.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new height, new width, new channels)`.

    Example:
      >>> x, deep, flat = gw.ones([1, 4, 4, 2]), gw.ones([2, 2, 2, 3]), gw.ones([1, 1, 6, 5])
      >>> gw.nn.separable_conv2d(x, deep, flat, [1, 1, 1, 1], "VALID").shape
      (1, 3, 3, 5)
    """
    del name
    deep = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(deep, pointwise_filter, 1, "VALID", data_format or "NHWC")


def _check_block(size: int) -> None:
    if size < 2:
        raise _native.InvalidArgumentError(f"`block_size` is {size}: a block is 2 or more elements wide")


def depth_to_space(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Moves groups of channels into blocks of height and width.

    Args:
      input: tensor `(batch, height, width, channels)`.
      block_size: height and width of a block.
      data_format: `"NHWC"` or `"NCHW"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with height and width `block_size` times as long.

    Example:
      >>> gw.nn.depth_to_space(gw.reshape(gw.range(4), [1, 1, 1, 4]), 2)[0, :, :, 0].numpy().tolist()
      [[0, 1], [2, 3]]
    """
    del name
    _check_block(block_size)
    x, back = _channels_last(_native.convert_to_tensor(input), data_format, 2)
    batch, high, wide, channels = lengths(x)
    inner = channels // block_size**2
    apart = _native.reshape(x, [batch, high, wide, block_size, block_size, inner])
    moved = _native.transpose(apart, [0, 1, 3, 2, 4, 5])
    return back(_native.reshape(moved, [batch, high * block_size, wide * block_size, inner]))


def space_to_depth(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Moves blocks of height and width into channels.

    Args:
      input: tensor `(batch, height, width, channels)`.
      block_size: height and width of a block.
      data_format: `"NHWC"` or `"NCHW"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with `block_size ** 2` times as many channels.

    Example:
      >>> gw.nn.space_to_depth(gw.reshape(gw.range(4), [1, 2, 2, 1]), 2)[0, 0, 0].numpy().tolist()
      [0, 1, 2, 3]
    """
    del name
    _check_block(block_size)
    x, back = _channels_last(_native.convert_to_tensor(input), data_format, 2)
    batch, high, wide, channels = lengths(x)
    apart = _native.reshape(
        x, [batch, high // block_size, block_size, wide // block_size, block_size, channels]
    )
    moved = _native.transpose(apart, [0, 1, 3, 2, 4, 5])
    return back(
        _native.reshape(moved, [batch, high // block_size, wide // block_size, channels * block_size**2])
    )

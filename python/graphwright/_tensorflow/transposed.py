"""TensorFlow's transposed convolutions: zeros between the elements, then a convolution."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from .. import _native
from .._arrays import lengths, reverse
from .._native import Tensor
from .convolutions import _operands, convolution
from .windows import _middle, edges, padded, sizes

__all__ = ["conv1d_transpose", "conv2d_transpose", "conv3d_transpose", "conv_transpose"]

_Sizes = int | Sequence[int]


def transposed(
    x: Tensor, kernel: Tensor, wanted: Sequence[int], steps: Sequence[int], padding: Any
) -> Tensor:
    """The transpose of a convolution that makes the shape of `x` of the lengths that are wanted.

    Channels are last; the kernel is `(…, new channels, channels)`.
    """
    axes = len(steps)
    window = [length or 1 for length in kernel.shape[:axes]]
    pairs = edges(padding, wanted, window, steps)
    around = []
    for at, (size, step) in enumerate(builtins.zip(window, steps, strict=True)):
        length = x.shape[at + 1]
        if length is None:
            raise ValueError(
                "transposed convolutions need lengths that are known: give them by `gw.ensure_shape`"
            )
        if (wanted[at] + sum(pairs[at]) - size) // step + 1 != length:
            raise ValueError(f"a convolution of the length {wanted[at]} does not give the length {length}")
        x = _spread(x, at + 1, length, step)
        before = size - 1 - pairs[at][0]
        around.append((before, wanted[at] + size - 1 - ((length - 1) * step + 1) - before))
    order = [*builtins.range(axes), axes + 1, axes]
    turned = _native.transpose(reverse(kernel, list(builtins.range(axes))), order)
    return convolution(padded(x, around, 0), turned)


def dilated(kernel: Tensor, apart: Sequence[int]) -> Tensor:
    """A kernel with zeros between its elements."""
    for axis, far in enumerate(apart):
        kernel = _spread(kernel, axis, kernel.shape[axis] or 0, far)
    return kernel


def _spread(x: Tensor, axis: int, length: int, step: int) -> Tensor:
    """Zeros between the elements along an axis."""
    if step == 1 or length == 0:
        return x
    shape = lengths(x)
    wide = _native.expand_dims(x, axis + 1)
    zeros = _native.zeros([*shape[: axis + 1], step - 1, *shape[axis + 1 :]], x.dtype)
    flat = _native.reshape(
        _native.concat([wide, zeros], axis + 1), [*shape[:axis], length * step, *shape[axis + 1 :]]
    )
    return flat[(slice(None),) * axis + (slice(0, (length - 1) * step + 1),)]


def _called(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any, data_format: Any, dilations: Any
) -> Tensor:
    axes = _native.convert_to_tensor(filters).ndim - 2
    x, kernel, back = _operands(input, filters, data_format, axes)
    steps = sizes(_middle(strides, data_format), axes, "strides")
    if dilations is not None and set(sizes(_middle(dilations, data_format), axes, "dilations")) != {1}:
        raise ValueError(f"`dilations` is {dilations!r}: transposed convolutions take 1")
    given = list(output_shape)
    inner = given if len(given) == axes else given[2:] if data_format.startswith("NC") else given[1:-1]
    return back(transposed(x, kernel, [int(length) for length in inner], steps, padding))


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Sequence[Any],
    strides: _Sizes,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of a convolution of rows.

    Args:
      input: tensor `(batch, width, channels)`, `float32` or `float64`.
      filters: tensor `(size, new channels, channels)` of the same dtype.
      output_shape: shape of the result.
      strides: distance of the windows.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NWC"` or `"NCW"`.
      dilations: `None` or 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of `output_shape`.

    Example:
      >>> gw.nn.conv1d_transpose(gw.ones([1, 2, 1]), gw.ones([2, 3, 1]), [1, 4, 3], 2).shape
      (1, 4, 3)
    """
    del name
    return _called(input, filters, output_shape, strides, padding, data_format, dilations)


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Sequence[Any],
    strides: _Sizes,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of a convolution, which is its derivative.

    Args:
      input: tensor `(batch, height, width, channels)`, `float32` or `float64`.
      filters: tensor `(height, width, new channels, channels)` of the same dtype.
      output_shape: shape of the result.
      strides: distance of the windows, an int or a list.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NHWC"` or `"NCHW"`.
      dilations: `None` or 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of `output_shape`.

    Raises:
      ValueError: a convolution of that shape does not give the shape of the input.

    Example:
      >>> gw.nn.conv2d_transpose(gw.ones([1, 2, 2, 1]), gw.ones([2, 2, 3, 1]), [1, 4, 4, 3], 2).shape
      (1, 4, 4, 3)
    """
    del name
    return _called(input, filters, output_shape, strides, padding, data_format, dilations)


def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Sequence[Any],
    strides: _Sizes,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of a convolution of volumes.

    Args:
      input: tensor `(batch, depth, height, width, channels)`, `float32` or `float64`.
      filters: tensor `(depth, height, width, new channels, channels)` of the same dtype.
      output_shape: shape of the result.
      strides: distance of the windows, an int or a list.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NDHWC"` or `"NCDHW"`.
      dilations: `None` or 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of `output_shape`.

    Raises:
      ValueError: a convolution of that shape does not give the shape of the input.

    Example:
      >>> x, kernel = gw.ones([1, 2, 2, 2, 1]), gw.ones([2, 2, 2, 3, 1])
      >>> gw.nn.conv3d_transpose(x, kernel, [1, 4, 4, 4, 3], 2).shape
      (1, 4, 4, 4, 3)
    """
    del name
    return _called(input, filters, output_shape, strides, padding, data_format, dilations)


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Sequence[Any],
    strides: _Sizes,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of a convolution over one to three axes.

    Args:
      input: tensor `(batch, …, channels)`, `float32` or `float64`.
      filters: tensor `(…, new channels, channels)` of the same dtype.
      output_shape: shape of the result.
      strides: distance of the windows.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NWC"`, `"NHWC"`, `"NDHWC"`, or with the channels second.
      dilations: `None` or 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of `output_shape`.

    Example:
      >>> gw.nn.conv_transpose(gw.ones([1, 2, 1]), gw.ones([2, 3, 1]), [1, 4, 3], 2).shape
      (1, 4, 3)
    """
    del name
    axes = len(list(output_shape)) - 2
    if axes not in (1, 2, 3):
        raise ValueError(f"`output_shape` has {axes + 2} axes: it has 3 to 5")
    usual = ("NWC", "NHWC", "NDHWC")[axes - 1]
    return _called(input, filters, output_shape, strides, padding, data_format or usual, dilations)

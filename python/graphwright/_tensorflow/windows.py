"""TensorFlow's pools over one to three axes, from slices of elements at each place of a window."""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from .. import _native
from .._arrays import lengths
from .._native import Tensor

__all__ = [
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "pool",
]


_Sizes = int | Sequence[int]


def sizes(value: Any, axes: int, name: str) -> list[int]:
    """One number for each axis, from one number, one for each, or TensorFlow's with batch and channels."""
    given = [value] if isinstance(value, int) else list(value)
    if len(given) == axes + 2:
        given = given[1:-1] if given[0] == given[-1] == 1 else given[:0]
    given = given * axes if len(given) == 1 else given
    if len(given) != axes or any(not isinstance(one, int) or one < 1 for one in given):
        raise ValueError(f"`{name}` is {value!r}: it is a number from 1 on, or one for each of {axes} axes")
    return given


def edges(
    padding: Any, lengths_: Sequence[int], reach: Sequence[int], steps: Sequence[int]
) -> list[tuple[int, int]]:
    """The number of places by which windows reach over each end of each axis."""
    if isinstance(padding, str):
        if padding.upper() == "VALID":
            return [(0, 0)] * len(steps)
        if padding.upper() != "SAME":
            raise ValueError(f"`padding` is {padding!r}, neither 'VALID' nor 'SAME'")
        found = []
        for length, size, step in builtins.zip(lengths_, reach, steps, strict=True):
            lacking = max(0, (-(-length // step) - 1) * step + size - length)
            found.append((lacking // 2, lacking - lacking // 2))
        return found
    pairs = [tuple(pair) for pair in padding]
    pairs = pairs[1:-1] if len(pairs) == len(steps) + 2 else pairs
    return [(int(first), int(last)) for first, last in pairs]


def padded(x: Tensor, pairs: Sequence[tuple[int, int]], value: Any) -> Tensor:
    """The tensor with a value around its axes in the middle."""
    for axis, (before, after) in enumerate(pairs, 1):
        parts = [x]
        for count, at in ((before, 0), (after, 2)):
            if count:
                shape = lengths(x)
                shape[axis] = count
                edge = _native.fill(shape, _native.cast(value, x.dtype))
                parts = [edge, *parts] if at == 0 else [*parts, edge]
        x = parts[0] if len(parts) == 1 else _native.concat(parts, axis)
    return x


def at_each_place(
    x: Tensor, window: Sequence[int], steps: Sequence[int], padding: Any, outside: Any, apart: Sequence[int]
) -> list[Tensor]:
    """For each place in a window a tensor of what stands there, of all windows."""
    known = [length for length in x.shape[1:-1] if length is not None]
    if len(known) < len(window):
        raise ValueError("only lengths that are known are pooled: give them by `gw.ensure_shape`")
    reach = [(size - 1) * far + 1 for size, far in builtins.zip(window, apart, strict=True)]
    pairs = edges(padding, known, reach, steps)
    x = padded(x, pairs, outside)
    whole = [length + sum(pair) for length, pair in builtins.zip(known, pairs, strict=True)]
    counts = [(n - size) // step + 1 for n, size, step in builtins.zip(whole, reach, steps, strict=True)]
    counts = [max(count, 0) for count in counts]
    parts = []
    for place in itertools.product(*map(builtins.range, window)):
        key: list[Any] = [slice(None)]
        for at, far, count, step in builtins.zip(place, apart, counts, steps, strict=True):
            key.append(slice(at * far, at * far + (count - 1) * step + 1, step) if count else slice(0, 0))
        parts.append(x[tuple(key)])
    return parts


def _channels_last(x: Tensor, data_format: Any, axes: int) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """The tensor with channels last, and the way back."""
    if x.ndim != axes + 2:
        raise ValueError(f"a batch with {axes} axes and channels is needed, not the shape {tuple(x.shape)}")
    inner = "DHW"[3 - axes :] if axes != 1 else "W"
    if data_format in (None, f"N{inner}C"):
        return x, lambda found: found
    if data_format != f"NC{inner}":
        raise ValueError(f"`data_format` is {data_format!r}: it is 'N{inner}C' or 'NC{inner}'")
    order = [0, *builtins.range(2, axes + 2), 1]
    back = [0, axes + 1, *builtins.range(1, axes + 1)]
    return _native.transpose(x, order), lambda found: _native.transpose(found, back)


def _middle(value: Any, data_format: Any) -> Any:
    """Sizes without those of batch and channels, where channels are second."""
    if data_format and data_format.startswith("NC") and not isinstance(value, int) and len(value) > 3:
        return [1, *value[2:], 1]
    return value


def _pooled(
    join: str, input: Any, axes: int, ksize: Any, strides: Any, padding: Any, data_format: Any
) -> Tensor:
    x, back = _channels_last(_native.convert_to_tensor(input), data_format, axes)
    window = sizes(_middle(ksize, data_format), axes, "ksize")
    steps = sizes(_middle(strides, data_format), axes, "strides")
    near = [1] * axes
    if join == "max":
        least = -math.inf if x.dtype.is_floating else x.dtype.min
        return back(functools.reduce(_native.maximum, at_each_place(x, window, steps, padding, least, near)))
    total = functools.reduce(operator.add, at_each_place(x, window, steps, padding, 0, near))
    ones = _native.ones_like(x[(slice(0, 1), *[slice(None)] * axes, slice(0, 1))])
    return back(total / functools.reduce(operator.add, at_each_place(ones, window, steps, padding, 0, near)))


def max_pool1d(
    input: Any,
    ksize: _Sizes,
    strides: _Sizes,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Computes the greatest element of each window of rows, channel by channel.

    Args:
      input: tensor `(batch, width, channels)` of numbers.
      ksize: size of the windows.
      strides: distance of the windows.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NWC"` or `"NCW"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new width, channels)`.

    Example:
      >>> gw.nn.max_pool1d(gw.constant([[[1.0], [5.0], [3.0]]]), 2, 1, "VALID").numpy().tolist()
      [[[5.0], [5.0]]]
    """
    del name
    return _pooled("max", input, 1, ksize, strides, padding, data_format)


def max_pool2d(
    input: Any,
    ksize: _Sizes,
    strides: _Sizes,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the greatest element of each window of images, channel by channel.

    Windows that reach over the edges (`padding="SAME"`) count the elements inside alone.

    Args:
      input: tensor `(batch, height, width, channels)` of numbers.
      ksize: size of the windows, an int or two.
      strides: distance of the windows, an int or two.
      padding: `"VALID"`, `"SAME"`, or pairs of numbers.
      data_format: `"NHWC"` or `"NCHW"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new height, new width, channels)`.

    Example:
      >>> gw.nn.max_pool2d(gw.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
      (1, 2, 2, 1)
    """
    del name
    return _pooled("max", input, 2, ksize, strides, padding, data_format)


def max_pool3d(
    input: Any,
    ksize: _Sizes,
    strides: _Sizes,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the greatest element of each window of volumes, channel by channel.

    Args:
      input: tensor `(batch, depth, height, width, channels)` of numbers.
      ksize: size of the windows, an int or three.
      strides: distance of the windows, an int or three.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NDHWC"` or `"NCDHW"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new depth, new height, new width, channels)`.

    Example:
      >>> gw.nn.max_pool3d(gw.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape
      (1, 2, 2, 2, 1)
    """
    del name
    return _pooled("max", input, 3, ksize, strides, padding, data_format)


def avg_pool1d(
    input: Any,
    ksize: _Sizes,
    strides: _Sizes,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window of rows, channel by channel.

    Args:
      input: tensor `(batch, width, channels)`, `float32` or `float64`.
      ksize: size of the windows.
      strides: distance of the windows.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NWC"` or `"NCW"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new width, channels)`.

    Example:
      >>> gw.nn.avg_pool1d(gw.constant([[[1.0], [5.0], [3.0]]]), 2, 1, "VALID").numpy().tolist()
      [[[3.0], [4.0]]]
    """
    del name
    return _pooled("avg", input, 1, ksize, strides, padding, data_format)


def avg_pool2d(
    input: Any,
    ksize: _Sizes,
    strides: _Sizes,
    padding: Any,
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
      data_format: `"NHWC"` or `"NCHW"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new height, new width, channels)`.

    Example:
      >>> gw.nn.avg_pool2d(gw.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
      (1, 2, 2, 1)
    """
    del name
    return _pooled("avg", input, 2, ksize, strides, padding, data_format)


def avg_pool3d(
    input: Any,
    ksize: _Sizes,
    strides: _Sizes,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window of volumes, channel by channel.

    Args:
      input: tensor `(batch, depth, height, width, channels)`, `float32` or `float64`.
      ksize: size of the windows, an int or three.
      strides: distance of the windows, an int or three.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NDHWC"` or `"NCDHW"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new depth, new height, new width, channels)`.

    Example:
      >>> gw.nn.avg_pool3d(gw.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape
      (1, 2, 2, 2, 1)
    """
    del name
    return _pooled("avg", input, 3, ksize, strides, padding, data_format)


def _of_rank(input: Any, given: str | None) -> tuple[int, str]:
    axes = _native.convert_to_tensor(input).ndim - 2
    if axes not in (1, 2, 3):
        raise ValueError(f"a batch with one to three axes and channels is needed, not {axes + 2} axes")
    return axes, given or f"N{'W' if axes == 1 else 'DHW'[3 - axes :]}C"


def max_pool(
    input: Any,
    ksize: _Sizes,
    strides: _Sizes,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the greatest element of each window, over one to three axes.

    Args:
      input: tensor `(batch, …, channels)` of numbers.
      ksize: size of the windows.
      strides: distance of the windows.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NWC"`, `"NHWC"`, `"NDHWC"`, or with the channels second.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, …, channels)`.

    Example:
      >>> gw.nn.max_pool(gw.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
      (1, 2, 2, 1)
    """
    del name
    axes, data_format = _of_rank(input, data_format)
    return _pooled("max", input, axes, ksize, strides, padding, data_format)


def avg_pool(
    input: Any,
    ksize: _Sizes,
    strides: _Sizes,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window, over one to three axes.

    Args:
      input: tensor `(batch, …, channels)`, `float32` or `float64`.
      ksize: size of the windows.
      strides: distance of the windows.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NWC"`, `"NHWC"`, `"NDHWC"`, or with the channels second.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, …, channels)`.

    Example:
      >>> gw.nn.avg_pool(gw.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
      (1, 2, 2, 1)
    """
    del name
    axes, data_format = _of_rank(input, data_format)
    return _pooled("avg", input, axes, ksize, strides, padding, data_format)


def pool(
    input: Any,
    window_shape: _Sizes,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes the greatest element or the mean of each window.

    Args:
      input: tensor `(batch, …, channels)`, `float32` or `float64`.
      window_shape: size of the windows.
      pooling_type: `"MAX"` or `"AVG"`.
      strides: distance of the windows; 1 if it is `None`.
      padding: `"VALID"` or `"SAME"`.
      data_format: `"NWC"`, `"NHWC"`, `"NDHWC"`, or with the channels second.
      dilations: `None` or 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, …, channels)`.

    Example:
      >>> gw.nn.pool(gw.ones([1, 4, 4, 1]), 2, "AVG", strides=2).shape
      (1, 2, 2, 1)
    """
    del name
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"`pooling_type` is {pooling_type!r}, neither 'MAX' nor 'AVG'")
    axes, data_format = _of_rank(input, data_format)
    if dilations is not None and set(sizes(dilations, axes, "dilations")) != {1}:
        raise ValueError(f"`dilations` is {dilations!r}: windows that are pooled have no gaps")
    return _pooled(pooling_type.lower(), input, axes, window_shape, strides or 1, padding, data_format)

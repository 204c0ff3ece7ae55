"""Blocks of places that become examples, patches of images and volumes, and back."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from .. import _native
from .._arrays import lengths, pad
from .._native import Tensor
from .windows import at_each_place, sizes

__all__ = [
    "batch_to_space",
    "extract_patches",
    "extract_volume_patches",
    "required_space_to_batch_paddings",
    "space_to_batch",
    "space_to_batch_nd",
]


def _numbers(value: Any) -> list[Any]:
    return np.asarray(value).tolist()  # type: ignore[no-any-return]


def _block(block_shape: Any, pairs: list[Any]) -> list[int]:
    """The lengths of a block along each axis that has a pair of numbers."""
    given = _numbers(block_shape)
    block = [given] * len(pairs) if isinstance(given, int) else given
    if any(size < 1 for size in block):
        raise _native.InvalidArgumentError(f"`block_shape` is {block}: lengths are 1 or more")
    return block


def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Moves the places of blocks into the batch.

    Args:
      input: tensor `(batch, …, rest)`.
      block_shape: lengths of a block along the axes behind the batch.
      paddings: pair of numbers for each of these axes: zeros before and behind.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with the batch as many times as long as a block has places.

    Raises:
      ValueError: an axis is no multiple of the block.

    Example:
      >>> gw.space_to_batch([[[[1], [2]], [[3], [4]]]], [2, 2], [[0, 0], [0, 0]]).shape
      (4, 1, 1, 1)
    """
    del name
    x, pairs = _native.convert_to_tensor(input), _numbers(paddings)
    block = _block(block_shape, pairs)
    count = len(block)
    x = pad(x, [[0, 0], *pairs, *([[0, 0]] * (x.ndim - count - 1))])
    batch, *rest = lengths(x)
    for length, size in zip(rest, block, strict=False):
        if isinstance(length, int) and length % size:
            raise ValueError(f"the length {length} is no multiple of the block's, {size}")
    parts = list(
        itertools.chain.from_iterable((n // size, size) for n, size in zip(rest, block, strict=False))
    )
    apart = _native.reshape(x, [batch, *parts, *rest[count:]])
    order = [2 * at + 2 for at in range(count)] + [0] + [2 * at + 1 for at in range(count)]
    moved = _native.transpose(apart, [*order, *range(2 * count + 1, apart.ndim)])
    inner = [n // size for n, size in zip(rest, block, strict=False)]
    return _native.reshape(moved, [batch * math.prod(block), *inner, *rest[count:]])


space_to_batch_nd = space_to_batch


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Moves examples into the places of blocks, and cuts off the ends.

    Args:
      input: tensor `(batch, …, rest)`.
      block_shape: lengths of a block along the axes behind the batch.
      crops: pair of numbers for each of these axes: places that are cut off before and behind.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with a batch as many times shorter as a block has places.

    Raises:
      ValueError: the batch is no multiple of the places of a block.

    Example:
      >>> gw.batch_to_space([[[[1]]], [[[2]]], [[[3]]], [[[4]]]], [2, 2], [[0, 0], [0, 0]]).shape
      (1, 2, 2, 1)
    """
    del name
    x, pairs = _native.convert_to_tensor(input), _numbers(crops)
    block = _block(block_shape, pairs)
    count = len(block)
    batch, *rest = lengths(x)
    if isinstance(batch, int) and batch % math.prod(block):
        raise ValueError(f"the batch {batch} is no multiple of the places of a block, {math.prod(block)}")
    outer = batch // math.prod(block)
    apart = _native.reshape(x, [*block, outer, *rest])
    order = [count]
    for at in range(count):
        order += [count + 1 + at, at]
    moved = _native.transpose(apart, [*order, *range(2 * count + 1, apart.ndim)])
    whole = [n * size for n, size in zip(rest, block, strict=False)]
    joined = _native.reshape(moved, [outer, *whole, *rest[count:]])
    key: list[Any] = [slice(None)]
    for n, (before, after) in zip(whole, pairs, strict=True):
        key.append(slice(before, n - after))
    return joined[tuple(key)]


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Computes the zeros that make each axis a multiple of a block.

    Args:
      input_shape: lengths of the axes.
      block_shape: lengths of a block.
      base_paddings: least numbers of zeros, pairs.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Pairs of zeros for `space_to_batch`, and pairs of crops for `batch_to_space`.

    Example:
      >>> zeros, crops = gw.required_space_to_batch_paddings([5, 4], [2, 4])
      >>> zeros.numpy().tolist(), crops.numpy().tolist()
      ([[0, 1], [0, 0]], [[0, 1], [0, 0]])
    """
    del name
    shape, block = (_native.cast(one, _native.int32) for one in (input_shape, block_shape))
    first = _native.zeros_like(block)
    last = first
    if base_paddings is not None:
        base = _native.cast(base_paddings, _native.int32)
        first, last = base[:, 0], base[:, 1]
    more = _native.floormod(-(shape + first + last), block)
    zeros = _native.stack([first, last + more], 1)
    return zeros, _native.stack([_native.zeros_like(more), more], 1)


def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """Puts the elements of windows of images into channels.

    Args:
      images: tensor `(batch, height, width, channels)`.
      sizes: size of the windows, `[1, rows, columns, 1]`.
      strides: distance of the windows, `[1, rows, columns, 1]`.
      rates: distance of the elements of a window, `[1, rows, columns, 1]`.
      padding: `"VALID"` or `"SAME"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, new height, new width, rows * columns * channels)`.

    Example:
      >>> x, one = gw.reshape(gw.range(9), [1, 3, 3, 1]), [1, 1, 1, 1]
      >>> gw.image.extract_patches(x, [1, 2, 2, 1], one, one, "VALID")[0, 0, 0].numpy().tolist()
      [0, 1, 3, 4]
    """
    del name
    return _patches(images, 2, sizes, strides, padding, rates)


def extract_volume_patches(
    input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Tensor:
    """Puts the elements of windows of volumes into channels.

    Args:
      input: tensor `(batch, depth, height, width, channels)`.
      ksizes: size of the windows, `[1, planes, rows, columns, 1]`.
      strides: distance of the windows, `[1, planes, rows, columns, 1]`.
      padding: `"VALID"` or `"SAME"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(batch, …, …, …, planes * rows * columns * channels)`.

    Example:
      >>> x = gw.ones([1, 4, 4, 4, 2])
      >>> gw.extract_volume_patches(x, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID").shape
      (1, 2, 2, 2, 16)
    """
    del name
    return _patches(input, 3, ksizes, strides, padding, 1)


def _patches(given: Any, axes: int, window: Any, strides: Any, padding: Any, rates: Any) -> Tensor:
    x = _native.convert_to_tensor(given)
    if x.ndim != axes + 2:
        raise ValueError(f"a batch with {axes} axes and channels is needed, not the shape {tuple(x.shape)}")
    told = (
        sizes(one, axes, name) for one, name in ((window, "sizes"), (strides, "strides"), (rates, "rates"))
    )
    size, steps, apart = told
    return _native.concat(at_each_place(x, size, steps, padding, 0, apart), -1)

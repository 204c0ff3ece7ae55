"""TensorFlow's functions that take parts of tensors, put parts into them, and clip them."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from .. import _native
from .._arrays import axis_of, lengths
from .._native import Tensor

__all__ = [
    "gather_batches",
    "reverse_sequence",
    "scatter_nd",
    "sequence_mask",
    "slice",
    "strided_slice",
    "unravel_index",
]


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """Takes a box out of a tensor.

    Args:
      input_: tensor of any dtype.
      begin: the first place along each axis.
      size: the length along each axis; -1 takes the rest.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with as many axes.

    Raises:
      ValueError: there are fewer or more numbers than axes.
      InvalidArgumentError: the box reaches beyond the tensor.

    Example:
      >>> gw.slice(gw.constant([[1, 2, 3], [4, 5, 6]]), [0, 1], [2, -1]).numpy().tolist()
      [[2, 3], [5, 6]]
    """
    del name
    x = _native.convert_to_tensor(input_)
    begins, sizes = _numbers(begin), _numbers(size)
    if len(begins) != x.ndim or len(sizes) != x.ndim:
        raise ValueError(f"`begin` has {len(begins)} numbers and `size` {len(sizes)}, for {x.ndim} axes")
    box = []
    for first, count, length in builtins.zip(begins, sizes, lengths(x), strict=True):
        known = isinstance(first, int) and isinstance(count, int)
        last = length if isinstance(count, int) and count == -1 else first + count
        sound = _native.logical_and(_native.less_equal(0, first), _native.less_equal(last, length))
        if known and isinstance(length, int) and not 0 <= first <= last <= length:
            raise _native.InvalidArgumentError(
                f"a box from {first} to {last} reaches beyond an axis of length {length}"
            )
        _native.require(
            _native.logical_and(sound, _native.less_equal(first, last)),
            ("a box reaches beyond an axis: from ", first),
        )
        box.append(builtins.slice(first, last))
    return x[tuple(box)]


def _numbers(value: Any) -> list[Any]:
    """One number for each axis, Python's where they are known."""
    if isinstance(value, (list, tuple)):
        return list(value)
    row = _native.convert_to_tensor(value)
    if isinstance(value, Tensor) and not _native.executing_eagerly():
        return [row[at] for at in builtins.range(row.shape[0] or 0)]
    return [int(number) for number in row.numpy()]


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """Takes slices as `x[begin:end:strides]` does.

    Args:
      input_: tensor of any dtype.
      begin: the first place along each of the first axes.
      end: the place behind the last one.
      strides: distances; 1 if it is `None`.
      begin_mask: bits of axes whose beginning does not count.
      end_mask: bits of axes whose end does not count.
      ellipsis_mask: bit of the number that stands for all axes between.
      new_axis_mask: bits of numbers that make an axis of length 1.
      shrink_axis_mask: bits of axes of which one place is taken.
      var: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor.

    Example:
      >>> gw.strided_slice(gw.constant([1, 2, 3, 4]), [0], [4], [2]).numpy().tolist()
      [1, 3]
    """
    del var, name
    x = _native.convert_to_tensor(input_)
    begins, ends = _numbers(begin), _numbers(end)
    steps = [1] * len(begins) if strides is None else _numbers(strides)
    key: list[Any] = []
    for at, (first, last, step) in enumerate(builtins.zip(begins, ends, steps, strict=True)):
        bit = 1 << at
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(first)
        else:
            key.append(
                builtins.slice(None if begin_mask & bit else first, None if end_mask & bit else last, step)
            )
    return x[tuple(key)]


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Puts slices into a tensor of zeros; slices of one place are added.

    Args:
      indices: places, `(…, k)` for the first `k` axes.
      updates: slices `(…, *shape[k:])`.
      shape: shape of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of that shape in the dtype of `updates`.

    Raises:
      InvalidArgumentError: a place is out of range.

    Example:
      >>> gw.scatter_nd(gw.constant([[1], [3], [1]]), gw.constant([5, 6, 7]), [4]).numpy().tolist()
      [0, 12, 0, 6]
    """
    del name
    values = _native.convert_to_tensor(updates)
    if isinstance(shape, Tensor):
        shape = _numbers(shape)
    return _native.tensor_scatter_nd_add(_native.zeros(shape, values.dtype), indices, values)


def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = _native.bool, name: str | None = None
) -> Tensor:
    """Marks the first places of rows.

    Args:
      lengths: tensor of whole numbers, of any shape.
      maxlen: length of the rows; the greatest number if it is `None`.
      dtype: dtype of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(*lengths.shape, maxlen)`.

    Example:
      >>> gw.sequence_mask([1, 3]).numpy().tolist()
      [[True, False, False], [True, True, True]]
    """
    del name
    counts = _native.convert_to_tensor(lengths)
    most = (
        _native.maximum(_native.reduce_max(counts), 0)
        if maxlen is None
        else _native.cast(maxlen, counts.dtype)
    )
    places = _native.range(most)
    if isinstance(maxlen, int):
        places = _native.reshape(places, [maxlen])
    return _native.cast(places < _native.expand_dims(counts, -1), dtype)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Reverses the first places of rows, of each as many as is said.

    Args:
      input: tensor of any dtype.
      seq_lengths: a whole number for each row.
      seq_axis: axis that is reversed.
      batch_axis: axis of the rows; 0 if it is `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.reverse_sequence(gw.constant([[1, 2, 3], [4, 5, 6]]), [2, 3], seq_axis=1).numpy().tolist()
      [[2, 1, 3], [6, 5, 4]]
    """
    del name
    if seq_axis is None:
        raise ValueError("`reverse_sequence` needs `seq_axis`, the axis that is reversed")
    x = _native.convert_to_tensor(input)
    along, rows = axis_of(x, seq_axis), axis_of(x, batch_axis or 0)
    if along == rows:
        raise ValueError(f"`seq_axis` and `batch_axis` are both {along}")
    counts = _native.expand_dims(_native.cast(_native.convert_to_tensor(seq_lengths), _native.int64), 1)
    length = _native.cast(lengths(x)[along], _native.int64)
    _native.require(
        _native.reduce_all(counts <= length), ("a number of `seq_lengths` is above the length ", length)
    )
    places = _native.expand_dims(_native.range(length), 0)
    places = _native.where(places < counts, counts - 1 - places, places)
    return _picked(x, places, rows, along)


def _picked(x: Tensor, places: Tensor, rows: int, along: int) -> Tensor:
    """For each row other places along an axis."""
    order = [rows, along] + [axis for axis in builtins.range(x.ndim) if axis not in (rows, along)]
    front = _native.transpose(x, order)
    batch = _native.expand_dims(_native.range(_native.shape(places, _native.int64)[0]), 1)
    found = _native.gather_nd(front, _native.stack([batch + _native.zeros_like(places), places], -1))
    back = [order.index(axis) for axis in builtins.range(x.ndim)]
    return _native.transpose(found, back)


def gather_batches(params: Any, indices: Any, axis: int, batch_dims: int) -> Tensor:
    """Gathers slices, in each batch those of its own places.

    Args:
      params: tensor of any dtype.
      indices: places; its first axes are those of `params`.
      axis: axis of the places.
      batch_dims: number of the axes in front that both share.

    Returns:
      Tensor `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.

    Example:
      >>> x = gw.constant([[1, 2], [3, 4]])
      >>> gw.gather(x, gw.constant([[1], [0]]), axis=1, batch_dims=1).numpy().tolist()
      [[2], [3]]
    """
    x, places = _native.convert_to_tensor(params), _native.convert_to_tensor(indices)
    shape, many = lengths(x), lengths(places)
    front = _native.transpose(
        x, [*builtins.range(batch_dims), axis, *[k for k in builtins.range(batch_dims, x.ndim) if k != axis]]
    )
    flat = _native.reshape(front, [_product(shape[:batch_dims]), *lengths(front)[batch_dims:]])
    row = _native.cast(_native.reshape(places, [_product(many[:batch_dims]), -1]), _native.int64)
    batch = _native.expand_dims(_native.range(_native.shape(row, _native.int64)[0]), 1)
    found = _native.gather_nd(flat, _native.stack([batch + _native.zeros_like(row), row], -1))
    inner = shape[batch_dims:axis] + shape[axis + 1 :]
    found = _native.reshape(found, [*many, *inner])
    between = builtins.range(len(many), len(many) + axis - batch_dims)
    rest = builtins.range(len(many) + axis - batch_dims, len(many) + len(inner))
    return _native.transpose(
        found, [*builtins.range(batch_dims), *between, *builtins.range(batch_dims, len(many)), *rest]
    )


def _product(values: Sequence[Any]) -> Any:
    total: Any = 1
    for value in values:
        total = total * value
    return total


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Computes the place along each axis from numbers of elements in order.

    Args:
      indices: whole numbers, a scalar or one axis.
      dims: shape of the tensor.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(axes, …)`.

    Raises:
      InvalidArgumentError: a number is not below the product of `dims`.

    Example:
      >>> gw.unravel_index(gw.constant([2, 5]), [2, 3]).numpy().tolist()
      [[0, 1], [2, 2]]
    """
    del name
    rest = _native.convert_to_tensor(indices)
    shape = _numbers(dims)
    _native.require(_native.reduce_all(rest < _product(shape)), ("a number is out of range: ", rest))
    places = []
    for length in reversed(shape):
        places.append(_native.floormod(rest, length))
        rest = _native.floordiv(rest, length)
    return _native.stack(places[::-1])

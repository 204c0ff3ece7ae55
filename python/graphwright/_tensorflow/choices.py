"""Ops with TensorFlow's further arguments: batches of places, dtypes of positions, values of one-hot rows."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._arrays import axis_of
from .._native import Tensor
from .moves import gather_batches

__all__ = ["argmax", "argmin", "gather", "one_hot"]


def gather(
    params: Any,
    indices: Any,
    axis: int | None = None,
    batch_dims: int = 0,
    validate_indices: Any = None,
    name: str | None = None,
) -> Tensor:
    """Gathers slices along an axis.

    Args:
      params: tensor of any dtype.
      indices: whole numbers, of any shape.
      axis: axis of the places; that behind the batches if it is `None`.
      batch_dims: number of axes in front that `params` and `indices` share.
      validate_indices: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.

    Raises:
      IndexError: a place is out of range.

    Example:
      >>> gw.gather(gw.constant([10, 20, 30]), [2, 0]).numpy().tolist()
      [30, 10]
      >>> x = gw.constant([[1, 2], [3, 4]])
      >>> gw.gather(x, gw.constant([[1], [0]]), axis=1, batch_dims=1).numpy().tolist()
      [[2], [3]]
    """
    del validate_indices, name
    if not batch_dims:
        return _native.gather(params, indices, 0 if axis is None else axis)
    x, places = _native.convert_to_tensor(params), _native.convert_to_tensor(indices)
    batch = batch_dims + places.ndim if batch_dims < 0 else batch_dims
    if not 0 <= batch <= min(places.ndim, x.ndim - 1):
        raise ValueError(
            f"`batch_dims` is {batch_dims}, for {places.ndim} axes of `indices` and {x.ndim} of `params`"
        )
    at = batch if axis is None else axis_of(x, axis)
    if at < batch:
        raise ValueError(f"`axis` is {axis}, among the {batch} axes of the batch")
    return gather_batches(x, places, at, batch)


def argmax(
    input: Any, axis: int | None = None, output_type: Any = _native.int64, name: str | None = None
) -> Tensor:
    """Finds the places of the greatest elements along an axis, of equal ones the first.

    Args:
      input: tensor of numbers with at least one axis.
      axis: the axis; the first if it is `None`.
      output_type: dtype of the places.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.argmax(gw.constant([[1, 9], [7, 3]]), axis=1).numpy().tolist()
      [1, 0]
    """
    del name
    return _typed(_native.argmax(input, 0 if axis is None else axis), output_type)


def argmin(
    input: Any, axis: int | None = None, output_type: Any = _native.int64, name: str | None = None
) -> Tensor:
    """Finds the places of the least elements along an axis, of equal ones the first.

    Args:
      input: tensor of numbers with at least one axis.
      axis: the axis; the first if it is `None`.
      output_type: dtype of the places.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.argmin(gw.constant([[1, 9], [7, 3]]), axis=1).numpy().tolist()
      [0, 1]
    """
    del name
    return _typed(_native.argmin(input, 0 if axis is None else axis), output_type)


def _typed(found: Tensor, output_type: Any) -> Tensor:
    dtype = _native.as_dtype(output_type)
    return found if found.dtype == dtype else _native.cast(found, dtype)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Marks the place of each number in a row of its own.

    Args:
      indices: whole numbers, of any shape; of one that is out of range no place is marked.
      depth: length of the rows.
      on_value: the marked element; 1 if it is `None`.
      off_value: the other elements; 0 if it is `None`.
      axis: axis of the rows in the result; the last if it is `None`.
      dtype: dtype of the result; that of the values, or `float32`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with one axis more.

    Example:
      >>> gw.one_hot(gw.constant([1, 0]), 2).numpy().tolist()
      [[0.0, 1.0], [1.0, 0.0]]
      >>> gw.one_hot(gw.constant([1, 0]), 3, on_value=5, off_value=-1, axis=0).numpy().tolist()
      [[-1, 5], [5, -1], [-1, -1]]
    """
    del name
    at = -1 if axis is None else axis
    if on_value is None and off_value is None and at == -1:
        return _native.one_hot(indices, depth, dtype=dtype)
    given = [_native.convert_to_tensor(one) for one in (on_value, off_value) if one is not None]
    usual = given[0].dtype if given else _native.float32
    wanted = usual if dtype is None else _native.as_dtype(dtype)
    on = _native.cast(1 if on_value is None else on_value, wanted)
    off = _native.cast(0 if off_value is None else off_value, wanted)
    return _native.where(_marked(_native.convert_to_tensor(indices), depth, at), on, off)


def _marked(numbers: Tensor, depth: Any, axis: int) -> Tensor:
    """One-hot rows along an axis, as truth values."""
    at = axis if axis >= 0 else axis + numbers.ndim + 1
    if not 0 <= at <= numbers.ndim:
        raise ValueError(f"`axis` is {axis}, for a result with {numbers.ndim + 1} axes")
    row = _native.range(_native.cast(depth, numbers.dtype))
    known = [depth] if isinstance(depth, int) else [_native.shape(row)[0]]
    places = _native.reshape(row, [1] * at + known + [1] * (numbers.ndim - at))
    return _native.equal(_native.expand_dims(numbers, at), places)

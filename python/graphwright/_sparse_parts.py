"""Parts of sparse tensors: blocks, other shapes, greatest elements, and probabilities of rows."""

from __future__ import annotations

from typing import Any

from . import _native
from ._masks import boolean_mask
from ._native import Tensor


def _made(indices: Any, values: Any, shape: Any) -> Any:
    from .sparse import SparseTensor

    return SparseTensor(indices, values, shape)


def reduce_max(
    sp_input: Any,
    axis: int | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Takes the greatest of the elements that are stored along an axis, or of all.

    Args:
      sp_input: `gw.SparseTensor`.
      axis: the axis; all of them if it is `None`.
      keepdims: whether the axis stays, with length 1.
      output_is_sparse: `False`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the axis; 0 where nothing is stored.

    Raises:
      ValueError: there is no such axis, or a sparse result is asked for.

    Example:
      >>> gw.sparse.reduce_max(gw.SparseTensor([[0, 1], [1, 0]], [-5, 6], [3, 2]), 1).numpy().tolist()
      [-5, 6, 0]
    """
    from .sparse import _axis, _places, _rank

    del name
    if output_is_sparse:
        raise ValueError("`output_is_sparse=True` is absent: use `gw.sparse.from_dense` of the result")
    count = _rank(sp_input)
    at = None if axis is None else _axis(axis, count)
    if at is None or count == 1:
        greatest = _native.reduce_max(sp_input.values)
        return _native.reshape(greatest, [1] * count) if keepdims else greatest
    every = _places(sp_input)
    kept = [one for one in range(count) if one != at]
    places = _native.stack([every[:, one] for one in kept], 1)
    lengths = [sp_input.dense_shape[one] for one in kept]
    least = _native.fill(lengths, _native.constant(sp_input.dtype.min, sp_input.dtype))
    found = _native.tensor_scatter_nd_max(least, places, sp_input.values)
    stored = _native.tensor_scatter_nd_add(
        _native.zeros(lengths, _native.int32), places, _native.ones_like(sp_input.values, _native.int32)
    )
    found = _native.where(stored > 0, found, _native.zeros_like(found))
    return _native.expand_dims(found, at) if keepdims else found


def expand_dims(sp_input: Any, axis: int | None = None, name: str | None = None) -> Any:
    """Adds an axis of length 1.

    Args:
      sp_input: `gw.SparseTensor`.
      axis: place of the axis; behind the others if it is `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.SparseTensor`.

    Raises:
      ValueError: there is no such place.

    Example:
      >>> gw.sparse.expand_dims(gw.SparseTensor([[1]], [5], [3]), 0).indices.numpy().tolist()
      [[0, 1]]
    """
    from .sparse import _rank

    del name
    count = _rank(sp_input)
    at = -1 if axis is None else axis
    if not -count - 1 <= at <= count:
        raise ValueError(f"`axis` is {axis}: a sparse tensor with {count} axes has {count + 1} places")
    at = at % (count + 1)
    zeros, one = _native.zeros_like(sp_input.indices[:, :1]), _native.ones_like(sp_input.dense_shape[:1])
    indices = _native.concat([sp_input.indices[:, :at], zeros, sp_input.indices[:, at:]], 1)
    shape = _native.concat([sp_input.dense_shape[:at], one, sp_input.dense_shape[at:]], 0)
    return _made(indices, sp_input.values, shape)


def retain(sp_input: Any, to_retain: Any) -> Any:
    """Keeps some of the elements.

    Args:
      sp_input: `gw.SparseTensor`.
      to_retain: vector of `bool`, true at the elements that stay.

    Returns:
      `gw.SparseTensor` of the same shape.

    Example:
      >>> gw.sparse.retain(gw.SparseTensor([[0], [2]], [5, 6], [3]), [False, True]).values.numpy().tolist()
      [6]
    """
    kept = _native.convert_to_tensor(to_retain)
    return _made(
        boolean_mask(sp_input.indices, kept), boolean_mask(sp_input.values, kept), sp_input.dense_shape
    )


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> Any:
    """Takes a block.

    Args:
      sp_input: `gw.SparseTensor`.
      start: place of the block along each axis.
      size: lengths of the block, which ends where the tensor does.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.SparseTensor`.

    Example:
      >>> gw.sparse.slice(gw.SparseTensor([[0], [2]], [5, 6], [3]), [1], [2]).indices.numpy().tolist()
      [[1]]
    """
    del name
    first = _native.cast(_native.convert_to_tensor(start), _native.int64)
    lengths = _native.cast(_native.convert_to_tensor(size), _native.int64)
    shape = _native.maximum(_native.minimum(lengths, sp_input.dense_shape - first), 0)
    places = sp_input.indices - first
    inside = _native.reduce_all(_native.logical_and(places >= 0, places < shape), 1)
    return _made(boolean_mask(places, inside), boolean_mask(sp_input.values, inside), shape)


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> Any:
    """Gives a sparse tensor another shape.

    Args:
      sp_input: `gw.SparseTensor`.
      shape: lengths of the result; one of them may be -1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.SparseTensor` of the same elements.

    Raises:
      InvalidArgumentError: the shape has another number of places.

    Example:
      >>> x = gw.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 3])
      >>> gw.sparse.reshape(x, [3, -1]).indices.numpy().tolist()
      [[0, 1], [1, 1]]
    """
    from .sparse import _numbers

    del name
    wanted = _native.cast(_native.convert_to_tensor(shape), _native.int64)
    total = _native.reduce_prod(sp_input.dense_shape)
    known = _native.reduce_prod(_native.where(wanted < 0, 1, wanted))
    wanted = _native.where(wanted < 0, _native.floordiv(total, _native.maximum(known, 1)), wanted)
    fits = _native.equal(_native.reduce_prod(wanted), total)
    _native.require(fits, ("the shape ", wanted, " has another number of places than ", sp_input.dense_shape))
    number = _numbers(sp_input)
    places = []
    for axis in range((wanted.shape[0] or 0) - 1, -1, -1):
        places.append(_native.floormod(number, wanted[axis]))
        number = _native.floordiv(number, wanted[axis])
    return _made(_native.stack(places[::-1], 1), sp_input.values, wanted)


def softmax(sp_input: Any, name: str | None = None) -> Any:
    """Computes probabilities of the elements that are stored, row by row along the last axis.

    Args:
      sp_input: `gw.SparseTensor` of floats.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.SparseTensor` at the same places.

    Example:
      >>> gw.sparse.softmax(gw.SparseTensor([[0, 0], [0, 2]], [1.0, 1.0], [1, 3])).values.numpy().tolist()
      [0.5, 0.5]
    """
    from ._tensorflow.segments import unsorted_segment_max, unsorted_segment_sum
    from .sparse import _numbers

    del name
    last = sp_input.dense_shape[-1]
    rows = _native.floordiv(_numbers(sp_input), _native.maximum(last, 1))
    count = _native.reduce_prod(sp_input.dense_shape[:-1])
    values = sp_input.values
    most = _native.stop_gradient(unsorted_segment_max(values, rows, count))
    powers = _native.exp(values - _native.gather(most, rows))
    found = powers / _native.gather(unsorted_segment_sum(powers, rows, count), rows)
    return _made(sp_input.indices, found, sp_input.dense_shape)

"""Tensors of which few elements are not zero: places, elements and the shape."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import _native
from ._arrays import lengths
from ._native import Tensor

__all__ = [
    "SparseTensor",
    "add",
    "concat",
    "eye",
    "from_dense",
    "map_values",
    "reduce_sum",
    "reorder",
    "sparse_dense_matmul",
    "to_dense",
    "transpose",
]


@dataclasses.dataclass(frozen=True, eq=False)
class SparseTensor:
    """A tensor that is zero but for the elements at given places.

    It is a structure of three tensors, which functions take, return and derive as any other.

    Args:
      indices: places, `(n, axes)`, whole numbers.
      values: the `n` elements.
      dense_shape: lengths of the axes.

    Example:
      >>> x = gw.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])
      >>> gw.sparse.to_dense(x).numpy().tolist()
      [[0, 5], [6, 0]]
    """

    indices: Any
    values: Any
    dense_shape: Any

    def __post_init__(self) -> None:
        """Makes tensors of what is given."""
        for field, dtype in (("indices", _native.int64), ("values", None), ("dense_shape", _native.int64)):
            given = getattr(self, field)
            if isinstance(given, (list, tuple)) or hasattr(given, "__array__"):
                object.__setattr__(self, field, _native.convert_to_tensor(given, dtype))

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.values.dtype

    @property
    def shape(self) -> Any:
        """Lengths of the axes, where they are known."""
        from ._shape import TensorShape

        if _native.is_staged(self.dense_shape):
            return TensorShape([None] * (self.dense_shape.shape[0] or 0))
        return TensorShape(self.dense_shape.numpy().tolist())


def to_dense(
    sp_input: SparseTensor, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """Makes a tensor with all its elements.

    Args:
      sp_input: `gw.SparseTensor`.
      default_value: the other elements; 0 if it is `None`.
      validate_indices: accepted as in TensorFlow; places out of range always fail.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor; its lengths are known when the graph runs.

    Example:
      >>> gw.sparse.to_dense(gw.SparseTensor([[0], [2]], [5, 6], [3])).numpy().tolist()
      [5, 0, 6]
    """
    del validate_indices, name
    usual = ("" if sp_input.dtype == _native.string else 0) if default_value is None else default_value
    count = sp_input.dense_shape.shape[0] or 0
    whole = [sp_input.dense_shape[at] for at in range(count)]
    if not _native.is_staged(sp_input.dense_shape):
        whole = sp_input.dense_shape.numpy().tolist()
    start = _native.fill(whole, _native.constant(usual, sp_input.dtype))
    return _native.tensor_scatter_nd_update(start, sp_input.indices, sp_input.values)


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Takes the elements that are not zero.

    Args:
      tensor: tensor of any dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.SparseTensor`.

    Example:
      >>> gw.sparse.from_dense([[0, 5], [6, 0]]).values.numpy().tolist()
      [5, 6]
    """
    del name
    x = _native.convert_to_tensor(tensor)
    places = _native.where(_native.not_equal(x, _native.zeros_like(x)))
    shape = _native.shape(x, _native.int64)
    return SparseTensor(places, _native.gather_nd(x, places), shape)


def sparse_dense_matmul(
    sp_a: SparseTensor, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """Multiplies a matrix of few elements by another one.

    Args:
      sp_a: `gw.SparseTensor` with two axes.
      b: tensor `(n, k)`.
      adjoint_a: whether to transpose the first.
      adjoint_b: whether to transpose the second.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(m, k)`.

    Example:
      >>> x = gw.SparseTensor([[0, 1], [1, 0]], [5.0, 6.0], [2, 2])
      >>> gw.sparse.sparse_dense_matmul(x, gw.constant([[1.0], [2.0]])).numpy().tolist()
      [[10.0], [6.0]]
    """
    del name
    right = _native.convert_to_tensor(b)
    right = _native.transpose(right) if adjoint_b else right
    row, column = (
        (sp_a.indices[:, 1], sp_a.indices[:, 0]) if adjoint_a else (sp_a.indices[:, 0], sp_a.indices[:, 1])
    )
    count = sp_a.dense_shape[1 if adjoint_a else 0]
    parts = _native.expand_dims(sp_a.values, 1) * _native.gather(right, column)
    start = _native.zeros([count, lengths(right)[1]], parts.dtype)
    return _native.tensor_scatter_nd_add(start, _native.expand_dims(row, 1), parts)


def reduce_sum(
    sp_input: SparseTensor, axis: int | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Sums elements along an axis, or all of them.

    Args:
      sp_input: `gw.SparseTensor`.
      axis: the axis; all of them if it is `None`.
      keepdims: whether the axis stays, with length 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.sparse.reduce_sum(gw.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2]), 0).numpy().tolist()
      [6, 5]
    """
    del name
    count = sp_input.dense_shape.shape[0] or 0
    if axis is None:
        total = _native.reduce_sum(sp_input.values)
        return _native.reshape(total, [1] * count) if keepdims else total
    at = axis % count
    kept = [one for one in range(count) if one != at]
    places = _native.stack([sp_input.indices[:, one] for one in kept], 1)
    start = _native.zeros([sp_input.dense_shape[one] for one in kept], sp_input.dtype)
    found = _native.tensor_scatter_nd_add(start, places, sp_input.values)
    return _native.expand_dims(found, at) if keepdims else found


def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Sorts elements by their places, row by row.

    Args:
      sp_input: `gw.SparseTensor`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.SparseTensor`.

    Example:
      >>> gw.sparse.reorder(gw.SparseTensor([[1, 0], [0, 1]], [6, 5], [2, 2])).values.numpy().tolist()
      [5, 6]
    """
    del name
    number = sp_input.indices[:, 0]
    for axis in range(1, sp_input.dense_shape.shape[0] or 0):
        number = number * sp_input.dense_shape[axis] + sp_input.indices[:, axis]
    order = _native.argsort(number, stable=True)
    return SparseTensor(
        _native.gather(sp_input.indices, order), _native.gather(sp_input.values, order), sp_input.dense_shape
    )


def transpose(sp_input: SparseTensor, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Puts the axes into another order.

    Args:
      sp_input: `gw.SparseTensor`.
      perm: order of the axes; the reverse if it is `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.SparseTensor`.

    Example:
      >>> gw.sparse.transpose(gw.SparseTensor([[0, 2]], [5], [2, 3])).dense_shape.numpy().tolist()
      [3, 2]
    """
    del name
    order = _native.constant(
        list(perm) if perm is not None else list(range(sp_input.dense_shape.shape[0] or 0))[::-1]
    )
    moved = SparseTensor(
        _native.gather(sp_input.indices, order, axis=1),
        sp_input.values,
        _native.gather(sp_input.dense_shape, order),
    )
    return reorder(moved)


def add(a: SparseTensor, b: Any, name: str | None = None) -> Any:
    """Adds a tensor of few elements and a tensor.

    Args:
      a: `gw.SparseTensor`.
      b: tensor of the same shape, or another `gw.SparseTensor`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor; of two sparse ones a `gw.SparseTensor`.

    Example:
      >>> gw.sparse.add(gw.SparseTensor([[1]], [5], [2]), gw.constant([1, 1])).numpy().tolist()
      [1, 6]
    """
    del name
    if isinstance(b, SparseTensor):
        return from_dense(_native.add(to_dense(a), to_dense(b)))
    return _native.tensor_scatter_nd_add(_native.convert_to_tensor(b), a.indices, a.values)


def map_values(op: Any, *args: Any, **kwargs: Any) -> SparseTensor:
    """Calls a function of the elements.

    Args:
      op: function of tensors.
      args: sparse tensors with the same places, and other operands.
      kwargs: further arguments.

    Returns:
      `gw.SparseTensor` with the same places.

    Example:
      >>> gw.sparse.map_values(gw.square, gw.SparseTensor([[1]], [5], [2])).values.numpy().tolist()
      [25]
    """
    found = next((one for one in args if isinstance(one, SparseTensor)), None)
    if found is None:
        raise ValueError("no operand of `map_values` is a sparse tensor")
    values = op(*[one.values if isinstance(one, SparseTensor) else one for one in args], **kwargs)
    return SparseTensor(found.indices, values, found.dense_shape)


def eye(
    num_rows: int, num_columns: int | None = None, dtype: Any = _native.float32, name: str | None = None
) -> SparseTensor:
    """Returns an identity matrix.

    Args:
      num_rows: number of rows.
      num_columns: number of columns; that of rows if it is `None`.
      dtype: dtype of the elements.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.SparseTensor`.

    Example:
      >>> gw.sparse.to_dense(gw.sparse.eye(2)).numpy().tolist()
      [[1.0, 0.0], [0.0, 1.0]]
    """
    del name
    columns = num_rows if num_columns is None else num_columns
    place = _native.range(_native.constant(min(num_rows, columns), _native.int64))
    return SparseTensor(
        _native.stack([place, place], 1), _native.ones_like(place, dtype), [num_rows, columns]
    )


def concat(axis: int, sp_inputs: Any, name: str | None = None) -> SparseTensor:
    """Joins tensors along an axis.

    Args:
      axis: the axis.
      sp_inputs: list of `gw.SparseTensor` of one shape but for the axis.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.SparseTensor`.

    Example:
      >>> one = gw.sparse.eye(2)
      >>> gw.sparse.to_dense(gw.sparse.concat(1, [one, one])).numpy().tolist()
      [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
    """
    del name
    parts = list(sp_inputs)
    count = parts[0].dense_shape.shape[0] or 0
    along = _native.one_hot(axis % count, count, dtype=_native.int64)
    places, before = [], _native.zeros_like(parts[0].dense_shape)
    for part in parts:
        same = _native.equal(part.dense_shape * (1 - along), parts[0].dense_shape * (1 - along))
        _native.require(_native.reduce_all(same), ("tensors of other shapes are joined: ", part.dense_shape))
        places.append(part.indices + before)
        before = before + part.dense_shape * along
    values = _native.concat([part.values for part in parts], 0)
    joined = SparseTensor(_native.concat(places, 0), values, parts[0].dense_shape * (1 - along) + before)
    return reorder(joined)

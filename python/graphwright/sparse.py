"""Tensors of which few elements are not zero: places, elements and the shape."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import _native
from ._arrays import lengths
from ._native import Tensor
from ._sparse_parts import expand_dims, reduce_max, reshape, retain, slice, softmax

__all__ = [
    "SparseTensor",
    "add",
    "concat",
    "expand_dims",
    "eye",
    "from_dense",
    "map_values",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reshape",
    "retain",
    "slice",
    "softmax",
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

    Raises:
      ValueError: the three do not fit each other.

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
        if all(isinstance(one, Tensor) for one in (self.indices, self.values, self.dense_shape)):
            self._check()

    def _check(self) -> None:
        """Refuses places, elements and lengths that do not fit each other, where their shapes are known."""
        shapes = [tuple(one.shape) for one in (self.indices, self.values, self.dense_shape)]
        fits = [len(shape) for shape in shapes] == [2, 1, 1]
        if fits:
            (count, axes), (elements,), (given,) = shapes
            fits = all(None in pair or pair[0] == pair[1] for pair in ((count, elements), (axes, given)))
        if not fits:
            raise ValueError(
                "a sparse tensor has `indices` of (n, axes), `values` of (n,) and `dense_shape` of (axes,), "
                f"not {shapes[0]}, {shapes[1]} and {shapes[2]}"
            )

    #: Arrays leave operators with sparse tensors to these, which have none.
    __array_ufunc__ = None

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise TypeError(
            f"`np.{func.__name__}` takes no sparse tensor: use `gw.sparse`, or give `gw.sparse.to_dense(x)`"
        )

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


def _rank(x: SparseTensor) -> int:
    """The number of axes."""
    return x.dense_shape.shape[0] or 0


def _axis(axis: int, count: int) -> int:
    """An axis counted from 0."""
    if not -count <= axis < count:
        raise ValueError(
            f"`axis` is {axis}: a sparse tensor with {count} axes has axes -{count} to {count - 1}"
        )
    return axis % count


def _places(x: SparseTensor) -> Tensor:
    """The places of the elements, each of which is one of the shape."""
    inside = _native.logical_and(x.indices >= 0, x.indices < x.dense_shape)
    message = "a place of a sparse tensor is out of its shape: "
    _native.require(_native.reduce_all(inside), (message, x.indices, " of ", x.dense_shape))
    places: Tensor = x.indices
    return places


def _numbers(x: SparseTensor) -> Tensor:
    """The number of each place, counted row by row."""
    places = _places(x)
    number = _native.zeros_like(places[:, 0]) if _rank(x) else _native.zeros_like(x.values, _native.int64)
    for axis in range(_rank(x)):
        number = number * x.dense_shape[axis] + places[:, axis]
    return number


def to_dense(
    sp_input: SparseTensor, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """Makes a tensor with all its elements.

    Args:
      sp_input: `gw.SparseTensor`.
      default_value: the other elements; 0 if it is `None`.
      validate_indices: whether to look if the places ascend row by row, each once. Places out of range always
        fail; of elements at one place the last one stays.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor; its lengths are known when the graph runs.

    Raises:
      InvalidArgumentError: a place is out of range, or not behind the one before it.

    Example:
      >>> gw.sparse.to_dense(gw.SparseTensor([[0], [2]], [5, 6], [3])).numpy().tolist()
      [5, 0, 6]
    """
    del name
    numbers = _numbers(sp_input)
    if validate_indices:
        message = "the places of a sparse tensor do not ascend, each once (`gw.sparse.reorder` sorts them): "
        _native.require(_native.reduce_all(numbers[1:] > numbers[:-1]), (message, sp_input.indices))
    usual = ("" if sp_input.dtype == _native.string else 0) if default_value is None else default_value
    whole = [sp_input.dense_shape[at] for at in range(_rank(sp_input))]
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

    Raises:
      ValueError: one of them is no matrix.
      InvalidArgumentError: the number of columns of the first is not that of the second's rows.

    Example:
      >>> x = gw.SparseTensor([[0, 1], [1, 0]], [5.0, 6.0], [2, 2])
      >>> gw.sparse.sparse_dense_matmul(x, gw.constant([[1.0], [2.0]])).numpy().tolist()
      [[10.0], [6.0]]
    """
    del name
    right = _native.convert_to_tensor(b)
    if _rank(sp_a) != 2 or right.ndim != 2:
        raise ValueError(f"matrices have two axes, not {_rank(sp_a)} and {right.ndim}")
    right = _native.transpose(right) if adjoint_b else right
    across, along = (1, 0) if adjoint_a else (0, 1)
    places = _places(sp_a)
    row, column = places[:, across], places[:, along]
    count, rows = sp_a.dense_shape[across], _native.cast(lengths(right)[0], _native.int64)
    message = "a matrix meets one with another number of rows than it has columns: "
    _native.require(
        _native.equal(sp_a.dense_shape[along], rows), (message, rows, " and ", sp_a.dense_shape[along])
    )
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

    Raises:
      ValueError: there is no such axis.

    Example:
      >>> gw.sparse.reduce_sum(gw.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2]), 0).numpy().tolist()
      [6, 5]
    """
    del name
    count = _rank(sp_input)
    at = None if axis is None else _axis(axis, count)
    if at is None or count == 1:
        total = _native.reduce_sum(sp_input.values)
        return _native.reshape(total, [1] * count) if keepdims else total
    every = _places(sp_input)
    kept = [one for one in range(count) if one != at]
    places = _native.stack([every[:, one] for one in kept], 1)
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
    order = _native.argsort(_numbers(sp_input), stable=True)
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

    Raises:
      ValueError: `perm` does not name each axis once.

    Example:
      >>> gw.sparse.transpose(gw.SparseTensor([[0, 2]], [5], [2, 3])).dense_shape.numpy().tolist()
      [3, 2]
    """
    del name
    axes = list(range(_rank(sp_input)))
    wanted = axes[::-1] if perm is None else [int(axis) for axis in perm]
    if sorted(wanted) != axes:
        raise ValueError(f"`perm` is {wanted}: it names each of the axes {axes} once")
    order = _native.constant(wanted)
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

    Raises:
      InvalidArgumentError: the shapes differ.

    Example:
      >>> gw.sparse.add(gw.SparseTensor([[1]], [5], [2]), gw.constant([1, 1])).numpy().tolist()
      [1, 6]
    """
    del name
    if isinstance(b, SparseTensor):
        _same_shape(a, b.dense_shape)
        return from_dense(_native.add(to_dense(a), to_dense(b)))
    other = _native.convert_to_tensor(b)
    _same_shape(a, _native.shape(other, _native.int64))
    return _native.tensor_scatter_nd_add(other, _places(a), a.values)


def _same_shape(a: SparseTensor, lengths: Tensor) -> None:
    """Refuses a second operand of another shape."""
    if lengths.shape[0] != _rank(a):
        raise ValueError(f"a sparse tensor with {_rank(a)} axes meets an operand with {lengths.shape[0]}")
    same = _native.reduce_all(_native.equal(a.dense_shape, lengths))
    _native.require(
        same, ("a sparse tensor meets an operand of another shape: ", a.dense_shape, " and ", lengths)
    )


def map_values(op: Any, *args: Any, **kwargs: Any) -> SparseTensor:
    """Calls a function of the elements.

    Args:
      op: function of tensors.
      args: sparse tensors with the same places, and other operands.
      kwargs: further arguments.

    Returns:
      `gw.SparseTensor` with the same places.

    Raises:
      InvalidArgumentError: sparse tensors have other places.

    Example:
      >>> gw.sparse.map_values(gw.square, gw.SparseTensor([[1]], [5], [2])).values.numpy().tolist()
      [25]
    """
    given = [one for one in args if isinstance(one, SparseTensor)]
    if not given:
        raise ValueError("no operand of `map_values` is a sparse tensor")
    found = given[0]
    for other in given[1:]:
        _same_places(found, other)
    values = op(*[one.values if isinstance(one, SparseTensor) else one for one in args], **kwargs)
    return SparseTensor(found.indices, values, found.dense_shape)


def _same_places(a: SparseTensor, b: SparseTensor) -> None:
    """Refuses elements at other places."""
    _same_shape(a, b.dense_shape)
    count, other = (_native.shape(one.values, _native.int64)[0] for one in (a, b))
    message = "sparse tensors have elements at other places: "
    _native.require(_native.equal(count, other), (message, a.indices, " and ", b.indices))
    same = _native.reduce_all(_native.equal(a.indices, b.indices))
    _native.require(same, (message, a.indices, " and ", b.indices))


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
    count = _rank(parts[0])
    along = _native.one_hot(_axis(axis, count), count, dtype=_native.int64)
    places, before = [], _native.zeros_like(parts[0].dense_shape)
    for part in parts:
        same = _native.equal(part.dense_shape * (1 - along), parts[0].dense_shape * (1 - along))
        _native.require(_native.reduce_all(same), ("tensors of other shapes are joined: ", part.dense_shape))
        places.append(part.indices + before)
        before = before + part.dense_shape * along
    values = _native.concat([part.values for part in parts], 0)
    joined = SparseTensor(_native.concat(places, 0), values, parts[0].dense_shape * (1 - along) + before)
    return reorder(joined)

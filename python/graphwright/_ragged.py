"""Rows of different lengths as one value."""

from __future__ import annotations

import builtins
import dataclasses
import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _native
from ._arrays import lengths
from ._native import Tensor
from ._running import cumsum
from ._tensorflow.segments import (
    unsorted_segment_sum,
)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class RaggedTensor:
    """Rows of different lengths: `values[row_splits[i]:row_splits[i + 1]]` is row `i`.

    It is a structure of two tensors, which functions take, return and derive as any other.

    Args:
      values: the slices of all rows, one row after the other.
      row_splits: `int64` tensor, where each row begins, and the end of the last.

    Example:
      >>> rows = gw.ragged.constant([[1, 2], [], [3]])
      >>> rows.to_list(), gw.reduce_sum(rows.values).item()
      ([[1, 2], [], [3]], 6)
    """

    values: Any
    row_splits: Any

    @staticmethod
    def from_row_splits(
        values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Makes rows of their elements and places.

        Args:
          values: tensor of the slices of all rows.
          row_splits: where each row begins, and the end of the last.
          name: accepted as in TensorFlow; has no effect.
          validate: whether to look if the places ascend from 0 to the number of slices.

        Returns:
          `gw.RaggedTensor`.

        Raises:
          InvalidArgumentError: the places do not ascend, or do not end at the end.

        Example:
          >>> gw.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]).to_list()
          [[1, 2], [], [3]]
        """
        del name
        whole = values if isinstance(values, RaggedTensor) else _native.convert_to_tensor(values)
        splits = _native.cast(_native.convert_to_tensor(row_splits), _native.int64)
        if validate:
            count = _native.cast(_count(whole), _native.int64)
            sound = _native.reduce_all(splits[1:] >= splits[:-1])
            ends = _native.logical_and(_native.equal(splits[0], 0), _native.equal(splits[-1], count))
            _native.require(
                _native.logical_and(sound, ends), ("`row_splits` do not ascend from 0 to the end: ", splits)
            )
        return RaggedTensor(whole, splits)

    @staticmethod
    def from_row_lengths(
        values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Makes rows of their elements and lengths.

        Args:
          values: tensor of the slices of all rows.
          row_lengths: number of slices of each row.
          name: accepted as in TensorFlow; has no effect.
          validate: whether to look if the lengths fit.

        Returns:
          `gw.RaggedTensor`.

        Example:
          >>> gw.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]).to_list()
          [[1, 2], [], [3]]
        """
        counts = _native.cast(_native.convert_to_tensor(row_lengths), _native.int64)
        splits = _native.concat([_native.zeros([1], _native.int64), cumsum(counts)], 0)
        return RaggedTensor.from_row_splits(values, splits, name, validate)

    @staticmethod
    def from_value_rowids(
        values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Makes rows of their elements and the number of the row of each.

        Args:
          values: tensor of the slices of all rows.
          value_rowids: ascending numbers of rows.
          nrows: number of rows; one more than the greatest number if it is `None`.
          name: accepted as in TensorFlow; has no effect.
          validate: whether to look if the numbers ascend and are as many as the slices.

        Returns:
          `gw.RaggedTensor`.

        Raises:
          InvalidArgumentError: the numbers do not ascend, or not each slice has one.

        Example:
          >>> gw.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2]).to_list()
          [[1, 2], [], [3]]
        """
        ids = _native.cast(_native.convert_to_tensor(value_rowids), _native.int64)
        if validate:
            ascend = _native.reduce_all(ids[1:] >= ids[:-1])
            _native.require(ascend, ("`value_rowids` do not ascend: ", ids))
        none = _native.constant([-1], _native.int64)
        count = _native.reduce_max(_native.concat([ids, none], 0)) + 1 if nrows is None else nrows
        return RaggedTensor.from_row_lengths(
            values, unsorted_segment_sum(_native.ones_like(ids), ids, count), name, validate
        )

    @staticmethod
    def from_tensor(tensor: Any, padding: Any = None, name: str | None = None) -> RaggedTensor:
        """Makes rows of a tensor, without the padding at their ends.

        Args:
          tensor: tensor `(rows, length, …)`.
          padding: element that does not count at the end of a row.
          name: accepted as in TensorFlow; has no effect.

        Returns:
          `gw.RaggedTensor`.

        Example:
          >>> gw.RaggedTensor.from_tensor([[1, 2], [3, 0]], padding=0).to_list()
          [[1, 2], [3]]
        """
        del name
        x = _native.convert_to_tensor(tensor)
        rows, length = lengths(x)[:2]
        places = _native.range(1, _native.cast(length, _native.int64) + 1)
        if padding is None:
            counts = _native.zeros([rows], _native.int64) + _native.cast(length, _native.int64)
        else:
            kept = _native.where(_native.not_equal(x, padding), places, _native.zeros_like(places))
            counts = _native.reduce_max(_native.concat([kept, _native.zeros([rows, 1], _native.int64)], 1), 1)
        mask = places <= _native.expand_dims(counts, 1)
        return RaggedTensor.from_row_lengths(x[mask], counts, validate=False)

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.values.dtype

    @property
    def flat_values(self) -> Tensor:
        """The elements without any rows."""
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def ragged_rank(self) -> int:
        """The number of axes whose lengths vary."""
        return 1 + (self.values.ragged_rank if isinstance(self.values, RaggedTensor) else 0)

    @property
    def shape(self) -> Any:
        """Lengths of the axes; `None` where they vary."""
        from ._shape import TensorShape

        count = self.row_splits.shape[0]
        return TensorShape([None if count is None else count - 1, None, *self.values.shape[1:]])

    def nrows(self) -> Tensor:
        """Counts the rows.

        Returns:
          `int64` scalar.

        Example:
          >>> gw.ragged.constant([[1, 2], []]).nrows().item()
          2
        """
        return _native.shape(self.row_splits, _native.int64)[0] - 1

    def row_lengths(self, axis: int = 1) -> Tensor:
        """Counts the slices of each row.

        Args:
          axis: 1.

        Returns:
          `int64` tensor.

        Example:
          >>> gw.ragged.constant([[1, 2], []]).row_lengths().numpy().tolist()
          [2, 0]
        """
        if axis != 1:
            raise ValueError(f"`axis` is {axis}: lengths of rows are those of axis 1")
        found: Tensor = self.row_splits[1:] - self.row_splits[:-1]
        return found

    def value_rowids(self) -> Tensor:
        """Gives the number of the row of each slice.

        Returns:
          `int64` tensor.

        Example:
          >>> gw.ragged.constant([[1, 2], [], [3]]).value_rowids().numpy().tolist()
          [0, 0, 2]
        """
        places = _native.range(_native.cast(_count(self.values), _native.int64))
        before = self.row_splits[1:-1] <= _native.expand_dims(places, 1)
        return _native.reduce_sum(_native.cast(before, _native.int64), 1)

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Makes rows of the same lengths of other elements.

        Args:
          new_values: as many slices.

        Returns:
          `gw.RaggedTensor`.

        Example:
          >>> rows = gw.ragged.constant([[1, 2], [3]])
          >>> rows.with_values(rows.values * 10).to_list()
          [[10, 20], [30]]
        """
        return RaggedTensor.from_row_splits(new_values, self.row_splits)

    def to_tensor(self, default_value: Any = None, name: str | None = None) -> Tensor:
        """Fills rows up to one length.

        Args:
          default_value: the element that is filled in; 0 if it is `None`.
          name: accepted as in TensorFlow; has no effect.

        Returns:
          Tensor `(rows, length, …)`.

        Example:
          >>> gw.ragged.constant([[1, 2], [], [3]]).to_tensor().numpy().tolist()
          [[1, 2], [0, 0], [3, 0]]
        """
        del name
        inner = self.values.to_tensor(default_value) if isinstance(self.values, RaggedTensor) else self.values
        counts = self.row_lengths()
        most = _native.maximum(
            _native.reduce_max(_native.concat([counts, _native.zeros([1], counts.dtype)], 0)), 0
        )
        ids = self.value_rowids()
        place = _native.range(_native.shape(ids, _native.int64)[0]) - _native.gather(self.row_splits, ids)
        usual = ("" if inner.dtype == _native.string else 0) if default_value is None else default_value
        filler = _native.constant(usual, inner.dtype) if not isinstance(usual, Tensor) else usual
        start = _native.fill([self.nrows(), most, *lengths(inner)[1:]], filler)
        return _native.tensor_scatter_nd_update(start, _native.stack([ids, place], 1), inner)

    def to_list(self) -> list[Any]:
        """Gives the rows as lists.

        Returns:
          list of lists.

        Example:
          >>> gw.ragged.constant([[1, 2], []]).to_list()
          [[1, 2], []]
        """
        inner = (
            self.values.to_list() if isinstance(self.values, RaggedTensor) else self.values.numpy().tolist()
        )
        splits = self.row_splits.numpy().tolist()
        return [inner[first:last] for first, last in itertools.pairwise(splits)]

    def numpy(self) -> Any:
        """Gives the rows as arrays.

        Returns:
          NumPy array of objects, an array for each row.

        Example:
          >>> gw.ragged.constant([[1, 2], []]).numpy()[0].tolist()
          [1, 2]
        """
        found = np.empty(int(self.nrows()), object)
        found[:] = [np.array(row) for row in self.to_list()]
        return found

    def __len__(self) -> int:
        return int(self.nrows())

    def __iter__(self) -> Iterator[Any]:
        return (self[at] for at in builtins.range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        """A row, or rows; behind a row, its elements."""
        first, *rest = key if isinstance(key, tuple) else (key,)
        if isinstance(first, slice):
            if first.step not in (None, 1) or rest:
                raise ValueError(
                    "rows of a ragged tensor are sliced along the first axis, one after the other"
                )
            splits = self.row_splits
            begin, end, _ = first.indices(len(self))
            part = splits[begin : max(begin, end) + 1]
            return RaggedTensor(self.values[part[0] : part[-1]], part - part[0])
        if isinstance(first, (RaggedTensor, list, type(None), type(...))) or np.ndim(first) != 0:
            raise TypeError(
                "a row of a ragged tensor is named by one number; masks are for `gw.ragged.boolean_mask`"
            )
        # Both have an element for each row, so that a number out of range fails as it does for a tensor.
        row = self.values[self.row_splits[:-1][first] : self.row_splits[1:][first]]
        return row[tuple(rest)] if rest else row

    def __repr__(self) -> str:
        shown = self.to_list() if not _native.is_staged(self.row_splits) else "…"
        return f"<gw.RaggedTensor {shown}>"

    #: Arrays leave operators with ragged tensors to these.
    __array_ufunc__ = None

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise TypeError(f"`np.{func.__name__}` takes no ragged tensor: give its elements, `x.flat_values`")

    def __bool__(self) -> bool:
        raise TypeError(
            "a ragged tensor is neither true nor false: reduce its elements, `gw.reduce_all(x.flat_values)`"
        )

    def __add__(self, other: Any) -> RaggedTensor:
        return _combined(operator.add, self, other)

    def __radd__(self, other: Any) -> RaggedTensor:
        return _combined(operator.add, other, self)

    def __sub__(self, other: Any) -> RaggedTensor:
        return _combined(operator.sub, self, other)

    def __rsub__(self, other: Any) -> RaggedTensor:
        return _combined(operator.sub, other, self)

    def __mul__(self, other: Any) -> RaggedTensor:
        return _combined(operator.mul, self, other)

    def __rmul__(self, other: Any) -> RaggedTensor:
        return _combined(operator.mul, other, self)

    def __truediv__(self, other: Any) -> RaggedTensor:
        return _combined(operator.truediv, self, other)

    def __gt__(self, other: Any) -> RaggedTensor:
        return _combined(operator.gt, self, other)

    def __ge__(self, other: Any) -> RaggedTensor:
        return _combined(operator.ge, self, other)

    def __lt__(self, other: Any) -> RaggedTensor:
        return _combined(operator.lt, self, other)

    def __le__(self, other: Any) -> RaggedTensor:
        return _combined(operator.le, self, other)

    def __eq__(self, other: Any) -> Any:
        return NotImplemented if other is None else _combined(operator.eq, self, other)

    def __ne__(self, other: Any) -> Any:
        return NotImplemented if other is None else _combined(operator.ne, self, other)

    # Rows are compared element by element.
    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> RaggedTensor:
        return map_flat_values(operator.neg, self)


def _count(values: Any) -> Any:
    return values.nrows() if isinstance(values, RaggedTensor) else lengths(values)[0]


def _combined(op: Callable[[Any, Any], Any], left: Any, right: Any) -> RaggedTensor:
    """An operator of rows and rows, a number, or a tensor that is spread over the rows."""
    if isinstance(left, RaggedTensor) and isinstance(right, RaggedTensor):
        return map_flat_values(op, left, right)
    if isinstance(left, RaggedTensor):
        rows, pair = left, (left.values, _spread(right, left))
    else:
        rows, pair = right, (_spread(left, right), right.values)
    is_inner = isinstance(rows.values, RaggedTensor)
    return RaggedTensor(_combined(op, *pair) if is_inner else op(*pair), rows.row_splits)


def _spread(operand: Any, rows: RaggedTensor) -> Any:
    """The operand as it meets the slices of all rows: along rows of varying lengths it has length 1."""
    operand = _native.convert_to_tensor(operand) if isinstance(operand, (list, tuple)) else operand
    axes, all_axes = np.ndim(operand), rows.ragged_rank + rows.flat_values.ndim
    if axes < all_axes - 1:
        return operand
    if axes > all_axes:
        raise ValueError(f"an operand with {axes} axes meets a ragged tensor with {all_axes}")
    x = _native.convert_to_tensor(operand)
    along = lengths(x)[axes - all_axes + 1]
    message = "an operand has no length 1 where the lengths of rows vary, but: "
    _native.require(_native.equal(along, 1), (message, along))
    if axes < all_axes:
        return x
    given, count = _native.cast(lengths(x)[0], _native.int64), rows.nrows()
    fits = _native.logical_or(_native.equal(given, 1), _native.equal(given, count))
    _native.require(fits, ("an operand has other rows than a ragged tensor: ", given, " and ", count))
    ids = _native.minimum(rows.value_rowids(), given - 1)
    return _native.gather(_native.squeeze(x, 1), ids)


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> RaggedTensor:
    """Calls a function of the elements without rows.

    Args:
      op: function of tensors.
      args: ragged tensors of the same rows, and other operands.
      kwargs: further arguments.

    Returns:
      `gw.RaggedTensor` with the rows of the operands.

    Raises:
      InvalidArgumentError: the operands have other rows, or the function gives another number of slices.

    Example:
      >>> gw.ragged.map_flat_values(gw.square, gw.ragged.constant([[1, 2], [3]])).to_list()
      [[1, 4], [9]]
    """
    rows = [one for one in args if isinstance(one, RaggedTensor)]
    if not rows:
        raise ValueError("no operand of `map_flat_values` is a ragged tensor")
    if len({one.ragged_rank for one in rows}) > 1:
        raise ValueError("ragged tensors with other numbers of ragged axes meet")
    for other in rows[1:]:
        same = _native.reduce_all(_native.equal(rows[0].row_splits, other.row_splits))
        _native.require(
            same, ("two ragged tensors have other rows: ", rows[0].row_splits, " and ", other.row_splits)
        )
    if isinstance(rows[0].values, RaggedTensor):
        inner: Any = map_flat_values(
            op, *[one.values if isinstance(one, RaggedTensor) else one for one in args], **kwargs
        )
    else:
        inner = _native.convert_to_tensor(
            op(*[one.values if isinstance(one, RaggedTensor) else one for one in args], **kwargs)
        )
        if not inner.ndim:
            raise ValueError("the function of `map_flat_values` gives a scalar for the elements of all rows")
        found, wanted = lengths(inner)[0], lengths(rows[0].values)[0]
        message = "the function of `map_flat_values` gives another number of slices: "
        _native.require(_native.equal(found, wanted), (message, found, " for ", wanted))
    return RaggedTensor(inner, rows[0].row_splits)

"""Rows of different lengths in one value: the elements of all rows, and where each row begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _native
from ._native import Tensor
from ._ragged import RaggedTensor, map_flat_values
from ._running import cumsum
from ._tensorflow.segments import (
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sum,
)

__all__ = ["RaggedTensor", "boolean_mask", "constant", "map_flat_values", "range", "stack"]


def constant(pylist: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Makes a ragged tensor of nested lists.

    Args:
      pylist: list of lists.
      dtype: dtype of the elements.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.RaggedTensor`; a tensor of a list without lists.

    Raises:
      ValueError: lists and elements stand beside each other.

    Example:
      >>> gw.ragged.constant([[1, 2], []]).row_lengths().numpy().tolist()
      [2, 0]
    """
    del name
    rows = [list(row) if isinstance(row, (list, tuple)) else row for row in pylist]
    are_rows = {isinstance(row, list) for row in rows}
    if are_rows == {True, False}:
        raise ValueError("lists and elements stand beside each other: each row is a list")
    if are_rows != {True}:
        return _native.constant(rows, dtype if dtype is not None or rows else _native.float32)
    flat = [element for row in rows for element in row]
    return RaggedTensor.from_row_lengths(constant(flat, dtype), [len(row) for row in rows], validate=False)


_REDUCTIONS: dict[str, Callable[[Any, Tensor, Any], Tensor]] = {
    "sum": unsorted_segment_sum,
    "prod": unsorted_segment_prod,
    "mean": unsorted_segment_mean,
    "max": unsorted_segment_max,
    "min": unsorted_segment_min,
}


def reduced(kind: str, rows: RaggedTensor, axis: Any, keepdims: bool) -> Tensor:
    """A reduction of each row, or of all elements."""
    if axis is None:
        whole: Any = getattr(_native, f"reduce_{kind}")
        found: Tensor = whole(rows.flat_values)
        return found
    if axis not in (1, -1) or isinstance(rows.values, RaggedTensor):
        raise ValueError(
            f"`axis` is {axis}: rows with one ragged axis are reduced along axis 1, or all of them"
        )
    result = _REDUCTIONS[kind](rows.values, rows.value_rowids(), rows.nrows())
    return _native.expand_dims(result, 1) if keepdims else result


def range(
    starts: Any, limits: Any = None, deltas: Any = 1, dtype: Any = None, name: str | None = None
) -> RaggedTensor:
    """Makes rows of ranges.

    Args:
      starts: first numbers, or the limits if those are `None`.
      limits: numbers that are not reached.
      deltas: distances.
      dtype: dtype of the elements.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.RaggedTensor`.

    Example:
      >>> gw.ragged.range([2, 0, 3]).to_list()
      [[0, 1], [], [0, 1, 2]]
    """
    del name
    first, last = (0, starts) if limits is None else (starts, limits)
    ends = _native.convert_to_tensor(last)
    begins = _native.zeros_like(ends) + _native.cast(first, ends.dtype)
    steps = _native.zeros_like(ends) + _native.cast(deltas, ends.dtype)
    counts = _native.maximum(
        _native.cast(
            _native.ceil(
                (_native.cast(ends, _native.float64) - _native.cast(begins, _native.float64))
                / _native.cast(steps, _native.float64)
            ),
            _native.int64,
        ),
        0,
    )
    splits = _native.concat([_native.zeros([1], _native.int64), cumsum(counts)], 0)
    rows = RaggedTensor(_native.range(splits[-1]), splits)
    ids = rows.value_rowids()
    place = _native.cast(rows.values - _native.gather(splits, ids), ends.dtype)
    found = _native.gather(begins, ids) + place * _native.gather(steps, ids)
    return RaggedTensor(found if dtype is None else _native.cast(found, dtype), splits)


def stack(values: Sequence[Any], axis: int = 0, name: str | None = None) -> RaggedTensor:
    """Makes a row of each tensor.

    Args:
      values: list of tensors with one axis.
      axis: 0.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.RaggedTensor`.

    Example:
      >>> gw.ragged.stack([gw.constant([1, 2]), gw.constant([3])]).to_list()
      [[1, 2], [3]]
    """
    del name
    if axis != 0:
        raise ValueError(f"`axis` is {axis}: tensors are stacked along axis 0")
    parts = [_native.convert_to_tensor(one) for one in values]
    counts = _native.stack([_native.shape(one, _native.int64)[0] for one in parts])
    return RaggedTensor.from_row_lengths(_native.concat(parts, 0), counts, validate=False)


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> RaggedTensor:
    """Picks the elements of rows at which a mask is true.

    Args:
      data: `gw.RaggedTensor` or a tensor with two axes.
      mask: truth values with the same rows.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.RaggedTensor` with as many rows.

    Example:
      >>> gw.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]).to_list()
      [[1], [3, 4]]
    """
    del name
    rows = data if isinstance(data, RaggedTensor) else RaggedTensor.from_tensor(data)
    kept = mask if isinstance(mask, RaggedTensor) else RaggedTensor.from_tensor(mask)
    ids = rows.value_rowids()[kept.values]
    return RaggedTensor.from_value_rowids(rows.values[kept.values], ids, rows.nrows())

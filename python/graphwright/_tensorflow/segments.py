"""TensorFlow's reductions of segments, which join slices with one number, and partitions by numbers."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

from .. import _native
from .._arrays import lengths
from .._native import Tensor
from .elementwise import divide_no_nan

__all__ = [
    "dynamic_partition",
    "dynamic_stitch",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
]


def _ids(data: Any, segment_ids: Any) -> tuple[Tensor, Tensor]:
    """The slices in one row, and their numbers."""
    values, ids = (
        _native.convert_to_tensor(data),
        _native.cast(_native.convert_to_tensor(segment_ids), _native.int64),
    )
    if ids.ndim == 0 or ids.ndim > values.ndim:
        raise ValueError(
            f"`segment_ids` has the shape {tuple(ids.shape)}, `data` {tuple(values.shape)}: they begin alike"
        )
    return _native.reshape(values, [-1, *lengths(values)[ids.ndim :]]), _native.reshape(ids, [-1])


def _sorted(data: Any, segment_ids: Any) -> tuple[Tensor, Tensor, Any]:
    values, ids = _ids(data, segment_ids)
    steps = ids[1:] >= ids[:-1]
    _native.require(_native.reduce_all(steps), ("segment ids are not increasing: ", ids))
    _native.require(_native.reduce_all(ids >= 0), ("a segment id is negative: ", ids))
    none = _native.constant([-1], _native.int64)
    return values, ids, _native.reduce_max(_native.concat([ids, none], 0)) + 1


def _joined(join: Any, nothing: Any, values: Tensor, ids: Tensor, count: Any) -> Tensor:
    """A slice for each number; negative ones have none."""
    wide = _native.cast(count, _native.int64)
    _native.require(_native.reduce_all(ids < wide), ("a segment id is not below ", wide, ": ", ids))
    place = _native.where(ids < 0, wide + _native.zeros_like(ids), ids)
    start = _native.fill([count + 1, *lengths(values)[1:]], _native.cast(nothing, values.dtype))
    result: Tensor = join(start, _native.expand_dims(place, -1), values)[:count]
    return result


def _counts(values: Tensor, ids: Tensor, count: Any) -> Tensor:
    """The count of slices of each number, in a shape that broadcasts against the result."""
    found = _joined(_native.tensor_scatter_nd_add, 0, _native.ones_like(ids, values.dtype), ids, count)
    return _native.reshape(found, [-1] + [1] * (values.ndim - 1))


def _least(dtype: Any) -> Any:
    return -math.inf if dtype.is_floating else dtype.min


def _most(dtype: Any) -> Any:
    return math.inf if dtype.is_floating else dtype.max


def _product(start: Tensor, places: Tensor, values: Tensor) -> Tensor:
    """Products of slices, over pairs of a slice and a number; ones where they do not belong together."""
    numbers = _native.range(_native.cast(lengths(start)[0], _native.int64))
    belongs = _native.equal(places, numbers)
    belongs = _native.reshape(belongs, [*lengths(belongs), *[1] * (values.ndim - 1)])
    apart = _native.expand_dims(values, 1)
    return start * _native.reduce_prod(_native.where(belongs, apart, _native.ones_like(apart)), 0)


def _zeros_of_nothing(found: Tensor, counts: Tensor) -> Tensor:
    return _native.where(_native.equal(counts, 0), _native.zeros_like(found), found)


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Sums slices with the same number.

    Args:
      data: tensor of numbers `(n, …)`.
      segment_ids: `n` ascending whole numbers from 0 on.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with a slice for each number up to the greatest.

    Raises:
      InvalidArgumentError: the numbers do not ascend.

    Example:
      >>> gw.math.segment_sum(gw.constant([1, 2, 3]), gw.constant([0, 0, 2])).numpy().tolist()
      [3, 0, 3]
    """
    del name
    return _joined(_native.tensor_scatter_nd_add, 0, *_sorted(data, segment_ids))


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Averages slices with the same number; 0 where there are none.

    Args:
      data: tensor of numbers `(n, …)`.
      segment_ids: `n` ascending whole numbers from 0 on.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same dtype with a slice for each number up to the greatest; of integers cut toward zero.

    Example:
      >>> gw.math.segment_mean(gw.constant([1.0, 2.0, 3.0]), gw.constant([0, 0, 1])).numpy().tolist()
      [1.5, 3.0]
    """
    del name
    values, ids, count = _sorted(data, segment_ids)
    total = _joined(_native.tensor_scatter_nd_add, 0, values, ids, count)
    counts = _counts(values, ids, count)
    if not values.dtype.is_integer:
        return divide_no_nan(total, counts)
    # As in TensorFlow, a mean of integers is cut toward zero.
    size = _native.floordiv(_native.abs(total), _native.maximum(counts, 1))
    return _native.where(total < 0, -size, size)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Finds the greatest of slices with the same number; 0 where there are none.

    Args:
      data: tensor of numbers `(n, …)`.
      segment_ids: `n` ascending whole numbers from 0 on.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with a slice for each number up to the greatest.

    Example:
      >>> gw.math.segment_max(gw.constant([1, 4, 3]), gw.constant([0, 0, 2])).numpy().tolist()
      [4, 0, 3]
    """
    del name
    values, ids, count = _sorted(data, segment_ids)
    found = _joined(_native.tensor_scatter_nd_max, _least(values.dtype), values, ids, count)
    return _zeros_of_nothing(found, _counts(values, ids, count))


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Finds the least of slices with the same number; 0 where there are none.

    Args:
      data: tensor of numbers `(n, …)`.
      segment_ids: `n` ascending whole numbers from 0 on.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with a slice for each number up to the greatest.

    Example:
      >>> gw.math.segment_min(gw.constant([1, 4, 3]), gw.constant([0, 0, 2])).numpy().tolist()
      [1, 0, 3]
    """
    del name
    values, ids, count = _sorted(data, segment_ids)
    found = _joined(_native.tensor_scatter_nd_min, _most(values.dtype), values, ids, count)
    return _zeros_of_nothing(found, _counts(values, ids, count))


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Multiplies slices with the same number; 1 where there are none.

    Args:
      data: tensor of numbers `(n, …)`.
      segment_ids: `n` ascending whole numbers from 0 on.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with a slice for each number up to the greatest.

    Example:
      >>> gw.math.segment_prod(gw.constant([2, 4, 3]), gw.constant([0, 0, 1])).numpy().tolist()
      [8, 3]
    """
    del name
    return _joined(_product, 1, *_sorted(data, segment_ids))


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Sums slices with the same number, which need not ascend; negative numbers are left out.

    Args:
      data: tensor of numbers, whose shape begins as that of `segment_ids`.
      segment_ids: whole numbers below `num_segments`.
      num_segments: length of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(num_segments, …)`.

    Raises:
      InvalidArgumentError: a number is too great.

    Example:
      >>> gw.math.unsorted_segment_sum(gw.constant([1, 2, 3]), gw.constant([1, 0, 1]), 2).numpy().tolist()
      [2, 4]
    """
    del name
    return _joined(_native.tensor_scatter_nd_add, 0, *_ids(data, segment_ids), num_segments)


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Averages slices with the same number; 0 where there are none.

    Args:
      data: tensor of floats, whose shape begins as that of `segment_ids`.
      segment_ids: whole numbers below `num_segments`; negative ones are left out.
      num_segments: length of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(num_segments, …)`.

    Example:
      >>> x = gw.constant([1.0, 2.0, 4.0])
      >>> gw.math.unsorted_segment_mean(x, gw.constant([1, 0, 1]), 2).numpy().tolist()
      [2.0, 2.5]
    """
    del name
    values, ids = _ids(data, segment_ids)
    total = _joined(_native.tensor_scatter_nd_add, 0, values, ids, num_segments)
    return divide_no_nan(total, _counts(values, ids, num_segments))


def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Sums slices with the same number and divides by the square root of their count.

    Args:
      data: tensor of floats, whose shape begins as that of `segment_ids`.
      segment_ids: whole numbers below `num_segments`; negative ones are left out.
      num_segments: length of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(num_segments, …)`.

    Example:
      >>> gw.math.unsorted_segment_sqrt_n(gw.ones([4]), gw.constant([0, 0, 0, 0]), 1).numpy().tolist()
      [2.0]
    """
    del name
    values, ids = _ids(data, segment_ids)
    total = _joined(_native.tensor_scatter_nd_add, 0, values, ids, num_segments)
    return divide_no_nan(total, _native.sqrt(_counts(values, ids, num_segments)))


def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Finds the greatest of slices with the same number; the least number of the dtype where there are none.

    Args:
      data: tensor of numbers, whose shape begins as that of `segment_ids`.
      segment_ids: whole numbers below `num_segments`; negative ones are left out.
      num_segments: length of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(num_segments, …)`.

    Example:
      >>> gw.math.unsorted_segment_max(gw.constant([1, 2, 3]), gw.constant([1, 0, 1]), 2).numpy().tolist()
      [2, 3]
    """
    del name
    values, ids = _ids(data, segment_ids)
    return _joined(_native.tensor_scatter_nd_max, values.dtype.min, values, ids, num_segments)


def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Finds the least of slices with the same number; the greatest number of the dtype where there are none.

    Args:
      data: tensor of numbers, whose shape begins as that of `segment_ids`.
      segment_ids: whole numbers below `num_segments`; negative ones are left out.
      num_segments: length of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(num_segments, …)`.

    Example:
      >>> gw.math.unsorted_segment_min(gw.constant([1, 2, 3]), gw.constant([1, 0, 1]), 2).numpy().tolist()
      [2, 1]
    """
    del name
    values, ids = _ids(data, segment_ids)
    return _joined(_native.tensor_scatter_nd_min, values.dtype.max, values, ids, num_segments)


def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Multiplies slices with the same number; 1 where there are none.

    Args:
      data: tensor of numbers, whose shape begins as that of `segment_ids`.
      segment_ids: whole numbers below `num_segments`; negative ones are left out.
      num_segments: length of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(num_segments, …)`.

    Example:
      >>> gw.math.unsorted_segment_prod(gw.constant([2, 5, 3]), gw.constant([1, 0, 1]), 2).numpy().tolist()
      [5, 6]
    """
    del name
    return _joined(_product, 1, *_ids(data, segment_ids), num_segments)


def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Sorts slices out into tensors by numbers.

    Args:
      data: tensor, whose shape begins as that of `partitions`.
      partitions: whole numbers from 0 on, below `num_partitions`.
      num_partitions: number of tensors.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      List of tensors; lengths are known when the graph runs.

    Raises:
      InvalidArgumentError: a number is out of range.

    Example:
      >>> parts = gw.dynamic_partition(gw.constant([5, 6, 7]), gw.constant([1, 0, 1]), 2)
      >>> [part.numpy().tolist() for part in parts]
      [[6], [5, 7]]
    """
    del name
    values, ids = _ids(data, partitions)
    sound = _native.logical_and(ids >= 0, ids < num_partitions)
    _native.require(
        _native.reduce_all(sound),
        ("a number of `partitions` is not in the range of ", num_partitions, ": ", ids),
    )
    places = [
        _native.reshape(_native.where(_native.equal(ids, one)), [-1])
        for one in builtins.range(num_partitions)
    ]
    return [_native.gather(values, place) for place in places]


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """Joins tensors into one, each slice at its place; the last one of a place counts.

    Args:
      indices: list of tensors of places.
      data: list of tensors, whose shapes begin as those of `indices`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of as many slices as the greatest place asks for.

    Example:
      >>> gw.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy().tolist()
      [10, 20, 30]
    """
    del name
    pairs = [_ids(values, places) for places, values in builtins.zip(indices, data, strict=True)]
    values = _native.concat([value for value, _ in pairs], 0)
    places = _native.concat([place for _, place in pairs], 0)
    count = _native.reduce_max(places) + 1
    start = _native.zeros([count, *lengths(values)[1:]], values.dtype)
    return _native.tensor_scatter_nd_update(start, _native.expand_dims(places, -1), values)

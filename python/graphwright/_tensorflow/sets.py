"""TensorFlow's functions that count and search elements; lengths may be known when the graph runs."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _native
from .._arrays import lengths
from .._native import Tensor
from .._places import counted, ends_of

__all__ = [
    "bincount",
    "confusion_matrix",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "in_top_k",
    "invert_permutation",
    "is_non_decreasing",
    "is_strictly_increasing",
    "searchsorted",
    "unique",
    "unique_with_counts",
    "zero_fraction",
]


class Unique(NamedTuple):
    """Values without repetitions, and the number of the value that stands at each place."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The same, and how often each value is there."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # TensorFlow's name, which hides the tuple's method


def row(x: Any, name: str) -> Tensor:
    """The operand, which has one axis."""
    found = _native.convert_to_tensor(x)
    if found.ndim != 1:
        raise ValueError(f"`{name}` takes a tensor with one axis, not the shape {tuple(found.shape)}")
    return found


def length(x: Tensor) -> Any:
    """The length of the first axis."""
    return lengths(x)[0]


def _distinct(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Places of first occurrences in order, the number of the value at each place, and counts."""
    order = _native.argsort(x, stable=True)
    ordered = _native.gather(x, order)
    changes = _native.not_equal(ordered[1:], ordered[:-1])
    begins = _native.concat([_native.ones_like(ordered[:1], _native.bool), changes], 0)
    starts = _native.reshape(_native.where(begins), [-1])
    count = _native.reshape(_native.cast(_native.shape(x)[0], _native.int64), [1])
    counts = _native.concat([starts[1:], count], 0)[: length(starts)] - starts
    first = _native.gather(order, starts)
    by_place = _native.argsort(first)
    group = _native.gather(_running(begins), _native.argsort(order))
    number = _native.gather(_native.argsort(by_place), group)
    return _native.sort(first), number, _native.gather(counts, by_place)


def _running(begins: Tensor) -> Tensor:
    from .._running import cumsum

    return cumsum(_native.cast(begins, _native.int64)) - 1


def unique(x: Any, out_idx: Any = _native.int32, name: str | None = None) -> Unique:
    """Finds the values of a row in the order in which they come first.

    Args:
      x: tensor with one axis, of any dtype.
      out_idx: dtype of the numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `y`, the values, and `idx`, the number of the value that stands at each place.

    Raises:
      ValueError: the tensor has another number of axes.

    Example:
      >>> y, idx = gw.unique(gw.constant([7, 3, 7]))
      >>> y.numpy().tolist(), idx.numpy().tolist()
      ([7, 3], [0, 1, 0])
    """
    del name
    x = row(x, "unique")
    first, number, _ = _distinct(x)
    return Unique(_native.gather(x, first), _native.cast(number, out_idx))


def unique_with_counts(x: Any, out_idx: Any = _native.int32, name: str | None = None) -> UniqueWithCounts:
    """Finds the values of a row in the order in which they come first, and counts them.

    Args:
      x: tensor with one axis, of any dtype.
      out_idx: dtype of numbers and counts.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `y`, `idx` and `count`.

    Raises:
      ValueError: the tensor has another number of axes.

    Example:
      >>> y, idx, count = gw.unique_with_counts(gw.constant([7, 3, 7]))
      >>> y.numpy().tolist(), count.numpy().tolist()
      ([7, 3], [2, 1])
    """
    del name
    x = row(x, "unique_with_counts")
    first, number, count = _distinct(x)
    return UniqueWithCounts(
        _native.gather(x, first), _native.cast(number, out_idx), _native.cast(count, out_idx)
    )


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    output_type: Any = _native.int32,
    name: str | None = None,
) -> Tensor:
    """Finds the places at which values belong in sorted rows.

    Args:
      sorted_sequence: tensor `(…, n)`, ascending along the last axis.
      values: tensor `(…, m)` of the same dtype.
      side: `"left"`, before equal elements, or `"right"`, behind them.
      output_type: dtype of the places.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor in the shape of `values`.

    Raises:
      ValueError: `side` is another text, or the axes in front differ.

    Example:
      >>> gw.searchsorted(gw.constant([1, 3, 5]), gw.constant([3, 4])).numpy().tolist()
      [1, 2]
    """
    del name
    if side not in ("left", "right"):
        raise ValueError(f"`side` is {side!r}, neither 'left' nor 'right'")
    rows, values = _native.convert_to_tensor(sorted_sequence), _native.convert_to_tensor(values)
    if rows.ndim != values.ndim and rows.ndim != 1:
        raise ValueError(
            f"rows of shape {tuple(rows.shape)} are searched for values of shape {tuple(values.shape)}"
        )
    if rows.ndim == 1 or values.ndim == 1:
        return _native.cast(_found(rows, values, side), output_type)
    compare = _native.less if side == "left" else _native.less_equal
    is_before = compare(_native.expand_dims(rows, -2), _native.expand_dims(values, -1))
    return _native.reduce_sum(_native.cast(is_before, output_type), -1)


def _found(rows: Tensor, values: Tensor, side: str) -> Tensor:
    from ..array_api import searchsorted as found

    return found(rows, values, side=side)


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = _native.int32, name: str | None = None
) -> Tensor:
    """Numbers the bins of equal width in which values lie; those outside lie in the first or the last.

    Args:
      values: tensor of numbers, of any shape.
      value_range: the two ends of the bins.
      nbins: number of bins.
      dtype: dtype of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor in the shape of `values`.

    Example:
      >>> gw.histogram_fixed_width_bins(gw.constant([-1.0, 0.3, 2.0]), [0.0, 1.0], nbins=2).numpy().tolist()
      [0, 0, 1]
    """
    del name
    values = _native.convert_to_tensor(values)
    low, high = (_native.cast(end, values.dtype) for end in (value_range[0], value_range[1]))
    place = _native.floor(
        _native.cast(nbins, _native.float64)
        * _native.divide(
            _native.cast(values - low, _native.float64), _native.cast(high - low, _native.float64)
        )
    )
    last = _native.cast(nbins, _native.float64) - 1.0
    return _native.cast(_native.minimum(_native.maximum(place, 0.0), last), dtype)


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = _native.int32, name: str | None = None
) -> Tensor:
    """Counts values in bins of equal width; those outside count in the first or the last.

    Args:
      values: tensor of numbers, of any shape.
      value_range: the two ends of the bins.
      nbins: number of bins.
      dtype: dtype of the counts.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of `nbins` counts.

    Example:
      >>> gw.histogram_fixed_width(gw.constant([-1.0, 0.3, 2.0]), [0.0, 1.0], nbins=2).numpy().tolist()
      [2, 1]
    """
    del name
    places = histogram_fixed_width_bins(values, value_range, nbins, _native.int64)
    flat = _native.reshape(places, [-1, 1])
    ones = _native.reshape(_native.ones_like(flat, dtype), [-1])
    return _native.tensor_scatter_nd_add(_native.zeros([nbins], dtype), flat, ones)


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = _native.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Counts how often each whole number from 0 on is there, or sums their weights.

    Args:
      arr: tensor of whole numbers from 0 on.
      weights: tensor of the same shape, summed instead of ones.
      minlength: the least length of the result.
      maxlength: the greatest one; greater numbers are left out.
      dtype: dtype of counts.
      axis: -1 counts in each row of two axes; `None` counts all elements.
      binary_output: whether to tell only if a number is there.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of counts, or of sums in the dtype of `weights`.

    Raises:
      InvalidArgumentError: a number is negative.

    Example:
      >>> gw.math.bincount(gw.constant([1, 3, 1])).numpy().tolist()
      [0, 2, 0, 1]
    """
    numbers = _native.convert_to_tensor(arr)
    if not numbers.dtype.is_integer:
        raise TypeError(f"`arr` of `bincount` holds whole numbers, not {numbers.dtype.name}")
    if axis not in (None, 0, -1) or (axis == -1 and numbers.ndim not in (1, 2)):
        raise ValueError(f"`axis` of `bincount` is None, 0 or -1, not {axis!r}; rows are those of two axes")
    rows = _native.reshape(
        _native.cast(numbers, _native.int64), [-1] if axis != -1 or numbers.ndim == 1 else lengths(numbers)
    )
    weights = None if weights is None else _native.convert_to_tensor(weights)
    ones = _native.ones_like(rows, dtype) if weights is None else _native.reshape(weights, lengths(rows))
    least, most = ends_of(_native.reshape(rows, [-1]))
    count = _bins(most, minlength, maxlength)
    _native.require(least >= 0, ("a number that `bincount` counts is negative",))
    if weights is None and maxlength is None and rows.ndim == 1:
        counts = counted(rows, _native.zeros([count], dtype))
        return _native.cast(_native.not_equal(counts, 0), dtype) if binary_output else counts
    places = rows
    if maxlength is not None:
        kept = rows < count
        ones = _native.where(kept, ones, _native.zeros_like(ones))
        places = _native.where(kept, rows, _native.zeros_like(rows))
    if rows.ndim == 2:
        batch = _native.expand_dims(_native.range(_native.cast(lengths(rows)[0], _native.int64)), 1)
        places, total = places + batch * count, [lengths(rows)[0], count]
        flat = _native.zeros([total[0] * count], ones.dtype)
    else:
        total, flat = [count], _native.zeros([count], ones.dtype)
    found = _native.tensor_scatter_nd_add(flat, _native.reshape(places, [-1, 1]), _native.reshape(ones, [-1]))
    found = _native.reshape(found, total)
    return _native.cast(_native.not_equal(found, 0), found.dtype) if binary_output else found


def _bins(most: Tensor, minlength: Any, maxlength: Any) -> Any:
    """The number of counters: one more than the greatest number, within the bounds."""
    if minlength is not None and minlength == maxlength and isinstance(minlength, int):
        return minlength
    count = most + 1
    if minlength is not None:
        count = _native.maximum(count, _native.cast(minlength, _native.int64))
    return count if maxlength is None else _native.minimum(count, _native.cast(maxlength, _native.int64))


def in_top_k(targets: Any, predictions: Any, k: int, name: str | None = None) -> Tensor:
    """Tells for each row if the element of a class is among the `k` greatest.

    Args:
      targets: class numbers, `(rows,)`.
      predictions: tensor `(rows, classes)`, `float32` or `float64`.
      k: number of places.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `bool` tensor `(rows,)`; `False` where the element is not finite or the class is not there.

    Example:
      >>> gw.math.in_top_k(gw.constant([0, 1]), gw.constant([[0.1, 0.9], [0.2, 0.8]]), 1).numpy().tolist()
      [False, True]
    """
    del name
    scores, classes = _native.convert_to_tensor(predictions), _native.convert_to_tensor(targets)
    numbers = _native.range(_native.cast(lengths(scores)[-1], classes.dtype))
    is_it = _native.equal(_native.expand_dims(classes, -1), numbers)
    own = _native.reduce_sum(_native.where(is_it, scores, _native.zeros_like(scores)), -1, keepdims=True)
    greater = _native.reduce_sum(_native.cast(scores > own, _native.int32), -1)
    sound = _native.logical_and(_native.reduce_any(is_it, -1), _native.is_finite(own[..., 0]))
    return _native.logical_and(greater < k, sound)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = _native.int32,
    name: str | None = None,
) -> Tensor:
    """Counts pairs of a label and a prediction.

    Args:
      labels: class numbers, a tensor with one axis.
      predictions: class numbers, of the same length.
      num_classes: number of classes; one more than the greatest number if it is `None`.
      weights: tensor of the same length, summed instead of ones.
      dtype: dtype of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(classes, classes)`, a row for each label.

    Example:
      >>> gw.math.confusion_matrix(gw.constant([0, 1, 1]), gw.constant([0, 0, 1])).numpy().tolist()
      [[1, 0], [1, 1]]
    """
    del name
    real, guessed = (_native.cast(_native.reshape(x, [-1]), _native.int64) for x in (labels, predictions))
    both = _native.concat([real, guessed], 0)
    _native.require(_native.reduce_all(both >= 0), ("a class number of `confusion_matrix` is negative",))
    count = _native.cast(_native.reduce_max(both) + 1 if num_classes is None else num_classes, _native.int64)
    _native.require(
        _native.reduce_all(both < count), ("a class number of `confusion_matrix` is not below ", count)
    )
    ones = _native.ones_like(real, dtype) if weights is None else _native.cast(weights, dtype)
    size = count if num_classes is None else num_classes
    return _native.tensor_scatter_nd_add(
        _native.zeros([size, size], dtype), _native.stack([real, guessed], 1), ones
    )


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """Computes the share of elements that are zero.

    Args:
      value: tensor of numbers, of any shape.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `float32` scalar.

    Example:
      >>> gw.math.zero_fraction(gw.constant([0, 1, 0, 2]))
      <gw.Tensor: shape=(), dtype=float32, numpy=0.5>
    """
    del name
    return _native.reduce_mean(_native.cast(_native.equal(value, 0), _native.float32))


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """Computes the inverse of a permutation.

    Args:
      x: tensor with one axis that holds each number from 0 on once.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `y` with `y[x[i]] == i`.

    Raises:
      InvalidArgumentError: a number is missing.

    Example:
      >>> gw.math.invert_permutation(gw.constant([2, 0, 1])).numpy().tolist()
      [1, 2, 0]
    """
    del name
    numbers = row(x, "invert_permutation")
    whole = _native.range(_native.cast(length(numbers), numbers.dtype))
    _native.require(
        _native.reduce_all(_native.equal(_native.sort(numbers), whole)), ("`x` is no permutation: ", numbers)
    )
    return _native.cast(_native.argsort(numbers), numbers.dtype)


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Tells if each element is greater than the one before it.

    Args:
      x: tensor of numbers, of any shape; elements are taken in order.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `bool` scalar.

    Example:
      >>> gw.math.is_strictly_increasing(gw.constant([1, 2, 2]))
      <gw.Tensor: shape=(), dtype=bool, numpy=False>
    """
    del name
    flat = _native.reshape(x, [-1])
    return _native.reduce_all(flat[1:] > flat[:-1])


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Tells if no element is less than the one before it.

    Args:
      x: tensor of numbers, of any shape; elements are taken in order.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `bool` scalar.

    Example:
      >>> gw.math.is_non_decreasing(gw.constant([1, 2, 2]))
      <gw.Tensor: shape=(), dtype=bool, numpy=True>
    """
    del name
    flat = _native.reshape(x, [-1])
    return _native.reduce_all(flat[1:] >= flat[:-1])

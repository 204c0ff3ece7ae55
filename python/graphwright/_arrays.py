"""Functions that move, repeat and accumulate elements, under TensorFlow's names.

Each is a few calls of others, so it has their derivatives, and lengths may be known only when the graph runs.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from . import _native
from ._native import Tensor

_Lengths = list[Any]

# The number of each repeated element is an int32 of its own.
_MOST_REPEATED = 2**31 - 1


def identity(input: Any, name: str | None = None) -> Tensor:
    """Returns a tensor of its own with the same elements.

    A store into one of both is not seen in the other.

    Args:
      input: tensor or array of any shape and dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> x = gw.constant([1, 2])
      >>> gw.identity(x)
      <gw.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    del name
    x = _native.convert_to_tensor(input)
    return _native.reshape(x, lengths(x))


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """The tensor, which has this shape: another length fails, now if that is known, else when the graph runs.

    From there on the graph knows the lengths that the shape says; `None` is any.

    Args:
      x: tensor of any dtype.
      shape: list of lengths; `None` takes any length.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The same tensor, whose known shape is the more exact of both.

    Raises:
      ValueError: the shape differs.

    Example:
      >>> gw.ensure_shape(gw.ones([2, 3]), [None, 3]).shape
      (2, 3)
    """
    del name
    tensor: Tensor = _native.convert_to_tensor(x)
    wanted, found = _native.TensorSpec(shape, tensor.dtype).shape, tensor.shape
    if wanted.rank is None:
        return tensor
    pairs = list(zip(found, wanted, strict=False))
    if len(found) != len(wanted) or any(None not in (own, one) and own != one for own, one in pairs):
        raise ValueError(f"a tensor of shape {tuple(found)} does not have the shape {tuple(wanted)}")
    unknown = {at: one for at, (own, one) in enumerate(pairs) if own is None and one is not None}
    for at, one in unknown.items():
        length = _native.shape(tensor)[at]
        text = f"a tensor does not have the shape {tuple(wanted)}: the length of axis {at} is "
        _native.require(_native.equal(length, one), (text, length))
    if not unknown:
        return tensor
    known = zip(lengths(tensor), wanted, strict=True)
    return _native.reshape(tensor, [own if one is None else one for own, one in known])


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Sequence[int] | None = None,
    dtype: Any = _native.float32,
    name: str | None = None,
) -> Tensor:
    """Returns identity matrices.

    Args:
      num_rows: number of rows.
      num_columns: number of columns; that of rows if it is `None`.
      batch_shape: list of lengths in front, with one matrix for each place.
      dtype: dtype of numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of shape `(*batch_shape, num_rows, num_columns)`.

    Example:
      >>> gw.eye(2)
      <gw.Tensor: shape=(2, 2), dtype=float32, numpy=array([[1., 0.],
             [0., 1.]], dtype=float32)>
    """
    del name
    columns = num_rows if num_columns is None else num_columns
    for parameter, length in (("num_rows", num_rows), ("num_columns", columns)):
        if isinstance(length, int) and length < 0:
            raise _native.diagnosed(
                "GW204",
                f"`{parameter}` of `gw.eye` is {length}: an axis cannot have a negative length",
                "give a number from 0 on",
            )
    ones = _native.eye(num_rows, columns, dtype)
    if batch_shape is None:
        return ones
    return _native.broadcast_to(ones, [*batch_shape, num_rows, columns])


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` numbers at equal distances, the first `start` and the last `stop`; tensors give a new axis.

    Args:
      start: number or tensor of floats, the first value.
      stop: the last value, of the same shape.
      num: number of values, at least 1.
      axis: axis of the values in the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with `num` values, equally spaced, `start` and `stop` among them.

    Example:
      >>> gw.linspace(0.0, 1.0, 5)
      <gw.Tensor: shape=(5,), dtype=float32, numpy=array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)>
    """
    del name
    if not isinstance(start, Tensor) and not isinstance(stop, Tensor):
        start, stop = _native.convert_to_tensor(start), _native.convert_to_tensor(stop)
    return _native.linspace(start, stop, num, axis)


def tile(input: Any, multiples: Sequence[Any], name: str | None = None) -> Tensor:
    """Repeats a tensor side by side along each axis.

    Args:
      input: tensor or array of any shape and dtype.
      multiples: one number of copies for each axis.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same dtype; axis `k` is `multiples[k]` times as long.

    Example:
      >>> gw.tile(gw.constant([1, 2]), [2])
      <gw.Tensor: shape=(4,), dtype=int32, numpy=array([1, 2, 1, 2], dtype=int32)>
    """
    del name
    return _native.tile(input, list(multiples))


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element `repeats` times in a row along an axis; without one, of all elements in order.

    One number for each element wants to be known while the graph is built.

    Args:
      input: tensor or array of any shape and dtype.
      repeats: number of copies, or one number for each place of the axis.
      axis: the axis; without one all elements are taken in order.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same dtype.

    Example:
      >>> gw.repeat(gw.constant([1, 2]), 2)
      <gw.Tensor: shape=(4,), dtype=int32, numpy=array([1, 1, 2, 2], dtype=int32)>
    """
    del name
    x = _native.convert_to_tensor(input)
    if axis is None:
        x, axis = _native.reshape(x, [-1]), 0
    if isinstance(repeats, Sequence):
        _check_repeats(x, repeats)
        numbers = [at for at, times in enumerate(repeats) for _ in builtins.range(times)]
        return _native.gather(x, _native.constant(numbers, _native.int32), axis=axis)
    at = axis_of(x, axis)
    length = x.shape[at]
    if isinstance(repeats, int) and repeats * (length or 1) >= 2**63:
        raise ValueError(f"an axis of {length} elements, each {repeats} times, has more than 2**63 - 1")
    return _native.repeat(x, repeats, at)


def _check_repeats(x: Tensor, repeats: Sequence[int]) -> None:
    """No count is negative, and there are not more elements than memory holds."""
    if any(times < 0 for times in repeats):
        raise _native.diagnosed(
            "GW204",
            f"`repeats` of `gw.repeat` has a negative number: {min(repeats)}",
            "give how often each element stands in the result, 0 or more times",
        )
    count = sum(repeats)
    if count > _MOST_REPEATED:
        lengths_ = [count, *x.shape[1:]]
        raise MemoryError(f"cannot allocate a tensor of shape {lengths_}")


def reverse(tensor: Any, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """Reverses the order of elements along axes.

    Args:
      tensor: tensor or array of any shape and dtype.
      axis: list of axes.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.reverse(gw.constant([1, 2, 3]), [0])
      <gw.Tensor: shape=(3,), dtype=int32, numpy=array([3, 2, 1], dtype=int32)>
    """
    del name
    x = _native.convert_to_tensor(tensor)
    return _native.reverse(x, [axis_of(x, one) for one in _many(axis)])


def roll(input: Any, shift: Any, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """Shifts elements along an axis; those that leave at one end come in at the other.

    Args:
      input: tensor or array of any shape and dtype.
      shift: number of places, or one for each axis.
      axis: axis, or list of axes.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.roll(gw.constant([1, 2, 3]), 1, 0)
      <gw.Tensor: shape=(3,), dtype=int32, numpy=array([3, 1, 2], dtype=int32)>
    """
    del name
    x = _native.convert_to_tensor(input)
    return _native.roll(x, _many(shift), [axis_of(x, one) for one in _many(axis)])


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """Splits a tensor into a list along an axis.

    Args:
      value: tensor or array of any shape and dtype.
      num: length of the axis, where it is not known.
      axis: axis to take apart.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      List of tensors without the axis.

    Example:
      >>> [part.tolist() for part in gw.unstack(gw.constant([[1, 2], [3, 4]]))]
      [[1, 2], [3, 4]]
    """
    del name
    x = _native.convert_to_tensor(value)
    at = axis_of(x, axis)
    count = x.shape[at] if num is None else num
    if count is None:
        raise ValueError(f"Cannot infer argument `num` from shape {tuple(x.shape)}")
    return [x[(slice(None),) * at + (place,)] for place in builtins.range(count)]


def split(
    value: Any, num_or_size_splits: Any, axis: int = 0, num: int | None = None, name: str | None = None
) -> list[Tensor]:
    """Splits a tensor into pieces along an axis.

    Args:
      value: tensor or array of any shape and dtype.
      num_or_size_splits: number of equal pieces, or list of lengths, one of which may be -1.
      axis: axis to split.
      num: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      List of tensors.

    Raises:
      ValueError: the axis cannot be split so.

    Example:
      >>> [part.tolist() for part in gw.split(gw.constant([1, 2, 3, 4]), 2)]
      [[1, 2], [3, 4]]
    """
    del num, name
    x = _native.convert_to_tensor(value)
    at = axis_of(x, axis)
    around = lengths(x)
    before, length, behind = around[:at], around[at], around[at + 1 :]
    if not isinstance(num_or_size_splits, (list, tuple)):
        if num_or_size_splits == 0:
            raise ValueError(f"an axis of length {length} cannot be split into 0 pieces")
        if isinstance(length, int) and length % num_or_size_splits:
            pieces = f"{num_or_size_splits} pieces of one length"
            raise ValueError(f"an axis of length {length} cannot be split into {pieces}")
        apart = _native.reshape(x, [*before, num_or_size_splits, length // num_or_size_splits, *behind])
        return unstack(apart, num_or_size_splits, at)
    sizes = _sizes(length, num_or_size_splits)
    # A length that is known only when the graph runs is compared with the sizes then, by these shapes.
    x = _native.reshape(x, [*before, builtins.sum(sizes), *behind])
    found, start = [], 0
    for size in sizes:
        piece = x[(slice(None),) * at + (slice(start, start + size),)]
        found.append(_native.reshape(piece, [*before, size, *behind]))
        start = start + size
    return found


def pad(
    tensor: Any,
    paddings: Sequence[Sequence[Any]],
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """The array with `paddings[k][0]` elements more before and `paddings[k][1]` behind along axis `k`.

    They are `constant_values`, or the elements as far inside (`"REFLECT"`: the edge itself is not repeated,
    `"SYMMETRIC"`: it is).

    Args:
      tensor: tensor or array of any shape and dtype.
      paddings: `(rank, 2)` numbers of elements before and behind each axis.
      mode: `"CONSTANT"`, `"REFLECT"` or `"SYMMETRIC"`.
      constant_values: value of the new elements under `"CONSTANT"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same dtype, longer by the paddings.

    Example:
      >>> gw.pad(gw.constant([1, 2]), [[1, 2]])
      <gw.Tensor: shape=(5,), dtype=int32, numpy=array([0, 1, 2, 0, 0], dtype=int32)>
    """
    del name
    x = _native.convert_to_tensor(tensor)
    kind = mode.upper()
    if kind not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(f"`mode` is {mode!r}: it may be 'CONSTANT', 'REFLECT' or 'SYMMETRIC'")
    if len(paddings) != x.ndim:
        raise ValueError(f"`paddings` has {len(paddings)} rows for {x.ndim} axes")
    places = [count for before, behind in paddings for count in (before, behind)]
    if kind == "CONSTANT" and any(isinstance(count, int) and count < 0 for count in places):
        help = "write a number from 0 on"
        raise _native.diagnosed("GW204", "the length of an axis cannot be negative", help)
    return _native.pad(x, places, kind, _native.cast(constant_values, x.dtype))


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """Returns coordinate matrices from coordinate vectors.

    Args:
      args: vectors of one dtype.
      indexing: `"xy"` for rows of `y` and columns of `x`, or `"ij"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      List of tensors with one axis for each vector.

    Example:
      >>> [part.tolist() for part in gw.meshgrid([1, 2], [3, 4])]
      [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    del name
    rows = [_native.reshape(one, [-1]) for one in args]
    if indexing not in ("xy", "ij"):
        raise ValueError(f"`indexing` is {indexing!r}: it may be 'xy' or 'ij'")
    order = list(builtins.range(len(rows)))
    if indexing == "xy" and len(rows) > 1:
        order[:2] = [1, 0]
    grid = [_length(rows[place], 0) for place in order]
    placed = (_alone(row, order.index(at), len(rows)) for at, row in enumerate(rows))
    return [_native.broadcast_to(row, grid) for row in placed]


def _alone(row: Tensor, axis: int, axes: int) -> Tensor:
    shape: _Lengths = [1] * axes
    shape[axis] = -1
    return _native.reshape(row, shape)


def lengths(x: Tensor) -> _Lengths:
    """The length of each axis: a number where it is known, else a tensor."""
    return [_length(x, axis) for axis in builtins.range(x.ndim)]


def moved(x: Tensor, axis: int, place: int) -> Tensor:
    """With one axis at another place among the others."""
    order = [at for at in builtins.range(x.ndim) if at != axis]
    order.insert(place, axis)
    return x if order == sorted(order) else _native.transpose(x, order)


def _length(x: Tensor, axis: int) -> Any:
    known = x.shape[axis]
    return _native.shape(x)[axis] if known is None else known


def axis_of(x: Tensor, axis: int) -> int:
    """Returns an axis counted from 0; one that there is not is an error."""
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(
            f"`axis` is {axis}: a tensor of shape {tuple(x.shape)} has axes -{x.ndim} to {x.ndim - 1}"
        )
    return axis % x.ndim


def _many(one_or_more: Any) -> Sequence[Any]:
    return one_or_more if isinstance(one_or_more, (list, tuple)) else [one_or_more]


def _sizes(length: Any, parts: Sequence[Any]) -> list[Any]:
    rest = length - builtins.sum(size for size in parts if size != -1)
    sizes = [rest if size == -1 else size for size in parts]
    if isinstance(rest, int) and (rest < 0 or (rest > 0 and -1 not in parts)):
        raise ValueError(f"an axis of length {length} cannot be split into pieces of lengths {list(parts)}")
    return sizes

"""Manipulation and indexing functions of the standard."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import _arrays, _native
from .._native import Tensor
from .._numpy import moves, repeats
from ._operands import axes_of, axis_of, flat, is_number, length, of_one_dtype, operand, shape_of

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "take",
    "take_along_axis",
    "tile",
    "unstack",
]


def broadcast_arrays(*arrays: Any) -> tuple[Tensor, ...]:
    """Broadcasts tensors against one another."""
    tensors = list(map(operand, arrays))
    if builtins.any(None in one.shape for one in tensors):
        # The shape of a sum is the one to which both broadcast.
        total = builtins.sum(_native.zeros_like(one, _native.int8) for one in tensors)
        shape = _arrays.lengths(operand(total))
    else:
        shape = list(np.broadcast_shapes(*map(_arrays.lengths, tensors)))
    return tuple(_native.broadcast_to(one, shape) for one in tensors)


def broadcast_shapes(*shapes: Any) -> tuple[int | None, ...]:
    """Finds the shape to which several shapes broadcast; a length that is `None` is not known."""
    found: list[int | None] = []
    for from_end in builtins.range(1, builtins.max(map(len, shapes), default=0) + 1):
        there = {shape[-from_end] for shape in shapes if len(shape) >= from_end} - {1}
        known = there - {None}
        if len(known) > 1:
            raise ValueError(f"shapes {', '.join(map(str, map(tuple, shapes)))} do not broadcast")
        found.append(next(iter(known or there), 1))
    return tuple(reversed(found))


def broadcast_to(x: Any, /, shape: Any) -> Tensor:
    """Broadcasts a tensor to a shape."""
    return _native.broadcast_to(operand(x), shape_of(shape))


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    """Joins tensors along an axis, or all elements of them for `None`."""
    parts = of_one_dtype(*arrays)
    if axis is None:
        return _native.concat([flat(one) for one in parts], 0)
    return _native.concat(parts, axis_of(axis, parts[0].ndim))


def expand_dims(x: Any, /, axis: Any = 0) -> Tensor:
    """Inserts axes of length 1 at places of the result."""
    x = operand(x)
    places = list(axis) if isinstance(axis, tuple | list) else [axis]
    at = sorted(axes_of(places, x.ndim + len(places)))
    if len(set(at)) != len(at):
        raise ValueError(f"`axis` is {axis!r}: it names an axis twice")
    for one in at:
        x = _native.expand_dims(x, one)
    return x if at else _arrays.identity(x)


def flip(x: Any, /, *, axis: Any = None) -> Tensor:
    """Reverses the order of elements along axes."""
    x = operand(x)
    chosen = axes_of(axis, x.ndim)
    return _arrays.reverse(x, chosen) if chosen else _arrays.identity(x)


def moveaxis(x: Any, source: Any, destination: Any, /) -> Tensor:
    """Moves axes to other places."""
    x = operand(x)
    found: Tensor = moves.moveaxis(x, axes_of(source, x.ndim), axes_of(destination, x.ndim))
    return found


def permute_dims(x: Any, /, axes: Any) -> Tensor:
    """Puts axes into another order."""
    x = operand(x)
    return _native.transpose(x, axes_of(axes, x.ndim))


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Repeats each element, so many times for all or for each its own number."""
    x = operand(x)
    x, at = (flat(x), 0) if axis is None else (x, axis_of(axis, x.ndim))
    if is_number(repeats):
        return _arrays.repeat(x, repeats, at)
    counts = _native.broadcast_to(_native.cast(repeats, _native.int64), [length(x, at)])
    return _native.gather(x, _places_repeated(counts), axis=at)


def _places_repeated(counts: Tensor) -> Tensor:
    """The place of the element that stands at each place of the result."""
    from ._searching import searchsorted
    from ._statistics import cumulative_sum

    ends = cumulative_sum(counts)
    places = _native.range(_native.reduce_sum(counts), dtype=_native.int64)
    return searchsorted(ends, places, side="right")


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Tensor:
    """Gives elements in order another shape."""
    x = operand(x)
    found = _native.reshape(x, shape_of(shape))
    if copy is False:
        raise ValueError("`copy` is False: a reshaped tensor has elements of its own")
    return found


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Tensor:
    """Shifts elements along axes; those that leave at one end come in at the other."""
    x = operand(x)
    if axis is None:
        return _native.reshape(_rolled(flat(x), [shift], [0]), _arrays.lengths(x))
    axes = axes_of(axis, x.ndim)
    return _rolled(x, list(shift) if isinstance(shift, tuple | list) else [shift] * len(axes), axes)


def _rolled(x: Tensor, shifts: list[Any], axes: list[int]) -> Tensor:
    for shift, axis in zip(shifts, axes, strict=True):
        if x.shape[axis] != 0:
            x = _arrays.roll(x, shift, axis)
    return _arrays.identity(x)


def squeeze(x: Any, /, axis: Any) -> Tensor:
    """Removes axes of length 1."""
    x = operand(x)
    chosen = axes_of(axis, x.ndim)
    return _native.squeeze(x, chosen) if chosen else _arrays.identity(x)


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    """Joins tensors of one shape along a new axis."""
    parts = of_one_dtype(*arrays)
    return _native.stack(parts, axis_of(axis, parts[0].ndim + 1))


def tile(x: Any, repetitions: Any, /) -> Tensor:
    """Repeats a tensor side by side along each axis."""
    found: Tensor = repeats.tile(operand(x), list(repetitions))
    return found


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Splits a tensor into a tuple along an axis."""
    x = operand(x)
    return tuple(_arrays.unstack(x, axis=axis_of(axis, x.ndim)))


def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Tensor:
    """Picks elements along an axis by their places."""
    x = operand(x)
    if axis is None and x.ndim != 1:
        raise ValueError(f"`axis` may be left out for one axis, and this tensor has {x.ndim}")
    return _native.gather(x, indices, axis=axis_of(axis or 0, x.ndim))


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Tensor:
    """Picks elements along an axis by the places that stand at theirs on the other axes."""
    x, indices = operand(x), operand(indices)
    at = axis_of(axis, x.ndim)
    count = length(x, at)
    places = _native.where(indices < 0, indices + _native.cast(count, indices.dtype), indices)
    rows, chosen = _arrays.moved(x, at, x.ndim - 1), _arrays.moved(places, at, x.ndim - 1)
    rows, chosen = _broadcast_but_last(rows, chosen)
    start = _native.range(_product(_arrays.lengths(chosen)[:-1]), dtype=_native.int64) * count
    shape = [*_arrays.lengths(chosen)[:-1], 1]
    flat_places = _native.reshape(start, shape) + _native.cast(chosen, _native.int64)
    return _arrays.moved(_native.gather(flat(rows), flat_places, axis=0), x.ndim - 1, at)


def _broadcast_but_last(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Two tensors of equal lengths but for the last axis."""
    if tuple(x.shape[:-1]) == tuple(y.shape[:-1]):
        return x, y
    around = np.broadcast_shapes(_arrays.lengths(x)[:-1], _arrays.lengths(y)[:-1])
    wide = [_native.broadcast_to(one, [*around, length(one, one.ndim - 1)]) for one in (x, y)]
    return wide[0], wide[1]


def _product(lengths: list[Any]) -> Any:
    found: Any = 1
    for one in lengths:
        found = found * one
    return found

"""NumPy's functions that move, repeat, join and pick elements."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _arrays, _native, linalg
from .meant import Meaning, NotMeantError, axes_of, axis_of, flat, known_lengths, tensor, unset


def reshape(a: Any, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None) -> Any:
    """The same elements in other axes."""
    unset(newshape=newshape, copy=copy)
    if order != "C" or shape is None:
        raise NotMeantError
    return _native.reshape(a, shape if isinstance(shape, list | tuple) else [shape])


def ravel(a: Any, order: str = "C") -> Any:
    """All elements along one axis."""
    if order not in ("C", "K", "A"):
        raise NotMeantError
    return flat(a)


def transpose(a: Any, axes: Any = None) -> Any:
    """The axes in another order, backwards for `None`."""
    a = tensor(a)
    if axes is None:
        return _native.transpose(a)
    order = axes_of(axes, a.ndim)
    if len(order) != a.ndim:
        raise ValueError("axes don't match array")
    return _native.transpose(a, order)


def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Two axes changed for one another."""
    a = tensor(a)
    first, second = axis_of(axis1, a.ndim), axis_of(axis2, a.ndim)
    order = list(builtins.range(a.ndim))
    order[first], order[second] = second, first
    return _native.transpose(a, order)


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Axes at other places among the others."""
    a = tensor(a)
    sources, places = axes_of(source, a.ndim), axes_of(destination, a.ndim)
    if len(sources) != len(places):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [at for at in builtins.range(a.ndim) if at not in sources]
    for place, at in sorted(zip(places, sources, strict=True)):
        order.insert(place, at)
    return _native.transpose(a, order)


def expand_dims(a: Any, axis: Any) -> Any:
    """New axes of length 1 at these places."""
    a = tensor(a)
    given = axis if isinstance(axis, list | tuple) else (axis,)
    for at in sorted(axis_of(one, a.ndim + len(given)) for one in given):
        a = _native.expand_dims(a, at)
    return a


def squeeze(a: Any, axis: Any = None) -> Any:
    """Without axes of length 1: those named, or all."""
    return _native.squeeze(a, axis if axis is None or isinstance(axis, int) else list(axis))


def flip(m: Any, axis: Any = None) -> Any:
    """The elements from the last to the first along these axes."""
    m = tensor(m)
    return _arrays.reverse(m, axes_of(axis, m.ndim))


def flipped_along(axis: int) -> Meaning:
    """The elements from the last to the first along one axis."""
    return lambda m: flip(m, axis)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved along; without an axis as one row of all."""
    a = tensor(a)
    if axis is None:
        return _native.reshape(_arrays.roll(flat(a), shift, 0), _arrays.lengths(a))
    return _arrays.roll(a, shift, axis)


def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element so many times in a row; for each its own number wants to be known."""
    if isinstance(repeats, np.ndarray):
        repeats = repeats.tolist()
    a = tensor(a)
    a, at = (flat(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    is_list = isinstance(repeats, list | tuple)
    if is_list and len(repeats) == 1:
        repeats, is_list = repeats[0], False
    if is_list and len(repeats) != known_lengths(a)[at]:
        raise ValueError(
            f"operands could not be broadcast together with shape ({a.shape[at]},) ({len(repeats)},)"
        )
    if not is_list and isinstance(repeats, int) and repeats < 0:
        raise ValueError("repeats may not contain negative values.")
    if isinstance(repeats, _native.Tensor):
        repeats = _native.cast(repeats, _native.int64)
    return _arrays.repeat(a, repeats, at)


def tile(A: Any, reps: Any) -> Any:  # noqa: N803 - NumPy's name
    """The array put beside itself along its last axes, or along new ones in front."""
    a = tensor(A)
    times = list(reps) if isinstance(reps, list | tuple) else [reps]
    for _ in builtins.range(len(times) - a.ndim):
        a = _native.expand_dims(a, 0)
    return _arrays.tile(a, [1] * (a.ndim - len(times)) + times)


def concatenate(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    """Arrays joined along an axis, or all elements of them along one."""
    unset(out=out, **options)
    parts = [tensor(one) for one in arrays]
    if axis is None:
        return _native.concat([flat(one) for one in parts], 0)
    return _native.concat(parts, axis)


def joined(axis: int, least: int) -> Meaning:
    """Arrays of `least` axes at least joined along one axis; those with fewer axes along the first."""

    def meaning(tup: Any, **options: Any) -> Any:
        unset(**options)
        parts = [of_least(one, least) for one in tup]
        return _native.concat(parts, axis if parts[0].ndim > axis else 0)

    return meaning


def of_least(a: Any, count: int) -> Any:
    """The array with so many axes at least, as NumPy adds them."""
    a = tensor(a)
    while a.ndim < count:
        a = _native.expand_dims(a, 0 if a.ndim < 2 else 2)
    return a


def of_at_least(count: int) -> Meaning:
    """Each array with so many axes at least."""

    def meaning(*arys: Any) -> Any:
        found = tuple(of_least(one, count) for one in arys)
        return found[0] if len(found) == 1 else found

    return meaning


def column_stack(tup: Any) -> Any:
    """Rows as the columns of a matrix."""
    parts = [tensor(one) for one in tup]
    if any(one.ndim == 0 for one in parts):
        raise NotMeantError
    return _native.concat([_native.expand_dims(one, 1) if one.ndim == 1 else one for one in parts], 1)


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    """Elements by their numbers, from the end where these are negative."""
    unset(out=out)
    if mode != "raise":
        raise NotMeantError
    a, indices = tensor(a), tensor(indices)
    a, at = (flat(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    return a[(slice(None),) * at + (indices,)]


def diff(a: Any, n: int = 1, axis: Any = -1, **options: Any) -> Any:
    """The difference of each element from the one before, `n` times."""
    a = tensor(a)
    if options or a.dtype == _native.bool or n < 0:
        raise NotMeantError
    before = (slice(None),) * axis_of(axis, a.ndim)
    for _ in builtins.range(n):
        a = a[(*before, slice(1, None))] - a[(*before, slice(None, -1))]
    return a


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The elements at equal places of two axes, which move behind the others."""
    a = tensor(a)
    if offset != 0 or a.ndim < 2:
        raise NotMeantError
    first, second = axis_of(axis1, a.ndim), axis_of(axis2, a.ndim)
    return linalg.diag_part(moveaxis(a, (first, second), (-2, -1)))


def diag(v: Any, k: int = 0) -> Any:
    """The diagonal of a matrix, or the matrix of a diagonal."""
    v = tensor(v)
    if k != 0 or v.ndim not in (1, 2):
        raise NotMeantError
    return linalg.diag(v) if v.ndim == 1 else linalg.diag_part(v)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """The sum of the diagonal."""
    from .reductions import total

    return total(diagonal(a, offset, axis1, axis2), -1, dtype, out)


def triangle(lower: bool) -> Meaning:
    """The matrix with zeros above or below a diagonal."""

    def meaning(m: Any, k: int = 0) -> Any:
        m = tensor(m)
        if m.ndim == 0:
            raise NotMeantError
        # A row stands for the matrix in which each row is it.
        rows, columns = (_arrays.lengths(m) * 2)[-2:]
        down = _native.expand_dims(_native.range(rows), 1)
        along = _native.range(columns)
        stays = along <= down + k if lower else along >= down + k
        return _native.where(stays, m, _native.zeros([], m.dtype))

    return meaning


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **options: Any) -> Any:
    """The elements in order, NaN behind all others."""
    del kind
    unset(order=order, **options)
    a = tensor(a)
    return _native.sort(flat(a), 0) if axis is None else _native.sort(a, axis_of(axis, a.ndim))


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **options: Any) -> Any:
    """The places of the elements in order, equal ones in theirs."""
    del kind
    unset(order=order, **options)
    a = tensor(a)
    a, at = (flat(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    return _native.cast(_native.argsort(a, at, stable=True), _native.int64)


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Elements behind those of an array."""
    return concatenate([arr, values], axis)


def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    """An array with more elements around it."""
    array = tensor(array)
    value = options.pop("constant_values", 0)
    if options or mode != "constant" or isinstance(value, list | tuple):
        raise NotMeantError
    return _arrays.pad(array, widths(pad_width, array.ndim), "CONSTANT", value)


def widths(given: Any, ndim: int) -> Sequence[Sequence[Any]]:
    """Pairs for all axes: of one number, one pair, or one for each."""
    if not isinstance(given, list | tuple):
        return [(given, given)] * ndim
    if not isinstance(given[0], list | tuple):
        if len(given) == 1:
            return [(given[0], given[0])] * ndim
        return [tuple(given)] * ndim
    return [tuple(given[0])] * ndim if len(given) == 1 else [tuple(one) for one in given]


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """The coordinates over a grid, an array for each."""
    if sparse or not copy:
        raise NotMeantError
    return tuple(_arrays.meshgrid(*xi, indexing=indexing))


def stack(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    """Arrays side by side along a new axis."""
    unset(out=out, **options)
    return _native.stack([tensor(one) for one in arrays], axis)


def filled_like(fill: Meaning) -> Meaning:
    """An array of one number in the shape of another."""

    def meaning(a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None) -> Any:
        del order, subok
        unset(shape=shape)
        return fill(a, dtype) if dtype is not None else fill(a)

    return meaning


MOVES: dict[Any, Meaning] = {
    np.reshape: reshape,
    np.ravel: ravel,
    np.transpose: transpose,
    np.swapaxes: swapaxes,
    np.moveaxis: moveaxis,
    np.expand_dims: expand_dims,
    np.squeeze: squeeze,
    np.flip: flip,
    np.fliplr: flipped_along(1),
    np.flipud: flipped_along(0),
    np.roll: roll,
    np.repeat: repeat,
    np.tile: tile,
    np.concatenate: concatenate,
    np.stack: stack,
    np.vstack: joined(0, 2),
    np.hstack: joined(1, 1),
    np.dstack: joined(2, 3),
    np.column_stack: column_stack,
    np.append: append,
    np.atleast_1d: of_at_least(1),
    np.atleast_2d: of_at_least(2),
    np.take: take,
    np.diff: diff,
    np.diagonal: diagonal,
    np.diag: diag,
    np.trace: trace,
    np.tril: triangle(True),
    np.triu: triangle(False),
    np.sort: sort,
    np.argsort: argsort,
    np.pad: pad,
    np.meshgrid: meshgrid,
    np.empty_like: filled_like(_native.zeros_like),
    np.zeros_like: filled_like(_native.zeros_like),
    np.ones_like: filled_like(_native.ones_like),
    np.broadcast_to: _native.broadcast_to,
    np.copy: lambda a, order="K", subok=False: _arrays.identity(a),
}

#: Those that give a view of their first argument.
VIEWS = {
    np.transpose,
    np.swapaxes,
    np.moveaxis,
    np.expand_dims,
    np.squeeze,
    np.flip,
    np.fliplr,
    np.flipud,
    np.broadcast_to,
    np.diagonal,
}

#: Those that give a view where the elements stand in one row in memory, and a copy where they do not.
PERHAPS_VIEWS = {np.reshape, np.ravel, np.diag, np.atleast_1d, np.atleast_2d}

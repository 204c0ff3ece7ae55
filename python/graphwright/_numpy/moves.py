"""NumPy's functions that move, repeat, join and pick elements."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import _arrays, _native, linalg
from . import orders
from .meant import (
    Meaning,
    NotMeantError,
    axes_of,
    axis_of,
    dtype_of,
    flat,
    of_one_dtype,
    tensor,
    unset,
)
from .repeats import repeat, tile


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


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """The plane of two axes turned by right angles."""
    m = tensor(m)
    first, second = (axis_of(one, m.ndim) for one in axes)
    if first == second:
        raise ValueError("Axes must be different.")
    k %= 4
    if k == 0:
        return _arrays.identity(m)
    if k == 2:
        return flip(m, (first, second))
    return swapaxes(flip(m, second), first, second) if k == 1 else flip(swapaxes(m, first, second), second)


def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """An axis moved in front of another."""
    a = tensor(a)
    at = axis_of(axis, a.ndim)
    to = start + a.ndim if start < 0 else start
    return moveaxis(a, at, to - 1 if at < to else to)


def flipped_along(axis: int) -> Meaning:
    """The elements from the last to the first along one axis."""
    return lambda m: flip(m, axis)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved along; without an axis as one row of all."""
    a = tensor(a)
    if isinstance(shift, np.ndarray | np.generic | _native.Tensor):
        # The shift is taken negative, which is no number of its dtype where it is the least one.
        shift = _wide(shift)
    elif isinstance(shift, list | tuple):
        shift = [_wide(one) for one in shift]
    if axis is None:
        shift = builtins.sum(shift) if isinstance(shift, list) else shift
        return _native.reshape(_arrays.roll(flat(a), shift, 0), _arrays.lengths(a))
    return _arrays.roll(a, shift, axis)


def _wide(number: Any) -> Any:
    """A count of places as a number of 64 bits."""
    if isinstance(number, _native.Tensor):
        return _native.cast(number, _native.int64)
    return number.tolist() if isinstance(number, np.ndarray | np.generic) else number


def joined(axis: int, least: int) -> Meaning:
    """Arrays of `least` axes at least joined along one axis; those with fewer axes along the first."""

    def meaning(tup: Any, **options: Any) -> Any:
        parts = [of_least(one, least) for one in tup]
        return concatenate(parts, axis if parts[0].ndim > axis else 0, **options)

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
    parts = [_native.reshape(one, [1]) if one.ndim == 0 else one for one in parts_of(tup)]
    return _native.concat([_native.expand_dims(one, 1) if one.ndim == 1 else one for one in parts], 1)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The elements at equal places of two axes, which move behind the others."""
    a = tensor(a)
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = axis_of(axis1, a.ndim), axis_of(axis2, a.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    offset = int(offset)
    along = slice(offset, None) if offset > 0 else slice(None)
    down = slice(-offset, None) if offset < 0 else slice(None)
    turned = moveaxis(a, (first, second), (-2, -1))
    return linalg.diag_part(turned[..., down, along] if offset else turned)


def diag(v: Any, k: int = 0) -> Any:
    """The diagonal of a matrix, or the matrix of a diagonal."""
    v = tensor(v)
    if v.ndim not in (1, 2):
        raise ValueError("Input must be 1- or 2-d.")
    if v.ndim == 2:
        return diagonal(v, k)
    found, above, below = linalg.diag(v), builtins.max(int(k), 0), builtins.max(-int(k), 0)
    return _arrays.pad(found, [(below, above), (above, below)]) if k else found


def diagflat(v: Any, k: int = 0) -> Any:
    """The matrix whose diagonal all elements are."""
    return diag(flat(v), k)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """The sum of the diagonal."""
    from .reductions import total

    return total(diagonal(a, offset, axis1, axis2), -1, dtype, out)


def triangle(lower: bool) -> Meaning:
    """The matrix with zeros above or below a diagonal."""

    def meaning(m: Any, k: int = 0) -> Any:
        m = tensor(m)
        if m.ndim == 0:
            raise IndexError("tuple index out of range")
        # A row stands for the matrix in which each row is it.
        rows, columns = (_arrays.lengths(m) * 2)[-2:]
        # A diagonal may be farther away than the dtype of `k` or of the places holds.
        down = _native.expand_dims(_native.cast(_native.range(rows), _native.int64), 1)
        down = down + _native.cast(k, _native.int64)
        along = _native.cast(_native.range(columns), _native.int64)
        stays = along <= down if lower else along >= down
        return _native.where(stays, m, _native.zeros([], m.dtype))

    return meaning


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **options: Any) -> Any:
    """The elements in order, NaN behind all others."""
    del kind
    options.pop("stable", None)
    unset(order=order, **options)
    a = tensor(a)
    if a.dtype.is_complex:
        return orders.sort(a, axis)
    return _native.sort(flat(a), 0) if axis is None else _native.sort(a, axis_of(axis, a.ndim))


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **options: Any) -> Any:
    """The places of the elements in order, equal ones in theirs."""
    del kind
    options.pop("stable", None)
    unset(order=order, **options)
    a = tensor(a)
    a, at = (flat(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    if a.dtype.is_complex:
        return orders.places_in_order(a, at)
    return _native.cast(_native.argsort(a, at, stable=True), _native.int64)


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Elements behind those of an array."""
    return concatenate([arr, values], axis)


def copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    """An array of its own with the same elements."""
    del order, subok
    return _arrays.identity(tensor(a))


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """The coordinates over a grid, an array for each."""
    del copy
    rows = [flat(one) for one in xi]
    if not sparse:
        return tuple(_arrays.meshgrid(*rows, indexing=indexing))
    order = list(builtins.range(len(rows)))
    if indexing == "xy" and len(rows) > 1:
        order[:2] = [1, 0]
    return tuple(
        _native.reshape(row, [-1 if at == order[place] else 1 for at in builtins.range(len(rows))])
        for place, row in enumerate(rows)
    )


def parts_of(arrays: Any) -> list[Any]:
    """The arrays of a list, or the slices of one array, in the dtype in which they meet."""
    listed = arrays if isinstance(arrays, list | tuple) else _arrays.unstack(tensor(arrays))
    # NumPy makes arrays of the numbers and lists among them, each in a dtype of its own.
    return of_one_dtype(
        *(np.asarray(one) if isinstance(one, int | float | complex) else one for one in listed), exact=True
    )


def concatenate(
    arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Arrays joined along an axis, or all elements of them along one."""
    del casting
    unset(out=out)
    parts = parts_of(arrays)
    if dtype is not None:
        parts = [_native.cast(one, dtype_of(dtype)) for one in parts]
    if axis is None:
        return _native.concat([flat(one) for one in parts], 0)
    if parts[0].ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    return _native.concat(parts, axis)


def stack(
    arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Arrays side by side along a new axis."""
    del casting
    unset(out=out)
    return _native.stack(
        [one if dtype is None else _native.cast(one, dtype_of(dtype)) for one in parts_of(arrays)], axis
    )


def filled_like(number: Any) -> Meaning:
    """An array of one number in the shape of another."""

    def meaning(
        a: Any,
        dtype: Any = None,
        order: str = "K",
        subok: bool = True,
        shape: Any = None,
        *,
        device: Any = None,
    ) -> Any:
        return full_like(a, number, dtype, order, subok, shape, device=device)

    return meaning


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """An array of one value, or of values that are repeated, in the shape of another."""
    del order, subok, device
    a = tensor(a)
    wanted = a.dtype if dtype is None else dtype_of(dtype)
    lengths = _arrays.lengths(a) if shape is None else [shape] if isinstance(shape, int) else list(shape)
    if isinstance(fill_value, int | float | bool) and wanted != _native.string:
        return _native.fill(lengths, _native.constant(np.full((), fill_value, wanted.as_numpy_dtype)))
    return _native.broadcast_to(_native.cast(tensor(fill_value), wanted), lengths)


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
    np.atleast_3d: of_at_least(3),
    np.rot90: rot90,
    np.rollaxis: rollaxis,
    np.diagonal: diagonal,
    np.diag: diag,
    np.diagflat: diagflat,
    np.trace: trace,
    np.tril: triangle(True),
    np.triu: triangle(False),
    np.sort: sort,
    np.argsort: argsort,
    np.meshgrid: meshgrid,
    np.empty_like: filled_like(0),
    np.zeros_like: filled_like(0),
    np.ones_like: filled_like(1),
    np.full_like: full_like,
    np.broadcast_to: _native.broadcast_to,
    np.copy: copy,
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
    np.rot90,
    np.rollaxis,
}

#: Those that give a view where the elements stand in one row in memory, and a copy where they do not.
PERHAPS_VIEWS = {
    np.reshape,
    np.ravel,
    np.diag,
    np.atleast_1d,
    np.atleast_2d,
    np.atleast_3d,
    np.broadcast_arrays,
}

#: Those that give several views of their first argument.
LISTS_OF_VIEWS = {
    getattr(np, name)
    for name in ("split", "array_split", "hsplit", "vsplit", "dsplit", "unstack")
    if hasattr(np, name)
}


def _with_real(array: Any, part: Any) -> Any:
    """The array with other real parts, of which real numbers are all."""
    return _native.complex(part, _native.imag(array)) if array.dtype.is_complex else part


def _with_imag(array: Any, part: Any) -> Any:
    """The array with other imaginary parts; those of real numbers are zeros that nobody may change."""
    if not array.dtype.is_complex:
        raise ValueError("assignment destination is read-only")
    return _native.complex(_native.real(array), part)


#: Those that give a view of their first argument, and what that is when something is stored into the view.
STORES = {np.real: _with_real, np.imag: _with_imag}

"""NumPy's functions that read, choose and store elements by their places."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from .. import _arrays, _native
from .meant import (
    Meaning,
    NotMeantError,
    axis_of,
    concrete,
    fails,
    first_or_flat,
    flat,
    known_lengths,
    length,
    of_one_dtype,
    rows,
    tensor,
    unset,
)
from .searches import flatnonzero


def _beside(indices: Any, axis: int, lengths: list[Any]) -> tuple[Any, ...]:
    """Indices along one axis, and beside them the place itself along the others."""
    found = []
    for at, count in enumerate(lengths):
        shape = [1] * len(lengths)
        shape[at] = -1
        places = (
            _native.range(count)
            if isinstance(count, int)
            else _native.cast(_native.range(count), _native.int64)
        )
        found.append(indices if at == axis else _native.reshape(places, shape))
    return tuple(found)


def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """Elements by their places along an axis, other places for each row."""
    indices = tensor(indices)
    if indices.dtype == _native.bool or indices.dtype.is_floating:
        raise IndexError("`indices` must be an integer array")
    a, at = first_or_flat(arr, axis)
    if axis is None and indices.ndim != 1:
        raise ValueError("when axis=None, `indices` must have a single dimension.")
    if a.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return a[_beside(indices, at, _arrays.lengths(a))]


def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any = -1) -> None:
    """Stores elements by their places along an axis."""
    if axis is None:
        raise NotMeantError
    indices = tensor(indices)
    if indices.dtype == _native.bool or indices.dtype.is_floating:
        raise IndexError("`indices` must be an integer array")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    arr[_beside(indices, axis_of(axis, arr.ndim), _arrays.lengths(arr))] = values


def repeated(values: Any, count: Any) -> Any:
    """So many of the values, from the first again behind the last."""
    values = flat(tensor(values))
    if values.shape[0] == 0:
        raise NotMeantError
    return _native.gather(values, _native.floormod(_native.range(count), length(values, 0)), axis=0)


def place(arr: Any, mask: Any, vals: Any) -> None:
    """Stores values, one after the other, where a mask is true."""
    mask = _truths(mask)
    if mask.shape != arr.shape:
        mask = _native.reshape(mask, _arrays.lengths(arr))
    spread = _spread(arr, vals, np.cumsum(flat(mask)) - 1)
    arr[...] = _native.where(mask, spread, tensor(arr))


def putmask(a: Any, mask: Any, values: Any) -> None:
    """Stores the values at the places at which a mask is true."""
    mask = _truths(mask)
    if None not in a.shape and math.prod(mask.shape) != math.prod(a.shape):
        raise ValueError("putmask: mask and data must be the same size")
    mask = _native.reshape(mask, _arrays.lengths(a))
    spread = _spread(a, values, _native.range(length(flat(tensor(a)), 0)))
    a[...] = _native.where(mask, spread, tensor(a))


def _spread(a: Any, values: Any, numbers: Any) -> Any:
    """For each element of an array the value of a number, the first ones again behind the last."""
    values = _elements(values, a.dtype)
    if values.ndim:
        _check_cast(values, a, "safe")
    values = _native.cast(flat(values), a.dtype)
    if values.shape[0] == 0:
        raise NotMeantError
    found = _native.gather(
        values, _native.floormod(numbers, _native.cast(length(values, 0), numbers.dtype)), axis=0
    )
    return _native.reshape(found, _arrays.lengths(a))


def _check_cast(of: Any, to: Any, casting: Any) -> None:
    """Raises NumPy's exception where its rule casts no elements of one array to those of another."""
    of_dtype, to_dtype = (np.dtype(one.dtype.as_numpy_dtype) for one in (of, to))
    if not np.can_cast(of_dtype, to_dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {of_dtype!r} to {to_dtype!r} according to the rule {casting!r}"
        )


def _elements(values: Any, dtype: Any) -> Any:
    """Values to store: NumPy judges Python's numbers, of which an integer may be out of bounds."""
    numbers = values if isinstance(values, list | tuple) else [values]
    if all(isinstance(one, int | float | complex) for one in numbers):
        return tensor(np.asarray(values, dtype.as_numpy_dtype))
    return tensor(values)


def _truths(mask: Any) -> Any:
    mask = tensor(mask)
    return mask if mask.dtype == _native.bool else mask != 0


def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """Stores an array into another, where a mask is true."""
    src = tensor(src)
    _check_cast(src, dst, casting)
    src = _native.cast(src, dst.dtype)
    dst[...] = src if where is True else _native.where(_truths(where), src, tensor(dst))


def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Stores values at places among all elements."""
    row, ind = flat(tensor(a)), _native.cast(flat(tensor(ind)), _native.int64)
    count = _native.cast(length(row, 0), _native.int64)
    ind = _inside(ind, count, mode, f"index is out of bounds for size {row.shape[0]}")
    values = _native.cast(repeated(_elements(v, row.dtype), length(ind, 0)), row.dtype)
    if ind.shape[0] == 0:
        return
    stored = _native.tensor_scatter_nd_update(row, _native.expand_dims(ind, 1), values)
    a[...] = _native.reshape(stored, _arrays.lengths(a))


def _inside(indices: Any, count: Any, mode: str, message: str, error: str = "IndexError") -> Any:
    """Places from 0 on, as `mode` takes those that are outside."""
    if mode == "wrap":
        return _native.floormod(indices, count)
    if mode == "clip":
        return _native.minimum(_native.maximum(indices, 0), count - 1)
    if mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    fails(_native.reduce_all((indices >= -count) & (indices < count)), error, message)
    return _native.where(indices < 0, indices + count, indices)


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """For each element that of the array of this number."""
    unset(out=out)
    a = tensor(a)
    if a.dtype.is_floating or a.dtype == _native.bool:
        raise NotMeantError
    choices = of_one_dtype(
        *(choices if isinstance(choices, list | tuple) else _arrays.unstack(tensor(choices)))
    )
    a = _native.cast(a, _native.int64)
    if mode == "raise":
        fails(
            _native.reduce_all((a >= 0) & (a < len(choices))), "ValueError", "invalid entry in choice array"
        )
    a = _inside(a, len(choices), "clip" if mode == "raise" else mode, "")
    found = choices[0]
    for number, choice in enumerate(choices[1:], 1):
        found = _native.where(a == number, choice, found)
    return _broadcast(found, a)


def _broadcast(found: Any, beside: Any) -> Any:
    return _native.where(_native.ones_like(beside, _native.bool), found, found)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """For each element the choice of the first condition that holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    conditions = [tensor(one) for one in condlist]
    for number, one in enumerate(conditions):
        if one.dtype != _native.bool:
            raise TypeError(f"invalid entry {number} in condlist: should be boolean ndarray")
    *choices, found = of_one_dtype(
        *(np.asarray(one) if isinstance(one, bool) else one for one in (*choicelist, default)), exact=True
    )
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        found = _native.where(condition, choice, found)
    return found


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """For each element what the function of its condition gives."""
    x = tensor(x)
    if x.ndim == 0:
        raise NotMeantError
    is_one = not isinstance(condlist, list | tuple) or not condlist or _is_single(condlist[0])
    conditions = [_truths(one) for one in ([condlist] if is_one else condlist)]
    if len(funclist) == len(conditions) + 1:
        met = conditions[0]
        for one in conditions[1:]:
            met = met | one
        conditions.append(~met)
    elif len(funclist) != len(conditions):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} "
            f"or {len(conditions) + 1} functions are expected"
        )
    found = _native.zeros_like(x)
    for condition, one in zip(conditions, funclist, strict=True):
        if callable(one):
            value = _native.operators.conv(one)(x[condition], *args, **kw)
            place_of = _native.where(condition)
            value = _native.broadcast_to(_native.cast(value, x.dtype), _native.shape(place_of)[:1])
            found = _native.tensor_scatter_nd_update(found, place_of, value)
        else:
            found = _native.where(condition, _native.cast(one, x.dtype), found)
    return found


def _is_single(condition: Any) -> bool:
    return isinstance(condition, bool | np.bool_) or (
        isinstance(condition, _native.Tensor) and condition.ndim == 0
    )


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Stores values along the diagonal."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if None in a.shape and a.ndim == 2:
        rows_, columns = (_native.cast(one, _native.int64) for one in _arrays.lengths(a))
        whole = rows_ * columns
        last = whole if wrap else _native.minimum(whole, columns * columns)
        return put(a, _native.range(_native.cast(0, _native.int64), last, columns + 1), val)
    lengths = known_lengths(a)
    if a.ndim > 2 and len(set(lengths)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    step = (
        lengths[1] + 1 if a.ndim == 2 else 1 + sum(math.prod(lengths[at + 1 :]) for at in range(a.ndim - 1))
    )
    end = lengths[1] * lengths[1] if a.ndim == 2 and not wrap else math.prod(lengths)
    put(a, np.arange(0, min(end, math.prod(lengths)), step), val)


def unravel_index(indices: Any, shape: Any, order: str = "C") -> Any:
    """The places along each axis of elements that are numbered through."""
    indices = tensor(indices)
    if indices.dtype.is_floating or order not in ("C", "F"):
        raise NotMeantError
    lengths = [shape] if isinstance(shape, int) else list(shape)
    indices = _native.cast(indices, _native.int64)
    whole = math.prod(lengths)
    fails(
        _native.reduce_all((indices >= 0) & (indices < whole)),
        "ValueError",
        "index is out of bounds for array" + (f" with size {whole}" if isinstance(whole, int) else ""),
    )
    found = []
    for count in lengths if order == "F" else lengths[::-1]:
        found.append(_native.floormod(indices, count))
        indices = _native.floordiv(indices, count)
    return tuple(found if order == "F" else found[::-1])


def _is_fraction(dtype: Any) -> bool:
    return bool(dtype.is_floating or dtype.is_complex or dtype == _native.string)


def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """The number, counted through, of places along each axis."""
    if order not in ("C", "F"):
        raise NotMeantError
    lengths = [dims] if isinstance(dims, int) else list(dims)
    places = multi_index if isinstance(multi_index, list | tuple) else _arrays.unstack(tensor(multi_index))
    modes = [mode] * len(lengths) if isinstance(mode, str) else list(mode)
    if len(places) != len(lengths):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(lengths)}")
    if any(_is_fraction(tensor(one).dtype) for one in places):
        raise TypeError("only int indices permitted")
    found: Any = 0
    triples = list(zip(places, lengths, modes, strict=True))
    for at, count, how in triples if order == "C" else triples[::-1]:
        at = _native.cast(tensor(at), _native.int64)
        if how == "raise":
            ok = _native.reduce_all((at >= 0) & (at < count))
            fails(ok, "ValueError", "invalid entry in coordinates array")
        else:
            at = _inside(at, count, how, "")
        found = found * count + at
    return found


def ix_(*args: Any) -> Any:
    """Indices that pick a grid, an array for each axis."""
    found = []
    for at, one in enumerate(args):
        one = tensor(one)
        if one.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        one = flatnonzero(one) if one.dtype == _native.bool else one
        found.append(_native.reshape(one, [-1 if axis == at else 1 for axis in range(len(args))]))
    return tuple(found)


def diag_indices_from(arr: Any) -> Any:
    """Places along the diagonal."""
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    lengths = known_lengths(arr)
    if len(set(lengths)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return (tensor(np.arange(lengths[0])),) * arr.ndim


def indices_of_triangle(name: str) -> Meaning:
    """Places in the triangle of a matrix."""

    def meaning(arr: Any, k: int = 0) -> Any:
        if arr.ndim != 2:
            raise ValueError("input array must be 2-d")
        count, columns = known_lengths(arr)
        return tuple(tensor(one) for one in getattr(np, name)(count, concrete(k), columns))

    return meaning


def broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    """Arrays repeated to the shape in which all meet."""
    del subok
    found = [tensor(one) for one in args]
    shape: list[Any] = [1] * max((one.ndim for one in found), default=0)
    for one in found:
        for at, count in enumerate(_arrays.lengths(one)[::-1], 1):
            if isinstance(count, int) and count == 1:
                continue
            known = shape[-at]
            if isinstance(known, int) and isinstance(count, int) and known not in (1, count):
                raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
            shape[-at] = count if not isinstance(known, int) or known == 1 else known
    return tuple(_native.broadcast_to(one, shape) for one in found)


def resize(a: Any, new_shape: Any) -> Any:
    """The elements in another shape, the first ones again behind the last."""
    shape = [new_shape] if isinstance(new_shape, int) else list(new_shape)
    if any(count < 0 for count in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    row = flat(tensor(a))
    if row.shape[0] == 0:
        return _native.zeros(shape, row.dtype)
    return _native.reshape(repeated(row, math.prod(shape)), shape)


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    """Elements by their numbers, from the end where these are negative."""
    unset(out=out)
    a, at = first_or_flat(a, axis)
    indices = tensor(indices)
    if indices.dtype == _native.bool or indices.dtype.is_floating:
        raise NotMeantError
    if mode != "raise":
        indices = _inside(_native.cast(indices, _native.int64), length(a, at), mode, "")
    return a[(builtins.slice(None),) * at + (indices,)]


PLACES = rows(
    np,
    {
        "take": take,
        "take_along_axis": take_along_axis,
        "put_along_axis": put_along_axis,
        "place": place,
        "putmask": putmask,
        "copyto": copyto,
        "put": put,
        "choose": choose,
        "select": select,
        "piecewise": piecewise,
        "fill_diagonal": fill_diagonal,
        "unravel_index": unravel_index,
        "ravel_multi_index": ravel_multi_index,
        "ix_": ix_,
        "diag_indices_from": diag_indices_from,
        "tril_indices_from": indices_of_triangle("tril_indices"),
        "triu_indices_from": indices_of_triangle("triu_indices"),
        "broadcast_arrays": broadcast_arrays,
        "resize": resize,
    },
)

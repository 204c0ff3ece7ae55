"""Methods of NumPy's ufuncs, `reduce` to `at`, and the arguments that all ufuncs take."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _arrays, _native
from . import turns
from .meant import (
    NotMeantError,
    along,
    axes_of,
    concrete,
    dtype_of,
    fails,
    first_or_flat,
    has_tensors,
    is_exact,
    known_lengths,
    length,
    of_one_dtype,
    tensor,
    unset,
)

Meaning = Callable[..., Any]

#: Ufuncs whose reduction is a function of NumPy's.
_REDUCTIONS: dict[Any, Meaning] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}

#: Ufuncs that give the same in whatever way operands are put in brackets.
_ASSOCIATIVE = {
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.fmax,
    np.fmin,
    np.gcd,
    np.hypot,
    np.lcm,
    np.logaddexp,
    np.logaddexp2,
    np.logical_and,
    np.logical_or,
    np.logical_xor,
    np.maximum,
    np.minimum,
}

#: Steps at most that are written one by one into a graph.
_MOST_STEPS = 64


def reduce(
    ufunc: Any,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """The elements along axes taken together."""
    unset(out=out)
    array = tensor(array)
    options: dict[str, Any] = {} if initial is None else {"initial": initial}
    if where is not True:
        options["where"] = where
    if (known := _REDUCTIONS.get(ufunc)) is not None:
        if dtype is not None:
            array = _native.cast(array, dtype_of(dtype))
        return known(array, axis=axis, keepdims=keepdims, **options)
    unset(dtype=dtype, **options)
    for at in sorted(axes_of(axis, array.ndim), reverse=True):
        array = _folded(ufunc, array, at)
        array = _native.expand_dims(array, at) if keepdims else array
    return array


def _folded(ufunc: Any, array: Any, axis: int) -> Any:
    _check_bools(ufunc, array)
    count = length(array, axis)
    if not isinstance(count, int):
        if ufunc.identity is not None:
            # Beside the identity there is an element at least.
            around = _arrays.lengths(array)
            around[axis] = 1
            unit = _native.fill(around, _native.cast(ufunc.identity, array.dtype))
            array = _native.concat([unit, array], axis)
        else:
            message = f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
            fails(count != 0, "ValueError", message)
        return turns.folded(ufunc, array, axis)
    if count == 0:
        if ufunc.identity is None:
            raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
        around = known_lengths(array)
        del around[axis]
        return _native.fill(around, _native.cast(ufunc.identity, array.dtype))
    if ufunc in _ASSOCIATIVE:
        while count > 1:
            half = count // 2
            joined = ufunc(along(array, axis, slice(0, half)), along(array, axis, slice(half, 2 * half)))
            rest = along(array, axis, slice(2 * half, None))
            array = _native.concat([joined, rest], axis) if count % 2 else joined
            count = half + count % 2
        return along(array, axis, 0)
    if count > _MOST_STEPS:
        return turns.folded(ufunc, array, axis)
    # Parts with an axis: arrays wrap, single numbers may be an `OverflowError`.
    found = along(array, axis, slice(0, 1))
    for at in range(1, count):
        found = ufunc(found, along(array, axis, slice(at, at + 1)))
    return along(found, axis, 0)


def _check_bools(ufunc: Any, array: Any) -> None:
    """NumPy's `TypeError` for differences of truths, also where there is one alone."""
    if ufunc is np.subtract and array.dtype == _native.bool:
        ufunc(array, array)


def accumulate(ufunc: Any, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """The elements taken together up to each."""
    unset(out=out)
    array, at = first_or_flat(array, axis)
    if ufunc is np.add:
        return np.cumsum(array, axis=at, dtype=dtype)
    if ufunc is np.multiply:
        return np.cumprod(array, axis=at, dtype=dtype)
    unset(dtype=dtype)
    _check_bools(ufunc, array)
    count = length(array, at)
    if not isinstance(count, int):
        return turns.accumulated(ufunc, array, at)
    if ufunc in _ASSOCIATIVE:
        step = 1
        while step < count:
            later = ufunc(along(array, at, slice(step, None)), along(array, at, slice(None, -step)))
            array = _native.concat([along(array, at, slice(None, step)), later], at)
            step *= 2
        return array
    if count > _MOST_STEPS:
        return turns.accumulated(ufunc, array, at)
    found = [along(array, at, slice(0, 1))] if count else []
    for place in range(1, count):
        found.append(ufunc(found[-1], along(array, at, slice(place, place + 1))))
    return _native.concat(found, at) if found else array


def reduceat(ufunc: Any, array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """The elements from each place to the next one taken together."""
    from .meant import concrete

    array, at = first_or_flat(array, axis)
    places = [int(one) for one in np.ravel(concrete(indices))]
    if len(places) > _MOST_STEPS:
        raise NotMeantError
    count = length(array, at)
    found = []
    for low, high in zip(places, [*places[1:], None], strict=True):
        known = f"[0, {count})" if isinstance(count, int) else "its array"
        message = f"index {low} out-of-bounds in {ufunc.__name__}.reduceat {known}"
        fails(low < count if low >= 0 else False, "IndexError", message)
        part = along(array, at, slice(low, high if high is None or high > low else low + 1))
        found.append(reduce(ufunc, part, at, dtype, out))
    return _native.stack(found, at)


#: Ufuncs that compare numbers of two dtypes without rounding them.
_COMPARED = {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.ldexp}


def outer(ufunc: Any, A: Any, B: Any, /, **options: Any) -> Any:  # noqa: N803 - NumPy's names
    """Each element with each of another array."""
    left, right = tensor(A), tensor(B)
    if ufunc not in _COMPARED:
        left, right = of_one_dtype(left, right, exact=is_exact(A, B))
    left = _native.reshape(left, [*_arrays.lengths(left), *([1] * right.ndim)])
    return ufunc(left, right, **options)


_STORES = {
    np.add: _native.tensor_scatter_nd_add,
    np.subtract: _native.tensor_scatter_nd_sub,
    np.maximum: _native.tensor_scatter_nd_max,
    np.minimum: _native.tensor_scatter_nd_min,
}


def at(ufunc: Any, a: Any, indices: Any, b: Any = None) -> None:
    """Changes elements at places, the same one as often as it is named."""
    places = list(indices) if isinstance(indices, tuple) else [indices]
    if not isinstance(a, _native.Tensor):
        raise NotMeantError
    if ufunc in _STORES and b is not None and not any(isinstance(one, slice) for one in places):
        _store_at(ufunc, a, [_numbers_of(one) for one in places], b)
        return
    if not any(isinstance(one, slice) for one in places) and any(map(_has_staged, (a, *places, b))):
        _change_one_by_one(ufunc, a, [_numbers_of(one) for one in places], b)
        return
    array = np.array(concrete(a))
    ufunc.at(array, concrete(indices), *([] if b is None else [concrete(b)]))
    a[...] = array


def _has_staged(value: Any) -> bool:
    """True of a value of the graph, and of lists in which one stands."""
    if isinstance(value, list | tuple):
        return any(map(_has_staged, value))
    return isinstance(value, _native.Tensor) and _native.is_staged(value)


def _change_one_by_one(ufunc: Any, a: Any, places: list[list[Any]], b: Any) -> None:
    """Changes elements at few places, one after the other."""
    numbers = [one for place in places for one in place]
    shape = np.broadcast_shapes(*(tuple(known_lengths(one)) for one in numbers))
    count, inner = math.prod(shape), _arrays.lengths(a)[len(numbers) :]
    if count > _MOST_STEPS:
        raise NotMeantError
    numbers = [_native.reshape(_native.broadcast_to(one, shape), [count]) for one in numbers]
    others = []
    if b is not None:
        others.append(_native.reshape(_native.broadcast_to(tensor(b), [*shape, *inner]), [count, *inner]))
    for at in range(count):
        # Parts with an axis: arrays wrap, single numbers may be an `OverflowError`.
        one = slice(at, at + 1)
        index = tuple(number[one] for number in numbers)
        found = ufunc(a[index], *(other[one] for other in others))
        a[index] = _native.cast(tensor(found), a.dtype)


def _numbers_of(place: Any) -> list[Any]:
    """Indices, of which a mask has those of each axis."""
    if not isinstance(place, _native.Tensor) and not has_tensors(place):
        place = np.asarray(place)
        if place.dtype == bool:
            return [tensor(one) for one in np.nonzero(place)]
    place = tensor(place)
    if place.dtype.is_floating and place.shape != (0,):
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    if place.dtype != _native.bool:
        return [_native.cast(place, _native.int64)]
    found = _native.where(place)
    return [along(found, 1, at) for at in range(place.ndim)]


def _store_at(ufunc: Any, a: Any, places: list[list[Any]], b: Any) -> None:
    lengths, numbers = _arrays.lengths(a), [one for place in places for one in place]
    numbers = [_native.where(one < 0, one + count, one) for one, count in zip(numbers, lengths, strict=False)]
    shape = (
        _arrays.lengths(numbers[0])
        if len(places) == 1
        else np.broadcast_shapes(*(tuple(known_lengths(one)) for one in numbers))
    )
    rows = _native.stack([_native.broadcast_to(one, shape) for one in numbers], -1)
    inner = lengths[len(numbers) :]
    updates = _native.broadcast_to(_native.cast(tensor(b), a.dtype), [*shape, *inner])
    a[...] = _STORES[ufunc](_native.reshape(tensor(a), lengths), rows, updates)


METHODS: dict[str, Meaning] = {
    "reduce": reduce,
    "accumulate": accumulate,
    "reduceat": reduceat,
    "outer": outer,
    "at": at,
}


def with_options(meaning: Meaning, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of a ufunc with the arguments that all ufuncs take, but for `out`."""
    options = {name: value for name, value in options.items() if name not in ("order", "subok", "casting")}
    where, dtype = options.pop("where", True), options.pop("dtype", None)
    axis = options.pop("axis", None)
    unset(**options)
    if axis is not None:
        return meaning(*inputs, axis=axis)
    if dtype is not None:
        wanted = dtype_of(dtype)
        inputs = tuple(_native.cast(tensor(one), wanted) for one in inputs)
    found = meaning(*inputs)
    if dtype is not None:
        if isinstance(found, tuple) or found.dtype == _native.bool != wanted:
            raise NotMeantError
        found = _native.cast(found, wanted)
    if where is True:
        return found
    # NumPy leaves elements as they are in memory where the mask is false; here they are zeros.
    return _native.where(tensor(where), found, _native.zeros_like(found))


def stored(out: Any, found: Any, options: dict[str, Any], name: str) -> Any:
    """The array that takes a result, where a mask is true."""
    where = options.get("where", True)
    casting = options.get("casting", "same_kind")
    found = tensor(found)
    to, of = (
        np.dtype(one.dtype if isinstance(one, np.ndarray) else one.dtype.as_numpy_dtype)
        for one in (out, found)
    )
    if not np.can_cast(of, to, casting):
        raise TypeError(
            f"Cannot cast ufunc '{name}' output from {of!r} to {to!r} with casting rule '{casting}'"
        )
    if isinstance(out, np.ndarray):
        np.copyto(out, found.numpy(), casting="unsafe", where=where if where is True else np.asarray(where))
        return out
    found = _native.cast(found, out.dtype)
    if where is not True:
        found = _native.where(tensor(where), found, tensor(out))
    out[...] = found
    return out

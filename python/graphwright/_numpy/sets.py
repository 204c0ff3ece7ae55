"""NumPy's functions of arrays as sets: each element once, elements of one array in another, sorted keys.

The number of elements in a result is known when the graph runs.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import _arrays, _native
from .intervals import places_in
from .meant import (
    NotMeantError,
    concrete,
    fitting,
    flat,
    is_plain,
    known_lengths,
    length,
    of_one_dtype,
    rows,
    tensor,
)
from .searches import flatnonzero, unique


def row(a: Any) -> Any:
    """All elements in order, bools as numbers."""
    a = flat(tensor(a))
    if a.dtype == _native.string:
        raise NotMeantError
    return a


def distinct(a: Any) -> Any:
    """Each element once, in order, of bools too."""
    if a.dtype == _native.bool:
        return _native.cast(unique(_native.cast(a, _native.uint8)), _native.bool)
    return unique(a)


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Any:
    """True for each element that is one of others."""
    del assume_unique, kind
    element = tensor(element)
    if element.dtype == _native.string:
        raise NotMeantError
    ours, theirs = of_one_dtype(_number(element), _number(flat(tensor(test_elements))), exact=True)
    ordered = _native.sort(theirs, 0)
    place = places_in(ordered, ours)
    count = length(ordered, 0)
    there = _native.gather(_native.concat([ordered, _native.zeros([1], ordered.dtype)], 0), place, axis=0)
    found = (there == ours) & (place < count)
    return _native.logical_not(found) if invert else found


def _number(a: Any) -> Any:
    return _native.cast(a, _native.uint8) if a.dtype == _native.bool else a


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None) -> Any:
    """The same for all elements along one axis."""
    return isin(flat(tensor(ar1)), ar2, assume_unique, invert, kind=kind)


def union1d(ar1: Any, ar2: Any) -> Any:
    """Elements of one array or of the other, each once."""
    # A number of Python's takes the dtype of the other array here, and here alone.
    both = (one if is_plain(one) else row(one) for one in (ar1, ar2))
    return distinct(_native.concat([flat(one) for one in of_one_dtype(*both, exact=True)], 0))


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Elements of both arrays, each once."""
    first, second = of_one_dtype(row(ar1), row(ar2), exact=True)
    if first.dtype == _native.bool:
        raise NotMeantError
    ours, theirs = first, second
    if not assume_unique:
        ours, at_first = unique(first, return_index=True)
        theirs, at_second = unique(second, return_index=True)
    both = _native.concat([ours, theirs], 0)
    order = _native.argsort(both, stable=True)
    ordered = _native.gather(both, order, axis=0)
    starts = flatnonzero(ordered[1:] == ordered[:-1])
    found = _native.gather(ordered, starts, axis=0)
    if not return_indices:
        return found
    left = _native.cast(_native.gather(order, starts, axis=0), _native.int64)
    right = _native.cast(_native.gather(order, starts + 1, axis=0), _native.int64) - length(ours, 0)
    if not assume_unique:
        left, right = _native.gather(at_first, left, axis=0), _native.gather(at_second, right, axis=0)
    return found, left, right


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Elements of the first array that are not in the second, each once."""
    ours = row(ar1) if assume_unique else distinct(row(ar1))
    return ours[isin(ours, ar2, invert=True)]


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Elements of one array alone, each once."""
    first, second = of_one_dtype(row(ar1), row(ar2), exact=True)
    if not assume_unique:
        first, second = distinct(first), distinct(second)
    ordered = _native.sort(_number(_native.concat([first, second], 0)), 0)
    differ = ordered[1:] != ordered[:-1]
    end = _native.ones_like(ordered[:1], _native.bool)
    alone = _native.concat([end, differ], 0) & _native.concat([differ, end], 0)
    return _native.cast(ordered, first.dtype)[alone]


def unique_of(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """`np.unique`: each element once, or each slice along an axis."""
    del sorted
    given = tensor(ar)
    more = {"return_index": return_index, "return_inverse": return_inverse, "return_counts": return_counts}
    if given.dtype == _native.string or not equal_nan:
        raise NotMeantError
    if axis is not None:
        return unique_slices(given, axis, **more)
    if given.dtype == _native.bool:
        found = unique(_native.cast(given, _native.uint8), **more)
        if isinstance(found, tuple):
            return (_native.cast(found[0], _native.bool), *found[1:])
        return _native.cast(found, _native.bool)
    return unique(given, **more)


def unique_slices(a: Any, axis: Any, return_index: Any, return_inverse: Any, return_counts: Any) -> Any:
    """Each slice along an axis once, in the order of their elements."""
    from .meant import axis_of
    from .searches import inverse

    at = axis_of(axis, a.ndim)
    turned = _arrays.moved(a, at, 0)
    around = known_lengths(turned)
    table = _native.reshape(_number(turned), [around[0], -1]) if 0 not in around else None
    if table is None or (a.dtype.is_floating and return_inverse):
        raise NotMeantError
    columns = [table[:, place] for place in builtins.range(known_lengths(table)[1])]
    order = lexsort(columns[::-1])
    ordered = _native.gather(table, order, axis=0)
    differ = _native.reduce_any(ordered[1:] != ordered[:-1], 1)
    begins = _native.concat([_native.ones_like(order[:1], _native.bool), differ], 0)
    starts = flatnonzero(begins)
    kept = _native.gather(turned, _native.gather(order, starts, axis=0), axis=0)
    results = [_arrays.moved(kept, 0, at)]
    if return_index:
        results.append(_native.gather(order, starts, axis=0))
    if return_inverse:
        results.append(inverse(begins, order, order))
    if return_counts:
        ends = _native.concat([starts[1:], _native.constant([around[0]], _native.int64)], 0)
        results.append(ends - starts)
    return results[0] if len(results) == 1 else tuple(results)


def _with_names(name: str, *asked: str) -> Any:
    """`np.unique_counts` and its kin, which give results by name."""
    made: Any = getattr(np, name, None)
    kind = type(made(np.zeros(1))) if made is not None else tuple

    def meaning(x: Any) -> Any:
        return kind(*unique_of(x, **dict.fromkeys(asked, True)))

    return meaning


def lexsort(keys: Any, axis: int = -1) -> Any:
    """The places of elements in order of the last key, then of the one before it, and so on."""
    from .places import take_along_axis

    keys = [
        tensor(one) for one in (keys if isinstance(keys, list | tuple) else _arrays.unstack(tensor(keys)))
    ]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if keys[0].ndim == 0:
        raise NotMeantError
    order = None
    for key in keys:
        at = axis % key.ndim
        turned = _number(key) if order is None else take_along_axis(_number(key), order, at)
        then = _native.cast(_native.argsort(turned, at, stable=True), _native.int64)
        order = then if order is None else take_along_axis(order, then, at)
    return order


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of elements one after the other, between other ones."""
    a = flat(tensor(ary))
    if a.dtype == _native.bool:
        raise NotMeantError
    parts = [a[1:] - a[:-1]]
    if to_begin is not None:
        parts.insert(0, flat(fitting(to_begin, a.dtype)))
    if to_end is not None:
        parts.append(flat(fitting(to_end, a.dtype)))
    return _native.concat(parts, 0) if len(parts) > 1 else parts[0]


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """The row without the zeros at its ends."""
    a = tensor(filt)
    trim = trim.lower()
    if a.ndim != 1 or axis not in (None, 0, -1) or trim not in ("fb", "bf", "f", "b"):
        raise NotMeantError
    count = _native.cast(length(a, 0), _native.int64)
    there = flatnonzero(a)
    none = _native.reshape(count, [1])
    first = _native.concat([there, none], 0)[0] if "f" in trim else 0
    last = _native.concat([none * 0 - 1, there], 0)[-1] + 1 if "b" in trim else count
    return a[first:last]


def partition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Any:
    """Elements in order, as one way in which those before and behind the `kth` are."""
    _check_places(a, kth, axis)
    return np.sort(a, axis=axis, order=order)


def argpartition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Any:
    """The places of the same."""
    _check_places(a, kth, axis)
    return np.argsort(a, axis=axis, order=order, kind="stable")


def _check_places(a: Any, kth: Any, axis: Any) -> None:
    from .meant import first_or_flat

    a, at = first_or_flat(a, axis)
    count = a.shape[at]
    for one in np.ravel(concrete(kth)):
        if count and not -count <= one < count:
            raise ValueError(f"kth(={one}) out of bounds ({count})")


SETS = rows(
    np,
    {
        "isin": isin,
        "in1d": in1d,
        "union1d": union1d,
        "intersect1d": intersect1d,
        "setdiff1d": setdiff1d,
        "setxor1d": setxor1d,
        "unique": unique_of,
        "unique_all": _with_names("unique_all", "return_index", "return_inverse", "return_counts"),
        "unique_counts": _with_names("unique_counts", "return_counts"),
        "unique_inverse": _with_names("unique_inverse", "return_inverse"),
        "unique_values": unique_of,
        "lexsort": lexsort,
        "ediff1d": ediff1d,
        "trim_zeros": trim_zeros,
        "partition": partition,
        "argpartition": argpartition,
    },
)

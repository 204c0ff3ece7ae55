"""NumPy's functions that split arrays, insert and delete elements, and put others around them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .. import _arrays, _native
from .meant import (
    Meaning,
    NotMeantError,
    along,
    axis_of,
    concrete,
    fails,
    first_or_flat,
    fitting,
    known_lengths,
    length,
    of_one_dtype,
    rows,
    tensor,
)
from .reductions import greatest, least, mean
from .statistics import median


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts along an axis, of lengths that differ by one at most, or between these places."""
    a = tensor(ary)
    at = axis_of(axis, a.ndim)
    if isinstance(indices_or_sections, int | np.integer):
        count, parts = length(a, at), int(indices_or_sections)
        if parts <= 0:
            raise ValueError("number sections must be larger than 0.")
        each = count // parts
        more = count - each * parts
        places: list[Any] = [number * each + _least(number, more) for number in range(parts + 1)]
    else:
        given = indices_or_sections
        if isinstance(given, _native.Tensor) and given.ndim == 0:
            raise _native.diagnosed(
                "GW108", "the number of parts is known only when the graph runs", "give a number of Python's"
            )
        if isinstance(given, _native.Tensor):
            given = _arrays.unstack(given)
        places = [0, *given, None]
    return [along(a, at, slice(low, high)) for low, high in itertools.pairwise(places)]


def _least(number: int, other: Any) -> Any:
    return min(number, other) if isinstance(other, int) else _native.minimum(other, number)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts of one length along an axis, or between these places."""
    a = tensor(ary)
    if isinstance(indices_or_sections, int | np.integer):
        rest = length(a, axis_of(axis, a.ndim)) % int(indices_or_sections)
        fails(rest == 0, "ValueError", "array split does not result in an equal division")
    return array_split(a, indices_or_sections, axis)


def split_along(axis: int, name: str) -> Meaning:
    """Parts along one axis."""

    def meaning(ary: Any, indices_or_sections: Any) -> Any:
        a = tensor(ary)
        if a.ndim == 0 or (a.ndim <= axis and name != "hsplit"):
            raise ValueError(f"{name} only works on arrays of {axis + 1} or more dimensions")
        return split(a, indices_or_sections, 0 if a.ndim == 1 else axis)

    return meaning


def unstack(x: Any, /, *, axis: int = 0) -> Any:
    """The slices along an axis."""
    return tuple(_arrays.unstack(tensor(x), axis=axis))


def block(arrays: Any) -> Any:
    """Arrays put together as nested lists show them."""
    depth = _depth(arrays)

    def joined(part: Any, level: int) -> Any:
        if isinstance(part, list):
            if not part:
                raise ValueError("List depths are mismatched.")
            parts = [joined(one, level + 1) for one in part]
            ndim = max(one.ndim for one in parts)
            return _native.concat(of_one_dtype(*(_front(one, ndim) for one in parts)), level - depth)
        if level != depth:
            raise ValueError("List depths are mismatched.")
        return _front(tensor(part), depth)

    return joined(arrays, 0) if depth else tensor(arrays)


def _depth(part: Any) -> int:
    return 1 + max((_depth(one) for one in part), default=0) if isinstance(part, list) else 0


def _front(a: Any, ndim: int) -> Any:
    while a.ndim < ndim:
        a = _native.expand_dims(a, 0)
    return a


def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """The array without the slices at these places."""
    a, at = first_or_flat(arr, axis)
    count = length(a, at)
    if not isinstance(count, int) and isinstance(obj, slice):
        return _delete_slice(a, obj, at)
    if (isinstance(obj, _native.Tensor) and _native.is_staged(obj)) or not isinstance(count, int):
        return _delete_staged(a, tensor(obj), at)
    kept = np.delete(np.arange(count), obj if isinstance(obj, slice) else concrete(obj))
    return _native.gather(a, tensor(kept), axis=at)


def _delete_staged(a: Any, obj: Any, axis: int) -> Any:
    """The same where the graph says when it runs which ones."""
    count = length(a, axis)
    if obj.dtype == _native.bool:
        message = "boolean array argument obj to delete must be one dimensional and match the axis length"
        message += f" of {count}" if isinstance(count, int) else ""
        fails(obj.ndim == 1 and length(obj, 0) == count, "ValueError", message)
        return along(a, axis, ~obj)
    places = _native.cast(_native.range(count), _native.int64)
    if obj.dtype.is_floating and obj.shape != (0,):
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    obj = _native.cast(obj, _native.int64)
    inside = _native.reduce_all((obj >= -count) & (obj < count))
    fails(inside, "IndexError", f"index is out of bounds for axis {axis}")
    if obj.ndim == 0:
        gone = _native.where(obj < 0, obj + count, obj)
        kept = places[:-1]
        kept = kept + _native.cast(kept >= gone, _native.int64)
        return _native.gather(a, kept, axis=axis)
    obj = _native.reshape(obj, [-1])
    away: Any = np.isin(places, _native.where(obj < 0, obj + count, obj))
    return along(a, axis, ~away)


def _delete_slice(a: Any, gone: slice, axis: int) -> Any:
    """The same for a slice along an axis of which the graph knows the length when it runs."""
    places = _native.cast(_native.range(length(a, axis)), _native.int64)
    away: Any = np.isin(places, places[gone])
    return along(a, axis, ~away)


def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """The array with values in front of these places."""
    a, at = first_or_flat(arr, axis)
    values = fitting(values, a.dtype)
    if a.shape[at] is None and not isinstance(obj, slice):
        return _inserted(a, obj, values, at)
    count = known_lengths(a)[at]
    places = concrete(obj) if not isinstance(obj, slice) else np.arange(*obj.indices(count))
    at_one = np.ndim(places) == 0
    wanted = known_lengths(a)
    if at_one:
        # As NumPy does, the values of one place lie along the axis.
        values = _arrays.moved(values, 0, at) if values.ndim and values.ndim == a.ndim else values
        wanted[at] = values.shape[at] if values.ndim == a.ndim else 1
        if a.ndim == 1 and values.ndim == 1:
            wanted[at] = values.shape[0]
        elif values.ndim == a.ndim - 1 and values.ndim:
            values = _native.expand_dims(values, at)
    else:
        wanted[at] = len(places)
    values = _native.broadcast_to(values, wanted)
    numbers = np.arange(count, count + wanted[at])
    spots = np.full(wanted[at], places) if at_one else places
    order = np.insert(np.arange(count), spots, numbers)
    return _native.gather(_native.concat([a, values], at), tensor(order), axis=at)


def _inserted(a: Any, obj: Any, values: Any, axis: int) -> Any:
    """The same along an axis of which the graph knows the length when it runs."""
    count = _native.cast(length(a, axis), _native.int64)
    places = _native.cast(tensor(obj), _native.int64)
    ok = _native.reduce_all((places >= -count) & (places <= count))
    fails(ok, "IndexError", "index is out of bounds for the axis")
    places = _native.where(places < 0, places + count, places)
    wanted = _arrays.lengths(a)
    wanted[axis] = length(places, 0) if places.ndim else 1
    if places.ndim == 0 and a.ndim == 1 and values.ndim == 1:
        wanted[axis] = length(values, 0)
    elif places.ndim == 0 and values.ndim:
        # The axes of one place's values are those of the others.
        raise NotMeantError
    places = _native.broadcast_to(places, [wanted[axis]])
    # Each value comes in front of the element at its place.
    numbers = _native.cast(_native.range(count), _native.int64) * 2 + 1
    order = _native.argsort(_native.concat([places * 2, numbers], 0), stable=True)
    joined = _native.concat([_native.broadcast_to(values, wanted), a], axis)
    return _native.gather(joined, order, axis=axis)


def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    """An array with more elements around it."""
    a = tensor(array)
    if callable(mode):
        raise NotMeantError
    if isinstance(pad_width, dict):
        pad_width = [pad_width.get(at, pad_width.get(at - a.ndim, (0, 0))) for at in range(a.ndim)]
        pad_width = [(one, one) if isinstance(one, int) else one for one in pad_width]
    pairs = widths(plain(pad_width), a.ndim)
    ends = None
    if mode == "constant":
        ends = widths(options.pop("constant_values", 0), a.ndim)
    elif mode == "linear_ramp":
        ends = widths(options.pop("end_values", 0), a.ndim)
    kind = options.pop("reflect_type", "even") if mode in ("reflect", "symmetric") else "even"
    if mode in _STATISTICS and options.pop("stat_length", None) is not None:
        raise NotMeantError
    if options:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {set(options)}")
    if kind != "even":
        raise NotMeantError
    for at, (before, after) in enumerate(pairs):
        if isinstance(before, int) and isinstance(after, int) and min(before, after) < 0:
            raise ValueError("index can't contain negative values")
        a = padded(a, at, before, after, mode, None if ends is None else ends[at])
    return a


_STATISTICS = {"maximum": greatest, "minimum": least, "mean": mean, "median": median(False)}


def padded(a: Any, axis: int, before: Any, after: Any, mode: str, ends: Any) -> Any:
    """The array with more elements at both ends of one axis."""
    count = length(a, axis)
    if mode not in ("constant", "empty"):
        is_same = (before == 0) & (after == 0)
        message = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
        fails(is_same | (count != 0), "ValueError", message)
    if mode in ("reflect", "symmetric"):
        around: list[Any] = [0] * (2 * a.ndim)
        around[2 * axis : 2 * axis + 2] = before, after
        return _native.pad(a, around, mode.upper(), 0)
    if mode in ("edge", "wrap"):
        places = _native.range(-before, count + after)
        inside = (
            _native.floormod(places, count)
            if mode == "wrap"
            else _native.minimum(_native.maximum(places, 0), count - 1)
        )
        return _native.gather(a, inside, axis=axis)
    if mode == "empty":
        ends = (0, 0)
    elif mode in _STATISTICS:
        value = _STATISTICS[mode](a, axis, keepdims=True)
        if a.dtype.is_integer:
            value = _native.round(value) if value.dtype.is_floating else value
        value = _native.cast(value, a.dtype)
        return _native.concat([_repeated(value, axis, before), a, _repeated(value, axis, after)], axis)
    elif mode == "linear_ramp":
        return _ramped(a, axis, before, after, ends)
    elif mode != "constant":
        raise ValueError(f"mode '{mode}' is not supported")
    sides = []
    for number, value in zip((before, after), ends, strict=True):
        around = _arrays.lengths(a)
        around[axis] = number
        sides.append(_native.fill(around, fitting(value, a.dtype)))
    return _native.concat([sides[0], a, sides[1]], axis)


def _repeated(value: Any, axis: int, number: Any) -> Any:
    around = _arrays.lengths(value)
    around[axis] = number
    return _native.broadcast_to(value, around)


def _ramped(a: Any, axis: int, before: int, after: int, ends: Any) -> Any:
    """The elements at both ends go to other values in equal steps."""
    sides = []
    for number, value, edge in ((before, ends[0], slice(0, 1)), (after, ends[1], slice(-1, None))):
        own = _native.cast(along(a, axis, edge), _native.float64)
        shape = [1] * a.ndim
        shape[axis] = -1
        part = _native.reshape(tensor(np.arange(number) / max(number, 1)), shape)
        if edge.start == -1:
            part = _native.reshape(tensor((np.arange(number, 0, -1) - 1) / max(number, 1)), shape)
        ramp = _native.cast(value, _native.float64) + part * (own - _native.cast(value, _native.float64))
        if a.dtype.is_integer:
            ramp = _native.floor(ramp)
        sides.append(_native.cast(ramp, a.dtype))
    return _native.concat([sides[0], a, sides[1]], axis)


def plain(given: Any) -> Any:
    """Arrays of NumPy and tensors with axes as lists, integers of the graph as those of 64 bits."""
    if isinstance(given, np.ndarray | np.generic):
        return given.tolist()
    if isinstance(given, list | tuple):
        return [plain(one) for one in given]
    if not isinstance(given, _native.Tensor):
        return given
    if given.ndim:
        return [plain(one) for one in _arrays.unstack(given)]
    return _native.cast(given, _native.int64) if given.dtype.is_integer else given


def widths(given: Any, ndim: int) -> list[tuple[Any, Any]]:
    """Pairs for all axes: of one number, one pair, or one for each."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple):
        return [(given, given)] * ndim
    if not isinstance(given[0], list | tuple):
        if len(given) == 1:
            return [(given[0], given[0])] * ndim
        return [(given[0], given[1])] * ndim
    pairs = [tuple(one) * 2 if len(one) == 1 else tuple(one) for one in given]
    if len(pairs) not in (1, ndim):
        raise ValueError(f"operands could not be broadcast together with shape ({len(pairs)},2) ({ndim},2)")
    return pairs * ndim if len(pairs) == 1 else pairs


SPLITTING = rows(
    np,
    {
        "split": split,
        "array_split": array_split,
        "hsplit": split_along(1, "hsplit"),
        "vsplit": split_along(0, "vsplit"),
        "dsplit": split_along(2, "dsplit"),
        "unstack": unstack,
        "block": block,
        "delete": delete,
        "insert": insert,
        "pad": pad,
    },
)

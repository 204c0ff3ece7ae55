"""Sequences in graphs: loops over their elements, and the rows of what a dataset gives."""

from __future__ import annotations

from typing import Any

from .... import _native, nest
from ....autograph import do_not_convert


def spec_of(dataset: Any) -> Any:
    """Returns what each element is; by a method, which is converted where a property is not."""
    return dataset._machine.spec()


def collected(dataset: Any, spec: Any) -> Any:
    """Returns how many elements a dataset gives, and their rows."""
    arrays = _arrays(spec)
    count = _native.constant(0, _native.int64)
    for element in dataset:
        _write(arrays, count, element)
        count += 1
    return count, _stacked(arrays)


def mapped(func: Any, length: Any, specs: Any, elements: Any) -> Any:
    """Returns the rows of what a function gives of each element: a list of tensors for each."""
    rows = _zeros(specs, length)
    place = _native.constant(0, _native.int64)
    while place < length:
        rows = put(rows, place, func(elements(place)))
        place += 1
    return rows


def selected(func: Any, keys: Any, limit: Any, specs: Any) -> Any:
    """Returns the rows of what a function gives of each key."""
    for key in keys:
        if key < 0 or key >= limit:
            raise ValueError(f"federated_select takes keys from 0 to below {limit}, not {key}")
    length = _native.cast(_native.size(keys), _native.int64)
    rows = _zeros(specs, length)
    place = _native.constant(0, _native.int64)
    while place < length:
        rows = put(rows, place, func(keys[place]))
        place += 1
    return rows


def check_bound(numbers: Any, bound: Any) -> None:
    """Raises `ValueError` where a number is negative or greater than a bound."""
    for number in numbers:
        if number < 0 or number > bound:
            raise ValueError(f"a secure sum takes integers from 0 to {bound}, not {number}")


def reduced(func: Any, state: Any, length: Any, elements: Any) -> Any:
    """Returns the last of `state = func(state, element)`, a tuple of tensors."""
    place = _native.constant(0, _native.int64)
    while place < length:
        state = func(state, elements(place))
        place += 1
    return state


@do_not_convert
def put(rows: Any, place: Any, tensors: Any) -> Any:
    """Returns rows with tensors at a place."""
    return tuple([_put(row, place, tensor) for row, tensor in zip(rows, tensors, strict=True)])


def _put(row: Any, place: Any, tensor: Any) -> Any:
    return _native.tensor_scatter_nd_update(
        row, _native.reshape(place, [1, 1]), _native.expand_dims(tensor, 0)
    )


@do_not_convert
def _zeros(specs: Any, length: Any) -> Any:
    return tuple([_native.zeros([length, *spec.shape], spec.dtype) for spec in specs])


@do_not_convert
def _arrays(spec: Any) -> Any:
    return [
        _native.TensorArray(leaf.dtype, size=0, dynamic_size=True, element_shape=leaf.shape)
        for leaf in nest.flatten(spec)
    ]


@do_not_convert
def _write(arrays: Any, place: Any, element: Any) -> None:
    for array, leaf in zip(arrays, nest.flatten(element), strict=True):
        array.write(place, leaf)


@do_not_convert
def _stacked(arrays: Any) -> Any:
    return [array.stack() for array in arrays]

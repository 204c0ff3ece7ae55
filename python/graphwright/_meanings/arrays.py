"""NumPy's functions that make an array to be filled: in a graph it is a tensor, which takes stores."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
ELEMENTS = {
    np.dtype(name) for name in ("bool", *INTEGERS, "float16", "float32", "float64", "complex64", "complex128")
}


def filled(function: Callable[..., Any], number: int) -> Callable[..., Any]:
    """`np.zeros` and the like; arrays of elements that no tensor has stay NumPy's."""
    numbers = {0: _native.zeros, 1: _native.ones}

    def meaning(shape: Any, dtype: Any = builtins.float, **options: Any) -> Any:
        element = np.dtype(dtype)
        if element not in ELEMENTS or options:
            return function(shape, dtype, **options)
        lengths = shape if isinstance(shape, list | tuple) else [shape]
        return _native.as_array(numbers[number](lengths, element))

    return meaning


def full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    """`np.full(shape, fill_value, dtype)`"""
    of_graph = isinstance(fill_value, _native.Tensor)
    if dtype is None:
        dtype = fill_value.dtype.as_numpy_dtype if of_graph else np.asarray(fill_value).dtype
    if np.dtype(dtype) not in ELEMENTS or options:
        return np.full(shape, fill_value, dtype, **options)
    array = filled(np.empty, 0)(shape, dtype)
    array[...] = fill_value
    return array


def like(function: Callable[..., Any]) -> Callable[..., Any]:
    """`np.zeros_like` and the like, of NumPy's own arrays."""

    def meaning(prototype: Any, *args: Any, **options: Any) -> Any:
        array = function(prototype, *args, **options)
        return of_graph(array) if isinstance(array, np.ndarray) else array

    return meaning


def of_graph(array: np.ndarray[Any, Any]) -> Any:
    """An array of the graph with the elements of an array."""
    return _native.as_array(_native.constant(array)) if array.dtype in ELEMENTS else array


#: Functions that make arrays and that NumPy does not dispatch; true for those that take lists.
_MADE = {
    "array": True,
    "asarray": True,
    "asanyarray": True,
    "ascontiguousarray": True,
    "asfortranarray": True,
    "asarray_chkfinite": True,
    "require": True,
    "arange": False,
    "eye": False,
    "identity": False,
    "tri": False,
    "bartlett": False,
    "hanning": False,
    "hamming": False,
    "blackman": False,
}


#: Functions of one array, for which a list of arrays may stand: NumPy dispatches by their type alone.
_OF_ONE_ARRAY = (
    *("all", "amax", "amin", "any", "argmax", "argmin", "average", "count_nonzero", "cumprod", "cumsum"),
    *("max", "mean", "median", "min", "percentile", "prod", "ptp", "quantile", "std", "sum", "var"),
    *("nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin"),
    *("nanpercentile", "nanprod", "nanquantile", "nanstd", "nansum", "nanvar"),
    *("argsort", "diff", "flip", "linalg.det", "linalg.inv", "linalg.norm", "ravel", "reshape", "sort"),
    *("squeeze", "trace", "transpose"),
)


def of_one_array() -> list[tuple[Any, Callable[..., Any], bool]]:
    """The rows of functions that take a list of arrays of the graph for the array of them."""
    functions = [operator.attrgetter(name)(np) for name in _OF_ONE_ARRAY]
    return [(function, _of_list(function), True) for function in functions]


def _of_list(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], list | tuple) and _is_of_graph(args[0]):
            from .._numpy import creation

            args = (creation.array(args[0]), *args[1:])
        return function(*args, **kwargs)

    return called


def made() -> list[tuple[Any, Callable[..., Any], bool]]:
    """The rows of these functions, which are NumPy's own unless the graph holds an argument."""
    return [(getattr(np, name), _of_staged(name), takes_lists) for name, takes_lists in _MADE.items()]


def _of_staged(name: str) -> Callable[..., Any]:
    function = getattr(np, name)

    def called(*args: Any, **kwargs: Any) -> Any:
        if not any(_is_of_graph(one) for one in (*args, *kwargs.values())):
            return function(*args, **kwargs)
        # Imported where it is first needed: the tables of NumPy's functions are large.
        from .._numpy import creation, meant

        try:
            return creation.MADE[name](*args, **kwargs)
        except meant.NotMeantError:
            return function(*args, **kwargs)

    return called


def _is_of_graph(value: Any) -> bool:
    """True of tensors of the graph, and of lists in which one stands."""
    if isinstance(value, list | tuple):
        return any(map(_is_of_graph, value))
    return isinstance(value, _native.Tensor) and _native.is_staged(value)

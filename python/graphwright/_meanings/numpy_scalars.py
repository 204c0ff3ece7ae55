"""NumPy's scalar types for a tensor of the graph: `np.uint8(x)` is a number of NumPy's with that dtype."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native
from . import scalars

#: The types by their names.
NAMES = (
    *("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)


def rows() -> list[tuple[Any, Callable[..., Any], bool]]:
    """The rows of these types."""
    return [(kind, cast_to(kind), False) for kind in (getattr(np, name) for name in NAMES)]


def cast_to(kind: type[np.generic]) -> Callable[..., Any]:
    """A number of NumPy's keeps its low bits, as in an array; a number of Python's has to fit."""
    dtype = np.dtype(kind)

    def meaning(x: Any = 0, /, *rest: Any, **options: Any) -> Any:
        if rest or options or not isinstance(x, _native.Tensor) or scalars.is_text(x):
            return kind(x, *rest, **options)
        if x.ndim:
            return _native.as_array(_native.cast(x, dtype))
        x = fitting(x, dtype) if _native.is_number(x) else x
        return element(_native.cast(x, dtype))

    return meaning


def fitting(x: Any, dtype: np.dtype[Any]) -> Any:
    """A number of Python's that a dtype holds, or Python's and NumPy's errors."""
    if scalars.is_complex(x) and dtype.kind not in "cb":
        kinds = "a real number" if dtype.kind == "f" else "a bytes-like object or a real number"
        name, comma = ("float", " or") if dtype.kind == "f" else ("int", ",")
        raise TypeError(f"{name}() argument must be a string{comma} {kinds}, not 'complex'")
    if dtype.kind not in "iu":
        return x
    whole = scalars.int(x)
    if dtype != np.int64:
        bounds = np.iinfo(dtype)
        fits = whole >= builtins.int(bounds.min)
        if dtype != np.uint64:
            fits = _native.logical_and(fits, whole <= builtins.int(bounds.max))
        message = ("Python integer ", whole, f" out of bounds for {dtype.name}")
        _native.check(fits, "OverflowError", *message)
    return whole


def element(x: Any) -> Any:
    """A tensor without axes as an element of an array, which is a number of NumPy's."""
    return _native.reshape(_native.reshape(x, [1]), [])

"""Methods of NumPy's arrays that are no function of NumPy's: changes of an array in place or of its dtype."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _arrays, _native
from .meant import flat, tensor


def size(a: Any) -> Any:
    """The number of elements."""
    if None not in a.shape:
        return math.prod(a.shape)
    return _native.length(flat(a))


def astype(
    a: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """A copy with another dtype."""
    del order, subok
    if not copy or casting not in ("unsafe", "same_kind", "safe", "equiv", "no"):
        raise _native.diagnosed(
            "GW204", "`astype` makes a copy in a graph", "leave out `copy=False`, or use `gw.cast`"
        )
    wanted = _native.as_dtype(dtype if isinstance(dtype, _native.DType) else np.dtype(dtype))
    if not np.can_cast(a.dtype.as_numpy_dtype, wanted.as_numpy_dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {np.dtype(a.dtype.as_numpy_dtype)!r} to "
            f"{np.dtype(wanted.as_numpy_dtype)!r} according to the rule {casting!r}"
        )
    return _native.as_array(_native.cast(_arrays.identity(a), wanted), a)


def flatten(a: Any, order: Any = "C") -> Any:
    """A copy of all elements along one axis."""
    return np.copy(np.ravel(a, order=order))


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> None:
    """Puts the elements of an array in order, in their place."""
    replace(a, np.sort(a, axis=axis, kind=kind, order=order), "sort")


def fill(a: Any, value: Any) -> None:
    """Gives all elements one value."""
    a[...] = value


def replace(a: Any, value: Any, name: str) -> None:
    """Stores an array of the same shape into another."""
    if _native.is_staged(a):
        _native.replaced(a, value, name)
    else:
        a[...] = value


def set_part(a: Any, name: str, value: Any) -> None:
    """Stores the real or the imaginary parts of an array."""
    if not a.dtype.is_complex:
        if name == "imag":
            raise TypeError("array does not have imaginary part to set")
        a[...] = value
        return
    value = _native.broadcast_to(_native.cast(tensor(value), _native.real(a).dtype), _arrays.lengths(a))
    parts = (value, _native.imag(a)) if name == "real" else (_native.real(a), value)
    a[...] = _native.complex(*parts)

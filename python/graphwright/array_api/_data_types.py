"""Data type functions of the standard, and the namespace's information about itself."""

from __future__ import annotations

from typing import Any

from .. import _arrays, _dtype_info, _native
from .._native import DType, Tensor
from ._operands import DEVICE, default_complex, default_float, default_integer, on_device, operand

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]

#: The dtypes of the standard; `gw.float16`, `gw.bfloat16` and `gw.string` are ours beside them.
_DTYPES = [
    dtype
    for dtype in _dtype_info.KINDS["bool"] + _dtype_info.KINDS["numeric"]
    if dtype not in (_native.float16, _native.bfloat16)
]
#: Axes that a tensor has at most.
_MOST_AXES = 64


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """Casts a tensor to a dtype."""
    on_device(device)
    x = operand(x)
    if x.dtype.is_complex and not _dtype_info.isdtype(dtype, ("complex floating", "bool")):
        raise TypeError(f"{x.dtype.name} does not become {_native.as_dtype(dtype).name}: take `real` first")
    if _native.as_dtype(dtype) != x.dtype:
        return _native.cast(x, dtype)
    return _arrays.identity(x) if copy else x


def can_cast(from_: Any, to: Any, /) -> bool:
    """Tells whether a dtype holds every value of another."""
    return _dtype_info.can_cast(from_, to)


def finfo(type: Any, /) -> _dtype_info.FloatingInfo:
    """Reads the limits of a floating dtype."""
    return _dtype_info.finfo(type)


def iinfo(type: Any, /) -> _dtype_info.IntegerInfo:
    """Reads the limits of an integer dtype."""
    return _dtype_info.iinfo(type)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Tells whether a dtype is of a kind."""
    return _dtype_info.isdtype(dtype, kind)


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Finds the dtype in which operands of several dtypes meet."""
    return _dtype_info.result_type(*arrays_and_dtypes)


class Info:
    """Information about the namespace: its devices, dtypes and abilities."""

    def capabilities(self) -> dict[str, Any]:
        """Abilities by the standard's names."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": _MOST_AXES}

    def default_device(self) -> str:
        """The device of a tensor for which none is named."""
        return DEVICE

    def devices(self) -> tuple[str, ...]:
        """All devices."""
        return (DEVICE,)

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """Dtypes of tensors that are made of Python's numbers, and of indices."""
        on_device(device)
        return {
            "real floating": default_float,
            "complex floating": default_complex,
            "integral": default_integer,
            "indexing": _native.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """The standard's dtypes of a kind, of all for `None`, by their names."""
        on_device(device)
        chosen = [one for one in _DTYPES if kind is None or _dtype_info.isdtype(one, kind)]
        return _dtype_info.names(chosen)


def array_namespace_info() -> Info:
    """Tells of the namespace's devices, dtypes and abilities."""
    return Info()

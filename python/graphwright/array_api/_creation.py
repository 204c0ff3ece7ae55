"""Creation functions of the standard."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import _arrays, _dtype_info, _exchange, _native
from .._native import DType, Tensor
from .._numpy import moves
from ._operands import (
    default_complex,
    default_float,
    default_integer,
    dtype_or,
    is_number,
    on_device,
    operand,
    shape_of,
)

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]

#: A diagonal that no matrix reaches, whose sum with a place is still an int32.
_FARTHEST = 2**30


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """Makes a tensor of numbers, nested sequences, arrays or buffers."""
    on_device(device)
    if isinstance(obj, Tensor):
        return _of_tensor(obj, dtype, copy)
    if copy is False:
        raise ValueError("`copy` is False: only a tensor becomes a tensor without a copy of its elements")
    if _has_tensors(obj):
        found = _native.convert_to_tensor(obj)
        return found if dtype is None else _native.cast(found, dtype)
    return _of_host(obj, dtype)


def _of_tensor(x: Tensor, dtype: Any, copy: bool | None) -> Tensor:
    if dtype is None or _native.as_dtype(dtype) == x.dtype:
        return _arrays.identity(x) if copy else x
    if copy is False:
        raise ValueError("`copy` is False: a tensor of another dtype has elements of its own")
    return _native.cast(x, dtype)


def _of_host(obj: Any, dtype: Any) -> Tensor:
    """Elements of a dtype of their own keep it; Python's numbers get the default of their kind."""
    given = np.asarray(obj) if dtype is None else None
    if given is None:
        return _elements(obj, _native.as_dtype(dtype))
    if not (hasattr(obj, "dtype") or isinstance(obj, memoryview)) and given.dtype.kind in "fc":
        return _elements(obj, default_float if given.dtype.kind == "f" else default_complex)
    return _native.constant(given)


def _elements(obj: Any, dtype: DType) -> Tensor:
    """Elements of one dtype; NumPy has none for `bfloat16`."""
    if dtype == _native.bfloat16:
        return _native.cast(_native.constant(np.asarray(obj, np.float32)), dtype)
    return _native.constant(np.asarray(obj, dtype.as_numpy_dtype))


def _has_tensors(obj: Any) -> bool:
    if isinstance(obj, list | tuple):
        return builtins.any(map(_has_tensors, obj))
    return isinstance(obj, Tensor | _native.Variable)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Makes a tensor of an array of another library by the protocol DLPack."""
    if isinstance(x, Tensor):
        return asarray(x, device=device, copy=copy)
    return _exchange.from_dlpack(x, device=device, copy=copy)


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Counts from a number to another, which is left out."""
    on_device(device)
    if start is None:
        raise TypeError("`start` is None: in a graph, a length that is not known yet is `gw.shape(x)[axis]`")
    first, last = (0, start) if stop is None else (start, stop)
    bounds = (first, last, step)
    if not builtins.all(map(is_number, bounds)):
        # A bound that is known when the graph runs is an integer.
        return _native.range(first, last, step, dtype=dtype_or(dtype, default_integer))
    is_whole = builtins.all(isinstance(one, int) for one in bounds)
    return _of_host_numbers(np.arange(*bounds), dtype, default_integer if is_whole else default_float)


def _of_host_numbers(numbers: Any, dtype: Any, default: DType) -> Tensor:
    """Numbers that Python computes, in a dtype that is given or the default of their kind."""
    return _elements(numbers, dtype_or(dtype, default))


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> Tensor:
    """Makes numbers at equal distances from a first to a last one."""
    on_device(device)
    if is_number(start) and is_number(stop) and isinstance(num, int):
        is_complex = builtins.any(isinstance(one, complex) for one in (start, stop))
        default = default_complex if is_complex else default_float
        return _of_host_numbers(np.linspace(start, stop, num, endpoint=endpoint), dtype, default)
    last = stop if endpoint else start + (stop - start) * ((num - 1) / num)
    return _native.cast(_arrays.linspace(start, last, num), dtype_or(dtype, default_float))


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Makes a tensor of a shape in which each element is one value."""
    value = asarray(fill_value, dtype=dtype, device=device)
    return _native.fill(shape_of(shape), value)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Makes a tensor of another's shape in which each element is one value."""
    x = operand(x)
    return full(_arrays.lengths(x), fill_value, dtype=dtype_or(dtype, x.dtype), device=device)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Makes a tensor of zeros."""
    on_device(device)
    return _native.zeros(shape_of(shape), dtype_or(dtype, default_float))


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Makes a tensor of ones."""
    on_device(device)
    return _native.ones(shape_of(shape), dtype_or(dtype, default_float))


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Makes a tensor of a shape whose elements are to be stored; they are zeros here."""
    return zeros(shape, dtype=dtype, device=device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Makes a tensor of zeros in the shape of another."""
    on_device(device)
    x = operand(x)
    return _native.zeros_like(x, dtype_or(dtype, x.dtype))


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Makes a tensor of ones in the shape of another."""
    on_device(device)
    x = operand(x)
    return _native.ones_like(x, dtype_or(dtype, x.dtype))


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Makes a tensor in another's shape whose elements are to be stored; they are zeros here."""
    return zeros_like(x, dtype=dtype, device=device)


def eye(n_rows: Any, n_cols: Any = None, /, *, k: Any = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """Makes a matrix with ones on a diagonal and zeros elsewhere."""
    on_device(device)
    columns = n_rows if n_cols is None else n_cols
    down = _native.expand_dims(_native.range(n_rows, dtype=_native.int64), 1)
    places = _native.range(columns, dtype=_native.int64)
    is_one = _native.equal(down + _native.cast(_diagonal(k), _native.int64), places)
    # In a graph the lengths of ranges are not known before it runs.
    return _native.reshape(_native.cast(is_one, dtype_or(dtype, default_float)), [n_rows, columns])


def _diagonal(k: Any) -> Any:
    """The number of a diagonal; beyond every matrix all are alike."""
    return min(max(k, -_FARTHEST), _FARTHEST) if isinstance(k, int) else k


def meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Makes coordinate matrices of coordinate vectors."""
    if not arrays:
        return ()
    dtype = _dtype_info.result_type(*arrays)
    return tuple(_arrays.meshgrid(*(_native.cast(one, dtype) for one in arrays), indexing=indexing))


def tril(x: Any, /, *, k: int = 0) -> Tensor:
    """Keeps the lower triangles of matrices and sets the rest to zero."""
    return _triangle(x, k, True)


def triu(x: Any, /, *, k: int = 0) -> Tensor:
    """Keeps the upper triangles of matrices and sets the rest to zero."""
    return _triangle(x, k, False)


def _triangle(x: Any, k: int, lower: bool) -> Tensor:
    x = operand(x)
    if x.ndim < 2:
        raise ValueError(f"triangles are of matrices, and this is a tensor of shape {tuple(x.shape)}")
    found: Tensor = moves.triangle(lower)(x, _diagonal(k))
    return found

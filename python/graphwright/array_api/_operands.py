"""Arguments of the namespace as tensors: their dtypes, axes and shapes."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from .. import _arrays, _dtype_info, _native
from .._native import DType, Tensor

default_float = _native.float32
default_complex = _native.complex64
default_integer = _dtype_info.default_integer

#: The one device there is.
DEVICE = "cpu"


def operand(x: Any) -> Tensor:
    """An argument as a tensor; what is none yet is one as `gw.convert_to_tensor` makes it."""
    if isinstance(x, _native.Variable):
        return x.value()
    return x if isinstance(x, Tensor) else _native.convert_to_tensor(x)


def of_one_dtype(*operands: Any) -> list[Any]:
    """Operands as tensors of the dtype in which they meet."""
    dtype = _dtype_info.result_type(*operands)
    return [_native.cast(one, dtype) for one in operands]


def floating(x: Any) -> Tensor:
    """A tensor of floats or complex numbers; integers and bools become floats of the default dtype."""
    x = operand(x)
    return x if x.dtype.is_floating or x.dtype.is_complex else _native.cast(x, default_float)


def on_device(device: Any) -> None:
    """Refuses a device that there is not."""
    if device is not None and device != DEVICE:
        raise ValueError(f"`device` is {device!r}: the one device of tensors is {DEVICE!r}")


def shape_of(shape: Any) -> list[Any]:
    """A shape as a list of lengths; one number is that of a single axis."""
    return list(shape) if isinstance(shape, Sequence) else [shape]


def axis_of(axis: int, ndim: int) -> int:
    """An axis counted from the front; `IndexError` where there is none, which the standard asks for."""
    if not -ndim <= axis < ndim:
        raise IndexError(f"`axis` is {axis}: a tensor of {ndim} axes has axes {-ndim} to {ndim - 1}")
    return axis % ndim


def axes_of(axis: Any, ndim: int) -> list[int]:
    """The axes that an argument names, all for `None`, counted from the front."""
    if axis is None:
        return list(builtins.range(ndim))
    return [axis_of(one, ndim) for one in (axis if isinstance(axis, Sequence) else [axis])]


def flat(x: Tensor) -> Tensor:
    """All elements in order along one axis."""
    return _native.reshape(x, [-1] if 0 not in x.shape else [0])


def along(x: Tensor, axis: int, piece: slice) -> Tensor:
    """A piece of an axis."""
    return x[(slice(None),) * axis_of(axis, x.ndim) + (piece,)]


def length(x: Tensor, axis: int) -> Any:
    """The length of an axis: a number where it is known, else a tensor."""
    return _arrays.lengths(x)[axis]


def is_number(value: Any) -> bool:
    """True of the numbers of Python's that the standard calls scalars."""
    return isinstance(value, bool | int | float | complex)


def dtype_or(dtype: Any, default: DType) -> DType:
    """A dtype that is given, or a default."""
    return default if dtype is None else _native.as_dtype(dtype)

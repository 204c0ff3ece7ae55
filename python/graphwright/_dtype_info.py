"""Facts about dtypes and their promotion, under the names of the Python Array API standard."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import _native
from ._native import DType, Tensor

#: Kinds of dtypes, by the standard's names; `float16` and `bfloat16` are ours beside them.
KINDS: dict[str, tuple[DType, ...]] = {
    "bool": (_native.bool,),
    "signed integer": (_native.int8, _native.int16, _native.int32, _native.int64),
    "unsigned integer": (_native.uint8, _native.uint16, _native.uint32, _native.uint64),
    "real floating": (_native.float16, _native.bfloat16, _native.float32, _native.float64),
    "complex floating": (_native.complex64, _native.complex128),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]

#: Bits of a significand, the first one included, by the name of the dtype; `bfloat16` is not NumPy's.
_SIGNIFICANDS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
_LEAST_EXPONENTS = {"float16": -14, "bfloat16": -126, "float32": -126, "float64": -1022}


@dataclass(frozen=True)
class FloatingInfo:
    """Limits of a floating dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerInfo:
    """Limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: DType


def finfo(type: Any, /) -> FloatingInfo:
    """Reads the limits of a floating dtype, or of the parts of a complex one.

    Args:
      type: floating or complex dtype, or tensor of one.

    Returns:
      Object with `bits`, `eps`, `max`, `min`, `smallest_normal` and `dtype`; the numbers are Python's.

    Raises:
      TypeError: the dtype is not floating.

    Example:
      >>> gw.finfo(gw.float32).eps
      1.1920928955078125e-07
    """
    dtype = dtype_of(type).real_dtype
    if not dtype.is_floating:
        raise TypeError(f"`gw.finfo` takes a floating dtype, and this is {dtype.name}: use `gw.iinfo`")
    most, name = float(dtype.max), dtype.name
    eps = 2.0 ** (1 - _SIGNIFICANDS[name])
    return FloatingInfo(8 * dtype.size, eps, most, -most, 2.0 ** _LEAST_EXPONENTS[name], dtype)


def iinfo(type: Any, /) -> IntegerInfo:
    """Reads the limits of an integer dtype.

    Args:
      type: integer dtype, or tensor of one.

    Returns:
      Object with `bits`, `max`, `min` and `dtype`.

    Raises:
      TypeError: the dtype is not one of integers.

    Example:
      >>> gw.iinfo(gw.int8).max
      127
    """
    dtype = dtype_of(type)
    if not dtype.is_integer:
        raise TypeError(f"`gw.iinfo` takes an integer dtype, and this is {dtype.name}: use `gw.finfo`")
    return IntegerInfo(8 * dtype.size, int(dtype.max), int(dtype.min), dtype)


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Tells whether a dtype is of a kind.

    Args:
      dtype: the dtype.
      kind: another dtype, `"bool"`, `"signed integer"`, `"unsigned integer"`, `"integral"`,
        `"real floating"`, `"complex floating"`, `"numeric"`, or a tuple of these.

    Returns:
      `True` if the dtype is of one of the kinds.

    Raises:
      ValueError: a kind has another name.

    Example:
      >>> gw.isdtype(gw.int8, "integral"), gw.isdtype(gw.int8, ("bool", gw.float32))
      (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if not isinstance(kind, str):
        return bool(_native.as_dtype(dtype) == _native.as_dtype(kind))
    if kind not in KINDS:
        raise ValueError(f"`kind` is {kind!r}: it may be one of {', '.join(map(repr, KINDS))}, or a dtype")
    return _native.as_dtype(dtype) in KINDS[kind]


def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    """Tells whether a dtype holds every value of another.

    Args:
      from_: dtype, or tensor of one.
      to: dtype of the result.

    Returns:
      `True` if a cast from one to the other loses nothing.

    Example:
      >>> gw.can_cast(gw.int8, gw.int16), gw.can_cast(gw.int64, gw.float32)
      (True, False)
    """
    source, target = dtype_of(from_), _native.as_dtype(to)
    if source == target or source == _native.bool:
        return True
    if source.is_integer and target.is_integer:
        return bool(target.min <= source.min and source.max <= target.max)
    if target.is_complex:
        return can_cast(source.real_dtype, target.real_dtype)
    if target.is_floating and source.is_integer:
        return 8 * source.size - (not source.is_unsigned) <= _SIGNIFICANDS[target.name] and bool(
            source.max <= target.max
        )
    if target.is_floating and source.is_floating:
        return target.size > source.size
    return False


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Finds the dtype in which operands of several dtypes meet.

    Python's numbers take the dtype of the tensors and dtypes of their kind beside them.

    Args:
      arrays_and_dtypes: tensors, dtypes and Python numbers, one tensor or dtype at least.

    Returns:
      The dtype of the result of arithmetic among them.

    Raises:
      TypeError: no dtype holds the values of both, as of `uint64` and `int64`.
      ValueError: there is no tensor and no dtype among the arguments.

    Example:
      >>> gw.result_type(gw.int8, gw.uint8), gw.result_type(gw.constant([1.0]), 2)
      (gw.int16, gw.float32)
    """
    numbers = [one for one in arrays_and_dtypes if isinstance(one, bool | int | float | complex)]
    dtypes = [dtype_of(one) for one in arrays_and_dtypes if not isinstance(one, bool | int | float | complex)]
    if not dtypes:
        raise ValueError("`gw.result_type` takes one tensor or dtype at least")
    return functools.reduce(_with_number, numbers, functools.reduce(promoted, dtypes))


def promoted(one: DType, other: DType) -> DType:
    """The dtype in which two meet: the greater of one kind, else that of the kind which holds more."""
    first, second = sorted((one, other), key=_rank)
    if first == second or first == _native.bool or second == _native.string:
        return second
    if first.is_integer and second.is_floating:
        return second
    if second.is_complex:
        parts = first.real_dtype if first.is_floating else second.real_dtype
        return _native.complex128 if _native.float64 in (parts, second.real_dtype) else _native.complex64
    if first.is_floating:
        return _native.float32 if first.size == second.size else second
    if first.is_unsigned == second.is_unsigned or can_cast(first, second):
        return second
    unsigned = first if first.is_unsigned else second
    wider = [dtype for dtype in KINDS["signed integer"] if dtype.size > unsigned.size]
    if not wider:
        raise TypeError(f"no dtype holds the values of both {one.name} and {other.name}")
    return wider[0]


def _rank(dtype: DType) -> tuple[int, int]:
    """The place of a dtype's kind, and its size within the kind."""
    kinds = (dtype == _native.bool, dtype.is_integer, dtype.is_floating, dtype.is_complex, True)
    return kinds.index(True), dtype.size


def _with_number(dtype: DType, number: builtins.bool | int | float | complex) -> DType:
    """The dtype in which tensors of one dtype meet a number of Python's."""
    if isinstance(number, complex):
        wide = dtype == _native.bool or dtype.real_dtype.size == 8
        return _native.complex128 if wide else _native.complex64
    if isinstance(number, bool) or dtype.is_floating or dtype.is_complex:
        return dtype
    if isinstance(number, int):
        return default_integer if dtype == _native.bool else dtype
    return _native.float64 if dtype.size == 8 or dtype == _native.bool else _native.float32


def dtype_of(value: Any) -> DType:
    """The dtype of a tensor, or the dtype that is given."""
    if isinstance(value, Tensor | _native.Variable):
        return value.dtype
    return _native.as_dtype(value)


def names(dtypes: Iterable[DType]) -> dict[str, DType]:
    """Dtypes by their names."""
    return {dtype.name: dtype for dtype in dtypes}


default_integer = _native.int64

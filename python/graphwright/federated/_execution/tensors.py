"""Tensors that come from the caller: checked against their type, and made arrays, one or many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _native
from .layout import STRING, TensorLayout

#: The Python types that a dtype takes as they are, by the kind of the dtype.
_PLAIN: dict[str, tuple[type, ...]] = {
    "b": (bool,),
    "i": (int,),
    "u": (int,),
    "f": (float, int),
    "c": (complex, float, int),
}


def tensor(layout: TensorLayout, value: Any, where: str) -> Any:
    """Returns the array of one tensor.

    Raises:
      TypeError: the value is no tensor of this dtype and shape.
      OverflowError: an integer is out of range for the dtype.
    """
    if type(value) is np.ndarray and value.dtype == layout.dtype:
        array = value
    elif layout.dtype == STRING:
        array = _text(value, where)
    else:
        array = _array(layout, value, where)
    _check_shape(layout, array.shape, where)
    return array


def tensors(layout: TensorLayout, values: Sequence[Any], where: Callable[[int], str]) -> Any:
    """Returns the arrays of many tensors of one shape, stacked; errors are those of `tensor`."""
    count = len(values)
    if isinstance(values, np.ndarray):
        if values.dtype == layout.dtype and values.shape[1:] == layout.shape:
            return values
    elif count:
        quick = _quick(layout, values, count)
        if quick is not None:
            return quick
    arrays = [tensor(layout, value, where(at)) for at, value in enumerate(values)]
    dtype: Any = object if layout.dtype == STRING else layout.dtype
    shape: Any = (count, *layout.shape)
    stacked = np.empty(shape, dtype)
    for at, array in enumerate(arrays):
        stacked[at] = array if layout.shape else array[()]
    return stacked


def of_any_length(layout: TensorLayout, values: Sequence[Any], where: Callable[[int], str]) -> list[Any]:
    """Returns the arrays of many tensors whose lengths may differ; errors are those of `tensor`."""
    arrays = [value.numpy() if type(value) is _native.Tensor else value for value in values]
    if set(map(type, arrays)) == {np.ndarray} and {array.dtype for array in arrays} == {layout.dtype}:
        shapes = {array.shape for array in arrays}
        if all(_fits(layout.shape, shape) for shape in shapes):
            return arrays
    return [tensor(layout, value, where(at)) for at, value in enumerate(values)]


def _quick(layout: TensorLayout, values: Sequence[Any], count: int) -> Any:
    """Returns the arrays of values of one class that need no look at each; None where they do."""
    kinds = set(map(type, values))
    if not layout.shape:
        plain = _PLAIN.get(layout.dtype.kind, ())
        if not kinds.issubset((*plain, layout.dtype.type)):
            return None
        try:
            return np.array(values, layout.dtype)
        except OverflowError:
            return None
    if kinds != {np.ndarray} or layout.dtype == STRING:
        return None
    try:
        stacked = np.array(values)
    except ValueError:
        return None
    return stacked if stacked.dtype == layout.dtype and stacked.shape == (count, *layout.shape) else None


def _array(layout: TensorLayout, value: Any, where: str) -> Any:
    if isinstance(value, _PLAIN[layout.dtype.kind]) and not (
        isinstance(value, bool) and layout.dtype.kind != "b"
    ):
        try:
            return np.array(value, layout.dtype)
        except OverflowError:
            raise OverflowError(f"{where}: {value} is out of range for {layout.dtype.name}") from None
    if isinstance(value, (_native.Tensor, _native.Variable)):
        value = value.numpy()
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.asarray(None)
    if array.dtype == layout.dtype:
        return array
    if not _converts(array, layout.dtype):
        raise TypeError(f"{where}: expected {described(layout)}, got {_found(value, array)}")
    if array.dtype.kind in "iu" and layout.dtype.kind in "iu":
        _check_range(layout, array, where)
    return array.astype(layout.dtype)


def _converts(array: Any, dtype: Any) -> bool:
    """Returns True if numbers may become those of a dtype: bools stay bools, and floats never integers."""
    if array.dtype.kind not in "biufc" or (array.dtype.kind == "b") != (dtype.kind == "b"):
        return False
    integers = array.dtype.kind in "iu" and dtype.kind in "iu"
    return integers or np.can_cast(array.dtype, dtype, "same_kind")


def _check_range(layout: TensorLayout, array: Any, where: str) -> None:
    limits = np.iinfo(layout.dtype)
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        beyond = array.max() if array.max() > limits.max else array.min()
        raise OverflowError(f"{where}: {beyond} is out of range for {layout.dtype.name}")


def _text(value: Any, where: str) -> Any:
    """Returns texts as an array of objects, each of them bytes, as graphs take them."""
    if isinstance(value, (_native.Tensor, _native.Variable)):
        value = value.numpy()
    found = np.asarray(value, object)
    made = np.empty(found.shape, object)
    for at in np.ndindex(found.shape):
        item = found[at]
        if not isinstance(item, (str, bytes)):
            raise TypeError(f"{where}: expected str, got a value of type {type(item).__name__}")
        made[at] = item.encode() if isinstance(item, str) else bytes(item)
    return made


def _check_shape(layout: TensorLayout, shape: tuple[int, ...], where: str) -> None:
    if not _fits(layout.shape, shape):
        raise TypeError(f"{where}: expected {described(layout)}, got shape {list(shape)}")


def _fits(wanted: tuple[int | None, ...], shape: tuple[int, ...]) -> bool:
    if shape == wanted:
        return True
    return len(shape) == len(wanted) and all(
        one in (None, other) for one, other in zip(wanted, shape, strict=True)
    )


def described(layout: TensorLayout) -> str:
    """Returns a tensor in the user's words, such as `float32[3,?]`."""
    lengths = ",".join("?" if length is None else str(length) for length in layout.shape)
    name = "str" if layout.dtype == STRING else str(layout.dtype.name)
    return name + (f"[{lengths}]" if layout.shape else "")


def _found(value: Any, array: Any) -> str:
    if array.dtype.kind in "biufc" and isinstance(value, (np.ndarray, np.generic)):
        return f"{array.dtype.name} of shape {list(array.shape)}"
    return f"{value!r:.60} of type {type(value).__name__}"


def text(value: Any) -> Any:
    """Returns texts of a graph as the caller has them: `str`, or bytes where they are no UTF-8."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    if isinstance(value, np.ndarray):
        made = np.empty(value.shape, object)
        for at in np.ndindex(value.shape):
            made[at] = text(value[at])
        return made if value.shape else made[()]
    return value

"""Results of a user's function: their type, and their value as graphs have it."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _native, nest
from ...data import Dataset
from ...data._sources import Slices
from . import lanes
from .language import SequenceType, StructType, StructWithPythonType, TensorType, infer_type, structure
from .layout import GRAPH_DTYPES, is_fixed, layout_of
from .staged import rows

_NUMPY = {value: key for key, value in GRAPH_DTYPES.items()}


@dataclass(eq=False)
class Returned:
    """A type and a value of it."""

    type_signature: Any
    value: Any


def returned(fn: Callable[..., Any], result: Any) -> Returned:
    """Returns the type of what a user's function returned, and the value.

    Raises:
      ValueError: it is None.
      TypeError: it holds what no graph can give.
    """
    if result is None:
        raise _none(fn)
    return _typed(fn, result)


def _none(fn: Callable[..., Any]) -> Exception:
    from ..framework import ComputationReturnedNoneError

    code = getattr(inspect.unwrap(fn), "__code__", None)
    place = "" if code is None else f" defined on line {code.co_firstlineno} of file {code.co_filename}"
    message = (
        f"The function `{_name(fn)}`{place} returned `None` (or didn't explicitly `return` at all), but "
        "computations must return some non-`None` value."
    )
    error: Exception = ComputationReturnedNoneError(message)
    return error


def _name(fn: Callable[..., Any]) -> str:
    return getattr(fn, "__name__", repr(fn))


def _typed(fn: Callable[..., Any], value: Any) -> Returned:
    if isinstance(value, (_native.Tensor, _native.Variable)):
        tensor = _native.convert_to_tensor(value)
        shape = [None if length is None else int(length) for length in tensor.shape]
        return Returned(TensorType(_numpy_type(tensor.dtype), shape), tensor)
    if isinstance(value, Dataset):
        return _sequence(fn, value)
    if isinstance(value, (bool, int, float, str, bytes, np.ndarray, np.generic)):
        found = infer_type(value)
        dtype = GRAPH_DTYPES.get(np.dtype(found.dtype))
        return Returned(found, value if dtype is None else _native.constant(value, dtype))
    pairs = _pairs(value)
    if pairs is None and type(value).__module__ == "graphwright":
        raise TypeError(
            f"`{_name(fn)}` returns a value on some paths only: return one of the same type on each"
        )
    if pairs is None:
        raise TypeError(
            f"`{_name(fn)}` returns a value of type {type(value).__name__}: a computation returns tensors, "
            "numbers, datasets, or containers of them"
        )
    parts = [(name, _typed(fn, part)) for name, part in pairs]
    elements = [part.type_signature if name is None else (name, part.type_signature) for name, part in parts]
    values = tuple([part.value for _, part in parts])
    if isinstance(value, structure.Struct):
        return Returned(StructType(elements), values)
    return Returned(StructWithPythonType(elements, type(value)), values)


def _numpy_type(dtype: Any) -> Any:
    return _NUMPY[dtype].type


def _pairs(value: Any) -> list[tuple[Any, Any]] | None:
    """Returns names and elements of a container; None if it is none."""
    if isinstance(value, structure.Struct):
        return list(structure.iter_elements(value))
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        names = getattr(value, "_fields", None) or [None] * len(value)
        return list(zip(names, value, strict=True))
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    fields = getattr(type(value), "__attrs_attrs__", None)
    return None if fields is None else [(field.name, getattr(value, field.name)) for field in fields]


def _sequence(fn: Callable[..., Any], dataset: Dataset) -> Returned:
    spec = _native.operators.conv(rows.spec_of)(dataset)
    element = _element_type(spec)
    layout = layout_of(element)
    if not is_fixed(layout):
        raise TypeError(
            f"`{_name(fn)}` returns a dataset of elements of several lengths, {element}: pad them, or return "
            "numbers and lengths"
        )
    machine = dataset._machine
    if isinstance(machine, Slices):
        columns = nest.flatten(machine.tensors)
        length = _native.cast(machine.length(), _native.int64)
    else:
        length, columns = _native.operators.conv(rows.collected)(dataset, spec)
    return Returned(SequenceType(element), lanes.Rows(layout, length, tuple(columns)))


def _element_type(spec: Any) -> Any:
    """Returns the type of the elements of a dataset; lists become tuples, as in all sequences."""
    if isinstance(spec, _native.TensorSpec):
        return TensorType(_numpy_type(spec.dtype), list(spec.shape))
    pairs = [(name, _element_type(part)) for name, part in _pairs(spec) or []]
    container = tuple if isinstance(spec, list) else type(spec)
    elements = [part if name is None else (name, part) for name, part in pairs]
    return StructWithPythonType(elements, container)

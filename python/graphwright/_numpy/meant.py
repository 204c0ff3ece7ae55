"""Parts that the tables of NumPy's functions share: dtypes in which NumPy computes, and the way to say no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _arrays, _native

Meaning = Callable[..., Any]


class NotMeantError(Exception):
    """These arguments mean what the graph has no operations for."""


def tensor(value: Any) -> Any:
    """An argument as a tensor, numbers of Python's in the dtype of the array that NumPy makes of them."""
    if isinstance(value, _native.Tensor):
        return value
    return _native.convert_to_tensor(value if has_tensors(value) else np.asarray(value))


def has_tensors(value: Any) -> bool:
    """True of lists and tuples in which a tensor stands."""
    if isinstance(value, list | tuple):
        return any(map(has_tensors, value))
    return isinstance(value, _native.Tensor)


def floats(x: Any) -> Any:
    """The numbers in the dtype in which NumPy's functions of floats compute integers: of 8 bits float16."""
    x = tensor(x)
    if x.dtype.is_floating:
        return x
    if x.dtype.is_integer:
        narrow = {1: _native.float16, 2: _native.float32}
        return _native.cast(x, narrow.get(x.dtype.size, _native.float64))
    raise NotMeantError


def of_floats(meaning: Meaning) -> Meaning:
    """A function of floats; operands of several dtypes meet first."""

    def of_met(*operands: Any) -> Any:
        numbers = [floats(one) for one in operands]
        if len({one.dtype for one in numbers}) > 1:
            widest = max((one.dtype for one in numbers), key=lambda dtype: dtype.size)
            numbers = [_native.cast(one, widest) for one in numbers]
        return meaning(*numbers)

    return of_met


def reals(x: Any) -> Any:
    """The numbers in the dtype in which NumPy's statistics compute integers: float64."""
    x = tensor(x)
    return _native.cast(x, _native.float64) if x.dtype.is_integer else floats(x)


def axis_of(axis: Any, ndim: int) -> int:
    """An axis counted from the front; `ValueError` as NumPy's where there is none.

    Some of NumPy's functions take an array without axes for one of one element: those have no meaning here.
    """
    at = int(axis)
    if ndim == 0:
        raise NotMeantError
    if not -ndim <= at < ndim:
        raise ValueError(f"axis {at} is out of bounds for array of dimension {ndim}")
    return at % ndim


def axes_of(axis: Any, ndim: int) -> list[int]:
    """The axes that an argument names, all for `None`, counted from the front."""
    if axis is None:
        return list(range(ndim))
    given = axis if isinstance(axis, list | tuple) else (axis,)
    return [axis_of(one, ndim) for one in given]


def flat(a: Any) -> Any:
    """All elements in order along one axis."""
    return _native.reshape(tensor(a), [-1])


def known_lengths(a: Any) -> list[int]:
    """The lengths of the axes, if all are known while the graph is built."""
    lengths = _arrays.lengths(a)
    if not all(isinstance(length, int) for length in lengths):
        raise NotMeantError
    return lengths


def unset(**options: Any) -> None:
    """Says that options of NumPy's have no meaning here unless they are left alone."""
    if any(value is not None for value in options.values()):
        raise NotMeantError

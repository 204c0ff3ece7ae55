"""Parts that the tables of NumPy's functions share: dtypes in which NumPy computes, and the way to say no."""

from __future__ import annotations

import builtins
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


def fitting(value: Any, dtype: Any) -> Any:
    """An argument as a tensor of a dtype; NumPy's `OverflowError` for a number of Python's beyond it."""
    if isinstance(value, _native.Tensor | np.ndarray | np.generic) or has_tensors(value):
        return _native.cast(tensor(value), dtype)
    return _native.convert_to_tensor(np.asarray(value, dtype.as_numpy_dtype))


def has_tensors(value: Any) -> bool:
    """True of lists and tuples in which a tensor stands."""
    if isinstance(value, list | tuple):
        return any(map(has_tensors, value))
    return isinstance(value, _native.Tensor)


def floats(x: Any) -> Any:
    """The numbers in the dtype in which NumPy computes floats of integers: of 8 bits and bools float16."""
    x = tensor(x)
    if x.dtype.is_floating:
        return x
    if x.dtype.is_integer or x.dtype == _native.bool:
        narrow = {1: _native.float16, 2: _native.float32}
        return _native.cast(x, narrow.get(x.dtype.size, _native.float64))
    raise NotMeantError


def dtype_of(dtype: Any) -> Any:
    """The dtype that an argument of NumPy's functions names: `int` and `float` have 64 bits."""
    return dtype if isinstance(dtype, _native.DType) else _native.as_dtype(np.dtype(dtype))


def is_exact(*operands: Any) -> bool:
    """True of operands that meet as NumPy's arrays do: none is a `gw.Tensor` in plain Python."""
    tensors = [one for one in operands if isinstance(one, _native.Tensor)]
    return any(_native.is_staged(one) for one in tensors) and all(
        _native.is_of_numpy(one) or not one.shape.rank for one in tensors
    )


def is_number(value: Any) -> bool:
    """True of a number of Python's, which one of NumPy's is not."""
    return isinstance(value, int | float | complex) and not isinstance(value, np.generic)


def is_plain(value: Any) -> bool:
    """True of a real number of Python's, which takes the dtype of what it meets."""
    return is_number(value) and not isinstance(value, bool | complex)


def of_fractions(meaning: Meaning, complex_meaning: Meaning | None = None) -> Meaning:
    """A function of a float or a complex number."""
    of_real = of_floats(meaning)

    def of_one(x: Any) -> Any:
        x = tensor(x)
        return (complex_meaning or meaning)(x) if x.dtype.is_complex else of_real(x)

    return of_one


def met_floats(*operands: Any) -> list[Any]:
    """Operands as floats of the dtype in which they meet."""
    found = [tensor(one) for one in operands if not is_plain(one)]
    if len(found) < len(operands) and all(one.dtype == _native.bool for one in found):
        # Beside bools a number of Python's has a dtype of its own, which holds them.
        return [_native.cast(tensor(one), _native.float64) for one in operands]
    own = max((floats(one).dtype for one in found), key=lambda dtype: dtype.size)
    numbers = [_native.cast(tensor(one), own) if is_plain(one) else floats(one) for one in operands]
    widest = max((one.dtype for one in numbers), key=lambda dtype: dtype.size)
    return [_native.cast(one, widest) for one in numbers]


def of_floats(meaning: Meaning) -> Meaning:
    """A function of floats, whose operands meet first; half precision is rounded once."""

    def of_met(*operands: Any) -> Any:
        numbers = met_floats(*operands)
        if any(one.dtype != _native.float16 for one in numbers):
            return meaning(*numbers)
        found = meaning(*(_native.cast(one, _native.float32) for one in numbers))
        return _native.cast(found, _native.float16) if found.dtype == _native.float32 else found

    return of_met


def reals(x: Any) -> Any:
    """The numbers in the dtype in which NumPy's statistics compute integers and bools: float64."""
    x = tensor(x)
    return floats(x) if x.dtype.is_floating or x.dtype.is_complex else _native.cast(x, _native.float64)


def fractions_of(x: Any) -> Any:
    """The same, complex numbers as they are."""
    x = tensor(x)
    return x if x.dtype.is_complex else reals(x)


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


def axes_of_single(a: Any, axis: Any) -> Any:
    """An axis, none of an array without axes: NumPy's reductions take 0 and -1 there."""
    is_axis = isinstance(axis, int) and axis in (0, -1)
    return () if is_axis and tensor(a).ndim == 0 else axis


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


def length(a: Any, axis: int) -> Any:
    """The length of an axis: a number where it is known, else a tensor of int64."""
    known = a.shape[axis]
    return _native.cast(_native.shape(a)[axis], _native.int64) if known is None else known


def of_one_dtype(*operands: Any, exact: bool | None = None) -> list[Any]:
    """Operands cast to the dtype in which they meet: integers and floats in the floats', `exact` in NumPy's.

    NumPy's arrays of a graph meet as in NumPy, unless `exact` says otherwise.

    A Python number takes the dtype of the others where that is of its kind.
    """
    found = [tensor(one) for one in operands]
    if len({one.dtype for one in found}) == 1:
        return found
    exact = is_exact(*operands) if exact is None else exact
    wanted = _native.as_dtype(_met(list(zip(operands, found, strict=True)), exact))
    return [_native.cast(one, wanted) for one in found]


def _met(pairs: list[tuple[Any, Any]], exact: bool) -> Any:
    """The dtype in which operands meet."""
    numbers = [one for one, _ in pairs if is_number(one)]
    dtypes = {made.dtype for one, made in pairs if not is_number(one)}
    widths = [dtype for dtype in dtypes if dtype.is_floating or dtype.is_complex]
    if widths and not exact:
        dtypes = set(widths)
    if len(dtypes) == 2 and {dtype.name for dtype in dtypes} == {"float16", "bfloat16"}:
        return _native.float32
    met = np.result_type(*(dtype.as_numpy_dtype for dtype in dtypes)) if dtypes else None
    if any(isinstance(one, complex) for one in numbers):
        least = np.complex64 if met is not None and met.kind in "fc" else np.complex128
        return np.result_type(least, *([] if met is None else [met]))
    is_float_among = any(isinstance(one, float) for one in numbers)
    if met is None or met.kind == "b" or (met.kind in "iu" and is_float_among):
        wide = [np.asarray(one).dtype for one in numbers]
        return np.result_type(*wide, *([] if met is None else [met]))
    return met


def real_numbers(*operands: Any) -> list[Any]:
    """Operands of which all are integers, floats or bools."""
    found = [tensor(one) for one in operands]
    if not all(one.dtype == _native.bool or one.dtype.is_integer or one.dtype.is_floating for one in found):
        raise NotMeantError
    return found


def first_or_flat(a: Any, axis: Any) -> tuple[Any, int]:
    """The array and an axis of it; all elements along one for `None`."""
    a = tensor(a)
    return (flat(a), 0) if axis is None else (a, axis_of(axis, a.ndim))


def along(a: Any, axis: int, part: Any) -> Any:
    """A part of the array along one axis."""
    return a[(slice(None),) * axis + (part,)]


def fails(ok: Any, error: str, message: str) -> None:
    """Raises an error of Python's where a condition does not hold, in a graph when it runs."""
    if isinstance(ok, _native.Tensor) and _native.is_staged(ok):
        _native.check(ok, error, message)
    elif not ok:
        raise getattr(builtins, error)(message)


def concrete(value: Any) -> Any:
    """A value as NumPy's array or number; one of the graph has no elements yet."""
    if isinstance(value, _native.Tensor):
        if _native.is_staged(value):
            raise NotMeantError
        return value.numpy()
    if isinstance(value, list | tuple):
        return [concrete(one) for one in value]
    return value


def rows(namespace: Any, meanings: dict[str, Meaning]) -> dict[Any, Meaning]:
    """A table by NumPy's functions, of those that this NumPy has."""
    return {
        getattr(namespace, name): meaning for name, meaning in meanings.items() if hasattr(namespace, name)
    }

"""NumPy's functions that make arrays of numbers, of lists, or with the facts of another array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _arrays, _native
from . import methods
from .meant import (
    Meaning,
    NotMeantError,
    dtype_of,
    fails,
    fractions_of,
    is_plain,
    of_one_dtype,
    reals,
    rows,
    tensor,
    unset,
)


def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Numbers at equal distances."""
    del device
    start, stop = _ends(start, stop)
    if isinstance(num, int) and num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    parts = num - 1 if endpoint else num
    span = stop - start
    start = start + _native.zeros_like(span)
    numbers = _native.reshape(_native.cast(_native.range(num), span.dtype), [-1] + [1] * span.ndim)
    if isinstance(parts, int):
        step = span / parts if parts > 0 else span * float("nan")
        divided = numbers / parts if parts > 0 else numbers
    else:
        parts = _native.cast(_native.maximum(parts, 1), span.dtype)
        step, divided = span / parts, numbers / parts
    # A step that is zero loses what the span still has.
    found = _native.where(step == 0.0, divided * span, numbers * step)
    found = found + start
    if endpoint and not (isinstance(num, int) and num < 2):
        found = _native.where(
            numbers == _native.cast(num, span.dtype) - 1, _native.zeros_like(found) + stop, found
        )
    elif isinstance(num, int) and num == 1:
        found = _native.zeros_like(found) + start
    found = _arrays.moved(found, 0, axis % found.ndim)
    if dtype is not None:
        wanted = dtype_of(dtype)
        found = _native.cast(_native.floor(found) if wanted.is_integer else found, wanted)
    return (found, step) if retstep else found


def _ends(start: Any, stop: Any) -> list[Any]:
    """Both ends as fractions of one dtype, in which a number of Python's takes that of an array."""
    ends = (float(one) if isinstance(one, bool) or is_plain(one) else tensor(one) for one in (start, stop))
    start, stop = of_one_dtype(*ends, exact=True)
    return [fractions_of(start), fractions_of(stop)]


def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Numbers whose logarithms are at equal distances."""
    found = linspace(start, stop, num, endpoint, axis=axis)
    found = _native.pow(_native.cast(tensor(base), found.dtype) + _native.zeros_like(found), found)
    return found if dtype is None else _native.cast(found, dtype_of(dtype))


def geomspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Numbers of which each is the one before it times the same."""
    start, stop = of_one_dtype(reals(start), reals(stop))
    sign = _native.sign(start)
    low, high = _native.log(_native.abs(start)), _native.log(_native.abs(stop))
    found = sign * _native.exp(linspace(low, high, num, endpoint))
    numbers = _native.reshape(_native.range(num), [-1] + [1] * start.ndim)
    found = _native.where(numbers == 0, _native.zeros_like(found) + start, found)
    if endpoint and num != 1:
        found = _native.where(numbers == num - 1, _native.zeros_like(found) + stop, found)
    found = _arrays.moved(found, 0, axis % found.ndim)
    return found if dtype is None else _native.cast(found, dtype_of(dtype))


def shape(a: Any) -> Any:
    """The lengths of the axes."""
    return tuple(_arrays.lengths(tensor(a)))


def ndim(a: Any) -> int:
    """The number of axes."""
    count: int = tensor(a).ndim
    return count


def size(a: Any, axis: Any = None) -> Any:
    """The number of elements, or the length of an axis."""
    a = tensor(a)
    if axis is None:
        return methods.size(a)
    found: Any = 1
    for one in axis if isinstance(axis, tuple) else (axis,):
        found = found * _arrays.lengths(a)[one]
    return found


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """The elements in another dtype."""
    del copy, device
    return methods.astype(tensor(x), dtype)


def _as_numpy(one: Any) -> Any:
    """A dtype of NumPy's in place of a tensor."""
    if isinstance(one, _native.Tensor):
        return np.dtype(one.dtype.as_numpy_dtype)
    return one


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype in which NumPy's functions would compute."""
    return np.result_type(*map(_as_numpy, arrays_and_dtypes))


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """True if a dtype may become another."""
    return np.can_cast(_as_numpy(from_), to, casting)


def common_type(*arrays: Any) -> Any:
    """The dtype of floats that holds all."""
    return np.common_type(*(np.empty(0, _as_numpy(tensor(one))) for one in arrays))


def of_memory(function: Callable[..., bool]) -> Meaning:
    """A question about memory, which tensors share with arrays that they lend; in a graph there is none."""

    def meaning(a: Any, b: Any, /, max_work: Any = None) -> bool:
        if any(isinstance(one, _native.Tensor) and _native.is_staged(one) for one in (a, b)):
            raise NotMeantError
        return function(np.asarray(a), np.asarray(b), max_work=max_work)

    return meaning


def min_scalar_type(a: Any) -> Any:
    """The dtype of an array, which holds all of its elements."""
    if tensor(a).ndim == 0:
        raise NotMeantError
    return _as_numpy(tensor(a))


def isscalar(element: Any) -> bool:
    """False: a tensor is no number of Python's."""
    del element
    return False


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    like: Any = None,
) -> Any:
    """`np.array` of what holds tensors of the graph: an array of its own."""
    del copy, order, subok, ndmax
    unset(like=like)
    found = _native.convert_to_tensor(_stacked(object))
    if dtype is not None:
        found = methods.astype(found, dtype)
    while found.ndim < ndmin:
        found = _native.expand_dims(found, 0)
    return _native.as_array(_arrays.identity(found))


def _stacked(object: Any) -> Any:
    """Lists of tensors as one, in the dtype in which all meet, as NumPy has it of single numbers."""
    if not isinstance(object, list | tuple):
        return _native.convert_to_tensor(object) if isinstance(object, np.ndarray) else object
    parts = [_stacked(one) for one in object]
    if not any(isinstance(one, _native.Tensor) for one in parts):
        return _native.convert_to_tensor(np.asarray(parts)) if parts else parts
    # A number of Python's alone is an array of int64 or float64 there.
    parts = [np.asarray(one) if isinstance(one, int | float | complex) else one for one in parts]
    return _native.stack(of_one_dtype(*parts, exact=True), 0)


def as_array(a: Any, dtype: Any = None, order: Any = None, **options: Any) -> Any:
    """`np.asarray` of a tensor of the graph: the array itself, or one of its own."""
    del order
    options = {
        name: value for name, value in options.items() if name not in ("device", "copy", "requirements")
    }
    unset(**options)
    is_array = isinstance(a, _native.Tensor) and a.ndim and _native.is_shared_array(a)
    if is_array and (dtype is None or np.dtype(dtype) == np.dtype(a.dtype.as_numpy_dtype)):
        return a
    return array(a, dtype)


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None, **options: Any) -> Any:
    """Numbers from one to another, of which the graph knows one when it runs."""
    unset(like=options.pop("like", None))
    start, stop = (0, start) if stop is None else (start, stop)
    numbers = [tensor(one) for one in (start, stop, 1 if step is None else step)]
    start, stop, step = of_one_dtype(*numbers)
    fails(step != 0, "ZeroDivisionError", "division by zero")
    found = _native.range(start, stop, step)
    wanted = found.dtype if dtype is None else dtype_of(dtype)
    if wanted != _native.bool and (found.dtype.is_floating or wanted.is_floating):
        # NumPy's numbers are as far apart as the first two are when they are rounded.
        first, second = (_native.cast(one, wanted) for one in (start, start + step))
        wide = _native.float32 if wanted.size < 4 and wanted.is_floating else wanted
        first, second = _native.cast(first, wide), _native.cast(second, wide)
        found = first + _native.cast(_native.range(_native.size(found)), wide) * (second - first)
    elif dtype is None:
        wanted = _native.int64
    return _native.as_array(_native.cast(found, wanted))


def _places(count: Any) -> Any:
    return _native.cast(_native.range(count), _native.int64)


def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, **options: Any) -> Any:  # noqa: N803
    """A matrix with ones along a diagonal, of which the graph knows the size when it runs."""
    unset(like=options.pop("like", None))
    rows_, columns = _places(N), _places(N if M is None else M)
    ones = _native.expand_dims(rows_, 1) + _native.cast(k, _native.int64) == columns
    return _native.as_array(_native.cast(ones, dtype_of(dtype)))


def identity(n: Any, dtype: Any = None, **options: Any) -> Any:
    """The matrix of ones along the diagonal."""
    return eye(n, dtype=float if dtype is None else dtype, **options)


def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, **options: Any) -> Any:  # noqa: N803
    """A matrix with ones below a diagonal, of which the graph knows the size when it runs."""
    unset(like=options.pop("like", None))
    rows_, columns = _places(N), _places(N if M is None else M)
    ones = _native.expand_dims(rows_, 1) + _native.cast(k, _native.int64) >= columns
    return _native.as_array(_native.cast(ones, dtype_of(dtype)))


def window(shape_of: Meaning) -> Meaning:
    """A window of which the graph knows the length when it runs."""

    def meaning(M: Any) -> Any:  # noqa: N803 - NumPy's name
        count = _native.cast(tensor(M), _native.float64)
        numbers = _native.cast(_native.range(M), _native.float64)
        return _native.as_array(
            _native.where(count == 1.0, 1.0, shape_of(numbers, _native.maximum(count - 1.0, 1.0)))
        )

    return meaning


def _cosines(*factors: float) -> Meaning:
    def meaning(numbers: Any, last: Any) -> Any:
        found: Any = 0.0
        for at, factor in enumerate(factors):
            found = found + factor * _native.cos(2.0 * np.pi * at * numbers / last)
        return found

    return meaning


#: Functions that NumPy does not hand to its arguments, by name: their meanings where these are of the graph.
MADE: dict[str, Meaning] = {
    "array": array,
    "asarray": as_array,
    "asanyarray": as_array,
    "ascontiguousarray": as_array,
    "asfortranarray": as_array,
    "asarray_chkfinite": as_array,
    "require": as_array,
    "arange": arange,
    "eye": eye,
    "identity": identity,
    "tri": tri,
    "bartlett": window(lambda numbers, last: 1.0 - _native.abs(2.0 * numbers / last - 1.0)),
    "hanning": window(_cosines(0.5, -0.5)),
    "hamming": window(_cosines(0.54, -0.46)),
    "blackman": window(_cosines(0.42, -0.5, 0.08)),
}

CREATION = rows(
    np,
    {
        "linspace": linspace,
        "logspace": logspace,
        "geomspace": geomspace,
        "shape": shape,
        "ndim": ndim,
        "size": size,
        "astype": astype,
        "result_type": result_type,
        "can_cast": can_cast,
        "common_type": common_type,
        "min_scalar_type": min_scalar_type,
        "may_share_memory": of_memory(np.may_share_memory),
        "shares_memory": of_memory(np.shares_memory),
    },
)

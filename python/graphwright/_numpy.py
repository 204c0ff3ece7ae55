"""NumPy's functions on tensors: two tables, and a clear error for what they lack."""

from __future__ import annotations

import opcode
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _arrays, _native

UFUNCS: dict[Any, Callable[..., Any]] = {
    np.negative: _native.negative,
    np.absolute: _native.abs,
    np.sign: _native.sign,
    np.exp: _native.exp,
    np.expm1: _native.expm1,
    np.log: _native.log,
    np.log1p: _native.log1p,
    np.sqrt: _native.sqrt,
    np.square: _native.square,
    np.sin: _native.sin,
    np.cos: _native.cos,
    np.tan: _native.tan,
    np.arctan: _native.atan,
    np.arctan2: _native.atan2,
    np.tanh: _native.tanh,
    np.floor: _native.floor,
    np.ceil: _native.ceil,
    np.rint: _native.round,
    np.isnan: _native.is_nan,
    np.isfinite: _native.is_finite,
    np.invert: _native.invert,
    np.logical_not: _native.logical_not,
    np.add: _native.add,
    np.subtract: _native.subtract,
    np.multiply: _native.multiply,
    np.true_divide: _native.divide,
    np.floor_divide: _native.floordiv,
    np.remainder: _native.floormod,
    np.power: _native.pow,
    np.maximum: _native.maximum,
    np.minimum: _native.minimum,
    np.bitwise_and: _native.bitwise_and,
    np.bitwise_or: _native.bitwise_or,
    np.bitwise_xor: _native.bitwise_xor,
    np.logical_and: _native.logical_and,
    np.logical_or: _native.logical_or,
    np.logical_xor: _native.logical_xor,
    np.left_shift: _native.left_shift,
    np.right_shift: _native.right_shift,
    np.equal: _native.equal,
    np.not_equal: _native.not_equal,
    np.less: _native.less,
    np.less_equal: _native.less_equal,
    np.greater: _native.greater,
    np.greater_equal: _native.greater_equal,
    np.matmul: _native.matmul,
}


def of_truths(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """A function of truths, of numbers too: all but zero are true."""

    def meaning(a: Any, *args: Any, **kwargs: Any) -> Any:
        return reduce(a if a.dtype == _native.bool else a != 0, *args, **kwargs)

    return meaning


def of_integers(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """A sum or product: NumPy's of bools and 32-bit integers has 64 bits."""

    def meaning(a: Any, axis: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
        if dtype is None:
            dtype = _native.int64 if a.dtype in (_native.bool, _native.int32) else a.dtype
        return reduce(_native.cast(a, dtype), axis, **kwargs)

    return meaning


def running(accumulate: Callable[..., Any]) -> Callable[..., Any]:
    """A running sum or product, over all elements where no axis is given; of 64 bits as a sum is."""

    def along(a: Any, axis: Any) -> Any:
        return accumulate(_native.reshape(a, [-1]), 0) if axis is None else accumulate(a, axis)

    return of_integers(along)


def of_some(name: str, reduce: Callable[..., Any]) -> Callable[..., Any]:
    """An extreme, which there is none of no elements."""

    def meaning(a: Any, axis: Any = None, **kwargs: Any) -> Any:
        found = reduce(a, axis, **kwargs)
        if None in a.shape or 0 in a.shape:
            is_some(a, axis, f"zero-size array to reduction operation {name} which has no identity")
        return found

    return meaning


def is_some(a: Any, axis: Any, message: str) -> None:
    """Fails where elements are taken together along an axis that has none."""
    given = range(a.ndim) if axis is None else np.atleast_1d(axis) % a.ndim
    lengths = _arrays.lengths(a)
    ok: Any = True
    for at in given:
        ok = _native.logical_and(ok, lengths[at] != 0)
    if _native.is_tracing():
        _native.check(ok, "ValueError", message)
    elif not ok:
        raise ValueError(message)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: of_integers(_native.reduce_sum),
    np.prod: of_integers(_native.reduce_prod),
    np.cumsum: running(_arrays.cumsum),
    np.cumprod: running(_arrays.cumprod),
    np.mean: _native.reduce_mean,
    np.max: of_some("maximum", _native.reduce_max),
    np.min: of_some("minimum", _native.reduce_min),
    np.all: of_truths(_native.reduce_all),
    np.any: of_truths(_native.reduce_any),
    np.reshape: _native.reshape,
    np.transpose: _native.transpose,
    np.expand_dims: _native.expand_dims,
    np.squeeze: _native.squeeze,
    np.concatenate: _native.concat,
    np.stack: _native.stack,
    np.where: _native.where,
    np.clip: _native.clip_by_value,
    np.empty_like: _native.zeros_like,
    np.zeros_like: _native.zeros_like,
    np.ones_like: _native.ones_like,
    np.broadcast_to: _native.broadcast_to,
}


#: Those that give a view of their first argument.
VIEWS = {np.reshape, np.transpose, np.expand_dims, np.squeeze, np.broadcast_to}


def ufunc(function: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """`np.sin(tensor)` and the like: the operation of the same meaning."""
    found = UFUNCS.get(function)
    inputs = read(inputs)
    out = (kwargs or {}).get("out", (None,))[0]
    if found is not None and kwargs == {"out": (out,)} and _native.is_staged(out):
        return _native.replaced(out, found(*inputs), function.__name__)
    if found is None or method != "__call__" or kwargs:
        plain = function if method == "__call__" else getattr(function, method)
        return on_values(plain, inputs, kwargs or {})
    return _native.as_array(of_numpy(found(*inputs)), *inputs)


def function(function: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`np.sum(tensor)` and the like: the operation of the same meaning."""
    found = FUNCTIONS.get(function)
    inputs = read(inputs)
    if found is None:
        return on_values(function, inputs, kwargs)
    try:
        result = found(*inputs, **kwargs)
    except TypeError as error:
        # Our operation knows fewer arguments than NumPy's function.
        if "got an unexpected keyword argument" not in str(error):
            raise
        return on_values(function, inputs, kwargs)
    if function in VIEWS and isinstance(inputs[0], _native.Tensor):
        return _native.as_view(result, inputs[0], lambda array: found(array, *inputs[1:], **kwargs))
    return _native.as_array(of_numpy(result), *operands(inputs))


def of_numpy(result: Any) -> Any:
    """The result, a single bool as an element of an array: it is no bool of Python's."""
    if not isinstance(result, _native.Tensor) or not _native.is_staged(result):
        return result
    is_bool = result.dtype == _native.bool and result.ndim == 0
    return _native.reshape(_native.reshape(result, [1]), []) if is_bool else result


def operands(inputs: tuple[Any, ...]) -> list[Any]:
    """The arrays among arguments, those in lists too."""
    return [part for one in inputs for part in (one if isinstance(one, list | tuple) else [one])]


def read(value: Any) -> Any:
    """The value with variables replaced by what they hold."""
    if isinstance(value, _native.Variable):
        return value.value()
    if type(value) in (list, tuple):
        return type(value)(map(read, value))
    return value


def on_values(function: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What NumPy itself gives for the tensors' elements; a tensor of a graph has none and says so."""
    kwargs = {name: read(value) for name, value in kwargs.items()}
    result = function(*map(values, inputs), **{name: values(value) for name, value in kwargs.items()})
    if is_watched((inputs, *kwargs.values())) and has_floats(result):
        raise _leaves_tape(function)
    return result


def is_watched(value: Any) -> bool:
    """True if a tape takes down what is made of one of these tensors."""
    if isinstance(value, _native.Tensor):
        return _native.watched_by_tape(value)
    return isinstance(value, list | tuple) and any(map(is_watched, value))


def has_floats(result: Any) -> bool:
    """True if something of what NumPy gives could have a derivative."""
    if isinstance(result, list | tuple):
        return any(map(has_floats, result))
    if isinstance(result, np.ndarray | np.generic):
        return result.dtype.kind in "fc"
    return isinstance(result, float | complex)


def _leaves_tape(function: Any) -> BaseException:
    from ._remedies import instead_of

    name = function.__name__
    counterpart = instead_of(name)
    message = (
        f"`{name}` of NumPy computes on arrays, so the tape around it does not see it "
        "and would lose its derivative"
    )
    use = f"use `gw.{counterpart}`" if counterpart else "compute it with functions of `gw`"
    return _native.diagnosed("GW124", message, f"{use}, or give it `x.numpy()` if no derivative is wanted")


#: The instructions of `array[i] = value`.
_STORES = {opcode.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in opcode.opmap}


def check_store() -> None:
    """Refuses the statement that runs, if it stores into an array what a tape around it takes down."""
    frame = sys._getframe(1)
    if frame.f_code.co_code[frame.f_lasti] in _STORES:
        raise _native.diagnosed(
            "GW124",
            "an array of NumPy keeps the numbers of what is stored into it, so the tape around it would lose "
            "their derivative",
            "make the array by `gw.zeros`, or store `x.numpy()` if no derivative is wanted",
        )


def values(value: Any) -> Any:
    """The value with tensors replaced by NumPy arrays."""
    if isinstance(value, _native.Tensor):
        return value.numpy()
    if isinstance(value, list | tuple):
        return type(value)(map(values, value))
    return value

"""NumPy's functions on tensors: tables of their meanings, and a clear error for what they lack."""

from __future__ import annotations

import functools
import opcode
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native
from .meant import NotMeantError, tensor
from .moves import LISTS_OF_VIEWS, MOVES, PERHAPS_VIEWS, STORES, VIEWS
from .products import PRODUCTS
from .reductions import REDUCTIONS
from .searches import SEARCHES
from .ufuncs import UFUNCS

#: The functions that most programs call; the others are read when one of them is called.
FUNCTIONS: dict[Any, Callable[..., Any]] = {**REDUCTIONS, **MOVES, **PRODUCTS, **SEARCHES}


@functools.cache
def rarer() -> dict[Any, Callable[..., Any]]:
    """The functions and ufuncs that fewer programs call."""
    from .bits import BITS, UFUNCS_OF_BITS
    from .creation import CREATION
    from .elements import ELEMENTS, MORE_UFUNCS
    from .fourier import FOURIER
    from .intervals import INTERVALS
    from .matrices import MATRICES, UFUNCS_OF_MATRICES
    from .places import PLACES
    from .polynomials import POLYNOMIALS
    from .sets import SETS
    from .splitting import SPLITTING
    from .statistics import STATISTICS

    functions = {
        **INTERVALS,
        **SETS,
        **PLACES,
        **STATISTICS,
        **POLYNOMIALS,
        **SPLITTING,
        **MATRICES,
        **FOURIER,
    }
    elements = {**BITS, **ELEMENTS, **CREATION, **MORE_UFUNCS, **UFUNCS_OF_BITS, **UFUNCS_OF_MATRICES}
    return {**functions, **elements}


def meaning_of(function: Any, common: dict[Any, Callable[..., Any]]) -> Callable[..., Any] | None:
    """The meaning of a function of NumPy's; none if it has none."""
    return common.get(function) or rarer().get(function)


def ufunc(function: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """`np.sin(tensor)` and the like: the operation of the same meaning."""
    found, inputs, options = meaning_of(function, UFUNCS), read(inputs), dict(kwargs or {})
    plain = function if method == "__call__" else getattr(function, method)
    meaning = found if method == "__call__" else method_of(method)
    if found is None or meaning is None:
        return on_values(plain, inputs, options)
    inputs = as_numpy_reads(function, inputs) if method == "__call__" else (function, *inputs)
    out = options.pop("out", None)
    try:
        if method == "__call__" and options:
            from .ufunc_methods import with_options

            result = with_options(meaning, inputs, options)
        else:
            result = meaning(*inputs, **options)
        return _given(result, inputs, out, options, function.__name__)
    except NotMeantError:
        return on_values(plain, inputs[method != "__call__" :], kwargs or {})


#: Ufuncs whose arguments do not meet in one dtype, or are compared without being rounded.
_APART = {
    np.ldexp,
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.logical_and,
    np.logical_or,
    np.logical_xor,
}


#: Ufuncs that compute in the dtype of their integers.
_OF_INTEGERS = {
    np.add,
    np.subtract,
    np.multiply,
    np.floor_divide,
    np.remainder,
    np.divmod,
    np.fmod,
    np.power,
    np.maximum,
    np.minimum,
    np.fmax,
    np.fmin,
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.left_shift,
    np.right_shift,
    np.gcd,
    np.lcm,
}


def as_numpy_reads(function: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of a ufunc, arrays of a graph in the dtype in which NumPy computes.

    A list is an array; a float beside integers alone has double precision.
    """
    _native.check_inputs(inputs, function.__name__)
    tensors = [one for one in inputs if isinstance(one, _native.Tensor)]
    has_floats = any(one.dtype.is_floating or one.dtype.is_complex for one in tensors)

    def read(one: Any) -> Any:
        if isinstance(one, list | tuple) or (isinstance(one, float | complex) and not has_floats):
            return tensor(one)
        return one

    given, inputs = inputs, tuple(map(read, inputs))
    if function is np.true_divide and not has_floats:
        # An integer of Python's need not fit the integers that it divides.
        inputs = tuple(tensor(float(one)) if type(one) is int else one for one in inputs)
    if len(inputs) != 2 or function in _APART or not any(map(_native.is_staged, inputs)):
        return inputs
    if function in _OF_INTEGERS and any(type(one) is int for one in inputs):
        check_fits(tensors, inputs)
    met = _native.met_by_numpy(*map(as_array_of_list, given, inputs))
    return inputs if met is None else tuple(_native.cast(tensor(one), met) for one in inputs)


def as_array_of_list(given: Any, made: Any) -> Any:
    """An argument, a list of numbers as NumPy's array of it."""
    is_list = isinstance(given, list | tuple) and not any(isinstance(one, _native.Tensor) for one in given)
    return np.asarray(given) if is_list else made


def check_fits(tensors: list[Any], inputs: tuple[Any, ...]) -> None:
    """NumPy's `OverflowError` for an integer of Python's beside an array whose dtype does not hold it."""
    if tensors and tensors[0].dtype.is_integer:
        for one in inputs:
            if type(one) is int:
                np.asarray(one, tensors[0].dtype.as_numpy_dtype)


def method_of(name: str) -> Callable[..., Any] | None:
    """The meaning of a method of ufuncs; none if it has none."""
    from .ufunc_methods import METHODS

    return METHODS.get(name)


def _given(result: Any, inputs: tuple[Any, ...], out: Any, options: dict[str, Any], name: str) -> Any:
    """The results as arrays, or the arrays that take them."""
    if out is None or all(one is None for one in out):
        return arrays_of(result, operands(inputs))
    results = result if isinstance(result, tuple) else (result,)
    taken = tuple(
        arrays_of(one, operands(inputs)) if into is None else _into(into, one, options, name)
        for one, into in zip(results, out, strict=True)
    )
    return taken if isinstance(result, tuple) else taken[0]


def _into(out: Any, result: Any, options: dict[str, Any], name: str) -> Any:
    if options or not _native.is_staged(out):
        from .ufunc_methods import stored

        return stored(out, result, options, name)
    return _native.replaced(out, _in_shape_of(out, result), name)


def function(function: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`np.sum(tensor)` and the like: the operation of the same meaning."""
    found = meaning_of(function, FUNCTIONS)
    inputs, kwargs = read(inputs), {name: read(value) for name, value in kwargs.items()}
    if found is None:
        return on_values(function, inputs, kwargs)
    options = dict(kwargs)
    out = options.pop("out", None)
    try:
        if function in VIEWS and not inputs:
            raise NotMeantError
        result = found(*inputs, **options)
    except NotMeantError:
        return on_values(function, inputs, kwargs)
    except TypeError as error:
        # Our operation knows fewer arguments than NumPy's function.
        if "unexpected keyword argument" not in str(error) and "positional argument" not in str(error):
            raise
        return on_values(function, inputs, kwargs)
    if out is not None:
        return _into(out, result, {}, function.__name__)
    if function in LISTS_OF_VIEWS and isinstance(inputs[0], _native.Tensor):
        return _parts_of(found, result, inputs, options)
    if function in VIEWS and isinstance(inputs[0], _native.Tensor):
        return _native.as_view(result, inputs[0], lambda array: found(array, *inputs[1:], **options))
    if function in STORES and isinstance(inputs[0], _native.Tensor) and result.ndim > 0:
        return _native.as_view(result, inputs[0], found, STORES[function])
    made = arrays_of(result, operands((*inputs, *kwargs.values())))
    if function in PERHAPS_VIEWS:
        parts = list(made) if isinstance(made, tuple) else [made]
        given = [one for one in (*inputs, *kwargs.values()) if isinstance(one, _native.Tensor)]
        _native.may_be_parts(parts, given)
    return made


def _parts_of(
    found: Callable[..., Any], results: Any, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """Several views of one array."""

    def view(at: int, result: Any) -> Any:
        return _native.as_view(result, inputs[0], lambda array: found(array, *inputs[1:], **options)[at])

    return type(results)(view(at, result) for at, result in enumerate(results))


def arrays_of(result: Any, inputs: list[Any]) -> Any:
    """The results of NumPy's function, as arrays where an array is among its arguments."""
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(arrays_of(one, inputs) for one in result))
    if isinstance(result, tuple | list):
        return type(result)(arrays_of(one, inputs) for one in result)
    return _native.as_array(of_numpy(result), *inputs) if isinstance(result, _native.Tensor) else result


def of_numpy(result: Any) -> Any:
    """The result, a single bool as an element of an array: it is no bool of Python's."""
    if not isinstance(result, _native.Tensor) or not _native.is_staged(result):
        return result
    is_bool = result.dtype == _native.bool and result.ndim == 0
    return _native.reshape(_native.reshape(result, [1]), []) if is_bool else result


def operands(inputs: tuple[Any, ...]) -> list[Any]:
    """The arrays among arguments, those in lists too."""
    return [part for one in inputs for part in (one if isinstance(one, list | tuple) else [one])]


def _in_shape_of(out: Any, value: Any) -> Any:
    """A result that NumPy repeats along the axes of the array that takes it."""
    value = _native.convert_to_tensor(value)
    (wanted, found) = (tuple(out.shape), tuple(value.shape))
    repeats = len(found) <= len(wanted) and all(
        n == m or n == 1 for n, m in zip(reversed(found), reversed(wanted), strict=False)
    )
    if found == wanted or not repeats or None in wanted:
        return value
    return _native.broadcast_to(value, wanted)


def read(value: Any) -> Any:
    """The value with variables replaced by what they hold."""
    if isinstance(value, _native.Variable):
        return value.value()
    if type(value) in (list, tuple):
        return type(value)(map(read, value))
    return value


def on_values(function: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """NumPy's own result for the tensors' elements; a tensor of a graph has none and says so."""
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
    from .._remedies import instead_of

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

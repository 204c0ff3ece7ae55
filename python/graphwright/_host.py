"""Functions that stay Python's: what they promise, and what they find around them."""

from __future__ import annotations

import dis
import functools
import inspect
import logging
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

from . import _native

P = ParamSpec("P")
R = TypeVar("R")


@typing.overload
def host(func: Callable[P, R], *, returns: Any = ...) -> Callable[P, R]: ...
@typing.overload
def host(func: None = None, *, returns: Any = ...) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def host(func: Any = None, *, returns: Any = ...) -> Any:
    """A function that stays Python's: in a graph, each call of it is one when the graph runs.

    Outside of graphs it is the function itself. `returns`, or else its annotation, says what it gives: a
    `gw.TensorSpec`, or `float`, `int`, `bool`, `str` for a value of Python's own, or a tuple of these; `None`
    is nothing. Tensors of the graph arrive as tensors that hold their elements, Python's numbers as numbers,
    and all other objects as they are.

    Args:
      func: function or method of Python's; its return annotation promises the type.
      returns: type of the result, in place of an annotation.

    Returns:
      Function that graphs call.

    Example:
      >>> @gw.host
      ... def rank_of(x) -> int:
      ...     return sorted([3.0, 1.0, 2.0]).index(float(x))
      >>> gw.function(lambda x: rank_of(x) + 1)(gw.constant(2.0))
      <gw.Tensor: shape=(), dtype=int64, numpy=2>
    """
    if func is None:
        return functools.partial(host, returns=returns)
    if not callable(func):
        raise TypeError(f"`gw.host` marks a function, not a value of type `{type(func).__name__}`")
    if returns is ...:
        marked = _native.HostFunction(func)
    else:
        name = getattr(func, "__name__", type(func).__name__)
        marked = _native.HostFunction.promising(func, _structure(returns), name, "host")
    return functools.update_wrapper(typing.cast("Callable[..., Any]", marked), func)


def promised(function: Callable[..., Any]) -> Any:
    """Types of the results of a function by its annotation: specs, dtypes and classes, in tuples."""
    name = getattr(function, "__name__", "function")
    found = inspect.get_annotations(inspect.unwrap(function), eval_str=True)
    if "return" not in found:
        raise _native.diagnosed(
            "GW126",
            f"`{name}` is called in a graph, and its annotation does not say what it gives",
            f"write `def {name}(...) -> gw.TensorSpec(shape, dtype)`, `-> float`, `-> tuple[int, bool]` or "
            "`-> None`",
        )
    return _structure(found["return"])


def _structure(annotation: Any) -> Any:
    if annotation is type(None):
        return None
    if typing.get_origin(annotation) is tuple:
        return tuple(_structure(one) for one in typing.get_args(annotation))
    if isinstance(annotation, tuple | list):
        return type(annotation)(_structure(one) for one in annotation)
    return annotation


def frozen(function: types.FunctionType, held: dict[str, Any]) -> types.FunctionType:
    """The function with these values of variables around it, which have others by now.

    What it assigns to stays shared.
    """
    stored = set(_stored(function.__code__))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    closure = tuple(
        types.CellType(held[name]) if name in held and name not in stored else cell for name, cell in cells
    )
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__qualname__, made.__doc__ = function.__qualname__, function.__doc__
    return made


def _stored(code: types.CodeType) -> Iterator[str]:
    """The variables of closures that code assigns to, it or code inside it."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("STORE_DEREF", "DELETE_DEREF"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _stored(constant)


def write(stream: str | int, text: str) -> None:
    """Writes what `gw.print` prints to a file, at its end, or to the log."""
    if isinstance(stream, int):
        logging.getLogger("graphwright.print").log(stream, "%s", text.removesuffix("\n"))
        return
    with open(stream.removeprefix("file://"), "a", encoding="utf-8") as file:
        file.write(text)

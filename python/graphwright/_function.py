"""The decorator `gw.function`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, overload

from . import _native
from .typing import signature_of

P = ParamSpec("P")
R = TypeVar("R")


class CacheInfo(NamedTuple):
    """Results of `Function.cache_info()`."""

    hits: int
    """Calls that found their graph."""
    misses: int
    """Calls that had to make one."""
    currsize: int
    """The graphs that are kept."""
    bytes: int
    """About how many bytes they take."""


@overload
def function(
    func: Callable[P, R],
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    *,
    roll: bool | Literal["auto"] = "auto",
    source: str | None = None,
    integer_overflow: Literal["raise", "wrap"] | None = None,
    python_numbers: Literal["static", "staged", "auto"] = "static",
    host_code: Literal["auto", "run", "trace", "refuse"] = "auto",
    implicit_copies: Literal["warn", "allow", "error"] | None = None,
    denormals: Literal["flush", "keep"] | None = None,
    **deprecated: Any,
) -> _native.Function[P, R]: ...
@overload
def function(
    func: None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    *,
    roll: bool | Literal["auto"] = "auto",
    source: str | None = None,
    integer_overflow: Literal["raise", "wrap"] | None = None,
    python_numbers: Literal["static", "staged", "auto"] = "static",
    host_code: Literal["auto", "run", "trace", "refuse"] = "auto",
    implicit_copies: Literal["warn", "allow", "error"] | None = None,
    denormals: Literal["flush", "keep"] | None = None,
    **deprecated: Any,
) -> Callable[[Callable[P, R]], _native.Function[P, R]]: ...
def function(
    func: Callable[P, R] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    *,
    roll: bool | Literal["auto"] = "auto",
    source: str | None = None,
    integer_overflow: Literal["raise", "wrap"] | None = None,
    python_numbers: Literal["static", "staged", "auto"] = "static",
    host_code: Literal["auto", "run", "trace", "refuse"] = "auto",
    implicit_copies: Literal["warn", "allow", "error"] | None = None,
    denormals: Literal["flush", "keep"] | None = None,
    **deprecated: Any,
) -> Any:
    """Makes a graph of a Python function, and native code of the graph.

    It is traced once per trace type of its arguments: tensors and NumPy arrays count by dtype and shape,
    Python numbers and strings by type and value, tuples, lists, mappings, dataclasses and attrs classes by
    their items, functions by code and closure, objects with a `__tf_tracing_type__` by its result, other
    objects by identity.

    Args:
      func: the function; without it, the decorator with these options.
      input_signature: one `gw.TensorSpec`, or structure of them, per argument; calls that do not fit raise
        `TypeError` (GW302). Without it, annotations of `graphwright.typing` are one, if each parameter has
        one.
      autograph: whether Python's control flow is converted; if not, tensors cannot decide it.
      jit_compile: accepted, as in TensorFlow; graphs are always compiled.
      reduce_retracing: whether a call with new lengths of axes makes a graph for any length, so that the next
        such call finds it.
      roll: how loops over Python's numbers get into the graph. With `"auto"`, a long `for` over a `range` or
        `while` that puts operations into the graph becomes a loop of the graph if its body can be staged. It
        is run turn by turn while the graph is built otherwise. `False` runs all turns, as TensorFlow does.
        With `True` each `for` over a `range` is a loop of the graph.
      source: the text that was given to `exec`, where Python does not keep it.
      integer_overflow: treatment of an integer scalar that leaves its dtype: with `"raise"` it is an
        `OverflowError`, with `"wrap"` it wraps; without it, `gw.config.set_integer_overflow` decides.
      python_numbers: treatment of arguments that are Python numbers. With `"static"` each value has a
        graph of its own, as in TensorFlow. With `"staged"` one graph takes them all: they stay Python's
        numbers in it, for `isinstance` too, and results that are Python's numbers come back as such. With
        `"auto"` they are static until a second value comes, and staged from then on if the body takes that;
        `explain_retraces()` says why it does not. An argument left to its default is static in any case.
      host_code: treatment of calls of the host. With `"auto"`, code that `gw.host`, `gw.py_function` and
        their kin mark, and functions that answer differently each time, are called when the graph runs.
        With `"trace"` only marked code is: random numbers, clocks and iterators of Python's are asked
        once, while the graph is built, as in TensorFlow. With `"run"` all host code is: functions not
        written in the program, those that `do_not_convert` marks, and `print`. The first call of a trace
        type runs in plain Python and notes the types; values that no graph holds stay there. With
        `"refuse"` such a call is an error (GW504): the graph is closed.
      implicit_copies: reaction where a value of more than 64 bytes crosses between the graph and the host
        and nobody said so: `"warn"` (`gw.ImplicitCopyWarning`), `"allow"`, or `"error"` (GW501, GW502);
        without it, `gw.config.set_implicit_copies` decides.
      denormals: treatment of subnormal numbers, which are nearer to zero than any with all its digits,
        where the graph holds arrays of `float32` and nothing of `float64`: with `"flush"` they are zeros,
        with `"keep"` they stay as they are, which takes some processors a hundred times as long; without it,
        `gw.config.set_denormals` decides.
      **deprecated: TensorFlow's other names. `experimental_relax_shapes` is `reduce_retracing`;
        `experimental_follow_type_hints` makes tensors of numbers where an annotation asks for `gw.Tensor`;
        `experimental_compile`, `experimental_implements`, `experimental_attributes` and
        `experimental_autograph_options` are accepted, and a warning says that they have no effect.

    Returns:
      Graph function (`gw.types.experimental.Function`); a decorator if `func` is left out.

    Example:
      >>> @gw.function
      ... def double(x):
      ...     return x + x
      >>> double(gw.constant(21))
      <gw.Tensor: shape=(), dtype=int32, numpy=42>
    """
    relax, hints = _renamed(deprecated)
    options = _Options(
        source,
        roll,
        reduce_retracing or relax,
        hints,
        integer_overflow,
        python_numbers,
        host_code,
        implicit_copies,
        denormals,
    )
    if func is None:
        return functools.partial(_made, input_signature, autograph, options)
    return _made(input_signature, autograph, options, func)


class _Options(NamedTuple):
    """The options of a function beside its signature, as the native half takes them."""

    source: str | None = None
    roll: bool | str = "auto"
    reduce_retracing: bool = False
    follow_type_hints: bool = False
    integer_overflow: str | None = None
    python_numbers: str = "static"
    host_code: str = "auto"
    implicit_copies: str | None = None
    denormals: str | None = None


def _made(
    input_signature: Sequence[Any] | None,
    autograph: bool,
    options: _Options,
    func: Callable[P, R],
) -> _native.Function[P, R]:
    if input_signature is None:
        input_signature = signature_of(func)
    made = _native.Function(func, input_signature, autograph, *options)
    functools.update_wrapper(made, func)
    vars(made)[_OPTIONS] = (input_signature, autograph, options)
    return made


#: Under which name a function keeps what it was made with.
_OPTIONS = "_made_with"


def options_of(made: _native.Function[..., Any]) -> tuple[Any, bool, dict[str, Any]]:
    """`(input_signature, autograph, the other options by name)` of a function, to make one like it."""
    signature, autograph, options = vars(made).get(_OPTIONS, (made.input_signature, True, _Options()))
    others = options._asdict()
    hints = others.pop("follow_type_hints")
    return signature, autograph, others | ({"experimental_follow_type_hints": True} if hints else {})


_WITHOUT_EFFECT = {
    "experimental_compile": "graphs are always compiled",
    "experimental_implements": "a function stands for itself",
    "experimental_attributes": "a graph has no attributes",
    "experimental_autograph_options": "all of the language is converted",
}


def _renamed(deprecated: dict[str, Any]) -> tuple[bool, bool]:
    """`(reduce_retracing, follow_type_hints)` by their other names."""
    relax = deprecated.pop("experimental_relax_shapes", None)
    hints = deprecated.pop("experimental_follow_type_hints", None)
    for name, value in deprecated.items():
        if name not in _WITHOUT_EFFECT:
            raise TypeError(f"function() got an unexpected keyword argument '{name}'")
        if value is not None:
            text = f"`{name}` has no effect: {_WITHOUT_EFFECT[name]}"
            warnings.warn(text, DeprecationWarning, stacklevel=3)
    return bool(relax), bool(hints)

"""Conversion by itself: a function with its control flow converted, its lowered Python, its log."""

from __future__ import annotations

import builtins
import functools
import logging
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, ParamSpec, TypeVar, cast

from . import _features, _native
from ._backend import Backend, Possible, Refusal, Registration, State, register_backend, unregister_backend

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "Backend",
    "Possible",
    "Refusal",
    "Registration",
    "State",
    "do_not_convert",
    "experimental",
    "register_backend",
    "set_verbosity",
    "to_code",
    "to_graph",
    "trace",
    "unregister_backend",
]

Features = _features.Feature | Sequence[_features.Feature] | None


def to_graph(
    entity: Callable[P, R],
    recursive: bool = True,
    experimental_optional_features: Features = None,
    *,
    source: str | None = None,
) -> Callable[P, R]:
    """Converts a function: tensors in a `gw.function` then stage its control flow, others leave it Python's.

    Args:
      entity: a function or a method.
      recursive: whether the functions that it calls are converted too.
      experimental_optional_features: accepted, as in TensorFlow: every feature is always on.
      source: the text that was given to `exec`, where Python does not keep it.

    Returns:
      Converted function with the arguments of `entity`.

    Raises:
      ConversionError: the function cannot be converted.

    Example:
      >>> def f(x):
      ...     return x if x > 0 else -x
      >>> gw.autograph.to_graph(f)(-3)
      3
    """
    _features.check(experimental_optional_features)
    converted: Callable[P, R] = _native.to_graph(entity, recursive, source)
    return converted


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: Features = None,
    *,
    source: str | None = None,
) -> str:
    """Gives the lowered Python of a function, to read; the arguments are those of `to_graph`.

    Raises `gw.errors.ConversionError` where the source cannot be found or read.

    Args:
      entity: function or method.
      recursive: whether functions that it calls are converted too.
      experimental_optional_features: accepted as in TensorFlow; has no effect.
      source: text of the function, where Python does not know it.

    Returns:
      str.

    Raises:
      ConversionError: the function cannot be converted.

    Example:
      >>> def f(x):
      ...     return x if x > 0 else -x
      >>> print(gw.autograph.to_code(f), end="")
      def f(x):
          return gw__.if_exp(x > 0, lambda: x, lambda: -x)
    """
    _features.check(experimental_optional_features)
    return _native.to_code(entity, source)


def do_not_convert(func: F | None = None) -> F:
    """Marks a function that converted code calls as it stands, with all that it calls; also a decorator.

    Args:
      func: function; without it a decorator is returned.

    Returns:
      The function, marked.

    Example:
      >>> @gw.autograph.experimental.do_not_convert
      ... def plain(x):
      ...     return x
      >>> plain(3)
      3
    """
    if func is None:
        return cast(F, do_not_convert)

    @functools.wraps(func)
    def unconverted(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    unconverted.__graphwright_do_not_convert__ = True  # type: ignore[attr-defined]
    return cast(F, unconverted)


def trace(*args: Any) -> None:
    """Prints the arguments when the graph is built: tensors as they are known then.

    Args:
      args: values to print.

    Returns:
      Nothing.

    Example:
      >>> @gw.function
      ... def f(x):
      ...     gw.autograph.trace("building")
      ...     return x
      >>> f(gw.constant(1))
      TRACE: building
      <gw.Tensor: shape=(), dtype=int32, numpy=1>
    """
    builtins.print("TRACE:", *args)


#: The handler that shows the log, where the program has not set up handlers of its own.
_shown: dict[str, logging.Handler] = {}


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Says how much the logger `graphwright` tells of conversion; never the contents of tensors.

    Args:
      level: 0 for nothing, 1 for the functions that are converted, left as they are and traced, 3 for their
        lowered Python too. The environment variable `GRAPHWRIGHT_VERBOSITY` gives the level to start with.
      alsologtostdout: whether it is written to `sys.stdout` too.

    Returns:
      Nothing.

    Example:
      >>> import logging
      >>> gw.autograph.set_verbosity(1)
      >>> logging.getLogger("graphwright").isEnabledFor(logging.INFO)
      True
      >>> gw.autograph.set_verbosity(0)
    """
    logger = logging.getLogger("graphwright")
    _native.set_verbosity(min(max(level, 0), 255))
    for handler in _shown.values():
        logger.removeHandler(handler)
    _shown.clear()
    logger.setLevel(logging.INFO if level > 0 else logging.NOTSET)
    if level > 0 and not logger.hasHandlers():
        _shown["stderr"] = logging.StreamHandler(sys.stderr)
    if alsologtostdout:
        _shown["stdout"] = logging.StreamHandler(sys.stdout)
    for handler in _shown.values():
        logger.addHandler(handler)


if _native.verbosity():
    set_verbosity(_native.verbosity())

#: TensorFlow's namespace of the same name.
experimental = SimpleNamespace(
    do_not_convert=do_not_convert,
    Feature=_features.Feature,
    set_loop_options=_features.set_loop_options,
)

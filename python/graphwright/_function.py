"""The decorator `gw.function`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from . import _native

P = ParamSpec("P")
R = TypeVar("R")


@overload
def function(
    func: Callable[P, R],
    input_signature: Sequence[_native.TensorSpec] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    *,
    roll: bool = False,
    source: str | None = None,
) -> _native.Function[P, R]: ...
@overload
def function(
    func: None = None,
    input_signature: Sequence[_native.TensorSpec] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    *,
    roll: bool = False,
    source: str | None = None,
) -> Callable[[Callable[P, R]], _native.Function[P, R]]: ...
def function(
    func: Callable[P, R] | None = None,
    input_signature: Sequence[_native.TensorSpec] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    *,
    roll: bool = False,
    source: str | None = None,
) -> Any:
    """Makes a graph of a Python function, and native code of the graph.

    It is traced once per trace type of its arguments: tensors and NumPy arrays count by dtype and shape,
    Python numbers and strings by type and value, containers by structure, other objects by identity.

    Args:
      func: the function; without it, the decorator with these options.
      input_signature: one `gw.TensorSpec` per argument; calls that do not fit raise `TypeError` (GW302).
      autograph: whether Python's control flow is converted; if not, tensors cannot decide it.
      jit_compile: accepted, as in TensorFlow; graphs are always compiled.
      roll: whether `for` over a Python `range` becomes a loop of the graph, as over `gw.range`, instead of
        being run once per number while the graph is built.
      source: the text that was given to `exec`, where Python does not keep it.
    """
    if func is None:
        return functools.partial(
            function,
            input_signature=input_signature,
            autograph=autograph,
            jit_compile=jit_compile,
            roll=roll,
            source=source,
        )
    made = _native.Function(func, input_signature, autograph, source, roll)
    functools.update_wrapper(made, func)
    return made

"""Settings of a running program."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Literal

from .. import _native, _partition
from .._tensorflow.graphs import list_logical_devices, list_physical_devices
from .._tensorflow.harmless import set_memory_growth, set_visible_devices
from . import _progress, threading

#: TensorFlow's namespace of the same name.
experimental = SimpleNamespace(set_memory_growth=set_memory_growth)

__all__ = [
    "experimental",
    "full_tracebacks",
    "functions_run_eagerly",
    "get_denormals",
    "get_dtype_promotion",
    "get_implicit_copies",
    "get_integer_overflow",
    "get_progress",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_denormals",
    "set_dtype_promotion",
    "set_implicit_copies",
    "set_integer_overflow",
    "set_progress",
    "set_visible_devices",
    "threading",
]


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes calls of functions run as plain Python, line by line, until it is called with `False`.

    A debugger then stops where it would without the decorator, and `print` shows values. Graphs that were
    made before are kept; calls of a function while it is traced go into the graph as ever.

    Args:
      run_eagerly: whether functions run as plain Python from here on.

    Returns:
      Nothing.

    Example:
      >>> gw.config.run_functions_eagerly(True)
      >>> gw.function(lambda x: x + 1)(gw.constant(1))
      <gw.Tensor: shape=(), dtype=int32, numpy=2>
      >>> gw.config.run_functions_eagerly(False)
    """
    _native.run_functions_eagerly(run_eagerly)


def functions_run_eagerly() -> bool:
    """Tells whether calls of graph functions run as plain Python.

    Returns:
      bool.

    Example:
      >>> gw.config.run_functions_eagerly(True)
      >>> gw.config.functions_run_eagerly()
      True
      >>> gw.config.run_functions_eagerly(False)
    """
    return _native.functions_run_eagerly()


def get_dtype_promotion() -> str:
    """Returns the rule by which tensors of different dtypes meet.

    Returns:
      `"standard"` or `"strict"`.

    Example:
      >>> gw.config.set_dtype_promotion("strict")
      >>> gw.config.get_dtype_promotion()
      'strict'
      >>> gw.config.set_dtype_promotion("standard")
    """
    return _native.dtype_promotion()


def set_dtype_promotion(mode: str) -> None:
    """Says how tensors of different dtypes meet in one operation, eagerly and in graphs.

    With `"standard"`, the default, they meet in the least dtype that holds both; an integer and a float meet
    in the float. With `"strict"` they do not meet: that is an error, as in TensorFlow. Python's numbers adapt
    to the tensors that they meet in either mode. Graphs that were made in one mode are not run in the other.

    Args:
      mode: `"standard"` or `"strict"`.

    Returns:
      Nothing.

    Raises:
      ValueError: another mode.

    Example:
      >>> gw.constant(1) + gw.constant(0.5)
      <gw.Tensor: shape=(), dtype=float32, numpy=1.5>
      >>> gw.config.set_dtype_promotion("strict")
      >>> gw.constant(1) + gw.constant(0.5)
      Traceback (most recent call last):
          ...
      TypeError: GW203: one operand is `int32`, the other `float32`
      >>> gw.config.set_dtype_promotion("standard")
    """
    _native.set_dtype_promotion(mode)


def set_implicit_copies(mode: Literal["warn", "allow", "error"]) -> None:
    """Sets the reaction where a value crosses between a graph and the host and nobody asked for that.

    With `"warn"`, the default, building the graph gives a `gw.ImplicitCopyWarning` at the user's line, with
    `"error"` it is an error (GW501, GW502). Values of at most 64 bytes, and those of `py_function`, `to_host`
    and `to_accelerator`, count as asked for. `@gw.function(implicit_copies=...)` says it for one function.

    Args:
      mode: `"warn"`, `"allow"` or `"error"`.

    Returns:
      Nothing.

    Raises:
      ValueError: another mode.

    Example:
      >>> @gw.host
      ... def total(x) -> float:
      ...     return float(np.sum(x))
      >>> gw.config.set_implicit_copies("error")
      >>> gw.function(lambda x: total(x * 2))(gw.ones([100]))
      Traceback (most recent call last):
          ...
      graphwright.errors.ImplicitCopyError: GW501: `x * 2` (float32 [100], 400 bytes) is copied
      >>> gw.config.set_implicit_copies("warn")
    """
    _partition.set_implicit_copies(mode)


def get_implicit_copies() -> str:
    """Returns the reaction to copies that nobody asked for.

    Returns:
      `"warn"`, `"allow"` or `"error"`.

    Example:
      >>> gw.config.set_implicit_copies("error")
      >>> gw.config.get_implicit_copies()
      'error'
      >>> gw.config.set_implicit_copies("warn")
    """
    return _partition.get_implicit_copies()


def set_denormals(mode: Literal["flush", "keep"]) -> None:
    """Sets the treatment of subnormal numbers, which are nearer to zero than any with all its digits.

    With `"flush"`, the default, they are zeros in operations and graphs that hold arrays of `float32` and
    nothing of `float64`, as in TensorFlow and XLA: `1e-40` is one, and some processors take a hundred times
    as long for them, which gradients that vanish are full of. With `"keep"` they stay as they are, as in
    NumPy. Graphs with a `float64`, whose numbers are Python's, keep them in any case. It is good for all
    calls from now on; `@gw.function(denormals=...)` says it for one function.

    Args:
      mode: `"flush"` or `"keep"`.

    Returns:
      Nothing.

    Raises:
      ValueError: another mode.

    Example:
      >>> small = gw.fill([64], 1e-38)
      >>> gw.reduce_max(gw.function(lambda x: x / 8)(small)).item()
      0.0
      >>> gw.config.set_denormals("keep")
      >>> gw.reduce_max(gw.function(lambda x: x / 8)(small)).item() > 0
      True
      >>> gw.config.set_denormals("flush")
    """
    _native.set_denormals(mode)


def get_denormals() -> str:
    """Returns the treatment of subnormal numbers.

    Returns:
      `"flush"` or `"keep"`.

    Example:
      >>> gw.config.set_denormals("keep")
      >>> gw.config.get_denormals()
      'keep'
      >>> gw.config.set_denormals("flush")
    """
    return _native.get_denormals()


def full_tracebacks(on: bool = True) -> None:
    """Makes tracebacks show the entries of this package too, and each statement around the line that failed.

    Without it, they show the user's lines alone, as Python would.

    Args:
      on: whether to show them.

    Returns:
      Nothing.

    Example:
      >>> gw.config.full_tracebacks(True)
      >>> gw.config.full_tracebacks(False)
    """
    _native.full_tracebacks(on)


def set_integer_overflow(on_overflow: Literal["raise", "wrap"]) -> None:
    """Sets the treatment of an integer scalar whose exact value leaves its dtype.

    With `"raise"`, the default, it is an `OverflowError` at the user's line: `x + 2_000_000_000` of an
    `int32` scalar that is as large, and arithmetic of Python numbers that became part of a graph, which are
    `int64` there. With `"wrap"` the high bits are dropped, as in TensorFlow. Arrays wrap in any case, as
    NumPy's do. Graphs that were made with the other setting are not used;
    `@gw.function(integer_overflow=...)` says it for one function.

    Args:
      on_overflow: `"raise"` or `"wrap"`.

    Returns:
      Nothing.

    Raises:
      ValueError: another mode.

    Example:
      >>> gw.function(lambda n: n + 1)(gw.constant(2**31 - 1))
      Traceback (most recent call last):
          ...
      OverflowError: integer overflow: 2147483647 + 1 does not fit `int32`
      >>> gw.config.set_integer_overflow("wrap")
      >>> gw.function(lambda n: n + 1)(gw.constant(2**31 - 1)).item()
      -2147483648
      >>> gw.config.set_integer_overflow("raise")
    """
    _native.set_integer_overflow(on_overflow)


def get_integer_overflow() -> str:
    """Returns the fate of an integer scalar that leaves its dtype.

    Returns:
      `"raise"` or `"wrap"`.

    Example:
      >>> gw.config.set_integer_overflow("wrap")
      >>> gw.config.get_integer_overflow()
      'wrap'
      >>> gw.config.set_integer_overflow("raise")
    """
    return _native.integer_overflow()


def set_progress(mode: Literal["auto", "on", "off"]) -> None:
    """Says where a bar shows the first call of a function that takes longer than a second.

    The bar names the function and the work: tracing, compiling or running, which is where a loop takes long.

    Args:
      mode: `"auto"`, the default, shows it in notebooks, `"on"` in terminals too, on the error stream, and
        `"off"` nowhere.

    Returns:
      Nothing.

    Raises:
      ValueError: if the mode is none of these.

    Example:
      >>> import graphwright as gw
      >>> gw.config.set_progress("on")
      >>> gw.config.get_progress()
      'on'
      >>> gw.config.set_progress("auto")
    """
    if mode not in ("auto", "on", "off"):
        raise ValueError(f'the mode is {mode!r}: it is "auto", "on" or "off"')
    _progress.choose(mode)


def get_progress() -> str:
    """The mode of the bar for first calls: `"auto"`, `"on"` or `"off"`.

    Returns:
      str.

    Example:
      >>> gw.config.set_progress("off")
      >>> gw.config.get_progress()
      'off'
      >>> gw.config.set_progress("auto")
    """
    return _progress.Setting.mode


_progress.choose("auto")

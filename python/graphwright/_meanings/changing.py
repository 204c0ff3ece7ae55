"""Functions and methods that change what no graph holds: the interpreter, the process, objects out of sight.

Outside of branches and loops of the graph they are called while it is built; inside they are GW503. Stores
into context variables and redirections of prints are GW503 everywhere: the rest of the function depends on
them.
"""

from __future__ import annotations

import contextlib
import contextvars
import decimal
import gc
import locale
import logging
import os
import pathlib
import shutil
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any, NoReturn
from xml.etree import ElementTree

import numpy as np

from .. import _native

#: Functions that change the interpreter, the process or its folders.
CHANGING: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (decimal, ("setcontext",)),
    (gc, ("disable", "enable", "freeze", "set_debug", "set_threshold", "unfreeze")),
    (locale, ("setlocale",)),
    (logging, ("basicConfig", "disable", "shutdown")),
    (np, ("set_printoptions", "seterr")),
    (
        os,
        (
            "chdir",
            "makedirs",
            "mkdir",
            "putenv",
            "remove",
            "rename",
            "replace",
            "rmdir",
            "umask",
            "unlink",
            "unsetenv",
        ),
    ),
    (
        pathlib.Path,
        (
            "chmod",
            "mkdir",
            "rename",
            "replace",
            "rmdir",
            "symlink_to",
            "touch",
            "unlink",
            "write_bytes",
            "write_text",
        ),
    ),
    (shutil, ("copy", "copy2", "copyfile", "copytree", "move", "rmtree")),
    (signal, ("alarm", "setitimer", "signal")),
    (
        sys,
        (
            "set_int_max_str_digits",
            "setprofile",
            "setrecursionlimit",
            "setswitchinterval",
            "settrace",
        ),
    ),
    (warnings, ("filterwarnings", "resetwarnings", "simplefilter", "warn", "warn_explicit")),
    (ElementTree, ("SubElement",)),
)

#: Methods that change an object out of sight, by the modules of their classes.
SETTING: dict[str, tuple[str, ...]] = {
    "_contextvars": ("reset", "set"),
    "xml.etree.ElementTree": ("append", "clear", "extend", "insert", "remove", "set"),
}


def functions() -> list[tuple[Any, Callable[..., Any], bool]]:
    """The rows of this table: a function, its meaning, and that it is asked whatever its arguments are."""
    return [
        (getattr(module, name), changing(f"{module.__name__}.{name}", getattr(module, name)), True)
        for module, names in CHANGING
        for name in names
        if hasattr(module, name)
    ] + [
        (kind, redirecting(f"contextlib.{kind.__name__}", kind), True)
        for kind in (contextlib.redirect_stdout, contextlib.redirect_stderr)
    ]


def method(owner: Any, name: str) -> Callable[..., NoReturn] | None:
    """The meaning of a method that changes an object which the block did not make."""
    is_known, is_variable = name in SETTING[type(owner).__module__], isinstance(owner, contextvars.ContextVar)
    if is_variable and not is_known:
        return read_variable(owner)
    if not (is_known and (is_variable or _native.is_in_region())) or _native.asked_for_change(owner) == "now":
        return None
    return once(f"{type(owner).__name__}.{name}")


def read_variable(variable: contextvars.ContextVar[Any]) -> Callable[..., Any]:
    """The meaning of `ContextVar.get`: a call for which it holds something else makes another graph."""

    def meaning(*default: Any) -> Any:
        _native.guard_answer(lambda: variable.get(*default), f"{variable.name}.get()")
        return variable.get(*default)

    return meaning


def changing(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The meaning of a function that changes what the graph does not hold: refused in a branch or loop."""

    def meaning(*args: Any, **kwargs: Any) -> Any:
        if _native.is_in_region() or _native.calls_all_host_code():
            changed_once(name)
        return function(*args, **kwargs)

    return meaning


def changed_once(name: str) -> NoReturn:
    """Raises GW503 at the user's line."""
    place = " in a branch or loop of the graph" if _native.is_in_region() else ""
    outside = "outside of the branch or loop" if place else "outside of the function"
    raise _native.diagnosed(
        "GW503",
        f"`{name}` is called{place}: it would be called once, while the graph is built",
        f"call it {outside}, or in a function that `gw.host` marks, which is called each time",
    )


def redirecting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The meaning of a class that redirects what is printed, which a graph prints when it runs."""

    def meaning(*args: Any, **kwargs: Any) -> Any:
        if _native.runs_while_tracing():
            return function(*args, **kwargs)
        raise _native.diagnosed(
            "GW503",
            f"`{name}` holds while the graph is built, and what the function prints is printed when it runs",
            f"write `with {name}(…):` around the call of the function",
        )

    return meaning


def once(name: str) -> Callable[..., NoReturn]:
    """The meaning of a method that changes an object out of sight, in a branch or loop."""

    def meaning(*args: Any, **kwargs: Any) -> NoReturn:
        changed_once(name)

    return meaning

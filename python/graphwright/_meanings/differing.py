"""Functions that answer differently each time, as code names them that Python runs as it is."""

from __future__ import annotations

import builtins
import datetime
import pathlib
import time
import types
from typing import Any

import numpy as np

from .. import _bytecode
from .impure import ANSWERED, CLOCKS, RANDOM, READERS, REFUSED, TIMED


def differing(function: types.FunctionType) -> str | None:
    """Names the function that a function's code calls and that answers differently each time."""
    for root, steps in _bytecode.chains(function):
        value = function.__globals__.get(root, getattr(builtins, root, None))
        for step in steps:
            if not isinstance(value, (types.ModuleType, type, *RANDOM)):
                break
            value = getattr(value, step, None)
        if _differs(value):
            return ".".join((root, *steps))
    return None


#: The functions of the tables of `impure`, and those that make generators from the randomness of the system.
_DIFFERENT = {
    *(getattr(time, name) for name in (*CLOCKS, *TIMED) if hasattr(time, name)),
    *(function for function, _ in ANSWERED.values()),
    *REFUSED.values(),
    np.random.default_rng,
}

#: Functions that answer by what files hold.
_READ = {*READERS, builtins.open, pathlib.Path.open}


def _differs(value: Any) -> bool:
    owner = getattr(value, "__self__", None)
    if isinstance(value, types.BuiltinFunctionType | types.MethodType) and isinstance(owner, type):
        return issubclass(owner, datetime.date) and value.__name__ in ("now", "utcnow", "today")
    is_function = isinstance(value, types.BuiltinFunctionType | types.FunctionType | types.MethodType)
    return isinstance(owner, RANDOM) or (is_function and value in _DIFFERENT)


def differs(value: Any) -> bool:
    """True of a function that answers differently each time, or by what files hold."""
    is_reader = isinstance(value, types.FunctionType | types.BuiltinFunctionType) and value in _READ
    return is_reader or _differs(value)

"""Functions without effects, whose answers depend on their arguments alone: Python runs them while tracing.

Everything else that is called and is not written in the program, or is marked as `do_not_convert`, is host
code where `host_code="run"`: the graph calls it each time.
"""

from __future__ import annotations

import datetime
import decimal
import dis
import fractions
import sys
import types
import uuid
from typing import Any

import numpy as np

from .. import _native

#: Modules all of whose functions and classes are pure.
MODULES = frozenset(
    {
        "_operator",
        "abc",
        "cmath",
        "collections",
        "copy",
        "dataclasses",
        "decimal",
        "enum",
        "fractions",
        "functools",
        "graphwright",
        "itertools",
        "math",
        "numbers",
        "operator",
        "posixpath",
        "re",
        "statistics",
        "string",
        "textwrap",
        "types",
        "typing",
    }
)

#: Functions of `builtins` that are not.
EFFECTS = frozenset({"__import__", "breakpoint", "compile", "eval", "exec", "input", "open"})

#: Parts of NumPy that are not pure; the rest is, where the graph computes no argument.
NUMPYS = ("numpy.ctypeslib", "numpy.lib.npyio", "numpy.lib._npyio_impl", "numpy.random")
NUMPYS_NAMES = frozenset({"fromfile", "genfromtxt", "load", "loadtxt", "memmap", "save", "savetxt", "savez"})


def is_host_code(function: Any, has_tensor: bool) -> bool:
    """True if a call is one of host code; `has_tensor` says whether it is given a value of the graph."""
    if hasattr(function, "__graphwright_do_not_convert__"):
        return True
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        module = (owner if isinstance(owner, type) else type(owner)).__module__
    else:
        module = getattr(function, "__module__", None) or type(function).__module__
    return not _is_pure(module, getattr(function, "__name__", ""), has_tensor)


def _is_pure(module: str, name: str, has_tensor: bool) -> bool:
    root = module.split(".")[0]
    if root == "builtins":
        return name not in EFFECTS
    if root == "numpy":
        return not has_tensor and not module.startswith(NUMPYS) and name not in NUMPYS_NAMES
    return module in MODULES or root in MODULES


#: Classes whose objects hold nothing of the program's.
PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, _native.Tensor)

#: Classes of values that a graph leaves with the host: nobody changes them, and nothing happens when they go.
VALUES = frozenset(
    {
        str,
        bytes,
        datetime.date,
        datetime.datetime,
        datetime.time,
        datetime.timedelta,
        decimal.Decimal,
        fractions.Fraction,
        uuid.UUID,
    }
)

#: Modules whose functions, and the methods of whose objects, call nothing of the program's and change no
#: object but their own.
ALONE = frozenset({"_io", "_random", "datetime", "io", "random", "secrets", "time", "uuid"})

#: The same of single functions and classes.
ALONE_NAMES = frozenset({"builtins.open", "os.getpid", "os.urandom", "posix.getpid", "posix.urandom"})

#: Functions of `random` that look at the items of a list, and do nothing else with it.
LOOKS = frozenset({"choice", "choices", "sample"})

#: NumPy's random numbers, whose methods store into arrays alone that they are given.
RANDOMS = ("numpy.random", "numpy.random.mtrand", "numpy.random._generator")


def reaches_nothing(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> bool:
    """True of a function that neither reads nor changes an object of the program's, by a table."""
    if hasattr(function, "__graphwright_do_not_convert__"):
        return False
    owner = getattr(function, "__self__", None)
    is_method = owner is not None and not isinstance(owner, types.ModuleType)
    holder = owner if isinstance(owner, type) else type(owner) if is_method else function
    module = getattr(holder, "__module__", None) or ""
    is_alone = (
        module in ALONE or module in RANDOMS or f"{module}.{getattr(function, '__name__', '')}" in ALONE_NAMES
    )
    return is_alone and all(_is_plain(arg) or _is_alone(arg) for arg in (*args, *(kwargs or {}).values()))


#: Exceptions that are their class and arguments, and nothing else.
RAISED = frozenset(
    {
        ArithmeticError,
        AssertionError,
        EOFError,
        Exception,
        IndexError,
        KeyError,
        LookupError,
        NotImplementedError,
        OverflowError,
        RuntimeError,
        TypeError,
        ValueError,
        ZeroDivisionError,
    }
)

#: Names that each class holds.
OF_CLASSES = frozenset(vars(type("Plain", (Exception,), {"__doc__": ""}))) | {
    "__firstlineno__",
    "__static_attributes__",
}


def is_plain_exception(error: BaseException) -> bool:
    """True of an exception that is its class and arguments: classes below those of `RAISED` add nothing."""
    for base in type(error).__mro__:
        if base in RAISED:
            return not vars(error) and error.__cause__ is None
        if vars(base).keys() - OF_CLASSES:
            return False
    return False


def only_looks(function: Any) -> bool:
    """True of a function that looks at the items of a list and keeps and changes neither, by a table."""
    return getattr(function, "__module__", None) == "random" and function.__name__ in LOOKS


def _is_alone(value: Any) -> bool:
    return type(value).__module__ in ALONE


def _is_plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return isinstance(value, PLAIN)


def names_read(functions: list[Any], hosts: list[Any]) -> set[str]:
    """The names that functions of the program read beside host functions, if one is the program's."""
    if not any(map(_is_programs, hosts)):
        return set()
    own = {getattr(host, "__name__", "") for host in hosts}
    found = set[str]()
    waiting = [function.__code__ for function in functions if function.__name__ not in own]
    while waiting:
        code = waiting.pop()
        # A cell that a closure is made of is loaded as a local name since Python 3.13.
        cells = {*code.co_cellvars, *code.co_freevars}
        found.update(
            instruction.argval
            for instruction in dis.get_instructions(code)
            if instruction.opname.startswith("LOAD_")
            and instruction.opname not in ("LOAD_CONST", "LOAD_CLOSURE")
            and isinstance(instruction.argval, str)
            and not (instruction.opname.startswith("LOAD_FAST") and instruction.argval in cells)
        )
        inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        waiting.extend(one for one in inner if one.co_name not in own)
    return found


def guard_cache(function: Any) -> None:
    """Has a graph that uses a result which `functools.cache` keeps made anew once it is forgotten."""
    before = function.cache_info().misses
    _native.guard_answer(lambda: function.cache_info().misses >= before, f"{function.__name__}.cache_info()")


def _is_programs(function: Any) -> bool:
    module = getattr(function, "__module__", None) or type(function).__module__
    return module.split(".")[0] not in {"builtins", "graphwright", "numpy", *sys.stdlib_module_names}


def is_assigned(names: dict[str, Any], name: str) -> bool:
    """True if a function or method of a module assigns a global of this name."""
    found = [value for value in names.values() if isinstance(value, types.FunctionType | type)]
    codes = [part.__code__ for value in found for part in _functions(value) if part.__globals__ is names]
    while codes:
        code = codes.pop()
        codes.extend(constant for constant in code.co_consts if isinstance(constant, types.CodeType))
        if name in code.co_names and any(
            instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") and instruction.argval == name
            for instruction in dis.get_instructions(code)
        ):
            return True
    return False


def _functions(value: Any) -> list[types.FunctionType]:
    parts = vars(value).values() if isinstance(value, type) else [value]
    plain = [getattr(part, "__func__", getattr(part, "fget", part)) for part in parts]
    return [part for part in plain if isinstance(part, types.FunctionType)]

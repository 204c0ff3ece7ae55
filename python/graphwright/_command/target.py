"""Functions and arguments that a command line names: `FILE:FUNC`, `f32[?,3]`, `2.5`."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import graphwright as gw

SIGNED = {"i8": gw.int8, "i16": gw.int16, "i32": gw.int32, "i64": gw.int64}
UNSIGNED = {"u8": gw.uint8, "u16": gw.uint16, "u32": gw.uint32, "u64": gw.uint64}
FLOATS = {"f16": gw.float16, "bf16": gw.bfloat16, "f32": gw.float32, "f64": gw.float64}
DTYPES = {"bool": gw.bool, **SIGNED, **UNSIGNED, **FLOATS}


class UsageError(Exception):
    """A command that cannot be carried out; the message says what to write instead."""


class ProgramError(Exception):
    """An exception of the user's program, which ends the command; the message is its traceback."""


def load(target: str) -> Any:
    """The object that `FILE:FUNC` names; `FUNC` may be dotted."""
    file, colon, name = target.rpartition(":")
    if not colon or not file or not name:
        raise UsageError(f"`{target}` is not FILE:FUNC, as in `model.py:step`")
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file `{file}`")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"`{file}` is not a Python file")
    found: Any = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = found
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(found)
    except Exception as error:
        raise ProgramError(shown(error, f"`{file}` cannot be run")) from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise UsageError(f"`{file}` has no `{name}`")
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"`{name}` of `{file}` is not a function, but of type `{type(found).__name__}`")
    return found


def plain(target: str) -> Any:
    """The plain function that `FILE:FUNC` names."""
    found = load(target)
    return getattr(found, "python_function", found)


def graph_function(target: str) -> Any:
    """The function of `FILE:FUNC` as a graph function, with the options that the file gives it."""
    found = load(target)
    return found if hasattr(found, "get_concrete_function") else gw.function(found)


def check_arguments(function: Any, arguments: list[Any]) -> None:
    """Ends the command if the function does not take as many arguments as there are."""
    called = getattr(function, "python_function", function)
    try:
        inspect.signature(called).bind(*arguments)
    except TypeError as error:
        name = getattr(called, "__name__", "the function")
        raise UsageError(f"`{name}` takes other arguments: {error}; each is an --arg") from None
    except ValueError:
        # Python cannot say what a builtin takes.
        return


def argument(text: str) -> Any:
    """`f32[?,3]` as a TensorSpec, anything else as a Python literal."""
    match = re.fullmatch(r"(\w+)(?:\[([^\]]*)\])?", text)
    if match and match[1] in DTYPES:
        axes = [axis.strip() for axis in (match[2] or "").split(",") if axis.strip()]
        if not all(axis == "?" or axis.isdigit() for axis in axes):
            raise UsageError(f"`{text}`: an axis is a length or `?`, as in `f32[?,3]`")
        return gw.TensorSpec([None if axis == "?" else int(axis) for axis in axes], DTYPES[match[1]])
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        known = ", ".join(DTYPES)
        raise UsageError(
            f"`{text}` is neither a type as `f32[?,3]` (of {known}) nor a Python literal"
        ) from None


def value(text: str, length: int = 64) -> Any:
    """The same, with a tensor of small random numbers in place of a type; axes of any length get this one."""
    import numpy as np

    given = argument(text)
    if not isinstance(given, gw.TensorSpec):
        return given
    shape = [length if axis is None else int(axis) for axis in given.shape]
    generator = np.random.default_rng(0)
    if given.dtype.is_floating:
        return gw.constant(generator.random(shape), given.dtype)
    return gw.constant(generator.integers(0, 2 if given.dtype.is_bool else 10, shape), given.dtype)


def shown(error: BaseException, what: str) -> str:
    """An exception of the user's program and its own lines, under a line that says what it prevents."""
    entries = [entry for entry in traceback.extract_tb(error.__traceback__) if not is_ours(entry.filename)]
    lines = ["Traceback (most recent call last):\n", *traceback.format_list(entries)] if entries else []
    text = "".join([*lines, *traceback.format_exception_only(error)]).rstrip()
    return f"{what}:\n{text}"


def is_ours(file: str) -> bool:
    """True of a file of this package, and of what imports files."""
    return file.startswith(("<frozen importlib", os.path.dirname(gw.__file__) + os.sep))


@contextlib.contextmanager
def errors_of_the_program(what: str) -> Iterator[None]:
    """Makes exceptions of the user's program a `ProgramError` that says what they prevent."""
    try:
        yield
    except (UsageError, ProgramError, BrokenPipeError):
        raise
    except Exception as error:
        raise ProgramError(shown(error, what)) from error

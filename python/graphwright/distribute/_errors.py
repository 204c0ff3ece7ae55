"""Exceptions that come from workers: as the objects that they are, with the lines that they came from."""

from __future__ import annotations

import ast
import io
import os
import pickle
import sys
import traceback
import types
from typing import Any, NamedTuple

from ray import cloudpickle

from .. import errors

#: Lines below this folder are the package's, which tracebacks do not show.
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Line(NamedTuple):
    """An entry of a traceback."""

    file: str
    function: str
    line: int
    end_line: int
    column: int
    end_column: int


class Raised(NamedTuple):
    """An exception on its way."""

    content: bytes
    text: str
    lines: list[Line]


def packed(error: BaseException) -> Raised:
    """An exception as bytes, where it can be pickled, and in words; and its lines."""
    forms = (_travelling(form) for form in (error, (type(error), error.args, vars(error))))
    content = next((form for form in forms if form), b"")
    entries = traceback.extract_tb(error.__traceback__)
    lines = [_line(entry) for entry in entries if not os.path.abspath(entry.filename).startswith(_OURS)]
    return Raised(content, f"{type(error).__name__}: {error}", lines)


def restored(raised: Raised, rank: int) -> BaseException:
    """The exception, with a traceback of the lines that it had."""
    try:
        error = _unpickled(raised.content) if raised.content else RuntimeError(raised.text)
    except Exception:
        error = RuntimeError(raised.text)
    if sys.version_info >= (3, 11):
        error.add_note(f"(on replica {rank})")
    trace = None
    for line in reversed(raised.lines):
        trace = _entry(line, trace)
    found: BaseException = error.with_traceback(trace)
    return found


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def persistent_id(self, value: Any) -> Any:
        """The name of a class of `gw.errors`, which is found nowhere else."""
        name = getattr(value, "__name__", "")
        return name if isinstance(value, type) and vars(errors).get(name) is value else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, name: str) -> Any:
        """The class of a name."""
        return getattr(errors, name)


def _travelling(form: Any) -> bytes:
    """The bytes of what can be made again of them; no bytes, if it cannot."""
    try:
        content = _pickled(form)
        _unpickled(content)
    except Exception:
        return b""
    return content


def _pickled(value: Any) -> bytes:
    file = io.BytesIO()
    _Pickler(file).dump(value)
    return file.getvalue()


def _unpickled(content: bytes) -> Any:
    found = _Unpickler(io.BytesIO(content)).load()
    return _again(*found) if isinstance(found, tuple) else found


def _again(kind: type[BaseException], args: Any, attributes: dict[str, Any]) -> BaseException:
    """An exception with these attributes, whatever its class asks for when it is called."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(attributes)
    return error


def _line(entry: traceback.FrameSummary) -> Line:
    line = entry.lineno or 1
    end, first, last = (getattr(entry, name, None) for name in ("end_lineno", "colno", "end_colno"))
    return Line(entry.filename, entry.name, line, end or line, first or 0, last or 0)


def _entry(line: Line, following: Any) -> types.TracebackType:
    """An entry of a traceback: that of a statement which raises there, in a function of that name."""
    place: dict[str, Any] = {
        "lineno": line.line,
        "end_lineno": line.end_line,
        "col_offset": line.column,
        "end_col_offset": line.end_column,
    }
    module = ast.Module([ast.Raise(exc=ast.Name("error", ast.Load(), **place), **place)], [])
    code = compile(module, line.file, "exec").replace(co_name=line.function)
    try:
        exec(code, {"error": KeyError()})
    except KeyError as error:
        there: Any = error.__traceback__
        inner = there.tb_next
        return types.TracebackType(following, inner.tb_frame, inner.tb_lasti, inner.tb_lineno)
    raise AssertionError

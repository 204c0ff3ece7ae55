"""Notes on exceptions that say whose work raised them, and tracebacks without frames of this package."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from pathlib import Path

_HERE = str(Path(__file__).parents[2])


def add(error: BaseException, client: int) -> None:
    """Notes on an exception which client's work raised it, as PEP 678 has it."""
    note = f"client {client}"
    if hasattr(error, "add_note"):
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
    else:
        error.__notes__ = [*getattr(error, "__notes__", ()), note]


@contextlib.contextmanager
def of_client(client: int) -> Iterator[None]:
    """Notes on what is raised inside which client it was."""
    try:
        yield
    except Exception as error:
        add(error, client)
        raise


def without_ours(error: BaseException) -> BaseException:
    """Returns an exception whose traceback has the user's lines and none of the files of this package."""
    frames = []
    step = error.__traceback__
    while step is not None:
        if not step.tb_frame.f_code.co_filename.startswith(_HERE):
            frames.append(step)
        step = step.tb_next
    kept: types.TracebackType | None = None
    for step in reversed(frames):
        kept = types.TracebackType(kept, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return error.with_traceback(kept)

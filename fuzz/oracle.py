"""The judge is plain Python: a program converted or staged gives, prints and raises the same, or is refused.

A refusal is an error with the user's line.
"""

from __future__ import annotations

import contextlib
import io
import re
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import graphwright as gw

from .programs import Program

LONGEST = 5
"""Seconds of computing after which a run counts as endless."""
WIDE = {bool: gw.bool, int: gw.int64, float: gw.float64}
REFUSAL = re.compile(r"GW\d\d\d(?=:)")


class DisagreementError(AssertionError):
    """The ways do not agree on a program."""


class SlowError(Exception):
    """Plain Python has an answer, and a way of running has none in time."""


class EndlessError(BaseException):
    """A run does not end; not an `Exception`, so that no program catches it."""


@dataclass(frozen=True)
class Outcome:
    """What a call does."""

    value: Any
    raised: str | None
    line: int | None
    message: str
    printed: str
    tracing: bool = False
    """Whether it failed while the graph was built."""

    def brief(self) -> str:
        """One line for a report."""
        done = (
            f"raises {self.raised} (line {self.line}): {self.message}"
            if self.raised
            else f"gives {self.value}"
        )
        return f"{done}, prints {self.printed!r}" if self.printed else done


def run(call: Callable[..., Any], arguments: list[Any], file: str) -> Outcome:
    """Calls and looks."""
    stream = io.StringIO()
    trace = getattr(call, "get_concrete_function", None)
    tracing = trace is not None
    try:
        with (
            contextlib.redirect_stdout(stream),
            contextlib.redirect_stderr(stream),
            np.errstate(all="ignore"),
            silent(),
            limited(),
        ):
            if trace:
                trace(*arguments)
            tracing = False
            value = call(*arguments)
    except (Exception, EndlessError) as error:
        return Outcome(None, kind(error), line(error, file), said(error), stream.getvalue(), tracing)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise DisagreementError(f"the core panics: {error}") from None
    return Outcome(plain(value), None, None, "", stream.getvalue())


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Shows no warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Stops what does not end."""
    fired = []

    def stop(*_: object) -> None:
        fired.append(True)
        raise EndlessError

    before = signal.signal(signal.SIGVTALRM, stop)
    # It comes again every second: where Python cannot raise an exception it drops it.
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST, 1)
    try:
        yield
    except BaseException as error:
        if not fired:
            raise
        raise EndlessError(f"no answer after {LONGEST} s") from error
    else:
        if fired:
            raise EndlessError(f"no answer after {LONGEST} s")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def kind(error: BaseException) -> str:
    """The built-in type that a user would catch."""
    if isinstance(error, EndlessError):
        return "EndlessError"
    return next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")


def line(error: BaseException, file: str) -> int | None:
    """The program's innermost line in the traceback."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else None


def said(error: BaseException) -> str:
    """The message with its notes."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def plain(value: Any) -> Any:
    """Tensors as arrays, containers kept."""
    if isinstance(value, (tuple, list)):
        return type(value)(plain(item) for item in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.numpy() if isinstance(value, gw.Tensor) else value


def tensor(value: Any) -> Any:
    """A number or an array as a tensor as wide as Python computes."""
    if type(value) in WIDE:
        return gw.constant(value, WIDE[type(value)])
    return gw.constant(value) if isinstance(value, np.ndarray) else value


def same(ours: Any, native: Any) -> bool:
    """The same structure, and the same kind and value of each number in it."""
    if isinstance(native, (tuple, list)):
        return len(ours) == len(native) and all(map(same, ours, native))
    if isinstance(native, (bool, int, float, np.ndarray, np.generic)):
        ours, native = np.asarray(ours), np.asarray(native)
        return ours.dtype.kind == native.dtype.kind and ours.shape == native.shape and _equal(ours, native)
    return type(ours) is type(native) and bool(ours == native)


def _equal(ours: np.ndarray[Any, Any], native: np.ndarray[Any, Any]) -> bool:
    """Equal to the last bit, whatever the sign of a NaN."""
    if native.dtype.kind != "f":
        return bool(np.all(ours == native))
    signs = (np.signbit(ours) == np.signbit(native)) | np.isnan(native)
    return np.array_equal(ours, native, equal_nan=True) and bool(np.all(signs))


def refusal(ours: Outcome, native: Outcome, file: str) -> str | None:
    """How a program was refused with its line, if it was.

    Either by a diagnostic, or by an error while the graph was built: in a branch that may not be taken, or
    before the error that Python comes to.
    """
    located = ours.line is not None or f"{file}:" in ours.message
    if ours.raised is None or not located:
        return None
    if code := REFUSAL.match(ours.message):
        return code[0]
    if ours.tracing and "all of it was traced" in ours.message:
        return f"{ours.raised} of a branch"
    return f"{ours.raised} first" if ours.tracing and native.raised else None


@dataclass(frozen=True)
class Verdict:
    """What the ways agree on."""

    refused: list[str]
    """The ways that refuse the program, each with the code."""
    python: set[str]
    """What plain Python does: gives values or raises exceptions."""


def judge(program: Program) -> Verdict:
    """Runs a program in every way. Raises what the ways disagree on, or that one of them takes too long."""
    try:
        return _judge(program)
    finally:
        program.forget()


def _judge(program: Program) -> Verdict:
    function = program.function()
    other = tuple(
        o if t else a for a, o, t in zip(program.arguments, program.others, program.staged, strict=True)
    )
    given = (program.arguments, program.others, other)
    native = [run(function, program.fresh(arguments), program.file) for arguments in given]
    none, every = (False,) * len(program.staged), (True,) * len(program.staged)
    ways = (
        ("converted", gw.autograph.to_graph(function), none, (0, 1)),
        ("staged", gw.function(function), every, (0, 1)),
        ("mixed", gw.function(function), program.staged, (0, 2)),
    )
    refused = []
    for way, call, tensors, sets in ways:
        for which in sets:
            fresh = program.fresh(given[which])
            arguments = [tensor(a) if staged else a for a, staged in zip(fresh, tensors, strict=True)]
            ours = run(call, arguments, program.file)
            if agrees(ours, native[which]):
                continue
            code = None if way == "converted" else refusal(ours, native[which], program.file)
            if code:
                refused.append(f"{way} {code}")
                break
            if ours.raised == "EndlessError":
                raise SlowError(f"{way}: {ours.message}")
            shown = f"{way}, tensors {tensors}, on {given[which]}"
            raise DisagreementError(f"{shown}:\n  Python {native[which].brief()}\n  {way} {ours.brief()}")
    return Verdict(refused, {one.raised or "a value" for one in native})


def agrees(ours: Outcome, native: Outcome) -> bool:
    """The same value or exception, and the same text."""
    if native.raised is not None or ours.raised is not None:
        return (ours.raised, ours.printed) == (native.raised, native.printed)
    return ours.printed == native.printed and same(ours.value, native.value)

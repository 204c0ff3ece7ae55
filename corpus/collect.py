"""Collects examples: what a package's own doctests and tests call its functions with, and guesses.

`python -m corpus.collect PACKAGE FILE` writes a line for each function; it is a process of its own, since
tests do anything.
"""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import json
import os
import signal
import sys
import time
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

from .killable import Limits, forked
from .packages import ALL, Package, load, modules
from .values import is_plain, plain, written

EXAMPLES = 4
ENOUGH = 90
"""Seconds of computing for all doctests of a package, and for all its tests."""
SECONDS = 2
"""Of computing for one example of a doctest, or one test."""
ONE: list[Any] = [
    0,
    1,
    2,
    5,
    7,
    12,
    97,
    -3,
    0.5,
    -1.5,
    100.25,
    True,
    [3, 1, 2],
    [5, -1, 4, 4, 0],
    [1.5, -2.0, 0.5],
    [],
]
ONE += [
    [[1, 2], [3, 4]],
    [[0, 1, 0], [1, 1, 0], [0, 0, 1]],
    "abcab",
    "racecar",
    "12",
    "(()",
    "IV",
    ["a", "b", "a"],
    (3, 1, 2),
]
TWO: list[Any] = [
    3,
    10,
    -2,
    0,
    0.5,
    2.25,
    [3, 1, 2],
    [1, 2, 3, 5, 8],
    [1.5, -2.0],
    "abcab",
    "ab",
    [[1, 2], [3, 4]],
]
THREE: list[Any] = [2, 5, 13, 0.5, [1, 2, 3, 5], "ab"]
SAFE = ("os", "subprocess", "socket", "shutil", "urllib.request", "tempfile", "webbrowser", "ctypes")

Name = tuple[str, str]
"""A module and a function in it."""


class TooLongError(BaseException):
    """A test does not end; not an `Exception`, so that nothing catches it."""


def functions(package: Package) -> dict[Name, Callable[..., Any]]:
    """The functions that the modules define at their top."""
    found = {}
    seen = set()
    for module in modules(package):
        for name, value in list(vars(module).items()):
            code = getattr(_inner(value), "__code__", None)
            if code is None or isinstance(value, type) or code in seen or inspect.iscoroutinefunction(value):
                continue
            if code.co_filename == getattr(module, "__file__", None) and code.co_name != "<lambda>":
                seen.add(code)
                # `_pydecimal` says that it is `decimal`.
                found[module.__spec__.name if module.__spec__ else module.__name__, name] = value
    return found


def _inner(value: object) -> object:
    with contextlib.suppress(Exception):
        return inspect.unwrap(value)  # type: ignore[arg-type]
    return value


class Watch:
    """Writes down what functions are called with."""

    def __init__(self, names: dict[Name, Callable[..., Any]]) -> None:
        self.by_code = {_inner(f).__code__: name for name, f in names.items()}  # type: ignore[attr-defined]
        self.defaults = {name: _defaults(f) for name, f in names.items()}
        self.found: dict[Name, list[str]] = {name: [] for name in names}

    def __call__(self, frame: types.FrameType, event: str, _: object) -> None:
        """Watch a call, for `sys.setprofile`."""
        if event != "call" or frame.f_code not in self.by_code:
            return
        name = self.by_code[frame.f_code]
        if len(self.found[name]) < EXAMPLES:
            with contextlib.suppress(Exception):
                self.add(name, frame.f_code, frame.f_locals)

    def add(self, name: Name, code: types.CodeType, values: dict[str, Any]) -> None:
        """Keeps the arguments of a call if they are plain and new."""
        defaults, count = self.defaults[name], code.co_argcount
        arguments = [values[n] for n in code.co_varnames[:count]]
        keywords = {n: values[n] for n in code.co_varnames[count : count + code.co_kwonlyargcount]}
        at = count + code.co_kwonlyargcount
        more = list(values[code.co_varnames[at]]) if code.co_flags & inspect.CO_VARARGS else []
        at += bool(code.co_flags & inspect.CO_VARARGS)
        if code.co_flags & inspect.CO_VARKEYWORDS:
            keywords |= values[code.co_varnames[at]]
        if not more:
            while arguments and _is_default(code.co_varnames[len(arguments) - 1], arguments[-1], defaults):
                arguments.pop()
        keywords = {n: v for n, v in keywords.items() if not _is_default(n, v, defaults)}
        if is_plain(arguments + more) and is_plain(keywords) and (arguments or more):
            text = written((arguments + more, keywords))
            if text not in self.found[name]:
                self.found[name].append(text)


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    with contextlib.suppress(Exception):
        return {p.name: p.default for p in inspect.signature(function).parameters.values()}
    return {}


def _is_default(name: str, value: object, defaults: dict[str, Any]) -> bool:
    default = defaults.get(name, Watch)
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Stops what does not end."""

    def stop(*_: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.5)
    try:
        with contextlib.suppress(TooLongError):
            yield
    finally:
        with contextlib.suppress(TooLongError):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def observe(package: Package, watch: Watch) -> None:
    """Runs the doctests and tests of a package."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    until = time.process_time() + ENOUGH
    for module in modules(package):
        with contextlib.suppress(Exception):
            for test in finder.find(module):
                runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
                if time.process_time() > until:
                    return
                with limited(SECONDS * 2):
                    sys.setprofile(watch)
                    try:
                        runner.run(test, out=lambda _: None, clear_globs=True)
                    except (Exception, SystemExit):
                        continue
                    finally:
                        sys.setprofile(None)
    for module in [*modules(package, tests=True), *_loaded(package.tests)]:
        for test in _tests(module):
            if time.process_time() > until + ENOUGH:
                return
            with limited(SECONDS), contextlib.suppress(Exception, SystemExit):
                sys.setprofile(watch)
                try:
                    test()
                finally:
                    sys.setprofile(None)


def _loaded(names: tuple[str, ...]) -> Iterator[types.ModuleType]:
    for name in names:
        with contextlib.suppress(Exception):
            yield load(name)


def _tests(module: types.ModuleType) -> Iterator[Callable[[], Any]]:
    """The tests of a module: functions without parameters, and `unittest`'s."""
    for name, value in list(vars(module).items()):
        if name.startswith("test_") and inspect.isfunction(value) and not inspect.signature(value).parameters:
            yield value
        elif isinstance(value, type) and issubclass(value, unittest.TestCase):
            for case in unittest.defaultTestLoader.loadTestsFromTestCase(value):
                yield lambda case=case: case.run(unittest.TestResult())
        elif isinstance(value, type) and name.startswith("Test"):
            with contextlib.suppress(Exception):
                instance = value()
                yield from (getattr(instance, m) for m in dir(instance) if m.startswith("test_"))


def guesses(function: Callable[..., Any]) -> list[list[Any]]:
    """Arguments to try a function with whose examples nobody wrote."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    needed = [
        p
        for p in parameters
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    if any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters):
        return []
    values = {1: ONE, 2: TWO, 3: THREE}.get(len(needed), [])
    return [list(each) for each in product(values, repeat=len(needed))]


def tried(function: Callable[..., Any], send: Callable[[Any], None]) -> None:
    """Tells the guesses that a function takes: two of each kind."""
    shut()
    kept: dict[str, list[str]] = {}
    for arguments in guesses(function):
        text = written((arguments, {}))
        kind = " ".join(
            f"{type(a).__name__}{type(a[0]).__name__ if a and type(a) is list else ''}" for a in arguments
        )
        if (
            len(kept.setdefault(kind, [])) >= 2
            or sum(len(k) for k in kept.values() if len(k) == 2) >= EXAMPLES
        ):
            continue
        with limited(0.3):
            try:
                good = is_plain(plain(function(*arguments)), 4)
            except Exception:
                good = False
            if good:
                kept[kind].append(text)
    for texts in kept.values():
        # One alone is often what a function for something else does nothing with.
        for text in texts if len(texts) == 2 else ():
            send(text)


def shut() -> None:
    """Makes what a guess could do harm with impossible."""

    def no(*_: object, **__: object) -> None:
        raise PermissionError("not in an example")

    for name in (
        "system",
        "remove",
        "unlink",
        "rmdir",
        "mkdir",
        "rename",
        "replace",
        "kill",
        "popen",
        "chmod",
        "fork",
        "execv",
    ):
        setattr(os, name, no)
    for name in ("Popen", "run", "call", "check_output"):
        setattr(sys.modules.get("subprocess", os), name, no)
    if "socket" in sys.modules:
        sys.modules["socket"].socket = no  # type: ignore[attr-defined]
    for name in ("open", "input", "breakpoint", "exec"):
        if name != "exec":
            setattr(__import__("builtins"), name, no)
    io.open = no  # type: ignore[assignment]
    sys.stdin = io.StringIO()


def collect(package: Package) -> Iterator[dict[str, Any]]:
    """The functions of a package with their examples."""
    warnings.simplefilter("ignore")
    names = functions(package)
    watch = Watch(names)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        observe(package, watch)
    for name, function in names.items():
        examples, guessed = watch.found[name], []
        if len(examples) < EXAMPLES:
            said, _ = forked(lambda send, f=function: tried(f, send), Limits(cpu=6, wall=15))
            guessed = [text for text in said if isinstance(text, str)][: EXAMPLES - len(examples)]
        if examples or guessed:
            of = {"package": package.name, "module": name[0], "name": name[1]}
            yield of | {"examples": examples, "guessed": guessed}


def main() -> None:
    """The command line."""
    wanted, file = sys.argv[1:]
    package = next(one for one in ALL if one.name == wanted)
    sys.path.insert(0, os.getcwd())
    lines = [json.dumps(one) for one in collect(package)]
    Path(file).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

"""A program: its text, two sets of arguments of the same types, and which of them become tensors."""

from __future__ import annotations

import copy
import linecache
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .grammar import GIVEN
from .statements import Where
from .writer import Choices, Scope, Writer

PARAMETERS = ("a", "b", "c", "g", "h", "p", "xs", "ws", "grid", "fuel")
INTEGERS = (0, 1, 2, -3, 9, -7, 5, 2**31, -(2**31))
FLOATS = (0.0, 1.0, -0.0, 2.5, -1.75, 0.1, 1e300, math.inf, -math.inf, math.nan)

PRELUDE = """\
import contextlib
from dataclasses import dataclass


class Box:
    pass


@dataclass
class Point:
    x: int
    y: int

    def move(self, by):
        self.x = (self.x + by) % 1009


class Counter:
    def __init__(self, count):
        self.count = count

    def step(self, by):
        if by > 2:
            self.count = (self.count + by) % 1009
        return self.count


class Guard:
    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return False


class Keeps:
    def __init__(self, *kinds):
        self.kinds = kinds
        self.left = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.left += 1 if kind is None else 10
        return kind is not None and issubclass(kind, self.kinds)


@contextlib.contextmanager
def minded(z, counter):
    counter.count += 1
    try:
        yield z
    except (ZeroDivisionError, KeyError):
        counter.count = (counter.count + z) % 1009
    finally:
        counter.count -= 1


def poke(box, by):
    if by > box.v:
        box.v = (box.v + by) % 1009


def evens(most):
    for z in range(most):
        if z % 2 == 0:
            yield z
"""
START = """\
box = Box()
box.v = a
pair = {"k": b, "j": 1}
items = [c, 2, 3]
counter = Counter(b)
shifted = lambda z: (z + a) % 1009
"""
RESULT = "({i}, a, b, c, box.v, pair['k'], items[0], counter.count, g, h, p, xs, ws)"
OWN = {
    "i": ("a", "b", "c", "box.v", "pair['k']", "items[0]"),
    "r": ("g", "h"),
    "t": ("p",),
    "v": ("xs",),
    "w": ("ws",),
}
HELPER = {"i": ("x", "y"), "r": ("z",), "t": ("q",)}
# What `down` returns: it calls itself with a smaller `n`, and not at all if that is not positive.
DOWN = "({i} + again(n - 1, {i} % 1009)) % 1009"
FILES = count()


@dataclass(frozen=True)
class Program:
    """A program that runs, and what it runs on."""

    text: str
    arguments: tuple[Any, ...]
    others: tuple[Any, ...]
    """Other arguments of the same types."""
    staged: tuple[bool, ...]
    """Which arguments are tensors when only some of them are."""
    file: str = field(default_factory=lambda: f"<program {next(FILES)}>")

    def function(self) -> Callable[..., Any]:
        """The program's function `f`, whose source can be found."""
        linecache.cache[self.file] = (len(self.text), None, self.text.splitlines(keepends=True), self.file)
        names: dict[str, Any] = {"math": math, "np": np, "__name__": "program"}
        exec(compile(self.text, self.file, "exec", dont_inherit=True), names)
        return names["f"]

    def forget(self) -> None:
        """Drops the source."""
        linecache.cache.pop(self.file, None)

    def fresh(self, arguments: tuple[Any, ...]) -> list[Any]:
        """Arguments that a run may change."""
        return [copy.deepcopy(argument) for argument in arguments]


def indented(lines: list[str]) -> list[str]:
    """The lines of a block."""
    return ["    " + line for line in lines]


def arguments(choices: Choices, length: int) -> tuple[Any, ...]:
    """A value for each parameter."""
    integer = lambda: choices.one(INTEGERS)  # noqa: E731
    real = lambda: choices.one(FLOATS)  # noqa: E731
    return (
        *(integer() for _ in "abc"),
        *(real() for _ in "gh"),
        bool(choices.number(0, 1)),
        np.array([integer() for _ in range(length)], np.int64),
        np.array([real() for _ in range(length)], np.float64),
        np.array([[real() for _ in range(length)] for _ in range(2)], np.float64),
        choices.number(0, 6),
    )


@cache
def _numbers(low: int, high: int) -> st.SearchStrategy[int]:
    return st.integers(low, high)


@st.composite
def programs(draw: Callable[[Any], Any]) -> Program:
    """Random programs with their arguments; each choice is Hypothesis's, so that failures shrink."""
    return program(Choices(lambda low, high: draw(_numbers(low, high))))


def program(choices: Choices) -> Program:
    """A program with its arguments."""
    writer = Writer(choices)
    helper = Scope(HELPER, "{i}", frozenset(), depth=1)
    below = Scope(HELPER, DOWN, frozenset({"again"}), depth=1)
    main = Scope(OWN, RESULT, frozenset(GIVEN - {"again"}))
    lines = [
        *PRELUDE.splitlines(),
        "",
        "",
        "def helper(x, y):",
        *indented(["z, q = x * 0.5, x < y", *writer.block(helper)]),
        *indented([f"return {writer.expression('i', helper)}"]),
        "",
        "",
        "def down(n, x):",
        *indented(["if n <= 0:", "    return x", "y, z, q, again = x + n, x * 0.5, x > n, down"]),
        *indented(writer.block(below)),
        *indented([f"return {writer.expression('i', below)}"]),
        "",
        "",
        f"def f({', '.join(PARAMETERS)}):",
        *indented(START.splitlines()),
        *indented(writer.block(replace(main, where=Where.START), 0, 2)),
        *indented(writer.block(main, 1, 4)),
        *indented([f"return {RESULT.format(i='0')}"]),
        "",
    ]
    length = choices.number(1, 4)
    return Program(
        text="\n".join(lines),
        arguments=arguments(choices, length),
        others=arguments(choices, length),
        staged=tuple(bool(choices.number(0, 1)) for _ in PARAMETERS),
    )

"""Programs that store into arrays, their arguments among them, in branches, loops and functions.

They store elements, rows, parts and whole arrays. The text calls Graphwright's functions; `standins` has
NumPy's and JAX's under the same names, so that plain Python and JAX run the same text. No part outlives the
statement that takes it: NumPy's would show later stores. No column is stored into a row as it is: NumPy
writes the element that both have before it reads it.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from .writer import Choices

LENGTH = 4
"""Vectors have so many elements, matrices as many rows and columns.

A loop has fewer turns, so that its counter is an index.
"""
SHAPES: tuple[tuple[int, ...], ...] = ((LENGTH,), (LENGTH,), (LENGTH, LENGTH), ())
"""Of the arguments `v`, `w`, `m` and `c`, which are floats; `n` follows, the number of turns."""
PARAMETERS = ("v", "w", "m", "c", "n")
HOLE = re.compile(r"\{(\w+)\}")
BLOCK = re.compile(r"^( *)\{(body|loop)\}$")
CALL = re.compile(r"[\w.]+\(.*\)$")
DEEPEST = 2
FILES = count()

PRELUDE = """\
def poke(x, at, by):
    x[at] = x[at] * by


def fill(x, by, n):
    for at in gw.range(n):
        x[at] = x[at] * by + 0.25 * x[at - 1]
    return gw.reduce_sum(x)


def norm(x):
    return gw.reduce_sum(x * x)
"""
START = """\
u = w * 1.0
z = gw.zeros([4], gw.float64)
g = m * 0.5
r = c * 0.5
"""
RESULT = "gw.reduce_sum({V} * w) + norm({V}) * 0.1 + gw.reduce_sum({M} * m) * 0.05 + {R} * 0.5"

NAMES = {
    "v": ("v", "u", "z", "w"),
    "l": ("u", "z"),
    "m": ("m", "g"),
    "r": ("r",),
}
"""For each upper-case hole the names that may stand there; `L` are arrays of the program's own."""

# For each kind what is simple and what is made of others: a scalar, a vector, a matrix, an index, a truth.
EXPRESSIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "s": (
        ("{V}[{i}]", "{M}[{i}, {i}]", "r", "c", "{V}[-1]", "{V}[0]"),
        (
            "{s} * {s}",
            "{s} + {s}",
            "{s} - 0.5 * {s}",
            "{s} / (1.0 + {s} * {s})",
            "-{s}",
            "gw.sin({s})",
            "gw.tanh({s})",
            "gw.sigmoid({s})",
            "gw.exp(gw.sin({s}))",
            "gw.sqrt(1.0 + abs({s}))",
            "abs({s})",
            "gw.maximum({s}, {s})",
            "gw.where({t}, {s}, {s})",
            "({s} if {t} else {s})",
            "gw.reduce_sum({a})",
            "gw.reduce_mean({a})",
            "gw.reduce_max({a})",
            "gw.reduce_logsumexp({a})",
            "gw.reduce_sum({b} * {b})",
            "gw.tensordot({a}, {a}, 1)",
            "norm({a})",
            "sum([x * 0.5 for x in {a}])",
            "gw.math.reduce_std({a} + gw.constant([1.0, 2.0, 4.0, 7.0], gw.float64))",
        ),
    ),
    "a": (
        ("{V}", "{V}", "{M}[{i}]", "{M}[:, {i}]", "{V}[::-1]"),
        (
            "{a} * {a}",
            "{a} + {a}",
            "{a} - {a} * 0.5",
            "{a} * {s}",
            "gw.sin({a})",
            "gw.tanh({a})",
            "gw.sigmoid({a})",
            "gw.nn.softplus({a})",
            "gw.maximum({a}, {a})",
            "gw.where({a} > {s}, {a}, {a})",
            "gw.cumsum({a})",
            "gw.math.cumprod({a} * 0.5)",
            "gw.roll({a}, 1, 0)",
            "gw.reverse({a}, [0])",
            "gw.gather({a}, [2, 0, 3, 1])",
            "gw.gather({b}, 2)",
            "gw.concat([{a}[:2], {a}[2:]], 0)",
            "gw.stack([{s}, {s}, {s}, {s}])",
            "gw.tile({a}[:2], [2])",
            "gw.repeat({a}[1:3], 2)",
            "gw.pad({a}[1:], [[0, 1]])",
            "gw.math.l2_normalize({a} + 1.0)",
            "gw.convert_to_tensor({a})",
            "gw.einsum('ij,j->i', {b}, {a})",
            "gw.reduce_sum({b}, 0)",
            "gw.reduce_mean({b}, 1)",
            "gw.reshape({b}, [-1])[3:7]",
            "gw.linalg.matvec({b}, {a})",
        ),
    ),
    "b": (
        ("{M}", "{M}"),
        (
            "{b} * {b}",
            "{b} + {s}",
            "{b} * {a}",
            "gw.transpose({b})",
            "gw.matmul({b}, {b}) * 0.25",
            "gw.einsum('i,j->ij', {a}, {a})",
            "gw.stack([{a}, {a}, {a}, {a}])",
            "gw.tanh({b})",
            "gw.roll({b}, 1, 1)",
            "gw.expand_dims({a}, 1) * {a}",
        ),
    ),
    "i": (("0", "1", "2", "3", "-1", "n", "-n"), ("({i} + {i}) % 4", "({i} * 2 + 1) % 4")),
    "t": (
        ("{s} > {s}", "{i} > 1", "n > 2", "{s} < 1.0"),
        ("{t} and {t}", "{t} or {t}", "not {t}", "0.4 < {s} < 1.2"),
    ),
}

STATEMENTS = """
{V}[{i}] = {s}
---
{V}[{i}] = {V}[{i}] * {s}
---
{V}[{i}] += {s}
---
{V}[{i}] *= {s}
---
{M}[{i}] = {a} * 1.0
---
{M}[{i}, {i}] = {s}
---
{M}[:, {i}] = {a} * 1.0
---
{M}[{i}] *= {s}
---
{M}[{i}, 1:3] = {a}[:2]
---
{V}[1:3] = {a}[2:]
---
{V}[::2] = {s}
---
{V}[[0, 2]] = {a}[:2]
---
{V}[:] = {a}
---
{V}[1:] = {V}[:-1] * {s}
---
{V} = {a} * 1.0
---
{M} = {b} * 0.5
---
{L} += {a}
---
{L} = {L} * {s}
---
{R} = {s}
---
{R} += {s}
---
{R} = {R} * 0.5 + {s}
---
poke({V}, {i}, {s})
---
{R} += fill({V}, {s}, n) * 0.1
---
same{own} = {L}
same{own}[{i}] = {s}
{R} += {s}
---
kept{own} = {V} * 1.0
kept{own}[{i}] = {s}
{R} += norm(kept{own})
---
copy{own} = {V}.copy()
{V}[{i}] = {s}
{R} += gw.reduce_sum(copy{own} * {V})
---
if {t}:
    {body}
---
if {t}:
    {body}
else:
    {body}
---
for i{own} in gw.range(n):
    {loop}
---
for i{own} in gw.range(n):
    {loop}
---
for i{own} in gw.range(n):
    for j{own} in gw.range(n):
        {V}[j{own}] = {s}
        {R} += {V}[i{own}] * {V}[j{own}]
---
for i{own} in range(3):
    {loop}
---
for i{own} in gw.range(n):
    {V}[i{own}] = {s}
for i{own} in gw.range(n):
    {R} += {V}[i{own}] * {V}[i{own}]
---
for i{own} in gw.range(n):
    {R} += {V}[i{own}] * {s}
---
for x{own} in {a} * 0.5:
    {R} += x{own} * {s}
---
for row{own} in {b} * 0.5:
    {V} = {V} * 0.5 + row{own}
---
i{own} = n
while i{own} > 0:
    i{own} -= 1
    {loop}
---
i{own} = n
while i{own} > 0 and {t}:
    i{own} -= 1
    {loop}
---
for i{own} in gw.range(n):
    if {t}:
        continue
    {loop}
---
for i{own} in gw.range(n):
    {loop}
    if {t}:
        break
---
rows{own} = []
for i{own} in gw.range(n):
    rows{own}.append({s})
    {V}[i{own}] = {s}
{R} += sum(rows{own})
---
if {t}:
    return {result}
"""


@dataclass(frozen=True)
class ArrayProgram:
    """A program over arrays that runs."""

    text: str
    turns: int
    """The argument `n`."""
    file: str = field(default_factory=lambda: f"<array program {next(FILES)}>")

    def function(self, functions: Any) -> Callable[..., Any]:
        """The program's function `f`, which calls these functions as `gw`; its source can be found."""
        linecache.cache[self.file] = (len(self.text), None, self.text.splitlines(keepends=True), self.file)
        names: dict[str, Any] = {"gw": functions, "__name__": "program"}
        exec(compile(self.text, self.file, "exec", dont_inherit=True), names)
        return names["f"]

    def forget(self) -> None:
        """Drops the source."""
        linecache.cache.pop(self.file, None)


def array_program(choices: Choices) -> ArrayProgram:
    """A program, with the number of turns of its loops."""
    lines = [
        *PRELUDE.splitlines(),
        "",
        "",
        f"def f({', '.join(PARAMETERS)}):",
        *_indented(START.splitlines()),
        *_indented(_Writer(choices).block((), 2, 3, 4)),
        f"    return {RESULT.format(V='v', M='m', R='r')} + norm(u) * 0.1 + gw.reduce_sum(z * g[1])",
        "",
    ]
    return ArrayProgram("\n".join(lines), choices.number(0, LENGTH - 1))


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


class _Writer:
    """Fills the templates of one program."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self._fresh = count()
        self._statements = [one.strip("\n") for one in STATEMENTS.split("---\n")]
        self._leaves = [one for one in self._statements if not BLOCK.search(one.splitlines()[-1])]

    def block(self, indices: tuple[str, ...], depth: int, least: int = 1, most: int = 2) -> list[str]:
        """From `least` to `most` statements, as lines; `indices` are the counters of the loops around."""
        count = self.choices.number(least, most)
        return [line for _ in range(count) for line in self._statement(indices, depth)]

    def _statement(self, indices: tuple[str, ...], depth: int) -> list[str]:
        template = self.choices.one(self._statements if depth else self._leaves)
        own = f"{next(self._fresh)}"
        lines: list[str] = []
        for line in template.splitlines():
            if block := BLOCK.match(line):
                inner = (*indices, f"i{own}") if block[2] == "loop" else indices
                lines += [block[1] + text for text in self.block(inner, depth - 1)]
            else:
                lines.append(self._filled(line, indices, DEEPEST, own))
        return lines

    def _filled(self, template: str, indices: tuple[str, ...], depth: int, own: str) -> str:
        return HOLE.sub(lambda hole: self._hole(hole[1], indices, depth, own), template)

    def _hole(self, hole: str, indices: tuple[str, ...], depth: int, own: str) -> str:
        if hole == "own":
            return own
        if hole == "result":
            return self._filled(RESULT, indices, 0, own)
        if hole.isupper():
            return self.choices.one(NAMES[hole.lower()])
        simple, compound = EXPRESSIONS[hole]
        if hole == "i":
            simple = (*indices, *simple)
        if not depth or not self.choices.number(0, 2):
            return self._filled(self.choices.one(simple), indices, 0, own)
        template = self.choices.one(compound)
        filled = self._filled(template, indices, depth - 1, own)
        return filled if CALL.match(template) else f"({filled})"

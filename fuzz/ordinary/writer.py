"""Writes a program: random blocks of the fragments, and what all names hold after them."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from ..second.modules import Program
from . import fragments

PLACE = re.compile(r"\{([ifc])\}")
TABLES = {"i": fragments.INTEGERS, "f": fragments.FLOATS, "c": fragments.CONDITIONS}
INDENT = "    "


@dataclass
class Writer:
    """Writes statements."""

    source: random.Random
    made: int = 0
    """Names of loops and functions so far."""

    def filled(self, template: str) -> str:
        """A template with expressions in its places."""
        text = PLACE.sub(lambda match: self.source.choice(TABLES[match[1]]), template)
        return text.replace("{{", "{").replace("}}", "}")

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        self.made += 1
        return f"{stem}{self.made}"

    def simple(self) -> list[str]:
        """A statement without blocks of the program's own."""
        return self.filled(self.source.choice(fragments.STATEMENTS)).split("\n")

    def block(self, depth: int, loop: bool) -> list[str]:
        """One to three statements, one level further in."""
        lines = [line for _ in range(self.source.randint(1, 3)) for line in self.statement(depth, loop)]
        return [INDENT + line for line in lines]

    def statement(self, depth: int, loop: bool) -> list[str]:
        """A statement of any kind; `break` and `continue` only in a loop."""
        chance = self.source.random()
        if depth and chance < 0.5:
            return self.source.choice(COMPOUND)(self, depth - 1, loop)
        if loop and chance > 0.96:
            return [self.source.choice(["break", "continue"])]
        if chance > 0.93:
            return [
                self.filled(
                    self.source.choice(["return {i}", "raise ValueError({i})", "raise ValueError({i})"])
                )
            ]
        return self.simple()

    def if_(self, depth: int, loop: bool) -> list[str]:
        """`if`, often with `elif` or `else`."""
        lines = [self.filled("if {c}:"), *self.block(depth, loop)]
        if self.source.random() < 0.25:
            lines += [self.filled("elif {c}:"), *self.block(depth, loop)]
        return [*lines, "else:", *self.block(depth, loop)] if self.source.random() < 0.6 else lines

    def for_range(self, depth: int, loop: bool) -> list[str]:
        """`for` over a range, perhaps with an `else`."""
        del loop
        name = self.fresh("k")
        lines = [f"for {name} in range({self.source.choice(fragments.LENGTHS)}):", *self.block(depth, True)]
        if self.source.random() < 0.5:
            lines.append(f"{INDENT}s += {name}")
        if self.source.random() < 0.7:
            return lines
        leave = [self.filled(f"{INDENT}if {{c}}:"), f"{INDENT * 2}break"]
        return [lines[0], *leave, *lines[1:], "else:", *self.block(depth, False)]

    def for_each(self, depth: int, loop: bool) -> list[str]:
        """`for` over what a name holds."""
        del loop
        name = self.fresh("k")
        head = f"for {name} in {self.source.choice(fragments.SOURCES)}:"
        return [head, f"{INDENT}s += {name}", *self.block(depth, True)]

    def while_(self, depth: int, loop: bool) -> list[str]:
        """`while` that ends."""
        del loop
        name = self.fresh("k")
        more = self.filled(" and {c}") if self.source.random() < 0.4 else ""
        head = f"while {name} < {self.source.choice(['3', 'n', 'm % 4'])}{more}:"
        return [f"{name} = 0", head, f"{INDENT}{name} += 1", *self.block(depth, True)]

    def try_(self, depth: int, loop: bool) -> list[str]:
        """`try` with a handler, perhaps with `else` and `finally`."""
        known = ["ValueError", "ValueError as error", "(ValueError, KeyError, IndexError, ZeroDivisionError)"]
        lines = [
            "try:",
            *self.block(depth, loop),
            f"except {self.source.choice(known)}:",
            *self.block(depth, loop),
        ]
        if self.source.random() < 0.3:
            lines += ["else:", *self.block(depth, loop)]
        return (
            [*lines, "finally:", *(INDENT + line for line in self.simple())]
            if self.source.random() < 0.3
            else lines
        )

    def with_(self, depth: int, loop: bool) -> list[str]:
        """`with` that holds exceptions back."""
        return ["with contextlib.suppress(ValueError, IndexError):", *self.block(depth, loop)]

    def match(self, depth: int, loop: bool) -> list[str]:
        """`match` of an integer."""
        case = self.source.choice(["0", "1 | 2", "v if v > 2", "3"])
        cases = [f"case {case}:", *self.block(depth, loop), "case _:", *self.block(depth, loop)]
        return [self.filled("match {i}:"), *(INDENT + line for line in cases)]

    def def_(self, depth: int, loop: bool) -> list[str]:
        """A function of the function, and a call of it."""
        del depth, loop
        name = self.fresh("h")
        bodies = [
            "return v + {i}",
            "p.x += v; return p.x",
            "xs[0] = v; return len(xs)",
            "return v if {c} else {i}",
        ]
        body = self.filled(self.source.choice([*bodies, "d['a'] += v; return s"]))
        return [f"def {name}(v):", INDENT + body, self.filled(f"s += {name}({{i}})")]


COMPOUND = [
    Writer.if_,
    Writer.if_,
    Writer.if_,
    Writer.for_range,
    Writer.for_range,
    Writer.for_each,
    Writer.while_,
    Writer.try_,
    Writer.with_,
    Writer.match,
    Writer.def_,
]


def program(seed: int, without: tuple[str, ...] = ()) -> Program:
    """A program; it has no themes that could be left out."""
    del without
    source = random.Random(seed)
    writer = Writer(source)
    lines = [f"{name} = {source.choice(values)}" for name, values in fragments.BEGIN.items()]
    for _ in range(source.randint(2, 4)):
        lines += writer.statement(2, loop=False)
    lines.append(f"return {fragments.RESULT}")
    first, second = source.sample(fragments.ARGUMENTS, 2)
    tail = [
        f"CALLS = [lambda: {first}, lambda: {first}, lambda: {second}]",
        f"STAGED = {[source.random() < 0.5 for _ in range(3)]}",
        "TEXTLESS = False",
    ]
    body = "\n".join(INDENT + line for line in lines)
    return Program(f"{fragments.HEAD}\ndef f(n, m, x):\n{body}\n\n" + "\n".join(tail) + "\n")

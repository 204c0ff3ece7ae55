"""Fills templates of the features that a program has."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from . import expressions, statements

PLACE = re.compile(r"\{(\w+)\}")
RARELY = 0.04
"""Probability of a template that often raises."""
ELSE = 0.2
"""Probability of an `else` of a loop."""
WEIGHTS = {"list": 4, "dict": 3, "array": 4, "object": 3, "base": 8, "format": 1}
"""Statements of a feature, where they are not two."""


@dataclass
class Writer:
    """Writes statements; knows the names that are bound."""

    source: random.Random
    features: list[str]
    shape: str
    """Types of the results."""
    integers: list[str] = field(default_factory=lambda: ["a", "b", "i0", "i1"])
    floats: tuple[str, ...] = ("x", "f0")
    lists: tuple[str, ...] = ("l0",)
    made: int = 0
    room: int = 40
    """Statements with blocks that are still to come."""
    own: str = ""
    """The name of the template's own place `{k}`."""
    coming: str = ""
    """A name of an int that the next block may read."""

    def templates(self, table: dict[str, list[str]]) -> list[str]:
        """Those of the features."""
        return [one for name in ("base", *self.features) for one in table.get(name, [])]

    def expression(self, kind: str, depth: int) -> str:
        """An expression of a type."""
        if depth <= 0 or self.source.random() < 0.15:
            return self.filled(self.source.choice(expressions.LEAVES[kind]), 0)
        rare = self.source.random() < RARELY
        table = (expressions.RARE if rare else expressions.TABLES)[kind]
        return self.filled(self.source.choice(self.templates(table)), depth - 1)

    def filled(self, template: str, depth: int) -> str:
        """A line of a template; braces of another meaning stay."""
        return PLACE.sub(lambda match: self.place(match[1], depth) or match[0], template)

    def place(self, word: str, depth: int) -> str:
        """The text for a place, or nothing where a word is none."""
        if word in expressions.TABLES:
            return self.expression(word, depth)
        if word in expressions.CONSTANTS:
            return self.source.choice(expressions.CONSTANTS[word])
        if word == "R":
            return ", ".join(self.expression(kind, depth) for kind in self.shape)
        if word == "k":
            return self.own
        return self.name(word)

    def name(self, word: str) -> str:
        """A name for a place; `a` is never assigned, so that prints keep a tensor."""
        names = {
            "i": self.integers,
            "t": [name for name in self.integers if name != "a"],
            "f": self.floats,
            "l": self.lists,
        }
        if word == "new":
            return self.fresh("w")
        return self.source.choice(names[word]) if word in names else ""

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        self.made += 1
        return f"{stem}{self.made}"

    def simple(self) -> str:
        """A template without a block."""
        names = ["base", *(name for name in self.features if name in statements.SIMPLE)]
        if self.source.random() < 0.03:
            names = ["assert"]
        name = self.source.choices(names, [WEIGHTS.get(one, 2) for one in names])[0]
        found = list(statements.SIMPLE[name])
        if name == "print":
            found += [shown for one, shown in statements.SHOWN.items() if one in self.features]
        return self.source.choice(found)

    def statement(self, indent: int, depth: int, *, loop: bool) -> list[str]:
        """The lines of a statement."""
        if loop and self.source.random() < 0.1:
            return self.lines(self.source.choice(statements.JUMPS), indent, depth, loop=loop)
        if depth <= 0 or self.room <= 0 or self.source.random() < 0.5:
            return self.lines(self.simple(), indent, depth, loop=loop)
        self.room -= 1
        kinds = ["branch", "branch", "loop", "loop"]
        kinds += [name for name in self.features if name in statements.COMPOUND]
        kind = self.source.choice(kinds)
        if kind == "loop":
            return self.loop(indent, depth, inside=loop)
        table = statements.BRANCHES if kind == "branch" else statements.COMPOUND[kind]
        return self.lines(self.source.choice(table), indent, depth, loop=loop)

    def loop(self, indent: int, depth: int, *, inside: bool) -> list[str]:
        """A loop, which may be inside another; most often its name is read in it, and not after it."""
        before, self.own = self.own, self.fresh("k")
        name = self.own
        self.coming = name if self.source.random() < 0.8 else ""
        template = self.source.choice(self.templates(statements.LOOPS))
        lines = self.lines(template, indent, depth, loop=True)
        if self.source.random() < ELSE:
            lines += self.lines("else:\n    {block}", indent, depth, loop=inside)
        self.own = before
        if name in self.integers and self.source.random() < 0.9:
            self.integers.remove(name)
        return lines

    def lines(self, template: str, indent: int, depth: int, *, loop: bool) -> list[str]:
        """The lines of a template."""
        lines: list[str] = []
        for line in template.split("\n"):
            inside = indent + len(line) - len(line.lstrip())
            if line.strip() == "{block}":
                lines += self.block(inside, depth - 1, loop=loop)
            else:
                lines.append(" " * inside + self.filled(line.strip(), self.source.randint(1, 2)))
        return lines

    def block(self, indent: int, depth: int, *, loop: bool) -> list[str]:
        """One statement to three."""
        if self.coming:
            self.integers.append(self.coming)
            self.coming = ""
        count = self.source.choice([1, 1, 2, 2, 3])
        return [line for _ in range(count) for line in self.statement(indent, depth, loop=loop)]

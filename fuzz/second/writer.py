"""Fills templates: `{I}` is an expression of a type, `{nI}` a name to assign, `{vI}` one that is bound.

Types: `I`, `F`, `B` are an int, a float, a bool; `A`, `V` arrays of four ints and floats, `M` a matrix of
three by three; `L` a list of ints, `D` a dict from texts to ints, `O` an object, `T` an iterator of ints,
`N` an int or `None`, `C` an int that no argument reaches but through branches and loops.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from . import expressions, statements

PLACE = re.compile(r"\{(\w+)\}")
DEEPEST = 3
NEW = 0.35
"""Probability of a new name for a target where a bound one exists."""


class NoNameError(Exception):
    """A template needs a bound name of a type, and there is none."""


@dataclass
class Writer:
    """Writes statements; knows the names that are bound."""

    source: random.Random
    themes: set[str]
    bound: dict[str, list[str]] = field(default_factory=dict)
    made: int = 0
    room: int = 14
    """Statements that are still to come."""
    pending: list[tuple[str, str]] = field(default_factory=list)
    own: dict[str, str] = field(default_factory=dict)
    """Names for the template's own places such as `{k}`."""

    def chosen(self, table: dict[str, list[str]]) -> str:
        """A template of the themes, each theme as likely as another."""
        themes = [theme for theme in ("base", "base", *sorted(self.themes)) if table.get(theme)]
        return self.source.choice(table[self.source.choice(themes)])

    def expression(self, kind: str, depth: int) -> str:
        """An expression of a type."""
        if depth <= 0 or self.source.random() < 0.25:
            return self.leaf(kind)
        for _ in range(20):
            try:
                return self.filled(self.chosen(expressions.TABLES[kind]), depth - 1)
            except NoNameError:
                continue
        return self.leaf(kind)

    def leaf(self, kind: str) -> str:
        """A bound name or a constant."""
        names = self.bound.get(kind, [])
        if names and self.source.random() < 0.75:
            return self.source.choice(names)
        if kind == "B" and self.bound.get("I") and self.source.random() < 0.8:
            return f"{self.source.choice(self.bound['I'])} {self.place('cmp', 0)} {self.leaf('I')}"
        return self.chosen(expressions.LEAVES[kind])

    def filled(self, template: str, depth: int) -> str:
        """A line of a template."""
        return PLACE.sub(lambda match: self.place(match[1], depth), template)

    def place(self, what: str, depth: int) -> str:
        """The text for a place."""
        if what in expressions.TABLES:
            return self.expression(what, depth)
        if what in expressions.CONSTANTS:
            return self.source.choice(expressions.CONSTANTS[what])
        kind, names = what[1:], self.bound.get(what[1:], [])
        if what[0] == "v":
            if not names:
                raise NoNameError
            return self.source.choice(names)
        if what[0] == "n":
            if names and self.source.random() > NEW:
                return self.source.choice(names)
            self.pending.append((kind, self.fresh(kind.lower())))
            return self.pending[-1][1]
        if what not in self.own:
            self.own[what] = self.fresh("k")
        return self.own[what]

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        self.made += 1
        return f"{stem}{self.made}"

    def bind(self) -> None:
        """Bind the names that a line assigns."""
        for kind, name in self.pending:
            self.bound.setdefault(kind, []).append(name)
        self.pending = []

    def statement(self, indent: int, depth: int, *, loop: bool) -> list[str]:
        """The lines of a statement."""
        table = statements.JUMPS if loop and self.source.random() < 0.12 else statements.TABLE
        for _ in range(30):
            template = self.chosen(table)
            if depth <= 0 and "{block}" in template:
                continue
            kept = {kind: list(names) for kind, names in self.bound.items()}
            try:
                return self.lines(template, indent, depth, loop=loop)
            except NoNameError:
                self.bound, self.pending = kept, []
        return [" " * indent + "pass"]

    def lines(self, template: str, indent: int, depth: int, *, loop: bool) -> list[str]:
        """The lines of a template."""
        kept, self.own = self.own, {}
        lines: list[str] = []
        around: list[tuple[int, str]] = []
        for line in template.split("\n"):
            deep = len(line) - len(line.lstrip())
            inside = indent + deep
            around = [one for one in around if one[0] < deep]
            if line.strip() == "{block}":
                here = loop or any(head.startswith(("for", "while")) for _, head in around)
                lines += self.block(inside, depth - 1, loop=here)
            else:
                around.append((deep, line.strip()))
                own = self.own
                lines.append(" " * inside + self.filled(line.strip(), self.source.randint(0, 2)))
                self.own = own
                self.bind()
        self.own = kept
        return lines

    def block(self, indent: int, depth: int, *, loop: bool, most: int = 3) -> list[str]:
        """Some statements; most names that are new in them are not read after them."""
        before = {kind: list(names) for kind, names in self.bound.items()}
        lines = []
        for _ in range(self.source.randint(1, most)):
            if self.room <= 0 and lines:
                break
            self.room -= 1
            lines += self.statement(indent, depth, loop=loop)
        if self.source.random() < 0.85:
            self.bound = before
        return lines

"""Fills the grammar's templates.

Choices shrink towards the first alternative and the smallest number: tables begin with what is simplest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Any

from .grammar import EXPRESSIONS, GIVEN, LITERALS
from .statements import STATEMENTS, Where

HOLE = re.compile(r"\{(\w+)\}")
WORD = re.compile(r"\w+")
BLOCK = re.compile(r"^( *)\{(body|loop|function)\}$")
DEEPEST_BLOCK = 3
DEEPEST_EXPRESSION = 2


class Choices:
    """What a program is made of."""

    def __init__(self, number: Callable[[int, int], int]) -> None:
        """Takes each number from a source that is asked for the least and the most."""
        self.number = number

    def one(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        return options[self.number(0, len(options) - 1)]


@dataclass(frozen=True)
class Scope:
    """What may be written at a place."""

    names: dict[str, tuple[str, ...]]
    """For each kind of value, what can be read and assigned."""
    result: str
    """The template of what `return` gives."""
    known: frozenset[str]
    """What the templates mention and is there."""
    where: Where = Where.TOP
    depth: int = DEEPEST_BLOCK

    def fitting(self, templates: Sequence[str]) -> tuple[str, ...]:
        """Those templates that can be filled here."""
        return _fitting(tuple(templates), frozenset(self.names), self.known, self.depth > 0)


class Writer:
    """Writes the functions of one program."""

    def __init__(self, choices: Choices) -> None:
        """Writes by these choices."""
        self.choices = choices
        self._fresh = count()

    def block(self, scope: Scope, least: int = 1, most: int = 2) -> list[str]:
        """From `least` to `most` statements, as lines."""
        statements = self.choices.number(least, most)
        return [line for _ in range(statements) for line in self.statement(scope)]

    def statement(self, scope: Scope) -> list[str]:
        """One statement, as lines."""
        template = self.choices.one(scope.fitting(STATEMENTS[scope.where]))
        own = f"{next(self._fresh)}"
        lines: list[str] = []
        for line in template.strip("\n").splitlines():
            if block := BLOCK.match(line):
                inner = replace(scope, depth=scope.depth - 1, where=scope.where.inside(block[2]))
                lines += [block[1] + text for text in self.block(inner)]
            else:
                lines.append(self._fill(line, scope, DEEPEST_EXPRESSION, own))
        return lines

    def expression(self, kind: str, scope: Scope, depth: int = DEEPEST_EXPRESSION) -> str:
        """One expression of a kind."""
        simple, compound = EXPRESSIONS[kind]
        choices = self.choices
        if not depth or not choices.number(0, 2):
            names = scope.names.get(kind, ())
            return self._fill(choices.one([*names, *scope.fitting(simple)]), scope, 0, "")
        return self._fill(choices.one(scope.fitting(compound)), scope, depth - 1, "")

    def _fill(self, template: str, scope: Scope, depth: int, own: str) -> str:
        return HOLE.sub(lambda hole: self._hole(hole[1], scope, depth, own), template)

    def _hole(self, hole: str, scope: Scope, depth: int, own: str) -> str:
        if hole in LITERALS:
            return self.choices.one(LITERALS[hole])
        if hole == "own":
            return own
        if hole == "result":
            return self._fill(scope.result, scope, DEEPEST_EXPRESSION - 1, own)
        if hole.isupper():
            return self.choices.one(scope.names[hole.lower()])
        return self.expression(hole, scope, depth)


@cache
def _fitting(
    templates: tuple[str, ...], kinds: frozenset[str], known: frozenset[str], nest: bool
) -> tuple[str, ...]:
    def fits(template: str) -> bool:
        holes = set(HOLE.findall(template))
        asked = {hole.lower() for hole in holes if hole.isupper()} | (holes & {"v", "w"})
        mentioned = set(WORD.findall(HOLE.sub("", template))) & GIVEN
        return asked <= kinds and mentioned <= known and (nest or not holes & {"body", "loop", "function"})

    return tuple(filter(fits, templates))

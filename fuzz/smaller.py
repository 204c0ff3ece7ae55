"""Makes the text of a program that fails smaller: statements go, expressions become a part of themselves.

So even what every program begins with goes, which no choice of the generator leaves out.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from .programs import Program

Edit = Callable[[], None]
"""Changes a tree in one place."""


def smaller(program: Program, fails: Callable[[Program], bool], seconds: float = 600) -> Program:
    """A program with the same arguments that still fails; given the time, one that no edit makes smaller."""
    end = time.monotonic() + seconds
    shortest, at, edited = replace(program, text=ast.unparse(ast.parse(program.text))), 0, False
    if not fails(shortest):
        return program
    while time.monotonic() < end:
        text = _edited(shortest.text, at)
        if text is None and not edited:
            break
        if text is None:
            at, edited = 0, False
        elif len(text) < len(shortest.text) and fails(shorter := replace(shortest, text=text)):
            shortest, edited = shorter, True
        else:
            at += 1
    return shortest


def _edited(text: str, number: int) -> str | None:
    """The program after one of its edits; `None` if there are no more."""
    tree = ast.parse(text)
    for edit in islice(_edits(tree), number, None):
        edit()
        return ast.unparse(ast.fix_missing_locations(tree))
    return None


def _edits(tree: ast.AST) -> Iterator[Edit]:
    """All that one can do to a tree, what takes most first."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], (ast.stmt, ast.match_case)):
                yield from _of_block(value, may_be_empty=name in ("orelse", "finalbody"))
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                yield from (edit for at in range(len(value)) for edit in _of_expression(value, at))
            elif isinstance(value, ast.expr):
                yield from _of_expression(node.__dict__, name)


def _of_block(block: list[ast.stmt], *, may_be_empty: bool) -> Iterator[Edit]:
    """A statement goes, or what is in it takes its place."""
    for at in reversed(range(len(block))):
        if len(block) > 1 or may_be_empty:
            yield lambda at=at: block.__delitem__(at)
        elif isinstance(block[at], ast.stmt):
            yield lambda at=at: block.__setitem__(at, ast.Pass())
        if isinstance(block[at], (ast.FunctionDef, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody"):
            if inside := getattr(block[at], name, None):
                yield lambda at=at, inside=inside: block.__setitem__(slice(at, at + 1), inside)


def _of_expression(holder: dict[str, ast.expr] | list[ast.expr], key: str | int) -> Iterator[Edit]:
    """A part of an expression, or a number, takes its place."""
    whole = holder[key]
    if not isinstance(whole, ast.expr) or isinstance(whole, (ast.Name, ast.Constant, ast.FormattedValue)):
        return
    parts = [part for part in ast.iter_child_nodes(whole) if isinstance(part, ast.expr)]
    for part in [*parts, ast.Constant(1)]:
        yield lambda part=part: holder.__setitem__(key, part)

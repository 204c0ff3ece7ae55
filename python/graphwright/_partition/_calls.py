"""Names of a call's arguments and results in the user's text."""

from __future__ import annotations

import ast
import dataclasses
import functools
import linecache
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import _trees

Place = tuple[str, int, int, int, int] | None


class Operand(NamedTuple):
    """The place of a value of the graph among the arguments of a call of the host."""

    number: int


@functools.lru_cache(maxsize=64)
def parsed(text: str) -> ast.Module | None:
    """The tree of a file; none if Python cannot read it."""
    try:
        return _trees.module(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def text_of(file: str) -> str:
    """The text of a file as the interpreter knows it."""
    return "".join(linecache.getlines(file))


def line_of(place: Place) -> str:
    """The first line of a place, without its indentation; empty if it is not known."""
    if place is None:
        return ""
    return linecache.getline(place[0], place[1]).strip()


@dataclasses.dataclass(frozen=True)
class Texts:
    """A call in the user's text: its file, its tree, and the statement around it."""

    text: str
    name: str
    call: ast.Call | None
    statement: ast.stmt | None

    @classmethod
    def of(cls, place: Place, name: str) -> Texts:
        """The call of a function at a place."""
        text = text_of(place[0]) if place else ""
        tree = parsed(text) if text else None
        if place is None or tree is None:
            return cls(text, name, None, None)
        found = list(calls_at(tree, place))
        call, statement = found[0] if len(found) == 1 else (None, None)
        return cls(text, name, call, statement)

    def segment(self, node: ast.AST) -> str:
        """The user's text of an expression, on one line."""
        found = ast.get_source_segment(self.text, node) or ast.unparse(node)
        return " ".join(found.split())

    @property
    def whole(self) -> str:
        """The text of the call."""
        return self.segment(self.call) if self.call else f"{self.name}(…)"

    @property
    def target(self) -> ast.expr | None:
        """The target that the result of the call is assigned to."""
        statement = self.statement
        if self.call is None or getattr(statement, "value", None) is not self.call:
            return None
        if isinstance(statement, ast.Assign):
            return statement.targets[0]
        return statement.target if isinstance(statement, ast.AnnAssign) else None

    @property
    def assigned(self) -> str | None:
        """The text of what the result is assigned to."""
        return self.segment(self.target) if self.target else None

    def result(self, at: int) -> str:
        """The name that a result is assigned to, or the text of the call."""
        target = self.target
        if isinstance(target, ast.Tuple | ast.List) and at < len(target.elts):
            target = target.elts[at]
        if target is None or isinstance(target, ast.Tuple | ast.List):
            return self.whole
        return self.segment(target)

    def arguments(self, given: Any, is_explicit: bool) -> dict[int, str]:
        """The text of each value of the graph among the arguments, by its number."""
        found: dict[int, str] = {}
        args, kwargs = given
        roots = self._listed(args) if is_explicit else self._written(args)
        named = (
            {word.arg: self.segment(word.value) for word in self.call.keywords if word.arg}
            if self.call
            else {}
        )
        for root, argument in zip(roots, args, strict=False):
            found.update(operands(argument, root))
        for name, argument in kwargs.items():
            found.update(operands(argument, named.get(name, name)))
        return found

    def _written(self, args: tuple[Any, ...]) -> Iterator[str]:
        """The texts of positional arguments; the object of a method is the first."""
        written: list[ast.expr] = list(self.call.args) if self.call else []
        if self.call and isinstance(self.call.func, ast.Attribute) and len(args) == len(written) + 1:
            written.insert(0, self.call.func.value)
        is_plain = len(written) == len(args) and not any(isinstance(a, ast.Starred) for a in written)
        for at in range(len(args)):
            yield self.segment(written[at]) if is_plain else f"{self.name}[{at}]"

    def _listed(self, args: tuple[Any, ...]) -> Iterator[str]:
        """The texts of the items of `inp` of a `py_function`."""
        written: ast.expr | None = None
        if self.call:
            words = [word.value for word in self.call.keywords if word.arg == "inp"]
            written = words[0] if words else self.call.args[1] if len(self.call.args) > 1 else None
        if isinstance(written, ast.List | ast.Tuple) and len(written.elts) == len(args):
            yield from (self.segment(one) for one in written.elts)
            return
        whole = self.segment(written) if written is not None else self.name
        yield from ([whole] if len(args) == 1 else (f"{whole}[{at}]" for at in range(len(args))))


def calls_at(tree: ast.Module, place: tuple[str, int, int, int, int]) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """The calls at a place, with the statements around them."""
    span = place[1:]
    stack: list[tuple[ast.AST, ast.stmt | None]] = [(tree, None)]
    while stack:
        node, statement = stack.pop()
        if isinstance(node, ast.stmt):
            statement = node
        at = (
            getattr(node, "lineno", 0),
            getattr(node, "col_offset", 0),
            getattr(node, "end_lineno", 0),
            getattr(node, "end_col_offset", 0),
        )
        if isinstance(node, ast.Call) and statement is not None and (at[0], at[1], at[2], at[3]) == span:
            yield node, statement
        if isinstance(node, ast.Module) or (at[0] <= span[0] <= (at[2] or 0)) or not at[0]:
            stack.extend((child, statement) for child in ast.iter_child_nodes(node))


def operands(value: Any, text: str) -> Iterator[tuple[int, str]]:
    """The values of the graph in an argument, with how they are reached in the user's words."""
    if isinstance(value, Operand):
        yield value.number, text
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from operands(item, f"{text}[{key!r}]")
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        for name in value._fields:
            yield from operands(getattr(value, name), f"{text}.{name}")
    elif isinstance(value, list | tuple):
        for at, item in enumerate(value):
            yield from operands(item, f"{text}[{at}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from operands(getattr(value, field.name, None), f"{text}.{field.name}")

"""The user's text in a report: the functions that a graph comes from, as lines of coloured tokens."""

from __future__ import annotations

import ast
import inspect
import io
import keyword
import linecache
import token
import tokenize
from typing import Any

from .._partition._calls import parsed, text_of

#: The number of a file and a line, as keys of the page's tables.
Places = dict[tuple[str, int], str]

COLOURS = {token.STRING: "s", token.NUMBER: "n", token.OP: "o", tokenize.COMMENT: "c"}


def files(function: Any, lines: list[Any]) -> tuple[list[dict[str, Any]], Places]:
    """The texts that nodes stand in, the function's own first, and the key of each line."""
    wanted: dict[str, set[int]] = {}
    code = getattr(function, "__code__", None)
    if code is not None:
        wanted[code.co_filename] = {code.co_firstlineno}
    for _, _, place in lines:
        if place is not None:
            wanted.setdefault(place[0], set()).update((place[1], place[3]))
    found, places = [], Places()
    for number, (name, linenos) in enumerate(wanted.items()):
        shown = around(name, linenos, function if number == 0 else None)
        texts = coloured(name)
        found.append({"name": name, "lines": [[lineno, texts.get(lineno, [])] for lineno in sorted(shown)]})
        places |= {(name, lineno): f"{number}:{lineno}" for lineno in shown}
    return found, places


def around(name: str, linenos: set[int], function: Any) -> set[int]:
    """The lines of the functions that some lines stand in, and lines that stand in none."""
    shown = set(linenos)
    if function is not None:
        try:
            own, first = inspect.getsourcelines(function)
            shown |= set(range(max(first, 1), first + len(own)))
        except (OSError, TypeError):
            pass
    tree = parsed(text_of(name))
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = range(first_line(node), (node.end_lineno or node.lineno) + 1)
            if any(lineno in lines for lineno in linenos):
                shown |= set(lines)
    return {lineno for lineno in shown if linecache.getline(name, lineno)} or shown


def first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The line that a function begins in, its decorators among them."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def coloured(name: str) -> dict[int, list[list[str]]]:
    """Each line of a file as `[colour, text]` pairs; one pair a line where the text cannot be read."""
    texts = {number: line.rstrip("\n") for number, line in enumerate(linecache.getlines(name), 1)}
    marks: dict[int, list[tuple[int, int, str]]] = {}
    try:
        for one in tokenize.generate_tokens(io.StringIO(text_of(name)).readline):
            colour = COLOURS.get(one.type, "")
            if one.type == token.NAME and keyword.iskeyword(one.string):
                colour = "k"
            if type_name(one.type).startswith("FSTRING"):
                colour = "s"
            for lineno in range(one.start[0], one.end[0] + 1) if colour else ():
                start = one.start[1] if lineno == one.start[0] else 0
                end = one.end[1] if lineno == one.end[0] else len(texts.get(lineno, ""))
                marks.setdefault(lineno, []).append((start, end, colour))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        marks = {}
    return {lineno: pairs(text, marks.get(lineno, [])) for lineno, text in texts.items()}


def type_name(number: int) -> str:
    """The name of a type of tokens."""
    return token.tok_name.get(number, "")


def pairs(text: str, marks: list[tuple[int, int, str]]) -> list[list[str]]:
    """A line cut at its marks."""
    cut, at = [], 0
    for start, end, colour in marks:
        if start > at:
            cut.append(["", text[at:start]])
        if end > max(start, at):
            cut.append([colour, text[max(start, at) : end]])
        at = max(at, end)
    return [*cut, ["", text[at:]]] if at < len(text) else cut


def spans(lines: list[Any], places: Places) -> dict[int, list[Any]]:
    """For each node the key of its line, and from which to which character of that it stands."""
    found: dict[int, list[Any]] = {}
    for _, node, place in lines:
        if node is None or place is None:
            continue
        file, lineno, column, end_lineno, end_column = place
        line = linecache.getline(file, lineno).rstrip("\n")
        end = characters(line, end_column) if end_lineno == lineno else len(line)
        found[node] = [places.get((file, lineno), ""), characters(line, column), end]
    return found


def characters(line: str, column: int) -> int:
    """The characters in so many bytes of a line."""
    return len(line.encode()[:column].decode(errors="ignore"))

"""Trees of Python's texts, one parsed at a time: CPython 3.11 counts the depth of trees over all threads."""

from __future__ import annotations

import ast
import threading

_LOCK = threading.Lock()


def module(text: str) -> ast.Module:
    """The tree of statements; `SyntaxError` and `ValueError` as from `ast.parse`."""
    with _LOCK:
        return ast.parse(text)


def expression(text: str) -> ast.expr:
    """The tree of an expression."""
    with _LOCK:
        return ast.parse(text, mode="eval").body

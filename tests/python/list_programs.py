"""Programs over lists, as texts that have a source, and their results as Python's own values."""

from __future__ import annotations

import linecache

import graphwright as gw


def function_of(text):
    """The function `f` of a text."""
    file = f"<list program {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names["f"]


def plain(found):
    """Lists and tuples of Python's numbers in place of tensors."""
    if isinstance(found, list | tuple):
        return type(found)(plain(one) for one in found)
    return found.item() if isinstance(found, gw.Tensor) else found

"""Nested `try`, `with` and guards: they agree with Python, and their graphs grow with the depth of nesting, not with a power of it."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import graphwright as gw
from three_ways import agree, outcome, tensor

MANAGER = """
class Manager:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        return kind is KeyError
"""

#: Statements around a block, by their level: the lines before it, those at its end, and those behind it.
FAMILIES = {
    "items": (
        "try:",
        "    out.append(out[a % 7])\n    a = a // (a - {d})",
        "except IndexError:\n    a = a + {d}\nfinally:\n    for j{d} in range(n): out.append(a)",
    ),
    "handlers that raise": (
        "try:",
        "",
        "except (ValueError, KeyError):\n    if a > {d} + 4: raise KeyError(a)\n    if a > {d} + 2: raise ValueError(a)\n"
        "    if a > {d} + 1: raise\nfinally:\n    for j{d} in range(n): out.append(a)",
    ),
    "finally that raises": (
        "try:",
        "",
        "finally:\n    for j{d} in range(n): out.append(a)\n    if a == {d}: raise KeyError('k{d}')",
    ),
    "jumps": (
        "for i{d} in range(n):\n    try:",
        "        if a == {d}: break\n        if a == {d} + 5: continue\n        if a == {d} + 9: raise KeyError('k{d}')",
        "    finally:\n        for j{d} in range(2): out.append(a)",
    ),
    "managers": ("with Manager():", "    if a == {d}: raise KeyError('k{d}')", "a = a + 1"),
    "guards": ("if a > {d} - 5:\n    a = a + 1", "", "else:\n    raise ValueError('low')"),
}


def nested(family, depth):
    """The text of `f(n)` with statements nested this deep."""
    before, end, behind = FAMILIES[family]
    lines = ["def f(n):", "    out = [n]", "    a = n"]
    indents = ["    "]

    def put(text, level):
        lines.extend(indents[-1] + line for line in text.format(d=level).splitlines())

    for level in range(depth, 0, -1):
        put(before, level)
        indents.append(indents[-1] + "    " * (2 if family == "jumps" else 1))
    put("if a > 3: raise ValueError('a')\na = a + 1\nout.append(a)", 0)
    for level in range(1, depth + 1):
        indents.pop()
        put(end, level)
        put(behind, level)
    return MANAGER + "\n".join([*lines, "    return out, a", ""])


def function_of(family, depth):
    """The function of such a text."""
    text, file = nested(family, depth), f"<nested {family} {depth}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "nested"}
    exec(compile(text, file, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_nested_statements_agree_with_python(family, depth):
    function = function_of(family, depth)
    graph = gw.function(function)
    for n in [-7, -1, 0, 1, 2, 3, 5, 9]:
        native, ours = outcome(function, [n]), outcome(graph, [tensor(n)])
        same = agree(ours[1], native[1]) if ours[0] == native[0] == "gives" else ours[:2] == native[:2]
        assert same, f"f({n}): native {native}, graph {ours}"


@pytest.mark.parametrize("family", FAMILIES)
def test_graphs_grow_with_the_depth(family):
    def lines(depth):
        function = gw.function(function_of(family, depth))
        return str(function.get_concrete_function(tensor(2)).graph).count("\n")

    # Classes and messages that pass each level make what is left quadratic at most.
    assert lines(6) <= 5 * lines(3)


def test_a_refusal_in_a_handler_is_told_as_itself():
    """The state from before the `try` is there when a loop that met the refusal is traced in another way."""

    def f(a, b, k):
        for i in range(b.shape[0]):
            b[0] = a[k]
            w = len(a) - 1
            while w >= 0:
                w -= 1
                try:
                    try:
                        b[k] = 1
                    except Exception:
                        if i % 3 == 2:
                            a[0] = a[k:].argmax()
                except (IndexError, ValueError):
                    pass

    with pytest.raises(ValueError, match=r"GW115[\s\S]*argmax"):
        gw.function(f)(np.arange(17), np.arange(17), np.int64(3))


@pytest.mark.parametrize("shown", [False, True])
def test_the_error_of_popitem_is_caught(shown):
    def taken(n):
        held = {}
        total = 0
        for i in range(n):
            try:
                total += held.popitem()[1]
            except KeyError as error:
                total += len(str(error)) if shown else 1000
            held[i] = i * 2
        return total

    for n in (0, 3):
        assert gw.function(taken)(gw.constant(n)) == taken(n)

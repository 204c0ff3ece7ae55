"""Lists changed in place in a branch or loop whose items are lists, dicts, objects or arrays: each item stays the object that it is."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

HEAD = """
from dataclasses import dataclass

@dataclass
class P:
    k: float

def swap(xs):
    xs[0], xs[1] = xs[1], xs[0]

def f(n):
"""

#: Two items, a change of one by the expression for it, and what tells what they hold.
ITEMS = {
    "lists": ("a = [1]; b = [2]", "{}.append(9)", "list(a), list(b)"),
    "items of lists": ("a = [1.0]; b = [2.0]", "{}[0] = 9.0", "a[0], b[0]"),
    "dicts": ("a = {'k': 1.0}; b = {'k': 2.0}", "{}['k'] = 9.0", "a['k'], b['k']"),
    "objects": ("a = P(1.0); b = P(2.0)", "{}.k += 10", "a.k, b.k"),
    "arrays": ("a = np.array([1.0, 2.0]); b = np.array([3.0, 4.0])", "{}[0] = 9.0", "a + 0, b + 0"),
    "one array": ("a = np.zeros((2, 2)); b = a[1]", "{}[0] = 9.0", "a + 0, b + 0"),
}

LISTS = {"list": "xs = [a, b]", "three": "xs = [a, b, a]", "rows": "m = [[a, b]]; xs = m[0]"}

#: Changes of the list.
MOVES = {
    "reverse": "xs.reverse()",
    "rotate": "xs.insert(0, xs.pop())",
    "rotate left": "xs.append(xs.pop(0))",
    "extend": "xs.extend([xs.pop(0)])",
    "add": "xs += [xs.pop(0)]",
    "delete": "del xs[0]; xs.append(a)",
    "slice": "xs[:2] = [b, a]",
    "whole slice": "xs[:] = xs[::-1]",
    "negative": "xs[-1] = a",
    "swap": "xs[0], xs[1] = xs[1], xs[0]",
    "helper": "swap(xs)",
    "copy": "xs[-1] = xs[0].copy() if hasattr(xs[0], 'copy') else P(5.0)",
}

PLACES = {
    "branch": "if n > 2:\n    {}",
    "else": "if n <= 2:\n    pass\nelse:\n    {}",
    "loop": "for i in range(n):\n    {}",
    "branch of a loop": "for i in range(n):\n    if i > 1:\n        {}",
}

#: Changes behind it: by the list or by the name.
CHANGES = {"by the list": "xs[0]", "by the name": "a", "by another": "xs[-1]", "nothing": ""}


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return np.asarray(value).tolist()


def told(call):
    try:
        return plain(call())
    except Exception as error:
        return "GW" if re.match(r"GW\d", str(error)) else type(error).__name__


@pytest.mark.parametrize(("item", "made", "move"), list(itertools.product(ITEMS, LISTS, MOVES)))
def test_programs(item, made, move):
    begin, change, seen = ITEMS[item]
    # Each list and move meets every other place, so that all pairs are met.
    first = (list(LISTS).index(made) + list(MOVES).index(move)) % 2
    for place, by in itertools.product(list(PLACES)[first::2], CHANGES):
        done = change.format(CHANGES[by]) if CHANGES[by] else "pass"
        lines = [begin, LISTS[made], *PLACES[place].format(MOVES[move]).splitlines(), done]
        end = f"return {seen}, [len(xs), {seen.split(',')[0].replace('a', 'xs[0]', 1)}]"
        text = HEAD + "".join(
            f"    {line}\n" for line in [*lines, end if "list" not in seen else f"return {seen}"]
        )
        f, _ = function_of(text, f"{item}, {made}, {move}, {place}, {by}")
        graph = gw.function(f)
        for n in (3, 1, 4):
            expected, found = told(lambda n=n: f(n)), told(lambda n=n: graph(gw.constant(n)))
            assert found in (expected, "GW"), (text, n, expected, found)


def test_buffers_that_are_swapped():
    def f(v, u, n):
        bufs = [v, u]
        for _ in range(n):
            bufs[1][0] = bufs[0][0] + 1
            bufs.reverse()
        return bufs[0] + 0

    with pytest.raises(ValueError, match="GW122"):
        gw.function(f)(np.ones(2), np.zeros(2), gw.constant(3))


def test_lists_without_other_names_are_moved():
    def f(n):
        xs = [[3, 1], [2, 5], [1, 1]]
        for _ in range(n):
            xs.append(xs.pop(0))
        xs[0][0] = 7
        return xs

    assert plain(gw.function(f)(gw.constant(4))) == f(4)

"""Arrays that a function returns on some paths: stores behind the call, in a `finally` and where a `with` is left are seen."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

#: Functions that give an array of theirs on some paths.
GIVES = {
    "early": "if n > 1:\n    return {0}\nw = w + 1.0\nreturn {0}",
    "loop": "for i in range(n):\n    if i > 1:\n        return {0}\nw = w * 2.0\nreturn {0}",
    "endless": "i = 0\nwhile True:\n    if i >= n:\n        return {0}\n    i += 1",
    "sometimes": "if n > 1:\n    return {0}",
    "in turn": "for i in range(n):\n    w[1] = w[1] + i\n    if i > 1:\n        return {0}\n    w[0] = 5.0",
    "nested": "for i in range(n):\n    for j in range(i):\n        if i + j > 2:\n            return {0}\nreturn {0}",
    "recursion": "if n < 2:\n    return w * 1.0\nif n == 2:\n    return {0}\nreturn give(w, n - 1)",
    "swapped recursion": "if n < 2:\n    return w + 1.0\nif n == 2:\n    return {0}\nr = give(w, n - 1)\nreturn r",
    "may raise": "try:\n    if 12 // n > 3:\n        return w * 1.0\n    return {0}\nfinally:\n    pass",
    "both": "if n > 1:\n    return {0}\nelse:\n    w = w * 3.0\n    return {0}",
}

#: What they return, and how the array is read from that.
WRAPS = {
    "itself": ("w", "{}"),
    "part": ("w[1:]", "{}"),
    "copy": ("w.copy()", "{}"),
    "tuple": ("(w, 1.0)", "{}[0]"),
    "list": ("[w]", "{}[0]"),
    "dict": ("{{'a': w}}", "{}['a']"),
}

#: Stores behind the call.
STORES = {
    "none": "pass",
    "element": "w[1] = 9.0",
    "through a view": "u[1] = 9.0",
    "in a branch": "if n > 2:\n    w[1] = 9.0",
    "in a loop": "for j in range(n):\n    w[j % 3] = j + 7.0",
    "into what is given": "if r is not None:\n    {0}[1] = 9.0",
}

#: Ways to store where a `return` leaves a block.
LEAVES = {
    "finally": "try:\n{body}\nfinally:\n    w[1] = 9.0",
    "finally in a branch": "try:\n{body}\nfinally:\n    if n > 2:\n        w[1] = 9.0",
    "finally of a view": "u = w[:]\ntry:\n{body}\nfinally:\n    u[1] = 9.0",
    "with": "with storing(w):\n{body}",
    "with a class": "with Storing(w):\n{body}",
    "stored before": "try:\n    w[1] = 9.0\n{body}\nfinally:\n    n = n + 1",
}

MANAGERS = """import contextlib

@contextlib.contextmanager
def storing(w):
    try:
        yield
    finally:
        w[1] = 9.0

class Storing:
    def __init__(self, w):
        self.w = w
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self.w[1] = 9.0
        return False

"""


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def plain(value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return [plain(item) for item in value.values()] if isinstance(value, dict) else np.asarray(value).tolist()


def outcome(f, *args):
    try:
        return plain(f(*args))
    except Exception as error:
        return "GW" if re.match(r"GW\d", str(error)) else type(error).__name__


def agree(text: str, about: str) -> bool:
    """Whether the graph gives what Python gives, for arrays and tensors; it may refuse instead."""
    f, _ = function_of(text, about)
    g = gw.function(f)
    answers = []
    for make, n in itertools.product((np.array, gw.constant), (3, 1)):
        expected = outcome(f, make([1.0, 2.0, 3.0]), n)
        found = outcome(g, make([1.0, 2.0, 3.0]), gw.constant(n))
        assert "GW" in (expected, found) or found == expected, (text, make, n, expected, found)
        answers.append(found == expected)
    return all(answers)


@pytest.mark.parametrize(("give", "wrap"), list(itertools.product(GIVES, WRAPS)))
def test_stores_behind_a_call(give, wrap):
    value, read = WRAPS[wrap]
    answers = {}
    for store in STORES:
        lines = f"u = w[:]\nr = give(w, n)\n{STORES[store].format(read.format('r'))}\nif r is not None:\n    return "
        lines += read.format("r") + " * 1.0\nreturn w"
        text = f"def f(v, n):\n    def give(w, n):\n{indented(indented(GIVES[give].format(value)))}    w = v * 1.0\n"
        answers[store] = agree(text + indented(lines), f"{give}, {wrap}, {store}")
    # One structure on all paths, as a graph has it.
    is_one = wrap in ("itself", "part", "copy") or give not in ("recursion", "swapped recursion", "may raise")
    assert answers["none"] or give == "in turn" or not is_one, answers


@pytest.mark.parametrize(("give", "leave"), list(itertools.product(GIVES, LEAVES)))
def test_stores_behind_a_return(give, leave):
    for wrap, (value, _) in WRAPS.items():
        body = indented(GIVES[give].format(value)).rstrip()
        lines = "w = v * 1.0\n" + LEAVES[leave].format(body=body)
        agree(MANAGERS + "def f(v, n):\n" + indented(lines), f"{give}, {wrap}, {leave}")

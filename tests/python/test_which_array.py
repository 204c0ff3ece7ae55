"""Questions which array a name holds: `is` and `id`, where a branch, a loop or a call of the graph decides."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

BINDS = {
    "branch": "w = v\nif n > 2:\n    w = u",
    "conditional": "w = u if n > 2 else v",
    "loop": "w = v\nfor i in range(n - 1):\n    w = u",
    "none": "w = None\nif n > 2:\n    w = u",
    "copy": "w = v.copy() if n > 2 else v",
    "constants": "u = np.array([1.0, 2.0])\nv = np.array([3.0, 4.0])\nw = v\nif n > 2:\n    w = u",
    "list": "xs = [v, u]\nif n > 2:\n    xs.reverse()\nw = xs[0]",
    "call": "def g(k):\n    for i in range(k):\n        if i > 1:\n            return u\n    return v\nw = g(n)",
    "known": "w = v",
}
ASKS = {
    "is": "w is v",
    "is not": "w is not u",
    "turned": "u is w",
    "id": "id(w) == id(v)",
    "branch": "(1 if w is v else 2)",
    "store": "(v.__setitem__(0, 9.0), w[0] if w is not None else 0.0)[1]",
}


def told(call):
    try:
        return np.asarray(call()).tolist()
    except Exception as error:
        return "GW" if re.match(r"GW\d", str(error)) else type(error).__name__


@pytest.mark.parametrize(("bind", "ask"), list(itertools.product(BINDS, ASKS)))
def test_programs(bind, ask):
    lines = [*BINDS[bind].splitlines(), f"return {ASKS[ask]}"]
    text = "def f(v, u, n):\n" + "".join(f"    {line}\n" for line in lines)
    f, _ = function_of(text, f"{bind}, {ask}")
    graph = gw.function(f)
    for n in (3, 1):
        expected = told(lambda n=n: f(np.ones(2), np.zeros(2), n))
        found = told(lambda n=n: graph(np.ones(2), np.zeros(2), gw.constant(n)))
        assert found in (expected, "GW"), (text, n)
        assert found == expected or bind != "known", text


@pytest.mark.parametrize(
    "body",
    [
        "if n > 2:\n    t = a.area\na.r = 1\nt = t + a.area",
        "for i in range(n):\n    t += a.area\na.r = 100\nt = t + a.area",
        "a.area\nif n > 2:\n    t = a.area\na.r = 7\nt = t + a.area",
        "for i in range(n):\n    t += A(i).area",
        "t = a.area\na.r = 3\nt += a.area",
        "while t < n:\n    t += a.area + 1\nt = t + a.calls",
    ],
)
def test_cached_properties(body):
    head = (
        "import functools\nclass A:\n    def __init__(self, r): self.r, self.calls = r, 0\n"
        "    @functools.cached_property\n    def area(self):\n        self.calls += 1\n        return self.r * self.r\n"
    )
    lines = ["a = A(n)", "t = 0", *body.splitlines(), "return t"]
    text = head + "def f(n):\n" + "".join(f"    {line}\n" for line in lines)
    f, _ = function_of(text, body)
    graph = gw.function(f)
    for n in (3, 0, 2, 5):
        expected, found = told(lambda n=n: f(n)), told(lambda n=n: graph(gw.constant(n)))
        assert found in (expected, "GW"), (text, n)

"""Names that hold an array on some paths only, or `None` on the others: a store through another name of the array is seen."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

BEGINS = {"unbound": "pass", "none": "w = None"}

#: Ways to bind the name on some paths.
BINDS = {
    "branch": "if n > 1:\n    w = {}",
    "other branch": "if n <= 1:\n    pass\nelse:\n    w = {}",
    "loop": "for i in range(n):\n    w = {}",
    "loop with a branch": "for i in range(n):\n    if i > 0:\n        w = {}",
    "try": "try:\n    if n <= 1:\n        raise ValueError\n    w = {}\nexcept ValueError:\n    pass",
}

#: Arrays that the name is bound to: `v`, a view of it, and others.
ARRAYS = {
    "itself": "v",
    "part": "v[1:]",
    "reversed": "v[::-1]",
    "copy": "v.copy()",
    "another": "v * 2",
    "second": "u",
}

STORES = {
    "none": "pass",
    "element": "v[1] = 9.0",
    "of another": "u[1] = 9.0",
    "in place": "v += 1.0",
    "in a branch": "if n > 2:\n    v[1] = 9.0",
    "in a loop": "for j in range(n):\n    v[j % 3] = j + 7.0",
    "read between": "for j in range(3):\n    v[j] = v[j] + w[1]",
}

READS = {"element": "w[1]", "sum": "w.sum()", "itself": "w", "both": "w[1] + v[1]"}


def outcome(f, *args):
    try:
        return np.asarray(f(*args)).tolist()
    except Exception as error:
        return "GW" if re.match(r"GW\d", str(error)) else type(error).__name__


@pytest.mark.parametrize(("begin", "bind", "array"), list(itertools.product(BEGINS, BINDS, ARRAYS)))
def test_programs(begin, bind, array):
    for store, read in itertools.product(STORES, READS):
        lines = [BEGINS[begin], *BINDS[bind].format(ARRAYS[array]).splitlines(), *STORES[store].splitlines()]
        body = "".join(f"    {line}\n" for line in [*lines, f"return {READS[read]}"])
        text = "def f(v, u, n):\n" + body
        f, _ = function_of(text, f"{begin}, {bind}, {array}, {store}, {read}")
        g = gw.function(f)
        arrays = [np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])]
        expected = outcome(f, *[one.copy() for one in arrays], 3)
        found = outcome(g, *[one.copy() for one in arrays], gw.constant(3))
        assert found in (expected, "GW"), text
        is_apart = store == "none" or (array == "copy" and store in ("element", "of another"))
        if is_apart and read in ("element", "both"):
            assert found == expected, text


def test_the_best_array_so_far():
    def climb(v, n):
        best, value = None, -1.0
        for i in range(n):
            v[i % 3] = (i * 7) % 5 + 0.5
            if v.sum() > value:
                best, value = v.copy(), v.sum()
        return best

    start = np.array([1.0, 2.0, 3.0])
    assert gw.function(climb)(start.copy(), gw.constant(9)).tolist() == climb(start.copy(), 9).tolist()

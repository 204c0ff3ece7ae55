"""Functions of `itertools` over lists that grow in the graph, generators and what else it iterates."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

HEAD = """
import itertools
import operator
from itertools import islice, accumulate, takewhile

def squares(n):
    for i in range(n):
        yield i * i

def pick(x):
    return x[1] if isinstance(x, tuple) else x

def f(n):
    xs = []
    for i in range(n):
        xs.append(i * i)
    d = {7: 7}
    for x in xs:
        d[x] = x + 1
"""

#: What the graph iterates.
SOURCES = [
    "xs",
    "squares(n)",
    "[x + 1 for x in xs]",
    "(x for x in xs if x != 4)",
    "d.values()",
    "range(n)",
    "enumerate(xs)",
]

FUNCTIONS = [
    "islice({}, 2)",
    "islice({}, 1, None)",
    "itertools.islice({}, 1, 4, 2)",
    "islice({}, 0)",
    "accumulate({})",
    "accumulate({}, lambda a, b: b)",
    "accumulate({}, initial=5)",
    "takewhile(lambda x: x != 4, {})",
    "itertools.dropwhile(lambda x: x != 4, {})",
    "itertools.filterfalse(lambda x: x == 4, {})",
    "itertools.pairwise({})",
    "itertools.chain({})",
    "itertools.starmap(lambda x, y: y, enumerate({}))",
]


def plain(value):
    return [plain(item) for item in value] if isinstance(value, list | tuple) else np.asarray(value).tolist()


#: What the graph refuses: the sums of pairs, pairs of a pair, and tests that are counted.
REFUSED = [
    ("enumerate(xs)", "accumulate({})"),
    ("enumerate(xs)", "accumulate({}, initial=5)"),
    ("enumerate(xs)", "itertools.pairwise({})"),
    ("(x for x in xs if x != 4)", "itertools.starmap(lambda x, y: y, enumerate({}))"),
]


def told(call):
    try:
        return plain(call())
    except Exception as error:
        return "GW" if str(error).startswith("GW") else type(error).__name__


@pytest.mark.parametrize("source", SOURCES)
def test_functions_of_itertools(source):
    for at, function in enumerate(FUNCTIONS):
        asked = function.format(source)
        loop = f"    for one in {asked}:\n        total = total * 3 + pick(one)\n"
        f, _ = function_of(f"{HEAD}    total = 0\n{loop}    return total, list({asked})\n", f"{source} {at}")
        graph = gw.function(f)
        for n in (4, 0, 1, 6):
            expected, found = told(lambda n=n: f(n)), told(lambda n=n: graph(gw.constant(n)))
            if (source, function) in REFUSED or expected == "TypeError":
                assert found in (expected, "GW"), (asked, n)
            else:
                assert found == expected, (asked, n)


def test_python_alone_iterates_what_it_knows():
    def f(x):
        pairs = list(itertools.pairwise([x, 1, x * 2]))
        return (
            list(itertools.accumulate([x, 2, 3])),
            pairs,
            list(itertools.islice([x, 1], 1)),
            [*itertools.chain([x], (2,))],
        )

    assert plain(gw.function(f)(gw.constant(3))) == plain(f(3))


def test_a_tuple_of_a_list_that_grows_is_refused():
    def f(n):
        xs = []
        for i in range(n):
            xs.append(i)
        return tuple(xs)

    with pytest.raises(ValueError, match=r"(?s)GW130.*keep the list.*|GW130"):
        gw.function(f)(gw.constant(3))

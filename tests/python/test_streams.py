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

#: Sources that the graph iterates.
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


#: Programs that the graph refuses: the sums of pairs, pairs of a pair, and tests that are counted.
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


#: Changes behind the making of an iterator, and the graph's answer then: Python's answer, or a refusal.
CHANGED = {
    "it = accumulate(xs)\nxs.append(99)\nreturn list(it)": "right",
    "it = accumulate(d.values())\nd[0] = 50\nreturn list(it)": "right",
    "it = itertools.chain(xs, [1])\nxs.append(99)\nreturn sum(it)": "right",
    "it = itertools.chain(d, d)\nd[50] = 3\nreturn list(it)": "right",
    "it = itertools.chain(iter(xs), [1])\nxs.append(99)\nreturn list(it)": "GW",
    "it = islice(xs, 1, 40)\nxs.append(99)\nreturn [x + 1 for x in it]": "right",
    "it = islice(d.items(), 2)\nd[7] = 50\nreturn list(it)": "right",
    "it = itertools.pairwise(xs)\nxs.append(99)\nreturn list(it)": "right",
    "it = takewhile(lambda x: x < 100, xs)\nxs.append(99)\nreturn list(it)": "right",
    "it = itertools.dropwhile(lambda x: x < 5, xs)\nxs.insert(0, 9)\nreturn list(it)": "right",
    "it = itertools.filterfalse(lambda x: x > 100, xs)\nxs.clear()\nreturn list(it)": "right",
    "ys = xs + [3]\nit = accumulate(ys)\nys[0] = 50\nreturn list(it)": "right",
    "s = 0\nfor x in accumulate(xs):\n    s += x\n    if len(xs) < 6: xs.append(x)\nreturn s, xs": "right",
    "ys = xs + [1, 3]\ns = 0\nfor a, b in itertools.pairwise(ys):\n    s += a * b\n    ys[-1] += 5\nreturn s, ys": "GW",
    "s = 0\nfor x in takewhile(lambda x: x < 50, xs):\n    s += x\n    xs[-1] = 60\nreturn s, xs": "right",
}


@pytest.mark.parametrize("changed", CHANGED)
def test_lists_and_dicts_that_are_changed_later(changed):
    lines = "".join(f"    {line}\n" for line in changed.splitlines())
    f, _ = function_of(f"{HEAD}{lines}", changed)
    graph = gw.function(f)
    for n in (4, 1, 6):
        found = told(lambda n=n: graph(gw.constant(n, dtype=gw.int64)))
        assert found == (told(lambda n=n: f(n)) if CHANGED[changed] == "right" else "GW"), n


@pytest.mark.parametrize("bounds", ["n", "1, n", "1, 3, n", "n, None"])
@pytest.mark.parametrize("source", ["[0, 7, 4, 1]", "xs", "range(9)"])
def test_bounds_that_the_graph_computes_are_refused(source, bounds):
    f, _ = function_of(f"{HEAD}    return list(islice({source}, {bounds}))\n", f"{source} {bounds}")
    with pytest.raises(TypeError, match=r"(?s)GW120: `islice`.*list\(islice\(.*write a slice"):
        gw.function(f)(gw.constant(2))


@pytest.mark.parametrize(
    "asked",
    [
        "next(itertools.pairwise(xs), 88)",
        "len(frozenset(itertools.dropwhile(lambda x: True, xs)))",
    ],
)
def test_what_python_takes_items_of_is_refused(asked):
    f, _ = function_of(f"{HEAD}    return {asked}\n", asked)
    with pytest.raises((ValueError, TypeError), match="GW1"):
        gw.function(f)(gw.constant(3))

"""Generators over lists that grow in the graph, as each of Python's ways of taking items asks them."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

HEAD = """
import collections
import functools
import heapq
import itertools
import math
import statistics
import numpy as np

def counted(xs):
    n = 0
    for x in xs:
        n += 1
        yield n * 3 % 7

class Bag:
    def __init__(self):
        self.items = []

    def each(self):
        for x in self.items:
            yield x

def length(*args):
    return len(args)

def total(items):
    t = 0
    for x in items:
        t = t * 3 + x
    return t

def f(n):
    L, a, s, d, bag = [], [], set(), {}, Bag()
    for i in range(n):
        L.append(i * 7 % 5)
        bag.items.append(i)
"""

#: Generators that only a loop of the graph can ask.
SOURCES = [
    "counted(L)",
    "bag.each()",
    "(x for x in L)",
    "(x + 1 for x in bag.items)",
    "(x for x in counted(L))",
    "(i * i for i in range(n))",
    "(i for i in range(n) if i % 2)",
    "(x for x in L if x > 1)",
    "counted(range(n))",
]

#: What takes all items, in `{}`.
TAKEN = [
    "list({})",
    "sorted({})",
    "sum({})",
    "max({}, default=0)",
    "min({}, default=0)",
    "any({})",
    "all({})",
    "[x for x in {}]",
    "sorted({{x for x in {}}})",
    "sorted(set({}))",
    "[*{}]",
    "[0, *{}, 1]",
    "3 in {}",
    "5 not in {}",
    "a.extend({}) or a",
    "sorted(s.union({}))",
    "s.update({}) or sorted(s)",
    "len({{x: x for x in {}}})",
    "total({})",
    "math.prod({})",
    "functools.reduce(lambda a, b: a * 2 + b, {}, 1)",
    "list(map(lambda x: x + 1, {}))",
    "list(filter(lambda x: x > 1, {}))",
    "list(itertools.chain({}, L))",
    "list(itertools.islice({}, 2))",
    "a + list({})",
    "list(itertools.chain.from_iterable([x, x + 1] for x in {}))",
    "dict.fromkeys({}, 0)",
]

#: What is answered as Python answers it, or refused.
ASKED = [
    "tuple({})",
    "len(frozenset({}))",
    "dict(enumerate({}))",
    "next({}, 5)",
    "next((x for x in {} if x > 2), 9)",
    "list(zip({}, L))",
    "len(({}, 1))",
    "length(*{})",
    "len((*{},))",
    "len({{*{}}})",
    "len(dict.fromkeys({}))",
    "len(collections.Counter({}))",
    "len(collections.deque({}))",
    "heapq.nlargest(2, {})",
    "statistics.mean({})",
    "np.fromiter({}, int)",
    "','.join(str(x) for x in {})",
    "list(itertools.chain.from_iterable(({}, L)))",
    "list(zip({0}, {0}))",
]


def plain(value):
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return np.asarray(value).tolist()


def told(call):
    try:
        return plain(call())
    except Exception as error:
        return "GW" if str(error).startswith("GW") else type(error).__name__


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("taken", TAKEN)
def test_all_items_are_taken(taken, source):
    f, _ = function_of(f"{HEAD}    return {taken.format(source)}\n", f"{taken} {source}")
    graph = gw.function(f)
    for n in (4, 0, 1, 6):
        assert told(lambda n=n: graph(gw.constant(n))) == told(lambda n=n: f(n)), n


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("asked", ASKED)
def test_items_are_pythons_or_refused(asked, source):
    f, _ = function_of(f"{HEAD}    return {asked.format(source)}\n", f"{asked} {source}")
    graph = gw.function(f)
    for n in (4, 0, 1, 6):
        assert told(lambda n=n: graph(gw.constant(n))) in ("GW", told(lambda n=n: f(n))), n


def test_the_search_of_an_item_stops_where_it_is_found():
    def noted(xs, seen):
        for x in xs:
            seen.append(x)
            yield x

    def f(n):
        xs, seen = [], []
        for i in range(n):
            xs.append(i)
        return 2 in noted(xs, seen), seen

    graph = gw.function(f)
    for n in (5, 2, 0):
        assert plain(graph(gw.constant(n))) == plain(f(n))


def test_generators_that_python_alone_can_ask():
    def f(n):
        d, seen = {}, []
        for i in range(n):
            d[i] = i * i

        def guarded():
            try:
                for k in d:
                    seen.append(k - 1)
                    yield k
            finally:
                seen.append(-1)

        return [x + 1 for x in guarded()]

    with pytest.raises(ValueError, match=r"(?s)GW130: Python runs this generator as it is.*test_collected"):
        gw.function(f)(gw.constant(3))

    def g(x):
        def kept():
            try:
                yield x
                yield x * 2
            finally:
                pass

        return sum(kept()), list(kept())

    assert plain(gw.function(g)(gw.constant(3))) == plain(g(3))


def test_the_refusal_names_the_line_and_what_to_do():
    def counted(xs):
        for x in xs:
            yield x

    def f(n):
        xs = []
        for i in range(n):
            xs.append(i)
        return next(counted(xs))

    with pytest.raises(
        ValueError, match=r"(?s)GW130: this asks a generator.*test_collected.*list\(generator\)"
    ):
        gw.function(f)(gw.constant(3))

"""Comprehensions over dicts and sets of the graph, and generators with tests under a name."""

import pytest

import graphwright as gw


def table(n):
    found = {}
    for i in range(n):
        found[i] = i * 2
    return found


def pick(numbers):
    total = 0
    for number in numbers:
        total = total * 10 + number
    return total


FUNCTIONS = {
    "filtered items": lambda n: len({k: v + 1 for k, v in table(n).items() if v > 2}),
    "filtered values": lambda n: sum([v for v in table(n).values() if v > 2]),
    "filtered keys": lambda n: sum([k for k in table(n) if k > 1]),
    "values": lambda n: sum([v for v in table(n).values()]),
    "generated values": lambda n: sum(v for v in table(n).values()),
    "turned round": lambda n: len({v: k for k, v in table(n).items()}),
    "item turned round": lambda n: {v: k for k, v in table(n + 3).items()}[4],
    "set of values": lambda n: len({v % 3 for v in table(n).values()}),
    "set of a filter": lambda n: len({v % 3 for v in table(n).values() if v > n}),
    "union of keys": lambda n: len(table(n).keys() | {1, 9}) * 10 + len({1, 9} | table(n).keys()),
    "intersection of keys": lambda n: len(table(n).keys() & table(n + 1).keys()),
    "difference of keys": lambda n: len(table(n + 1).keys() - table(n).keys()),
    "items that differ": lambda n: len(table(n).items() ^ table(n + 2).items()),
    "items with tests": lambda n: sum(v for k, v in table(n).items() if k > 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_tables(name):
    function = FUNCTIONS[name]
    staged = gw.function(function)
    for n in (0, 1, 2, 5):
        assert staged(gw.constant(n)).numpy() == function(n)


def named(x, n):
    chosen = (v * 2 for v in (x, n, 3, 4) if v > n)
    return sum(chosen)


def looped(x, n):
    total = 0
    chosen = (v * 2 for v in (x, n, 3, 4) if v > n)
    for v in chosen:
        total = total * 10 + v
    return total


def given(x, n):
    return pick(v for v in (x, n, 3, 4) if v > n)


def as_set(x, n):
    return len(set(v % 2 for v in (x, n, 3, 4) if v > n))


def as_dict(x, n):
    return dict((v, v * 2) for v in (x, n, 3, 4) if v > n)[4]


def closed(x, n):
    chosen = (v for v in (x, 3) if v)
    chosen.close()
    return list(chosen), n


def late(x, n):
    by = 1
    chosen = (v * by for v in (x, n, 3, 4) if v > n)
    by = 10
    return sum(chosen)


@pytest.mark.parametrize("function", [named, looped, given, as_set, as_dict, late])
def test_generators(function):
    staged = gw.function(function)
    for x, n in [(1, 0), (5, 2), (2, 3)]:
        assert staged(gw.constant(x), gw.constant(n)).numpy() == function(x, n)


def test_closed_generator():
    assert gw.function(closed)(7, 1)[0] == []

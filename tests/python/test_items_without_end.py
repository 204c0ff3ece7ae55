"""Functions that take all items of iterators which have no last one, on paths that a graph takes and a call may not."""

from __future__ import annotations

import itertools

import pytest

import graphwright as gw

ENDLESS = {
    "count": lambda: itertools.count(2),
    "cycle": lambda: itertools.cycle([1, 2]),
    "repeat": lambda: itertools.repeat(3),
    "map": lambda: map(abs, itertools.count()),
    "enumerate": lambda: enumerate(itertools.count()),
    "zip": lambda: zip(itertools.count(), itertools.cycle("ab")),
    "chain": lambda: itertools.chain([1], itertools.count()),
}
TAKERS = [sum, list, tuple, set, sorted, max, min, dict, frozenset]
ENDING = {
    "repeat": lambda: itertools.repeat(3, 4),
    "zip": lambda: zip(itertools.count(), "ab"),
    "islice": lambda: itertools.islice(itertools.count(), 5),
}


@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize("taker", TAKERS)
def test_python_would_not_come_back(name, taker):
    make = ENDLESS[name]

    def function(n):
        return taker(make()) if n > 9 else n

    assert function(3) == 3
    with pytest.raises(ValueError, match=r"GW118: `\w+` takes all items of a `\w+` that has no last one"):
        gw.function(function)(gw.constant(3))


@pytest.mark.parametrize("name", ENDING)
def test_what_ends_is_taken(name):
    make = ENDING[name]

    def function(n):
        return n + len(list(make()))

    assert gw.function(function)(gw.constant(3)) == function(3)


@pytest.mark.parametrize("asks", [all, any])
def test_long_iterators_are_asked_item_by_item(asks):
    def function(n):
        xs = [asks is all] * 50_000
        return n + 1 if asks(x for x in xs) else n

    assert gw.function(function)(gw.constant(3)) == function(3)


@pytest.mark.parametrize("container", [set, dict, list, tuple, sorted])
def test_iterators_from_outside_are_not_taken_apart_while_a_graph_is_built(container):
    pairs = iter([(1, 2), (3, 4)])

    def function(n):
        return n + len(container(pairs))

    with pytest.raises(ValueError, match="GW503"):
        gw.function(function)(gw.constant(3))
    assert next(pairs) == (1, 2)

"""Objects that functions are given, read by whatever way they come: a change of them between calls makes another graph."""

from __future__ import annotations

import functools

import pytest

import graphwright as gw


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


class Thing:
    def __init__(self):
        self.rate = 1

    @property
    def twice(self):
        return self.rate * 2

    @decorated
    def scaled(self, n):
        return n + self.twice

    @decorated
    def shifted(self, n):
        return n + self.rate

    @functools.cached_property
    def kept(self):
        return self.rate * 3


class Numbers(list):
    rate = 1

    def __getitem__(self, at):
        return self.rate + list.__getitem__(self, at)


class Table(dict):
    rate = 1

    def __missing__(self, key):
        return self.rate

    def total(self):
        return self.rate + sum(self.values())


def read(thing, n):
    return n + thing.rate


def by_star(thing):
    arguments = (thing,)
    return lambda n: read(*arguments, n)


def by_keywords(thing):
    def call(**arguments):
        return read(**arguments)

    return lambda n: call(thing=thing, n=n)


def by_map(thing):
    things = [thing, thing]
    return lambda n: sum(map(lambda one: read(one, n), things))


def by_a_key(thing):
    things = [thing, Thing()]
    return lambda n: n + things.index(max(things, key=lambda one: one.rate))


WAYS = {
    "a property in a decorated method": (Thing, lambda thing: thing.scaled),
    "an attribute in a decorated method": (Thing, lambda thing: thing.shifted),
    "a decorated method of a closure": (Thing, lambda thing: lambda n: thing.scaled(n)),
    "`*`": (Thing, by_star),
    "`**`": (Thing, by_keywords),
    "`map`": (Thing, by_map),
    "`key`": (Thing, by_a_key),
    "an own `__getitem__` of a list": (lambda: Numbers([1, 2]), lambda numbers: lambda n: n + numbers[0]),
    "an own `__missing__` of a dict": (Table, lambda table: lambda n: n + table["a"]),
    "a method of a dict": (lambda: Table(a=4), lambda table: lambda n: n + table.total()),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_change_of_it_is_seen(way):
    make, of = WAYS[way]
    expected, found = [], []
    for results, as_given, number in ((expected, lambda f: f, int), (found, gw.function, gw.constant)):
        thing = make()
        function = as_given(of(thing))
        for rate in (1, 5, 5, 0):
            thing.rate = rate
            results.append(int(function(number(2))))
    assert found == expected
    assert len(set(expected)) > 1


def test_a_kept_property_that_is_deleted_is_computed_anew():
    thing = Thing()
    function = gw.function(lambda n: n + thing.kept)
    found = []
    for rate, deleted in ((1, False), (2, False), (2, True), (7, False)):
        thing.rate = rate
        if deleted:
            del thing.kept
        found.append(function(gw.constant(0)).item())
    assert found == [3, 3, 6, 6]


def test_what_does_not_change_makes_no_graph():
    thing = Thing()
    function = gw.function(thing.scaled)
    assert [function(gw.constant(n)).item() for n in range(5)] == [2, 3, 4, 5, 6]
    assert function.experimental_get_tracing_count() == 1

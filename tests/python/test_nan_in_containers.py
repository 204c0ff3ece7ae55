"""NaN in lists and tuples: Python asks first whether two are one object. The answer is Python's, or the run ends with GW130."""

from __future__ import annotations

import pytest

import graphwright as gw
from three_ways import check

NAN = float("nan")


def removed(x):
    xs = [1.0, x, 2.0]
    xs.remove(x)
    return xs


def in_branch(x):
    found = -1
    if x != x:
        found = [1.0, x].index(x)
    return found


ONE_OBJECT = {
    "index": lambda x: [x].index(x),
    "index behind others": lambda x: [1.0, x, x].index(x),
    "in a list": lambda x: x in [x],
    "in a tuple": lambda x: x in (2.0, x),
    "not in": lambda x: x not in [1.0, x],
    "count": lambda x: [x, 1.0, x].count(x),
    "remove": removed,
    "in a branch": in_branch,
    "lists": lambda x: [x, 1.0] == [x, 1.0],
    "tuples": lambda x: (x, 1) == (x, 1),
    "lists that differ": lambda x: [x] != [x],
    "written numbers": lambda x: x in [1.0, 2.0],
}


@pytest.mark.parametrize("name", ONE_OBJECT)
@pytest.mark.parametrize("value", [NAN, 1.0])
def test_one_object_is_equal_to_itself(name, value):
    check(ONE_OBJECT[name], value)


def grown(x, n):
    xs = []
    i = 0
    while i < n:
        xs.append(x)
        i += 1
    return x in xs


DOUBTS = {
    "a list that grew": grown,
    "another number": lambda x, n: [x * 1.0].index(x),
    "a number of a branch": lambda x, n: (x if n < 1 else x + 0.0) in [x],
}


@pytest.mark.parametrize("name", DOUBTS)
def test_what_may_be_one_object_or_not_is_refused_when_both_are_nan(name):
    def caught(x, n):
        try:
            return DOUBTS[name](x, n)
        except ValueError:
            return -1

    check(DOUBTS[name], 1.0, 2)
    for function in (DOUBTS[name], caught):
        with pytest.raises(ValueError, match="GW130: NaN"):
            gw.function(function)(gw.constant(NAN, gw.float64), gw.constant(2))


def test_integers_ask_nothing():
    graph = gw.function(lambda x: x in [x, 2]).get_concrete_function(gw.constant(1)).graph
    assert "GW130" not in str(graph)


def test_what_is_not_there_is_shown_as_python_shows_it():
    def looked_up(x):
        return [10, 20].index(x)

    def messages(ours, native):
        return ours == native

    check(looked_up, 1, messages=messages)
    check(looked_up, 20, messages=messages)
    check(lambda x: [1.5, x * 2].index(x), 2.5, messages=messages)
    check(lambda x: [1.5, x * 2].remove(x), 2.5, messages=messages)

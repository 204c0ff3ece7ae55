"""Python's lists, tuples, dicts and sets beside tensors in tests: they count by whether they are empty."""

from __future__ import annotations

import pytest

import graphwright as gw


def counted(x, held):
    turns = 0
    while turns < x and held:
        turns += 1
    return turns


def taken(x, held):
    left, turns = list(held), 0
    while turns < x and left:
        turns += 1
        left.pop()
    return turns


def either(x, held):
    if x > 1 or held:
        return 1
    return 2


def nested(x, held):
    if x > 0 and (held or x > 2):
        return 1
    return 2


def conditional(x, held):
    return 3 if x > 1 and held else 4


def negated(x, held):
    return 5 if not (x > 1 or held) else 6


@pytest.mark.parametrize("held", [[1, 2], [], (), (1,), {}, {1: 2}, set(), {3}], ids=repr)
@pytest.mark.parametrize("function", [counted, taken, either, nested, conditional, negated])
def test_only_the_truth_of_a_container_is_asked(function, held):
    staged = gw.function(function)
    for x in (0, 1, 2, 3):
        assert int(staged(gw.constant(x), held)) == function(x, held)

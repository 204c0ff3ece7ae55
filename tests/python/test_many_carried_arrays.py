"""Loops that carry many arrays: what a trace and its code take is not cubic in their number, or this would take minutes."""

import numpy as np
import pytest

import graphwright as gw


def several(n, xs):
    i = 0
    while i < n:
        xs = tuple([x * 2.0 + 1.0 for x in xs])
        for _ in range(n):
            xs = tuple([x - 1.0 for x in xs])
        i += 1
    return xs


def stored(n, xs):
    for i in range(n):
        for x in xs:
            x[0] = x[0] + i
    return xs


@pytest.mark.parametrize("function", [several, stored])
def test_a_loop_carries_500_arrays(function):
    arrays = tuple([np.arange(3.0) + at for at in range(500)])
    want = function(3, tuple([array.copy() for array in arrays]))
    got = gw.function(function)(gw.constant(3), tuple([gw.constant(array) for array in arrays]))
    assert all(np.array_equal(one, other) for one, other in zip(want, got, strict=True))

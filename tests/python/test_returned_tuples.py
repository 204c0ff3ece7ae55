"""Arrays that are stored into and that a `return` on some paths gives in a tuple: what they hold at that `return`."""

import numpy as np
import pytest

import graphwright as gw


def until(x, most):
    out, total = np.zeros(len(x)), 0.0
    for i in range(len(x)):
        if x[i] > most:
            return out, total
        out[i] = x[i]
        total += x[i]
    return out, total


def before_a_store(x, most):
    out = x * 1.0
    if x[0] > most:
        return out, 1
    out[0] = 7
    return out, 2


def twice(x, most):
    if x[0] > most:
        return x, x
    x[0] = 7
    return x, x


def in_turn(x, most):
    out, other = x * 1.0, x * 2.0
    if x[0] > most:
        return out, other
    out[0], other[0] = 7, 8
    return other, out


def nested(x, most):
    out = np.zeros(2)
    for i in range(2):
        for j in range(3):
            if x[j] > most:
                return (out, i), j
            out[i] += x[j]
    return (out, -1), -1


def by_a_call(x, most):
    y, k = before_a_store(x, most)
    z = y
    y[1] = 9
    return z, y, k


def argument_by_a_call(x, most):
    y, _ = twice(x, most)
    y[1] = 9
    return x


def in_finally(x, most):
    out = np.zeros(3)
    try:
        if x[0] > most:
            return out, 1
        out[1] = 2
    finally:
        out[0] = 9
    return out, 0


def plain(found):
    return tuple(map(plain, found)) if isinstance(found, tuple) else np.asarray(found)


def same(found, wanted):
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        all(same(*pair) is None for pair in zip(found, wanted, strict=True))
    else:
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("function", [until, before_a_store, twice, in_turn, nested, by_a_call])
@pytest.mark.parametrize("most", [0.0, 1.5, 2.5, 9.0])
def test_a_tuple_holds_what_its_arrays_hold(function, most):
    staged = gw.function(function)
    for _ in range(2):
        x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
        same(plain(staged(x, gw.constant(most))), plain(function(y, most)))
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("function", [argument_by_a_call, in_finally])
def test_an_array_that_changes_behind_the_return_is_refused(function):
    with pytest.raises(ValueError, match="GW122"):
        gw.function(function)(np.array([1.0, 2.0, 3.0]), gw.constant(1.5))

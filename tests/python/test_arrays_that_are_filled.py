"""Arrays of NumPy's that a function makes take what it stores into them, however they are made."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

X = np.arange(12.0) * 0.75
TABLE = np.arange(12.0)

MADE = [
    lambda x: np.eye(12)[0] * 1.0,
    lambda x: np.identity(12)[:, 1],
    lambda x: np.arange(12),
    lambda x: np.arange(12.0),
    lambda x: np.linspace(0, 1, 12),
    lambda x: np.array([1.0, 2.0, 3.0] * 4),
    lambda x: np.array([[1, 2], [3, 4]] * 6)[:, 0],
    lambda x: np.repeat(2.0, 12),
    lambda x: np.tile(np.array([1.0, 2.0]), 6),
    lambda x: np.sort(x),
    lambda x: np.sort(TABLE),
    lambda x: np.sqrt(np.arange(12.0)),
    lambda x: np.asarray([1.0] * 12),
    lambda x: -np.arange(12),
    lambda x: np.arange(12) * 2,
    lambda x: np.arange(24.0).reshape(2, 12).T[:, 1],
    lambda x: TABLE.copy(),
    lambda x: np.array(TABLE),
    lambda x: np.zeros(12, np.int32),
    lambda x: x.copy(),
]


def same(found, wanted):
    found = np.asarray(found)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("roll", [True, "auto"])
@pytest.mark.parametrize("at", range(len(MADE)))
def test_an_array_takes_elements(at, roll):
    made = MADE[at]

    def stored(x):
        w = made(x)
        for i in range(x.shape[0]):
            w[i] = x[i] * 2
        return w

    def increased(x):
        w = made(x)
        for i in range(x.shape[0]):
            if x[i] > 3:
                w[i] += 2
        return w, w[0]

    for function in (stored, increased):
        staged = gw.function(function, roll=roll)
        for _ in range(2):
            found, wanted = staged(X), function(X)
            for one, other in zip(
                *((x if isinstance(x, tuple) else (x,)) for x in (found, wanted)), strict=True
            ):
                same(one, other)
    np.testing.assert_array_equal(TABLE, np.arange(12.0))


def test_all_of_an_array_is_changed():
    def changed(x):
        m = np.eye(3)
        m += x
        m[0] *= x
        return m

    same(gw.function(changed)(X[1]), changed(X[1]))


def test_an_array_that_takes_only_what_is_known_stays_numpys():
    def turned(x):
        order = np.arange(3)
        order[0], order[2] = 2, 0
        assert type(order) is np.ndarray
        return np.transpose(x, [int(k) for k in order])

    x = np.arange(24.0).reshape(2, 3, 4)
    same(gw.function(turned)(x), turned(x))


def test_one_that_others_hold_is_refused():
    def named_twice(x):
        v = w = np.arange(12.0)
        w[0] = x[1]
        return v

    def from_outside(x):
        w = np.asarray(TABLE)
        w[0] = x[1]
        return w

    for function in (named_twice, from_outside):
        with pytest.raises(
            gw.errors.OperatorNotAllowedInGraphError, match="GW108: `w` is no array of the graph"
        ):
            gw.function(function)(X)
    np.testing.assert_array_equal(TABLE, np.arange(12.0))


def test_the_function_is_traced_once_more_at_most():
    seen = []

    def refused(x):
        seen.append(1)
        w = np.arange(12.0)
        w[0] = x[0]
        return float(np.array([x[0]]).tolist()[0]) + w

    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError):
        gw.function(refused)(X)
    assert len(seen) <= 2

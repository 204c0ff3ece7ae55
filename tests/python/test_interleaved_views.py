"""Views of one array that share no element are arguments of one call; those that share one are GW122."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphwright as gw

VIEWS = {
    "even": lambda x: x.reshape(-1)[::2],
    "odd": lambda x: x.reshape(-1)[1::2],
    "odd backwards": lambda x: x.reshape(-1)[::-2],
    "column 1": lambda x: x[:, 1],
    "column 2": lambda x: x[:, 2],
    "columns 1 and 3": lambda x: x[:, 1::2],
    "columns 0 and 2": lambda x: x[:, ::2],
    "row 1": lambda x: x[1],
    "rows 0 and 2": lambda x: x[::2],
    "block": lambda x: x[1:3, 1:3],
    "nothing": lambda x: x[1:1],
    "threes": lambda x: x.reshape(-1)[1::3],
    "turned": lambda x: x.T[3],
}


def both(a, b):
    for i in range(min(len(a), len(b))):
        a[i] += b[i] * 2
        b[i] -= a[i] / 4


def whole(a, b):
    a += 1.5
    b *= 2.0


def one(a, b):
    a[...] = a * 3
    return b.sum()


@pytest.mark.parametrize("function", [both, whole, one])
@pytest.mark.parametrize("names", list(itertools.combinations(VIEWS, 2)))
def test_views_that_share_no_element(names, function):
    graph = gw.function(function)
    for _ in range(2):
        plain, ours = np.arange(24.0).reshape(6, 4), np.arange(24.0).reshape(6, 4)
        given, taken = ([VIEWS[name](x) for name in names] for x in (plain, ours))
        if function is both and given[0].shape[1:] != given[1].shape[1:]:
            return
        if np.shares_memory(*given):
            with pytest.raises(ValueError, match="GW122"):
                graph(*taken)
            continue
        function(*given)
        graph(*taken)
        np.testing.assert_array_equal(ours, plain)


def test_what_is_too_hard_to_tell_is_refused():
    """The strides of a view may make the question one that takes NumPy longer than a call may."""
    base = np.zeros(4_000_000, np.uint8)
    steps = [3 * 10007, 5 * 1009, 7 * 103, 11]
    hard = [np.lib.stride_tricks.as_strided(base[at:], (17,) * 4, steps, writeable=True) for at in (0, 4)]

    def stored(a, b):
        a[...] = 1
        b[...] = 2

    try:
        shared = np.shares_memory(*hard, max_work=10_000)
    except RuntimeError:
        shared = True
    if shared:
        with pytest.raises(ValueError, match="GW122"):
            gw.function(stored)(*hard)
    else:
        gw.function(stored)(*hard)
        assert (hard[0] == 1).all() and (hard[1] == 2).all()

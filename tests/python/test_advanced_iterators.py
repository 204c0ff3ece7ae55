"""Iterators over arrays of which Python has taken items: the others are summed, compared and folded."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import graphwright as gw

USES = {
    "sum": sum,
    "max": max,
    "min": lambda it: min(it, default=9),
    "product": lambda it: functools.reduce(lambda a, b: a * b, it),
    "sorted": sorted,
    "list": list,
    "doubled": lambda it: [x * 2 for x in it],
    "kept": lambda it: [x for x in it if x > 2],
    "mapped": lambda it: list(map(abs, it)),
    "counted": lambda it: [i + x for i, x in enumerate(it)],
}


def plain(value):
    return [plain(one) for one in value] if isinstance(value, list) else np.asarray(value).tolist()


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("taken", [0, 1, 2])
def test_what_is_left(name, taken):
    use = USES[name]

    def f(t):
        it = iter(t)
        first = [next(it) for _ in range(taken)]
        return first, use(it)

    t = np.array([3, 1, 6, 2])
    first, rest = gw.function(f)(t)
    wanted = f(t)
    assert (plain(first), plain(rest)) == (plain(wanted[0]), plain(wanted[1]))

"""Sets, dicts and lists that helpers fill, which are called again and again beside themselves."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw


def into_set(found, xs, n):
    for x in range(5):
        if not any(x + y == n for y in xs):
            found.add(x)
    return found


def into_dict(found, xs, n):
    for x in range(5):
        if not any(x + y == n for y in xs):
            found[x] = 1
    return found


def into_list(found, xs, n):
    for x in range(5):
        if not any(x + y == n for y in xs):
            found.append(x)
    return found


@pytest.mark.parametrize("times", [1, 2, 3, 4, 6])
@pytest.mark.parametrize(("make", "fill"), [(set, into_set), (dict, into_dict), (list, into_list)])
def test_what_helpers_fill_is_the_functions_own(make, fill, times):
    def f(n, xs):
        count = 0
        for _ in range(times):
            count += len(fill(make(), xs, n))
        return count

    staged = gw.function(f)
    for n in (2, 5):
        xs = np.array([1, 2])
        assert staged(gw.constant(n), xs).numpy() == f(n, xs)

"""Functions whose results `functools.cache` keeps, and what they do when they compute one, beside exceptions."""

import functools

import pytest

import graphwright as gw


class Counter:
    n = 0


def cached(counter, seen):
    @functools.cache
    def compute(v):
        counter.n += 1
        seen.append(v)
        return v * 2

    return compute


def behind_a_raise(compute):
    def f(x):
        if x > 2:
            raise ValueError("large")
        return x + compute(1)

    return f


def in_a_try(compute):
    def f(x):
        try:
            t = x + compute(1)
            if x > 2:
                raise ValueError("large")
        except ValueError:
            t = x + 100
        return t

    return f


def run(make, wrap, given):
    counter, seen, outcomes = Counter(), [], []
    function = wrap(make(cached(counter, seen)))
    for x in (5.0, 1.0, 1.0, 5.0):
        try:
            outcomes.append((float(function(given(x))), counter.n, list(seen)))
        except ValueError as error:
            if "GW" in str(error):
                return str(error)
            outcomes.append((str(error), counter.n, list(seen)))
    return outcomes


@pytest.mark.parametrize("make", [behind_a_raise, in_a_try])
def test_what_it_does_is_refused_or_done_as_in_python(make):
    native = run(make, lambda f: f, float)
    staged = run(make, gw.function, gw.constant)
    assert staged == native or (staged.startswith("GW103") and "--> " in staged)
    assert run(make, lambda f: gw.function(f, host_code="run"), gw.constant) == native

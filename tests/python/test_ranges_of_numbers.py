"""`range` of Python's numbers in a graph: as wide as Python's, and its items are Python's numbers."""

from __future__ import annotations

import pytest

import graphwright as gw


def scaled(n):
    x = 0.0
    for i in range(n):
        x = i * 0.1
    return x


def roots(n):
    total = 0.0
    for i in range(n):
        total += i**0.5
    return total


def summed(n):
    total = 0
    for i in range(n):
        total += i
    return total


def squares(n):
    last = 0
    for i in range(n):
        last = i * i
    return last


def stops(n):
    for i in range(n):
        if i > 2:
            break
    return i


def odd(n):
    total = 0
    for i in range(1, n, 2):
        if isinstance(i, int):
            total += i
    return total


def backwards(n):
    total = 0
    for i in reversed(range(n)):
        total = total * 2 % 1009 + i
    return total


def nested(n):
    total = 0
    for i in range(n % 50):
        for j in range(i, n % 50):
            total += i * j
    return total


def grown(n):
    found = []
    for i in range(n):
        found.append(i * i)
    return len(found) + sum(found)


def questions(n):
    numbers = range(n)
    return len(numbers) + numbers[1] + numbers[-1] + (5 in numbers)


@pytest.mark.parametrize(
    "function",
    [scaled, roots, summed, squares, stops, odd, backwards, nested, grown, questions],
    ids=lambda f: f.__name__,
)
def test_numbers_stay_as_wide_as_pythons(function):
    staged = gw.function(function, python_numbers="staged")
    for n in (4, 100, 100_000):
        found = staged(n)
        assert float(found) == pytest.approx(function(n), rel=1e-12)
        assert type(function(n)) is type(found) or isinstance(found, gw.Tensor) and found.dtype.size == 8
        tensor = gw.function(function)(gw.constant(n, gw.int64))
        assert float(tensor) == pytest.approx(function(n), rel=1e-12)


def test_a_long_range_that_is_left_early():
    assert gw.function(stops, python_numbers="staged")(2**31 + 5) == 3

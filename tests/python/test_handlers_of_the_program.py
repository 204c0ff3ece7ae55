"""Handlers of the program take no exception for Python's that the graph alone raises."""

import numpy as np
import pytest

import graphwright as gw
from three_ways import check

WIDE = 2**70


def fails_above_three(n):
    if n > 3:
        raise ValueError


def a_wide_integer(n):
    try:
        return n + WIDE
    except TypeError:
        return 5


def a_wide_integer_before_another_error(n):
    try:
        n = WIDE * n
        return nowhere + n  # noqa: F821
    except TypeError:
        return 5


def an_index_of_a_number(n):
    try:
        return n[3]
    except IndexError:
        return 5


def a_bool_of_an_array(n):
    try:
        return -((np.array([1, 2, 3]) * n)[0] > n)
    except TypeError:
        return 5


def a_bool_of_a_list(n):
    try:
        return -([1, 2].count(n) > n)
    except TypeError:
        return 5


def a_handler_that_raises(n):
    try:
        got = fails_above_three(n)
    except ValueError:
        got = got  # noqa: F821, PLW0127
        try:
            pass
        finally:
            if n:
                return 5  # noqa: B012
    return got


def a_finally_that_raises(n):
    for _ in range(2):
        try:
            try:
                got = fails_above_three(n)
            finally:
                if got <= 3:
                    continue  # noqa: B012
        except TypeError:
            pass
    return 7


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (a_wide_integer, "GW306"),
        (a_wide_integer_before_another_error, "GW306"),
        (an_index_of_a_number, "GW205"),
        (a_bool_of_an_array, "GW120"),
    ],
    ids=lambda given: getattr(given, "__name__", given),
)
def test_no_handler_takes_a_refusal(function, code):
    staged = gw.function(function)
    for _ in range(2):
        with pytest.raises((ValueError, TypeError, IndexError), match=f"{code}: "):
            staged(gw.constant(2))


@pytest.mark.parametrize("function", [a_bool_of_a_list, a_handler_that_raises, a_finally_that_raises])
def test_what_only_looks_like_a_refusal_is_pythons(function):
    for n in (2, 5, 0, 1, 3):
        check(function, n)


def test_handlers_take_what_python_raises():
    def taken(n):
        try:
            got = fails_above_three(n)
        except ValueError:
            got = 3
        return -1 if got is None else got

    staged = gw.function(taken)
    assert [int(staged(gw.constant(n))) for n in (2, 4, 2)] == [-1, 3, -1]


def test_a_free_variable_without_a_value_is_a_name_error():
    def free(n):
        if n > 3:
            got = n
        return sum(got for _ in range(2))

    staged = gw.function(free)
    assert int(staged(gw.constant(5))) == 10
    for call in (free, lambda n: staged(gw.constant(n))):
        with pytest.raises(NameError, match="cannot access free variable 'got'") as caught:
            call(2)
        assert caught.type is NameError


def test_a_free_variable_without_a_value_is_caught_as_one():
    def caught(n):
        if n > 3:
            got = n
        try:
            return sum(got for _ in range(2))
        except NameError:
            return -1

    staged = gw.function(caught)
    assert [int(staged(gw.constant(n))) for n in (5, 2, 5)] == [10, -1, 10]

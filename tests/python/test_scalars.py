"""Operators that mean one thing for Python's numbers and another for NumPy's scalars and for tensors: Python's answer, or GW120."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from three_ways import check

BESIDE_SEQUENCES = {
    "a list": lambda x: x == [1, 2],
    "a tuple with a value of the graph": lambda x: x == (x + 1, 5),
    "unequal to a tuple": lambda x: (x // 2, x) != x,
    "unequal to a list": lambda x: x != [x],
    "less than a list": lambda x: x < [1, 2],
    "a list added": lambda x: x + [1],
    "added to a list": lambda x: [1] + x,
    "in a list of lists": lambda x: x in [[1, 2], [3, 4]],
}


@pytest.mark.parametrize("name", BESIDE_SEQUENCES)
def test_a_single_value_beside_a_list_is_refused(name):
    for function in (BESIDE_SEQUENCES[name], caught(BESIDE_SEQUENCES[name])):
        with pytest.raises(TypeError, match="GW120: a single value stands beside a list or tuple") as refusal:
            gw.function(function)(gw.constant(1))
        assert "gw.constant(xs)" in str(refusal.value)
        assert "test_scalars.py" in str(refusal.value)


def caught(function):
    """The same, under handlers that catch all that Python raises there."""

    def body(x):
        try:
            return function(x)
        except TypeError:
            return -1

    return body


def test_the_remedy_for_a_single_value_beside_a_list_works():
    found = gw.function(lambda x: (x == gw.constant([1, 2]), x + gw.constant([1])))(gw.constant(1))
    assert [part.numpy().tolist() for part in found] == [[True, False], [2]]


def test_a_number_of_pythons_equals_no_list():
    def staged(n):
        count = 0
        while count < n:
            count += 1
        return count == [1, 2], count != (3,)

    found = gw.function(staged)(gw.constant(3))
    assert [bool(part) for part in found] == [False, True]


def test_elements_of_arrays_beside_a_list_are_broadcast():
    check(lambda v: (v.sum() + [1, 2], v[0] == [1, 5], v + [1, 2]), np.array([1, 3]))


def test_tensors_with_axes_are_broadcast():
    found = gw.function(lambda t: t + [10, 20])(gw.constant([1, 2]))
    assert found.numpy().tolist() == [11, 22]


@pytest.mark.parametrize("function", [lambda x: ~(x > 0), lambda x: ~(x == 1) + 1])
def test_a_single_bool_that_is_inverted_is_refused(function):
    with pytest.raises(TypeError, match="GW120: `~` of a single bool") as refusal:
        gw.function(function)(gw.constant(1))
    assert "`gw.logical_not(b)`" in str(refusal.value)


def test_the_remedies_for_a_single_bool_that_is_inverted_work():
    check(lambda x: (not x > 0, ~int(x > 0)), 1)
    assert not gw.function(lambda x: gw.logical_not(x > 0))(gw.constant(1))


def test_a_bool_of_pythons_is_inverted_to_an_integer():
    check(lambda x: ~(not x), 1)
    check(lambda x: ~bool(x) + 1, 0)


def test_integers_and_arrays_of_bools_are_inverted():
    check(lambda x: ~x, 5)
    check(lambda v: ~(v > 1), np.array([0, 1, 2]))
    check(lambda v: ~np.any(v > 1), np.array([0, 1, 2]))


RANGES = {
    "of an array": (lambda v: sum(1 for _ in range(np.any(v))), np.array([1, 0])),
    "of a number": (lambda x: sum(1 for _ in range(np.any(x))), 1),
    "of a ufunc": (lambda x: sum(1 for _ in range(np.isnan(x))), 1.0),
}


@pytest.mark.parametrize("name", RANGES)
def test_a_range_of_a_bool_of_numpys_is_refused(name):
    function, value = RANGES[name]
    with pytest.raises(TypeError, match="integer"):
        function(value)
    for one in (function, caught(function)):
        with pytest.raises(TypeError, match="GW120: `range` takes an integer") as refusal:
            gw.function(one)(gw.constant(value))
        assert "make it an integer with `int`" in str(refusal.value)


def test_a_range_of_a_bool_of_pythons_counts_once():
    def counted(x):
        total = 0
        for _ in range(x > 0):
            total += 1
        for _ in range(int(np.any(x))):
            total += 10
        return total

    check(counted, 1)
    check(counted, -1)


def test_a_bool_of_numpys_is_not_negated():
    with pytest.raises(TypeError, match="GW120: `-` of a bool of arrays"):
        gw.function(lambda x: -np.any(x))(gw.constant(1))


def test_a_number_of_one_type_is_made_by_that_type_alone():
    with pytest.raises(TypeError, match="GW120: the class of tensors is called") as refusal:
        gw.function(lambda x: type(x)(3) + x)(gw.constant(0))
    assert "test_scalars.py" in str(refusal.value)


@pytest.mark.parametrize("number", [11.025, 2.675, 0.125, 1e300, -0.0, 2.5, 123456.785, 1.005, -0.04, 12345])
@pytest.mark.parametrize("digits", [0, 1, 2, 3, -1, 5])
def test_digits_are_kept_of_the_exact_value(number, digits):
    x = gw.constant(number, gw.int64 if isinstance(number, int) else gw.float64)
    staged = gw.function(lambda x: round(x, digits))
    assert repr(round(x, digits).item()) == repr(staged(x).item()) == repr(round(number, digits))
    assert round(x, digits).dtype == staged(x).dtype == x.dtype

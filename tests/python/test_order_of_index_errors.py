"""Indices out of range: judged before the value that is stored, with the numbers and the axis that NumPy names."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphwright as gw
from outcomes import outcome


def minus_one(x, at, value):
    x[at[0]] = -1
    return x


def nothing(x, at, value):
    x[at[0]] = np.nan
    return x


def given(x, at, value):
    x[at[0]] = value[0]
    return x


def caught(x, at, value):
    try:
        x[at[0]] = value[0]
    except IndexError:
        x[0] = 7
    return x


@pytest.mark.parametrize("store", [minus_one, nothing, given, caught])
@pytest.mark.parametrize("at", [1, 7, -4])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64"])
@pytest.mark.parametrize("value", [np.nan, 300, 5])
def test_an_index_is_judged_before_the_value(store, at, dtype, value):
    arguments = np.zeros(3, dtype), np.array([at]), np.array([value])
    wanted, found = outcome(store, *arguments), outcome(gw.function(store), *arguments)
    if IndexError in (found[0], wanted[0]):
        assert found == wanted
    else:
        # NumPy stores something for a number that an array without signs does not hold.
        assert found == wanted or found[0] in (OverflowError, ValueError)


def one_of_two(x, i):
    return x[0, i[0]]


def one_of_three(x, i):
    return x[i[0], 1:, i[1]]


def diagonal(x, i):
    return x[i[0], i[1], i[2]]


def row_of_row(x, i):
    return x[i[0]][i[1]]


def stored(x, i):
    for k in range(i[0]):
        x[k, k, i[1]] = 1.0
    return x


def message(x, i):
    try:
        for k in range(i[0]):
            x[k, i[1], k] = 1.0
    except IndexError as error:
        raise ValueError(str(error)) from None
    return x


@pytest.mark.parametrize("f", [one_of_three, diagonal, row_of_row, stored, message])
@pytest.mark.parametrize("i", [*itertools.product([0, 1, 3, 9], [0, -4, 5], [1, 6])])
def test_an_index_out_of_range_names_axis_and_numbers(f, i):
    arguments = np.zeros((2, 3, 4)), np.array(i)
    wanted, found = outcome(f, *arguments), outcome(gw.function(f), *arguments)
    assert found == wanted


def test_a_place_behind_a_number_names_its_axis():
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 1 with size 3"):
        gw.function(one_of_two)(np.zeros((2, 3)), np.array([7]))

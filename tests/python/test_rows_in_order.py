"""Rows of arrays that `sorted`, `max` and `min` put in an order which the graph decides are parts of their arrays."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

ROWS = np.array([[3.0, 1.0], [1.0, 2.0], [2.0, 3.0]])


def first(row):
    return row[0]


def greatest(m, n):
    row = max(m, key=first)
    m[0, 1] = n
    return row * 1.0


def least(m, n):
    row = min(m, key=lambda row: -row[0])
    m[0, 1] = n
    return row * 1.0


def sorted_rows(m, n):
    rows = sorted(m, key=first)
    m[1, 1] = n
    return rows[0] + rows[2] * 10.0


def sorted_backwards(m, n):
    rows = sorted(m, key=first, reverse=True)
    m[0, 1] = n
    return rows[0] + rows[2] * 10.0


def stored_into(m, n):
    rows = sorted(m, key=first)
    rows[0][1] = n
    max(m, key=first)[0] += n
    return m * 1.0


def in_a_branch(m, n):
    rows = sorted(m, key=first)
    if n > 2:
        m[0] = n
    return rows[2] * 1.0


@pytest.mark.parametrize(
    "program", [greatest, least, sorted_rows, sorted_backwards, stored_into, in_a_branch]
)
def test_they_are_parts_of_the_array(program):
    staged = gw.function(program)
    for n in (5, 1, 7):
        expected, given = ROWS.copy(), ROWS.copy()
        result = program(expected, n)
        np.testing.assert_array_equal(staged(given, gw.constant(n, gw.int64)).numpy(), result)
        np.testing.assert_array_equal(given, expected)


def of_a_list(m, n):
    rows = sorted([m[0], m[1]], key=first)
    m[0, 1] = n
    return rows[0] + rows[1]


def of_a_list_stored_into(m, n):
    rows = sorted([m[0], m[1]], key=first)
    rows[0][1] = n
    return m


@pytest.mark.parametrize("program", [of_a_list, of_a_list_stored_into])
def test_rows_of_a_list_are_refused_behind_a_store(program):
    with pytest.raises(ValueError, match=r"GW12[12](?s:.)*test_rows_in_order\.py:\d+"):
        gw.function(program)(ROWS.copy(), gw.constant(5, gw.int64))


def test_rows_of_a_list_that_nobody_stores_into_are_ordered():
    def program(m, n):
        rows = sorted([m[0], m[1]], key=first)
        return rows[0] * n

    staged = gw.function(program)
    np.testing.assert_array_equal(staged(ROWS.copy(), gw.constant(2, gw.int64)).numpy(), program(ROWS, 2))


def test_no_row_is_the_greatest_of_none():
    with pytest.raises(ValueError, match="empty"):
        gw.function(greatest)(np.zeros((0, 2)), gw.constant(1, gw.int64))

"""NumPy's particular rules for single numbers: stores of wider integers, words of 64 bits, tensors without axes."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
VALUES = [0, 1, -1, 127, 128, -128, -129, 255, 256, 300, 2**31, -(2**31) - 1, 2**40, 2**63 - 1]


def first(q, x):
    q[0] = x[1]
    return q


def part(q, x):
    q[1:] = x[1]
    return q


def row(q, x):
    q[:] = x
    return q


def chosen(q, x):
    q[np.array([0, 2])] = x[1]
    return q


def outcome(function, *values):
    try:
        return function(*values).tolist()
    except OverflowError:
        return OverflowError


@pytest.mark.parametrize("function", [first, part, row, chosen])
@pytest.mark.parametrize("wanted", INTEGERS)
def test_single_integers_are_stored_as_numpy_stores_them(function, wanted):
    for found in ("int32", "int64", "uint8"):
        staged = gw.function(lambda q, x: function(q, x))
        for value in VALUES:
            if not np.iinfo(found).min <= value <= np.iinfo(found).max:
                continue
            x = np.array([1, value, 2], found)
            if not np.can_cast(found, wanted) and np.dtype(found).kind != np.dtype(wanted).kind == "u":
                if "64" in wanted:
                    continue
            plain = outcome(function, np.zeros(3, wanted), x)
            assert outcome(staged, np.zeros(3, wanted), x) == plain, (found, value)


def test_words_meet_any_integer_that_they_hold():
    words = np.array([1, 2**63 + 5], np.uint64)

    def mixed(u):
        return u + 2**63, u > 2**63, u ^ 14695981039346656037, u == 2**63 + 5, 2**64 - 1 - u

    for one in (mixed(gw.constant(words)), gw.function(mixed)(words)):
        for found, wanted in zip(one, mixed(words), strict=True):
            assert found.numpy().tolist() == wanted.tolist()


@pytest.mark.parametrize("value", [0, 1, 2, 2**53 + 1, 2**63, 2**64 - 1])
def test_single_words_compare_with_floats_as_python_compares(value):
    @gw.function
    def compared(u, x):
        return u[0] < x, u[0] <= x, u[0] > x, u[0] >= x, u[0] == x, u[0] != x

    for x in (
        -1.5,
        -0.5,
        0.0,
        0.5,
        1.0,
        1.5,
        float(2**53),
        float(2**63),
        float(2**64),
        np.inf,
        -np.inf,
        np.nan,
    ):
        wanted = (value < x, value <= x, value > x, value >= x, value == x, value != x)
        word = gw.constant(np.array([value], np.uint64))
        eager = word[0] < x, word[0] <= x, word[0] > x, word[0] >= x, word[0] == x, word[0] != x
        assert tuple(bool(one) for one in eager) == wanted, x
        staged = compared(np.array([value], np.uint64), gw.constant(x, gw.float64))
        assert tuple(bool(one) for one in staged) == wanted, x


def test_bounds_of_clip_are_their_nearest_ones():
    for dtype in INTEGERS:
        x = np.array([0, 1, 100], dtype)
        for low, high in ((-5, 300), (1, 2**40), (None, 50)):
            wanted = np.clip(x.astype(object), low, high).astype(dtype)
            assert np.clip(gw.constant(x), low, high).tolist() == wanted.tolist()
            assert gw.function(lambda a, low=low, high=high: a.clip(low, high))(x).tolist() == wanted.tolist()


def test_tensors_without_axes_take_a_store():
    x = gw.constant(1.0)
    x[()] = 2.0
    assert x.item() == 2.0
    x[...] = 3
    assert x.item() == 3.0
    with pytest.raises((TypeError, ValueError, IndexError)):
        x[0] = 1.0
    with pytest.raises((TypeError, ValueError)):
        x[()] = [1.0, 2.0]


def test_sorted_elements_that_a_mask_picks_are_a_list():
    def picked(x):
        found = sorted(x[x > 1.5])
        found.append(9.0)
        return found

    def least(x):
        found = sorted(x[x > 1.5], reverse=True)
        return found[0], len(found)

    x = np.array([3.0, 1.0, 2.0, 5.0])
    assert [float(one) for one in gw.function(picked)(x)] == picked(x)
    assert [float(one) for one in gw.function(least)(x)] == list(least(x))


def test_jacobians_of_unknown_lengths_say_so():
    with pytest.raises(ValueError, match=r"(?s)GW204: .*length.*ensure_shape"):
        gw.jacobian(lambda x: x[x > 1.5])(gw.constant([1.0, 2.0, 3.0]))
    known = gw.jacobian(lambda x: gw.ensure_shape(x[x > 1.5] ** 2, [2]))(gw.constant([1.0, 2.0, 3.0]))
    assert known.numpy().tolist() == [[0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]


@pytest.mark.parametrize(
    ("function", "array"),
    [
        (np.trapezoid if hasattr(np, "trapezoid") else np.trapz, np.array([200, 100], np.uint8)),
        (np.trapezoid if hasattr(np, "trapezoid") else np.trapz, np.array([100, 100, 3], np.int8)),
        (np.unwrap, np.array([1, -128, 5], np.int8)),
        (np.unwrap, np.array([1, 200, 5], np.uint8)),
        (np.unwrap, np.array([0.0, 7.0, 1.0])),
        (np.vander, np.array([4294967294, 3], np.uint32)),
        (np.vander, np.array([3, 5], np.uint64)),
        (np.nanvar, np.array([np.inf, 1.0, np.nan, 2.0])),
        (np.nanstd, np.array([np.nan, 1.0, 4.0])),
    ],
)
def test_functions_wrap_and_widen_as_numpy_does(function, array):
    staged = gw.function(lambda x: function(x))
    with np.errstate(all="ignore"):
        wanted = function(array)
    for found in (function(gw.constant(array)), staged(array), staged(array)):
        assert np.asarray(found).dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted)

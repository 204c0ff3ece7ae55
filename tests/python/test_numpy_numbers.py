"""NumPy's functions on tensors give NumPy's dtypes and fail where NumPy's fail."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphwright as gw
from three_ways import check


def truths(a, b):
    return np.logical_and(a, b), np.logical_or(a, b), np.logical_xor(a, b), np.logical_not(a)


INTEGERS = np.array([0, 1, 2, 3]), np.array([4, 2, 0, 5])


def test_logical_functions_of_numbers_ask_for_truths():
    check(truths, *INTEGERS)
    check(truths, np.array([0.0, 0.5, math.nan]), np.array([0, 2, 0]))
    check(truths, np.array([True, False]), np.array([3, 4]))
    a, b = map(gw.constant, INTEGERS)
    for found in truths(a, b):
        assert found.dtype == gw.bool
    np.testing.assert_array_equal(gw.logical_and(a, b), np.logical_and(*INTEGERS))


def folded(a):
    return np.sum(a), np.prod(a), np.sum(a, axis=0), np.sum(a, 1, keepdims=True), np.prod(a, -1)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64, np.bool_])
def test_sums_have_numpys_dtype(dtype):
    a = np.array([[1, 2], [3, 4]]).astype(dtype)
    given = gw.constant(a)
    for call in (folded, gw.function(folded)):
        for found, wanted in zip(call(given), folded(a), strict=True):
            assert found.dtype.as_numpy_dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


def test_a_sum_of_32_bit_integers_has_64_bits():
    a = np.full(3, 2**31 - 1, np.int32)
    assert gw.function(lambda a: np.sum(a))(gw.constant(a)).numpy() == 3 * (2**31 - 1)
    assert gw.function(lambda a: np.sum(a, dtype=np.float64))(gw.constant(a)).numpy() == 3.0 * (2**31 - 1)


def extremes(a):
    return np.max(a), np.min(a)


def along(a):
    return np.max(a, axis=1), np.min(a, axis=1)


@pytest.mark.parametrize("program", [extremes, along])
@pytest.mark.parametrize("shape", [(2, 3), (2, 0), (0, 3), (0, 0)])
def test_no_extreme_of_no_elements(program, shape):
    a = np.ones(shape)
    check(program, a)
    graph = gw.function(program, input_signature=[gw.TensorSpec([None, None], gw.float64)])
    for call in (graph, program):
        try:
            wanted = program(a)
        except ValueError:
            with pytest.raises(ValueError, match="zero-size array to reduction"):
                call(gw.constant(a))
        else:
            for found, want in zip(call(gw.constant(a)), wanted, strict=True):
                np.testing.assert_array_equal(found, want)


def ordered(values):
    return sorted(values)


def ordered_list(values):
    kept = []
    for v in values:
        kept.append(v)
    kept.sort()
    return kept


@pytest.mark.parametrize("program", [ordered, ordered_list])
def test_nan_is_not_sorted(program):
    check(program, np.array([3.0, math.inf, -1.0]))
    with pytest.raises(ValueError, match="NaN has no order"):
        gw.function(program)(gw.constant([3.0, math.nan, 1.0]))


def test_ranges_are_as_wide_as_their_numbers():
    wide = 2**40
    for ranged in (gw.range, gw.function(gw.range)):
        found = ranged(wide, wide + 3)
        assert found.dtype == gw.int64
        np.testing.assert_array_equal(found, np.arange(wide, wide + 3))
        np.testing.assert_array_equal(
            ranged(gw.constant(1), gw.constant(wide, gw.int64), 2**39), [1, 1 + 2**39]
        )
        np.testing.assert_array_equal(ranged(gw.constant(1), 3, 0.5), [1.0, 1.5, 2.0, 2.5])
    assert gw.range(3).dtype == gw.int32


def test_equal_distances_are_as_exact_as_their_ends():
    np.testing.assert_array_equal(gw.linspace(0, 2**40, 5), np.linspace(0, 2**40, 5))
    stop = gw.constant(2.0**40 + 1, gw.float64)
    found = gw.function(lambda stop: gw.linspace(0.0, stop, 3))(stop)
    assert found.dtype == gw.float64
    np.testing.assert_array_equal(found, [0.0, 2.0**39 + 0.5, 2.0**40 + 1])
    assert gw.linspace(0.0, 1.0, 3).dtype == gw.float32
    np.testing.assert_allclose(
        gw.linspace(gw.constant([0.0, 1.0]), 2, 3), [[0.0, 1.0], [1.0, 1.5], [2.0, 2.0]]
    )


@pytest.mark.parametrize("function", [np.cumsum, np.cumprod])
@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": -1}, {"dtype": np.int32}])
def test_running_sums_and_products(function, options):
    m = np.arange(1, 7, dtype=np.int32).reshape(2, 3)
    native = function(m, **options)
    graph = gw.function(lambda m: function(m, **options))
    for found in (function(gw.constant(m), **options), graph(m), graph(gw.constant(m))):
        assert found.dtype.as_numpy_dtype == native.dtype
        np.testing.assert_array_equal(found, native)


@pytest.mark.parametrize("captures", [lambda function: function, gw.function])
def test_a_running_sum_of_what_is_watched_is_derived(captures):
    x = gw.constant([1.0, 2.0, 3.0])
    with gw.GradientTape() as tape:
        tape.watch(x)
        y = captures(lambda: np.cumsum(x))()
    np.testing.assert_array_equal(tape.gradient(y, x), [3.0, 2.0, 1.0])


def test_arguments_of_numpys_alone_are_not_left_out():
    def greatest(v):
        try:
            return np.max(v, initial=5)
        except TypeError:
            return v[0]

    v = np.array([3.0, 1.0])
    assert np.max(gw.constant(v), initial=5) == greatest(v) == 5
    assert gw.function(greatest)(v) == 5


class Summed(np.ndarray):
    def sum(self):
        return 5.0


def test_an_array_with_a_method_of_its_own_is_refused():
    array = np.arange(3.0).view(Summed)
    for call in (lambda: gw.function(lambda v: v.sum() + 1.0)(array), lambda: gw.sin(array)):
        with pytest.raises(TypeError, match=r"GW301: a `Summed` cannot become a tensor: its class has `sum`"):
            call()

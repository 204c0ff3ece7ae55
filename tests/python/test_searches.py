"""Searches and masks, whose results have lengths that are known when the graph runs, give what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

SEARCHES = {
    "nonzero": np.nonzero,
    "flatnonzero": lambda x: np.flatnonzero(x > 1),
    "argwhere": lambda x: np.argwhere(x > 1),
    "where of one": lambda x: np.where(x > 1),
    "where of three": lambda x: np.where(x > 1, x, 0),
    "compress": lambda x: np.compress(np.array([True, False, True]), x, axis=0),
    "extract": lambda x: np.extract(x > 1, x),
    "unique": np.unique,
    "unique, all": lambda x: np.unique(x, return_index=True, return_inverse=True, return_counts=True),
    "mask": lambda x: x[x > 1],
    "sum of a mask": lambda x: np.sum(x[x > 1]),
}
SHAPES = ((5,), (3, 4), (3, 0), (3, 2, 2))
DTYPES = ("float32", "int64", "uint8", "float64", "int8")


def array(shape, dtype):
    """Small numbers, and NaN among floats of single precision."""
    x = np.random.default_rng(len(shape)).integers(0, 4, shape).astype(dtype)
    if dtype == "float32" and x.size:
        x.flat[0] = np.nan
    return x


def assert_same(wanted, found):
    """Same arrays of the same dtypes and shapes."""
    wanted, found = (one if isinstance(one, tuple) else (one,) for one in (wanted, found))
    assert len(wanted) == len(found)
    for one, other in zip(wanted, map(np.asarray, found), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SEARCHES)
def test_searches_are_numpys(name, dtype):
    search = SEARCHES[name]
    staged = gw.function(search)
    for shape in SHAPES:
        x = array(shape, dtype)
        wanted = search(x)
        assert_same(wanted, search(gw.constant(x)))
        for _ in range(2):
            assert_same(wanted, staged(gw.constant(x)))


def test_masks_pass_gradients_in_loops():
    @gw.function
    def total(x):
        t = 0.0
        for i in gw.range(3):
            t += gw.reduce_sum(x[x > gw.cast(i, gw.float32)])
        return t

    x = gw.constant([0.5, 1.5, 2.5, 3.5])
    with gw.GradientTape() as tape:
        tape.watch(x)
        y = total(x)
    assert y.numpy() == 21.5
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 2.0, 3.0, 3.0]


def test_stores_through_masks():
    @gw.function
    def changed(v, w):
        v[v > 2] += 1
        v[w] = v[w] * 10
        return v

    v, w = np.array([3, 1, 2, 4]), np.array([True, False, True, False])
    expected = v.copy()
    expected[expected > 2] += 1
    expected[w] = expected[w] * 10
    assert changed(gw.constant(v), gw.constant(w)).numpy().tolist() == expected.tolist()


def test_where_gives_positions():
    assert gw.where(gw.constant([[0, 3], [5, 0]])).numpy().tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="both `x` and `y`, or neither"):
        gw.where([True], 1)
    with pytest.raises(ValueError, match="no positions"):
        gw.where(gw.constant(1))


def test_boolean_mask():
    x = np.arange(12).reshape(2, 3, 2)
    mask = np.array([True, False, True])
    for axis in (1, -2):
        np.testing.assert_array_equal(gw.boolean_mask(x, mask, axis=axis).numpy(), x[:, mask])
    np.testing.assert_array_equal(gw.boolean_mask(x, x[:, :, 0] > 2).numpy(), x[x[:, :, 0] > 2])
    with pytest.raises(ValueError, match="one axis at least"):
        gw.boolean_mask(x, True)


@pytest.mark.parametrize("mask", [[True, False], [True] * 4])
def test_masks_of_other_lengths_are_refused(mask):
    x = gw.constant([1, 2, 3])
    with pytest.raises(IndexError, match="does not fit"):
        x[gw.constant(mask)]
    masked = gw.function(
        lambda x, m: x[m], input_signature=[gw.TensorSpec([None], gw.int32), gw.TensorSpec([None], gw.bool)]
    )
    with pytest.raises(IndexError, match="does not fit"):
        masked(x, gw.constant(mask))


@pytest.mark.parametrize("length", [0, 1, 2, 3, 7, 8, 9])
@pytest.mark.parametrize("dtype", ["float64", "int32", "uint8"])
def test_places_in_rows_of_every_length(length, dtype):
    """Values before, between, equal to and behind the elements, NaN among them, in rows with equal elements."""
    row = np.sort(np.arange(length) // 2 * 2 + 1).astype(dtype)
    values = np.arange(length + 3).astype(dtype).reshape(1, -1)
    if dtype == "float64" and length:
        row[-1] = values[0, -1] = np.nan

    @gw.function
    def places(row, values):
        return np.searchsorted(row, values), np.searchsorted(row, values, side="right")

    wanted = tuple(np.searchsorted(row, values, side=side) for side in ("left", "right"))
    assert_same(wanted, places(gw.constant(row), gw.constant(values)))


@pytest.mark.parametrize("numbers", [[], [0], [3, 0, 3, 1], list(range(70, 0, -1))])
def test_counts_of_numbers(numbers):
    """Counts of few numbers, of none, and of as many as are taken in lanes; a negative number is refused."""
    numbers = np.array(numbers, np.int64)

    @gw.function
    def counts(numbers):
        return np.bincount(numbers)

    assert_same(np.bincount(numbers), counts(gw.constant(numbers)))
    assert gw.math.bincount(gw.constant(numbers)).numpy().tolist() == np.bincount(numbers).tolist()
    with pytest.raises(gw.errors.InvalidArgumentError, match="negative"):
        gw.math.bincount(gw.constant([*numbers.tolist(), -1]))


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_counts_of_long_rows(dtype):
    """Counts of one number, of each in turn and of numbers in any order, of rows that do and do not fill registers."""
    for length in (63, 64, 1001, 5000):
        for numbers in (np.full(length, 7), np.arange(length) % 100, np.arange(length) * 37 % 101):
            found = gw.math.bincount(gw.constant(numbers.astype(dtype)), dtype=gw.int64)
            assert_same(np.bincount(numbers), found)
            assert_same(np.bincount(numbers) != 0, gw.math.bincount(numbers, binary_output=True) == 1)

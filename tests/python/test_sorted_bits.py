"""Sorting moves elements and changes no bit: numbers next to zero, zeros of both signs, and NaNs with bits of their own."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw


def rows(dtype):
    """Rows with few and many numbers next to zero, zeros of both signs, and NaNs with bits of their own."""
    rng = np.random.default_rng(11)
    bits = {2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]
    sign = np.array(1, bits) << bits(8 * np.dtype(dtype).itemsize - 1)
    nan = np.array(np.nan, dtype).view(bits)
    pool = np.array([0, 1, 2, 5, sign, sign + bits(1), sign + bits(9), nan, nan + bits(3)], bits)
    for count in [1, 2, 3, 8, 17, 64, 100, 700, 2500]:
        for share in [0.0, 0.1, 1.0]:
            row = rng.standard_normal(count).astype(dtype).view(bits)
            yield np.where(rng.random(count) < share, rng.choice(pool, count), row).view(dtype)
        lone = np.zeros(count, bits)
        lone[rng.integers(count)] = 1
        yield lone.view(dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_sorting_moves_bits(dtype):
    ordered = gw.function(np.sort, reduce_retracing=True)
    places = gw.function(lambda x: np.argsort(x, kind="stable"), reduce_retracing=True)
    for row in rows(dtype):
        wanted = np.argsort(row, kind="stable")
        for x in (row, np.stack([row, row[::-1]], 1)[:, 0]):
            assert np.array_equal(np.asarray(places(x)), wanted)
            assert np.asarray(ordered(x)).tobytes() == row[wanted].tobytes()

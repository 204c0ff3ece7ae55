"""Ranges of floats: as many numbers as steps begin below the limit, eagerly and in graphs, as TensorFlow and NumPy count them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphwright as gw

#: Ends and steps, with the numbers in single precision.
RANGES = [
    ((1.0, 0.0, -0.25), [1.0, 0.75, 0.5, 0.25]),
    ((0.0, 1.0, 0.25), [0.0, 0.25, 0.5, 0.75]),
    ((3.0,), [0.0, 1.0, 2.0]),
    ((3.5,), [0.0, 1.0, 2.0, 3.0]),
    ((0, 2, 0.5), [0.0, 0.5, 1.0, 1.5]),
    ((0.0, 0.3, 0.1), [0.0, 0.1, 0.2]),
    ((0.0, 1.0, -1.0), []),
]


@pytest.mark.parametrize(("ends", "wanted"), RANGES)
def test_ranges_of_floats(ends, wanted):
    expected = np.array(wanted, np.float32)
    tensors = [gw.constant(float(one)) for one in ends]
    for found in (
        gw.range(*ends),
        gw.function(lambda: gw.range(*ends))(),
        gw.function(lambda *ends: gw.range(*ends))(*tensors),
    ):
        assert found.dtype == gw.float32
        np.testing.assert_array_equal(found.numpy(), expected)
    # A tenth in half precision is another number, which fits three tenths once more.
    for dtype in (gw.float64,) if 0.1 in ends else (gw.float16, gw.bfloat16, gw.float64):
        found = gw.range(*(gw.cast(one, dtype) for one in ends))
        assert found.dtype == dtype
        np.testing.assert_allclose(gw.cast(found, gw.float64).numpy(), wanted, rtol=1e-2)


@pytest.mark.parametrize("ends", [(0.1, 0.9, 0.013), (0.0, 4000.0, 1.5), (0.0, 1.0, 0.1), (3.0, -7.0, -0.07)])
def test_ranges_of_half_precision_round_each_step(ends):
    start, stop, step = (np.float16(one) for one in ends)
    count = math.ceil(np.float16(stop - start) / step)
    wanted = np.array([start + np.float16(i) * step for i in range(count)], np.float16)
    for found in (
        gw.range(*ends, dtype=gw.float16),
        gw.function(lambda: gw.range(*ends, dtype=gw.float16))(),
    ):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "ends",
    [(0, 1, 0.1), (0.0, 3.0, 0.3), (10, 0, -1.5), (2, 9), (0, 3000, 3), (0.1, 0.9, 0.013), (0, 5, 0.5)],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, None])
def test_ranges_are_numpys_in_any_dtype(ends, dtype):
    wanted = np.arange(*ends, dtype=dtype)
    assert np.array_equal(gw.function(lambda: np.arange(*ends, dtype=dtype))(), wanted)
    found = gw.function(lambda *ends: np.arange(*ends, dtype=dtype))(*map(np.asarray, ends))
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


def test_ranges_without_an_end_are_refused():
    staged = gw.function(lambda limit, step: gw.range(0.0, limit, step))
    for call in (lambda limit, step: gw.range(0.0, limit, step), staged):
        with pytest.raises(ValueError, match="step of a range must not be zero"):
            call(gw.constant(1.0), gw.constant(0.0))
        for limit in (math.inf, math.nan):
            with pytest.raises(ValueError, match="no end"):
                call(gw.constant(limit), gw.constant(1.0))


def test_loops_over_ranges_of_floats():
    @gw.function
    def total(n):
        found = 0.0
        for x in gw.range(0.0, n, 0.5):
            found += x
        return found

    assert total(gw.constant(2.0)).numpy() == 3.0


@pytest.mark.parametrize("step", [0.5, 0.1, -0.25, 0.3])
def test_numpys_ranges_of_floats(step):
    def numbers(n, step):
        return np.arange(1.0, n, step)

    for n in (0.0, 1.0, 2.0, 7.3, -4.0):
        found = gw.function(numbers)(gw.constant(n, gw.float64), gw.constant(step, gw.float64))
        np.testing.assert_array_equal(found.numpy(), numbers(n, step))
    with pytest.raises(ZeroDivisionError):
        gw.function(numbers)(gw.constant(2.0, gw.float64), gw.constant(0.0, gw.float64))


def test_derivatives_of_ranges_of_floats():
    start, step = gw.constant(1.0), gw.constant(0.5)
    with gw.GradientTape() as tape:
        tape.watch([start, step])
        total = gw.reduce_sum(gw.range(start, 3.0, step))
    assert [one.numpy() for one in tape.gradient(total, [start, step])] == [4.0, 6.0]

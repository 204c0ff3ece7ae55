"""Positions of elements, `argsort`, `argmax`, `argmin`: rows and columns of many lengths against NumPy's."""

import numpy as np
import pytest

import graphwright as gw

SHAPES = [(1,), (63,), (64,), (2999,), (3001,), (5000,), (3, 70), (70, 3), (65, 130), (2, 66, 5), (2, 3, 100)]
DTYPES = ["float32", "float64", "int32", "int64", "uint8", "float16"]


def _array(shape, dtype, kind):
    choose = np.random.default_rng([len(shape), shape[0], len(kind)])
    if kind == "few":
        return choose.integers(0, 5, shape).astype(dtype)
    x = choose.normal(size=shape) * 50.0
    if dtype.startswith("float"):
        x[choose.random(shape) < 0.02] = np.nan if kind == "nan" else -0.0
    return np.abs(x).astype(dtype) if dtype == "uint8" else x.astype(dtype)


@pytest.mark.parametrize("kind", ["few", "nan", "real"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_positions_are_those_of_numpy(dtype, kind):
    @gw.function(reduce_retracing=True)
    def staged(x, axis):
        return gw.argsort(x, axis=axis, stable=True), gw.argmax(x, axis=axis), gw.argmin(x, axis=axis)

    for shape in SHAPES:
        x = _array(shape, dtype, kind)
        for axis in range(len(shape)):
            wanted = [np.argsort(x, axis, kind="stable"), np.argmax(x, axis), np.argmin(x, axis)]
            eager = [
                gw.argsort(gw.constant(x), axis=axis, stable=True),
                gw.argmax(x, axis=axis),
                gw.argmin(x, axis=axis),
            ]
            for found in (eager, staged(x, axis)):
                for one, other in zip(found, wanted, strict=True):
                    np.testing.assert_array_equal(one, other, f"{shape} along {axis}")


@pytest.mark.parametrize("step", [1, -1, 3])
def test_positions_of_slices(step):
    @gw.function
    def staged(x):
        return gw.argmax(x[:, ::step], axis=1), gw.argmax(x[::step], axis=0), gw.argsort(x[::step, 5])

    x = np.random.default_rng(1).normal(size=(200, 150)).astype(np.float32)
    wanted = np.argmax(x[:, ::step], 1), np.argmax(x[::step], 0), np.argsort(x[::step, 5], kind="stable")
    for _ in range(2):
        for one, other in zip(staged(x), wanted, strict=True):
            np.testing.assert_array_equal(one, other)

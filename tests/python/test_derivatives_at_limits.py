"""Derivatives at limits: far from zero, and of nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphwright as gw


@pytest.mark.parametrize("dtype", [gw.float32, gw.float64])
def test_sigmoid_and_softplus_far_from_zero(dtype):
    narrow = np.float32 if dtype == gw.float32 else np.float64
    tiny = float(np.finfo(narrow).tiny)
    for x in (-1000.0, -700.0, -300.0, -100.0, -87.0, -50.0, -1.0, 0.0, 1.0, 50.0, 100.0, 1000.0):
        e = math.exp(-abs(x))
        low, high = e / (1 + e), 1 / (1 + e)
        sigmoid = high if x > 0 else low
        wanted = {
            gw.sigmoid: (sigmoid, low * high, low * high * (1 - 2 * sigmoid)),
            gw.nn.softplus: (max(x, 0.0) + math.log1p(e), sigmoid, low * high),
        }
        for call, values in wanted.items():
            found = call, gw.grad(call), gw.grad(gw.grad(call))
            for one, value in zip(found, values, strict=True):
                got = float(one(gw.constant(x, dtype)))
                assert abs(got - value) <= 2e-6 * abs(value) + tiny, (call, x, got, value)


def test_jacobians_of_nothing_are_empty():
    none, some = gw.zeros([0], gw.float64), gw.ones([5], gw.float64)
    assert gw.jacobian(lambda x: x * 2.0)(none).shape == (0, 0)
    assert gw.jacobian(lambda x: x[:0] * 2.0)(some).shape == (0, 5)
    assert gw.hessian(lambda x: gw.reduce_sum(x * x))(none).shape == (0, 0)
    with gw.GradientTape(persistent=True) as tape:
        tape.watch((none, some))
        both = some[:0] * 2.0
        columns = gw.reshape(some, [5, 1])[:, :0] * 3.0
    assert tape.jacobian(both, some).shape == (0, 5)
    assert tape.jacobian(both, none) is None
    assert tape.jacobian(both, [none, some], "zero")[0].shape == (0, 0)
    assert tape.batch_jacobian(columns, some).shape == (5, 0)
    with gw.GradientTape(persistent=True) as tape:
        rows = gw.zeros([0, 3], gw.float64)
        tape.watch(rows)
        doubled = rows * 2.0
    assert tape.batch_jacobian(doubled, rows).shape == (0, 3, 3)


@pytest.mark.parametrize("x", [-0.9, -0.3, 0.0, 0.4, 0.8])
def test_inverse_sines_and_the_hyperbolic_one(x):
    wanted = {
        gw.math.asin: (1 - x * x) ** -0.5,
        gw.math.acos: -((1 - x * x) ** -0.5),
        gw.math.sinh: math.cosh(x),
    }
    for call, value in wanted.items():
        assert float(gw.grad(call)(gw.constant(x, gw.float64))) == pytest.approx(value, rel=1e-14)

"""`gw.vmap`: what a function does for one row, done for each."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

RANDOM = np.random.default_rng(3)


def steps(x, limit):
    """Branches and a loop that each row decides for itself."""
    count = 0
    while gw.reduce_sum(x * x) < limit:
        x = x * 1.5 if x[0] > 0 else x - 1.0
        count += 1
    return x, count


@pytest.mark.parametrize("rows", [1, 5])
def test_each_row_decides_for_itself(rows):
    xs = RANDOM.normal(size=(rows, 3))
    limits = RANDOM.uniform(5, 50, rows)
    found, counts = gw.vmap(steps)(gw.constant(xs), gw.constant(limits))
    for at in range(rows):
        x, count = gw.function(steps)(gw.constant(xs[at]), gw.constant(limits[at]))
        assert np.array_equal(found[at], x)
        assert counts[at].item() == int(count)


def test_axes_and_structures():
    def mixed(point, factor):
        return {"sum": gw.reduce_sum(point["x"]) * factor, "both": (point["x"] * factor, point["y"])}

    point = {"x": gw.constant(RANDOM.normal(size=(2, 4))), "y": gw.constant(RANDOM.normal(size=(3, 4)))}
    found = gw.vmap(mixed, in_axes=(1, None), out_axes=-1)(point, 2.0)
    assert np.allclose(found["sum"], point["x"].numpy().sum(0) * 2)
    assert np.allclose(found["both"][0], point["x"].numpy() * 2)
    assert np.allclose(found["both"][1], point["y"].numpy())
    assert gw.vectorized_map(lambda x: x * x, gw.constant([1.0, 2.0, 3.0])).numpy().tolist() == [
        1.0,
        4.0,
        9.0,
    ]


def test_with_derivatives():
    xs = gw.constant(RANDOM.uniform(0.5, 2.0, (4, 3)))

    def energy(x):
        y = gw.reduce_sum(x)
        while y < 10.0:
            y = y * y + gw.reduce_prod(x)
        return y

    each = gw.vmap(gw.grad(energy))(xs)
    for at in range(4):
        assert np.allclose(each[at], gw.grad(energy)(xs[at]), rtol=1e-12)
    whole = gw.grad(lambda xs: gw.reduce_sum(gw.vmap(energy)(xs)))(xs)
    assert np.allclose(whole, each, rtol=1e-12)


def test_rows_that_do_not_fit():
    with pytest.raises(ValueError, match=r"the mapped axes have lengths \[2, 3\]; they must have one"):
        gw.vmap(lambda x, y: x + y)(gw.zeros(2), gw.zeros(3))
    with pytest.raises(ValueError, match="arrays of one argument have"):
        gw.vmap(lambda x: x[0])((gw.zeros(2), gw.zeros(3)))

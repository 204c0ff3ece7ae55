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


def scaled(row):
    return {"row": row * 2.0, "sums": (gw.reduce_sum(row), row[0] if row[0] > 0.5 else row[1])}


@pytest.mark.parametrize("rows", [0, 1, 2, 5])
def test_a_number_of_rows_that_is_known_only_when_the_graph_runs(rows):
    xs = RANDOM.uniform(0, 1, (rows, 3))
    of_any = gw.function(
        lambda xs: gw.vmap(scaled)(xs), input_signature=[gw.TensorSpec([None, 3], gw.float64)]
    )
    for found in (gw.vmap(scaled)(gw.constant(xs)), of_any(gw.constant(xs))):
        assert np.allclose(found["row"], xs * 2.0)
        assert np.allclose(found["sums"][0], xs.sum(1))
        assert np.allclose(found["sums"][1], np.where(xs[:, 0] > 0.5, xs[:, 0], xs[:, 1]))


@pytest.mark.parametrize("rows", [0, 3])
def test_derivatives_of_any_number_of_rows(rows):
    xs = gw.constant(RANDOM.uniform(0, 1, rows))

    def total(xs):
        return gw.reduce_sum(gw.vmap(lambda x: x * x * x)(xs))

    of_any = gw.function(gw.grad(total), input_signature=[gw.TensorSpec([None], gw.float64)])
    for slope in (gw.grad(total)(xs), of_any(xs), gw.vmap(gw.grad(lambda x: x * x * x))(xs)):
        assert np.allclose(slope, 3 * xs.numpy() ** 2)


def test_no_row_runs_the_function_not_once():
    def raises(x):
        assert gw.reduce_sum(x) > 0, "no row is summed"
        return x

    assert gw.vmap(raises)(gw.zeros([0, 2])).shape == (0, 2)
    with pytest.raises(AssertionError, match="no row is summed"):
        gw.vmap(raises)(gw.zeros([1, 2]))


def test_arguments_of_other_numbers_of_rows():
    def product(x, y):
        return x * y

    with pytest.raises(ValueError, match=r"the mapped axes have lengths \[2, 3\]"):
        gw.vmap(product)(gw.zeros([2]), gw.zeros([3]))
    any_rows = gw.TensorSpec([None])
    mapped = gw.function(lambda x, y: gw.vmap(product)(x, y), input_signature=[any_rows, any_rows])
    assert mapped(gw.ones([2]), gw.ones([2])).numpy().tolist() == [1.0, 1.0]
    for lengths in ([2], [3]), ([3], [2]):
        with pytest.raises(gw.errors.InvalidArgumentError, match="the mapped axes have several lengths"):
            mapped(*map(gw.ones, lengths))

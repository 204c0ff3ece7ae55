"""Functions of NumPy on tensors that a tape watches: they have a derivative, or the tape says that it does not see them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphwright as gw

VALUES = np.array([1.0, 2.0, 4.0, 3.0])

SEEN = {
    "sum": np.sum,
    "mean": np.mean,
    "sin": lambda v: np.sin(v)[1],
    "cumsum": lambda v: np.cumsum(v)[2],
    "concatenate": lambda v: np.concatenate([v, v])[5],
    "where": lambda v: np.where(v > 1.5, v, 0.0)[1],
    "matmul": lambda v: np.matmul(v, v),
    "array times": lambda v: (VALUES * v)[1],
    "dot": lambda v: np.dot(v, v),
    "diff": lambda v: np.diff(v)[1],
    "sort": lambda v: np.sort(v)[2],
    "tile": lambda v: np.tile(v, 2)[5],
    "einsum": lambda v: np.einsum("i,i->", v, v),
    "roll": lambda v: np.roll(v, 1)[0],
    "pad": lambda v: np.pad(v, 1)[1],
    "std": np.std,
    "var": np.var,
    "norm": np.linalg.norm,
    "vstack": lambda v: np.vstack([v, v])[0, 0],
    "hypot": lambda v: np.hypot(v, v[::-1])[0],
    "keyword": lambda v: np.sort(a=v)[0],
    "median": np.median,
    "cbrt": lambda v: np.cbrt(v)[3],
    "log2": lambda v: np.log2(v)[1],
    "sinh": lambda v: np.sinh(v)[0],
    "outer": lambda v: np.outer(v, v)[0, 2],
    "clip": lambda v: np.clip(v, 1.5, 3.5)[1],
    "split": lambda v: np.split(v, 2)[0][0],
    "reduce": np.add.reduce,
    "kron": lambda v: np.kron(v, v)[1],
    "insert": lambda v: np.insert(v, 1, 7.0)[0],
    "interp": lambda v: np.interp(1.5, VALUES, v),
    "average": lambda v: np.average(v, weights=VALUES),
    "quantile": lambda v: np.quantile(v, 0.3),
    "nanmedian": np.nanmedian,
    "cov": lambda v: np.cov(v, v * v)[0, 1],
    "gradient": lambda v: np.gradient(v)[1],
    "convolve": lambda v: np.convolve(v, v)[3],
    "polyval": lambda v: np.polyval(v, 1.5),
    "trapezoid": lambda v: np.trapezoid(v * v),
    "delete": lambda v: np.delete(v, 1)[1],
    "take_along_axis": lambda v: np.take_along_axis(v, np.array([3]), 0)[0],
    "select": lambda v: np.select([v > 2.5], [v * v])[2],
    "piecewise": lambda v: np.piecewise(v, [v > 2.5], [lambda p: p * p, 0.0])[3],
    "logaddexp": lambda v: np.logaddexp(v, 1.5)[0],
    "det": lambda v: np.linalg.det(np.reshape(v, (2, 2))),
    "slogdet": lambda v: np.linalg.slogdet(np.reshape(v, (2, 2)))[1],
    "inv": lambda v: np.linalg.inv(np.reshape(v, (2, 2)))[0, 1],
    "solve": lambda v: np.linalg.solve(np.reshape(v, (2, 2)), np.ones(2))[0],
    "pinv": lambda v: np.linalg.pinv(np.reshape(v, (2, 2)))[0, 1],
    "lstsq": lambda v: np.linalg.lstsq(np.reshape(v, (4, 1)), VALUES, rcond=None)[0][0],
    "nuclear norm": lambda v: np.linalg.norm(np.reshape(v, (2, 2)), "nuc"),
    "matrix_power": lambda v: np.linalg.matrix_power(np.reshape(v, (2, 2)), 3)[0, 0],
    "sinc": lambda v: np.sinc(v / 3.0)[1],
    "i0": lambda v: np.i0(v)[3],
    "linspace": lambda v: np.linspace(v[0], v[1], 5)[2],
    "unwrap": lambda v: np.unwrap(v)[2],
    "maximum.accumulate": lambda v: np.maximum.accumulate(v)[3],
    "sum where": lambda v: np.sum(v, where=VALUES > 1.5),
}

UNSEEN = {
    "roots": (np.roots, "functions of `gw`"),
    "quantile": (lambda v: np.quantile(v, 0.5, method="inverted_cdf"), "functions of `gw`"),
    "pad": (lambda v: np.pad(v, 1, mode="reflect", reflect_type="odd")[0], "gw.pad"),
}

WITHOUT_DERIVATIVE = {
    "argsort": np.argsort,
    "argmax": np.argmax,
    "shape": np.shape,
    "allclose": lambda v: np.allclose(v, v),
    "isnan": np.isnan,
    "array_equal": lambda v: np.array_equal(v, v),
}


def made(kind):
    return gw.Variable(VALUES) if kind == "variable" else gw.constant(VALUES)


def slope(function, at):
    step = np.zeros(4)
    step[at] = 1e-6
    return (float(function(VALUES + step)) - float(function(VALUES - step))) / 2e-6


@pytest.mark.parametrize("kind", ["tensor", "variable"])
@pytest.mark.parametrize("name", SEEN)
def test_what_the_tape_sees_has_a_derivative(name, kind):
    v = made(kind)
    with gw.GradientTape() as tape:
        if kind == "tensor":
            tape.watch(v)
        y = SEEN[name](v)
    found = tape.gradient(y, v)
    assert np.allclose(found.numpy(), [slope(SEEN[name], at) for at in range(4)], atol=1e-5)


@pytest.mark.parametrize("name", SEEN)
def test_it_has_the_same_derivative_in_a_graph(name):
    found = gw.grad(lambda v: SEEN[name](v))(gw.constant(VALUES))
    assert np.allclose(found.numpy(), [slope(SEEN[name], at) for at in range(4)], atol=1e-5)


@pytest.mark.parametrize("kind", ["tensor", "variable"])
@pytest.mark.parametrize("name", UNSEEN)
def test_what_the_tape_does_not_see_is_refused(name, kind):
    (function, remedy), v = UNSEEN[name], made(kind)
    with gw.GradientTape() as tape:
        if kind == "tensor":
            tape.watch(v)
        with pytest.raises(ValueError, match=r"(?s)GW124: .* of NumPy .*test_numpy_under_tapes") as caught:
            function(v)
        assert remedy in str(caught.value)
        plain = function(v.numpy())
        with tape.stop_recording():
            assert np.allclose(function(v), plain)
    assert np.allclose(function(v), plain)
    with gw.GradientTape() as tape:
        tape.watch(gw.constant(1.0))
        assert np.allclose(function(gw.constant(VALUES)), plain)


@pytest.mark.parametrize("name", WITHOUT_DERIVATIVE)
def test_what_has_no_derivative_is_numpys(name):
    v = made("tensor")
    with gw.GradientTape() as tape:
        tape.watch(v)
        found = WITHOUT_DERIVATIVE[name](v)
    assert np.array_equal(found, WITHOUT_DERIVATIVE[name](VALUES))


@pytest.mark.parametrize("name", UNSEEN)
def test_a_derivative_of_the_function_is_refused_too(name):
    function, _ = UNSEEN[name]
    with pytest.raises(TypeError, match="GW108"):
        gw.grad(lambda v: function(v))(gw.constant(VALUES))


def into_numbers(v):
    w = np.zeros(2)
    w[0] = v[1] * v[1]
    return w[0] * 2.0


def into_a_row(v):
    w = np.zeros((2, 4))
    w[1, :] = v * 2.0
    return w[1, 2]


def into_a_slice(v):
    w = np.zeros(4)
    w[:] = v
    return w[3]


def added(v):
    w = np.ones(4)
    w[2] += v[2]
    return w[2]


@pytest.mark.parametrize("function", [into_numbers, into_a_row, into_a_slice, added])
def test_a_store_into_an_array_of_numpy_leaves_no_tape_in_silence(function):
    v = gw.constant(VALUES)
    assert float(function(v)) == float(function(VALUES))
    with gw.GradientTape() as tape:
        tape.watch(v)
        with pytest.raises(ValueError, match=r"GW124|setting an array element") as raised:
            function(v)
    # NumPy puts an error of its own in front of what a single element raises.
    said = str(raised.value.__cause__ or raised.value)
    assert said.startswith("GW124")
    assert "test_numpy_under_tapes.py:" in said
    assert float(v[0]) == 1.0


def test_a_store_of_numbers_is_no_matter_of_the_tape():
    v, losses = gw.constant(VALUES), np.zeros(2)
    with gw.GradientTape() as tape:
        tape.watch(v)
        loss = gw.reduce_sum(v * v)
        losses[0], losses[1] = loss.numpy(), float(loss)
    assert tape.gradient(loss, v).numpy().tolist() == (2 * VALUES).tolist()
    assert losses.tolist() == [30.0, 30.0]


@pytest.mark.parametrize(
    ("function", "at"), [(math.log2, 8.0), (math.log10, 1000.0), (lambda x: x * math.log2(x), 0.25)]
)
def test_results_that_are_made_exact_keep_their_derivative(function, at):
    found = gw.grad(lambda x: function(x))(gw.constant(at, gw.float64))
    expected = (function(at * (1 + 1e-6)) - function(at * (1 - 1e-6))) / (2e-6 * at)
    assert abs(float(found) - expected) < 1e-6 * max(1.0, abs(expected))

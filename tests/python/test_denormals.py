"""Subnormal numbers: zeros in graphs that hold arrays of `float32` and nothing of `float64`, what they are everywhere else."""

import itertools
import sys

import numpy as np
import pytest

import graphwright as gw

TINY = np.full(9, 1e-30, np.float32)
LEAST = np.full(9, 1e-40, np.float32)


def product(x, y):
    return x * y


@pytest.fixture(autouse=True)
def _restored():
    before = gw.config.get_denormals()
    yield
    gw.config.set_denormals(before)


def test_arrays_of_single_precision_flush():
    graph = gw.function(product)
    assert graph(TINY, np.full(9, 1e-10, np.float32)).numpy().tolist() == [0.0] * 9
    assert graph(LEAST, np.full(9, 1e10, np.float32)).numpy().tolist() == [0.0] * 9
    assert (gw.constant(TINY) * gw.constant(TINY * 1e20)).numpy().tolist() == [0.0] * 9


def test_the_process_says_otherwise_for_graphs_that_are_there():
    graph = gw.function(product)
    graph(TINY, TINY)
    gw.config.set_denormals("keep")
    expected = (LEAST * np.float32(0.5)).tolist()
    assert graph(LEAST, np.full(9, 0.5, np.float32)).numpy().tolist() == expected != [0.0] * 9
    assert graph.experimental_get_tracing_count() == 1
    gw.config.set_denormals("flush")
    assert graph(LEAST, np.full(9, 0.5, np.float32)).numpy().tolist() == [0.0] * 9


def test_a_function_says_otherwise_for_itself():
    keeps = gw.function(product, denormals="keep")
    gives = keeps(LEAST, np.full(9, 0.5, np.float32)).numpy()
    assert gives.tolist() == (LEAST * np.float32(0.5)).tolist()
    gw.config.set_denormals("keep")
    flushes = gw.function(product, denormals="flush")
    assert flushes(LEAST, np.full(9, 0.5, np.float32)).numpy().tolist() == [0.0] * 9


@pytest.mark.parametrize("x", [np.full(9, 1e-310), 1e-310])
def test_double_precision_keeps_them(x):
    graph = gw.function(product)
    gives = graph(gw.constant(x, gw.float64), gw.constant(0.5, gw.float64)).numpy()
    assert np.array_equal(gives, np.asarray(x) * 0.5)


def test_a_graph_with_a_double_keeps_them():
    @gw.function
    def both(x, y):
        return x * 0.5, y * 0.5

    gives, _ = both(LEAST, gw.constant(1.0, gw.float64))
    assert gives.numpy().tolist() == (LEAST * np.float32(0.5)).tolist()


def test_the_host_computes_as_ever():
    seen = []

    @gw.host
    def look(x) -> gw.TensorSpec([9], gw.float32):
        seen.append((sys.float_info.min / 4, (LEAST * np.float32(0.5)).tolist()))
        return x

    @gw.function(implicit_copies="allow")
    def f(x):
        return look(x * 0.5) * 0.5

    assert f(TINY).numpy().tolist() == (TINY * np.float32(0.25)).tolist()
    assert f(LEAST).numpy().tolist() == [0.0] * 9
    assert seen == [(2.0**-1024, (LEAST * np.float32(0.5)).tolist())] * 2
    assert sys.float_info.min / 4 == 2.0**-1024


def test_loops_and_threads_do_the_same():
    @gw.function
    def decayed(x, n):
        for _ in gw.range(n):
            x = x * 0.5
        return x

    x = np.linspace(1.0, 2.0, 300_000, dtype=np.float32)
    assert not decayed(x, gw.constant(140)).numpy().any()
    gw.config.set_denormals("keep")
    assert decayed(x, gw.constant(140)).numpy().all()


def test_other_words_are_refused():
    with pytest.raises(ValueError, match=r'denormals are "flush" or "keep", not "zero"'):
        gw.config.set_denormals("zero")
    with pytest.raises(ValueError, match=r'denormals are "flush" or "keep", not "zero"'):
        gw.function(product, denormals="zero")


def test_angles_of_far_sides_are_within_their_bound():
    rng = np.random.default_rng(3)
    ends = [-126, -125, -103, -100, -50, 0, 1, 75, 100, 122, 126, 127]
    pairs = np.array(list(itertools.product(ends, ends))).repeat(60, 0)
    y, x = (np.ldexp(rng.uniform(1, 1.99, len(pairs)), pairs[:, at]).astype(np.float32) for at in (0, 1))
    x *= rng.choice(np.float32([-1, 1]), len(x))
    exact = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    found = gw.atan2(gw.constant(y), gw.constant(x)).numpy()
    normal = np.abs(exact) >= 2.0**-126
    error = np.abs(found - exact) / np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    assert error[normal].max() <= 3

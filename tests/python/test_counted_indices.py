"""Indices that are counted: those inside of their axis raise nothing that a handler waits for, the others do as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import layers

ROWS = np.arange(15, dtype=np.float32).reshape(5, 3)


def graph_of(function, *args):
    return str(gw.function(function).get_concrete_function(*args).graph)


def test_rows_of_a_loop_are_inside():
    weight, seen = gw.Variable([1.0, 2.0, 3.0]), gw.Variable(0.0)

    def rows(x):
        seen.assign_add(1.0)
        out = gw.zeros_like(x)
        for t, row in enumerate(x):
            out[t] = row * weight
        return out

    def counted(x):
        seen.assign_add(1.0)
        out = gw.zeros_like(x)
        for t in gw.range(x.shape[0] - 1):
            out[t + 1] = x[t - 1] * weight
        return out

    for function in (rows, counted):
        assert " try " not in graph_of(function, ROWS)
        np.testing.assert_array_equal(
            gw.function(function)(ROWS).numpy(), function(gw.constant(ROWS)).numpy()
        )


def test_derivatives_of_loops_raise_nothing_new():
    weight = gw.Variable([1.0, 2.0, 3.0])
    seen = []

    def gradient(x):
        seen.append(x)
        with gw.GradientTape() as tape:
            total = gw.zeros([3])
            for row in x:
                total = gw.tanh(total + row * weight)
            loss = gw.reduce_sum(total)
        return tape.gradient(loss, weight)

    assert " try " not in graph_of(gradient, ROWS)
    np.testing.assert_allclose(
        gw.function(gradient)(ROWS).numpy(), gradient(gw.constant(ROWS)).numpy(), rtol=1e-6
    )


def program(scale, start, back, turns):
    """Stores `x[t - back]` at `t * scale + start`; -1 stands for an index that is past the end."""

    def run(x):
        out = x * 0.0
        last = -2.0
        try:
            for t in range(turns):
                out[t * scale + start] = x[t - back]
                last = x[t - back]
        except IndexError:
            last = last + 100.0
        return out, last

    return run


def staged_program(scale, start, back, turns):
    def run(x):
        out = x * 0.0
        last = gw.constant(-2.0)
        try:
            for t in gw.range(turns):
                out[t * scale + start] = x[t - back]
                last = x[t - back]
        except IndexError:
            last = last + 100.0
        return out, last

    return run


def test_random_loops_fail_where_numpy_fails():
    random = np.random.default_rng(11)
    x = np.arange(1.0, 7.0, dtype=np.float32)
    failed = 0
    for _ in range(60):
        scale, start, back, turns = (
            int(random.integers(*ends)) for ends in ((-2, 3), (-7, 7), (-2, 8), (0, 7))
        )
        wanted, last = program(scale, start, back, turns)(x.copy())
        failed += last >= 98
        staged = gw.function(staged_program(scale, start, back, turns))
        for call in (staged, staged, staged_program(scale, start, back, turns)):
            found, other = call(gw.constant(x))
            case = f"{scale} {start} {back} {turns}"
            np.testing.assert_array_equal(found.numpy(), wanted, err_msg=case)
            np.testing.assert_array_equal(other.numpy(), np.float32(last), err_msg=case)
    assert 10 < failed < 50


@pytest.mark.parametrize("unit", [layers.GRU, layers.LSTM])
@pytest.mark.parametrize("sequences", [False, True])
def test_models_of_bidirectional_layers_are_trained(unit, sequences):
    x, y = np.random.default_rng(3).normal(size=(8, 5, 3)).astype(np.float32), np.ones((8, 1), np.float32)
    parts = [layers.Bidirectional(unit(4, return_sequences=sequences))]
    parts += [layers.GlobalAveragePooling1D()] if sequences else []
    model = gw.keras.Sequential([*parts, layers.Dense(1)])
    model.compile(gw.keras.optimizers.SGD(0.1), "mse")
    model(x)
    first = model.get_weights()
    with gw.GradientTape() as tape:
        loss = gw.reduce_mean(gw.square(model(x) - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    model.fit(x, y, verbose=0)
    for before, gradient, after in zip(first, gradients, model.get_weights(), strict=True):
        np.testing.assert_allclose(after, before - 0.1 * gradient.numpy(), rtol=1e-4, atol=1e-6)

"""Keras's optimizers against Keras itself: the same numbers after 20 steps, eagerly and in a graph's loop."""

from __future__ import annotations

import warnings

import jax
import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import optimizers
from real_keras import keras

RANDOM = np.random.default_rng(3)
FIRST = [RANDOM.normal(size=(3, 4)).astype(np.float32), RANDOM.normal(size=4).astype(np.float32)]
STEPS = 20
GRADIENTS = [RANDOM.normal(size=(STEPS, *value.shape)).astype(np.float32) for value in FIRST]

CASES = [
    ("SGD", {}),
    ("SGD", {"momentum": 0.9}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "learning_rate": 0.1}),
    ("SGD", {"weight_decay": 0.1, "learning_rate": 0.1}),
    ("SGD", {"clipnorm": 0.5, "learning_rate": 0.1}),
    ("SGD", {"clipvalue": 0.25, "learning_rate": 0.1}),
    ("SGD", {"global_clipnorm": 0.5, "learning_rate": 0.1}),
    ("SGD", {"loss_scale_factor": 4.0, "learning_rate": 0.1}),
    ("SGD", {"use_ema": True, "ema_momentum": 0.8, "ema_overwrite_frequency": 3, "learning_rate": 0.1}),
    ("Adam", {}),
    ("Adam", {"amsgrad": True, "learning_rate": 0.1}),
    ("Adam", {"beta_1": 0.8, "beta_2": 0.9, "epsilon": 1e-3, "weight_decay": 0.1, "learning_rate": 0.1}),
    ("Adam", {"gradient_accumulation_steps": 3, "learning_rate": 0.1}),
    ("AdamW", {"learning_rate": 0.1}),
    ("AdamW", {"learning_rate": 0.1, "weight_decay": 0.5, "clipnorm": 1.0}),
    ("RMSprop", {}),
    ("RMSprop", {"centered": True, "learning_rate": 0.1}),
    ("RMSprop", {"momentum": 0.9, "rho": 0.8, "epsilon": 1e-3}),
    ("RMSprop", {"centered": True, "momentum": 0.9, "weight_decay": 0.1}),
    ("Adagrad", {}),
    ("Adagrad", {"initial_accumulator_value": 0.5, "epsilon": 1e-2, "learning_rate": 0.3}),
]


def wanted(name, options):
    """What Keras makes of the variables, and of its own."""
    variables = [keras.Variable(value) for value in FIRST]
    optimizer = getattr(keras.optimizers, name)(**options)
    optimizer.build(variables)
    step = jax.jit(optimizer.stateless_apply)
    own = [variable.value for variable in optimizer.variables]
    values = [variable.value for variable in variables]
    for gradients in zip(*GRADIENTS, strict=True):
        values, own = step(own, list(gradients), values)
    return [np.asarray(value) for value in values], [np.asarray(value) for value in own]


def same(variables, optimizer, wanted):
    """Whether the variables and the optimizer's own hold what Keras's do."""
    for variable, value in zip([*variables, *optimizer.variables], [*wanted[0], *wanted[1]], strict=True):
        np.testing.assert_allclose(variable.numpy(), value, rtol=2e-5, atol=2e-6, err_msg=variable.name)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_twenty_steps(name, options):
    expected = wanted(name, options)
    make = getattr(optimizers, name)

    variables, optimizer = [gw.Variable(value) for value in FIRST], make(**options)
    for gradients in zip(*GRADIENTS, strict=True):
        optimizer.apply_gradients(zip(gradients, variables))
    same(variables, optimizer, expected)

    variables, optimizer = [gw.Variable(value) for value in FIRST], make(**options)

    @gw.function
    def train(first, second):
        for i in gw.range(STEPS):
            optimizer.apply([first[i], second[i]], variables)

    train(*GRADIENTS)
    same(variables, optimizer, expected)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_configurations_are_keras(name):
    ours, theirs = getattr(optimizers, name)(), getattr(keras.optimizers, name)()
    config, other = ours.get_config(), theirs.get_config()
    config.pop("name"), other.pop("name")
    assert config.pop("learning_rate") == pytest.approx(other.pop("learning_rate"))
    assert config == other
    again = type(ours).from_config(ours.get_config())
    assert again.get_config() == ours.get_config()


def test_a_loop_with_early_stopping_in_one_function():
    x = RANDOM.normal(size=(64, 3)).astype(np.float32)
    y = x @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 0.25
    w, b = gw.Variable(gw.zeros([3, 1])), gw.Variable(gw.zeros([1]))
    optimizer = optimizers.Adam(learning_rate=0.1)

    @gw.function
    def fit(x, y):
        steps, loss = 0, 1.0
        while loss > 1e-4:
            with gw.GradientTape() as tape:
                loss = gw.reduce_mean((x @ w + b - y) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
            steps += 1
            if steps == 1000:
                break
        return steps, loss

    steps, loss = fit(x, y)
    assert 10 < int(steps) < 1000 and float(loss) <= 1e-4
    assert int(optimizer.iterations.numpy()) == int(steps)
    np.testing.assert_allclose(w.numpy()[:, 0], [1.0, -2.0, 0.5], atol=0.05)
    again, _ = fit(x, y)
    assert int(again) <= 2 and fit.experimental_get_tracing_count() == 1


def test_the_learning_rate_is_seen_by_graphs():
    v, optimizer = gw.Variable([1.0]), optimizers.SGD(learning_rate=1.0)
    step = gw.function(lambda: optimizer.apply([gw.ones([1])], [v]))
    step()
    optimizer.learning_rate = 0.25
    step()
    assert v.numpy().tolist() == [-0.25]
    shared = gw.Variable(0.5)
    optimizer = optimizers.SGD(learning_rate=shared)
    optimizer.apply([gw.ones([1])], [v])
    shared.assign(0.0)
    optimizer.apply([gw.ones([1])], [v])
    assert v.numpy().tolist() == [-0.75] and optimizer.learning_rate is shared


def test_variables_of_two_dtypes():
    v, w = gw.Variable([1.0]), gw.Variable([1.0], dtype=gw.float64)
    optimizers.Adam(0.5).apply([[2.0], gw.constant([2.0], gw.float64)], [v, w])
    assert (v.dtype, w.dtype) == (gw.float32, gw.float64)
    np.testing.assert_allclose([v.numpy()[0], w.numpy()[0]], 0.5, rtol=1e-5)


def test_what_cannot_be_applied_is_said():
    v, w = gw.Variable([1.0]), gw.Variable([2.0])
    optimizer = optimizers.SGD()
    with pytest.raises(ValueError, match="must be told the variables"):
        optimizer.apply([[1.0]])
    optimizer.build([v])
    with pytest.raises(ValueError, match="built for other variables"):
        optimizer.apply([[1.0]], [w])
    with pytest.raises(ValueError, match="2 gradients for 1 variables"):
        optimizer.apply([[1.0], [2.0]])
    with pytest.raises(ValueError, match="no variable has a gradient"):
        optimizer.apply([None])
    with pytest.raises(ValueError, match="only one of"):
        optimizers.SGD(clipnorm=1.0, clipvalue=1.0)
    with pytest.raises(TypeError, match="decay_rate"):
        optimizers.Adam(decay_rate=0.5)
    optimizer = optimizers.SGD(0.5)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        optimizer.apply([None, gw.constant([1.0])], [v, w])
    assert "no gradients of the variables" in str(seen[0].message)
    assert (v.numpy()[0], w.numpy()[0]) == (1.0, 1.5)


def weighted(x, w):
    """Reads a variable before, in and after a branch and a loop."""
    x = x * w
    if gw.reduce_sum(x) > 1.0:
        x = x * 3.0
    t = 0.0
    while t < 1.0:
        x = x * w
        if gw.reduce_sum(x) > 30.0:
            t += 0.5
        x = gw.sin(x * w)
        t += 0.25
    return gw.reduce_sum(x * w)


def test_a_variable_is_read_around_branches_and_in_loops():
    w = gw.Variable([1.0, 2.0])

    def gradient(x):
        with gw.GradientTape() as tape:
            loss = weighted(x, w)
        return tape.gradient(loss, w)

    for x in ([1.0, 1.0], [0.1, 0.2]):
        wanted = gradient(gw.constant(x)).numpy()
        np.testing.assert_allclose(gw.function(gradient)(gw.constant(x)).numpy(), wanted, rtol=1e-5)

    @gw.function
    def steps(x):
        for _ in gw.range(3):
            w.assign_sub(0.01 * gradient(x))

    @gw.function
    def first_turn_alone(x):
        with gw.GradientTape() as tape:
            t = 0.0
            while t < 1.0:
                if gw.reduce_sum(x) > 1.0:
                    t += 0.5
                x = x * w
                t += 0.25
        return tape.gradient(x, w)

    assert first_turn_alone(gw.ones([2])).numpy().tolist() == [2.0, 4.0]
    steps(gw.constant([1.0, 1.0]))
    found = w.numpy()
    w.assign([1.0, 2.0])
    steps.python_function(gw.constant([1.0, 1.0]))
    np.testing.assert_allclose(found, w.numpy(), rtol=1e-5)

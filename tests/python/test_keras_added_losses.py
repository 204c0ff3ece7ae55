"""Losses that layers add when they are called, against Keras's: eagerly, in graphs, in loops and while models are trained."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import layers
from real_keras import keras

RANDOM = np.random.default_rng(9)


def floats(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def close(found, wanted):
    np.testing.assert_allclose(
        [float(one) for one in found], [float(one) for one in wanted], rtol=1e-5, atol=1e-6
    )


CASES = [
    ("Dense", {"units": 3, "activity_regularizer": "l1", "kernel_regularizer": "l2"}, floats(4, 5)),
    ("Conv2D", {"filters": 2, "kernel_size": 3, "activity_regularizer": "l2"}, floats(2, 6, 6, 3)),
    ("GRU", {"units": 3, "activity_regularizer": "L2"}, floats(2, 4, 3)),
    ("LSTM", {"units": 3, "return_state": True, "activity_regularizer": "l2"}, floats(2, 4, 3)),
    (
        "Embedding",
        {"input_dim": 7, "output_dim": 2, "activity_regularizer": "l1"},
        np.array([[1, 2], [3, 0]]),
    ),
]


@pytest.mark.parametrize(("name", "options", "x"), CASES)
def test_penalties_of_outputs_are_kerass(name, options, x):
    real, ours = getattr(keras.layers, name)(**options), getattr(layers, name)(**options)
    real(x), ours(x)
    ours.set_weights([np.asarray(weight) for weight in real.get_weights()])
    staged = gw.function(lambda x: (ours(x), ours.losses))
    for factor in (1, 2, 3):
        values = x if x.dtype == np.int64 else x * factor
        real(values), ours(values)
        close([sum(map(float, ours.losses))], [sum(map(float, real.losses))])
        _, losses = staged(values)
        close(losses, ours.losses)
        close([sum(map(float, losses))], [sum(map(float, real.losses))])


class Small(layers.Layer):
    def call(self, inputs):
        self.add_loss(gw.reduce_sum(inputs))
        return inputs


class Rows(layers.Layer):
    """Calls a layer for each row, in a loop of the graph."""

    def __init__(self):
        super().__init__()
        self.small = Small()

    def call(self, inputs):
        for row in inputs:
            self.small(row)
        return inputs


def test_the_outermost_call_forgets():
    layer, x = Rows(), np.ones((3, 2), np.float32)
    staged = gw.function(lambda x: layer(x))
    for call in (layer, staged, layer, staged, staged):
        for factor in (1.0, 2.0):
            call(gw.constant(x * factor))
            close(layer.losses, [6 * factor])
    outer = gw.keras.Sequential([layer, layer, layers.Dense(1, activity_regularizer="l1")])
    outer(x)
    assert len(outer.losses) == 2
    close(outer.losses[:1], [12.0])
    with pytest.raises(ValueError, match=r"`add_loss` takes a scalar, not a tensor of shape \(2,\)"):
        Small().add_loss(gw.constant([1.0, 2.0]))


def test_an_exception_in_a_call_leaves_the_next_one_outermost():
    class Failing(layers.Layer):
        fails = True

        def __init__(self):
            super().__init__()
            self.small = Small()

        def call(self, inputs):
            self.small(inputs)
            if self.fails:
                raise KeyError("no")
            return inputs

    layer = Failing()
    with pytest.raises(KeyError):
        layer(gw.ones([2]))
    layer.fails = False
    layer(gw.ones([2]))
    close(layer.losses, [2.0])


def models(library):
    x = library.Input((4,))
    hidden = library.layers.Dense(4, activation="tanh", activity_regularizer="l2")(x)
    out = library.layers.Dense(1, kernel_regularizer="l1", activity_regularizer="l1")(hidden)
    return library.Model(inputs=x, outputs=out)


def test_a_layer_that_is_shared_adds_for_each_call():
    x = gw.keras.Input((4,))
    layer = layers.Dense(4, activity_regularizer="l2")
    model = gw.keras.Model(inputs=x, outputs=layer(layer(x)))
    values = floats(3, 4)
    first = values @ layer.get_weights()[0]
    wanted = sum(0.01 * np.sum(one * one) / 3 for one in (first, first @ layer.get_weights()[0]))
    for call in (model, gw.function(lambda x: model(x)), model):
        call(gw.constant(values))
        close(model.losses, [wanted])


def test_models_are_trained_with_added_losses():
    ours, theirs = models(gw.keras), models(keras)
    theirs.set_weights(ours.get_weights())
    x, y = floats(12, 4), floats(12, 1)
    ours.compile(gw.keras.optimizers.SGD(0.1), "mse")
    theirs.compile(keras.optimizers.SGD(0.1), "mse")
    options = {"batch_size": 4, "epochs": 3, "shuffle": False, "verbose": 0}
    found, wanted = ours.fit(x, y, **options).history, theirs.fit(x, y, **options).history
    np.testing.assert_allclose(found["loss"], wanted["loss"], rtol=1e-4)
    np.testing.assert_allclose(ours.evaluate(x, y), theirs.evaluate(x, y, verbose=0), rtol=1e-4)


def test_gradients_flow_through_added_losses():
    layer = layers.Dense(2, activity_regularizer="l2")
    x = floats(3, 4)
    layer(x)

    def gradient(x):
        with gw.GradientTape() as tape:
            layer(x)
            loss = sum(layer.losses)
        return tape.gradient(loss, layer.kernel)

    kernel = layer.get_weights()[0]
    wanted = 2 * 0.01 * x.T @ (x @ kernel) / 3
    for call in (gradient, gw.function(gradient)):
        np.testing.assert_allclose(call(gw.constant(x)).numpy(), wanted, rtol=1e-4, atol=1e-6)


class Scaled(layers.Layer):
    def build(self, input_shape):
        self.factor = self.add_weight((), "ones")
        self.inner = layers.Dense(2, kernel_initializer="ones")

    def call(self, inputs):
        return self.inner(inputs * self.factor)


def test_layers_of_ones_own_are_built_by_symbols():
    layer = Scaled()
    x = gw.keras.Input((2,))
    model = gw.keras.Model(inputs=x, outputs=layer(layer(x)))
    assert layer.count_params() == 7
    np.testing.assert_array_equal(model(np.ones((1, 2), np.float32)).numpy(), [[4.0, 4.0]])
    built = Scaled()
    gw.function(built).get_concrete_function(gw.TensorSpec([1, 2]))
    np.testing.assert_array_equal(built(np.ones((1, 2), np.float32)).numpy(), [[2.0, 2.0]])

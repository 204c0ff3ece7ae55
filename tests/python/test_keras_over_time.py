"""Cells, the layers that run them, attention and `TimeDistributed` against Keras itself."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import layers
from real_keras import keras

RANDOM = np.random.default_rng(3)


def floats(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def same(found, expected):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=2e-4, atol=2e-5)


TIMES = floats(3, 5, 4)
SEEN = np.array([[1, 0, 1, 1, 0], [0, 0, 1, 0, 1], [1, 1, 1, 0, 0]], bool)
CELLS = [
    lambda module: module.SimpleRNNCell(3),
    lambda module: module.LSTMCell(3),
    lambda module: module.GRUCell(3),
    lambda module: module.GRUCell(3, reset_after=False),
    lambda module: [module.LSTMCell(3), module.GRUCell(2)],
]


@pytest.mark.parametrize("make", CELLS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"return_sequences": True},
        {"return_sequences": True, "go_backwards": True},
        {"return_sequences": True, "zero_output_for_mask": True},
        {"unroll": True},
    ],
)
def test_cells_over_time(make, options):
    ours = layers.RNN(make(layers), return_state=True, **options)
    theirs = keras.layers.RNN(make(keras.layers), return_state=True, **options)
    ours.build(TIMES.shape)
    theirs.build(TIMES.shape)
    weights = [floats(*weight.shape) * 0.5 for weight in theirs.weights]
    ours.set_weights(weights)
    theirs.set_weights(weights)
    for mask in (None, SEEN):
        expected = jax.tree.leaves(theirs(TIMES, mask=mask))
        given = None if mask is None else gw.constant(mask)
        for run in (ours, gw.function(ours)):
            found = gw.nest.flatten(run(gw.constant(TIMES), mask=given))
            for one, other in zip(found, expected, strict=True):
                same(one, other)
    if "unroll" not in options:
        free = gw.function(lambda x: ours(x)[0], input_signature=[gw.TensorSpec([None, None, 4])])
        same(free(gw.constant(TIMES)), theirs(TIMES)[0])
        assert free(gw.ones([0, 5, 4])).shape[0] == 0


class Sums(layers.Layer):
    """A cell of a user's own."""

    def __init__(self, units):
        super().__init__()
        self.units = self.state_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight((input_shape[-1], self.units), "ones", name="kernel")

    def call(self, inputs, states):
        found = inputs @ self.kernel + states[0]
        return found, [found]


def test_a_cell_of_ones_own():
    layer = layers.RNN(Sums(2))
    expected = np.repeat(TIMES.sum((1, 2))[:, None], 2, 1)
    same(layer(gw.constant(TIMES)), expected)
    same(gw.function(layer)(gw.constant(TIMES)), expected)
    with pytest.raises(ValueError, match="has no `state_size`"):
        layers.RNN(layers.Dense(3))


def test_states_to_begin_with():
    ours, theirs = layers.RNN(layers.GRUCell(3)), keras.layers.RNN(keras.layers.GRUCell(3))
    theirs.build(TIMES.shape)
    ours.build(TIMES.shape)
    ours.set_weights(theirs.get_weights())
    state = floats(3, 3)
    expected = theirs(TIMES, initial_state=[keras.ops.array(state)])
    same(ours(gw.constant(TIMES), initial_state=[gw.constant(state)]), expected)


def test_dropout_of_cells():
    layer = layers.RNN(layers.LSTMCell(3, dropout=0.5, seed=1))
    x = gw.constant(TIMES)
    calm = layer(x).numpy()
    assert np.array_equal(calm, layer(x).numpy())
    assert not np.array_equal(calm, layer(x, training=True).numpy())


ATTENTIONS = [
    ("Attention", {}),
    ("Attention", {"use_scale": True}),
    ("Attention", {"score_mode": "concat", "use_scale": True}),
    ("AdditiveAttention", {}),
    ("AdditiveAttention", {"use_scale": False}),
]


@pytest.mark.parametrize(("name", "options"), ATTENTIONS)
def test_attention(name, options):
    query, value, key = floats(2, 3, 4), floats(2, 5, 4), floats(2, 5, 4)
    kept = np.array([[1, 1, 0], [1, 0, 1]], bool)
    seen = np.array([[1, 1, 0, 0, 1], [1, 0, 1, 1, 1]], bool)
    ours, theirs = getattr(layers, name)(**options), getattr(keras.layers, name)(**options)
    for one in (ours, theirs):
        one.build([query.shape, value.shape])
    weights = [floats(*weight.shape) for weight in theirs.weights]
    ours.set_weights(weights)
    theirs.set_weights(weights)
    for given in ([query, value], [query, value, key]):
        for mask in (None, [kept, seen], [None, seen]):
            for causal in (False, True):
                more = {"return_attention_scores": True, "use_causal_mask": causal}
                expected = theirs(list(given), mask=mask, **more)
                tensors = [gw.constant(one) for one in given]
                masks = None if mask is None else [one if one is None else gw.constant(one) for one in mask]
                for run in (ours, gw.function(ours)):
                    for one, other in zip(run(tensors, mask=masks, **more), expected, strict=True):
                        same(one, other)
    assert getattr(layers, name)(**options)([gw.constant(query), gw.constant(value)]).shape == (2, 3, 4)
    with pytest.raises(ValueError, match="takes a list"):
        ours(gw.constant(query))


@pytest.mark.parametrize(
    ("name", "options", "x"),
    [
        ("Dense", {"units": 3}, TIMES),
        ("Conv2D", {"filters": 2, "kernel_size": 3}, floats(2, 5, 6, 6, 2)),
        ("BatchNormalization", {}, TIMES),
    ],
)
def test_layers_at_each_time(name, options, x):
    ours = layers.TimeDistributed(getattr(layers, name)(**options))
    theirs = keras.layers.TimeDistributed(getattr(keras.layers, name)(**options))
    for one in (ours, theirs):
        one.build(x.shape)
    weights = [abs(floats(*weight.shape)) for weight in theirs.weights]
    ours.set_weights(weights)
    theirs.set_weights(weights)
    free = gw.function(lambda x: ours(x), input_signature=[gw.TensorSpec([None, *x.shape[1:]])])
    for run in (ours, gw.function(ours), free):
        same(run(gw.constant(x)), theirs(x))
    same(ours(gw.constant(x), training=True), theirs(x, training=True))
    for one, other in zip(ours.get_weights(), theirs.get_weights(), strict=True):
        same(one, other)

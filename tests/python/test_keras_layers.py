"""Keras's layers against Keras itself: weights copied over, the same outputs and gradients; and what is said."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import initializers, layers
from real_keras import keras

RANDOM = np.random.default_rng(8)


def floats(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


IMAGES, ROWS, TIMES = floats(2, 7, 6, 3), floats(5, 4), floats(2, 5, 3)
CASES = [
    ("Dense", {"units": 3}, ROWS),
    ("Dense", {"units": 3, "use_bias": False, "activation": "relu"}, ROWS),
    ("Dense", {"units": 2, "activation": "softmax"}, TIMES),
    ("Dense", {"units": 2, "activation": "gelu"}, ROWS),
    ("Dense", {"units": 2, "activation": "sigmoid"}, ROWS),
    ("Dense", {"units": 2, "activation": "tanh"}, ROWS),
    ("Conv2D", {"filters": 4, "kernel_size": 3}, IMAGES),
    ("Conv2D", {"filters": 4, "kernel_size": (2, 3), "padding": "same", "activation": "relu"}, IMAGES),
    ("Conv2D", {"filters": 2, "kernel_size": 3, "strides": 2, "padding": "same"}, IMAGES),
    ("Conv2D", {"filters": 2, "kernel_size": 2, "strides": (2, 1), "use_bias": False}, IMAGES),
    ("Conv2D", {"filters": 2, "kernel_size": 2, "dilation_rate": (2, 1)}, IMAGES),
    ("Embedding", {"input_dim": 6, "output_dim": 3}, RANDOM.integers(0, 6, (4, 5))),
    ("LayerNormalization", {}, ROWS),
    ("LayerNormalization", {"axis": [1, 2], "epsilon": 0.1}, TIMES),
    ("LayerNormalization", {"axis": 1, "center": False}, TIMES),
    ("LayerNormalization", {"scale": False}, TIMES),
    ("Dropout", {"rate": 0.5}, ROWS),
    ("LSTM", {"units": 4}, TIMES),
    ("LSTM", {"units": 4, "return_sequences": True, "unit_forget_bias": False}, TIMES),
    ("LSTM", {"units": 4, "return_sequences": True, "return_state": True, "go_backwards": True}, TIMES),
    ("LSTM", {"units": 4, "return_state": True, "use_bias": False}, TIMES),
    ("LSTM", {"units": 4, "activation": "relu", "recurrent_activation": "tanh", "unroll": True}, TIMES),
]


def listed(outputs):
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def keras_numbers(layer, x, seeds):
    """Outputs, and gradients of their weighted sum by the weights and, if it has floats, the input."""

    def loss(weights, x):
        others = [variable.value for variable in layer.non_trainable_variables]
        outputs = listed(layer.stateless_call(weights, others, x)[0])
        return sum(jax.numpy.sum(o * s) for o, s in zip(outputs, seeds, strict=True))

    weights = [weight.value for weight in layer.trainable_variables]
    floats = np.issubdtype(x.dtype, np.floating)
    of = (0, 1) if floats else 0
    found = jax.jit(jax.grad(loss, of))(weights, jax.numpy.asarray(x))
    gradients = [*found[0], found[1]] if floats else [*found]
    return [np.asarray(gradient) for gradient in gradients]


def our_numbers(layer, x, seeds):
    """The same of our layer."""
    with gw.GradientTape() as tape:
        if x.dtype.is_floating:
            tape.watch(x)
        outputs = listed(layer(x))
        loss = gw.reduce_sum(outputs[0] * seeds[0])
        for o, s in zip(outputs[1:], seeds[1:]):
            loss = loss + gw.reduce_sum(o * s)
    sources = [*layer.trainable_variables, *([x] if x.dtype.is_floating else [])]
    return outputs, tape.gradient(loss, sources)


@pytest.mark.parametrize(("name", "options", "x"), CASES)
def test_outputs_and_gradients(name, options, x):
    theirs = getattr(keras.layers, name)(**options)
    theirs.build(x.shape)
    ours = getattr(layers, name)(**options)
    ours.build(x.shape)
    assert [weight.shape for weight in ours.weights] == [weight.shape for weight in theirs.weights]
    theirs.set_weights([floats(*weight.shape) * 0.5 for weight in theirs.weights])
    ours.built = True
    ours.set_weights(theirs.get_weights())
    expected = [np.asarray(output) for output in listed(theirs(x))]
    seeds = [floats(*output.shape) for output in expected]
    gradients = keras_numbers(theirs, x, seeds)

    def numbers(x):
        return our_numbers(ours, x, seeds)

    for run in (numbers, gw.function(numbers)):
        outputs, found = run(gw.constant(x))
        for one, other in zip([*outputs, *found], [*expected, *gradients], strict=True):
            np.testing.assert_allclose(one.numpy(), other, rtol=2e-4, atol=2e-5)


def test_a_state_to_begin_with():
    ours, theirs = layers.LSTM(4, return_sequences=True), keras.layers.LSTM(4, return_sequences=True)
    state = [floats(2, 4), floats(2, 4)]
    ours(TIMES)
    theirs.build(TIMES.shape)
    theirs.set_weights(ours.get_weights())
    expected = theirs(TIMES, initial_state=[keras.ops.array(part) for part in state])
    found = gw.function(ours)(TIMES, initial_state=[gw.constant(part) for part in state])
    np.testing.assert_allclose(found.numpy(), np.asarray(expected), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "options", "shape"),
    [
        ("Dense", {"units": 64}, (None, 80)),
        ("Conv2D", {"filters": 32, "kernel_size": 3}, (None, 8, 8, 16)),
        ("Embedding", {"input_dim": 64, "output_dim": 32}, (None,)),
        ("LSTM", {"units": 24}, (None, 5, 40)),
        ("LayerNormalization", {}, (None, 8)),
    ],
)
def test_weights_begin_as_keras_do(name, options, shape):
    ours, theirs = getattr(layers, name)(**options), getattr(keras.layers, name)(**options)
    ours.build(shape)
    theirs.build(shape)
    for one, other in zip(ours.get_weights(), theirs.get_weights(), strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(np.std(one), np.std(other), rtol=0.1, atol=1e-3)
        np.testing.assert_allclose(
            np.abs(one).max(), np.abs(other).max(), rtol=0.1 if one.size < 1500 else 0.5
        )


def test_orthogonal_rows_and_columns():
    for shape in ((3, 5), (5, 3), (2, 2, 3)):
        q = initializers.Orthogonal(gain=2.0)(shape).numpy().reshape(-1, shape[-1])
        small = q @ q.T if q.shape[0] < q.shape[1] else q.T @ q
        np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-5)
    with pytest.raises(ValueError, match="two axes or more"):
        initializers.Orthogonal()((3,))


def test_dropout():
    x = gw.ones([1000])
    for layer in (layers.Dropout(0.25), layers.Dropout(0.25, seed=1)):
        trained = gw.function(layer)(x, training=True).numpy()
        assert set(np.unique(trained)) == {np.float32(0), np.float32(1 / 0.75)}
        assert 0.7 < np.mean(trained > 0) < 0.8
        assert (layer(x, training=True).numpy() != trained).any()
        assert layer(x).numpy().tolist() == x.numpy().tolist()
    once, again = (layers.Dropout(0.5, seed=3)(x, training=True).numpy() for _ in range(2))
    assert (once == again).all()

    @gw.function
    def either(x, training):
        return layers.Dropout(1.0)(x, training=training)

    assert gw.reduce_sum(either(x, gw.constant(True))).numpy() == 0
    assert gw.reduce_sum(either(x, gw.constant(False))).numpy() == 1000


class Two(layers.Layer):
    """A layer of layers, made at the first call."""

    def __init__(self):
        super().__init__()
        self.hidden, self.out = layers.Dense(8, "relu"), layers.Dense(2)

    def call(self, x):
        return self.out(self.hidden(x))


def test_weights_are_made_in_the_first_trace():
    model = Two()
    assert model.weights == []
    traced = gw.function(model)
    first = traced(ROWS)
    assert [weight.name for weight in model.trainable_variables] == [
        f"dense/{name}:0" for name in ("kernel", "bias", "kernel", "bias")
    ]
    np.testing.assert_allclose(model(ROWS).numpy(), first.numpy(), rtol=1e-6)
    model.set_weights([np.zeros(weight.shape) for weight in model.weights])
    assert not traced(ROWS).numpy().any() and traced.experimental_get_tracing_count() == 1
    assert model.count_params() == 4 * 8 + 8 + 8 * 2 + 2


def test_weights_are_made_in_a_loop():
    model, optimizer = Two(), gw.keras.optimizers.SGD(0.1)

    @gw.function
    def train(x):
        loss = 0.0
        for _ in gw.range(5):
            with gw.GradientTape() as tape:
                loss = gw.reduce_mean(model(x) ** 2)
            optimizer.apply_gradients(
                zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
            )
        return loss

    losses = [float(train(ROWS)) for _ in range(3)]
    assert losses[0] > losses[1] > losses[2] and len(model.weights) == 4


def test_what_a_layer_lacks_is_said():
    with pytest.raises(ValueError, match="Dense has no `kernel_constraint='non_neg'`"):
        layers.Dense(3, kernel_constraint="non_neg")
    with pytest.raises(ValueError, match="there is no regularizer 'l3'"):
        layers.Dense(3, activity_regularizer="l3")
    with pytest.raises(TypeError, match="unexpected keyword argument 'unit'"):
        layers.Dense(3, unit=4)
    with pytest.raises(ValueError, match="no activation 'swash'"):
        layers.Dense(3, "swash")
    with pytest.raises(ValueError, match="not a positive whole number"):
        layers.Dense(0)
    with pytest.raises(ValueError, match="needs the length of each axis"):
        layers.Dense(3).build((4, None))
    dense = layers.Dense(3)
    dense.build((None, 4))
    with pytest.raises(ValueError, match=r"has the shape \(4, 3\), not \(3, 4\)"):
        dense.set_weights([np.zeros((3, 4)), np.zeros(3)])
    with pytest.raises(ValueError, match="has 2 weights, not 1"):
        dense.set_weights([np.zeros((4, 3))])


def test_a_layer_that_is_built_is_not_built_again():
    layer, like = gw.keras.layers.Dense(2), keras.layers.Dense(2)
    for one in (layer, like):
        assert not one.built
        one.build((None, 3))
        assert one.built
        one(floats(4, 3))
        assert len(one.weights) == 2


def test_losses():
    logits, labels = floats(6, 4) * 30, RANDOM.integers(0, 4, 6)
    sparse = keras.ops.sparse_categorical_crossentropy(labels, logits, from_logits=True)
    found = gw.function(gw.nn.sparse_softmax_cross_entropy_with_logits)(labels, logits)
    np.testing.assert_allclose(found.numpy(), np.asarray(sparse), rtol=1e-5, atol=1e-6)
    soft = np.asarray(keras.ops.softmax(floats(6, 4)))
    dense = keras.ops.categorical_crossentropy(soft, logits, from_logits=True)
    found = gw.nn.softmax_cross_entropy_with_logits(soft, logits)
    np.testing.assert_allclose(found.numpy(), np.asarray(dense), rtol=1e-5, atol=1e-6)
    logs = gw.nn.log_softmax(logits, axis=0).numpy()
    np.testing.assert_allclose(logs, np.asarray(keras.ops.log_softmax(logits, axis=0)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize(("size", "strides"), [(2, 2), (3, 2), ((2, 3), (1, 2)), (1, 1)])
def test_pools(size, strides, padding):
    for ours, theirs in ((gw.nn.max_pool2d, keras.ops.max_pool), (gw.nn.avg_pool2d, keras.ops.average_pool)):
        expected = np.asarray(theirs(IMAGES, size, strides, padding.lower()))
        found = gw.function(lambda x: ours(x, size, strides, padding))(IMAGES)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)

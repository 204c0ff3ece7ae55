"""Federated averaging: it does what a loop of NumPy's does, in all stacks of executors."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import graphwright as gw
import graphwright.federated as tff
from federated_stacks import STACKS, context

FEATURES, CLASSES, BATCH = 6, 3, 4
learning = tff.learning


def cross_entropy(wanted, logits):
    return gw.reduce_mean(gw.nn.sparse_softmax_cross_entropy_with_logits(labels=wanted, logits=logits))


def model_fn(spec=None):
    layer = gw.keras.layers.Dense(CLASSES, kernel_initializer="zeros")
    pair = (gw.TensorSpec([None, FEATURES]), gw.TensorSpec([None], gw.int32))
    return learning.models.from_layer(layer, cross_entropy, spec or pair)


def sgd(rate=0.5):
    return lambda: gw.keras.optimizers.SGD(rate)


def data(sizes):
    random = np.random.default_rng(2)
    return [
        (
            random.normal(size=(size, FEATURES)).astype("float32"),
            random.integers(CLASSES, size=size).astype("int32"),
        )
        for size in sizes
    ]


def datasets(pairs):
    return [gw.data.Dataset.from_tensor_slices(pair).batch(BATCH) for pair in pairs]


def softmax(x):
    shifted = np.exp(x - x.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def numpy_round(kernel, bias, pairs, rate=0.5):
    """A round as a loop, in float64."""
    total, weight = [np.zeros_like(kernel), np.zeros_like(bias)], 0.0
    for x, y in pairs:
        w, b = kernel.copy(), bias.copy()
        for first in range(0, len(x), BATCH):
            rows, wanted = x[first : first + BATCH], y[first : first + BATCH]
            error = (softmax(rows @ w + b) - np.eye(CLASSES)[wanted]) / len(rows)
            w, b = w - rate * rows.T @ error, b - rate * error.sum(axis=0)
        total = [total[0] + len(x) * (kernel - w), total[1] + len(x) * (bias - b)]
        weight += len(x)
    return kernel - total[0] / weight, bias - total[1] / weight


@pytest.mark.parametrize("stack", STACKS)
def test_it_is_a_loop_of_numpys(stack):
    pairs = data([8, 3, 5, 12, 1, 4, 4, 4, 9, 2])
    process = learning.algorithms.build_weighted_fed_avg(model_fn, sgd())
    kernel, bias = np.zeros((FEATURES, CLASSES)), np.zeros(CLASSES)
    with tff.framework.get_context_stack().install(context(stack)):
        state = process.initialize()
        losses = []
        for _ in range(3):
            output = process.next(state, datasets(pairs))
            state = output.state
            losses.append(float(output.metrics["loss"]))
            kernel, bias = numpy_round(kernel, bias, pairs)
    weights = process.get_model_weights(state).trainable
    np.testing.assert_allclose(weights[0], kernel, atol=2e-6)
    np.testing.assert_allclose(weights[1], bias, atol=2e-6)
    assert output.metrics["num_examples"] == 52
    assert losses[0] > losses[1] > losses[2]


def test_stacks_agree_to_the_bit_with_stateful_optimizers():
    pairs = data([8, 3, 5, 12, 1, 4, 4, 4, 9, 2])
    found = {}
    for stack in STACKS:
        process = learning.algorithms.build_weighted_fed_avg(
            model_fn,
            lambda: gw.keras.optimizers.Adam(0.1),
            lambda: gw.keras.optimizers.SGD(1.0, momentum=0.9),
        )
        with tff.framework.get_context_stack().install(context(stack)):
            state = process.initialize()
            for _ in range(2):
                state = process.next(state, datasets(pairs)).state
        found[stack] = [leaf.tobytes() for leaf in process.get_model_weights(state).trainable]
    assert all(one == found["reference"] for one in found.values())


def test_mappings_weights_and_no_clients():
    spec = collections.OrderedDict(x=gw.TensorSpec([None, FEATURES]), y=gw.TensorSpec([None], gw.int32))
    process = learning.algorithms.build_weighted_fed_avg(lambda: model_fn(spec), sgd())
    state = process.initialize()
    same = process.next(state, [])
    assert same.metrics == {"loss": 0.0, "num_examples": 0.0}
    for one, other in zip(*(process.get_model_weights(one).trainable for one in (state, same.state))):
        np.testing.assert_array_equal(one, other)
    ones = learning.models.ModelWeights(
        [np.ones((FEATURES, CLASSES), "float32"), np.ones(CLASSES, "float32")], []
    )
    changed = process.set_model_weights(state, ones)
    [(x, y)] = data([4])
    output = process.next(changed, [gw.data.Dataset.from_tensor_slices({"x": x, "y": y}).batch(2)])
    kernel, bias = np.ones((FEATURES, CLASSES)), np.ones(CLASSES)
    w, b = kernel, bias
    for first in (0, 2):
        error = (softmax(x[first : first + 2] @ w + b) - np.eye(CLASSES)[y[first : first + 2]]) / 2
        w, b = w - 0.5 * x[first : first + 2].T @ error, b - 0.5 * error.sum(axis=0)
    np.testing.assert_allclose(process.get_model_weights(output.state).trainable[0], w, atol=2e-6)


def test_another_aggregation_of_models():
    clipped = tff.aggregators.clipping_factory(1e-3, tff.aggregators.MeanFactory())
    process = learning.algorithms.build_weighted_fed_avg(model_fn, sgd(), model_aggregator=clipped)
    output = process.next(process.initialize(), datasets(data([8, 8])))
    kernel, bias = process.get_model_weights(output.state).trainable
    assert 0 < np.sqrt((kernel**2).sum() + (bias**2).sum()) <= 1.0001e-3


def test_what_makes_no_model():
    with pytest.raises(TypeError, match="model_fn makes a model"):
        learning.algorithms.build_weighted_fed_avg(lambda: gw.keras.layers.Dense(1), sgd())
    with pytest.raises(ValueError, match="input_spec"):
        model_fn((gw.TensorSpec([None, 3]),))
    with pytest.raises(ValueError, match="no weights"):
        learning.models.from_layer(
            gw.keras.layers.Dropout(0.5), cross_entropy, (gw.TensorSpec([None, 3]), gw.TensorSpec([None]))
        )

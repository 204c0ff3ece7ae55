"""Models, losses, metrics and schedules against Keras itself, and training that goes as its gradients say."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import callbacks, layers, losses, metrics, optimizers
from real_keras import keras

RANDOM = np.random.default_rng(5)


def floats(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


IMAGES, TIMES, VOLUMES = floats(2, 6, 5, 3), floats(2, 6, 3), floats(1, 4, 5, 4, 2)
CASES = [
    ("MaxPooling1D", {}, TIMES),
    ("MaxPooling2D", {"pool_size": (2, 3), "strides": 1, "padding": "same"}, IMAGES),
    ("MaxPooling3D", {}, VOLUMES),
    ("AveragePooling1D", {"pool_size": 3, "strides": 2, "padding": "same"}, TIMES),
    ("AveragePooling2D", {"pool_size": 2}, IMAGES),
    ("AveragePooling3D", {"pool_size": 2, "padding": "same"}, VOLUMES),
    ("GlobalAveragePooling1D", {}, TIMES),
    ("GlobalAveragePooling2D", {"keepdims": True}, IMAGES),
    ("GlobalMaxPooling1D", {}, TIMES),
    ("GlobalMaxPooling2D", {}, IMAGES),
    ("Flatten", {}, IMAGES),
    ("Reshape", {"target_shape": (3, -1)}, TIMES),
    ("Activation", {"activation": "silu"}, TIMES),
    ("Activation", {"activation": "elu"}, TIMES),
    ("Activation", {"activation": "softplus"}, TIMES),
    ("Rescaling", {"scale": 0.5, "offset": 1.0}, TIMES),
    ("GRU", {"units": 4}, TIMES),
    ("GRU", {"units": 4, "return_sequences": True, "reset_after": False}, TIMES),
    ("GRU", {"units": 4, "return_state": True, "go_backwards": True, "use_bias": False}, TIMES),
    ("BatchNormalization", {}, IMAGES),
    ("BatchNormalization", {"axis": 1, "scale": False, "epsilon": 0.1}, TIMES),
]


def listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


@pytest.mark.parametrize(("name", "options", "x"), CASES)
def test_layers_give_what_keras_gives(name, options, x):
    real, ours = getattr(keras.layers, name)(**options), getattr(layers, name)(**options)
    real(x), ours(x)
    if real.weights:
        weights = [np.abs(floats(*weight.shape)) for weight in real.weights]
        real.set_weights(weights)
        ours.set_weights(weights)
    staged = gw.function(lambda x: ours(x))
    for call in (ours, staged, staged):
        for found, wanted in zip(listed(call(x)), listed(real(x)), strict=True):
            np.testing.assert_allclose(found.numpy(), np.asarray(wanted), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("options", [{}, {"value_dim": 4, "use_bias": False}, {"output_shape": 7}])
def test_attention_gives_what_keras_gives(options):
    query, value = floats(2, 4, 6), floats(2, 3, 6)
    real, ours = (
        kind(2, 4, **options) for kind in (keras.layers.MultiHeadAttention, layers.MultiHeadAttention)
    )
    real(query, value), ours(query, value)
    weights = [floats(*weight.shape) for weight in real.weights]
    real.set_weights(weights)
    ours.set_weights(weights)
    mask = RANDOM.integers(0, 2, (2, 4, 3)).astype(bool)
    mask[:, :, 0] = True
    for extra in ({}, {"attention_mask": mask}, {"use_causal_mask": True}):
        wanted, scores = real(query, value, return_attention_scores=True, **extra)
        found, ours_scores = ours(query, value, return_attention_scores=True, **extra)
        np.testing.assert_allclose(found.numpy(), np.asarray(wanted), rtol=2e-5, atol=2e-5)
        np.testing.assert_allclose(ours_scores.numpy(), np.asarray(scores), rtol=2e-5, atol=2e-5)


def test_batches_are_normalized_while_training():
    real, ours = keras.layers.BatchNormalization(momentum=0.7), layers.BatchNormalization(momentum=0.7)
    staged = gw.function(lambda x: ours(x, training=True))
    for _ in range(3):
        x = floats(4, 3)
        np.testing.assert_allclose(
            staged(x).numpy(), np.asarray(real(x, training=True)), rtol=1e-4, atol=1e-5
        )
    for own, wanted in zip(ours.get_weights(), real.get_weights(), strict=True):
        np.testing.assert_allclose(own, wanted, rtol=1e-5, atol=1e-6)


def test_several_tensors_are_joined():
    x, y = floats(2, 3), floats(2, 3)
    for name in ("Concatenate", "Add", "Multiply", "Average"):
        wanted = getattr(keras.layers, name)()([x, y])
        np.testing.assert_allclose(getattr(layers, name)()([x, y]).numpy(), np.asarray(wanted), rtol=1e-6)


SHARES = np.abs(floats(4, 3)) + 0.1
SHARES /= SHARES.sum(-1, keepdims=True)
ONES = np.eye(3, dtype=np.float32)[[0, 2, 1, 1]]
LOSSES = [
    ("MeanSquaredError", {}, floats(4, 3), floats(4, 3)),
    ("MeanAbsoluteError", {"reduction": "sum"}, floats(4, 3), floats(4, 3)),
    ("Huber", {"delta": 0.5}, floats(4, 3), floats(4, 3)),
    ("KLDivergence", {}, SHARES[::-1], SHARES),
    ("BinaryCrossentropy", {}, ONES, SHARES),
    ("BinaryCrossentropy", {"from_logits": True, "label_smoothing": 0.2}, ONES, floats(4, 3)),
    ("CategoricalCrossentropy", {"label_smoothing": 0.1}, ONES, SHARES),
    ("CategoricalCrossentropy", {"from_logits": True}, ONES, floats(4, 3)),
    ("SparseCategoricalCrossentropy", {}, np.array([0, 2, 1, 1]), SHARES),
    ("SparseCategoricalCrossentropy", {"from_logits": True}, np.array([[0], [2], [1], [1]]), floats(4, 3)),
]


@pytest.mark.parametrize(("name", "options", "real", "guess"), LOSSES)
@pytest.mark.parametrize("weight", [None, np.array([1.0, 0.0, 2.0, 0.5], np.float32)])
def test_losses_give_what_keras_gives(name, options, real, guess, weight):
    wanted = getattr(keras.losses, name)(**options)(real, guess, sample_weight=weight)
    found = getattr(losses, name)(**options)(gw.constant(real), gw.constant(guess), weight)
    np.testing.assert_allclose(float(found), float(wanted), rtol=2e-5)


METRICS = [
    ("Accuracy", np.array([1, 2, 3, 1]), np.array([1, 2, 2, 1])),
    ("BinaryAccuracy", np.array([[1.0], [0.0], [1.0]]), np.array([[0.7], [0.6], [0.2]])),
    ("CategoricalAccuracy", ONES, SHARES),
    ("SparseCategoricalAccuracy", np.array([0, 2, 1, 1]), SHARES),
    ("MeanSquaredError", floats(4, 3), floats(4, 3)),
    ("MeanAbsoluteError", floats(4, 3), floats(4, 3)),
    ("RootMeanSquaredError", floats(4, 3), floats(4, 3)),
]


@pytest.mark.parametrize(("name", "real", "guess"), METRICS)
def test_metrics_give_what_keras_gives(name, real, guess):
    ours, theirs = getattr(metrics, name)(), getattr(keras.metrics, name)()
    staged = gw.function(lambda real, guess: ours.update_state(real, guess))
    for part in (slice(0, 2), slice(2, None)):
        staged(gw.constant(real[part]), gw.constant(guess[part]))
        theirs.update_state(real[part], guess[part])
    np.testing.assert_allclose(float(ours.result()), float(theirs.result()), rtol=2e-5)
    ours.reset_state()
    assert float(ours.result()) == 0.0 and ours.name == theirs.name


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ExponentialDecay", {"initial_learning_rate": 0.1, "decay_steps": 7, "decay_rate": 0.5}),
        (
            "ExponentialDecay",
            {"initial_learning_rate": 0.1, "decay_steps": 7, "decay_rate": 0.5, "staircase": True},
        ),
        ("PiecewiseConstantDecay", {"boundaries": [3, 10], "values": [1.0, 0.5, 0.1]}),
        ("PolynomialDecay", {"initial_learning_rate": 0.1, "decay_steps": 9, "power": 2.0}),
        ("PolynomialDecay", {"initial_learning_rate": 0.1, "decay_steps": 4, "cycle": True}),
        ("CosineDecay", {"initial_learning_rate": 0.1, "decay_steps": 9, "alpha": 0.1}),
        (
            "CosineDecay",
            {"initial_learning_rate": 0.0, "decay_steps": 9, "warmup_target": 0.2, "warmup_steps": 3},
        ),
    ],
)
def test_schedules_give_what_keras_gives(name, options):
    ours, theirs = (getattr(one.optimizers.schedules, name)(**options) for one in (gw.keras, keras))
    for step in range(14):
        np.testing.assert_allclose(float(ours(gw.constant(step))), float(theirs(step)), rtol=1e-5, atol=1e-7)


def both(optimizer, loss, **compiled):
    """A model of ours and one of Keras's with the same weights."""
    made = []
    for library in (gw.keras, keras):
        model = library.Sequential(
            [library.layers.Dense(5, activation="tanh"), library.layers.Dropout(0.0), library.layers.Dense(3)]
        )
        model.build((None, 4))
        kind = getattr(library.optimizers, optimizer)
        model.compile(kind(0.05), getattr(library.losses, loss)(from_logits=True), **compiled)
        made.append(model)
    made[1].set_weights(made[0].get_weights())
    return made


X, Y = floats(50, 4), RANDOM.integers(0, 3, 50)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_training_goes_as_in_keras(optimizer):
    ours, theirs = both(optimizer, "SparseCategoricalCrossentropy", metrics=["accuracy"])
    given = {"epochs": 3, "batch_size": 16, "shuffle": False, "verbose": 0, "validation_split": 0.2}
    found, wanted = (model.fit(X, Y, **given).history for model in (ours, theirs))
    assert found.keys() == wanted.keys()
    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-4, err_msg=name)
    np.testing.assert_allclose(
        ours.predict(X, batch_size=7), theirs.predict(X, verbose=0), rtol=1e-3, atol=1e-5
    )
    np.testing.assert_allclose(ours.evaluate(X, Y), theirs.evaluate(X, Y, verbose=0), rtol=1e-4)


def test_datasets_and_arrays_train_alike():
    one, other = (both("SGD", "SparseCategoricalCrossentropy")[0] for _ in range(2))
    other.set_weights(one.get_weights())
    data = gw.data.Dataset.from_tensor_slices((X, Y)).batch(16)
    first = one.fit(X, Y, batch_size=16, shuffle=False, epochs=2, verbose=0).history
    second = other.fit(data, epochs=2, verbose=0, validation_data=data).history
    np.testing.assert_allclose(first["loss"], second["loss"], rtol=1e-6)
    assert one.predict(data, steps=2).shape == (32, 3)


def test_models_of_symbols():
    def made(library):
        first, other = library.Input((4,)), library.Input((4,))
        x = library.layers.Dense(3, activation="relu")(first)
        y = library.layers.Dense(3)(other)
        z = library.layers.Concatenate()([x, y])
        z = library.layers.BatchNormalization()(z)
        return library.Model(inputs=[first, other], outputs=[library.layers.Dense(2)(z), x + y])

    ours, theirs = made(gw.keras), made(keras)
    theirs.set_weights(ours.get_weights())
    staged = gw.function(lambda x, y: ours([x, y]))
    for call in (lambda x, y: ours([x, y]), staged, staged):
        for found, wanted in zip(call(X, X[::-1].copy()), theirs([X, X[::-1]]), strict=True):
            np.testing.assert_allclose(found.numpy(), np.asarray(wanted), rtol=1e-5, atol=1e-6)
    free = layers.Dense(1)(gw.keras.Input((4,)))
    with pytest.raises(ValueError, match="an input that `inputs` does not have"):
        gw.keras.Model(gw.keras.Input((4,)), free)


class Line(gw.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense, self.norm = layers.Dense(1), layers.BatchNormalization()

    def call(self, x, training=False):
        return self.norm(self.dense(x), training=training)


class Own(Line):
    def train_step(self, data):
        x, y = data
        with gw.GradientTape() as tape:
            loss = gw.reduce_mean(gw.square(self(x, training=True) - y))
        self.optimizer.apply_gradients(
            zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        )
        return {"own": loss}


def test_models_of_classes(tmp_path):
    model = Line()
    gw.random.set_seed(3)
    model.compile(optimizers.Adam(0.1), "mse", metrics=["mae", metrics.RootMeanSquaredError()])
    history = model.fit(X, X[:, :1], epochs=4, verbose=0).history
    assert list(history) == ["loss", "mae", "root_mean_squared_error"]
    assert history["loss"][-1] < history["loss"][0]
    model.save_weights(tmp_path / "line.safetensors")
    other = Line()
    other(X)
    other.load_weights(tmp_path / "line.safetensors")
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    own = Own()
    own.compile("sgd")
    assert list(own.fit(X, X[:, :1], verbose=0).history) == ["own"]


def test_what_is_wrong_is_said():
    model = gw.keras.Sequential([layers.Dense(1)])
    with pytest.raises(RuntimeError, match="is not compiled"):
        model.fit(X, Y)
    for call, message in [
        (lambda: model.compile("none"), "no optimizer 'none'"),
        (lambda: model.compile(loss="none"), "no loss 'none'"),
        (lambda: model.compile(metrics=["none"]), "no metric 'none'"),
        (lambda: model.compile(loss_weights=[1.0]), "no `loss_weights`"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="one number is needed"):
        model.fit(X, Y[:3], verbose=0)
    with pytest.raises(ValueError, match="leaves no rows"):
        model.fit(X[:1], Y[:1], validation_split=0.5, verbose=0)


def test_callbacks(tmp_path, capsys):
    model = gw.keras.Sequential([layers.Dense(1)])
    model.compile(optimizers.SGD(0.1), "mse")
    keep = callbacks.ModelCheckpoint(str(tmp_path / "best.safetensors"), "val_loss", save_best_only=True)
    stop = callbacks.EarlyStopping("val_loss", patience=1, restore_best_weights=True)
    board = callbacks.TensorBoard(str(tmp_path / "logs"))
    rising = callbacks.LearningRateScheduler(lambda epoch: 0.1 if epoch < 2 else 30.0)
    history = model.fit(
        X, X[:, :1], validation_split=0.3, epochs=20, callbacks=[keep, stop, board, rising], shuffle=False
    )
    assert len(history.epoch) < 20
    best = min(history.history["val_loss"])
    found = model.evaluate(X[35:], X[35:, :1])
    np.testing.assert_allclose(found, best, rtol=1e-5)
    assert (tmp_path / "best.safetensors").exists()
    assert sorted(part.name for part in (tmp_path / "logs").iterdir()) == ["train", "validation"]
    assert capsys.readouterr().out.count("Epoch") == len(history.epoch)


def test_arguments_are_kerass():
    for ours, theirs in (
        (gw.keras.Model.fit, keras.Model.fit),
        (gw.keras.Model.predict, keras.Model.predict),
    ):
        wanted = list(inspect.signature(theirs).parameters)
        assert [name for name in wanted if name not in inspect.signature(ours).parameters] in (
            [],
            ["class_weight"],
        )


@pytest.mark.parametrize("size", [0, -1])
def test_batches_have_rows(size):
    model = gw.keras.Sequential([layers.Dense(1)])
    model.compile("sgd", "mse")
    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    for way in (
        lambda: model.fit(x, y, batch_size=size, verbose=0),
        lambda: model.fit(x, y, validation_data=(x, y), validation_batch_size=size, verbose=0),
        lambda: model.evaluate(x, y, batch_size=size, verbose=0),
        lambda: model.predict(x, batch_size=size, verbose=0),
    ):
        with pytest.raises(ValueError, match=f"`batch_size` is {size}"):
            way()


@pytest.mark.parametrize("again", [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy])
def test_trained_models_are_pickled_and_copied(again):
    model = gw.keras.Sequential([layers.Dense(4, activation="relu"), layers.Dense(1)])
    model.compile(optimizers.Adam(0.1), "mse", metrics=["mae"])
    x, y = floats(8, 3), floats(8, 1)
    model.fit(x, y, verbose=0)
    model.evaluate(x, y, verbose=0)
    copied = again(model)
    before = model.predict(x, verbose=0)
    np.testing.assert_array_equal(copied.predict(x, verbose=0), before)
    losses_of = [one.fit(x, y, shuffle=False, epochs=2, verbose=0).history["loss"] for one in (copied, model)]
    assert losses_of[0] == losses_of[1]
    copied.fit(x, y, verbose=0)
    assert not np.array_equal(copied.predict(x, verbose=0), model.predict(x, verbose=0))

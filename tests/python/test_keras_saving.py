"""Whole models in files: what is read goes on as what was written would, and what is damaged is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import graphwright as gw
from graphwright import _native, _weights
from graphwright.keras import layers, losses, metrics, models, optimizers, regularizers

RANDOM = np.random.default_rng(6)


def floats(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def doubled(x):
    return x * 2.0


class Scale(layers.Layer):
    def __init__(self, by, **others):
        super().__init__(**others)
        self.by = by

    def build(self, input_shape):
        self.factor = self.add_weight((input_shape[-1],), "ones", name="factor")
        self.inner = layers.Dense(2, activation=doubled)

    def call(self, inputs):
        return self.inner(inputs * self.factor * self.by)


class Own(gw.keras.Model):
    def __init__(self, units):
        super().__init__()
        self.parts = [layers.Dense(units, activation="tanh"), Scale(3.0)]
        self.norm = layers.BatchNormalization()

    def call(self, x, training=False):
        for part in self.parts:
            x = part(x)
        return self.norm(x, training=training)


CUSTOM = {"Scale": Scale, "Own": Own, "doubled": doubled}


def sequence():
    return gw.keras.Sequential(
        [
            layers.Bidirectional(layers.GRU(3, return_sequences=True), merge_mode="sum"),
            layers.Dropout(0.3, seed=4),
            layers.GlobalMaxPooling1D(),
            layers.Dense(2, kernel_regularizer=regularizers.L2(0.1), activation=gw.nn.silu),
        ],
        name="some",
    ), floats(6, 4, 3)


def symbols():
    first, other = gw.keras.Input((4,)), gw.keras.Input((4,))
    shared = layers.Dense(3, activation="relu", activity_regularizer="l1")
    inner = gw.keras.Sequential([layers.Dense(3), layers.LayerNormalization()])
    joined = layers.Concatenate()([shared(first), inner(shared(other)) * 0.5])
    ends = [layers.Dense(2)(joined), 1.0 + shared(first)]
    return gw.keras.Model(inputs=[first, other], outputs=ends), [floats(5, 4), floats(5, 4)]


def images():
    parts = [
        gw.keras.Input((6, 6, 2)),
        layers.Conv2D(3, 3, padding="same", trainable=False),
        layers.BatchNormalization(),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(2),
    ]
    return gw.keras.Sequential(parts), floats(5, 6, 6, 2)


def own():
    return Own(4), floats(5, 3)


def words():
    parts = [layers.Embedding(9, 3, weights=floats(9, 3)), layers.Flatten(), layers.Dense(2)]
    return gw.keras.Sequential(parts), np.arange(10).reshape(5, 2) % 9


def flat(value):
    return [np.asarray(one) for one in gw.nest.flatten(value)]


@pytest.mark.parametrize("make", [sequence, symbols, images, own, words])
def test_models_that_are_read_go_on(make, tmp_path):
    model, x = make()
    several = isinstance(x, list)
    labels = [floats(len(x[0]), 2), floats(len(x[0]), 3)] if several else floats(len(x), 2)
    call = (lambda one: one(x)) if several else (lambda one: one.predict(x, verbose=0))
    if several:
        call(model)
    else:
        model.compile(optimizers.Adam(0.05), losses.Huber(), metrics=["mae", metrics.RootMeanSquaredError()])
        model.fit(x, labels, epochs=2, verbose=0, shuffle=False)
    model.save(tmp_path / "whole")
    again = models.load_model(tmp_path / "whole", CUSTOM)
    assert type(again) is type(model) and again.name == model.name
    for found, wanted in zip(flat(call(again)), flat(call(model)), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert [tuple(w.shape) for w in again.trainable_weights] == [
        tuple(w.shape) for w in model.trainable_weights
    ]
    if not several:
        histories = [one.fit(x, labels, epochs=2, verbose=0, shuffle=False).history for one in (again, model)]
        assert histories[0] == histories[1]
        plain = models.load_model(tmp_path / "whole", CUSTOM, compile=False)
        assert plain.optimizer is None


def test_rates_and_functions_are_kept(tmp_path):
    model, x = images()
    schedule = optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    model.compile(optimizers.SGD(schedule, momentum=0.9), losses.mean_absolute_error)
    model.fit(x, floats(5, 2), verbose=0)
    models.save_model(model, tmp_path / "whole")
    again = models.load_model(tmp_path / "whole")
    assert float(again.optimizer.learning_rate) == float(model.optimizer.learning_rate)
    assert again.optimizer.momentum == 0.9
    for ours, theirs in zip(again.optimizer.variables, model.optimizer.variables, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


def test_what_a_file_cannot_name_is_refused(tmp_path):
    model, x = own()
    model(x)
    model.save(tmp_path / "own")
    with pytest.raises(ValueError, match="has a `doubled`, which `custom_objects` does not have|has a `Own`"):
        models.load_model(tmp_path / "own", {"Scale": Scale})
    with pytest.raises(FileExistsError, match="overwrite=True"):
        model.save(tmp_path / "own", overwrite=False)
    nameless = gw.keras.Sequential([layers.Dense(1, activation=lambda x: x)])
    with pytest.raises(ValueError, match="has no name in a file"):
        nameless.save(tmp_path / "nameless")
    assert not (tmp_path / "nameless").exists()

    class Local(layers.Layer):
        pass

    with pytest.raises(ValueError, match="`Local` is a class in a function"):
        gw.keras.Sequential([Local()]).save(tmp_path / "local")


def test_files_of_others_and_of_other_versions_are_refused(tmp_path):
    model, x = images()
    model(x)
    path = tmp_path / "whole"
    model.save_weights(path)
    with pytest.raises(ValueError, match="holds values, but no model"):
        models.load_model(path)
    model.save(path)
    values, texts = _weights.read_with_metadata(path)
    told = json.loads(texts["model"])

    def written(**changed):
        _weights.write(path, values, texts | {k: v for k, v in changed.items() if k != "checksum"})

    written(format="7")
    with pytest.raises(ValueError, match="has the format 7, and this version reads 1"):
        models.load_model(path)
    for layer in ({"class": "layers.Nothing", "args": [], "kwargs": {}, "name": "x"}, {}, 3):
        written(model=json.dumps(told | {"layers": [layer, *told["layers"][1:]]}))
        with pytest.raises(ValueError, match="describes no model of this version"):
            models.load_model(path)
    del values[next(iter(values))]
    written()
    with pytest.raises(ValueError, match="lacks"):
        models.load_model(path)


def test_damaged_files_are_refused(tmp_path):
    model, x = own()
    model.compile("adam", "mse")
    model.fit(x, floats(5, 2), verbose=0)
    path = tmp_path / "whole"
    model.save(path)
    content = path.read_bytes()
    for at in (*range(0, 120, 7), *map(int, RANDOM.integers(0, len(content), 60))):
        damaged = bytearray(content)
        damaged[at] ^= 1 << int(RANDOM.integers(0, 8))
        path.write_bytes(damaged)
        with pytest.raises((gw.errors.DataLossError, ValueError)):
            models.load_model(path, CUSTOM)
    for length in (0, 5, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(gw.errors.DataLossError):
            models.load_model(path, CUSTOM)
    path.write_bytes(content)
    assert models.load_model(path, CUSTOM).count_params() == model.count_params()
    assert _native.read_safetensors(content)[1]["format"] == "1"

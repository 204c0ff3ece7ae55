"""`keras.random`, `keras.config` and schedules that begin again."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import config, random
from real_keras import keras

DRAWS = [
    (random.normal, {"mean": 1.0, "stddev": 2.0}, 1.0, 2.0),
    (random.uniform, {"minval": -1.0, "maxval": 3.0}, 1.0, 4.0 / 12**0.5),
    (random.truncated_normal, {"stddev": 1.0}, 0.0, 0.8796),
    (random.randint, {"minval": 0, "maxval": 4}, 1.5, 1.118),
]


@pytest.mark.parametrize(("draw", "options", "mean", "deviation"), DRAWS)
def test_draws(draw, options, mean, deviation):
    for run in (draw, gw.function(lambda *args, **kwargs: draw(*args, **kwargs))):
        one, again, other = (run((20000,), seed=seed, **options).numpy() for seed in (3, 3, 4))
        assert np.array_equal(one, again) and not np.array_equal(one, other)
        assert abs(one.mean() - mean) < 0.06 and abs(one.std() - deviation) < 0.06
    assert draw((2, 3), **options).shape == (2, 3)


def test_seeds_one_after_the_other():
    seeds, again = random.SeedGenerator(5), random.SeedGenerator(5)
    draw = gw.function(lambda: random.normal((4,), seed=seeds))
    found = [draw().numpy() for _ in range(2)]
    expected = [random.normal((4,), seed=again).numpy() for _ in range(2)]
    assert np.array_equal(found, expected) and not np.array_equal(found[0], found[1])
    assert random.SeedGenerator().next().shape == (2,)


def test_rows_and_classes():
    x = gw.reshape(gw.range(12), [6, 2])
    for seed in (None, 3):
        assert sorted(random.shuffle(x, seed=seed).numpy()[:, 0].tolist()) == [0, 2, 4, 6, 8, 10]
        assert random.categorical(gw.constant([[0.0, 50.0]]), 3, seed=seed).numpy().tolist() == [[1, 1, 1]]
        kept = random.dropout(gw.ones([1000]), 0.25, seed=seed).numpy()
        assert set(kept.round(4)) == {np.float32(0.0), np.float32(1.3333)}
    with pytest.raises(ValueError, match="along axis 0"):
        random.shuffle(x, axis=1)


def test_settings():
    assert (config.floatx(), config.epsilon(), config.image_data_format()) == (
        "float32",
        1e-7,
        "channels_last",
    )
    config.set_floatx("float32")
    for wrong in (
        lambda: config.set_floatx("float16"),
        lambda: config.set_epsilon(1e-3),
        lambda: config.set_image_data_format("channels_first"),
    ):
        with pytest.raises(ValueError):
            wrong()


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("InverseTimeDecay", (0.5, 10, 0.3), {}),
        ("InverseTimeDecay", (0.5, 10, 0.3), {"staircase": True}),
        ("CosineDecayRestarts", (0.5, 10), {}),
        ("CosineDecayRestarts", (0.5, 10), {"t_mul": 1.0, "m_mul": 0.7, "alpha": 0.1}),
        ("CosineDecayRestarts", (0.5, 10), {"t_mul": 1.5, "m_mul": 0.7}),
    ],
)
def test_schedules(name, args, options):
    ours = getattr(gw.keras.optimizers.schedules, name)(*args, **options)
    theirs = getattr(keras.optimizers.schedules, name)(*args, **options)
    staged = gw.function(lambda step: ours(step))
    for step in (0, 3, 12, 29, 47):
        for found in (ours(gw.constant(step)), staged(gw.constant(step))):
            np.testing.assert_allclose(found.numpy(), np.asarray(theirs(step)), rtol=1e-4, atol=1e-5)

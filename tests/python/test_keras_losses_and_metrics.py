"""Losses and metrics against Keras itself, eagerly and in graphs, over two batches, with and without weights."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from real_keras import keras

RANDOM = np.random.default_rng(3)
PLACES = RANDOM.uniform(0.01, 0.99, (6, 4)).astype(np.float32)
SHARES = PLACES / PLACES.sum(1, keepdims=True)
TRUTHS = RANDOM.integers(0, 2, (6, 4))
NUMBERS = RANDOM.integers(0, 4, 6)
ROWS = np.eye(4, dtype=np.float32)[RANDOM.integers(0, 4, 6)]
FIRST, SECOND = (RANDOM.normal(size=(6, 4)).astype(np.float32) for _ in range(2))
UNIT = FIRST / np.linalg.norm(FIRST, axis=1, keepdims=True)
ONES = np.array([0, 0, 1, 1, 1, 0])
CHANCES = np.array([0.0, 0.4, 0.3, 0.8, 1.0, 0.5], np.float32)
WEIGHTS = np.array([1, 2, 0.5, 1, 1, 3], np.float32)
SIGNALS = RANDOM.normal(size=(2, 7, 5)).astype(np.float32)
LOSSES = [
    ("MeanSquaredError", {}, (FIRST, SECOND)),
    ("MeanAbsoluteError", {}, (FIRST, SECOND)),
    ("MeanAbsolutePercentageError", {}, (FIRST, SECOND)),
    ("MeanSquaredLogarithmicError", {}, (FIRST, SECOND)),
    ("Huber", {"delta": 0.5}, (FIRST, SECOND)),
    ("LogCosh", {}, (FIRST, SECOND)),
    ("Poisson", {}, (TRUTHS, PLACES)),
    ("Hinge", {}, (TRUTHS, FIRST)),
    ("Hinge", {}, (2 * TRUTHS - 1, FIRST)),
    ("SquaredHinge", {}, (TRUTHS, FIRST)),
    ("CategoricalHinge", {}, (ROWS, FIRST)),
    ("CosineSimilarity", {"axis": 0}, (FIRST, SECOND)),
    ("KLDivergence", {}, (SHARES, SHARES[::-1].copy())),
    ("Dice", {}, (TRUTHS, PLACES)),
    ("Dice", {"axis": [1]}, (TRUTHS, PLACES)),
    ("Tversky", {"alpha": 0.3, "beta": 0.6}, (TRUTHS, PLACES)),
    ("Circle", {}, (NUMBERS, UNIT)),
    ("Circle", {"remove_diagonal": False, "gamma": 20.0, "margin": 0.2}, (NUMBERS, UNIT)),
    ("BinaryCrossentropy", {"label_smoothing": 0.1}, (TRUTHS, PLACES)),
    ("BinaryFocalCrossentropy", {}, (TRUTHS, PLACES)),
    (
        "BinaryFocalCrossentropy",
        {"apply_class_balancing": True, "from_logits": True, "gamma": 1.5, "label_smoothing": 0.1},
        (TRUTHS, FIRST),
    ),
    ("CategoricalCrossentropy", {}, (ROWS, SHARES)),
    ("CategoricalFocalCrossentropy", {"label_smoothing": 0.2}, (ROWS, SHARES)),
    ("CategoricalFocalCrossentropy", {"from_logits": True}, (ROWS, FIRST)),
    ("CategoricalGeneralizedCrossEntropy", {"q": 0.7}, (NUMBERS, SHARES)),
    ("SparseCategoricalCrossentropy", {"ignore_class": 1}, (NUMBERS, SHARES)),
    ("CTC", {}, (np.array([[1, 2, 0], [3, 0, 0]]), SIGNALS)),
]
METRICS = [
    ("Accuracy", {}, (NUMBERS, NUMBERS[::-1].copy())),
    ("BinaryAccuracy", {"threshold": 0.4}, (TRUTHS, PLACES)),
    ("CategoricalAccuracy", {}, (ROWS, SHARES)),
    ("SparseCategoricalAccuracy", {}, (NUMBERS, SHARES)),
    ("TopKCategoricalAccuracy", {"k": 2}, (ROWS, SHARES)),
    ("SparseTopKCategoricalAccuracy", {"k": 2}, (NUMBERS, SHARES)),
    ("SparseTopKCategoricalAccuracy", {"k": 2, "from_sorted_ids": True}, (NUMBERS, np.argsort(-SHARES, 1))),
    ("MeanSquaredLogarithmicError", {}, (FIRST, SECOND)),
    ("LogCoshError", {}, (FIRST, SECOND)),
    ("Poisson", {}, (TRUTHS, PLACES)),
    ("KLDivergence", {}, (SHARES, SHARES[::-1].copy())),
    ("Hinge", {}, (TRUTHS, FIRST)),
    ("SquaredHinge", {}, (TRUTHS, FIRST)),
    ("CategoricalHinge", {}, (ROWS, FIRST)),
    ("CosineSimilarity", {}, (FIRST, SECOND)),
    ("BinaryCrossentropy", {"from_logits": True}, (TRUTHS, FIRST)),
    ("CategoricalCrossentropy", {"label_smoothing": 0.1}, (ROWS, SHARES)),
    ("SparseCategoricalCrossentropy", {}, (NUMBERS, SHARES)),
    ("PearsonCorrelation", {}, (FIRST, SECOND)),
    ("ConcordanceCorrelation", {}, (FIRST, SECOND)),
    ("TruePositives", {}, (ONES, CHANCES)),
    ("TrueNegatives", {"thresholds": [0.2, 0.5]}, (ONES, CHANCES)),
    ("FalsePositives", {}, (ONES, CHANCES)),
    ("FalseNegatives", {"thresholds": 0.35}, (ONES, CHANCES)),
    ("Precision", {}, (ONES, CHANCES)),
    ("Precision", {"thresholds": [0.1, 0.6]}, (ONES, CHANCES)),
    ("Recall", {"top_k": 2}, (TRUTHS, PLACES)),
    ("Precision", {"class_id": 1}, (TRUTHS, PLACES)),
    ("Precision", {"top_k": 2, "class_id": 2}, (TRUTHS, PLACES)),
    ("SensitivityAtSpecificity", {"specificity": 0.5}, (ONES, CHANCES)),
    ("SpecificityAtSensitivity", {"sensitivity": 0.5}, (ONES, CHANCES)),
    ("PrecisionAtRecall", {"recall": 0.6}, (ONES, CHANCES)),
    ("RecallAtPrecision", {"precision": 0.7}, (ONES, CHANCES)),
    ("RecallAtPrecision", {"precision": 0.7, "num_thresholds": 1}, (ONES, CHANCES)),
    ("PrecisionAtRecall", {"recall": 1.0, "num_thresholds": 7}, (ONES, CHANCES)),
    ("IoU", {"num_classes": 4, "target_class_ids": [0, 2]}, (NUMBERS, NUMBERS[::-1].copy())),
    ("MeanIoU", {"num_classes": 4, "ignore_class": 1}, (NUMBERS, NUMBERS[::-1].copy())),
    ("BinaryIoU", {"threshold": 0.4}, (ONES, CHANCES)),
    ("OneHotIoU", {"num_classes": 4, "target_class_ids": [1, 3]}, (ROWS, SHARES)),
    ("OneHotMeanIoU", {"num_classes": 4}, (ROWS, SHARES)),
    ("FBetaScore", {"beta": 2.0, "threshold": 0.5}, (TRUTHS.astype(np.float32), PLACES)),
    ("FBetaScore", {"average": "micro"}, (ROWS, PLACES)),
    ("F1Score", {"average": "weighted"}, (ROWS, PLACES)),
    ("F1Score", {"average": "macro"}, (ROWS, PLACES)),
    ("R2Score", {}, (FIRST, SECOND)),
    ("R2Score", {"class_aggregation": "variance_weighted_average", "num_regressors": 2}, (FIRST, SECOND)),
    ("R2Score", {"class_aggregation": None}, (FIRST, SECOND)),
    ("RootMeanSquaredError", {}, (FIRST, SECOND)),
]


def given(value):
    return None if value is None else gw.constant(value)


@pytest.mark.parametrize(("name", "options", "operands"), LOSSES)
@pytest.mark.parametrize("reduction", ["sum_over_batch_size", "sum", None])
def test_losses(name, options, operands, reduction):
    theirs = getattr(keras.losses, name)(**options, reduction=reduction)
    loss = getattr(gw.keras.losses, name)(**options, reduction=reduction)
    real, guess = operands
    by_example = np.ndim(keras.losses.get(theirs).call(real, guess)) == 1
    for weight in (None, WEIGHTS[: len(real)]) if by_example and options.get("axis") != 0 else (None,):
        expected = np.asarray(theirs(real, guess, sample_weight=weight))
        for run in (loss, gw.function(loss)):
            found = run(gw.constant(real), gw.constant(guess), sample_weight=given(weight)).numpy()
            np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)
            assert found.shape == expected.shape


@pytest.mark.parametrize(("name", "options", "operands"), METRICS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_metrics(name, options, operands, is_weighted):
    weight = None
    if is_weighted:
        # Keras turns weights into whole numbers there.
        weight = np.array([1, 2, 1, 1, 0, 3]) if "IoU" in name else WEIGHTS
    theirs = getattr(keras.metrics, name)(**options)
    ours, staged = (getattr(gw.keras.metrics, name)(**options) for _ in range(2))
    update = gw.function(lambda real, guess, weight: staged.update_state(real, guess, sample_weight=weight))
    real, guess = operands
    for batch in (real, real[::-1].copy()):
        theirs.update_state(batch, guess, sample_weight=weight)
        ours.update_state(gw.constant(batch), gw.constant(guess), sample_weight=given(weight))
        update(gw.constant(batch), gw.constant(guess), given(weight))
    expected = np.asarray(theirs.result())
    for result in (ours.result(), staged.result(), gw.function(lambda: staged.result())()):
        np.testing.assert_allclose(result.numpy(), expected, rtol=2e-5, atol=1e-6)
        assert result.shape == expected.shape
    ours.reset_state()
    assert all(not np.any(variable.numpy()) for variable in ours.variables)


@pytest.mark.parametrize(("name", "options", "operands"), [case for case in LOSSES if case[0] != "CTC"])
def test_losses_have_derivatives(name, options, operands):
    loss = getattr(gw.keras.losses, name)(**options)
    real, guess = gw.constant(operands[0]), gw.constant(operands[1])
    with gw.GradientTape() as tape:
        tape.watch(guess)
        found = loss(real, guess)
    slope = tape.gradient(found, guess)
    way = gw.constant(np.random.default_rng(1).normal(size=guess.shape).astype(np.float32))
    small = 1e-2
    ends = [float(loss(real, guess + sign * small * way * 0.1)) for sign in (1, -1)]
    expected = (ends[0] - ends[1]) / (2 * small * 0.1)
    np.testing.assert_allclose(float(gw.reduce_sum(slope * way)), expected, rtol=0.08, atol=0.05)


def test_losses_of_ones_own():
    class Cubes(gw.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return gw.reduce_mean(abs(y_true - y_pred) ** 3.0, -1)

    loss = Cubes(name="cubes")
    assert loss.name == "cubes" and float(loss(gw.constant([[0.0]]), gw.constant([[2.0]]))) == 8.0
    assert gw.function(loss)(gw.constant([[0.0]]), gw.constant([[2.0]])).item() == 8.0
    with pytest.raises(NotImplementedError, match="has no `call`"):
        gw.keras.losses.Loss()(1.0, 2.0)


def test_names_of_losses_and_metrics():
    for name in ("mse", "MSLE", "Huber", "categorical_hinge", "kld"):
        assert gw.keras.losses.get(name)(gw.constant([[1.0, 0.0]]), gw.constant([[1.0, 0.0]])).shape == ()
    for name in ("F1Score", "top_k_categorical_accuracy", "mape", "AUC"):
        assert isinstance(gw.keras.metrics.get(name), gw.keras.metrics.Metric)
    assert gw.keras.losses.Reduction.SUM == "sum"
    for wrong in (
        lambda: gw.keras.losses.get("square"),
        lambda: gw.keras.metrics.get("square"),
        lambda: gw.keras.losses.Huber(reduction="all"),
        lambda: gw.keras.metrics.PrecisionAtRecall(1.5),
        lambda: gw.keras.metrics.FBetaScore(beta=2),
        lambda: gw.keras.metrics.IoU(2, [2]),
        lambda: gw.keras.metrics.R2Score(num_regressors=-1),
        lambda: gw.keras.metrics.F1Score().result(),
    ):
        with pytest.raises(ValueError):
            wrong()

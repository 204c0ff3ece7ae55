"""Functions of TensorFlow's and Keras's names against stored facts, all ways, and finite differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphwright as gw

Dataset = gw.data.Dataset
BOTH = pytest.mark.parametrize("way", [lambda f: f, gw.function], ids=["eager", "graph"])


def slope(function, at, step=1e-6):
    """A central difference."""
    return (float(function(at + step)) - float(function(at - step))) / (2 * step)


#: `a`, `x`, and SciPy's `gammainc` and `gammaincc`.
GAMMA = [
    (0.5, 0.3, 0.5614219739190003, 0.4385780260809997),
    (1.0, 1.0, 0.6321205588285577, 0.36787944117144233),
    (5.0, 4.9, 0.5417881317722055, 0.4582118682277946),
    (10.0, 20.0, 0.9950045876916924, 0.004995412308307555),
    (100.0, 90.0, 0.15822098918643018, 0.84177901081357),
    (3.0, 0.0, 0.0, 1.0),
    (3.0, np.inf, 1.0, 0.0),
    (-1.0, 1.0, np.nan, np.nan),
]


@BOTH
def test_incomplete_gamma_functions_are_scipys(way):
    a, x, lower, upper = map(np.array, zip(*GAMMA, strict=True))
    np.testing.assert_allclose(way(gw.math.igamma)(gw.constant(a), gw.constant(x)).numpy(), lower, rtol=1e-11)
    np.testing.assert_allclose(
        way(gw.math.igammac)(gw.constant(a), gw.constant(x)).numpy(), upper, rtol=1e-11
    )


@BOTH
def test_incomplete_beta_functions_are_scipys(way):
    facts = [
        (0.5, 0.5, 0.3, 0.36901011956554536),
        (2.0, 3.0, 0.5, 0.6875),
        (5.0, 1.0, 0.9, 0.59049),
        (1.0, 1.0, 0.25, 0.25),
        (2.0, 2.0, 1.0, 1.0),
    ]
    a, b, x, wanted = map(np.array, zip(*facts, strict=True))
    found = way(gw.math.betainc)(*map(gw.constant, (a, b, x))).numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_derivatives_of_incomplete_gamma_functions_are_those_of_differences(name):
    function = getattr(gw.math, name)
    for a, x in ((0.7, 0.4), (2.5, 6.0), (10.0, 9.0)):
        given = [gw.constant(one, gw.float64) for one in (a, x)]
        with gw.GradientTape() as tape:
            tape.watch(given)
            value = function(*given)
        found = [float(one) for one in tape.gradient(value, given)]
        wanted = [
            slope(lambda v: function(gw.constant(v, gw.float64), given[1]), a),
            slope(lambda v: function(given[0], gw.constant(v, gw.float64)), x),
        ]
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


@BOTH
@pytest.mark.parametrize(
    "floats, words", [("float16", "uint16"), ("float32", "uint32"), ("float64", "uint64")]
)
def test_bits_are_those_of_numpys_views(way, floats, words):
    limits = np.finfo(floats)
    row = np.array(
        [
            0.0,
            -0.0,
            1.0,
            -1.5,
            np.inf,
            -np.inf,
            limits.tiny,
            limits.max,
            limits.eps,
            1 - limits.epsneg,
            0.1,
            -3e-4,
        ],
        floats,
    )
    bits = way(lambda x: gw.bitcast(x, getattr(gw, words)))(gw.constant(row)).numpy()
    assert bits.tolist() == row.view(words).tolist()
    back = way(lambda x: gw.bitcast(x, getattr(gw, floats)))(gw.constant(bits)).numpy()
    assert back.tobytes() == row.tobytes()


def test_narrower_and_wider_elements_have_their_axis():
    row = np.array([1.5, -2.0])
    parts = gw.bitcast(gw.constant(row), gw.uint8)
    assert parts.numpy().tolist() == row.view(np.uint8).reshape(2, 8).tolist()
    assert gw.bitcast(parts, gw.float64).numpy().tolist() == row.tolist()
    with pytest.raises(ValueError, match="a last axis of 8 elements"):
        gw.bitcast(parts[:, :4], gw.float64)
    with pytest.raises(TypeError, match="not complex64"):
        gw.bitcast(gw.constant([1j]), gw.int8)


def likelihood(labels, logits, blank):
    """The negative logarithm of the probability of labels, over all paths."""
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    total = 0.0
    for path in itertools.product(range(p.shape[1]), repeat=len(p)):
        if [kind for kind, _ in itertools.groupby(path) if kind != blank] == list(labels):
            total += np.prod([p[time, kind] for time, kind in enumerate(path)])
    with np.errstate(divide="ignore"):
        return -np.log(total)


LOGITS = np.random.default_rng(0).standard_normal((5, 4, 3))
LABELS, SIZES, FRAMES = (
    np.array([[1, 2, 0], [1, 1, 0], [2, 0, 0], [1, 1, 1]]),
    np.array([2, 2, 0, 3]),
    np.array([5, 4, 3, 4]),
)


@BOTH
def test_losses_of_temporal_classification_are_those_of_all_paths(way):
    found = way(gw.nn.ctc_loss)(LABELS, gw.constant(LOGITS), SIZES, FRAMES).numpy()
    wanted = [likelihood(LABELS[at][: SIZES[at]], LOGITS[: FRAMES[at], at], 0) for at in range(4)]
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_the_blank_may_be_the_last_class_and_the_batch_the_first_axis():
    labels = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 0, 1]])
    found = gw.nn.ctc_loss(
        labels, gw.constant(LOGITS.transpose(1, 0, 2)), SIZES, FRAMES, logits_time_major=False, blank_index=-1
    )
    wanted = [likelihood(labels[at][: SIZES[at]], LOGITS[: FRAMES[at], at], 2) for at in range(4)]
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-9)
    with pytest.raises(ValueError, match="none of the 3 classes"):
        gw.nn.ctc_loss(labels, gw.constant(LOGITS), SIZES, FRAMES, blank_index=3)


def test_derivatives_of_temporal_classification_are_those_of_differences():
    def loss(logits):
        return gw.reduce_sum(gw.nn.ctc_loss(LABELS[:3], gw.constant(logits[:, :3]), SIZES[:3], FRAMES[:3]))

    x = gw.constant(LOGITS[:, :3])
    with gw.GradientTape() as tape:
        tape.watch(x)
        value = gw.reduce_sum(gw.nn.ctc_loss(LABELS[:3], x, SIZES[:3], FRAMES[:3]))
    found = tape.gradient(value, x).numpy()
    for place in [(0, 0, 1), (2, 1, 0), (4, 0, 2), (4, 1, 1), (1, 2, 0)]:

        def moved(v, place=place):
            logits = LOGITS.copy()
            logits[place] = v
            return loss(logits)

        assert abs(slope(moved, LOGITS[place]) - found[place]) < 1e-6


def test_elements_are_chosen_from_datasets():
    kinds = [Dataset.range(3), Dataset.range(10, 14)]
    choices = Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 0, 0, 1, 1]))
    assert [int(x) for x in Dataset.choose_from_datasets(kinds, choices)] == [0, 10, 11, 1, 2]
    assert [int(x) for x in Dataset.choose_from_datasets(kinds, choices, False)] == [0, 10, 11, 1, 2, 12, 13]
    with pytest.raises(TypeError, match="one type of elements"):
        Dataset.choose_from_datasets([Dataset.range(2), Dataset.from_tensor_slices(["a"])], choices)


def test_elements_are_sampled_from_datasets():
    kinds = [Dataset.range(3), Dataset.range(10, 14)]
    for seed in range(3):
        found = [int(x) for x in Dataset.sample_from_datasets(kinds, seed=seed)]
        assert sorted(found) == [0, 1, 2, 10, 11, 12, 13]
        assert found == [int(x) for x in Dataset.sample_from_datasets(kinds, seed=seed)]
        assert [x for x in found if x < 10] == [0, 1, 2]
    assert [int(x) for x in Dataset.sample_from_datasets(kinds, [1.0, 0.0], stop_on_empty_dataset=True)] == [
        0,
        1,
        2,
    ]
    endless = [Dataset.from_tensors(np.int64(kind)).repeat() for kind in range(3)]
    counts = np.bincount(
        [int(x) for x in Dataset.sample_from_datasets(endless, [0.2, 0.3, 0.5], seed=5).take(2000)]
    )
    np.testing.assert_allclose(counts / 2000, [0.2, 0.3, 0.5], atol=0.04)
    with pytest.raises(ValueError, match="2 weights"):
        Dataset.sample_from_datasets(kinds, [1.0])


def test_mixed_and_unique_elements_come_in_graphs():
    @gw.function
    def total(dataset):
        found = gw.constant(0, gw.int64)
        for x in dataset:
            found += x
        return found

    assert int(total(Dataset.sample_from_datasets([Dataset.range(3), Dataset.range(10, 14)], seed=1))) == 49
    assert int(total(Dataset.from_tensor_slices(np.array([1, 2, 1, 3, 2, 5])).unique())) == 11
    assert [x.item() for x in Dataset.from_tensor_slices(["a", "b", "a"]).unique()] == [b"a", b"b"]
    with pytest.raises(TypeError, match="single integers or strings"):
        Dataset.from_tensor_slices([1.5]).unique()


def test_datasets_are_kept_in_files(tmp_path):
    given = Dataset.from_tensor_slices({"x": np.arange(6.0).reshape(3, 2), "y": ["a", "bb", "c"]})
    given.save(str(tmp_path / "one"))
    found = Dataset.load(str(tmp_path / "one"))
    assert found.element_spec == given.element_spec
    assert [(one["x"].tolist(), one["y"].item()) for one in found][1] == ([2.0, 3.0], b"bb")
    Dataset.range(5).batch(2).save(str(tmp_path / "two"), "GZIP")
    assert [one.tolist() for one in Dataset.load(str(tmp_path / "two"), compression="GZIP")] == [
        [0, 1],
        [2, 3],
        [4],
    ]
    with pytest.raises(FileNotFoundError):
        Dataset.load(str(tmp_path / "three"))


def test_areas_are_shares_of_pairs_in_order():
    random = np.random.default_rng(0)
    truth = (random.random(200) > 0.4).astype(np.float32)
    told = np.clip(truth * 0.3 + random.random(200) * 0.7, 0, 1).astype(np.float32)
    pairs = [(a > b) + 0.5 * (a == b) for a in told[truth > 0.5] for b in told[truth <= 0.5]]
    assert abs(float(gw.keras.metrics.AUC(5000)(truth, told)) - np.mean(pairs)) < 1e-4
    # Keras 3 gives these.
    four = ([0, 0, 1, 1], [0, 0.5, 0.3, 0.9])
    assert float(gw.keras.metrics.AUC(num_thresholds=3)(*four)) == 0.75
    assert float(gw.keras.metrics.AUC(num_thresholds=3)(*four, sample_weight=[1, 0, 0, 1])) == 1.0
    for curve, method in itertools.product(["ROC", "PR"], ["minoring", "interpolation", "majoring"]):
        metric = gw.keras.metrics.AUC(50, curve, method)
        assert float(metric(truth, told)) == pytest.approx(
            float(gw.function(gw.keras.metrics.AUC(50, curve, method))(truth, told))
        )


def fitted(**options):
    """The losses and the kernel of a line fitted to a few numbers."""
    x, y = np.arange(12.0).reshape(6, 2) / 10, np.array([0, 1, 1, 0, 1, 0], np.float32)
    model = gw.keras.Sequential(
        [gw.keras.layers.Dense(1, kernel_initializer="zeros", **options.pop("layer", {}))]
    )
    model.compile("sgd", "mse")
    losses = model.fit(x, y, shuffle=False, verbose=0, **options).history["loss"]
    return losses, model.get_weights()[0].ravel().tolist()


def test_weights_of_classes_are_those_of_their_rows():
    rows = np.where(np.array([0, 1, 1, 0, 1, 0]) > 0.5, 0.5, 2.0)
    assert fitted(class_weight={0: 2.0, 1: 0.5}) == fitted(sample_weight=rows)
    assert fitted(class_weight={0: 2.0}, sample_weight=rows) == fitted(
        sample_weight=np.where(rows == 2.0, 4.0, 0.5)
    )
    assert fitted(class_weight={7: 3.0}) == fitted()


def test_penalties_of_weights_are_added_to_losses():
    layer = gw.keras.layers.Dense(
        2,
        kernel_initializer="ones",
        kernel_regularizer=gw.keras.regularizers.L1L2(0.5, 2.0),
        bias_regularizer="l2",
    )
    layer.build((None, 3))
    assert [float(one) for one in layer.losses] == [15.0, 0.0]
    with gw.GradientTape() as tape:
        penalty = layer.losses[0]
    assert tape.gradient(penalty, layer.kernel).numpy().tolist() == [[4.5, 4.5]] * 3
    plain, penalized = (
        fitted(epochs=3)[1],
        fitted(epochs=3, layer={"kernel_regularizer": gw.keras.regularizers.L2(1.0)})[1],
    )
    assert np.abs(penalized).sum() < np.abs(plain).sum()
    with pytest.raises(ValueError, match="no regularizer 'l3'"):
        gw.keras.layers.Dense(1, kernel_regularizer="l3")


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_layer_in_both_directions_gives_what_two_layers_give(kind, whole):
    made = getattr(gw.keras.layers, kind)
    x = np.random.default_rng(0).random((2, 5, 3)).astype(np.float32)
    both = gw.keras.layers.Bidirectional(made(4, return_sequences=whole))
    found = both(x).numpy()
    results = []
    for one, rows in ((both.forward_layer, x), (both.backward_layer, x[:, ::-1].copy())):
        layer = made(4, return_sequences=whole)
        layer.build((None, 5, 3))
        layer.set_weights(one.get_weights())
        results.append(layer(rows).numpy())
    back = results[1][:, ::-1] if whole else results[1]
    np.testing.assert_allclose(found, np.concatenate([results[0], back], -1), atol=1e-6)
    assert gw.function(both)(gw.constant(x)).shape == found.shape


def test_both_directions_merge_as_is_asked():
    x = gw.ones([1, 4, 2])
    assert [one.shape[-1] for one in gw.keras.layers.Bidirectional(gw.keras.layers.GRU(3), None)(x)] == [3, 3]
    assert gw.keras.layers.Bidirectional(gw.keras.layers.GRU(3), "ave")(x).shape == (1, 3)
    states = gw.keras.layers.Bidirectional(gw.keras.layers.LSTM(3, return_state=True))(x)
    assert [tuple(one.shape) for one in states] == [(1, 6)] + [(1, 3)] * 4
    with pytest.raises(ValueError, match="merge_mode"):
        gw.keras.layers.Bidirectional(gw.keras.layers.GRU(3), "max")

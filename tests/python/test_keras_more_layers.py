"""Layers of one tensor against Keras itself: outputs, gradients, batches of unknown and of no length."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import layers
from real_keras import keras

RANDOM = np.random.default_rng(8)


def floats(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


IMAGES, ROWS, TIMES, VOLUMES = floats(2, 7, 6, 4), floats(5, 4), floats(2, 5, 4), floats(2, 4, 5, 6, 2)
FIRST = {"data_format": "channels_first"}
CASES = [
    ("ReLU", {}, ROWS),
    ("ReLU", {"max_value": 1.0, "negative_slope": 0.1, "threshold": 0.2}, ROWS),
    ("LeakyReLU", {}, ROWS),
    ("PReLU", {"shared_axes": [1]}, TIMES),
    ("ELU", {"alpha": 0.5}, ROWS),
    ("Softmax", {"axis": [1, 2]}, TIMES),
    ("Softmax", {"axis": 1}, TIMES),
    ("Identity", {}, ROWS),
    ("Permute", {"dims": (2, 1)}, TIMES),
    ("RepeatVector", {"n": 3}, ROWS),
    ("Cropping1D", {"cropping": (1, 2)}, TIMES),
    ("Cropping2D", {"cropping": ((1, 0), (2, 1))} | FIRST, IMAGES),
    ("Cropping3D", {}, VOLUMES),
    ("ZeroPadding1D", {"padding": 2}, TIMES),
    ("ZeroPadding2D", {"padding": ((1, 0), (2, 1))} | FIRST, IMAGES),
    ("ZeroPadding3D", {"padding": (1, 0, 2)}, VOLUMES),
    ("UpSampling1D", {"size": 3}, TIMES),
    ("UpSampling2D", {"size": (2, 3)}, IMAGES),
    ("UpSampling2D", {"interpolation": "bilinear"}, IMAGES),
    ("UpSampling3D", FIRST, VOLUMES),
    ("Conv1D", {"filters": 3, "kernel_size": 2, "padding": "causal", "dilation_rate": 2}, TIMES),
    (
        "Conv1D",
        {"filters": 4, "kernel_size": 3, "groups": 2, "padding": "same", "activation": "relu"},
        TIMES,
    ),
    ("Conv2D", {"filters": 4, "kernel_size": 3, "groups": 2, "strides": 2, "padding": "same"}, IMAGES),
    ("Conv3D", {"filters": 3, "kernel_size": (2, 3, 2), "strides": (1, 2, 1), "padding": "same"}, VOLUMES),
    ("Conv1DTranspose", {"filters": 3, "kernel_size": 3, "strides": 2}, TIMES),
    ("Conv1DTranspose", {"filters": 3, "kernel_size": 3, "strides": 2, "padding": "same"}, TIMES),
    ("Conv1DTranspose", {"filters": 3, "kernel_size": 2, "dilation_rate": 2}, TIMES),
    (
        "Conv2DTranspose",
        {"filters": 3, "kernel_size": (3, 2), "strides": (2, 3), "padding": "same", "output_padding": 1},
        IMAGES,
    ),
    ("Conv2DTranspose", {"filters": 3, "kernel_size": 2, "strides": 3}, IMAGES),
    (
        "Conv2DTranspose",
        {"filters": 3, "kernel_size": (3, 2), "strides": (2, 3), "output_padding": 1},
        IMAGES,
    ),
    ("Conv3DTranspose", {"filters": 3, "kernel_size": 2, "strides": 2, "padding": "same"}, VOLUMES),
    ("DepthwiseConv1D", {"kernel_size": 3, "depth_multiplier": 2, "strides": 2}, TIMES),
    ("DepthwiseConv2D", {"kernel_size": 3, "padding": "same"}, IMAGES),
    ("DepthwiseConv2D", {"kernel_size": (2, 3), "dilation_rate": 2, "depth_multiplier": 2}, IMAGES),
    ("SeparableConv1D", {"filters": 3, "kernel_size": 3, "padding": "same", "activation": "tanh"}, TIMES),
    (
        "SeparableConv2D",
        {"filters": 3, "kernel_size": 3, "strides": 2, "depth_multiplier": 2, "padding": "same"},
        IMAGES,
    ),
    ("GlobalAveragePooling3D", {}, VOLUMES),
    ("GlobalMaxPooling3D", {"keepdims": True}, VOLUMES),
    ("MaxPooling2D", FIRST, IMAGES),
    ("AveragePooling1D", {"pool_size": 2} | FIRST, TIMES),
    ("GlobalAveragePooling2D", FIRST, IMAGES),
    ("RMSNormalization", {}, ROWS),
    ("RMSNormalization", {"axis": [1, 2]}, TIMES),
    ("GroupNormalization", {"groups": 2}, IMAGES),
    ("GroupNormalization", {"groups": 7, "axis": 1}, IMAGES),
    ("GroupNormalization", {"groups": -1, "center": False, "scale": False}, IMAGES),
    ("UnitNormalization", {}, ROWS),
    ("UnitNormalization", {"axis": [1, 2]}, TIMES),
    (
        "EinsumDense",
        {"equation": "abc,cd->abd", "output_shape": (None, 6), "bias_axes": "d", "activation": "relu"},
        TIMES,
    ),
    ("EinsumDense", {"equation": "...x,xy->...y", "output_shape": 6, "bias_axes": "y"}, TIMES),
    ("EinsumDense", {"equation": "abc,cde->abde", "output_shape": (5, 2, 3), "bias_axes": "de"}, TIMES),
    ("EinsumDense", {"equation": "ab,bc->ac", "output_shape": 3}, ROWS),
    ("SimpleRNN", {"units": 3}, TIMES),
    ("SimpleRNN", {"units": 3, "return_sequences": True, "go_backwards": True, "return_state": True}, TIMES),
    ("Normalization", {"mean": [1.0, 2.0, 3.0, 4.0], "variance": [1.0, 2.0, 0.5, 1.0]}, ROWS),
    ("Normalization", {"mean": 2.0, "variance": 3.0, "axis": None, "invert": True}, ROWS),
]


def listed(outputs):
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def pair(name, options, shape):
    """Keras's layer and ours, with the same random weights."""
    theirs, ours = getattr(keras.layers, name)(**options), getattr(layers, name)(**options)
    theirs.build(shape)
    ours.build(shape)
    assert [weight.shape for weight in ours.weights] == [weight.shape for weight in theirs.weights]
    theirs.set_weights([floats(*weight.shape) * 0.5 for weight in theirs.weights])
    ours.set_weights(theirs.get_weights())
    return theirs, ours


def slopes(layer, x, seeds):
    """Keras's gradients of weighted outputs, by the weights and the input."""

    def loss(weights, x):
        others = [variable.value for variable in layer.non_trainable_variables]
        outputs = listed(layer.stateless_call(weights, others, x)[0])
        return sum(jax.numpy.sum(o * s) for o, s in zip(outputs, seeds, strict=True))

    weights = [weight.value for weight in layer.trainable_variables]
    found = jax.grad(loss, (0, 1))(weights, jax.numpy.asarray(x))
    return [np.asarray(one) for one in [*found[0], found[1]]]


@pytest.mark.parametrize(("name", "options", "x"), CASES)
def test_outputs_and_gradients(name, options, x):
    theirs, ours = pair(name, options, x.shape)
    expected = [np.asarray(output) for output in listed(theirs(x))]
    seeds = [floats(*output.shape) for output in expected]
    gradients = slopes(theirs, x, seeds)

    def numbers(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            outputs = listed(ours(x))
            loss = gw.reduce_sum(outputs[0] * seeds[0])
            for o, s in zip(outputs[1:], seeds[1:]):
                loss = loss + gw.reduce_sum(o * s)
        return outputs, tape.gradient(loss, [*ours.trainable_variables, x])

    for run in (numbers, gw.function(numbers)):
        outputs, found = run(gw.constant(x))
        for one, other in zip([*outputs, *found], [*expected, *gradients], strict=True):
            np.testing.assert_allclose(one.numpy(), other, rtol=2e-4, atol=3e-5)


@pytest.mark.parametrize(("name", "options", "x"), CASES)
def test_batches_of_unknown_length(name, options, x):
    theirs, ours = pair(name, options, x.shape)
    expected = [np.asarray(output) for output in listed(theirs(x))]
    free = gw.function(lambda x: ours(x), input_signature=[gw.TensorSpec([None, *x.shape[1:]])])
    for count in (2, 1, 0):
        for one, other in zip(listed(free(gw.constant(x[:count]))), expected, strict=True):
            assert one.shape == (count, *other.shape[1:])
            np.testing.assert_allclose(one.numpy(), other[:count], rtol=2e-4, atol=3e-5)


def test_channels_in_front_of_convolutions():
    x = gw.constant(IMAGES)
    turned = gw.transpose(x, [0, 3, 1, 2])
    for name, options in [
        ("Conv2D", {"filters": 3, "kernel_size": 3, "padding": "same"}),
        ("Conv2DTranspose", {"filters": 3, "kernel_size": 3, "strides": 2}),
        ("DepthwiseConv2D", {"kernel_size": 3}),
        ("SeparableConv2D", {"filters": 3, "kernel_size": 3}),
    ]:
        last, first = getattr(layers, name)(**options), getattr(layers, name)(**options, **FIRST)
        expected = last(x)
        first.build(tuple(turned.shape))
        first.set_weights(last.get_weights())
        found = gw.transpose(first(turned), [0, 2, 3, 1])
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SpatialDropout1D", {"rate": 0.3}),
        ("AlphaDropout", {"rate": 0.2}),
        ("GaussianNoise", {"stddev": 0.5}),
        ("GaussianDropout", {"rate": 0.3}),
    ],
)
def test_noise_has_the_moments_of_keras(name, options):
    ones = np.ones((2000, 7, 5), np.float32)
    ours, theirs = (getattr(module, name)(**options, seed=1) for module in (layers, keras.layers))
    assert np.array_equal(ours(gw.constant(ones)).numpy(), ones)
    expected = np.asarray(theirs(ones, training=True))
    for run in (ours, gw.function(ours)):
        found = run(gw.constant(ones), training=True).numpy()
        assert abs(found.mean() - expected.mean()) < 0.03 and abs(found.std() - expected.std()) < 0.03
    if name == "SpatialDropout1D":
        assert (found == found[:, :1]).all()
    if name == "AlphaDropout":
        assert set(np.unique(found.round(4))) == set(np.unique(expected.round(4)))


def test_softmax_with_a_mask():
    mask = np.array([[True, True, False, False]] * 5)
    expected = keras.layers.Softmax()(ROWS, mask=mask)
    found = gw.function(layers.Softmax())(gw.constant(ROWS), mask=gw.constant(mask))
    np.testing.assert_allclose(found.numpy(), np.asarray(expected), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "options", "given"),
    [
        ("Dot", {"axes": 2}, [floats(2, 3, 4), floats(2, 5, 4)]),
        ("Dot", {"axes": (2, 2), "normalize": True}, [floats(2, 3, 4), floats(2, 5, 4)]),
        ("Dot", {"axes": 1}, [floats(3, 4), floats(3, 4)]),
        ("Dot", {"axes": (1, 1)}, [floats(2, 4), floats(2, 4, 3)]),
        ("Maximum", {}, [floats(3, 4), floats(3, 4), floats(3, 4)]),
        ("Minimum", {}, [floats(3, 4), floats(3, 4), floats(3, 4)]),
        ("Subtract", {}, [floats(3, 4), floats(3, 4)]),
    ],
)
def test_layers_of_several_tensors(name, options, given):
    expected = np.asarray(getattr(keras.layers, name)(**options)(given))
    ours = getattr(layers, name)(**options)
    for run in (ours, gw.function(lambda given: ours(given))):
        found = run([gw.constant(one) for one in given])
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)
    made = getattr(layers, name.lower())([gw.constant(one) for one in given], **options)
    np.testing.assert_allclose(made.numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axis", [-1, None, (0, 1)])
def test_moments_are_measured(axis):
    data = floats(20, 3) * 3 + 1
    ours, theirs = layers.Normalization(axis=axis), keras.layers.Normalization(axis=axis)
    ours.adapt(data)
    theirs.adapt(data)
    expected = np.asarray(theirs(data))
    for run in (ours, gw.function(ours)):
        np.testing.assert_allclose(run(gw.constant(data)).numpy(), expected, rtol=1e-4, atol=1e-5)


def test_moments_of_batches():
    data = floats(20, 3) * 3 + 1
    theirs = keras.layers.Normalization()
    theirs.adapt(data)
    batches = gw.data.Dataset.from_tensor_slices(data).batch(6)
    for given in ([data[:7], data[7:]], batches):
        ours = layers.Normalization()
        ours.adapt(given)
        np.testing.assert_allclose(
            ours(gw.constant(data)).numpy(), np.asarray(theirs(data)), rtol=1e-4, atol=1e-5
        )
    with pytest.raises(ValueError, match="no batch"):
        layers.Normalization().adapt([])


WRONG = [
    (lambda: layers.ReLU(max_value=-1.0), "`max_value` of `ReLU` is -1.0"),
    (lambda: layers.LeakyReLU(-0.5), "`negative_slope` of `LeakyReLU` is -0.5"),
    (lambda: layers.Permute((1, 3)), "`dims` is"),
    (lambda: layers.Permute((2, 1))(gw.ones([2, 3])), "`Permute` takes a tensor of 3 axes"),
    (lambda: layers.Cropping1D(3)(gw.ones([1, 5, 2])), "leaves nothing"),
    (lambda: layers.UpSampling2D(interpolation="cubic"), "none of Keras's"),
    (lambda: layers.ZeroPadding2D(data_format="NCHW"), "`data_format` is 'NCHW'"),
    (lambda: layers.Conv1D(3, 2, groups=2), "not a multiple of the 2 `groups`"),
    (lambda: layers.Conv2D(2, 3, strides=2, dilation_rate=2), "not both greater than 1"),
    (lambda: layers.Conv2D(2, 3, padding="causal"), "'valid' or 'same'"),
    (lambda: layers.Conv2DTranspose(2, 3, strides=2, output_padding=2), "less than `strides`"),
    (lambda: layers.GroupNormalization(3)(gw.ones([2, 4])), "not a multiple of the 3 groups"),
    (lambda: layers.Normalization(mean=1.0), "both or not at all"),
    (lambda: layers.Dot(axes=0)([gw.ones([2, 3]), gw.ones([2, 3])]), "axis 0 is that of the batch"),
    (lambda: layers.Subtract()([gw.ones([2])]), "two tensors, not 1"),
    (lambda: layers.EinsumDense("ab->ac", 3), "not of the form"),
    (lambda: layers.EinsumDense("ab,bc->ac", 3, bias_axes="b")(gw.ones([2, 4])), "`bias_axes` has 'b'"),
    (lambda: layers.CategoryEncoding(), "`num_tokens` is None"),
    (lambda: layers.CategoryEncoding(3)([1], count_weights=[1.0]), "needs `output_mode='count'`"),
    (lambda: layers.Discretization(num_bins=3)([1.0]), "has no boundaries"),
    (lambda: layers.SpatialDropout2D(1.5), "`rate` is 1.5"),
    (lambda: layers.Conv2D(2, 3, kernel_constraint=object()), "has no `kernel_constraint"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_wrong_arguments_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def test_other_names_are_the_same_classes():
    for name in ("MaxPool2D", "AvgPool1D", "GlobalAvgPool2D", "GlobalMaxPool3D", "Convolution2D"):
        long = name.replace("Avg", "Average").replace("Pool", "Pooling").replace("olution", "")
        assert getattr(layers, name) is getattr(layers, long)

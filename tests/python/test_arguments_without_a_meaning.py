"""Arguments for which a function has no result: zeros where lengths are needed, rows of several lengths."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphwright as gw

ROW, IMAGE = gw.ones([16]), gw.ones([1, 2, 2, 4])

REFUSED = {
    "frames of no step": (lambda: gw.signal.frame(ROW, 3, 0), "`frame_step` 0"),
    "transforms of no step": (lambda: gw.signal.stft(ROW, 4, 0), "`frame_step` 0"),
    "a window of less than nothing": (lambda: gw.signal.hann_window(-1), "`window_length` is -1"),
    "channels to no block": (lambda: gw.nn.depth_to_space(IMAGE, 0), "`block_size` is 0"),
    "no block to channels": (lambda: gw.nn.space_to_depth(IMAGE, 0), "`block_size` is 0"),
    "blocks to a batch": (
        lambda: gw.space_to_batch(IMAGE, [0, 1], [[0, 0]] * 2),
        r"`block_shape` is \[0, 1\]",
    ),
    "a batch to blocks": (
        lambda: gw.batch_to_space(IMAGE, [0, 1], [[0, 0]] * 2),
        r"`block_shape` is \[0, 1\]",
    ),
    "an image of no height": (lambda: gw.image.resize(gw.ones([1, 0, 4, 1]), [2, 2]), "no elements"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_lengths_of_nothing_are_refused(name):
    call, message = REFUSED[name]
    with pytest.raises(gw.errors.InvalidArgumentError, match=message):
        call()


def test_windows_of_convolutions_fit():
    image = gw.ones([1, 4, 4, 1])
    for shape in ([0, 2, 1, 1], [2, 0, 1, 1]):
        with pytest.raises(ValueError, match="GW202: a filter of a convolution has no elements"):
            gw.nn.conv2d(image, gw.ones(shape), 1, "SAME")
    with pytest.raises(
        ValueError, match="GW202: a window of a convolution has 5 places, and the axis under it 4"
    ):
        gw.nn.conv2d(image, gw.ones([5, 3, 1, 1]), 1, "VALID")
    assert gw.nn.conv2d(image, gw.ones([5, 5, 1, 1]), 1, "SAME").shape == (1, 4, 4, 1)


def test_objects_that_are_no_elements_are_named():
    with pytest.raises(TypeError, match="GW301: an array of Python's objects cannot become a tensor"):
        gw.constant(np.array([1, 2.5], object))
    with pytest.raises(TypeError, match="GW306: this integer does not fit 64 bits"):
        gw.constant([1, 10**20])
    with pytest.raises(TypeError, match="GW301: cannot mix strings"):
        gw.constant(np.array([1, "a"], object))
    with pytest.raises(TypeError, match="GW301: a text with half of a surrogate pair"):
        gw.constant("\ud800")


def test_windows_of_nothing_are_empty():
    for window in (gw.signal.hann_window, gw.signal.hamming_window, gw.signal.kaiser_window):
        assert window(0).shape == (0,) and window(1).numpy().tolist() == [1.0]


def test_rows_of_several_lengths_are_not_mapped():
    rows = gw.ragged.constant([[1.0, 2.0], [3.0]])
    with pytest.raises(TypeError, match=r"GW301: `elems` holds a ragged tensor"):
        gw.map_fn(lambda row: gw.reduce_sum(row), rows)
    with pytest.raises(TypeError, match=r"GW301: `elems` holds a ragged tensor"):
        gw.map_fn(lambda pair: pair[0], (gw.constant([1.0, 2.0]), rows))


def test_functions_of_keras_that_are_absent_have_a_remedy():
    with pytest.raises(AttributeError, match="use `gw.math.l2_normalize`"):
        _ = gw.keras.utils.normalize


def test_means_of_integers_are_integers():
    ids = gw.constant([0, 0, 2])
    for numbers in ([1, 2, 4], [-1, -2, -4]):
        found = gw.math.segment_mean(gw.constant(numbers), ids)
        assert found.dtype == gw.int32 and found.numpy().tolist() == [numbers[0], 0, numbers[2]]


def test_poisson_numbers_of_great_rates():
    rates = np.array([math.inf, 1e15, 1e300])
    found = gw.random.stateless_poisson([100], [1, 2], rates, dtype=gw.float64).numpy()
    assert (found[:, 0] == math.inf).all()
    np.testing.assert_allclose(found[:, 1:], np.broadcast_to(rates[1:], (100, 2)), rtol=2e-7)
    spread = (found[:, 1] - rates[1]).std() / math.sqrt(rates[1])
    assert 0.7 < spread < 1.3

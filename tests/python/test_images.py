"""Images: the sizes that they are given, and files that end too early."""

import numpy as np
import pytest

import graphwright as gw


@pytest.mark.parametrize("size", [[-1, 3], [0, 2], [3.5, 2], [3], 3, [2, 2, 2], [True, True]])
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_sizes_are_two_whole_numbers(size, method):
    def resized(x):
        return gw.image.resize(x, size, method)

    for way in (resized, gw.function(resized)):
        with pytest.raises(ValueError, match=r"`size` is .*: it is height and width"):
            way(gw.ones([4, 4, 1]))


@pytest.mark.parametrize("size", [(2, 3), [np.int64(2), 3], np.array([2, 3]), gw.constant([2, 3])])
def test_sizes_of_any_kind(size):
    assert gw.image.resize(gw.ones([4, 4, 1]), size).shape == (2, 3, 1)


@pytest.fixture
def jpeg():
    """A file whose image has many elements."""
    image = np.random.default_rng(0).integers(0, 256, (32, 32, 3), np.uint8)
    return gw.io.encode_jpeg(image).numpy()


def test_jpeg_that_ends_too_early(jpeg):
    assert gw.io.decode_jpeg(jpeg).shape == (32, 32, 3)
    assert gw.io.decode_jpeg(jpeg + b"beyond").shape == (32, 32, 3)
    decode = gw.function(lambda file: gw.io.decode_jpeg(file))
    assert decode(gw.constant(jpeg)).shape == (32, 32, 3)
    for end in (len(jpeg) // 4, len(jpeg) // 2, len(jpeg) - 2, len(jpeg) - 1):
        with pytest.raises(gw.errors.InvalidArgumentError, match="does not read the image"):
            gw.io.decode_jpeg(jpeg[:end])
        with pytest.raises(gw.errors.InvalidArgumentError, match="ends before the image does"):
            decode(gw.constant(jpeg[:end]))


#: What TensorFlow gives for a row of five pixels, by the number wanted and whether it is smoothed.
CUBIC = {
    (7, False): [-0.05816089, 0.3599723, 1.654138, 4.0, 8.385781, 6.248022, 1.592874],
    (7, True): [-0.05825236, 0.3601108, 1.653062, 4.0, 8.387756, 6.249308, 1.592233],
    (3, False): [0.1722118, 4.0, 4.100721],
    (3, True): [0.1692302, 4.71628, 5.153847],
}


@pytest.mark.parametrize(("count", "antialias"), CUBIC)
def test_cubic_splines_are_tensorflows(count, antialias):
    def resized(x):
        return gw.image.resize(x, [1, count], method="bicubic", antialias=antialias)

    x = gw.constant([[[0.0], [1.0], [4.0], [9.0], [2.0]]])
    for found in (resized(x), gw.function(resized)(x)):
        np.testing.assert_allclose(np.ravel(found), CUBIC[count, antialias], rtol=1e-5)


CHANGES = [
    ("random_brightness", (0.2,)),
    ("random_contrast", (0.5, 1.5)),
    ("random_saturation", (0.5, 1.5)),
    ("random_hue", (0.3,)),
]


@pytest.mark.parametrize(("name", "bounds"), CHANGES)
def test_changes_at_random(name, bounds):
    x = gw.constant(np.random.default_rng(1).uniform(size=(4, 5, 3)).astype(np.float32))
    stateless = getattr(gw.image, f"stateless_{name}")
    for run in (stateless, gw.function(stateless)):
        one, again, other = (run(x, *bounds, (1, at)).numpy() for at in (2, 2, 3))
        assert np.array_equal(one, again) and not np.array_equal(one, other) and one.shape == (4, 5, 3)
    assert not np.array_equal(getattr(gw.image, name)(x, *bounds).numpy(), x.numpy())
    with pytest.raises(ValueError):
        getattr(gw.image, name)(x, *[-1.0] * len(bounds))

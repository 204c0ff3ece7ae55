"""Convolutions and greatest elements against plain loops over NumPy arrays, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from three_ways import agree, plain

RANDOM = np.random.default_rng(5)


def convolved(x, filters, strides, padding, dilations):
    """By the definition, one number after the other."""
    x = np.pad(x, [(0, 0), *padding, (0, 0)])
    reach = [(size - 1) * step + 1 for size, step in zip(filters.shape, dilations)]
    down, across = ((n - r) // s + 1 for n, r, s in zip(x.shape[1:], reach, strides))
    made = np.zeros((len(x), down, across, filters.shape[3]))
    for n, i, j, o in np.ndindex(made.shape):
        rows = slice(i * strides[0], i * strides[0] + reach[0], dilations[0])
        columns = slice(j * strides[1], j * strides[1] + reach[1], dilations[1])
        made[n, i, j, o] = np.sum(x[n, rows, columns] * filters[..., o])
    return made.astype(x.dtype)


@pytest.mark.parametrize(
    ("size", "strides", "padding", "dilations", "places"),
    [
        ((3, 3), 1, "SAME", None, [(1, 1), (1, 1)]),
        ((3, 2), 1, "VALID", None, [(0, 0), (0, 0)]),
        ((2, 4), [2], "SAME", 1, [(0, 1), (1, 1)]),
        ((1, 1), [1, 3, 2, 1], "SAME", 1, [(0, 0), (0, 0)]),
        ((2, 3), (2, 1), [[0, 0], [1, 0], [2, 3], [0, 0]], [1, 2], [(1, 0), (2, 3)]),
        ((3, 3), 1, "SAME", (2, 1), [(2, 2), (1, 1)]),
    ],
)
def test_a_convolution_is_a_sum_over_windows(size, strides, padding, dilations, places):
    for dtype in (np.float32, np.float64):
        x = RANDOM.integers(-3, 4, (2, 7, 6, 3)).astype(dtype)
        filters = RANDOM.integers(-3, 4, (*size, 3, 5)).astype(dtype)

        def f(x, filters):
            return gw.nn.conv2d(x, filters, strides, padding, dilations=dilations)

        both = [
            np.broadcast_to(1 if step is None else step, 4 if np.size(step) == 4 else 2)
            for step in (strides, dilations)
        ]
        steps, apart = ([int(n) for n in (step[1:3] if len(step) == 4 else step)] for step in both)
        wanted = convolved(x, filters, steps, places, apart)
        assert agree(plain(f(x, filters)), wanted)
        assert agree(plain(gw.function(f)(x, filters)), wanted)
        if padding != "SAME" or strides == 1:
            signature = [gw.TensorSpec([None] * 3 + [3], dtype), gw.TensorSpec([*size, None, None], dtype)]
            assert agree(plain(gw.function(f, input_signature=signature)(x, filters)), wanted)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"data_format": "CHWN"}, r"GW204.*(?s:.*)conv2d(?s:.*)gw\.transpose\(x, \[0, 2, 3, 1\]\)"),
        ({"padding": "same"}, r"GW204.*`padding` is 'same'"),
        ({"padding": [[0, 0], [1, 1], [1, 1], [1, 1]]}, "GW204.*`padding` is"),
        ({"strides": [2, 1, 1, 1]}, "GW204.*`strides` is"),
        ({"strides": 0}, "GW204.*1 or more"),
        ({"dilations": "2"}, "GW204.*`dilations` is '2'"),
        ({"filters": np.ones((1, 1, 3, 1), np.float32)}, "GW202.*have 2 channels"),
        ({"filters": np.ones((1, 1, 2), np.float32)}, "GW202.*four axes"),
        ({"filters": gw.constant("one")}, "GW203.*strings and numbers do not mix"),
    ],
)
def test_what_cannot_be_convolved_is_said(arguments, message):
    given = {
        "input": gw.ones([1, 4, 4, 2]),
        "filters": gw.ones([1, 1, 2, 3]),
        "strides": 1,
        "padding": "VALID",
    }
    with pytest.raises((ValueError, TypeError), match=message):
        gw.nn.conv2d(**(given | arguments))


def test_same_needs_lengths_where_windows_skip():
    signature = [gw.TensorSpec([1, None, 4, 2], gw.float32)]

    @gw.function(input_signature=signature)
    def f(x):
        return gw.nn.conv2d(x, gw.ones([2, 2, 2, 1]), 2, "SAME")

    with pytest.raises(ValueError, match="GW204.*`SAME` pads"):
        f(gw.ones([1, 4, 4, 2]))

    @gw.function(input_signature=[gw.TensorSpec([1, 4, 4, None], gw.float32)])
    def g(x):
        return gw.nn.conv2d(x, gw.ones([2, 2, 2, 1]), 1, "SAME")

    with pytest.raises(ValueError, match="an axis of length"):
        g(gw.ones([1, 4, 4, 3]))


def test_the_greatest_come_first_and_of_equal_ones_the_first():
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        x = RANDOM.integers(-3, 3, (2, 3, 9)).astype(dtype)
        order = np.argsort(-x, axis=-1, kind="stable")
        for k in (0, 1, 4, 9):

            def f(x):
                values, indices = gw.math.top_k(x, k)
                return values, indices

            wanted = np.take_along_axis(x, order[..., :k], -1), order[..., :k].astype(np.int32)
            assert agree(plain(f(x)), wanted)
            assert agree(plain(gw.function(f)(x)), wanted)
    found = gw.nn.top_k([1.0, np.nan, 3.0, np.inf], 3, index_type=gw.int64)
    assert found.indices.dtype == gw.int64 and found.indices.numpy().tolist() == [1, 3, 2]
    assert gw.math.top_k([2, 1]).values.numpy().tolist() == [2]


def test_more_elements_than_there_are():
    with pytest.raises(ValueError, match="GW202.*has no 3 greatest elements"):
        gw.math.top_k([1, 2], 3)
    with pytest.raises(ValueError, match=r"GW204.*`k`"):
        gw.math.top_k([1, 2], -1)

    @gw.function(input_signature=[gw.TensorSpec([None], gw.int32)])
    def f(x):
        return gw.math.top_k(x, 3).indices

    assert f([5, 7, 6]).numpy().tolist() == [1, 2, 0]
    with pytest.raises(ValueError, match="an axis of length 2 has no 3 greatest elements"):
        f([1, 2])

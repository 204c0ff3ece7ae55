"""Indices and bounds of `uint64` that are greater than any place: none is counted from the end."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

GREAT = [2**64 - 1, 2**64 - 2, 2**63]


@pytest.mark.parametrize("number", GREAT)
@pytest.mark.parametrize("shape", [(), (1,)])
def test_indices_are_refused(number, shape):
    x, place = gw.constant([1, 2, 3]), gw.constant(np.full(shape, number, np.uint64))
    for read in (lambda x, i: x[i], gw.gather):
        for f in (read, gw.function(read), gw.function(lambda x, i, read=read: read(x, place))):
            with pytest.raises(IndexError, match="9223372036854775807"):
                f(x, place)


@pytest.mark.parametrize("number", GREAT)
def test_bounds_are_cut(number):
    x = np.array([1, 2, 3])
    for part in (lambda x, i: x[:i], lambda x, i: x[i:], lambda x, i: x[1:i]):
        found = gw.function(part)(x, gw.constant(np.uint64(number)))
        np.testing.assert_array_equal(found.numpy(), part(x, np.uint64(number)))


def test_stores_are_refused():
    @gw.function
    def put(x, i):
        x[i] = 9
        return x

    with pytest.raises(IndexError):
        put(np.array([1, 2, 3]), gw.constant(np.uint64(2**64 - 1)))

"""NumPy's scalar types cast numbers of the graph as they cast NumPy's, and Python's."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

KINDS = ["bool_", "int8", "int32", "int64", "uint8", "uint16", "uint64", "float32", "float64", "complex128"]
NUMBERS = [
    np.arange(40) * 17 - 300,
    np.arange(40) * 3.1,
    np.arange(40) % 2 == 0,
    np.arange(40, dtype=np.uint8),
]


def same(found, wanted):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("x", NUMBERS, ids=lambda x: x.dtype.name)
def test_elements_are_cast(kind, x):
    cast = getattr(np, kind)

    def stored(x):
        out = np.zeros(x.shape[0], cast)
        last = cast(0)
        for i in range(x.shape[0]):
            out[i] = cast(x[i])
            last = cast(x[i])
        return out, last, cast(x[3]) if x[2] > 0 else cast(x[1]), cast(x), cast(x[0]) * 1.5

    for function in (gw.function(stored), gw.function(stored, roll=True)):
        for found, wanted in zip(function(x), stored(x), strict=True):
            same(found, wanted)


def meeting(x, cast):
    total = x[0] * 0
    for i in range(x.shape[0]):
        total = total + cast(i) * x[i]
    return total


@pytest.mark.parametrize("kind", ["int64", "uint64", "float32", "float64", "bool_", "uint8"])
def test_casts_of_pythons_numbers_meet_arrays_as_numpys(kind):
    for x in (np.arange(40, dtype=np.float32), np.arange(40, dtype=np.int32)):
        cast = getattr(np, kind)
        for roll in (True, "auto"):
            same(gw.function(lambda x, cast=cast: meeting(x, cast), roll=roll)(x), meeting(x, cast))


def test_pythons_numbers_have_to_fit():
    def counted(x):
        total = np.uint8(0)
        for i in range(x.shape[0]):
            total = np.uint8(i * 2)
        return total

    for call in (counted, gw.function(counted, roll=True)):
        same(call(np.zeros(100)), np.uint8(198))
        for n in (129, 200):
            with pytest.raises(OverflowError, match="Python integer 256 out of bounds for uint8"):
                call(np.zeros(n))

    def whole(x):
        return np.int32(float(x))

    for given, error in ((np.nan, ValueError), (np.inf, OverflowError), (2.0**40, OverflowError)):
        for call in (whole, gw.function(whole)):
            with pytest.raises(error):
                call(np.float64(given))
    with pytest.raises(TypeError, match="not 'complex'"):
        gw.function(lambda x: np.int32(complex(x)))(np.float64(1))


def test_items_are_pythons_numbers():
    def items(x, k, c):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i].item()
        count = 0
        for i in range(k.shape[0]):
            count += k[i].item() // 2
        return total, count, c[1].item(), x[:1].item() * np.float32(2), (x[0] > 1).item()

    given = (
        np.arange(30, dtype=np.float32) / 3,
        np.arange(30, dtype=np.int32),
        np.ones(2, np.complex64) * 1j,
    )
    for found, wanted in zip(gw.function(items)(*given), items(*given), strict=True):
        same(found, wanted)
    with pytest.raises(ValueError, match="can only convert an array of size 1"):
        gw.function(lambda x: x.item())(np.arange(3.0))

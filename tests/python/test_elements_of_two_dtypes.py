"""Elements of arrays of two dtypes, and NumPy numbers beside elements: as NumPy has them, or refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphwright as gw
from outcomes import outcome


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def doubled(x, y, c):
    k = x[0] if c[0] else y[0]
    return k + k


def turned(x, y, c):
    k = x[0] if c[0] else y[0]
    return ~k


def scaled(x, y, c):
    k = x[0] if c[0] else y[0]
    return k * 100


INTEGERS = ["int8", "uint8", "int16", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("f", [doubled, turned, scaled])
@pytest.mark.parametrize(("a", "b"), [*itertools.product(INTEGERS, INTEGERS)])
def test_elements_of_two_dtypes_wrap_as_numpys_or_do_not_meet(f, a, b):
    x, y = np.array([100], a), np.array([np.iinfo(b).max], b)
    for c in (True, False):
        wanted, found = (outcome(g, x, y, np.array([c])) for g in (f, gw.function(f)))
        # Integers are checked for overflow, where NumPy's wrap.
        is_refused = a != b and "GW101" in str(found[1])
        assert found == wanted or is_refused or found[0] is OverflowError


def counted(x, y):
    n = 0
    for _ in x:
        n -= 1
    return x[0] * (y[0] if x[0] > 2 else n)


@pytest.mark.parametrize(("first", "raises"), [(3, False), (1, True)])
def test_a_number_that_an_element_cannot_be_raises(first, raises):
    arguments = np.array([first], np.uint8), np.array([3], np.uint8)
    assert (outcome(counted, *arguments)[0] is OverflowError) == raises
    assert (outcome(gw.function(counted), *arguments)[0] is OverflowError) == raises


def product(x, n):
    return x[0] * n, x * n, n * x[0], x[0] + (n + 1), x[0] / n


NUMBERS = [np.int64(3), np.int8(3), np.uint16(3), np.float64(3), np.float32(3), 3, 3.0]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: type(n).__name__)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int64"])
def test_numbers_of_numpys_among_the_arguments_meet_elements_as_numpys(number, dtype):
    x = np.array([1.5, 2.5]).astype(dtype)
    wanted = [np.asarray(part) for part in product(x, number)]
    graph = gw.function(product)
    for _ in range(2):
        assert all(same_bits(a, b) for a, b in zip(graph(x, number), wanted, strict=True))


def test_a_tensor_in_the_place_of_such_a_number_makes_a_graph_of_its_own():
    graph, x = gw.function(lambda x, n: x[0] * n), np.array([1.5], np.float32)
    for number, dtype in [(gw.constant(3, gw.int64), "float32"), (np.int64(3), "float64")] * 2:
        assert np.asarray(graph(x, number)).dtype == dtype

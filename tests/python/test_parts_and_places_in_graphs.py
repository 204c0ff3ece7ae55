"""Parts of rows whose lengths the graph finds, and changes at places by any ufunc, are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as gw

#: Parts of rows of which the graph finds the lengths.
PARTS: list[Any] = [
    lambda x: np.delete(x, 2),
    lambda x: np.delete(x, -1),
    lambda x: np.delete(x, [0, 1, 0]),
    lambda x: np.delete(x, slice(1, None, 2)),
    lambda x: np.delete(np.outer(x, x), 1, axis=1),
    lambda x: np.array_split(x, 3),
    lambda x: np.array_split(x, 9),
    lambda x: np.array_split(np.outer(x, x), 2, axis=1),
    lambda x: np.split(np.concatenate([x, x]), 2),
]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("least", [0, 2, 3])
def test_parts_of_rows_whose_lengths_the_graph_finds(part: Any, least: int) -> None:
    x = np.arange(6.0)
    wanted, found = (
        f(x) for f in (lambda x: part(x[x >= least]), gw.function(lambda x: part(x[x >= least])))
    )
    wanted, found = (one if isinstance(one, list) else [one] for one in (wanted, found))
    for one, other in zip(wanted, found, strict=True):
        np.testing.assert_array_equal(other, one)


@pytest.mark.parametrize(
    ("part", "error"),
    [
        (lambda x: np.delete(x, 4), IndexError),
        (lambda x: np.delete(x, [0, -9]), IndexError),
        (lambda x: np.split(x, 3), ValueError),
    ],
)
def test_parts_that_rows_do_not_have(part: Any, error: Any) -> None:
    for f in (lambda x: part(x[x > 1]), gw.function(lambda x: part(x[x > 1]))):
        with pytest.raises(error):
            f(np.arange(6.0))


@pytest.mark.parametrize(
    ("ufunc", "places", "operands"),
    [
        (np.multiply, [0, 0, 1], [10]),
        (np.multiply, np.array([3, 1]), [np.array([2, 3])]),
        (np.negative, [0, 0, 1], []),
        (np.power, [True, False, True, False], [3]),
        (np.add, [1, -1], [np.array([1, 2])]),
        (np.bitwise_or, [2, 2], [np.array([8, 16])]),
        (np.true_divide, [0, 1], [2]),
    ],
)
def test_at_of_any_ufunc_changes_an_array_of_the_graph(ufunc, places, operands):
    def change(x, *operands):
        x = x + 0
        ufunc.at(x, places, *operands)
        return x

    x = np.array([1, 2, 3, 4])
    np.testing.assert_array_equal(gw.function(change)(x, *operands), change(x, *operands))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("number", [2j, 0.5 + 1j])
def test_powers_of_a_complex_number_of_pythons_have_the_precision_of_the_array(dtype, number):
    x = np.array([1, 2, 3], dtype)
    wanted = np.power(x, number)
    for found in (np.power(gw.constant(x), number), gw.function(lambda x: np.power(x, number))(x)):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-6)

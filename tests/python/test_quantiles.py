"""Quantiles between infinities, medians of nothing, and variances of all elements, eagerly and in graphs."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import graphwright as gw

NAN = math.nan


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile"])
@pytest.mark.parametrize(
    "row", [[1, 2, math.inf], [-math.inf, 1, 2], [math.inf] * 2, [-math.inf, math.inf], [NAN] * 3, []]
)
@pytest.mark.parametrize("method", ["linear", "hazen", "midpoint", "higher", "nearest"])
def test_quantiles_between_infinities(name, row, method):
    x = np.array(row, float)
    if not row and name != "nanquantile":
        return
    scale = 100 if name == "percentile" else 1
    for fraction in (0.0, 0.3, 0.5, 1.0, [0.0, 1.0]):
        given = (np.array(fraction) * scale).tolist()

        def f(x, given=given):
            return getattr(np, name)(x, given, method=method)

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            wanted = f(x)
        for found in (f(gw.constant(x)), gw.function(f)(x)):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (2, 2)])
def test_medians_of_no_numbers(shape):
    x = np.full(shape, NAN)
    for axis in (None, 0, len(shape) - 1):
        for of in (
            lambda x, axis: np.nanmedian(x, axis=axis),
            lambda x, axis: np.nanquantile(x, 0.5, axis=axis),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = of(x, axis)
            for found in (of(gw.constant(x), axis), gw.function(lambda x, of=of, axis=axis: of(x, axis))(x)):
                np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_variances_of_all_elements_are_the_same_eagerly_and_in_graphs(dtype):
    for count in (1, 7, 40, 65, 257, 1000):
        x = np.random.default_rng(count).normal(size=(3, count)).astype(dtype)
        for f in (
            np.var,
            np.std,
            lambda x: np.var(x, ddof=1),
            lambda x: np.sum(x - np.mean(x, keepdims=True)),
        ):
            np.testing.assert_array_equal(f(gw.constant(x)), gw.function(f)(x))

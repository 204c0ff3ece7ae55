"""Factories of aggregations: sums, means, secure sums, clipping and noise."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import graphwright as gw
import graphwright.federated as tff

INT, FLOAT = np.int32, np.float32
aggregators = tff.aggregators
SCALAR = tff.TensorType(FLOAT)
WEIGHTS = tff.to_type(collections.OrderedDict(w=(FLOAT, [2]), b=FLOAT))


def result(process, *values):
    output = process.next(process.initialize(), *values)
    assert type(output) is tff.templates.MeasuredProcessOutput
    return output.result


def test_sums_and_means():
    assert result(aggregators.SumFactory().create(SCALAR), [1.0, 2.0, 4.0]) == 7.0
    assert result(aggregators.UnweightedMeanFactory().create(SCALAR), [1.0, 2.0, 6.0]) == 3.0
    weighted = aggregators.MeanFactory().create(SCALAR, SCALAR)
    assert weighted.is_weighted
    assert result(weighted, [1.0, 5.0], [1.0, 3.0]) == 4.0
    assert np.isnan(result(weighted, [1.0, 5.0], [0.0, 0.0]))
    found = result(aggregators.SumFactory().create(WEIGHTS), [{"w": [1.0, 2.0], "b": 3.0}] * 2)
    assert found["w"].tolist() == [2.0, 4.0]
    assert found["b"] == 6.0


@pytest.mark.parametrize(
    ("dtype", "upper", "lower", "values", "wanted"),
    [
        (INT, 10, 0, [1, 2, 3], 6),
        (INT, 10, None, [-7, 2, 30], 5),
        (np.int64, 2**40, -5, [2**40, 1, -9], 2**40 - 4),
        (FLOAT, 1.0, None, [0.5, -0.25, 0.125], 0.375),
        (np.float64, 4.0, 0.0, [0.5, -1.0, 9.0], 4.5),
    ],
)
def test_secure_sums(dtype, upper, lower, values, wanted):
    process = aggregators.SecureSumFactory(upper, lower).create(tff.TensorType(dtype))
    seen = []
    with tff.framework.observe_aggregation(seen.append):
        found = result(process, values)
    np.testing.assert_allclose(found, wanted, rtol=1e-7)
    assert found.dtype == dtype
    shown = [one.value for one in seen if one.uri == "federated_secure_sum"]
    assert len(shown) == 3
    assert not set(np.array(shown, object)) & set(values)


def test_clipping():
    clipped = aggregators.clipping_factory(1.0, aggregators.SumFactory()).create(WEIGHTS)
    found = result(clipped, [{"w": [3.0, 0.0], "b": 4.0}, {"w": [0.25, 0.0], "b": 0.0}])
    np.testing.assert_allclose(found["w"], [0.85, 0.0], rtol=1e-6)
    np.testing.assert_allclose(found["b"], 0.8, rtol=1e-6)
    weighted = aggregators.clipping_factory(1.0, aggregators.MeanFactory()).create(SCALAR, SCALAR)
    assert result(weighted, [8.0, 0.5], [1.0, 1.0]) == 0.75
    zeros = result(clipped, [{"w": [0.0, 0.0], "b": 0.0}])
    assert zeros["w"].tolist() == [0.0, 0.0]


def test_noise():
    without = aggregators.DifferentiallyPrivateFactory.gaussian_fixed(0.0, 4, clip=1.0).create(SCALAR)
    assert result(without, [0.5, 8.0]) == 0.375
    large = tff.TensorType(FLOAT, [4000])
    noisy = aggregators.DifferentiallyPrivateFactory.gaussian_fixed(2.0, 4, clip=0.5).create(large)
    gw.random.set_seed(1)
    first, second = (result(noisy, [np.zeros(4000, FLOAT)] * 3) for _ in range(2))
    assert abs(first.std() - 0.25) < 0.02
    assert abs(first.mean()) < 0.02
    assert not np.array_equal(first, second)
    gw.random.set_seed(1)
    np.testing.assert_array_equal(result(noisy, [np.zeros(4000, FLOAT)] * 3), first)


@pytest.mark.parametrize(
    "make",
    [
        lambda: aggregators.SumFactory().create(tff.TensorType(np.str_)),
        lambda: aggregators.SumFactory().create(tff.SequenceType(FLOAT)),
        lambda: aggregators.UnweightedMeanFactory().create(tff.TensorType(INT)),
        lambda: aggregators.MeanFactory().create(SCALAR, tff.TensorType(np.bool_)),
        lambda: aggregators.SecureSumFactory(1, 0).create(tff.to_type([INT, FLOAT])),
        lambda: aggregators.clipping_factory(1.0, aggregators.SumFactory()).create(tff.TensorType(INT)),
    ],
)
def test_types_that_are_not_aggregated(make):
    with pytest.raises(TypeError, match="and this type is"):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: aggregators.SecureSumFactory(0),
        lambda: aggregators.SecureSumFactory(1, 1),
        lambda: aggregators.clipping_factory(0.0, aggregators.SumFactory()),
        lambda: aggregators.DifferentiallyPrivateFactory.gaussian_fixed(-1.0, 4, 1.0),
        lambda: aggregators.DifferentiallyPrivateFactory.gaussian_fixed(1.0, 0, 1.0),
        lambda: aggregators.DifferentiallyPrivateFactory.gaussian_fixed(1.0, 4, 0.0),
    ],
)
def test_numbers_that_are_refused(make):
    with pytest.raises(ValueError, match="not"):
        make()

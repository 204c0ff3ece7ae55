"""Functions under TensorFlow's names give what TensorFlow gives, eagerly and in graphs, and derivatives that are differences."""

from __future__ import annotations

import json
import math
import statistics

import numpy as np
import pytest

import graphwright as gw
import tensorflow_calls as calls

FACTS = json.loads(calls.FACTS.read_text(encoding="utf-8"))
#: The dtype of floats, and how far apart results may be.
WIDTHS = [(gw.float64, 3e-13), (gw.float32, 3e-5)]
#: TensorFlow adjusts images in single precision.
ROUGH = {"tf.image.": 3e-5}


def arrays(found):
    """Results as NumPy's arrays."""
    return [np.asarray(gw.convert_to_tensor(leaf)) for leaf in found]


def agree(found, fact, tolerance):
    assert len(found) == len(fact)
    for ours, (dtype, value) in zip(arrays(found), fact, strict=True):
        theirs = np.array(value, dtype=dtype)
        assert ours.shape == theirs.shape
        assert (ours.dtype.kind == "f") == (theirs.dtype.kind == "f")
        if theirs.dtype.kind == "f":
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
        else:
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)


def cases(table):
    return [pytest.param(text, operands, id=f"{text[:60]}-{at}") for at, (text, operands) in enumerate(table)]


@pytest.mark.parametrize(("text", "operands"), cases(calls.CALLS))
def test_calls_give_what_tensorflow_gives(text, operands):
    fact = FACTS[calls.key(text, operands)]
    of_floats = any(calls.is_float(one) for one in operands)
    for dtype, tolerance in WIDTHS if of_floats else WIDTHS[:1]:
        given = calls.tensors(gw, operands, dtype)
        narrow = dtype == gw.float32 or any(kind == "float32" for kind, _ in fact)
        bound = max(tolerance, 3e-5) if narrow else tolerance
        bound = max([bound, *(rough for part, rough in ROUGH.items() if part in text)])
        agree(calls.evaluated(gw, text, given), fact, bound)
        staged = gw.function(lambda *given: calls.evaluated(gw, text, given))
        for _ in range(2):
            agree(staged(*given), fact, bound)


def weighted(text, given):
    """A number that all results decide, of which each element has another weight."""
    total = 0.0
    for leaf in calls.evaluated(gw, text, given):
        if leaf.dtype.is_floating:
            flat = gw.reshape(leaf, [-1])
            total += gw.reduce_sum(flat * gw.cos(gw.cast(gw.range(gw.size(flat)), flat.dtype)))
    return total


@pytest.mark.parametrize(
    ("text", "operands"), cases([(text, operands) for text, operands in calls.SMOOTH if [] not in operands])
)
def test_derivatives_are_differences(text, operands):
    given = calls.tensors(gw, operands, gw.float64)
    with gw.GradientTape() as tape:
        for one in given:
            tape.watch(one)
        found = weighted(text, given)
    slopes = tape.gradient(found, given)
    random = np.random.default_rng(1)
    for at, slope in enumerate(slopes):
        if slope is None:
            continue
        way = random.standard_normal(given[at].shape)
        small = 1e-6
        ends = []
        for sign in (1, -1):
            moved = [*given]
            moved[at] = given[at] + sign * small * way
            ends.append(float(weighted(text, moved)))
        expected = (ends[0] - ends[1]) / (2 * small)
        np.testing.assert_allclose(float(gw.reduce_sum(slope * way)), expected, rtol=2e-5, atol=2e-6)
    assert any(slope is not None for slope in slopes)


TINY, SHARES = np.geomspace(1e-300, 0.4, 400), np.linspace(0.001, 0.999, 400)
POSITIVE, WIDE = np.geomspace(1e-9, 1e9, 400), np.linspace(-5.9, 26.0, 400)
ACCURATE = [
    ("ndtri", statistics.NormalDist().inv_cdf, TINY),
    ("ndtri", statistics.NormalDist().inv_cdf, SHARES),
    ("erfc", math.erfc, WIDE),
    ("lgamma", math.lgamma, POSITIVE),
    ("lgamma", math.lgamma, WIDE),
    ("erfinv", lambda x: statistics.NormalDist().inv_cdf(0.5 * x + 0.5) / math.sqrt(2.0), SHARES),
    ("erfinv", lambda x: 0.5 * math.sqrt(math.pi) * x, TINY[TINY < 1e-9]),
    ("erfcinv", lambda x: -statistics.NormalDist().inv_cdf(0.5 * x) / math.sqrt(2.0), TINY),
]


@pytest.mark.parametrize(("name", "judge", "x"), ACCURATE)
def test_special_functions_are_accurate(name, judge, x):
    found = getattr(gw.math, name)(gw.constant(x, gw.float64)).numpy()
    bound = 1e-13 if name in ("erfc", "erfinv") else 5e-15  # the judge of erfinv rounds its operand
    np.testing.assert_allclose(found, [judge(one) for one in x], rtol=bound, atol=1e-14 * (name != "erfc"))


def test_each_call_has_a_fact():
    assert {calls.key(text, operands) for text, operands in calls.CALLS} == set(FACTS)

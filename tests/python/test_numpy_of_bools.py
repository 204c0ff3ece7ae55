"""NumPy's functions of bools: the same number in the same dtype, eagerly and in a graph."""

import numpy as np
import pytest

import graphwright as gw

OF_FLOATS = [np.exp, np.sin, np.sqrt, np.log1p, np.cbrt, np.degrees, np.rint, np.fabs, np.tan, np.arctan]
OF_STATISTICS = [np.mean, np.std, np.var, np.average, np.median, np.nanmean, np.trapezoid, np.linalg.norm]
OF_OTHERS = [
    np.absolute,
    np.square,
    np.cumsum,
    np.sum,
    np.prod,
    np.floor,
    np.trunc,
    np.sort,
    np.argmax,
    np.diff,
]
OF_TWO = [np.hypot, np.arctan2, np.power, np.corrcoef, np.add, np.multiply, np.maximum]


@pytest.mark.parametrize("function", OF_FLOATS + OF_STATISTICS + OF_OTHERS, ids=lambda f: f.__name__)
def test_a_function_of_bools_has_numpy_s_result(function):
    x = np.array([1.0, -2.0, 3.0, 4.0])
    wanted = np.asarray(function(x > 0))
    for run in (lambda x: function(x > 0), gw.function(lambda x: function(x > 0))):
        found = np.asarray(run(gw.constant(x)))
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=2e-3 if wanted.dtype == np.float16 else 1e-12)


@pytest.mark.parametrize("function", OF_TWO, ids=lambda f: f.__name__)
def test_a_function_of_two_bools_has_numpy_s_result(function):
    x = np.array([1.0, -2.0, 3.0, 4.0])
    wanted = np.asarray(function(x > 0, x > 2))
    for run in (lambda x: function(x > 0, x > 2), gw.function(lambda x: function(x > 0, x > 2))):
        found = np.asarray(run(gw.constant(x)))
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=2e-3 if wanted.dtype == np.float16 else 1e-12)

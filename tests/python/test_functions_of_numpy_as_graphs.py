"""Functions and ufuncs of NumPy's as graph functions themselves: they are called with what is given, and with no default."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import graphwright as gw

ROW = np.array([4.0, 9.0])


@pytest.mark.parametrize(
    "function, arguments",
    [
        (np.sqrt, (ROW,)),
        (np.add, (ROW, ROW)),
        (np.maximum, (ROW, 5.0)),
        (np.frexp, (ROW,)),
        (np.divmod, (ROW, 3.0)),
        (np.sum, (ROW,)),
        (np.std, (ROW,)),
        (np.linalg.norm, (ROW,)),
        (np.add.reduce, (ROW,)),
        (functools.partial(np.add, 1.0), (ROW,)),
    ],
    ids=lambda given: getattr(given, "__name__", None),
)
def test_a_function_of_numpy_is_a_graph_function(function, arguments):
    staged = gw.function(function)
    for scale in (1.0, 2.0):
        given = [scale * argument for argument in arguments]
        found, wanted = staged(*given), function(*given)
        for one, other in zip(np.atleast_1d(found), np.atleast_1d(wanted), strict=True):
            np.testing.assert_allclose(np.asarray(one), other)

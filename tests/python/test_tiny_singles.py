"""NumPy's functions of `float32` numbers below the least with all its digits, which loops over arrays may take for zero."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

TINY = np.array([1e-38, -1e-38, 1e-45, -1e-45, 0.0, 1.2e-38, 1.0], np.float32)
ZERO, ONE = np.zeros_like(TINY), np.ones_like(TINY)
CALLS = {
    "cbrt": (TINY,),
    "hypot": (TINY, ZERO),
    "hypot of both": (TINY, TINY),
    "spacing": (TINY,),
    "nextafter": (TINY, ONE),
    "nextafter below": (TINY, -ONE),
    "frexp": (TINY,),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("staged", [False, True], ids=["eager", "staged"])
def test_a_tiny_number_counts_as_itself_or_as_zero(name, staged):
    function = getattr(np, name.split()[0])
    arguments = CALLS[name]
    zeros = [np.where(np.abs(x) < 2.0**-126, np.float32(0.0) * x, x) for x in arguments]
    call = gw.function(lambda *given: function(*given)) if staged else function
    found = call(*(gw.constant(x) for x in arguments))
    wanted, other = function(*arguments), function(*zeros)
    if name == "frexp":
        found, wanted, other = found[0], wanted[0], other[0]
    found = np.asarray(found)
    flushed = np.where(np.abs(wanted) < 2.0**-126, 0.0, wanted)
    near = [np.isclose(found, one, rtol=1e-5, atol=0.0) for one in (wanted, other, flushed)]
    assert np.logical_or.reduce(near).all(), (found, wanted, other)

"""Counted loops over arrays leave what Python leaves: to the bit, and up to the line that raises."""

import traceback
from random import Random

import numpy as np
import pytest

import graphwright as gw
import lane_programs
from array_programs import function_of

GREAT = {
    "int64": [2**63 - 1, -(2**63), 2**62],
    "int32": [2**31 - 1, -(2**31)],
    "float64": [np.nan, np.inf, -0.0, 1e308],
}


def array(random, length, dtype):
    values = [random.randrange(-4, 9) for _ in range(length)]
    if length and random.random() < 0.6:
        values[random.randrange(length)] = random.choice(GREAT[dtype])
    return np.array(values, dtype)


def indices(random, length):
    places = [random.randrange(length) for _ in range(length)]
    if length and random.random() < 0.3:
        places[random.randrange(length)] = random.choice([-1, length, -length - 1])
    return np.array(places, "int64")


def outcome(function, arrays, k, x):
    """Kind and line of an exception, or the result; integers of NumPy's raise where they leave their type, as ours do."""
    over = "ignore" if arrays[0].dtype.kind == "f" else "raise"
    try:
        with np.errstate(all="ignore", over=over):
            return None, float(function(*arrays, k, x))
    except Exception as error:
        if "GW1" in str(error):
            return "refused", None
        kind = next(base for base in type(error).__mro__ if base.__module__ == "builtins")
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.name == "f"]
        return OverflowError if kind is FloatingPointError else kind, lines[-1]


@pytest.mark.parametrize("seed", range(60))
def test_a_loop_agrees_with_python(seed):
    random = Random(seed)
    text = lane_programs.program(random)
    plain, _ = function_of(text, f"in lanes {seed}")
    staged = gw.function(plain, roll=True)
    dtype = random.choice(["int64", "int64", "int64", "float64", "float64", "int32"])
    for _ in range(4):
        length = random.choice([0, 1, 2, 3, 9, 16, 17, 18, 19, 25, 34, 43])
        a, b, out = (array(random, length, dtype) for _ in range(3))
        given = [a, b, indices(random, length), out]
        k, x = random.randrange(3), random.randrange(-3, 4) * (1.0 if dtype == "float64" else 1)
        wanted_arrays = [one.copy() for one in given]
        wanted = outcome(plain, wanted_arrays, k, x)
        # The first call makes a graph.
        for _ in range(2):
            found_arrays = [one.copy() for one in given]
            found = outcome(staged, found_arrays, k, x)
            if found[0] == "refused":
                break
            what = f"{text} {given} {k} {x}"
            np.testing.assert_array_equal(
                np.array(found[1:]), np.array(wanted[1:]), err_msg=f"{what} {found} {wanted}"
            )
            assert found[0] is wanted[0], (what, found, wanted)
            for one, other in zip(found_arrays, wanted_arrays, strict=True):
                np.testing.assert_array_equal(one, other, err_msg=what)
                assert (np.signbit(one) == np.signbit(other))[~np.isnan(one)].all(), what

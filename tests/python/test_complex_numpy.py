"""Each of NumPy's numeric functions gives of complex numbers what NumPy gives, or is refused: eagerly, and in a graph."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import graphwright as gw
import numpy_names
from numpy_calls import CALLS
from numpy_names import attempt, functions

#: Results whose dtype is that of NumPy's defaults or of integers beside complex numbers, in which ours differ.
OTHER_DTYPES = {
    "append",
    "array",
    "asarray",
    "diff",
    "divide",
    "eye",
    "identity",
    "indices",
    "polyadd",
    "polyder",
    "polymul",
    "polysub",
    "polyval",
    "power",
    "tri",
    "vander",
}

#: Errors that say what is refused.
REFUSALS = (
    TypeError,
    ValueError,
    ZeroDivisionError,
    np.linalg.LinAlgError,
    gw.errors.OperatorNotAllowedInGraphError,
)


@functools.cache
def complex_arrays(dtype: str) -> dict[str, np.ndarray]:
    """The arrays of the table with complex numbers that are not whole; places, counts and truths stay what they are."""
    random = np.random.default_rng(3)
    made = {}
    for name, array in numpy_names.arrays("float64").items():
        turn = random.integers(-4, 6, array.shape) * 0.7j + 0.3
        made[name] = array if name in "iktg" else (array + (0 if name == "h" else turn)).astype(dtype)
    return made


def differs(name: str, dtype: str, found: object, wanted: object) -> str | None:
    """Says in which way a result differs from NumPy's; `None` where it does not."""
    if isinstance(wanted, tuple | list):
        if not isinstance(found, tuple | list) or len(found) != len(wanted):
            return "another number of results"
        return next(
            filter(None, (differs(name, dtype, *pair) for pair in zip(found, wanted, strict=True))), None
        )
    if wanted is None or isinstance(wanted, np.dtype | type):
        return None if found == wanted else f"{found!r} for {wanted!r}"
    ours, theirs = np.asarray(found), np.asarray(wanted)
    if ours.shape != theirs.shape or (ours.dtype != theirs.dtype and name not in OTHER_DTYPES):
        return f"{ours.dtype}{ours.shape} for {theirs.dtype}{theirs.shape}"
    close = 5e-5 if dtype == "complex64" else 1e-9
    same = np.allclose(ours, theirs, rtol=close, atol=close, equal_nan=True)
    return None if same else f"{ours.tolist()} for {theirs.tolist()}"


@pytest.mark.parametrize("name", [*CALLS, "ufunc methods"])
def test_a_function_of_complex_numbers_gives_what_numpy_gives_or_is_refused(name):
    if name in CALLS and name.split(".")[-1] not in dir(np.linalg if "." in name else np):
        pytest.skip("the function came to NumPy after the version that is installed")
    pool = {dtype: complex_arrays(dtype) for dtype in ("complex128", "complex64")}
    for function in functions()[name]:
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        for dtype, arrays in pool.items():
            values = [arrays[one] for one in names]
            wanted = attempt(function, [one.copy() for one in values])
            eager = attempt(function, [gw.constant(one) for one in values])
            staged = attempt(gw.function(function), [one.copy() for one in values])
            for found in (eager, staged):
                if isinstance(wanted, Exception):
                    assert isinstance(found, Exception), (dtype, str(wanted))
                elif isinstance(found, Exception):
                    assert isinstance(found, REFUSALS), repr(found)
                else:
                    assert (wrong := differs(name, dtype, found, wanted)) is None, wrong


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("power", [2, 3, 0, -1, 7])
def test_powers_of_infinities_outside_of_graphs(power):
    x = np.array([complex(np.inf, -2), complex(0, np.inf), complex(-0.0, 2), complex(1, 1)])
    eager, staged = gw.constant(x) ** power, gw.function(lambda a: a**power)(gw.constant(x))
    np.testing.assert_array_equal(eager.numpy(), staged.numpy())
    if power == 2:
        np.testing.assert_array_equal(eager.numpy(), x**2)


@pytest.mark.parametrize("width", [3, 255, 256, 1000])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("reduce", [np.max, np.min, np.ptp, np.var, np.std])
def test_rows_of_complex_numbers_are_reduced(reduce, dtype, width):
    rng = np.random.default_rng(width)
    z = rng.integers(-3, 3, (2, 3, width)) + 1j * rng.integers(-3, 3, (2, 3, width))
    z = z.astype(dtype)
    wanted = reduce(z, axis=-1)
    for found in (gw.function(lambda z: reduce(z, axis=-1))(z), reduce(gw.constant(z), axis=-1)):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5)


def test_the_variance_of_complex_numbers_is_real():
    z = np.array([1 + 2j, 3 - 1j, 0.5j])
    for variance, deviation in (
        (gw.math.reduce_variance, gw.math.reduce_std),
        (gw.function(gw.math.reduce_variance), gw.function(gw.math.reduce_std)),
    ):
        found = variance(gw.constant(z))
        assert found.dtype == gw.float64
        np.testing.assert_allclose(found.numpy(), np.var(z))
        np.testing.assert_allclose(deviation(gw.constant(z)).numpy(), np.std(z))

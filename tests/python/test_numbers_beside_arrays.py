"""Lists and numbers of Python's beside NumPy's arrays: the dtype that NumPy has, and its errors."""

import numpy as np
import pytest

import graphwright as gw

SMALL = np.array([200, 1], "uint8")
WIDE = np.array([2**30, 1], "int32")
SINGLE = np.array([16777216.0, 0.1], "float32")

TINY = np.array([1, -128, 3], "int8")
WORDS = np.array([1, 2], "uint64")
FLAGS = np.array([True, False])
ROOTS = np.array([1j, 4], "complex64")


def total(a):
    t = 0.0
    for x in a:
        t += x
    return t


PROGRAMS = [
    (total, np.full(1001, 32767, "int16")),
    (lambda a: np.power(a, 2), TINY),
    (lambda a: np.power(a, 2), WORDS),
    (lambda a: np.power(a, 0.5), ROOTS),
    (lambda a: np.append(a, 0.1j), ROOTS),
    (lambda a: a[0] * 0.1j, TINY),
    (lambda a: np.clip(a, [0], 2), TINY),
    (lambda a: np.sort(a, stable=True), TINY),
    (lambda a: np.hypot(a, 1), FLAGS),
    (lambda a: np.copysign(a, -1), FLAGS),
    (lambda a: a == [456, 1], SMALL),
    (lambda a: a < [300, 1], SMALL),
    (lambda a: [300, 1] > a, SMALL),
    (lambda a: a + [300, 1], SMALL),
    (lambda a: a @ [2, 3], SMALL),
    (lambda a: a // [-1, 3], SMALL),
    (lambda a: np.array([a[0], 300]), SMALL),
    (lambda a: np.array([[a[0], -1], [2, a[1]]]), SMALL),
    (lambda a: np.append(a, 300), SMALL),
    (lambda a: np.stack([a[0], 300]), SMALL),
    (lambda a: np.where(a > 1, 300.5, a), SMALL),
    (lambda a: a * [2, 3], WIDE),
    (lambda a: np.multiply(a, [2, 3]), WIDE),
    (lambda a: a ** [2, 3], WIDE),
    (lambda a: a * 0.1, WIDE),
    (lambda a: 0.1 - a, WIDE),
    (lambda a: a[0] * 0.1, WIDE),
    (lambda a: np.multiply(a, 0.1), WIDE),
    (lambda a: np.remainder(a, 0.3), WIDE),
    (lambda a: np.clip(a, 0.1, 0.9), WIDE),
    (lambda a: a + [16777217.0, 0.1], SINGLE),
    (lambda a: a + 0.1, SINGLE),
    (lambda a: float(a[0]) + 1.0, SINGLE),
    (lambda a: float(a[1]) == 0.1, SINGLE),
    (lambda a: np.append(a, 0.1), SINGLE),
    (lambda a: np.concatenate([a, [1]]), SINGLE),
    (lambda a: np.hypot(a, 2.0), SINGLE),
    (lambda a: np.arctan2(a, 1), SINGLE),
]


@pytest.mark.parametrize(("program", "array"), PROGRAMS)
def test_dtype_and_digits_are_numpy_s(program, array):
    wanted = np.asarray(program(array))
    staged = gw.function(program)
    for _ in range(2):
        found = np.asarray(staged(array))
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(
            found, wanted, rtol=3e-7 if wanted.dtype in (np.float32, np.complex64) else 1e-15
        )


def inserted(a):
    return np.insert(a, 1, 300)


def padded(a):
    return np.pad(a, 1, constant_values=300)


@pytest.mark.parametrize("program", [inserted, padded])
def test_a_number_that_does_not_fit_is_numpy_s_error(program):
    for run in (program, gw.function(program)):
        with pytest.raises(OverflowError, match="Python integer 300 out of bounds for int8"):
            run(np.array([100, 1], "int8"))


def nan_of_a_function(a, k):
    a[0] = np.sqrt(-1 - k)


def nan_of_numpy(a, k):
    a[0] = np.float64("nan")


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("program", [nan_of_a_function, nan_of_numpy])
def test_no_number_is_stored_into_integers(program):
    for run in (program, gw.function(program)):
        a = np.arange(3)
        with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
            run(a, 0)
        assert a.tolist() == [0, 1, 2]


@pytest.mark.parametrize("value", [[7], np.array([7])])
def test_a_sequence_is_not_stored_into_one_element(value):
    def program(a):
        a[1] = value

    with pytest.raises(ValueError, match="setting an array element with a sequence"):
        gw.function(program)(np.zeros(3))


def test_a_list_beside_a_tensor_has_to_fit():
    x = gw.constant(SMALL)
    assert (x + [1, 2]).dtype == gw.uint8
    with pytest.raises(TypeError, match="does not fit `uint8`"):
        x + [300, 1]

"""Functions of rows of complex numbers, fused over each row or not, give what NumPy gives."""

import numpy as np
import pytest

import graphwright as gw

FUNCTIONS = {
    "sum": lambda z: np.sum(z, axis=1),
    "mean": lambda z: np.mean(z, axis=1, keepdims=True),
    "product": lambda z: np.prod(z * 0.9, axis=1),
    "variance": lambda z: np.var(z, axis=1),
    "deviation": lambda z: np.std(z, axis=1, keepdims=True),
    "greatest": lambda z: np.max(z, axis=1),
    "least": lambda z: np.min(z, axis=1, keepdims=True) + z,
    "greatest size": lambda z: np.max(np.abs(z), axis=1),
    "centred": lambda z: (z - np.mean(z, axis=1, keepdims=True)) * 2,
    "weights": lambda z: (
        np.exp(z - np.max(np.abs(z), axis=1, keepdims=True)) / np.sum(np.abs(z), axis=1, keepdims=True)
    ),
    "parts": lambda z: (z.real - np.max(z.real, axis=1, keepdims=True), z.real, np.sum(z.imag, axis=1)),
    "unit": lambda z: z / np.sqrt(np.sum(np.abs(z) ** 2, axis=1, keepdims=True)),
    "conjugates": lambda z: (np.conj(z), np.sum(np.conj(z) * z, axis=1, keepdims=True), z * z),
    "first of the greatest": lambda z: np.argmax(np.abs(z), axis=1),
    "chosen": lambda z: (
        np.where(np.abs(z) > np.mean(np.abs(z), axis=1, keepdims=True), z, 0)
        + np.sum(z, axis=1, keepdims=True)
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("length", [1, 2, 63, 255, 256, 257, 300, 600])
def test_rows_are_as_numpys(name, dtype, length):
    rng = np.random.default_rng(length)
    z = (rng.normal(size=(3, length)) + 1j * rng.normal(size=(3, length))).astype(dtype)
    function = FUNCTIONS[name]
    wanted, found = (
        given if isinstance(given, tuple) else (given,) for given in (function(z), gw.function(function)(z))
    )
    exact = 1e-11 if dtype == np.complex128 else 3e-4
    for one, other in zip(wanted, found, strict=True):
        assert other.dtype == one.dtype
        np.testing.assert_allclose(np.asarray(other), one, rtol=exact, atol=exact * max(1, np.abs(one).max()))


@pytest.mark.parametrize("length", [200, 256, 300])
def test_the_variance_of_rows_is_real(length):
    z = np.random.default_rng(length).normal(size=(2, length, 2)) @ [1, 1j]
    found = gw.function(lambda z: gw.math.reduce_variance(z, axis=1))(z)
    np.testing.assert_allclose(np.asarray(found), np.var(z, axis=1), rtol=1e-12)

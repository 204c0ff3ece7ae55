"""Gradients of complex numbers are the derivatives by both parts, as TensorFlow has them, and agree with finite differences."""

import numpy as np
import pytest

import graphwright as gw

POINT = np.array([0.4 + 0.3j, -0.7 + 1.1j, 1.3 - 0.2j])
OTHER = np.array([1.1 - 0.6j, 0.2 + 0.8j, -0.5 + 0.4j])


def derivative(loss, z, step=1e-6):
    """dL/dx + i dL/dy, by central differences."""
    found = np.zeros(z.shape, np.complex128)
    for at in np.ndindex(z.shape):
        for unit in (1.0, 1j):
            up, down = z.copy(), z.copy()
            up[at] += step * unit
            down[at] -= step * unit
            found[at] += unit * (float(loss(gw.constant(up))) - float(loss(gw.constant(down)))) / (2 * step)
    return found


def gradient(loss, z):
    with gw.GradientTape() as tape:
        z = gw.constant(z)
        tape.watch(z)
        value = loss(z)
    return tape.gradient(value, z)


def weighed(f):
    """A real loss of a complex function that looks at both parts."""
    weights = np.array([0.3, -1.2, 0.7])

    def loss(z):
        w = f(z)
        if not w.dtype.is_complex:
            return gw.reduce_sum(w * weights)
        return gw.reduce_sum(gw.math.real(w) * weights + gw.math.imag(w) * weights[::-1])

    return loss


LOSSES = {
    "product": lambda z: z * OTHER,
    "square": lambda z: z * z,
    "quotient": lambda z: OTHER / z,
    "dividend": lambda z: z / OTHER,
    "power": lambda z: gw.pow(z, gw.constant(OTHER)),
    "exponent": lambda z: gw.pow(gw.constant(OTHER), z),
    "abs": gw.abs,
    "angle": gw.math.angle,
    "conj": lambda z: gw.math.conj(z) * z * OTHER,
    "real": lambda z: gw.math.real(z) ** 3,
    "parts": lambda z: gw.complex(gw.math.imag(z), gw.math.real(z) * 2.0),
    "cast": lambda z: gw.cast(gw.math.real(z), gw.complex128) * OTHER,
    **{
        name: getattr(gw, name)
        for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "atan", "asinh", "expm1", "log1p", "rsqrt", "log2",
                     "sinh", "cosh", "asin", "acos", "acosh", "atanh")
    },
    "moves": lambda z: gw.reverse(gw.concat([z[1:], z[:1] * 2j], 0), [0]),
    "choice": lambda z: gw.where(gw.math.real(z) > 0.0, z * z, OTHER * z),
    "sum": lambda z: gw.reduce_sum(z) * OTHER,
    "prod": lambda z: gw.reduce_prod(z) * OTHER,
    "matmul": lambda z: gw.reshape(gw.matmul(gw.reshape(z, [1, 3]) * OTHER[:, None], gw.reshape(z, [3, 1])), [3]),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_are_finite_differences(name):
    loss = weighed(LOSSES[name])
    wanted = derivative(loss, POINT)
    np.testing.assert_allclose(gradient(loss, POINT).numpy(), wanted, rtol=1e-6, atol=1e-7)
    staged = gw.function(lambda z: gradient(loss, z))
    np.testing.assert_allclose(staged(POINT).numpy(), wanted, rtol=1e-6, atol=1e-7)


def test_the_square_of_the_size_goes_downhill():
    assert complex(gradient(lambda z: gw.abs(z) ** 2, 3 + 4j)) == pytest.approx(6 + 8j)


def test_loops_and_branches():
    @gw.function
    def gradient_of(z, n):
        with gw.GradientTape() as tape:
            tape.watch(z)
            w = z
            for _ in range(n):
                if gw.reduce_sum(gw.abs(w)) < 5.0:
                    w = w * w * 0.5 + z
            loss = gw.reduce_sum(gw.abs(w))
        return tape.gradient(loss, z)

    def plain(z):
        w = z
        for _ in range(4):
            if float(gw.reduce_sum(gw.abs(w))) < 5.0:
                w = w * w * 0.5 + z
        return gw.reduce_sum(gw.abs(w))

    found = gradient_of(gw.constant(POINT), gw.constant(4))
    np.testing.assert_allclose(found.numpy(), derivative(plain, POINT), rtol=1e-6)


def test_second_derivatives():
    def loss(z):
        return gw.reduce_sum(gw.math.real(z * z * z))

    def inner(z):
        g = gradient(loss, z)
        return gw.reduce_sum(gw.math.real(g) + 2.0 * gw.math.imag(g))

    @gw.function
    def outer(z):
        with gw.GradientTape() as tape:
            tape.watch(z)
            with gw.GradientTape() as first:
                first.watch(z)
                value = loss(z)
            g = first.gradient(value, z)
            both = gw.reduce_sum(gw.math.real(g) + 2.0 * gw.math.imag(g))
        return tape.gradient(both, z)

    np.testing.assert_allclose(
        outer(gw.constant(POINT)).numpy(), derivative(inner, POINT), rtol=1e-5, atol=1e-6
    )


def test_a_real_operand_has_a_real_gradient():
    def loss(x):
        return gw.reduce_sum(gw.abs(gw.cast(x, gw.complex128) * OTHER + 1j))

    found = gradient(loss, POINT.real.copy())
    assert found.dtype == gw.float64
    np.testing.assert_allclose(found.numpy(), derivative(loss, POINT.real + 0j).real, rtol=1e-6)

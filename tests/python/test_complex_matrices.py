"""Matrices of complex numbers against NumPy: eagerly, in graphs, with lengths that only the run knows, and their derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

RANDOM = np.random.default_rng(8)


def numbers(*shape):
    return RANDOM.normal(size=shape) + 1j * RANDOM.normal(size=shape)


A, B, BATCH, WIDE, WEIGHTS = numbers(4, 4), numbers(4, 2), numbers(3, 2, 2), numbers(3, 5), numbers(4, 4)
POSITIVE = A @ A.conj().T + np.eye(4)
CASES = {
    "solve": (np.linalg.solve, (A, B)),
    "solve a row": (np.linalg.solve, (A, B[:, 0])),
    "solve for real numbers": (np.linalg.solve, (A, B.real.copy())),
    "solve real matrices": (np.linalg.solve, (A.real.copy(), B)),
    "inv": (np.linalg.inv, (BATCH,)),
    "det": (np.linalg.det, (BATCH,)),
    "slogdet": (np.linalg.slogdet, (BATCH,)),
    "cholesky": (np.linalg.cholesky, (POSITIVE,)),
    "upper cholesky": (lambda a: np.linalg.cholesky(a, upper=True), (POSITIVE,)),
    "eigh": (np.linalg.eigh, (POSITIVE,)),
    "eigh of the upper triangle": (lambda a: np.linalg.eigh(a, UPLO="U")[0], (np.triu(POSITIVE),)),
    "eigvalsh": (np.linalg.eigvalsh, (POSITIVE,)),
    "eigh of one eigenvalue": (lambda a: np.linalg.eigh(a)[0], (np.eye(3) * (2 + 0j),)),
    "svd": (np.linalg.svd, (WIDE,)),
    "narrow svd": (lambda a: np.linalg.svd(a, full_matrices=False), (WIDE.T,)),
    "svdvals": (lambda a: np.linalg.svd(a, compute_uv=False), (WIDE,)),
    "qr": (np.linalg.qr, (WIDE.T,)),
    "complete qr": (lambda a: np.linalg.qr(a, "complete"), (WIDE.T,)),
    "r": (lambda a: np.linalg.qr(a, "r"), (WIDE,)),
    "eig": (np.linalg.eig, (A,)),
    "eigvals": (np.linalg.eigvals, (BATCH,)),
    "pinv": (np.linalg.pinv, (WIDE,)),
    "lstsq": (lambda a, b: np.linalg.lstsq(a, b)[:2], (numbers(5, 3), numbers(5, 2))),
    "lstsq of a row": (lambda a, b: np.linalg.lstsq(a, b)[0], (WIDE, numbers(3))),
    "matrix_rank": (np.linalg.matrix_rank, (WIDE,)),
    "cond": (np.linalg.cond, (A,)),
    "cond by sums": (lambda a: np.linalg.cond(a, 1), (A,)),
    "matrix_power": (lambda a: np.linalg.matrix_power(a, -2), (A,)),
    "roots": (np.roots, (numbers(5),)),
    "roots with zeros at the ends": (np.roots, (np.array([0, 1j, 2, 3 + 1j, 0, 0]),)),
}


#: NumPy's tolerances are multiples of lengths. NumPy itself goes through the coefficients of `roots`.
OF_KNOWN_LENGTHS = ("lstsq", "matrix_rank")


def parts(value):
    return list(value) if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("single", [False, True])
def test_functions_give_what_numpy_gives(name, single):
    function, args = CASES[name]
    if single:
        args = [a.astype(np.complex64 if a.dtype.kind == "c" else np.float32) for a in args]
    wanted, near = parts(function(*args)), 2e-4 if single else 1e-11
    whole = [gw.TensorSpec([None] * a.ndim, gw.as_dtype(a.dtype)) for a in args]
    staged, unknown = gw.function(function), gw.function(function, input_signature=whole)
    tensors = [gw.constant(a) for a in args]
    ways = [(function, tensors), (staged, args), (staged, tensors)]
    ways += [] if name.split(" of ")[0] in OF_KNOWN_LENGTHS or function is np.roots else [(unknown, tensors)]
    for call, given in ways:
        for found, expected in zip(parts(call(*given)), wanted, strict=True):
            assert np.asarray(found).dtype == expected.dtype, name
            np.testing.assert_allclose(np.asarray(found), expected, rtol=near, atol=near, err_msg=name)


def test_names_of_tensorflow():
    values, vectors = gw.linalg.eig(gw.constant(A.real))
    np.testing.assert_allclose((A.real @ vectors.numpy()), vectors.numpy() * values.numpy(), atol=1e-12)
    assert gw.linalg.eigvals(gw.constant([[1, 2], [3, 4]])).dtype == gw.complex64
    np.testing.assert_array_equal(gw.linalg.adjoint(gw.constant(B)).numpy(), B.conj().T)
    turned = gw.linalg.solve(gw.constant(A), gw.constant(B), adjoint=True)
    np.testing.assert_allclose(turned.numpy(), np.linalg.solve(A.conj().T, B), rtol=1e-11)


def symmetric(a):
    return (a + a.conj().T) / 2


REAL = gw.math.real
GRADIENTS = {
    "solve": (lambda a: np.sum((WEIGHTS[:, :2] * np.linalg.solve(a, B)).real), A, False),
    "right side": (lambda b: np.sum((WEIGHTS[:, :2] * np.linalg.solve(A, b)).real), B, False),
    "inv": (lambda a: np.sum((WEIGHTS * np.linalg.inv(a)).real), A, False),
    "det": (lambda a: (np.linalg.det(a) * (2 - 1j)).real, A, False),
    "sign": (lambda a: (np.linalg.slogdet(a)[0] * (2 - 1j)).real + np.linalg.slogdet(a)[1], A, False),
    "cholesky": (lambda a: np.sum((WEIGHTS * np.linalg.cholesky(a)).real), POSITIVE, True),
    "eigvalsh": (lambda a: np.sum(np.linalg.eigvalsh(a) ** 2), POSITIVE, True),
    "eigh": (lambda a: np.sum(np.abs(np.linalg.eigh(a)[1][0]) ** 2 * np.linalg.eigh(a)[0]), POSITIVE, True),
    "svdvals": (lambda a: np.sum(np.linalg.svd(a, compute_uv=False) ** 3), WIDE, False),
    "eigvals": (lambda a: np.sum((np.linalg.eigvals(a) ** 3).real), A, False),
    "eig": (lambda a: np.sum(np.abs(np.linalg.eig(a)[1]) ** 2 * WEIGHTS.real), A, False),
    "svd": (lambda a: of_vectors(np.linalg.svd(a)), A, False),
    "wide svd": (lambda a: of_vectors(np.linalg.svd(a, full_matrices=False)), WIDE, False),
    "high svd": (lambda a: of_vectors(np.linalg.svd(a, full_matrices=False)), WIDE.T.copy(), False),
    "singular vectors together": (lambda a: of_first(*np.linalg.svd(a)), A, False),
    "qr": (lambda a: of_factors(*np.linalg.qr(a)), A, False),
    "wide qr": (lambda a: of_factors(*np.linalg.qr(a)), WIDE, False),
    "high qr": (lambda a: of_factors(*np.linalg.qr(a)), WIDE.T.copy(), False),
    "pinv": (lambda a: np.sum(np.abs(np.linalg.pinv(a)) ** 3), WIDE, False),
    "lstsq": (lambda a: np.sum(np.abs(np.linalg.lstsq(a, B[:3])[0]) ** 2), WIDE, False),
}


def of_vectors(found):
    """A number that no phase of the vectors changes."""
    u, s, v = found
    weights = np.arange(u.size).reshape(u.shape) + s
    return np.sum(np.abs(u) ** 2 * weights) + np.sum(np.abs(v) ** 3) * 0.5


def of_first(u, s, v):
    """A number that keeps its value where the vectors of a pair get one phase."""
    return np.sum((WEIGHTS * (u[:, :2] * s[:2] @ v[:2])).real)


def of_factors(q, r):
    weights = np.arange(q.size).reshape(q.shape) * (1 - 0.5j)
    return np.sum((q * weights).real) + np.sum(np.abs(r + 0.5j) ** 2)


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_differences(name):
    loss, x, is_symmetric = GRADIENTS[name]
    wanted, step = np.zeros_like(x), 1e-6
    for at in np.ndindex(x.shape):
        for turn in (1, 1j):
            moved = np.zeros_like(x)
            moved[at] = turn * step
            ways = [x + moved, x - moved]
            high, low = (loss(symmetric(way) if is_symmetric else way) for way in ways)
            wanted[at] += turn * (high - low) / (2 * step)
    wanted = symmetric(wanted) if is_symmetric else wanted

    gradient = gradient_of(loss)
    for call in (gradient, gw.function(gradient)):
        np.testing.assert_allclose(call(gw.constant(x)).numpy(), wanted, rtol=1e-4, atol=1e-5)


def gradient_of(loss):
    def gradient(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            found = loss(x)
        return tape.gradient(found, x)

    return gradient


def test_eigenvalues_of_real_matrices_have_real_gradients():
    x = np.array([[1.0, 2.0], [3.0, 4.5]])

    def gradient(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            found = gw.reduce_sum(REAL(gw.linalg.eigvals(x) ** 2))
        return tape.gradient(found, x)

    for call in (gradient, gw.function(gradient)):
        np.testing.assert_allclose(call(gw.constant(x)).numpy(), 2 * x.T, rtol=1e-9)


#: Functions of TensorFlow's names: the loss, and the matrix.
OTHERS = {
    "expm": (lambda a: gw.linalg.expm(a), A),
    "lu": (lambda a: gw.linalg.lu(a)[0], A),
    "lstsq by Cholesky": (lambda a: gw.linalg.lstsq(a, gw.constant(B[:3])), WIDE),
    "lstsq by Cholesky, high": (
        lambda a: gw.linalg.lstsq(a, gw.constant(np.ones((5, 2)) + 0j)),
        WIDE.T.copy(),
    ),
    "upper triangle": (lambda a: gw.linalg.triangular_solve(a, gw.constant(B), lower=False), A),
    "adjoint of a triangle": (lambda a: gw.linalg.triangular_solve(a, gw.constant(B), adjoint=True), A),
    "cholesky_solve": (
        lambda a: gw.linalg.cholesky_solve(gw.linalg.cholesky(a @ gw.linalg.adjoint(a)), gw.constant(B)),
        A,
    ),
    "logdet": (lambda a: gw.linalg.logdet(a @ gw.linalg.adjoint(a)), A),
}


@pytest.mark.parametrize("name", OTHERS)
def test_gradients_of_functions_of_tensorflow(name):
    function, x = OTHERS[name]
    wanted, step = np.zeros_like(x), 1e-6

    def loss(a):
        found = function(a)
        return gw.reduce_sum(gw.abs(found + gw.cast(0.25, found.dtype)) ** 2)

    for at in np.ndindex(x.shape):
        for turn in (1, 1j):
            moved = np.zeros_like(x)
            moved[at] = turn * step
            wanted[at] += (
                turn * float(loss(gw.constant(x + moved)) - loss(gw.constant(x - moved))) / (2 * step)
            )
    gradient = gradient_of(loss)
    for call in (gradient, gw.function(gradient)):
        np.testing.assert_allclose(call(gw.constant(x)).numpy(), wanted, rtol=1e-4, atol=1e-5)


VALUES = {
    "expm": (
        gw.linalg.expm,
        lambda a: (np.linalg.eig(a)[1] * np.exp(np.linalg.eig(a)[0])) @ np.linalg.inv(np.linalg.eig(a)[1]),
    ),
    "triangular_solve": (
        lambda a: gw.linalg.triangular_solve(a, gw.constant(B)),
        lambda a: np.linalg.solve(np.tril(a), B),
    ),
    "lstsq": (lambda a: gw.linalg.lstsq(a, gw.constant(B)), lambda a: np.linalg.lstsq(a, B)[0]),
    "logdet": (
        lambda a: gw.linalg.logdet(a @ gw.linalg.adjoint(a)),
        lambda a: np.linalg.slogdet(a @ a.conj().T)[1],
    ),
    "lu": (lambda a: gw.linalg.lu_reconstruct(*gw.linalg.lu(a)), lambda a: a),
    "svd of the standard": (lambda a: rebuilt(*gw.array_api.linalg.svd(a)), lambda a: a),
    "cholesky of the standard": (
        lambda a: gw.array_api.linalg.cholesky(a @ gw.linalg.adjoint(a), upper=True),
        lambda a: np.linalg.cholesky(a @ a.conj().T).conj().T,
    ),
    "pinv of the standard": (gw.array_api.linalg.pinv, np.linalg.pinv),
    "rank of the standard": (gw.array_api.linalg.matrix_rank, np.linalg.matrix_rank),
}


def rebuilt(u, s, v):
    return u * gw.cast(s, u.dtype) @ v


@pytest.mark.parametrize("name", VALUES)
def test_functions_of_tensorflow_and_of_the_standard(name):
    ours, numpys = VALUES[name]
    for call in (ours, gw.function(ours)):
        np.testing.assert_allclose(call(gw.constant(A)).numpy(), numpys(A), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda a: gw.linalg.svd(a)[1], "phases of singular vectors"),
        (lambda a: gw.linalg.eig(a)[1], "phases of eigenvectors"),
        (lambda a: gw.linalg.eigh(a)[1], "phases of eigenvectors"),
    ],
)
def test_what_depends_on_phases_has_no_derivative(function, message):
    gradient = gradient_of(lambda a: gw.reduce_sum(REAL(function(a) * gw.constant(WEIGHTS))))
    for call in (gradient, gw.function(gradient)):
        with pytest.raises(ValueError, match=f"{message}, so it has no derivative"):
            call(gw.constant(A))


@pytest.mark.parametrize(
    "function",
    [
        lambda a: gw.linalg.qr(a[:, :2], full_matrices=True)[0],
        lambda a: gw.linalg.svd(a[:, :2], full_matrices=True)[1],
    ],
)
def test_columns_that_only_make_a_square_have_no_derivative(function):
    gradient = gradient_of(lambda a: gw.reduce_sum(REAL(function(a))))
    for call in (gradient, gw.function(gradient)):
        with pytest.raises(ValueError, match="GW12[45]: no derivative goes through"):
            call(gw.constant(A))


def test_what_has_no_answer_is_an_error():
    singular = np.ones((2, 2)) + 0j
    for function in (np.linalg.inv, np.linalg.cholesky):
        bad = singular if function is np.linalg.inv else -singular
        for call in (function, gw.function(function)):
            with pytest.raises(ValueError, match="Singular matrix|not positive definite"):
                call(gw.constant(bad))
    for function in (np.linalg.det, np.linalg.eigh, np.linalg.eigvals):
        with pytest.raises(np.linalg.LinAlgError, match="must be square"):
            gw.function(function)(gw.constant(WIDE))

    def real(a):
        return np.linalg.eigvals(a)

    with pytest.raises(TypeError, match="GW108"):
        gw.function(real)(gw.constant(A.real))


@pytest.mark.parametrize("function", [gw.linalg.sqrtm, gw.linalg.logm])
def test_roots_and_logarithms_that_are_not_found_are_errors(function):
    for matrix in ([[-1.0, 0.0], [0.0, 2.0]], [[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]]):
        for call in (function, gw.function(function)):
            with pytest.raises((ValueError, np.linalg.LinAlgError)):
                call(gw.constant(matrix, gw.float64))
    again = function(gw.constant([[2.0, 1.0], [1.0, 3.0]])).numpy()
    assert np.isfinite(again).all()

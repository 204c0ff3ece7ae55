"""Matrices taken apart and solved with: values against NumPy, derivatives against JAX and finite differences."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import graphwright as gw
from derivatives import in_double_precision

pytestmark = pytest.mark.usefixtures(in_double_precision.__name__)

linalg = gw.linalg
random = np.random.default_rng(46)


def general(*lengths):
    return random.standard_normal(lengths) + 2 * np.eye(*lengths[-2:])


def symmetric(*lengths):
    x = random.standard_normal(lengths)
    return x @ np.swapaxes(x, -1, -2) + np.eye(lengths[-1])


def turned(x):
    return np.swapaxes(x, -1, -2)


def made_of(parts):
    """What does not depend on the signs of vectors."""
    s, u, v = parts
    return s, abs(u), abs(v)


def of_triangle(of, adjoint=False):
    """JAX and NumPy solve with any matrix."""

    def found(numbers, a, b):
        a = of(numbers)(a)
        return numbers.linalg.solve(numbers.swapaxes(a, -1, -2) if adjoint else a, b)

    return found


def least_squares(numbers, a, b):
    return numbers.linalg.pinv(a) @ b


# What is called, what it means by NumPy and by JAX, and what it is called with.
CASES = {
    "cholesky": (linalg.cholesky, lambda n, x: n.linalg.cholesky(x), symmetric(2, 3, 3)),
    "solve": (linalg.solve, lambda n, a, b: n.linalg.solve(a, b), general(2, 3, 3), general(2, 3, 2)),
    "solve adjoint": (
        lambda a, b: linalg.solve(a, b, adjoint=True),
        lambda n, a, b: n.linalg.solve(n.swapaxes(a, -1, -2), b),
        general(3, 3),
        general(3, 1),
    ),
    "triangular_solve": (
        linalg.triangular_solve,
        of_triangle(lambda n: n.tril),
        general(3, 3),
        general(3, 2),
    ),
    "triangular_solve upper, adjoint": (
        lambda a, b: linalg.triangular_solve(a, b, lower=False, adjoint=True),
        of_triangle(lambda n: n.triu, adjoint=True),
        general(2, 3, 3),
        general(2, 3, 2),
    ),
    "cholesky_solve": (
        lambda a, b: linalg.cholesky_solve(linalg.cholesky(a), b),
        lambda n, a, b: n.linalg.solve(a + n.swapaxes(a, -1, -2), 2 * b),
        symmetric(3, 3),
        general(3, 2),
    ),
    "inv": (linalg.inv, lambda n, x: n.linalg.inv(x), general(2, 3, 3)),
    "det": (linalg.det, lambda n, x: n.linalg.det(x), general(2, 3, 3)),
    "slogdet": (linalg.slogdet, lambda n, x: tuple(n.linalg.slogdet(x)), general(2, 3, 3)),
    "logdet": (linalg.logdet, lambda n, x: n.linalg.slogdet(x)[1], symmetric(3, 3)),
    "qr": (linalg.qr, lambda n, x: tuple(n.linalg.qr(x)), general(4, 3)),
    "qr of squares": (linalg.qr, lambda n, x: tuple(n.linalg.qr(x)), general(2, 3, 3)),
    "eigh": (
        lambda x: made_of((*linalg.eigh(x), gw.constant(0.0))),
        lambda n, x: made_of((*n.linalg.eigh(x), n.array(0.0, np.float32))),
        symmetric(2, 3, 3),
    ),
    "eigvalsh": (linalg.eigvalsh, lambda n, x: n.linalg.eigvalsh(x), symmetric(4, 4)),
    "singular values": (
        lambda x: linalg.svd(x, compute_uv=False),
        lambda n, x: n.linalg.svd(x, compute_uv=False),
        general(2, 3, 4),
    ),
    "pinv": (linalg.pinv, lambda n, x: n.linalg.pinv(x), general(4, 3)),
    "pinv, wide": (linalg.pinv, lambda n, x: n.linalg.pinv(x), general(2, 2, 3)),
    "lstsq": (linalg.lstsq, least_squares, general(4, 3), general(4, 2)),
    "lstsq, wide": (linalg.lstsq, least_squares, general(2, 3), general(2, 2)),
    "lstsq, slow": (
        lambda a, b: linalg.lstsq(a, b, fast=False),
        least_squares,
        general(2, 3, 2),
        general(2, 3, 1),
    ),
    "lstsq, regular": (
        lambda a, b: linalg.lstsq(a, b, l2_regularizer=0.5),
        lambda n, a, b: n.linalg.solve(a.T @ a + 0.5 * n.eye(3), a.T @ b),
        general(4, 3),
        general(4, 2),
    ),
}
each = pytest.mark.parametrize("name", CASES)


def tuple_of(found):
    return tuple(found) if isinstance(found, tuple) else (found,)


def agree(found, wanted, tolerance):
    found, wanted = tuple_of(found), tuple_of(wanted)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert tuple(one.shape) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-10), (np.float32, 5e-4)])
@each
def test_means_what_it_means_in_numpy(name, dtype, tolerance):
    call, meaning, *args = CASES[name]
    args = [arg.astype(dtype) for arg in args]
    wanted = meaning(np, *args)
    unknown = [gw.TensorSpec([None] * arg.ndim, arg.dtype) for arg in args]
    for way in (call, gw.function(call), gw.function(call, input_signature=unknown)):
        found = way(*map(gw.constant, args))
        agree(found, wanted, tolerance)
        assert all(one.numpy().dtype == dtype for one in tuple_of(found) if one.ndim)


def weighed(numbers, results):
    """One number of all results."""
    found = 0.0
    for one in tuple_of(results):
        count = int(np.prod([int(length) for length in one.shape]))
        weights = np.sin(np.arange(1.0, count + 1)).reshape(tuple(one.shape))
        found = (
            found + (one * weights).sum()
            if numbers is jnp
            else found + gw.reduce_sum(gw.cast(one, gw.float64) * weights)
        )
    return found


def ways(first, args):
    """Its derivatives by all arguments: of an eager call, of a graph, inside a graph whose lengths it does not know."""
    places = tuple(range(len(args)))
    eager = gw.grad(first, places)
    return eager(*args), gw.grad(gw.function(first), places)(*args), gw.function(eager)(*args)


@each
def test_has_the_derivatives_that_jax_has(name):
    call, meaning, *args = CASES[name]
    places = tuple(range(len(args)))
    wanted = jax.grad(lambda *args: weighed(jnp, meaning(jnp, *args)), places)(*args)
    for found in ways(lambda *args: weighed(gw, call(*args)), [gw.constant(arg) for arg in args]):
        agree(tuple(found), wanted, 1e-8)


@each
def test_has_the_second_derivatives_that_differences_have(name):
    call, _, *args = CASES[name]
    places = tuple(range(len(args)))
    is_symmetric = call in (linalg.cholesky, linalg.eigvalsh, linalg.logdet) or name in (
        "eigh",
        "cholesky_solve",
    )

    def slopes(*args):
        own = gw.grad(lambda *args: weighed(gw, call(*args)), places)(*args)
        return weighed(gw, tuple(own))

    def of_symmetric(first, *others):
        return slopes((first + linalg.adjoint(first)) / 2.0 if is_symmetric else first, *others)

    directions = [random.standard_normal(arg.shape) for arg in args]
    second = gw.function(gw.grad(of_symmetric, places))(*map(gw.constant, args))
    slope = sum(float(gw.reduce_sum(one * way)) for one, way in zip(second, directions, strict=True))
    moved = [
        float(
            of_symmetric(*(gw.constant(arg + step * way) for arg, way in zip(args, directions, strict=True)))
        )
        for step in (1e-5, -1e-5)
    ]
    assert slope == pytest.approx((moved[0] - moved[1]) / 2e-5, rel=2e-5, abs=2e-5)


@pytest.mark.parametrize("lengths", [(4, 3), (3, 3), (3, 5)])
def test_vectors_make_the_matrix_again_and_so_do_its_derivatives(lengths):
    x, weights = general(*lengths), random.standard_normal(lengths)

    def again(x):
        s, u, v = linalg.svd(x)
        q, r = linalg.qr(x)
        return gw.reduce_sum((gw.matmul(u * s, v, transpose_b=True) + gw.matmul(q, r)) * weights)

    known = gw.grad(again)(gw.constant(x))
    agree(known, 2 * weights, 1e-10)
    unknown = gw.function(gw.grad(again), input_signature=[gw.TensorSpec([None, None], gw.float64)])
    agree(unknown(gw.constant(x)), 2 * weights, 1e-10)


def test_square_factors_are_orthonormal():
    for lengths in [(4, 2), (2, 4), (3, 3), (2, 4, 2)]:
        x = general(*lengths)
        s, u, v = linalg.svd(x, full_matrices=True)
        agree(gw.matmul(u, u, transpose_a=True), np.eye(lengths[-2]) + np.zeros_like(u), 1e-12)
        agree(gw.matmul(v, v, transpose_a=True), np.eye(lengths[-1]) + np.zeros_like(v), 1e-12)
        agree(s, np.linalg.svd(x, compute_uv=False), 1e-12)
        agree(linalg.qr(x, full_matrices=True), tuple(np.linalg.qr(x, mode="complete")), 1e-12)
    with pytest.raises(Exception, match="square `q`"):
        gw.grad(lambda x: gw.reduce_sum(linalg.qr(x, full_matrices=True).q))(gw.constant(general(3, 2)))


def test_where_values_are_equal_what_does_not_depend_on_vectors_has_a_derivative():
    unit = gw.constant(2 * np.eye(3))
    agree(gw.grad(lambda x: gw.reduce_sum(linalg.eigvalsh(x) ** 2))(unit), 4 * np.eye(3), 1e-12)
    agree(gw.grad(lambda x: gw.reduce_sum(linalg.svd(x, compute_uv=False)))(unit), np.eye(3), 1e-12)
    agree(gw.grad(lambda x: gw.reduce_sum(linalg.pinv(x)))(unit), np.full((3, 3), -0.25), 1e-12)
    slopes = gw.grad(lambda x: linalg.eigh(x)[1][0, 1])(unit)
    assert not np.isfinite(slopes.numpy()).all()


def test_ranks():
    x = np.stack([np.outer([1.0, 2, 3], [1.0, 0, 2]), np.eye(3), np.zeros((3, 3))])
    for way in (linalg.matrix_rank, gw.function(linalg.matrix_rank)):
        assert way(gw.constant(x)).numpy().tolist() == [1, 3, 0]
    assert linalg.matrix_rank(x).dtype == gw.int32
    agree(linalg.pinv(gw.constant(x)), np.linalg.pinv(x), 1e-12)


WRONG = {
    "not positive definite": (lambda: linalg.cholesky([[1.0, 2.0], [2.0, 1.0]]), "not positive definite"),
    "singular": (lambda: linalg.solve([[1.0, 2.0], [2.0, 4.0]], [[1.0], [1.0]]), "Singular"),
    "inverse": (lambda: linalg.inv([[[1.0]], [[0.0]]]), "Singular"),
    "triangle": (lambda: linalg.triangular_solve([[1.0, 0.0], [5.0, 0.0]], [[1.0], [1.0]]), "Singular"),
    "not square": (lambda: linalg.det([[1.0, 2.0]]), "square"),
    "vector": (lambda: linalg.solve([[1.0]], [1.0]), "two axes"),
    "rows": (lambda: linalg.solve([[1.0]], [[1.0], [2.0]]), "do not fit"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_has_no_answer_is_a_value_error(name):
    call, said = WRONG[name]
    for way in (call, gw.function(call)):
        with pytest.raises(ValueError, match=said):
            way()
    with pytest.raises(TypeError):
        linalg.cholesky([[1]])


def test_lengths_that_do_not_fit_are_told_when_the_graph_runs():
    spec = gw.TensorSpec([None, None], gw.float64)
    for call in (linalg.cholesky, linalg.det, linalg.inv):
        with pytest.raises(ValueError):
            gw.function(call, input_signature=[spec])(gw.constant(general(2, 3)))


def test_what_is_no_number_stays_none():
    nan = np.full((2, 2), np.nan)
    for call in (
        linalg.cholesky,
        linalg.inv,
        linalg.det,
        linalg.eigvalsh,
        lambda x: linalg.svd(x, compute_uv=False),
    ):
        assert np.isnan(call(gw.constant(nan))).all()
        assert np.isnan(gw.function(call)(gw.constant(nan))).all()


OF_SINGULAR_VALUES = {
    "matrix_rank": np.linalg.matrix_rank,
    "pinv": np.linalg.pinv,
    "svd": lambda x: np.linalg.svd(x, compute_uv=False),
    "cond": np.linalg.cond,
    "lstsq": lambda x: np.linalg.lstsq(x, np.ones(2), rcond=None)[0],
}


@pytest.mark.parametrize("name", OF_SINGULAR_VALUES)
def test_singular_values_of_nan(name):
    """Eagerly NumPy's error; in a graph NaN, or an error where the result is an integer."""
    function, nan = OF_SINGULAR_VALUES[name], gw.constant([[1.0, 2.0], [2.0, np.nan]], gw.float64)
    with pytest.raises(np.linalg.LinAlgError):
        function(nan)
    staged = gw.function(lambda x: function(x))
    if name in ("matrix_rank", "lstsq"):
        with pytest.raises(ValueError, match="no rank"):
            staged(nan)
    else:
        assert np.isnan(staged(nan).numpy()).all()


def test_no_rank_is_that_of_nan():
    nan = gw.constant([[1.0, 2.0], [2.0, np.nan]])
    for function in (linalg.matrix_rank, gw.array_api.linalg.matrix_rank):
        for way in (function, gw.function(lambda x, function=function: function(x))):
            with pytest.raises(ValueError, match="no rank"):
                way(nan)


def test_a_singular_matrix_can_be_caught():
    @gw.function
    def solved(a, b):
        try:
            x = linalg.solve(a, b)
        except ValueError:
            x = gw.zeros_like(b)
        return x

    b = gw.constant([[2.0], [4.0]])
    assert solved(gw.constant([[2.0, 0.0], [0.0, 4.0]]), b).numpy().tolist() == [[1.0], [1.0]]
    assert solved(gw.constant([[1.0, 1.0], [1.0, 1.0]]), b).numpy().tolist() == [[0.0], [0.0]]


def test_loops_and_rows():
    def newton(a):
        """The root of a matrix, as many steps as it takes."""
        x = a
        while gw.reduce_max(gw.abs(gw.matmul(x, x) - a)) > 1e-13:
            x = (x + linalg.solve(x, a)) / 2.0
        return x

    a = gw.constant(symmetric(3, 3))
    root = gw.function(newton)(a)
    w, v = np.linalg.eigh(a.numpy())
    agree(root, (v * np.sqrt(w)) @ v.T, 1e-10)
    weights = random.standard_normal((3, 3))
    slopes = gw.grad(gw.function(lambda a: gw.reduce_sum(newton(a) * weights)))(a)
    # `x dx + dx x = da`
    inner = (v.T @ weights @ v) / (np.sqrt(w)[:, None] + np.sqrt(w))
    agree(slopes, v @ inner @ v.T, 1e-8)
    many = symmetric(4, 2, 2)
    agree(gw.vmap(linalg.cholesky)(gw.constant(many)), np.linalg.cholesky(many), 1e-12)
    rows = gw.vmap(gw.grad(lambda x: gw.reduce_sum(linalg.inv(x))))(gw.constant(many))
    agree(rows, jax.vmap(jax.grad(lambda x: jnp.linalg.inv(x).sum()))(many), 1e-10)


def test_empty_ones():
    none = gw.zeros([0, 0], gw.float64)
    assert linalg.cholesky(none).shape == (0, 0) and linalg.det(none).numpy() == 1.0
    assert linalg.solve(none, gw.zeros([0, 2], gw.float64)).shape == (0, 2)
    assert linalg.eigvalsh(none).shape == (0,) and linalg.svd(none, compute_uv=False).shape == (0,)
    assert linalg.inv(gw.zeros([0, 2, 2])).shape == (0, 2, 2)
    q, r = linalg.qr(gw.zeros([3, 0]), full_matrices=True)
    agree(q, np.eye(3), 0.0)
    assert r.shape == (3, 0)
    assert gw.grad(lambda x: gw.reduce_sum(linalg.inv(x)))(none).shape == (0, 0)

"""Matrices of complex numbers: solved by way of real ones, and taken apart by LAPACK, which NumPy brings.

A complex matrix is a real one of twice the length: each number is a square `[[x, -y], [y, x]]`. Products,
inverses and Cholesky's triangles of such matrices are such matrices, so the kernels of real ones serve, and
their derivatives. Other decompositions are not, and LAPACK's steps decide the phases of vectors, so they
are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _native
from ._arrays import eye, lengths, moved
from ._gradients import custom_gradient
from ._native import Tensor, TensorSpec, matmul


def are_complex(*operands: Any) -> bool:
    """True if one of these is a tensor of complex numbers."""
    return any(isinstance(one, Tensor) and one.dtype.is_complex for one in operands)


def adjoint(x: Tensor) -> Tensor:
    """The conjugates of the transposed matrices."""
    return _native.conj(moved(x, x.ndim - 2, x.ndim - 1))


def _halves(z: Tensor) -> Tensor:
    """`[[x, -y], [y, x]]` of the real and the imaginary parts."""
    x, y = _native.real(z), _native.imag(z)
    upper, lower = _native.concat([x, -y], -1), _native.concat([y, x], -1)
    return _native.concat([upper, lower], -2)


def solve(a: Any, b: Any, adjoint: bool) -> Tensor:
    """The matrix that matrices, or their adjoints, multiply to `b`."""
    dtype = _native.complex128 if _native.complex128 in (a.dtype, b.dtype) else _native.complex64
    if _native.float64 in (a.dtype, b.dtype):
        dtype = _native.complex128
    a, b = _native.cast(a, dtype), _native.cast(b, dtype)
    sides = _native.concat([_native.real(b), _native.imag(b)], -2)
    found = _native.solve(_halves(a), sides, adjoint)
    size = lengths(a)[-1]
    return _native.complex(found[..., :size, :], found[..., size:, :])


def inv(a: Tensor, adjoint: bool) -> Tensor:
    """Inverses of matrices, or of their adjoints."""
    unit = eye(lengths(a)[-1], dtype=_native.real(a).dtype)
    return solve(a, _native.broadcast_to(_native.cast(unit, a.dtype), lengths(a)), adjoint)


def cholesky(a: Tensor) -> Tensor:
    """Cholesky's triangles, by those of the real matrices in which each number is a square."""
    x, y = _native.real(a), _native.imag(a)
    size, front = lengths(a)[-1], lengths(a)[:-2]
    on_diagonal = _native.cast(eye(size), _native.bool)
    # NumPy does not read the imaginary parts there, which are zero in a matrix that is its adjoint.
    y = _native.where(on_diagonal, _native.zeros_like(y), y)
    squares = _native.stack([_native.stack([x, -y], -1), _native.stack([y, x], -1)], -3)
    found = _native.cholesky(_native.reshape(squares, [*front, 2 * size, 2 * size]))
    return _native.complex(found[..., ::2, ::2], found[..., 1::2, ::2])


def _called(function: Callable[..., Any], x: Tensor, specs: Any) -> Any:
    """The result of a function of NumPy's for matrices: now, or when the graph runs."""

    def computed(x: Any) -> Any:
        found = function(x)
        if not isinstance(specs, tuple):
            return np.asarray(found, specs.dtype.as_numpy_dtype)
        return tuple(
            np.asarray(one, spec.dtype.as_numpy_dtype) for one, spec in zip(found, specs, strict=True)
        )

    found = _native.numpy_function(computed, [x], specs)
    return tuple(found) if isinstance(specs, tuple) else found


def _spec(x: Tensor, shape: list[Any], is_real: bool = False) -> TensorSpec:
    """A result of so many axes behind those before the matrices."""
    real = _native.float64 if x.dtype in (_native.complex128, _native.float64) else _native.float32
    whole = _native.complex128 if real == _native.float64 else _native.complex64
    return TensorSpec([*x.shape[:-2], *shape], real if is_real else whole)


def _without_derivative(
    function: Callable[..., Any], x: Tensor, specs: tuple[TensorSpec, ...], name: str
) -> tuple[Tensor, ...]:
    """The result of a function of NumPy's for matrices; asking for its derivative is an error."""
    if _native.is_staged(x):
        found: tuple[Tensor, ...] = _called(function, x, specs)
        return found

    @custom_gradient
    def refusing(x: Tensor) -> Any:
        def back(*flows: Tensor) -> Tensor:
            del flows
            help = "put `gw.stop_gradient` around it, or use the eigenvalues or singular values alone"
            raise _native.diagnosed("GW124", f"no derivative goes through {name}", help)

        return _called(function, x, specs), back

    kept: tuple[Tensor, ...] = refusing(x)
    return kept


@custom_gradient
def det(x: Tensor) -> Any:
    """Determinants. What flows back is that of a function of complex numbers."""
    found = _called(np.linalg.det, x, _spec(x, []))

    def back(g: Tensor) -> Tensor:
        factor = g * _native.conj(found)
        return factor[..., None, None] * inv(x, True)

    return found, back


@custom_gradient
def slogdet(x: Tensor) -> Any:
    """Determinants as numbers of size one, and the logarithms of their sizes."""
    found, log = _called(np.linalg.slogdet, x, (_spec(x, []), _spec(x, [], True)))

    def back(of_sign: Tensor, of_log: Tensor) -> Tensor:
        turn = _native.imag(_native.conj(found) * of_sign)
        return _native.complex(of_log, turn)[..., None, None] * inv(x, True)

    return (found, log), back


@custom_gradient
def eigh(x: Tensor) -> Any:
    """Eigenvalues and vectors of matrices that are their own adjoints; the lower triangles are read."""
    size = x.shape[-1]
    e, v = _called(np.linalg.eigh, x, (_spec(x, [size], True), _spec(x, [size, size])))

    def back(of_e: Tensor, of_v: Tensor) -> Tensor:
        gaps = e[..., None, :] - e[..., :, None]
        same = gaps == 0.0
        over = _native.where(same, _native.zeros_like(gaps), 1.0 / _native.where(same, 1.0, gaps))
        unit = eye(lengths(x)[-1], dtype=e.dtype)
        inner = _native.cast(unit * of_e[..., None, :], x.dtype) + over * matmul(adjoint(v), of_v)
        found = matmul(matmul(v, inner), adjoint(v))
        return (found + adjoint(found)) / 2.0

    return (e, v), back


@custom_gradient
def singular_values(x: Tensor) -> Any:
    """Singular values, from the greatest down."""
    least = _least(x)
    shapes = [x.shape[-2], least], [least], [least, x.shape[-1]]
    specs = tuple(_spec(x, shape, at == 1) for at, shape in enumerate(shapes))
    u, s, v = _called(lambda x: np.linalg.svd(x, full_matrices=False), x, specs)

    def back(g: Tensor) -> Tensor:
        return matmul(u * g[..., None, :], v)

    return s, back


def _least(x: Tensor) -> Any:
    rows, columns = x.shape[-2:]
    return None if rows is None or columns is None else min(rows, columns)


def svd(x: Tensor, full_matrices: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Singular values and vectors; only the values have a derivative."""
    (rows, columns), least = x.shape[-2:], _least(x)
    wide = full_matrices
    shapes = [rows, rows if wide else least], [least], [columns if wide else least, columns]
    specs = tuple(_spec(x, shape, at == 1) for at, shape in enumerate(shapes))
    name = "singular vectors of complex matrices"
    u, _, v = _without_derivative(lambda x: np.linalg.svd(x, full_matrices=full_matrices), x, specs, name)
    return singular_values(x), u, adjoint(v)


def qr(x: Tensor, full_matrices: bool) -> tuple[Tensor, Tensor]:
    """An orthonormal basis and a triangle; they have no derivative."""
    rows, columns = x.shape[-2:]
    inner = rows if full_matrices else _least(x)
    mode: Any = "complete" if full_matrices else "reduced"
    specs = (_spec(x, [rows, inner]), _spec(x, [inner, columns]))
    name = "the QR factors of complex matrices"
    q, r = _without_derivative(lambda x: np.linalg.qr(x, mode), x, specs, name)
    return q, r


@custom_gradient
def eigenvalues(x: Tensor) -> Any:
    """Eigenvalues of any square matrices, as complex numbers."""
    size = x.shape[-1]
    e, v = _called(np.linalg.eig, x, (_spec(x, [size]), _spec(x, [size, size])))

    def back(g: Tensor) -> Tensor:
        found = solve(v, g[..., :, None] * adjoint(v), True)
        return found if x.dtype.is_complex else _native.cast(_native.real(found), x.dtype)

    return e, back


def eig(x: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of any square matrices; only the values have a derivative."""
    size = x.shape[-1]
    specs = (_spec(x, [size]), _spec(x, [size, size]))
    _, v = _without_derivative(np.linalg.eig, x, specs, "eigenvectors of matrices that are not symmetric")
    return eigenvalues(x), v

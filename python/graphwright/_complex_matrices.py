"""Matrices of complex numbers, solved by way of real ones; determinants by LAPACK, which NumPy brings.

A complex matrix is a real one of twice the length: each number is a square `[[x, -y], [y, x]]`. Products,
inverses and Cholesky's triangles of such matrices are such matrices, so the kernels of real ones serve, and
their derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _native
from ._arrays import eye, lengths, moved
from ._gradients import custom_gradient
from ._native import Tensor, TensorSpec


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


def triangular_solve(a: Tensor, b: Tensor, lower: bool, is_adjoint: bool) -> Tensor:
    """The matrix that triangles, or their adjoints, multiply to `b`; the other triangle is not read."""
    return solve(triangle(a, lower), b, is_adjoint)


def triangle(x: Tensor, lower: bool) -> Tensor:
    """Square matrices with zeros above, or below, the diagonal."""
    place = _native.range(lengths(x)[-1])
    row, column = _native.expand_dims(place, -1), _native.expand_dims(place, 0)
    keeps = _native.greater_equal(row, column) if lower else _native.less_equal(row, column)
    return _native.where(keeps, x, _native.zeros_like(x))


def called(function: Callable[..., Any], x: Tensor, specs: Any) -> Any:
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


def spec_of(x: Tensor, shape: list[Any], is_real: bool = False) -> TensorSpec:
    """A result of so many axes behind those before the matrices."""
    real = _native.float64 if x.dtype in (_native.complex128, _native.float64) else _native.float32
    whole = _native.complex128 if real == _native.float64 else _native.complex64
    return TensorSpec([*x.shape[:-2], *shape], real if is_real else whole)


@custom_gradient
def det(x: Tensor) -> Any:
    """Determinants. What flows back is that of a function of complex numbers."""
    found = called(np.linalg.det, x, spec_of(x, []))

    def back(g: Tensor) -> Tensor:
        factor = g * _native.conj(found)
        return factor[..., None, None] * inv(x, True)

    return found, back


@custom_gradient
def slogdet(x: Tensor) -> Any:
    """Determinants as numbers of size one, and the logarithms of their sizes."""
    found, log = called(np.linalg.slogdet, x, (spec_of(x, []), spec_of(x, [], True)))

    def back(of_sign: Tensor, of_log: Tensor) -> Tensor:
        turn = _native.imag(_native.conj(found) * of_sign)
        return _native.complex(of_log, turn)[..., None, None] * inv(x, True)

    return (found, log), back

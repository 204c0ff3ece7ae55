"""Matrices of complex numbers taken apart by LAPACK, which NumPy brings, and the derivatives of their parts.

LAPACK's steps decide the phases of vectors, so eager and staged code call the same functions. Results that
depend on these phases have no derivative: a flow is compared with what a turn of the phases would change.

Source: Wan and Zhang, "Automatic differentiation for complex valued SVD", 2019, for vectors; Walter and
Lehmann, "Algorithmic differentiation of linear algebra functions", 2018, for the other parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._arrays import eye, lengths
from ._complex_matrices import adjoint, called, solve, spec_of, triangle
from ._gradients import custom_gradient
from ._native import Tensor, matmul

#: Part of a flow that may be left by rounding where the phases do not matter.
_ROUNDING = {_native.float32: 1e-3, _native.float64: 1e-7}


def eigh(x: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and vectors of matrices that are their own adjoints; the lower triangles are read."""
    found: tuple[Tensor, Tensor] = _eigh(x)
    return found


@custom_gradient
def _eigh(x: Tensor) -> Any:
    size = x.shape[-1]
    e, v = called(np.linalg.eigh, x, (spec_of(x, [size], True), spec_of(x, [size, size])))

    def back(of_e: Tensor, of_v: Tensor) -> Tensor:
        turned = matmul(adjoint(v), of_v)
        _free_of_phases(_diagonal(turned), of_v, "eigenvectors")
        gaps = e[..., None, :] - e[..., :, None]
        inner = _on_diagonal(_native.cast(of_e, x.dtype)) + _inverses(gaps, x.dtype) * turned
        found = matmul(matmul(v, inner), adjoint(v))
        return (found + adjoint(found)) / 2.0

    return (e, v), back


def svd(x: Tensor, full_matrices: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Singular values and vectors; those that only make a square are not determined: no derivative."""
    rows, columns = x.shape[-2:]
    if not full_matrices or (rows is not None and rows == columns):
        s, u, v = _svd(x)
        return s, u, v
    shapes = [rows, rows], [_least(x)], [columns, columns]
    specs = tuple(spec_of(x, shape, at == 1) for at, shape in enumerate(shapes))
    u, _, v = _without_derivative(np.linalg.svd, x, specs, "singular vectors that only make a square")
    return singular_values(x), u, adjoint(v)


def singular_values(x: Tensor) -> Tensor:
    """Singular values, from the greatest down."""
    found: Tensor = _svd(x)[0]
    return found


@custom_gradient
def _svd(x: Tensor) -> Any:
    least = _least(x)
    shapes = [x.shape[-2], least], [least], [least, x.shape[-1]]
    specs = tuple(spec_of(x, shape, at == 1) for at, shape in enumerate(shapes))
    u, s, vh = called(lambda x: np.linalg.svd(x, full_matrices=False), x, specs)
    v = adjoint(vh)

    def back(of_s: Tensor, of_u: Tensor, of_v: Tensor) -> Tensor:
        left, right = matmul(adjoint(u), of_u), matmul(vh, of_v)
        phases = _native.imag(_diagonal(left))
        _free_of_phases(
            _diagonal(left) + _diagonal(right), _native.concat([of_u, of_v], -2), "singular vectors"
        )
        values = _native.cast(s, x.dtype)
        over = _inverses((s * s)[..., None, :] - (s * s)[..., :, None], x.dtype)
        inner = over * (left - adjoint(left)) * values[..., None, :]
        inner = inner + values[..., :, None] * (over * (right - adjoint(right)))
        # A flow that is zero leaves the phases alone, also where a value is zero.
        turns = _native.where(_native.equal(phases, 0.0), 0.0, phases / s)
        found = matmul(matmul(u, inner + _on_diagonal(_native.complex(of_s, turns))), vh)
        return (
            found + _outside(x, u, of_u, left, values, v) + adjoint(_outside(x, v, of_v, right, values, u, 1))
        )

    return (s, u, v), back


def _outside(
    x: Tensor, vectors: Tensor, flow: Tensor, inside: Tensor, values: Tensor, others: Tensor, axis: int = 0
) -> Tensor:
    """The flow along directions that the vectors do not span; there are none where they are a basis."""
    longer, shorter = x.shape[-2 + axis], x.shape[-1 - axis]
    if longer is not None and shorter is not None and longer <= shorter:
        return _native.zeros_like(x if axis == 0 else adjoint(x))
    return matmul((flow - matmul(vectors, inside)) / values[..., None, :], adjoint(others))


def qr(x: Tensor, full_matrices: bool) -> tuple[Tensor, Tensor]:
    """An orthonormal basis and a triangle. Columns that only make a square are not determined."""
    rows, columns = x.shape[-2:]
    is_known = rows is not None and columns is not None
    if rows is not None and columns is not None and rows <= columns:
        q, r = _qr(x[..., :rows])
        return q, _native.concat([r, matmul(adjoint(q), x[..., rows:])], -1)
    if not full_matrices and is_known:
        q, r = _qr(x)
        return q, r
    inner = rows if full_matrices else _least(x)
    mode: Any = "complete" if full_matrices else "reduced"
    specs = (spec_of(x, [rows, inner]), spec_of(x, [inner, columns]))
    name = (
        "QR factors with columns that only make a square"
        if full_matrices
        else "QR factors of unknown lengths"
    )
    q, r = _without_derivative(lambda x: np.linalg.qr(x, mode), x, specs, name)
    return q, r


@custom_gradient
def _qr(x: Tensor) -> Any:
    """The factors of matrices that are not wider than high; the triangles have a real diagonal."""
    rows, columns = x.shape[-2:]
    q, r = called(np.linalg.qr, x, (spec_of(x, [rows, columns]), spec_of(x, [columns, columns])))

    def back(of_q: Tensor, of_r: Tensor) -> Tensor:
        inner = triangle(matmul(of_r, adjoint(r)) - matmul(adjoint(q), of_q), False)
        halved = _native.cast(_native.real(_diagonal(inner)), x.dtype)
        inner = inner + adjoint(inner) - _on_diagonal(halved)
        return adjoint(solve(r, adjoint(matmul(q, inner) + of_q), False))

    return (q, r), back


def eig(x: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of any square matrices, as complex numbers."""
    found: tuple[Tensor, Tensor] = _eig(x)
    return found


@custom_gradient
def _eig(x: Tensor) -> Any:
    size = x.shape[-1]
    e, v = called(np.linalg.eig, x, (spec_of(x, [size]), spec_of(x, [size, size])))

    def back(of_e: Tensor, of_v: Tensor) -> Tensor:
        turned = matmul(adjoint(v), of_v)
        _free_of_phases(_diagonal(turned), of_v, "eigenvectors")
        lengths_kept = _native.cast(_native.real(_diagonal(turned)), e.dtype)
        inner = turned - matmul(adjoint(v), v) * lengths_kept[..., None, :]
        over = _inverses(_native.conj(e[..., None, :] - e[..., :, None]), e.dtype)
        found = solve(v, matmul(_on_diagonal(of_e) + over * inner, adjoint(v)), True)
        return found if x.dtype.is_complex else _native.cast(_native.real(found), x.dtype)

    return (e, v), back


def _without_derivative(function: Any, x: Tensor, specs: tuple[Any, ...], name: str) -> tuple[Tensor, ...]:
    """The result of a function of NumPy's for matrices; asking for its derivative is an error."""
    if _native.is_staged(x):
        found: tuple[Tensor, ...] = called(function, x, specs)
        return found

    @custom_gradient
    def refusing(x: Tensor) -> Any:
        def back(*flows: Tensor) -> Tensor:
            del flows
            help = "put `gw.stop_gradient` around it, or take `full_matrices=False`"
            raise _native.diagnosed("GW124", f"no derivative goes through {name}", help)

        return called(function, x, specs), back

    kept: tuple[Tensor, ...] = refusing(x)
    return kept


def _free_of_phases(turns: Tensor, flow: Tensor, name: str) -> None:
    """Requires that a turn of each vector by a phase changes nothing: then `turns` are real."""
    left = _native.reduce_max(_native.abs(_native.imag(turns)))
    whole = _native.sqrt(_native.reduce_sum(_native.square(_native.abs(flow))))
    is_free = _native.less_equal(left, _ROUNDING[left.dtype] * whole)
    _native.require(is_free, (f"the result depends on the phases of {name}, so it has no derivative",))


def _diagonal(x: Tensor) -> Tensor:
    return _native.reduce_sum(x * eye(lengths(x)[-1], dtype=x.dtype), -1)


def _on_diagonal(x: Tensor) -> Tensor:
    return eye(lengths(x)[-1], dtype=x.dtype) * x[..., None, :]


def _inverses(gaps: Tensor, dtype: Any) -> Tensor:
    """One over each gap, and zero where there is none: values that are equal leave their vectors alone."""
    same = _native.equal(gaps, _native.zeros_like(gaps))
    over = _native.where(
        same, _native.zeros_like(gaps), 1.0 / _native.where(same, _native.ones_like(gaps), gaps)
    )
    return _native.cast(over, dtype)


def _least(x: Tensor) -> Any:
    rows, columns = x.shape[-2:]
    return None if rows is None or columns is None else min(rows, columns)

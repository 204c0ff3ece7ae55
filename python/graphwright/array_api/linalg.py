"""Linear algebra of the standard, and its extension `linalg`: matrices are the last two axes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .. import _arrays, _decompositions, _native, _pseudo_inverses
from .. import linalg as _linalg
from .._dtype_info import finfo
from .._native import Tensor
from ._operands import along, axes_of, axis_of, floating, length, of_one_dtype, operand
from ._statistics import max as _max
from ._statistics import min as _min
from ._statistics import sum as _sum

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


class EigenResult(NamedTuple):
    """Eigenvalues, of symmetric matrices the least first, and eigenvectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """An orthogonal and an upper triangular matrix, whose product is the matrix."""

    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    """The sign of a determinant and the logarithm of its absolute value."""

    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    """Left singular vectors as columns, singular values, and right singular vectors as rows."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def matmul(x1: Any, x2: Any, /) -> Tensor:
    """Multiplies matrices."""
    x1, x2 = of_one_dtype(x1, x2)
    return _native.matmul(x1, x2)


def matrix_transpose(x: Any, /) -> Tensor:
    """Transposes matrices."""
    return _linalg.matrix_transpose(_matrices(x))


def _matrices(x: Any) -> Tensor:
    found = operand(x)
    if found.ndim < 2:
        raise ValueError(f"matrices have two axes at least, and this tensor has {found.ndim}")
    return found


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Tensor:
    """Sums products over chosen axes of two tensors."""
    x1, x2 = of_one_dtype(x1, x2)
    if not isinstance(axes, int):
        axes = [axes_of(tuple(one), x.ndim) for one, x in zip(axes, (x1, x2), strict=True)]
    return _linalg.tensordot(x1, x2, axes)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """Sums products of vectors along an axis."""
    x1, x2 = of_one_dtype(x1, x2)
    if axis >= 0 or -axis > min(x1.ndim, x2.ndim):
        axis = axis_of(axis, max(x1.ndim, x2.ndim)) - max(x1.ndim, x2.ndim)
    if None not in (x1.shape[axis], x2.shape[axis]) and x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vectors have one length, and these have {x1.shape[axis]} and {x2.shape[axis]}")
    return _native.reduce_sum(_native.multiply(_native.conj(x1), x2), axis)


def cholesky(x: Any, /, *, upper: bool = False) -> Tensor:
    """Decomposes positive definite matrices into a triangular one and its transpose."""
    lower = _decompositions.cholesky(x)
    return _decompositions.adjoint(lower) if upper else lower


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """Computes cross products of vectors of three elements."""
    x1, x2 = of_one_dtype(x1, x2)
    ndim = max(x1.ndim, x2.ndim)
    from_end = axis_of(axis, ndim) - ndim
    if any(x.ndim < -from_end or x.shape[from_end] not in (3, None) for x in (x1, x2)):
        raise ValueError("cross products are of vectors of three elements")
    first, second = (_arrays.moved(x, x.ndim + from_end, x.ndim - 1) for x in (x1, x2))
    return _arrays.moved(_linalg.cross(first, second), ndim - 1, ndim + from_end)


def det(x: Any, /) -> Tensor:
    """Computes determinants."""
    return _decompositions.det(x)


def diagonal(x: Any, /, *, offset: int = 0) -> Tensor:
    """Extracts diagonals of matrices."""
    x = _matrices(x)
    x = along(x, -1, slice(offset, None)) if offset >= 0 else along(x, -2, slice(-offset, None))
    return _linalg.diag_part(x)


def eig(x: Any, /) -> EigenResult:
    """Decomposes square matrices into complex eigenvalues and eigenvectors."""
    return EigenResult(*_linalg.eig(x))


def eigh(x: Any, /) -> EigenResult:
    """Decomposes symmetric matrices into eigenvalues and eigenvectors."""
    return EigenResult(*_decompositions.eigh(x))


def eigvals(x: Any, /) -> Tensor:
    """Computes complex eigenvalues of square matrices."""
    return _linalg.eigvals(x)


def eigvalsh(x: Any, /) -> Tensor:
    """Computes eigenvalues of symmetric matrices."""
    return _decompositions.eigvalsh(x)


def inv(x: Any, /) -> Tensor:
    """Inverts matrices."""
    return _decompositions.inv(x)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """Computes norms of matrices."""
    x = floating(_matrices(x))
    if ord == "fro":
        size = _native.abs(x)
        found = _native.sqrt(_sum(size * size, axis=(-2, -1), keepdims=True))
    elif ord in ("nuc", 2, -2):
        reduce = {"nuc": _sum, 2: _max, -2: _min}[ord]
        found = _native.expand_dims(reduce(svdvals(x), axis=-1, keepdims=True), -1)
    elif ord in (1, -1, math.inf, -math.inf):
        summed, compared = (-2, -1) if abs(ord) == 1 else (-1, -2)
        sums = _sum(_native.abs(x), axis=summed, keepdims=True)
        found = (_max if ord > 0 else _min)(sums, axis=compared, keepdims=True)
    else:
        raise ValueError(f"`ord` is {ord!r}: it may be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf")
    return found if keepdims else _native.squeeze(found, [x.ndim - 2, x.ndim - 1])


def matrix_power(x: Any, n: int, /) -> Tensor:
    """Multiplies square matrices by themselves, their inverses for a negative power."""
    x = _matrices(x)
    base = inv(x) if n < 0 else x
    one = _arrays.eye(length(x, x.ndim - 1), dtype=x.dtype)
    found = _native.broadcast_to(one, _arrays.lengths(x))
    n = abs(n)
    while n:
        found = _native.matmul(found, base) if n % 2 else found
        n //= 2
        base = _native.matmul(base, base) if n else base
    return found


def _tolerance(x: Tensor, values: Tensor, rtol: Any) -> Tensor:
    """The least singular values that count, relative to the greatest one; an axis is kept for them."""
    if rtol is None:
        rtol = finfo(x.dtype).eps * _native.cast(_native.maximum(*_arrays.lengths(x)[-2:]), values.dtype)
    relative = _native.cast(rtol, values.dtype)
    relative = _native.expand_dims(relative, -1) if relative.ndim else relative
    return relative * _native.reduce_max(values, -1, keepdims=True)


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Tensor:
    """Counts the singular values of matrices that are not near zero."""
    x = floating(_matrices(x))
    values = svdvals(x)
    return _pseudo_inverses.ranks(values, _tolerance(x, values, rtol), _native.int64)


def outer(x1: Any, x2: Any, /) -> Tensor:
    """Multiplies each element of a vector by each of another."""
    x1, x2 = of_one_dtype(x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            f"outer products are of vectors, and these tensors have {x1.ndim} and {x2.ndim} axes"
        )
    return _native.multiply(_native.expand_dims(x1, 1), _native.expand_dims(x2, 0))


def pinv(x: Any, /, *, rtol: Any = None) -> Tensor:
    """Computes pseudo-inverses of matrices."""
    x = floating(_matrices(x))
    if rtol is None:
        rtol = finfo(x.dtype).eps * _native.cast(_native.maximum(*_arrays.lengths(x)[-2:]), _native.float64)
    return _pseudo_inverses.pinv(x, rtol)


def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """Decomposes matrices into an orthogonal and an upper triangular one."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"`mode` is {mode!r}: it may be 'reduced' or 'complete'")
    return QRResult(*_decompositions.qr(x, full_matrices=mode == "complete"))


def slogdet(x: Any, /) -> SlogdetResult:
    """Computes signs of determinants and logarithms of their absolute values."""
    return SlogdetResult(*_decompositions.slogdet(x))


def solve(x1: Any, x2: Any, /) -> Tensor:
    """Solves systems of linear equations, of one right side or of a matrix of them."""
    x1, x2 = of_one_dtype(x1, x2)
    right = _native.expand_dims(x2, -1) if x2.ndim == 1 else x2
    batch = _arrays.lengths(_native.matmul(x1, right))[:-2]
    x1, right = (_native.broadcast_to(x, [*batch, *_arrays.lengths(x)[-2:]]) for x in (x1, right))
    found = _decompositions.solve(x1, right)
    return _native.squeeze(found, [found.ndim - 1]) if x2.ndim == 1 else found


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """Decomposes matrices into singular vectors and singular values."""
    values, left, right = _decompositions.svd(x, full_matrices=full_matrices)
    return SVDResult(left, values, _decompositions.adjoint(right))


def svdvals(x: Any, /) -> Tensor:
    """Computes singular values of matrices."""
    found: Tensor = _decompositions.svd(x, compute_uv=False)
    return found


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """Sums diagonals of matrices."""
    return _sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """Computes norms of vectors along axes."""
    x = _native.abs(floating(x))
    if ord in (math.inf, -math.inf):
        return (_max if ord > 0 else _min)(x, axis=axis, keepdims=keepdims)
    if ord == 0:
        counted = _native.cast(_native.not_equal(x, 0.0), x.dtype)
        return _sum(counted, axis=axis, keepdims=keepdims)
    if ord == 1:
        return _sum(x, axis=axis, keepdims=keepdims)
    if ord == 2:
        return _native.sqrt(_sum(x * x, axis=axis, keepdims=keepdims))
    return _native.pow(_sum(_native.pow(x, float(ord)), axis=axis, keepdims=keepdims), 1.0 / ord)

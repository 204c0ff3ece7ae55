"""Matrices taken apart, and solved with, under TensorFlow's names: the last two axes are a matrix.

A matrix that is not positive definite, or singular, is a `ValueError`, as NumPy's `LinAlgError` is one;
where an operand holds NaN or infinity already, the result does. Of a symmetric matrix, of which the lower
triangle is read, the derivative is symmetric.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _native
from ._arrays import eye, lengths, moved
from ._gradients import custom_gradient
from ._native import Tensor, matmul

__all__ = [
    "adjoint",
    "cholesky",
    "cholesky_solve",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "logdet",
    "lstsq",
    "matrix_rank",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "triangular_solve",
]


class Qr(NamedTuple):
    """`q @ r`"""

    q: Tensor
    r: Tensor


class SLogDet(NamedTuple):
    """`sign * exp(log_abs_determinant)`"""

    sign: Tensor
    log_abs_determinant: Tensor


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """`(…, n, m)` for `(…, m, n)`."""
    del name
    x = _native.convert_to_tensor(matrix)
    return moved(x, x.ndim - 2, x.ndim - 1)


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangles that times their transposes are these symmetric, positive definite matrices."""
    del name
    return _native.cholesky(input)


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """What the lower or upper triangles of matrices, transposed with `adjoint`, times it gives `rhs`."""
    del name
    return _native.triangular_solve(matrix, rhs, lower, adjoint)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """What `chol @ cholᵀ` times it gives `rhs`."""
    del name
    below = _native.triangular_solve(chol, rhs, True, False)
    return _native.triangular_solve(chol, below, True, True)


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """What matrices, transposed with `adjoint`, times it gives `rhs`."""
    del name
    return _native.solve(matrix, rhs, adjoint)


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverses, or with `adjoint` those of the transposed matrices."""
    del name
    x = _native.convert_to_tensor(input)
    return _native.solve(x, eye(lengths(x)[-1], dtype=x.dtype), adjoint)


def det(input: Any, name: str | None = None) -> Tensor:
    """The determinants."""
    del name
    return _native.determinants(input)[..., 0]


def slogdet(input: Any, name: str | None = None) -> SLogDet:
    """The signs of the determinants, and the logarithms of their magnitudes."""
    del name
    found = _native.determinants(input)
    return SLogDet(found[..., 1], found[..., 2])


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithms of the determinants of symmetric, positive definite matrices."""
    del name
    x = _native.cholesky(matrix)
    on_diagonal = _native.cast(eye(lengths(x)[-1]), _native.bool)
    return 2.0 * _native.reduce_sum(_native.log(_native.where(on_diagonal, x, 1.0)), [-2, -1])


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Matrices with orthonormal columns, and upper triangles: their products are these matrices.

    With `full_matrices` the first ones are square; there is no derivative then where the given matrices are
    higher than wide.
    """
    del name
    x = _native.convert_to_tensor(input)
    packed = _native.r_and_q(x, full_matrices)
    columns = lengths(x)[-1]
    return Qr(adjoint(packed[..., columns:]), packed[..., :columns])


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues of symmetric matrices, ascending, and their eigenvectors as columns.

    Where eigenvalues are equal only what does not depend on the vectors has a derivative.
    """
    del name
    packed = _native.eigenvalues_over_vectors(tensor)
    return packed[..., 0, :], packed[..., 1:, :]


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of symmetric matrices, ascending."""
    del name
    return eigh(tensor)[0]


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """The singular values, descending, and the singular vectors as columns: `s, u, v` of `u @ diag(s) @ vᵀ`.

    With `full_matrices` both are square. Without `compute_uv` it is the values alone. Where values are equal,
    or zero, only what does not depend on the vectors has a derivative.
    """
    del name
    x = _native.convert_to_tensor(tensor)
    packed = _native.singular_values_over_vectors(x)
    rows = lengths(x)[-2]
    s, u, v = packed[..., 0, :], packed[..., 1 : rows + 1, :], packed[..., rows + 1 :, :]
    if not compute_uv:
        return s
    if full_matrices:
        u, v = _square(u), _square(v)
    return s, u, v


def _square(vectors: Tensor) -> Tensor:
    """Orthonormal columns, and as many more as make them a square."""
    rows, columns = vectors.shape[-2:]
    if rows is not None and rows == columns:
        return vectors
    others = qr(vectors, full_matrices=True).q
    return _native.concat([vectors, others[..., lengths(vectors)[-1] :]], -1)


def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The shortest of what matrices times it comes nearest to `rhs`, by least squares.

    With `fast` it is solved by Cholesky's triangle of the squared matrix, to whose diagonal
    `l2_regularizer` is added; that wants a matrix of full rank, and half of the digits are lost where it is
    nearly none. Otherwise by singular values, `l2_regularizer` not being used.
    """
    del name
    a, b = _native.convert_to_tensor(matrix), _native.convert_to_tensor(rhs)
    rows, columns = a.shape[-2:]
    if not fast or ((rows is None or columns is None) and l2_regularizer == 0):
        return matmul(pinv(a), b)
    # With something on the diagonal both squares give the same.
    wide = rows is not None and columns is not None and rows < columns
    square = matmul(a, a, transpose_b=True) if wide else matmul(a, a, transpose_a=True)
    if l2_regularizer != 0:
        square = square + eye(lengths(square)[-1], dtype=a.dtype) * l2_regularizer
    triangle = _native.cholesky(square)
    if wide:
        return matmul(a, cholesky_solve(triangle, b), transpose_a=True)
    return cholesky_solve(triangle, matmul(a, b, transpose_a=True))


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The pseudo-inverses; singular values up to `rcond` times the greatest count as zero."""
    del validate_args, name
    x = _native.convert_to_tensor(a)
    if rcond is None:
        rcond = 10.0 * _most(x) * _smallest_step(x)
    found: Tensor = _pinv(x, _native.cast(rcond, x.dtype))
    return found


@custom_gradient
def _pinv(x: Tensor, rcond: Tensor) -> Any:
    """By singular values; its derivative, by Golub and Pereyra, does not mind that some are equal."""
    s, u, v = svd(x)
    keeps = _native.greater(s, _native.reduce_max(s, -1, keepdims=True) * _native.expand_dims(rcond, -1))
    over = _native.where(keeps, 1.0 / _native.where(keeps, s, 1.0), 0.0)
    p = matmul(v * _native.expand_dims(over, -2), u, transpose_b=True)

    def back(g: Tensor) -> tuple[Tensor, None]:
        turned, flow = adjoint(p), adjoint(g)
        once = matmul(matmul(turned, g), turned)
        twice = matmul(flow, matmul(p, turned))
        left = twice - matmul(x, matmul(p, twice))
        other = matmul(matmul(turned, p), flow)
        right = other - matmul(matmul(other, p), x)
        return left + right - once, None

    return p, back


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """How many singular values are above `tol`, as `int32`."""
    del validate_args, name
    x = _native.convert_to_tensor(a)
    s = svd(x, compute_uv=False)
    if tol is None:
        greatest = _native.reduce_max(s, -1, keepdims=True)
        tol = greatest * _native.cast(_most(x) * _smallest_step(x), x.dtype)
    return _native.reduce_sum(_native.cast(_native.greater(s, tol), _native.int32), -1)


def _most(x: Tensor) -> Any:
    """The greater number of rows and columns."""
    rows, columns = lengths(x)[-2:]
    if isinstance(rows, int) and isinstance(columns, int):
        return float(max(rows, columns))
    return _native.cast(_native.maximum(rows, columns), _native.float64)


def _smallest_step(x: Tensor) -> float:
    """From one to the next number."""
    return 2.0**-52 if x.dtype == _native.float64 else 2.0**-23

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
    """Transposes matrices.

    Args:
      matrix: tensor of matrices `(…, m, n)`, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, n, m)`.

    Example:
      >>> gw.linalg.adjoint(gw.constant([[1.0, 2.0]])).numpy().tolist()
      [[1.0], [2.0]]
    """
    del name
    x = _native.convert_to_tensor(matrix)
    return moved(x, x.ndim - 2, x.ndim - 1)


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Computes Cholesky factors of symmetric, positive definite matrices.

    Args:
      input: tensor of matrices `(…, n, n)`, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Lower triangles `L` with `L @ transpose(L) == input`.

    Raises:
      InvalidArgumentError: a matrix is not positive definite.

    Example:
      >>> gw.linalg.cholesky(gw.constant([[4.0, 2.0], [2.0, 2.0]])).numpy().tolist()
      [[2.0, 0.0], [1.0, 1.0]]

    Source: Golub and Van Loan, "Matrix Computations", 4.2.
    """
    del name
    return _native.cholesky(input)


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves linear systems with triangular matrices.

    Args:
      matrix: tensor of matrices `(…, n, n)`, `float32` or `float64`; the other triangle is not read.
      rhs: right-hand sides `(…, n, k)`.
      lower: whether the lower triangles are read.
      adjoint: whether to solve with the transposes.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Solutions `(…, n, k)`.

    Example:
      >>> lower = gw.constant([[2.0, 0.0], [1.0, 1.0]])
      >>> gw.linalg.triangular_solve(lower, gw.constant([[2.0], [3.0]])).numpy().tolist()
      [[1.0], [2.0]]
    """
    del name
    return _native.triangular_solve(matrix, rhs, lower, adjoint)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """Solves linear systems by Cholesky factors.

    Args:
      chol: lower triangles `(…, n, n)` from `cholesky`.
      rhs: right-hand sides `(…, n, k)`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Solutions `(…, n, k)`.

    Example:
      >>> chol = gw.linalg.cholesky(gw.constant([[4.0, 0.0], [0.0, 1.0]]))
      >>> gw.linalg.cholesky_solve(chol, gw.constant([[8.0], [3.0]])).numpy().tolist()
      [[2.0], [3.0]]
    """
    del name
    below = _native.triangular_solve(chol, rhs, True, False)
    return _native.triangular_solve(chol, below, True, True)


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Solves linear systems.

    Args:
      matrix: tensor of matrices `(…, n, n)`, `float32` or `float64`.
      rhs: right-hand sides `(…, n, k)`.
      adjoint: whether to solve with the transposes.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Solutions `(…, n, k)`.

    Raises:
      InvalidArgumentError: a matrix is singular.

    Example:
      >>> gw.linalg.solve(gw.constant([[2.0, 0.0], [0.0, 4.0]]), gw.constant([[2.0], [2.0]])).numpy().tolist()
      [[1.0], [0.5]]

    Source: LU decomposition with partial pivoting; Golub and Van Loan, "Matrix Computations", 3.4.
    """
    del name
    return _native.solve(matrix, rhs, adjoint)


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Computes inverses of matrices.

    Args:
      input: tensor of matrices `(…, n, n)`, `float32` or `float64`.
      adjoint: whether to invert the transposes.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: a matrix is singular.

    Example:
      >>> gw.linalg.inv(gw.constant([[2.0, 0.0], [0.0, 4.0]])).numpy().tolist()
      [[0.5, 0.0], [0.0, 0.25]]
    """
    del name
    x = _native.convert_to_tensor(input)
    return _native.solve(x, eye(lengths(x)[-1], dtype=x.dtype), adjoint)


def det(input: Any, name: str | None = None) -> Tensor:
    """Computes determinants.

    Args:
      input: tensor of matrices `(…, n, n)`, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…)`.

    Example:
      >>> gw.linalg.det(gw.constant([[1.0, 2.0], [3.0, 5.0]])).numpy().round(4)
      np.float32(-1.0)

    Source: LU decomposition with partial pivoting; Golub and Van Loan, "Matrix Computations", 3.4.
    """
    del name
    return _native.determinants(input)[..., 0]


def slogdet(input: Any, name: str | None = None) -> SLogDet:
    """Computes signs and logarithms of the magnitudes of determinants.

    Args:
      input: tensor of matrices `(…, n, n)`, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Pair of tensors `(…)`.

    Example:
      >>> sign, log = gw.linalg.slogdet(gw.constant([[-2.0, 0.0], [0.0, 0.5]]))
      >>> float(sign), float(log)
      (-1.0, 0.0)
    """
    del name
    found = _native.determinants(input)
    return SLogDet(found[..., 1], found[..., 2])


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """Computes logarithms of determinants of symmetric, positive definite matrices.

    Args:
      matrix: tensor of matrices `(…, n, n)`, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…)`.

    Example:
      >>> gw.linalg.logdet(gw.eye(2))
      <gw.Tensor: shape=(), dtype=float32, numpy=0.0>
    """
    del name
    x = _native.cholesky(matrix)
    on_diagonal = _native.cast(eye(lengths(x)[-1]), _native.bool)
    return 2.0 * _native.reduce_sum(_native.log(_native.where(on_diagonal, x, 1.0)), [-2, -1])


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Computes QR factors of matrices.

    With `full_matrices` the first ones are square; there is no derivative then where the given matrices are
    higher than wide.

    Args:
      input: tensor of matrices `(…, m, n)`, `float32` or `float64`.
      full_matrices: whether `q` has all `m` columns.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Pair `q`, with orthonormal columns, and `r`, upper triangles, with `q @ r == input`.

    Example:
      >>> q, r = gw.linalg.qr(gw.constant([[3.0], [4.0]]))
      >>> abs(r).numpy().round(3).tolist()
      [[5.0]]

    Source: Householder reflections; Golub and Van Loan, "Matrix Computations", 5.2.
    """
    del name
    x = _native.convert_to_tensor(input)
    packed = _native.r_and_q(x, full_matrices)
    columns = lengths(x)[-1]
    return Qr(adjoint(packed[..., columns:]), packed[..., :columns])


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Computes eigenvalues and eigenvectors of symmetric matrices.

    Where eigenvalues are equal only results that do not depend on the vectors have a derivative.

    Args:
      tensor: tensor of matrices `(…, n, n)`, `float32` or `float64`; the lower triangles are read.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Pair of eigenvalues `(…, n)`, ascending, and eigenvectors `(…, n, n)` as columns.

    Example:
      >>> values, vectors = gw.linalg.eigh(gw.constant([[2.0, 0.0], [0.0, 1.0]]))
      >>> values.numpy().tolist()
      [1.0, 2.0]

    Source: Jacobi rotations and QL iterations; Golub and Van Loan, "Matrix Computations", chapter 8.
    """
    del name
    packed = _native.eigenvalues_over_vectors(tensor)
    return packed[..., 0, :], packed[..., 1:, :]


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Computes eigenvalues of symmetric matrices.

    Args:
      tensor: tensor of matrices `(…, n, n)`, `float32` or `float64`; the lower triangles are read.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, n)`, ascending.

    Example:
      >>> gw.linalg.eigvalsh(gw.constant([[2.0, 0.0], [0.0, 1.0]])).numpy().tolist()
      [1.0, 2.0]
    """
    del name
    return eigh(tensor)[0]


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Computes singular value decompositions.

    With `full_matrices` both are square. Without `compute_uv` it is the values alone. Where values are equal,
    or zero, only results that do not depend on the vectors have a derivative.

    Args:
      tensor: tensor of matrices `(…, m, n)`, `float32` or `float64`.
      full_matrices: whether the singular vectors are complete bases.
      compute_uv: whether to return the vectors too.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `s, u, v` with `u @ diag(s) @ transpose(v) == tensor`, or `s` alone.

    Example:
      >>> gw.linalg.svd(gw.constant([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False).numpy().tolist()
      [3.0, 2.0]

    Source: One-sided Jacobi rotations; Golub and Van Loan, "Matrix Computations", 8.6.
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
    """Solves linear least-squares problems.

    With `fast` it is solved by Cholesky's triangle of the squared matrix, to whose diagonal
    `l2_regularizer` is added; that wants a matrix of full rank, and half of the digits are lost where it is
    nearly none. Otherwise by singular values, `l2_regularizer` not being used.

    Args:
      matrix: tensor of matrices `(…, m, n)`, `float32` or `float64`.
      rhs: tensor `(…, m, k)`.
      l2_regularizer: factor of the squared norm of the solution.
      fast: whether to solve the normal equations by Cholesky factors; else by orthogonal factors.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Solutions `(…, n, k)`.

    Example:
      >>> a = gw.constant([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
      >>> gw.linalg.lstsq(a, gw.constant([[1.0], [3.0], [5.0]])).numpy().round(3).tolist()
      [[1.0], [2.0]]
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
    """Computes pseudo-inverses of matrices.

    Args:
      a: tensor of matrices `(…, m, n)`, `float32` or `float64`.
      rcond: singular values up to this multiple of the greatest count as zero.
      validate_args: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, n, m)`.

    Example:
      >>> gw.linalg.pinv(gw.constant([[2.0], [0.0]])).numpy().round(3).tolist()
      [[0.5, 0.0]]
    """
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
    """Counts singular values above a tolerance.

    Args:
      a: tensor of matrices `(…, m, n)`, `float32` or `float64`.
      tol: tolerance; the rounding error of the greatest value if it is `None`.
      validate_args: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `int32` tensor `(…)`.

    Raises:
      InvalidArgumentError: a matrix holds NaN.

    Example:
      >>> gw.linalg.matrix_rank(gw.ones([2, 2]))
      <gw.Tensor: shape=(), dtype=int32, numpy=1>
    """
    del validate_args, name
    x = _native.convert_to_tensor(a)
    s = svd(x, compute_uv=False)
    if tol is None:
        greatest = _native.reduce_max(s, -1, keepdims=True)
        tol = greatest * _native.cast(_most(x) * _smallest_step(x), x.dtype)
    return ranks(s, tol, _native.int32)


def ranks(values: Tensor, least: Any, dtype: Any) -> Tensor:
    """The number of singular values above the least that counts. An integer cannot say that they are NaN."""
    known = _native.logical_not(_native.reduce_any(_native.is_nan(values)))
    _native.require(known, ("a matrix with NaN has no rank: SVD did not converge",))
    return _native.reduce_sum(_native.cast(_native.greater(values, least), dtype), -1)


def _most(x: Tensor) -> Any:
    """The greater number of rows and columns."""
    rows, columns = lengths(x)[-2:]
    if isinstance(rows, int) and isinstance(columns, int):
        return float(max(rows, columns))
    return _native.cast(_native.maximum(rows, columns), _native.float64)


def _smallest_step(x: Tensor) -> float:
    """From one to the next number."""
    return 2.0**-52 if x.dtype == _native.float64 else 2.0**-23

"""Matrices taken apart, and solved with, under TensorFlow's names: the last two axes are a matrix.

A matrix that is not positive definite, or singular, is a `ValueError`, as NumPy's `LinAlgError` is one;
where an operand holds NaN or infinity already, the result does. Of a symmetric matrix, of which the lower
triangle is read, the derivative is symmetric. Of complex matrices the vectors of `svd` and the factors of
`qr` have no derivative.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _complex_decompositions, _complex_matrices, _native
from ._arrays import eye, lengths, moved
from ._complex_matrices import are_complex
from ._native import Tensor

__all__ = [
    "adjoint",
    "cholesky",
    "cholesky_solve",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "logdet",
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
    """Transposes matrices, and conjugates complex ones.

    Args:
      matrix: tensor of matrices `(…, m, n)` of floats or complex numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, n, m)`.

    Example:
      >>> gw.linalg.adjoint(gw.constant([[1.0, 2.0]])).numpy().tolist()
      [[1.0], [2.0]]
    """
    del name
    x = _native.convert_to_tensor(matrix)
    return _complex_matrices.adjoint(x) if are_complex(x) else moved(x, x.ndim - 2, x.ndim - 1)


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Computes Cholesky factors of symmetric, positive definite matrices.

    Args:
      input: tensor of matrices `(…, n, n)` of floats or complex numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Lower triangles `L` with `L @ adjoint(L) == input`.

    Raises:
      InvalidArgumentError: a matrix is not positive definite.

    Example:
      >>> gw.linalg.cholesky(gw.constant([[4.0, 2.0], [2.0, 2.0]])).numpy().tolist()
      [[2.0, 0.0], [1.0, 1.0]]

    Source: Golub and Van Loan, "Matrix Computations", 4.2.
    """
    del name
    x = _native.convert_to_tensor(input)
    return _complex_matrices.cholesky(x) if are_complex(x) else _native.cholesky(x)


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves linear systems with triangular matrices.

    Args:
      matrix: tensor of matrices `(…, n, n)` of floats or complex numbers; the other triangle is not read.
      rhs: right-hand sides `(…, n, k)`.
      lower: whether the lower triangles are read.
      adjoint: whether to solve with the adjoints.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Solutions `(…, n, k)`.

    Example:
      >>> lower = gw.constant([[2.0, 0.0], [1.0, 1.0]])
      >>> gw.linalg.triangular_solve(lower, gw.constant([[2.0], [3.0]])).numpy().tolist()
      [[1.0], [2.0]]
    """
    del name
    a, b = _native.convert_to_tensor(matrix), _native.convert_to_tensor(rhs)
    if are_complex(a, b):
        return _complex_matrices.triangular_solve(a, b, lower, adjoint)
    return _native.triangular_solve(a, b, lower, adjoint)


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
    a, b = _native.convert_to_tensor(chol), _native.convert_to_tensor(rhs)
    if are_complex(a, b):
        return triangular_solve(a, triangular_solve(a, b), adjoint=True)
    return _native.cholesky_solve(a, b)


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Solves linear systems.

    Args:
      matrix: tensor of matrices `(…, n, n)` of floats or complex numbers.
      rhs: right-hand sides `(…, n, k)`.
      adjoint: whether to solve with the adjoints.
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
    a, b = _native.convert_to_tensor(matrix), _native.convert_to_tensor(rhs)
    return _complex_matrices.solve(a, b, adjoint) if are_complex(a, b) else _native.solve(a, b, adjoint)


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Computes inverses of matrices.

    Args:
      input: tensor of matrices `(…, n, n)` of floats or complex numbers.
      adjoint: whether to invert the adjoints.
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
    return _complex_matrices.inv(x, adjoint) if are_complex(x) else _native.inverse(x, adjoint)


def det(input: Any, name: str | None = None) -> Tensor:
    """Computes determinants.

    Args:
      input: tensor of matrices `(…, n, n)` of floats or complex numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…)`.

    Example:
      >>> gw.linalg.det(gw.constant([[1.0, 2.0], [3.0, 5.0]])).numpy().round(4)
      np.float32(-1.0)

    Source: LU decomposition with partial pivoting; Golub and Van Loan, "Matrix Computations", 3.4.
    """
    del name
    x = _native.convert_to_tensor(input)
    return _complex_matrices.det(x) if are_complex(x) else _native.determinant(x)


def slogdet(input: Any, name: str | None = None) -> SLogDet:
    """Computes signs and logarithms of the magnitudes of determinants.

    Args:
      input: tensor of matrices `(…, n, n)` of floats or complex numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Pair of tensors `(…)`.

    Example:
      >>> sign, log = gw.linalg.slogdet(gw.constant([[-2.0, 0.0], [0.0, 0.5]]))
      >>> float(sign), float(log)
      (-1.0, 0.0)
    """
    del name
    x = _native.convert_to_tensor(input)
    if are_complex(x):
        return SLogDet(*_complex_matrices.slogdet(x))
    found = _native.determinants(x)
    return SLogDet(found[..., 1], found[..., 2])


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """Computes logarithms of determinants of symmetric, positive definite matrices.

    Args:
      matrix: tensor of matrices `(…, n, n)` of floats or complex numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…)`, of floats also for complex numbers.

    Example:
      >>> gw.linalg.logdet(gw.eye(2))
      <gw.Tensor: shape=(), dtype=float32, numpy=0.0>
    """
    del name
    given = _native.convert_to_tensor(matrix)
    if not are_complex(given):
        return _native.log_determinant(given)
    x = _native.real(cholesky(given))
    on_diagonal = _native.cast(eye(lengths(x)[-1]), _native.bool)
    return 2.0 * _native.reduce_sum(_native.log(_native.where(on_diagonal, x, 1.0)), [-2, -1])


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Computes QR factors of matrices.

    With `full_matrices` the first ones are square; there is no derivative then where the given matrices are
    higher than wide.

    Args:
      input: tensor of matrices `(…, m, n)` of floats or complex numbers.
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
    if are_complex(x):
        return Qr(*_complex_decompositions.qr(x, full_matrices))
    packed = _native.r_and_q(x, full_matrices)
    columns = lengths(x)[-1]
    return Qr(adjoint(packed[..., columns:]), packed[..., :columns])


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Computes eigenvalues and eigenvectors of symmetric matrices.

    Where eigenvalues are equal only results that do not depend on the vectors have a derivative.

    Args:
      tensor: tensor of matrices `(…, n, n)` of floats or complex numbers; the lower triangles are read.
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
    x = _native.convert_to_tensor(tensor)
    if are_complex(x):
        return _complex_decompositions.eigh(x)
    packed = _native.eigenvalues_over_vectors(x)
    return packed[..., 0, :], packed[..., 1:, :]


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Computes eigenvalues of symmetric matrices.

    Args:
      tensor: tensor of matrices `(…, n, n)` of floats or complex numbers; the lower triangles are read.
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
      tensor: tensor of matrices `(…, m, n)` of floats or complex numbers.
      full_matrices: whether the singular vectors are complete bases.
      compute_uv: whether to return the vectors too.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `s, u, v` with `u @ diag(s) @ adjoint(v) == tensor`, or `s` alone.

    Example:
      >>> gw.linalg.svd(gw.constant([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False).numpy().tolist()
      [3.0, 2.0]

    Source: One-sided Jacobi rotations; Golub and Van Loan, "Matrix Computations", 8.6.
    """
    del name
    x = _native.convert_to_tensor(tensor)
    if are_complex(x):
        s = _complex_decompositions.singular_values(x)
        return _complex_decompositions.svd(x, full_matrices) if compute_uv else s
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

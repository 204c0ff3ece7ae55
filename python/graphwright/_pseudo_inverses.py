"""Matrices that have no inverse: least squares, pseudo-inverses and ranks, by singular values."""

from __future__ import annotations

from typing import Any

from . import _native
from ._arrays import eye, lengths
from ._decompositions import adjoint, cholesky, cholesky_solve, svd
from ._gradients import custom_gradient
from ._native import Tensor, matmul

__all__ = ["lstsq", "matrix_rank", "pinv"]


def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """Solves linear least-squares problems.

    With `fast` it is solved by Cholesky's triangle of the squared matrix, to whose diagonal
    `l2_regularizer` is added; that wants a matrix of full rank, and half of the digits are lost where it is
    nearly none. Otherwise by singular values, `l2_regularizer` not being used.

    Args:
      matrix: tensor of matrices `(…, m, n)` of floats or complex numbers.
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
    turned = adjoint(a)
    square = matmul(a, turned) if wide else matmul(turned, a)
    if l2_regularizer != 0:
        square = square + eye(lengths(square)[-1], dtype=a.dtype) * l2_regularizer
    triangle = cholesky(square)
    if wide:
        return matmul(turned, cholesky_solve(triangle, b))
    return cholesky_solve(triangle, matmul(turned, b))


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Computes pseudo-inverses of matrices.

    Args:
      a: tensor of matrices `(…, m, n)` of floats or complex numbers.
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
    found: Tensor = _pinv(x, _native.cast(rcond, real_of(x.dtype)))
    return found


@custom_gradient
def _pinv(x: Tensor, rcond: Tensor) -> Any:
    """By singular values; its derivative, by Golub and Pereyra, does not mind that some are equal."""
    s, u, v = svd(x)
    keeps = _native.greater(s, _native.reduce_max(s, -1, keepdims=True) * _native.expand_dims(rcond, -1))
    over = _native.where(keeps, 1.0 / _native.where(keeps, s, 1.0), 0.0)
    p = matmul(v * _native.cast(_native.expand_dims(over, -2), x.dtype), adjoint(u))

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
      a: tensor of matrices `(…, m, n)` of floats or complex numbers.
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
        tol = greatest * _native.cast(_most(x) * _smallest_step(x), s.dtype)
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
    return 2.0**-52 if real_of(x.dtype) == _native.float64 else 2.0**-23


def real_of(dtype: Any) -> Any:
    """The dtype of the sizes of numbers."""
    return {_native.complex64: _native.float32, _native.complex128: _native.float64}.get(dtype, dtype)

"""LU factors of matrices, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._arrays import eye, lengths
from .._function import function
from .._native import Tensor, matmul

__all__ = ["lu", "lu_matrix_inverse", "lu_reconstruct", "lu_solve"]


def lu(input: Any, output_idx_type: Any = _native.int32, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Computes LU factors with partial pivoting.

    Args:
      input: tensor of matrices `(…, n, n)`, `float32` or `float64`.
      output_idx_type: dtype of the permutation.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The factors in one matrix, `L` below the diagonal, of ones, and `U`; and the order of the rows.

    Raises:
      InvalidArgumentError: a matrix is singular.

    Example:
      >>> factors, order = gw.linalg.lu(gw.constant([[1.0, 2.0], [4.0, 4.0]]))
      >>> factors.numpy().tolist(), order.numpy().tolist()
      ([[4.0, 4.0], [0.25, 1.0]], [1, 0])

    Source: Golub and Van Loan, "Matrix Computations", 3.4.
    """
    del name
    factors, order = _factors(_native.convert_to_tensor(input))
    return factors, _native.cast(order, output_idx_type)


@function
def _factors(x: Tensor) -> tuple[Tensor, Tensor]:
    """One column after the other: the greatest element comes up, and what stands below it is taken away."""
    size = lengths(x)[-1]
    rows = _native.expand_dims(_native.range(size), -1)
    columns = _native.expand_dims(_native.range(size), 0)
    order = _native.broadcast_to(_native.range(size), lengths(x)[:-1])
    for at in _native.range(size):
        below = _native.where(rows[:, 0] < at, -1.0, _native.abs(x[..., at]))
        best = _native.cast(_native.argmax(_native.stop_gradient(below), -1), order.dtype)
        best = _native.expand_dims(best, -1)
        there = _native.range(size)
        swapped = _native.where(
            _native.equal(there, at), best, _native.where(_native.equal(there, best), at, there)
        )
        x = _rows(x, swapped)
        order = _rows(_native.expand_dims(order, -1), swapped)[..., 0]
        pivot = x[..., at, at]
        _native.require(_native.reduce_all(_native.not_equal(pivot, 0)), ("a matrix of `lu` is singular",))
        scaled = x[..., at] / _native.expand_dims(pivot, -1)
        factor = _native.where(rows[:, 0] > at, scaled, _native.zeros_like(scaled))
        outer = _native.expand_dims(factor, -1) * x[..., at : at + 1, :]
        taken = x - _native.where(columns > at, outer, _native.zeros_like(outer))
        is_factor = _native.logical_and(rows > at, _native.equal(columns, at))
        x = _native.where(is_factor, _native.expand_dims(factor, -1), taken)
    return x, order


def _rows(x: Tensor, places: Tensor) -> Tensor:
    """Rows of matrices in another order, one for each matrix."""
    chosen = _native.equal(_native.expand_dims(places, -1), _native.range(lengths(x)[-2]))
    wide = _native.expand_dims(x, -3)
    picked = _native.where(_native.expand_dims(chosen, -1), wide, _native.zeros_like(wide))
    return _native.reduce_sum(picked, -2)


def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Multiplies LU factors.

    Args:
      lower_upper: factors `(…, n, n)` from `gw.linalg.lu`.
      perm: order of the rows.
      validate_args: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of matrices.

    Example:
      >>> gw.linalg.lu_reconstruct(*gw.linalg.lu(gw.constant([[1.0, 2.0], [4.0, 4.0]]))).numpy().tolist()
      [[1.0, 2.0], [4.0, 4.0]]
    """
    del validate_args, name
    both, lower = _halves(lower_upper)
    return _rows(matmul(lower, both), _native.argsort(perm))


def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Solves linear systems by LU factors.

    Args:
      lower_upper: factors `(…, n, n)` from `gw.linalg.lu`.
      perm: order of the rows.
      rhs: right-hand sides `(…, n, k)`.
      validate_args: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Solutions `(…, n, k)`.

    Example:
      >>> factors = gw.linalg.lu(gw.constant([[0.0, 2.0], [4.0, 0.0]]))
      >>> gw.linalg.lu_solve(*factors, gw.constant([[2.0], [4.0]])).numpy().tolist()
      [[1.0], [1.0]]
    """
    del validate_args, name
    upper, lower = _halves(lower_upper)
    ordered = _rows(_native.convert_to_tensor(rhs), _native.convert_to_tensor(perm))
    return _native.triangular_solve(
        upper, _native.triangular_solve(lower, ordered, True, False), False, False
    )


def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Computes inverses by LU factors.

    Args:
      lower_upper: factors `(…, n, n)` from `gw.linalg.lu`.
      perm: order of the rows.
      validate_args: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of matrices.

    Example:
      >>> gw.linalg.lu_matrix_inverse(*gw.linalg.lu(gw.constant([[0.0, 2.0], [4.0, 0.0]]))).numpy().tolist()
      [[0.0, 0.25], [0.5, 0.0]]
    """
    del validate_args, name
    x = _native.convert_to_tensor(lower_upper)
    return lu_solve(x, perm, _native.broadcast_to(eye(lengths(x)[-1], dtype=x.dtype), lengths(x)))


def _halves(lower_upper: Any) -> tuple[Tensor, Tensor]:
    """`U`, and `L` with ones in its diagonal."""
    x = _native.convert_to_tensor(lower_upper)
    size = lengths(x)[-1]
    below = _native.expand_dims(_native.range(size), 1) - _native.range(size)
    zero, one = _native.zeros_like(x), _native.ones_like(x)
    lower = _native.where(below > 0, x, _native.where(_native.equal(below, 0), one, zero))
    return _native.where(below <= 0, x, zero), lower

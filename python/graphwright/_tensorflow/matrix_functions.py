"""Roots and logarithms of matrices, and systems whose matrices have few diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from .._arrays import eye
from .._decompositions import eigh, eigvalsh, inv, solve, triangular_solve
from .._function import function
from .._native import Tensor, matmul
from .linalg import diag, expm

__all__ = [
    "banded_triangular_solve",
    "eigh_tridiagonal",
    "logm",
    "sqrtm",
    "tridiagonal_solve",
]

#: Points and weights of Gauss and Legendre's rule on [0, 1], which make the logarithm's Padé approximants.
_POINTS = (
    0.019855071751231884,
    0.10166676129318664,
    0.2372337950418355,
    0.40828267875217505,
    0.591717321247825,
    0.7627662049581645,
    0.8983332387068134,
    0.9801449282487681,
)
_WEIGHTS = (
    0.05061426814518813,
    0.11119051722668724,
    0.15685332293894363,
    0.18134189168918100,
    0.18134189168918100,
    0.15685332293894363,
    0.11119051722668724,
    0.05061426814518813,
)


def _square(input: Any, name: str) -> Tensor:
    x = _native.convert_to_tensor(input)
    if x.ndim < 2 or (x.shape[-1] is not None and x.shape[-2] is not None and x.shape[-1] != x.shape[-2]):
        raise ValueError(f"`{name}` takes square matrices, not the shape {tuple(x.shape)}")
    if x.dtype.is_integer or x.dtype == _native.bool:
        raise TypeError(f"`{name}` takes floats or complex numbers, not {x.dtype.name}")
    return x


def _apart(x: Tensor, y: Tensor) -> Tensor:
    """The greatest difference of two tensors over the greatest element."""
    size = _native.reduce_max(_native.abs(_native.stop_gradient(x)))
    change = _native.reduce_max(_native.abs(_native.stop_gradient(x - y)))
    return change / _native.maximum(size, _native.cast(1e-300, size.dtype) if size.dtype.size == 8 else 1e-30)


@function
def _root(x: Tensor, one: Tensor) -> Tensor:
    """The iteration of Denman and Beavers, until the root changes no more."""
    root, other = x, one
    turns = 0
    change = _apart(x, x) + 1.0
    while turns < 100 and change > 1e-7:
        turns = turns + 1
        found = 0.5 * (root + inv(other))
        other = 0.5 * (other + inv(root))
        change = _apart(found, root)
        root = found
    # The last step squares the error that is left.
    return 0.5 * (root + inv(other))


def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """Computes square roots of matrices: `root @ root` is the matrix.

    Args:
      input: tensor of invertible matrices `(…, n, n)` without eigenvalues on the negative axis.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype, whose eigenvalues have positive real parts.

    Raises:
      ValueError: the matrices are not square.
      InvalidArgumentError: no root is found, because a matrix is singular or has a negative eigenvalue.

    Example:
      >>> gw.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().round(4).tolist()
      [[2.0, 0.0], [0.0, 3.0]]
    """
    del name
    x = _square(input, "sqrtm")
    found = _root(x, _native.zeros_like(x) + eye(x.shape[-1] or _native.shape(x)[-1], dtype=x.dtype))
    _require_near(matmul(found, found), x, "square root")
    return found


@function
def _logarithm(x: Tensor, one: Tensor) -> Tensor:
    """Roots until the matrix is near one, then an approximant, then the factor of the roots."""
    factor = 1.0
    turns = 0
    while turns < 60 and _native.reduce_max(_native.abs(_native.stop_gradient(x - one))) > 0.1:
        turns = turns + 1
        x = _root(x, one)
        factor = factor * 2.0
    rest = x - one
    total = _native.zeros_like(rest)
    for point, weight in zip(_POINTS, _WEIGHTS, strict=True):
        total = total + weight * solve(one + point * rest, rest)
    return total * _native.cast(factor, total.dtype)


def logm(input: Any, name: str | None = None) -> Tensor:
    """Computes logarithms of matrices, whose exponentials are the matrices.

    Args:
      input: tensor of invertible matrices `(…, n, n)` without eigenvalues on the negative axis.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Raises:
      ValueError: the matrices are not square.
      InvalidArgumentError: no logarithm is found, because a matrix is singular or has a negative eigenvalue.

    Example:
      >>> gw.linalg.logm(gw.linalg.expm([[1.0, 0.5], [0.0, 2.0]])).numpy().round(3).tolist()
      [[1.0, 0.5], [0.0, 2.0]]
    """
    del name
    x = _square(input, "logm")
    found = _logarithm(x, _native.zeros_like(x) + eye(x.shape[-1] or _native.shape(x)[-1], dtype=x.dtype))
    _require_near(expm(found), x, "logarithm")
    return found


def _require_near(again: Tensor, x: Tensor, name: str) -> None:
    """Requires that what a result stands for is the matrix that it was computed of."""
    distance = _native.reduce_max(_native.abs(_native.stop_gradient(again - x)))
    most = _native.reduce_max(_native.abs(_native.stop_gradient(x)))
    near = distance <= _NEAR[distance.dtype] * _native.maximum(most, 1e-30)
    reason = "it is singular, or has a negative eigenvalue"
    _native.require(near, (f"a matrix has no {name}, or none that is found: {reason}",))


#: Part of the greatest element by which rounding may move one.
_NEAR = {_native.float32: 1e-2, _native.float64: 1e-5}


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Solves systems whose matrices have three diagonals, by whole matrices.

    Args:
      diagonals: `"compact"`: tensor `(…, 3, n)` of the upper, the main and the lower diagonal, whose last and
        first element of the outer ones do not count; `"sequence"`: the three of them; `"matrix"`: matrices.
      rhs: tensor `(…, n)` or `(…, n, k)`.
      diagonals_format: `"compact"`, `"sequence"` or `"matrix"`.
      transpose_rhs: whether the last two axes of `rhs` are exchanged first.
      conjugate_rhs: whether `rhs` is conjugated first.
      name: accepted as in TensorFlow; has no effect.
      partial_pivoting: accepted as in TensorFlow; rows are always exchanged.
      perturb_singular: `False`.

    Returns:
      Tensor of the shape of `rhs`.

    Raises:
      ValueError: `diagonals_format` is another one, or `perturb_singular` is true.

    Example:
      >>> diagonals = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]
      >>> gw.linalg.tridiagonal_solve(diagonals, [3.0, 4.0, 3.0]).numpy().tolist()
      [1.0, 1.0, 1.0]
    """
    del name, partial_pivoting
    if perturb_singular:
        raise ValueError("`perturb_singular=True` is absent: add a small number to the main diagonal")
    matrices = _tridiagonal(diagonals, diagonals_format)
    right = _native.cast(_native.convert_to_tensor(rhs), matrices.dtype)
    is_vector = right.ndim == matrices.ndim - 1
    if transpose_rhs and not is_vector:
        right = _native.transpose(right, [*range(right.ndim - 2), right.ndim - 1, right.ndim - 2])
    if conjugate_rhs:
        right = _native.conj(right)
    found = solve(matrices, _native.expand_dims(right, -1) if is_vector else right)
    return _native.squeeze(found, -1) if is_vector else found


def _tridiagonal(diagonals: Any, kind: str) -> Tensor:
    if kind == "matrix":
        return _native.convert_to_tensor(diagonals)
    if kind == "compact":
        x = _native.convert_to_tensor(diagonals)
        upper, main, lower = x[..., 0, :], x[..., 1, :], x[..., 2, :]
    elif kind == "sequence":
        upper, main, lower = (_native.convert_to_tensor(one) for one in diagonals)
    else:
        raise ValueError(f"`diagonals_format` is {kind!r}: it is 'compact', 'sequence' or 'matrix'")
    length = main.shape[-1]
    upper = upper[..., :-1] if upper.shape[-1] == length else upper
    lower = lower[..., 1:] if lower.shape[-1] == length else lower
    return diag(main) + diag(upper, k=1) + diag(lower, k=-1)


def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems whose matrices are triangular with few diagonals, by whole matrices.

    Args:
      bands: tensor `(…, k, n)`: the main diagonal first for lower ones and last for upper ones, as
        `gw.linalg.diag_part` gives them with `align="LEFT_RIGHT"`.
      rhs: tensor `(…, n, m)`.
      lower: whether the matrices are lower ones.
      adjoint: whether to solve with the adjoint matrices.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the shape of `rhs`.

    Example:
      >>> gw.linalg.banded_triangular_solve([[2.0, 2.0], [0.0, 1.0]], [[2.0], [3.0]]).numpy().tolist()
      [[1.0], [1.0]]
    """
    del name
    x = _native.convert_to_tensor(bands)
    count = x.shape[-2]
    if count is None:
        raise ValueError("`bands` needs a number of diagonals that is known")
    band = (1 - count, 0) if lower else (0, count - 1)
    matrices = diag(x, k=band, align="LEFT_RIGHT")
    return triangular_solve(matrices, _native.cast(rhs, x.dtype), lower=lower, adjoint=adjoint)


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Sequence[int] | None = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Computes eigenvalues of Hermitian matrices with three diagonals, by whole matrices.

    Args:
      alpha: tensor `(…, n)`, the main diagonal.
      beta: tensor `(…, n - 1)`, the diagonal above it.
      eigvals_only: whether to give eigenvalues alone.
      select: `"a"` for all, `"i"` for those with the numbers of `select_range`.
      select_range: the first and the last number.
      tol: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of rising eigenvalues, and of eigenvectors as columns if they were asked for.

    Raises:
      ValueError: `select` is another one.

    Example:
      >>> gw.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(4).tolist()
      [1.0, 3.0]
    """
    del tol, name
    if select not in ("a", "i"):
        raise ValueError(f"`select` is {select!r}: it is 'a' or 'i'; compare the eigenvalues for a range")
    main, upper = _native.convert_to_tensor(alpha), _native.convert_to_tensor(beta)
    below = _native.conj(upper) if upper.dtype in (_native.complex64, _native.complex128) else upper
    matrices = diag(main) + diag(upper, k=1) + diag(below, k=-1)
    first, last = (0, None) if select == "a" else (select_range or (0, -1))
    chosen = slice(first, None if last is None else last + 1)
    if eigvals_only:
        return eigvalsh(matrices)[..., chosen]
    values, vectors = eigh(matrices)
    return values[..., chosen], vectors[..., chosen]

"""Linear algebra under TensorFlow's names: matrices are the last two axes, those before them a batch.

Each is a few calls of others, so it has their derivatives, and lengths may be known only when the graph runs.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

from . import _native
from ._arrays import eye, moved
from ._decompositions import (
    adjoint,
    cholesky,
    cholesky_solve,
    det,
    eigh,
    eigvalsh,
    inv,
    logdet,
    qr,
    slogdet,
    solve,
    svd,
    triangular_solve,
)
from ._einsum import einsum
from ._native import Tensor, matmul
from ._pseudo_inverses import lstsq, matrix_rank, pinv
from ._reductions import l2_normalize
from ._tensorflow.clipping import global_norm
from ._tensorflow.linalg import (
    diag,
    diag_part,
    eig,
    eigvals,
    expm,
    normalize,
    set_diag,
    tensor_diag,
    tensor_diag_part,
    tridiagonal_matmul,
)
from ._tensorflow.lu import lu, lu_matrix_inverse, lu_reconstruct, lu_solve
from ._tensorflow.matrix_functions import (
    banded_triangular_solve,
    eigh_tridiagonal,
    logm,
    sqrtm,
    tridiagonal_solve,
)

__all__ = [
    "adjoint",
    "band_part",
    "banded_triangular_solve",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]


def matrix_transpose(a: Any, name: str = "matrix_transpose") -> Tensor:
    """Transposes matrices.

    Args:
      a: tensor of matrices `(…, m, n)`, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, n, m)`.

    Example:
      >>> gw.linalg.matrix_transpose(gw.constant([[1, 2]])).numpy().tolist()
      [[1], [2]]
    """
    del name
    x = _native.convert_to_tensor(a)
    return moved(x, x.ndim - 2, x.ndim - 1)


def matvec(a: Any, b: Any, transpose_a: bool = False, name: str | None = None) -> Tensor:
    """Multiplies matrices by vectors.

    Args:
      a: tensor `(…, m, n)` of numbers.
      b: tensor `(…, n)` of the same dtype.
      transpose_a: whether to transpose the matrices first.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, m)`.

    Example:
      >>> gw.linalg.matvec(gw.constant([[1.0, 2.0], [3.0, 4.0]]), gw.constant([1.0, 1.0])).numpy().tolist()
      [3.0, 7.0]
    """
    del name
    return _native.matvec(a, b, transpose_a)


def trace(x: Any, name: str | None = None) -> Tensor:
    """Sums the diagonals of matrices.

    Args:
      x: tensor `(…, m, n)` of numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…)`.

    Example:
      >>> gw.linalg.trace(gw.constant([[1, 2], [3, 4]]))
      <gw.Tensor: shape=(), dtype=int32, numpy=5>
    """
    del name
    return _native.trace(_native.convert_to_tensor(x))


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Keeps a band around the diagonal of matrices and sets the other elements to zero.

    Args:
      input: tensor of matrices `(…, m, n)`, `float32` or `float64`.
      num_lower: number of diagonals below the main one; -1 keeps all.
      num_upper: number of diagonals above it; -1 keeps all.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.linalg.band_part(gw.ones([2, 2]), -1, 0).numpy().tolist()
      [[1.0, 0.0], [1.0, 1.0]]
    """
    del name
    return _native.band_part(_native.convert_to_tensor(input), num_lower, num_upper)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the norms of vectors or matrices.

    `ord` is `'euclidean'` (or 2 for vectors, `'fro'` for matrices), 1, infinity, or another for vectors.

    Args:
      tensor: tensor of any shape, `float32` or `float64`.
      ord: `"euclidean"`, `"fro"`, 1, 2, another positive number, or infinity.
      axis: an axis for vectors, two for matrices, `None` for all elements as one vector.
      keepdims: whether the axes stay, with length 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the axes.

    Example:
      >>> gw.norm(gw.constant([3.0, 4.0]))
      <gw.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    del name
    of_matrices = axis if isinstance(axis, (list, tuple)) and len(axis) == 2 else None
    if ord in ("euclidean", "fro") or (ord == 2 and not of_matrices):
        return _native.euclidean_norm(tensor, axis, keepdims)
    if of_matrices:
        if ord not in (1, math.inf):
            raise ValueError(f"`ord` is {ord!r}: of matrices it may be 'euclidean', 'fro', 1 or infinity")
        summed, greatest = of_matrices if ord == 1 else reversed(of_matrices)
        return _native.greatest_sum(tensor, summed, greatest, keepdims)
    if ord == math.inf:
        return _native.greatest_norm(tensor, axis, keepdims)
    return _native.power_norm(tensor, ord, 1.0 / ord, axis, keepdims)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """Computes cross products.

    Args:
      a: tensor `(…, 3)` of numbers.
      b: tensor `(…, 3)` of the same dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, 3)`.

    Example:
      >>> gw.linalg.cross(gw.constant([1.0, 0.0, 0.0]), gw.constant([0.0, 1.0, 0.0])).numpy().tolist()
      [0.0, 0.0, 1.0]
    """
    del name
    return _native.cross(a, b)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Sums products over chosen axes of two tensors.

    Args:
      a: tensor of numbers.
      b: tensor of the same dtype.
      axes: number of last axes of `a` and first axes of `b`, or a pair of lists.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with the other axes of `a`, then those of `b`.

    Example:
      >>> gw.tensordot(gw.constant([[1.0, 2.0]]), gw.constant([[3.0], [4.0]]), 1)
      <gw.Tensor: shape=(1, 1), dtype=float32, numpy=array([[11.]], dtype=float32)>
    """
    del name
    x, y = _native.convert_to_tensor(a), _native.convert_to_tensor(b)
    if isinstance(axes, int):
        ours, theirs = list(builtins.range(x.ndim - axes, x.ndim)), list(builtins.range(axes))
    else:
        ours, theirs = (
            [at % of.ndim for at in (one if isinstance(one, (list, tuple)) else [one])]
            for one, of in builtins.zip(axes, (x, y), strict=True)
        )
    return _native.tensordot(x, y, ours, theirs)

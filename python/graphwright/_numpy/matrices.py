"""NumPy's functions of matrices in `numpy.linalg`: solved, taken apart, measured."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import _arrays, _native, _pseudo_inverses, linalg
from .meant import (
    Meaning,
    NotMeantError,
    axes_of,
    axis_of,
    concrete,
    fails,
    fractions_of,
    known_lengths,
    length,
    of_one_dtype,
    reals,
    rows,
    tensor,
    unset,
)
from .moves import moveaxis
from .reductions import greatest, least
from .vectors import cross, cross_of_three, matvec, vecdot, vecmat


def matrix(a: Any) -> Any:
    """Matrices of floats in the last two axes."""
    return matrix_of_numbers(reals(a))


def matrix_of_numbers(a: Any) -> Any:
    """Matrices of floats or complex numbers in the last two axes."""
    a = fractions_of(a)
    if a.dtype in (_native.float16, _native.bfloat16):
        raise TypeError(f"array type {a.dtype.name} is unsupported in linalg")
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    return a


def converging(a: Any) -> Any:
    """Matrices whose singular values NumPy finds. A graph, and a tape, have NaN of those with NaN."""
    is_known = not _native.is_staged(a) and not _native.watched_by_tape(a)
    if is_known and np.isnan(a.numpy()).any():
        raise np.linalg.LinAlgError("SVD did not converge")
    return a


def square(a: Any) -> Any:
    """Matrices with as many rows as columns."""
    return square_of_numbers(matrix(a))


def square_of_numbers(a: Any) -> Any:
    """The same, of floats or complex numbers."""
    a = matrix_of_numbers(a)
    if None not in a.shape[-2:] and a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return a


def of_squares(meaning: Meaning) -> Meaning:
    """A function of square matrices alone."""
    return lambda a: meaning(square_of_numbers(a))


def solve(a: Any, b: Any) -> Any:
    """The solutions of `a @ x = b`; a row is one right side."""
    a, b = of_one_dtype(square_of_numbers(a), fractions_of(b))
    if b.ndim == 1:
        wide = _native.broadcast_to(
            _native.expand_dims(b, 1), [*_arrays.lengths(a)[:-2], *_arrays.lengths(b), 1]
        )
        return _native.squeeze(linalg.solve(a, wide), -1)
    front = (
        np.broadcast_shapes(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
        if None not in (*a.shape, *b.shape)
        else None
    )
    if front is not None:
        a = _native.broadcast_to(a, [*front, *a.shape[-2:]])
        b = _native.broadcast_to(b, [*front, *b.shape[-2:]])
    return linalg.solve(a, b)


def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """The triangle whose square a matrix is."""
    a = square_of_numbers(a)
    # The other triangle is read for an upper one.
    found = linalg.cholesky(linalg.adjoint(a) if upper else a)
    return linalg.adjoint(found) if upper else found


def symmetric(a: Any, UPLO: str) -> Any:  # noqa: N803 - NumPy's name
    """The matrices of which a triangle is read."""
    a = square_of_numbers(a)
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return a if UPLO.upper() == "L" else linalg.adjoint(a)


def eigh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    """Eigenvalues and vectors of symmetric matrices."""
    kind: Any = type(np.linalg.eigh(np.eye(1)))
    return kind(*linalg.eigh(symmetric(a, UPLO)))


def eigvalsh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    """Eigenvalues of symmetric matrices."""
    return linalg.eigvalsh(symmetric(a, UPLO))


def of_complex(a: Any) -> Any:
    """Square matrices of complex numbers; of real ones the values decide the dtype of NumPy's results."""
    a = square_of_numbers(a)
    if not a.dtype.is_complex:
        raise NotMeantError
    return a


def eig(a: Any) -> Any:
    """Eigenvalues and vectors of complex matrices."""
    kind: Any = type(np.linalg.eig(np.eye(1)))
    return kind(*linalg.eig(of_complex(a)))


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values and vectors."""
    del hermitian
    a = converging(matrix_of_numbers(a))
    if not compute_uv:
        return linalg.svd(a, compute_uv=False)
    s, u, v = linalg.svd(a, full_matrices=full_matrices)
    kind: Any = type(np.linalg.svd(np.eye(1)))
    found = (u, s, linalg.adjoint(v))
    return found if kind is tuple else kind(*found)


def svdvals(x: Any, /) -> Any:
    """Singular values."""
    return linalg.svd(converging(matrix_of_numbers(x)), compute_uv=False)


def qr(a: Any, mode: str = "reduced") -> Any:
    """An orthonormal basis and a triangle."""
    if mode not in ("reduced", "complete", "r"):
        raise NotMeantError
    found = linalg.qr(matrix_of_numbers(a), full_matrices=mode == "complete")
    if mode == "r":
        return found.r
    kind: Any = type(np.linalg.qr(np.eye(1)))
    return (found.q, found.r) if kind is tuple else kind(found.q, found.r)


def slogdet(a: Any) -> Any:
    """The sign and the logarithm of the size of the determinant."""
    sign, size = linalg.slogdet(square_of_numbers(a))
    kind: Any = type(np.linalg.slogdet(np.eye(1)))
    return (sign, size) if kind is tuple else kind(sign, size)


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """The pseudo-inverse."""
    del hermitian
    a = converging(matrix_of_numbers(a))
    cut = rtol if rtol is not None and rtol is not np._NoValue else rcond
    return linalg.pinv(a, 1e-15 if cut is None else cut)


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Least squares: the solution, the squares that are left, the rank, the singular values."""
    a, b = of_one_dtype(converging(matrix_of_numbers(a)), fractions_of(b))
    if rcond is not None and rcond != -1:
        cut = rcond
    else:
        cut = np.finfo(a.dtype.as_numpy_dtype).eps * (max(known_lengths(a)) if rcond is None else 1)
    right = _native.expand_dims(b, 1) if b.ndim == 1 else b
    found = _native.matmul(linalg.pinv(a, float(cut)), right)
    values = linalg.svd(a, compute_uv=False)
    rank = _pseudo_inverses.ranks(values, values[0] * float(cut), _native.int32)
    rows_, columns = known_lengths(a)
    rest = right - _native.matmul(a, found)
    left = _native.reduce_sum(_native.square(_native.abs(rest)), 0)
    # Squares are left where there are more rows than columns and the columns are independent.
    left = left[: _native.where(rank == columns, left.shape[0], 0)] if rows_ > columns else left[:0]
    return (found[:, 0] if b.ndim == 1 else found), left, rank, values


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:  # noqa: N803
    """The number of independent rows."""
    del hermitian
    a = fractions_of(A)
    if a.ndim < 2:
        return _native.cast(_native.reduce_any(a != 0), _native.int64)
    values = linalg.svd(converging(a), compute_uv=False)
    if tol is None:
        step = np.finfo(a.dtype.as_numpy_dtype).eps * max(known_lengths(a)[-2:]) if rtol is None else rtol
        tol = _native.reduce_max(values, -1, keepdims=True) * _native.cast(step, values.dtype)
    else:
        tol = _native.expand_dims(_native.cast(tensor(tol), values.dtype), -1)
    return _pseudo_inverses.ranks(values, tol, _native.int64)


def squares(a: Any) -> Any:
    """Matrices as long as they are wide; where the graph knows one of both lengths, the other is checked."""
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    high, wide = length(a, -2), length(a, -1)
    message = "Last 2 dimensions of the array must be square"
    if isinstance(high, int) and isinstance(wide, int):
        if high != wide:
            raise np.linalg.LinAlgError(message)
        return a
    fails(high == wide, "ValueError", message)
    size = high if isinstance(high, int) else wide
    return _native.reshape(a, [*_arrays.lengths(a)[:-2], size, size])


def matrix_power(a: Any, n: Any) -> Any:
    """The product of a matrix with itself, so many times."""
    a, n = squares(tensor(a)), int(concrete(n))
    if n < 0:
        return matrix_power(linalg.inv(square_of_numbers(a)), -n)
    if n == 0:
        one = _arrays.eye(_arrays.lengths(a)[-1], dtype=a.dtype)
        return _native.broadcast_to(one, _arrays.lengths(a))
    found, power = None, a
    while n:
        if n % 2:
            found = power if found is None else _native.matmul(found, power)
        n //= 2
        power = _native.matmul(power, power) if n else power
    return found


def inverse_or_nan(x: Any) -> Any:
    """The inverses of matrices, NaN of those that have none."""
    sign = linalg.slogdet(x)[0]
    has_none = _native.expand_dims(_native.expand_dims(sign == 0, -1), -1)
    unit = _native.cast(linalg.eye(_arrays.lengths(x)[-1], dtype=_native.float64), x.dtype)
    found = linalg.inv(_native.where(has_none, unit, x))
    return _native.where(has_none, _native.cast(math.nan, x.dtype), found)


def cond(x: Any, p: Any = None) -> Any:
    """The condition number: the factor by which an error may grow when a matrix is solved."""
    x = matrix_of_numbers(x)
    if p in (None, 2, -2):
        s = linalg.svd(converging(x), compute_uv=False)
        found = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        x = square_of_numbers(x)
        found = norm(x, p, (-2, -1)) * norm(inverse_or_nan(x), p, (-2, -1))
    unknown = _native.reduce_any(_native.is_nan(x), [x.ndim - 2, x.ndim - 1])
    return _native.where(_native.is_nan(found) & ~unknown, math.inf, found)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """The length of vectors or the size of matrices by `ord`, or of all elements together."""
    x = fractions_of(x)
    if axis is None and ord is None:
        return vector_norm(x, None, keepdims)
    axes = axes_of(axis, x.ndim)
    if len(axes) == 1:
        return vector_norm(x, axes, keepdims, 2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    return matrix_norm_of(x, axes, keepdims, ord)


def vector_norm(x: Any, axes: Any, keepdims: Any, ord: Any = 2) -> Any:
    """The length of vectors along axes, all of them for `None`."""
    if isinstance(ord, str) and ord not in ("inf", "-inf"):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    size = _native.abs(x)
    x = size if x.dtype.is_complex else x
    if ord == math.inf:
        return greatest(size, axes, keepdims=keepdims, initial=0.0)
    if ord == -math.inf:
        return least(size, axes, keepdims=keepdims)
    if ord == 0:
        return _native.reduce_sum(_native.cast(x != 0, x.dtype), axes, keepdims=keepdims)
    if ord == 1:
        return _native.reduce_sum(size, axes, keepdims=keepdims)
    if ord == 2:
        return _native.sqrt(_native.reduce_sum(x * x, axes, keepdims=keepdims))
    return _native.pow(_native.reduce_sum(_native.pow(size, float(ord)), axes, keepdims=keepdims), 1.0 / ord)


def matrix_norm_of(x: Any, axes: list[int], keepdims: Any, ord: Any) -> Any:
    """The size of matrices in two axes."""
    if axes[0] == axes[1]:
        raise ValueError("Duplicate axes given.")
    if ord in (None, "fro", "f"):
        return vector_norm(x, axes, keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        summed, other = (axes[0], axes[1]) if abs(ord) == 1 else (axes[1], axes[0])
        pick = greatest if ord > 0 else least
        found = pick(_native.reduce_sum(_native.abs(x), [summed], keepdims=True), [other], keepdims=True)
    elif ord in (2, -2, "nuc"):
        values = linalg.svd(moveaxis(x, tuple(axes), (-2, -1)), compute_uv=False)
        take = _native.reduce_sum if ord == "nuc" else greatest if ord == 2 else least
        options: dict[str, Any] = {"initial": 0.0} if ord == 2 else {}
        found = take(values, [values.ndim - 1], **options)
        if not keepdims:
            return found
        for at in sorted(axes):
            found = _native.expand_dims(found, at)
        return found
    else:
        raise ValueError("Invalid norm order for matrices.")
    return found if keepdims else _native.squeeze(found, axes)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The size of matrices in the last two axes."""
    return norm(matrix(x), ord, (-2, -1), keepdims)


def vector_norms(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """The length of vectors, all elements being one for `None`."""
    x = fractions_of(x)
    return vector_norm(x, axes_of(axis, x.ndim), keepdims, ord)


def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """The product of several matrices, in the order that wants the fewest steps."""
    unset(out=out)
    parts = [tensor(one) for one in arrays]
    if len(parts) < 2:
        raise ValueError("Expecting at least two arrays.")
    first, last = parts[0].ndim == 1, parts[-1].ndim == 1
    parts[0] = _native.expand_dims(parts[0], 0) if first else parts[0]
    parts[-1] = _native.expand_dims(parts[-1], 1) if last else parts[-1]
    found = _native.matmul(*parts) if len(parts) == 2 else _cheapest(parts)
    if first and last:
        return found[0, 0]
    return found[0] if first else found[:, 0] if last else found


def _cheapest(parts: list[Any]) -> Any:
    """The product by the fewest multiplications of numbers."""
    sizes = [known_lengths(one)[0] for one in parts] + [known_lengths(parts[-1])[1]]

    @functools.cache
    def best(low: int, high: int) -> tuple[float, int]:
        if low == high:
            return 0.0, low
        return min(
            (best(low, at)[0] + best(at + 1, high)[0] + sizes[low] * sizes[at + 1] * sizes[high + 1], at)
            for at in range(low, high)
        )

    def product(low: int, high: int) -> Any:
        if low == high:
            return parts[low]
        at = best(low, high)[1]
        return _native.matmul(product(low, at), product(at + 1, high))

    return product(0, len(parts) - 1)


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """The `x` for which `tensordot(a, x, x.ndim)` is `b`."""
    a, b = reals(a), reals(b)
    if axes is not None:
        moved = [axis_of(one, a.ndim) for one in axes]
        a = _native.transpose(a, [at for at in range(a.ndim) if at not in moved] + moved)
    rest = known_lengths(a)[b.ndim :]
    count = math.prod(rest)
    if math.prod(known_lengths(a)[: b.ndim]) != count:
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    found = solve(_native.reshape(a, [count, count]), _native.reshape(b, [count]))
    return _native.reshape(found, rest)


def tensorinv(a: Any, ind: int = 2) -> Any:
    """The inverse of a tensor as `tensordot` multiplies."""
    a = fractions_of(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    lengths = known_lengths(a)
    count = math.prod(lengths[ind:])
    return _native.reshape(
        linalg.inv(square_of_numbers(_native.reshape(a, [count, count]))), lengths[ind:] + lengths[:ind]
    )


def matrix_transpose(x: Any, /) -> Any:
    """Rows and columns changed for one another."""
    x = tensor(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return linalg.matrix_transpose(x)


def outer(x1: Any, x2: Any, /) -> Any:
    """Each element of a row times each of another."""
    x1, x2 = tensor(x1), tensor(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}."
        )
    return _native.expand_dims(x1, 1) * _native.expand_dims(x2, 0)


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """The diagonals of the matrices in the last two axes."""
    return np.diagonal(x, offset, -2, -1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of these."""
    return np.trace(x, offset, -2, -1, dtype)


MATRICES = {
    **rows(
        np.linalg,
        {
            "cholesky": cholesky,
            "cond": cond,
            "cross": cross_of_three,
            "det": of_squares(linalg.det),
            "diagonal": diagonal,
            "eig": eig,
            "eigh": eigh,
            "eigvals": lambda a: linalg.eigvals(of_complex(a)),
            "eigvalsh": eigvalsh,
            "inv": of_squares(linalg.inv),
            "lstsq": lstsq,
            "matmul": lambda x1, x2, /: _native.matmul(x1, x2),
            "matrix_norm": matrix_norm,
            "matrix_power": matrix_power,
            "matrix_rank": matrix_rank,
            "matrix_transpose": matrix_transpose,
            "multi_dot": multi_dot,
            "norm": norm,
            "outer": outer,
            "pinv": pinv,
            "qr": qr,
            "slogdet": slogdet,
            "solve": solve,
            "svd": svd,
            "svdvals": svdvals,
            "tensordot": lambda x1, x2, /, *, axes=2: np.tensordot(x1, x2, axes),
            "tensorinv": tensorinv,
            "tensorsolve": tensorsolve,
            "trace": trace,
            "vecdot": vecdot,
            "vector_norm": vector_norms,
        },
    ),
    **rows(np, {"cross": cross, "matrix_transpose": matrix_transpose}),
}

UFUNCS_OF_MATRICES = rows(np, {"vecdot": vecdot, "vecmat": vecmat, "matvec": matvec})

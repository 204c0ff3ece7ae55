"""TensorFlow's linear algebra beyond NumPy's: diagonals, LU factors, exponentials, normalization."""

from __future__ import annotations

import builtins
import math
from typing import Any

from .. import _complex_decompositions, _native
from .._arrays import eye, lengths
from .._decompositions import solve
from .._function import function
from .._native import Tensor, matmul

__all__ = [
    "diag",
    "diag_part",
    "eig",
    "eigvals",
    "expm",
    "normalize",
    "set_diag",
    "tensor_diag",
    "tensor_diag_part",
    "tridiagonal_matmul",
]


def diag(
    diagonal: Any,
    name: str | None = "diag",
    k: Any = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Builds matrices from diagonals.

    Args:
      diagonal: tensor `(…, n)`, or `(…, bands, n)` where `k` is a range of diagonals.
      k: number of the diagonal, above the main one if positive, or a pair, the lowest and the highest.
      num_rows: number of rows; the least that the diagonals need if it is -1.
      num_cols: number of columns, likewise.
      padding_value: the other elements.
      align: the side at which shorter diagonals stand, first of those above the main one, then of those
        below.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of matrices.

    Example:
      >>> gw.linalg.diag(gw.constant([1, 2]), k=1).numpy().tolist()
      [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    del name
    x = _native.convert_to_tensor(diagonal)
    low, high = _band(k)
    if low == high == 0 and num_rows == num_cols == -1:
        return _main(x, padding_value)
    if low == high:
        x = _native.expand_dims(x, -2)
    longest = x.shape[-1]
    if longest is None:
        raise ValueError("`diag` needs the length of the diagonals")
    rows, columns = _size(num_rows, num_cols, low, high, longest)
    found = _native.fill([*lengths(x)[:-2], rows, columns], _native.cast(padding_value, x.dtype))
    return _with_bands(found, x, low, high, align)


def _main(diagonal: Tensor, others: Any) -> Tensor:
    """Square matrices of a main diagonal."""
    is_main = eye(lengths(diagonal)[-1], dtype=_native.bool)
    return _native.where(is_main, _native.expand_dims(diagonal, -1), _native.cast(others, diagonal.dtype))


def _band(k: Any) -> tuple[int, int]:
    """The lowest and the highest of the diagonals."""
    pair = (
        [int(one) for one in k]
        if isinstance(k, (list, tuple)) or bool(getattr(k, "ndim", False))
        else [int(k)]
    )
    if len(pair) > 2 or pair[0] > pair[-1]:
        raise ValueError(f"`k` is the number of a diagonal, or the lowest and the highest, not {k!r}")
    return pair[0], pair[-1]


def _size(rows: int, columns: int, low: int, high: int, longest: int) -> tuple[int, int]:
    """Rows and columns of the least matrix with a diagonal so long, where they are not said."""
    least_rows, least_columns = longest - min(high, 0), longest + max(low, 0)
    if rows < 0 and columns < 0:
        rows = columns = max(least_rows, least_columns)
    rows = least_rows if rows < 0 else rows
    columns = least_columns if columns < 0 else columns
    if rows < least_rows or columns < least_columns:
        raise ValueError(
            f"a matrix of {rows} rows and {columns} columns has no diagonals of length {longest}"
        )
    return rows, columns


def _first(number: int, length: int, longest: int, align: str) -> int:
    """The place in a row at which a diagonal begins that is shorter than the longest."""
    if align not in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
        raise ValueError(
            f"`align` is {align!r}: it is 'RIGHT_LEFT', 'LEFT_RIGHT', 'LEFT_LEFT' or 'RIGHT_RIGHT'"
        )
    above, below = align.split("_")
    side = above if number >= 0 else below
    return longest - length if side == "RIGHT" else 0


def _length(number: int, rows: int, columns: int) -> int:
    return max(0, min(rows + min(number, 0), columns - max(number, 0)))


def _with_bands(matrices: Tensor, bands: Tensor, low: int, high: int, align: str) -> Tensor:
    """Matrices with other diagonals; of the bands the highest is the first."""
    rows, columns = matrices.shape[-2:]
    if rows is None or columns is None:
        raise ValueError("diagonals are set in matrices whose rows and columns are known")
    longest = bands.shape[-1] or 0
    across = _native.expand_dims(_native.range(columns), 0)
    number = across - _native.expand_dims(_native.range(rows), 1)
    for one in builtins.range(low, high + 1):
        begin = _first(one, _length(one, rows, columns), longest, align)
        places = _native.clip_by_value(across - max(one, 0) + begin, 0, max(longest - 1, 0))
        places = _native.broadcast_to(places, [rows, columns])
        values = _native.gather(bands[..., high - one, :], places, axis=-1)
        matrices = _native.where(_native.equal(number, one), values, matrices)
    return matrices


def diag_part(
    input: Any, name: str | None = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Extracts diagonals of matrices.

    Args:
      input: tensor `(…, m, n)`.
      k: number of the diagonal, above the main one if positive, or a pair, the lowest and the highest.
      padding_value: the elements beside shorter diagonals.
      align: the side at which they stand, first of those above the main one, then of those below.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, n)`, or `(…, bands, n)` of several diagonals, the highest first.

    Example:
      >>> gw.linalg.diag_part(gw.constant([[1, 2], [3, 4]])).numpy().tolist()
      [1, 4]
      >>> gw.linalg.diag_part(gw.constant([[1, 2], [3, 4]]), k=-1).numpy().tolist()
      [3]
    """
    del name
    x = _native.convert_to_tensor(input)
    low, high = _band(k)
    *batch, rows, columns = lengths(x)
    if low == high == 0 and not (isinstance(rows, int) and isinstance(columns, int)):
        flat = _native.reshape(x, [*batch, rows * columns])
        return _native.gather(flat, _native.range(_native.minimum(rows, columns)) * (columns + 1), axis=-1)
    counts = {one: _length(one, rows, columns) for one in builtins.range(low, high + 1)}
    longest = max(counts.values())
    flat = _native.reshape(x, [*batch, rows * columns])
    parts = []
    for one in builtins.range(high, low - 1, -1):
        start = one if one >= 0 else -one * columns
        places = [start + at * (columns + 1) for at in builtins.range(counts[one])]
        part = _native.gather(flat, _native.constant(places, _native.int64), axis=-1)
        begin = _first(one, counts[one], longest, align)
        sides = [begin, longest - counts[one] - begin]
        edges = [_native.fill([*batch, side], _native.cast(padding_value, x.dtype)) for side in sides]
        parts.append(_native.concat([edges[0], part, edges[1]], -1) if any(sides) else part)
    return parts[0] if low == high else _native.stack(parts, -2)


def set_diag(
    input: Any, diagonal: Any, name: str | None = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Replaces diagonals of matrices.

    Args:
      input: tensor `(…, m, n)`.
      diagonal: tensor `(…, n)`, or `(…, bands, n)` of several diagonals, the highest first.
      k: number of the diagonal, above the main one if positive, or a pair, the lowest and the highest.
      align: the side at which shorter diagonals stand, first of those above the main one, then of those
        below.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.linalg.set_diag(gw.ones([2, 2]), gw.constant([5.0, 6.0])).numpy().tolist()
      [[5.0, 1.0], [1.0, 6.0]]
    """
    del name
    x = _native.convert_to_tensor(input)
    bands = _native.cast(_native.convert_to_tensor(diagonal), x.dtype)
    low, high = _band(k)
    bands = _native.expand_dims(bands, -2) if low == high else bands
    longest = max(
        (_length(one, x.shape[-2] or 0, x.shape[-1] or 0) for one in builtins.range(low, high + 1)), default=0
    )
    if bands.shape[-1] != longest or bands.shape[-2] != high - low + 1:
        raise ValueError(
            f"`diagonal` has the shape {tuple(bands.shape)}: {high - low + 1} of length {longest} are needed"
        )
    return _with_bands(x, bands, low, high, align)


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Builds a tensor with twice as many axes that is zero except where both halves of the places agree.

    Args:
      diagonal: tensor of numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(*shape, *shape)`.

    Example:
      >>> gw.linalg.tensor_diag(gw.constant([1, 2])).numpy().tolist()
      [[1, 0], [0, 2]]
    """
    del name
    x = _native.convert_to_tensor(diagonal)
    flat = _native.reshape(x, [-1])
    return _native.reshape(_main(flat, 0), lengths(x) * 2)


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Extracts the elements at which both halves of the places agree.

    Args:
      input: tensor `(*shape, *shape)`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of that shape.

    Example:
      >>> gw.linalg.tensor_diag_part(gw.constant([[1, 2], [3, 4]])).numpy().tolist()
      [1, 4]
    """
    del name
    x = _native.convert_to_tensor(input)
    half = x.ndim // 2
    shape = lengths(x)[:half]
    if x.ndim % 2 or tuple(x.shape[:half]) != tuple(x.shape[half:]):
        raise ValueError(f"a tensor of shape {tuple(x.shape)} has no two equal halves of axes")
    count = math.prod(shape)
    return _native.reshape(diag_part(_native.reshape(x, [count, count])), shape)


def expm(input: Any, name: str | None = None) -> Tensor:
    """Computes exponentials of matrices.

    Args:
      input: tensor of matrices `(…, n, n)` of floats or complex numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.linalg.expm(gw.constant([[0.0, 1.0], [0.0, 0.0]])).numpy().tolist()
      [[1.0, 1.0], [0.0, 1.0]]

    Source: Higham, "The Scaling and Squaring Method for the Matrix Exponential Revisited", 2005.
    """
    del name
    return _exponential(_native.convert_to_tensor(input))


#: Coefficients of Padé's approximant of degree 13.
_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip


@function
def _exponential(given: Tensor) -> Tensor:
    """Padé's approximant of a matrix scaled to a small norm, squared as often as it was halved."""
    dtype = _native.complex128 if given.dtype.is_complex else _native.float64
    x = _native.cast(given, dtype)
    norm = _native.reduce_max(_native.reduce_sum(_native.abs(x), -2)) if 0 not in x.shape else 0.0
    halvings = _native.maximum(
        _native.ceil(_native.log2(_native.maximum(norm, 1e-300) / 5.371920351148152)), 0.0
    )
    count = _native.cast(_native.stop_gradient(halvings), _native.int64)
    x = x / _native.cast(_native.pow(2.0, _native.cast(count, _native.float64)), dtype)
    b, one = _PADE, eye(lengths(x)[-1], dtype=dtype)
    second = matmul(x, x)
    fourth = matmul(second, second)
    sixth = matmul(fourth, second)
    odd = matmul(sixth, b[13] * sixth + b[11] * fourth + b[9] * second)
    odd = matmul(x, odd + b[7] * sixth + b[5] * fourth + b[3] * second + b[1] * one)
    even = matmul(sixth, b[12] * sixth + b[10] * fourth + b[8] * second)
    even = even + b[6] * sixth + b[4] * fourth + b[2] * second + b[0] * one
    found = solve(even - odd, even + odd)
    for _ in _native.range(count):
        found = matmul(found, found)
    return _native.cast(found, given.dtype)


def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Divides a tensor by its norm.

    Args:
      tensor: tensor of any shape, `float32` or `float64`.
      ord: order of the norm, as in `gw.norm`.
      axis: an axis for vectors, two for matrices, `None` for all elements as one vector.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The tensor divided, and its norm with axes of length 1.

    Example:
      >>> divided, norm = gw.linalg.normalize(gw.constant([3.0, 4.0]))
      >>> divided.numpy().round(3).tolist(), norm.numpy().tolist()
      ([0.6000000238418579, 0.800000011920929], [5.0])
    """
    del name
    from ..linalg import norm as norm_of

    x = _native.convert_to_tensor(tensor)
    found = norm_of(x, ord, axis, keepdims=True)
    return x / found, found


def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """Multiplies matrices that are zero but for three diagonals.

    Args:
      diagonals: tensor `(…, 3, n)`: above the main diagonal, the main one, below it.
      rhs: tensor `(…, n, k)`.
      diagonals_format: `"compact"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, n, k)`.

    Example:
      >>> bands = gw.constant([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]])
      >>> gw.linalg.tridiagonal_matmul(bands, gw.ones([3, 1])).numpy().tolist()
      [[3.0], [4.0], [3.0]]
    """
    del name
    if diagonals_format != "compact":
        raise ValueError(f"`diagonals_format` is {diagonals_format!r}: only 'compact' is taken")
    bands, x = _native.convert_to_tensor(diagonals), _native.convert_to_tensor(rhs)
    above, main, below = (_native.expand_dims(bands[..., at, :], -1) for at in (0, 1, 2))
    zero = _native.zeros_like(x[..., :1, :])
    up = _native.concat([x[..., 1:, :], zero], -2)
    down = _native.concat([zero, x[..., :-1, :]], -2)
    return main * x + above * up + below * down


def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Computes eigenvalues and eigenvectors of square matrices, which may be complex of real ones too.

    Results that depend on the phases of vectors have no derivative.

    Args:
      tensor: tensor of matrices `(…, n, n)` of floats or complex numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Pair of complex eigenvalues `(…, n)`, in no order, and eigenvectors `(…, n, n)` as columns.

    Example:
      >>> values, vectors = gw.linalg.eig(gw.constant([[0.0, -1.0], [1.0, 0.0]]))
      >>> values.numpy().tolist()
      [1j, -1j]

    Source: LAPACK's `geev`; Golub and Van Loan, "Matrix Computations", chapter 7.
    """
    del name
    x = _native.convert_to_tensor(tensor)
    return _complex_decompositions.eig(x if x.dtype.is_complex else _native.cast(x, _floats_of(x)))


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Computes eigenvalues of square matrices, which may be complex of real ones too.

    Args:
      tensor: tensor of matrices `(…, n, n)` of floats or complex numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor `(…, n)`, in no order.

    Example:
      >>> gw.linalg.eigvals(gw.constant([[2.0, 1.0], [0.0, 3.0]])).numpy().tolist()
      [(2+0j), (3+0j)]
    """
    del name
    return eig(tensor)[0]


def _floats_of(x: Tensor) -> Any:
    return _native.float64 if x.dtype == _native.float64 else _native.float32

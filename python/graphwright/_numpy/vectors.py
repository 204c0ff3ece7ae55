"""NumPy's products of vectors, alone and with matrices."""

from __future__ import annotations

from typing import Any

from .. import _arrays, _native
from .meant import NotMeantError, axis_of, fails, length, of_one_dtype, tensor


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """The product that stands upright on two vectors."""
    a, b = of_one_dtype(a, b)
    if a.dtype == _native.bool:
        raise NotMeantError
    if axis is not None:
        axisa = axisb = axisc = axis
    a = _arrays.moved(a, axis_of(axisa, a.ndim), a.ndim - 1)
    b = _arrays.moved(b, axis_of(axisb, b.ndim), b.ndim - 1)
    counts = {a.shape[-1], b.shape[-1]}
    if None in counts:
        if 2 in counts:
            # The number of dimensions decides the axes of the result.
            raise NotMeantError
        a, b = (one if one.shape[-1] == 3 else _found_of_three(one) for one in (a, b))
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {a.shape[-1]} and {b.shape[-1]} dimensional instead."
        )
    # Parts with an axis: products of arrays wrap, those of single numbers may be an `OverflowError`.
    (a0, a1), (b0, b1) = ((one[..., 0:1], one[..., 1:2]) for one in (a, b))
    if a.shape[-1] == b.shape[-1] == 2:
        return (a0 * b1 - a1 * b0)[..., 0]
    a2, b2 = (one[..., 2:3] if one.shape[-1] == 3 else _native.zeros_like(one[..., 0:1]) for one in (a, b))
    found = _native.concat([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], -1)
    return _arrays.moved(found, found.ndim - 1, axis_of(axisc, found.ndim))


def _found_of_three(x: Any) -> Any:
    """Vectors of which the graph finds when it runs that they have three numbers."""
    message = "np.cross of vectors whose lengths the graph finds needs 3-dimensional ones"
    fails(length(x, x.ndim - 1) == 3, "ValueError", message)
    return _of_three(x, x.ndim - 1)


def cross_of_three(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The same of vectors of three numbers alone."""
    x1, x2 = tensor(x1), tensor(x2)
    counts = [length(one, axis_of(axis, one.ndim)) for one in (x1, x2)]
    message = "Both input arrays must be (arrays of) 3-dimensional vectors"
    if all(isinstance(count, int) for count in counts):
        message += f", but they are {counts[0]} and {counts[1]} dimensional instead."
    for count in counts:
        fails(count == 3, "ValueError", message)
    return cross(_of_three(x1, axis_of(axis, x1.ndim)), _of_three(x2, axis_of(axis, x2.ndim)), axis=axis)


def _of_three(x: Any, axis: int) -> Any:
    """The same array, of which three elements along an axis are known."""
    wanted = _arrays.lengths(x)
    wanted[axis] = 3
    return _native.reshape(x, wanted)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The product of vectors along an axis."""
    x1, x2 = of_one_dtype(x1, x2)
    return _native.reduce_sum(
        _arrays.moved(_native.conj(x1), axis_of(axis, x1.ndim), x1.ndim - 1)
        * _arrays.moved(x2, axis_of(axis, x2.ndim), x2.ndim - 1),
        -1,
    )


def vecmat(x1: Any, x2: Any) -> Any:
    """Rows times matrices."""
    x1, x2 = of_one_dtype(x1, x2)
    return _native.squeeze(_native.matmul(_native.expand_dims(_native.conj(x1), -2), x2), -2)


def matvec(x1: Any, x2: Any) -> Any:
    """Matrices times columns."""
    x1, x2 = of_one_dtype(x1, x2)
    return _native.squeeze(_native.matmul(x1, _native.expand_dims(x2, -1)), -1)

"""Elementwise functions beyond the ops: inverse and hyperbolic functions, quotients without NaN."""

from __future__ import annotations

import math
from typing import Any

from .. import _complex, _native
from .._native import Tensor

__all__ = [
    "acos",
    "acosh",
    "add_n",
    "asin",
    "atanh",
    "cosh",
    "divide_no_nan",
    "is_inf",
    "log_sigmoid",
    "multiply_no_nan",
    "reciprocal_no_nan",
    "rint",
    "sinh",
    "truncatediv",
    "truncatemod",
    "xdivy",
    "xlog1py",
    "xlogy",
]


def acos(x: Any, name: str | None = None) -> Tensor:
    """Computes inverse cosines in radians; NaN outside of -1 to 1.

    Args:
      x: tensor of any shape, floating or complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.acos(gw.constant([1.0, 0.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 1.5707964], dtype=float32)>
    """
    del name
    x = _native.convert_to_tensor(x)
    if x.dtype.is_complex:
        return _complex.acos(x)  # type: ignore[no-any-return]
    return _native.acos(x)


def asin(x: Any, name: str | None = None) -> Tensor:
    """Computes inverse sines in radians; NaN outside of -1 to 1.

    Args:
      x: tensor of any shape, floating or complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.asin(gw.constant([0.0, 1.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 1.5707964], dtype=float32)>
    """
    del name
    x = _native.convert_to_tensor(x)
    if x.dtype.is_complex:
        return _complex.asin(x)  # type: ignore[no-any-return]
    return _native.asin(x)


def sinh(x: Any, name: str | None = None) -> Tensor:
    """Computes hyperbolic sines.

    Args:
      x: tensor of any shape, floating or complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.sinh(gw.constant([0.0, 1.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 1.1752012], dtype=float32)>
    """
    del name
    x = _native.convert_to_tensor(x)
    if x.dtype.is_complex:
        return _complex.sinh(x)  # type: ignore[no-any-return]
    return _native.sinh(x)


def cosh(x: Any, name: str | None = None) -> Tensor:
    """Computes hyperbolic cosines.

    Args:
      x: tensor of any shape, floating or complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.cosh(gw.constant([0.0, 1.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([1.       , 1.5430806], dtype=float32)>
    """
    del name
    x = _native.convert_to_tensor(x)
    if x.dtype.is_complex:
        return _complex.cosh(x)  # type: ignore[no-any-return]
    half, other = _native.exp(x * 0.5), _native.exp(x * -0.5)
    return 0.5 * half * half + 0.5 * other * other


def acosh(x: Any, name: str | None = None) -> Tensor:
    """Computes inverse hyperbolic cosines; NaN below 1.

    Args:
      x: tensor of any shape, floating or complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.acosh(gw.constant([1.0, 2.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.      , 1.316958], dtype=float32)>
    """
    del name
    x = _native.convert_to_tensor(x)
    if x.dtype.is_complex:
        return _complex.acosh(x)  # type: ignore[no-any-return]
    above = x - 1.0
    return _native.log1p(above + _native.sqrt(above) * _native.sqrt(above + 2.0))


def atanh(x: Any, name: str | None = None) -> Tensor:
    """Computes inverse hyperbolic tangents; NaN outside of -1 to 1.

    Args:
      x: tensor of any shape, floating or complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.atanh(gw.constant([0.0, 0.5]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.        , 0.54930615], dtype=float32)>
    """
    del name
    x = _native.convert_to_tensor(x)
    if x.dtype.is_complex:
        return _complex.atanh(x)  # type: ignore[no-any-return]
    side = _native.where(x < 0.0, _native.cast(-1.0, x.dtype), _native.cast(1.0, x.dtype))
    size = side * x
    return 0.5 * side * _native.log1p(2.0 * size / (1.0 - size))


def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Tells which elements are infinite.

    Args:
      x: tensor of any shape, floating or complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `bool` tensor of the same shape.

    Example:
      >>> gw.math.is_inf(gw.constant([1.0, float("-inf")]))
      <gw.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>
    """
    del name
    return _native.equal(_native.abs(x), math.inf)


def rint(x: Any, name: str | None = None) -> Tensor:
    """Rounds to the nearest whole numbers, ties to even.

    Args:
      x: tensor of any shape, floating or complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.rint(gw.constant([0.5, 1.6]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0., 2.], dtype=float32)>
    """
    del name
    return _native.round(x)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Computes `log(sigmoid(x))` without underflow.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.log_sigmoid(gw.constant([0.0, -100.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([  -0.6931472, -100.       ], dtype=float32)>
    """
    del name
    x = _native.convert_to_tensor(x)
    low = x <= 0.0
    zero = _native.zeros_like(x)
    return _native.where(low, x, zero) - _native.log1p(_native.exp(_native.where(low, x, -x)))


def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes `x / y`, and 0 where `y` is 0.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      y: tensor that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape.

    Example:
      >>> gw.math.divide_no_nan(gw.constant([3.0, 1.0]), gw.constant([2.0, 0.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 0. ], dtype=float32)>
    """
    del name
    x, y = _native.convert_to_tensor(x), _native.convert_to_tensor(y)
    is_zero = _native.equal(y, 0)
    found = _native.divide(x, _native.where(is_zero, _native.ones_like(y), y))
    return _native.where(is_zero, _native.zeros_like(found), found)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes `x * y`, and 0 where `y` is 0, whatever `x` is.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      y: tensor that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape.

    Example:
      >>> gw.math.multiply_no_nan(gw.constant([2.0, float("nan")]), gw.constant([3.0, 0.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([6., 0.], dtype=float32)>
    """
    del name
    return _guarded(x, y, lambda x, y: x * y)


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """Computes `1 / x`, and 0 where `x` is 0.

    Args:
      x: tensor of any shape, floating or complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.reciprocal_no_nan(gw.constant([2.0, 0.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0. ], dtype=float32)>
    """
    del name
    x = _native.convert_to_tensor(x)
    return divide_no_nan(_native.ones_like(x), x)


def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes `x * log(y)`, and 0 where `x` is 0.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      y: tensor that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape.

    Example:
      >>> gw.math.xlogy(gw.constant([0.0, 2.0]), gw.constant([0.0, 1.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """
    del name
    return _guarded(y, x, lambda y, x: x * _native.log(y))


def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes `x * log(1 + y)`, and 0 where `x` is 0.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      y: tensor that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape.

    Example:
      >>> gw.math.xlog1py(gw.constant([0.0, 2.0]), gw.constant([-1.0, 0.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """
    del name
    return _guarded(y, x, lambda y, x: x * _native.log1p(y))


def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes `x / y`, and 0 where `x` is 0.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      y: tensor that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape.

    Example:
      >>> gw.math.xdivy(gw.constant([0.0, 3.0]), gw.constant([0.0, 2.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0. , 1.5], dtype=float32)>
    """
    del name
    return _guarded(y, x, lambda y, x: x / y)


def _guarded(other: Any, factor: Any, compute: Any) -> Tensor:
    """The value of a function, and zero where the factor is zero; its derivative is zero there too.

    A factor of zero takes 1 for the other operand, of which logarithm, quotient and product are numbers.
    """
    other, factor = _native.convert_to_tensor(other), _native.convert_to_tensor(factor)
    is_zero = _native.equal(factor, 0)
    found = compute(_native.where(is_zero, _native.ones_like(other), other), factor)
    return _native.where(is_zero, _native.zeros_like(found), found)


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Adds the tensors of a list.

    Args:
      inputs: list of tensors of one shape and dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of that shape and dtype.

    Raises:
      ValueError: the list is empty.

    Example:
      >>> gw.add_n([gw.constant([1, 2]), gw.constant([3, 4])])
      <gw.Tensor: shape=(2,), dtype=int32, numpy=array([4, 6], dtype=int32)>
    """
    del name
    parts = (
        [_native.convert_to_tensor(part) for part in inputs]
        if isinstance(inputs, (list, tuple))
        else [inputs]
    )
    if not parts:
        raise ValueError("`inputs` is empty: give a tensor")
    if len({tuple(part.shape) for part in parts}) > 1:
        raise ValueError(
            f"`inputs` has the shapes {[tuple(part.shape) for part in parts]}; one shape is needed"
        )
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes quotients rounded towards zero.

    Args:
      x: tensor of numbers, of any shape.
      y: tensor that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape.

    Example:
      >>> gw.truncatediv(gw.constant([7, -7]), 2)
      <gw.Tensor: shape=(2,), dtype=int32, numpy=array([ 3, -3], dtype=int32)>
    """
    del name
    x, y = _native.convert_to_tensor(x), _native.convert_to_tensor(y)
    down = _native.floordiv(x, y)
    inexact = _native.not_equal(down * y, x)
    return down + _native.cast(_native.logical_and(down < 0, inexact), down.dtype)


def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes remainders with the sign of `x`.

    Args:
      x: tensor of numbers, of any shape.
      y: tensor that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape.

    Example:
      >>> gw.truncatemod(gw.constant([7, -7]), 3)
      <gw.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -1], dtype=int32)>
    """
    del name
    result: Tensor = _native.convert_to_tensor(x) - truncatediv(x, y) * y
    return result

"""Arithmetic that operators also do, running sums of exponentials, and polynomials."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from .. import _native
from .._arrays import axis_of, reverse
from .._native import Tensor

__all__ = [
    "accumulate_n",
    "cumulative_logsumexp",
    "grad_pass_through",
    "inside_function",
    "polyval",
    "realdiv",
    "reduce_euclidean_norm",
    "scalar_mul",
    "truediv",
]


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Divides; whole numbers are divided as floats.

    Args:
      x: tensor of numbers.
      y: tensor of the same dtype that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of floats: `float32` of whole numbers of up to 16 bits, `float64` of longer ones.

    Example:
      >>> gw.truediv([1, 3], [2, 2]).numpy().tolist()
      [0.5, 1.5]
    """
    del name
    first, second = _native.convert_to_tensor(x), _native.convert_to_tensor(y)
    if first.dtype.is_integer and second.dtype.is_integer:
        dtype = _native.float32 if first.dtype.size <= 2 else _native.float64
        first, second = _native.cast(first, dtype), _native.cast(second, dtype)
    return _native.divide(first, second)


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Divides floats.

    Args:
      x: tensor of floats or complex numbers.
      y: tensor of the same dtype that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same dtype.

    Raises:
      TypeError: the operands are whole numbers.

    Example:
      >>> gw.realdiv([1.0, 3.0], 2.0).numpy().tolist()
      [0.5, 1.5]
    """
    del name
    first, second = _native.convert_to_tensor(x), _native.convert_to_tensor(y)
    if first.dtype.is_integer or first.dtype == _native.bool:
        raise TypeError(f"`realdiv` divides floats, not {first.dtype.name}: use `gw.truediv`")
    return _native.divide(first, second)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """Multiplies with a scalar.

    Args:
      scalar: number, or tensor without axes.
      x: tensor of numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the shape and dtype of `x`.

    Raises:
      ValueError: `scalar` has axes.

    Example:
      >>> gw.scalar_mul(10.0, [1.0, 2.0]).numpy().tolist()
      [10.0, 20.0]
    """
    del name
    value = _native.convert_to_tensor(x)
    factor = _native.cast(_native.convert_to_tensor(scalar), value.dtype)
    if factor.ndim != 0:
        raise ValueError(f"`scalar` has the shape {tuple(factor.shape)}: it is a number without axes")
    return _native.multiply(factor, value)


def accumulate_n(
    inputs: Sequence[Any], shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """Adds tensors of one shape.

    Args:
      inputs: list of tensors.
      shape: accepted as in TensorFlow; has no effect.
      tensor_dtype: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Raises:
      ValueError: there is no tensor.

    Example:
      >>> gw.math.accumulate_n([[1.0, 2.0], [3.0, 4.0]]).numpy().tolist()
      [4.0, 6.0]
    """
    del shape, tensor_dtype, name
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("`inputs` is a list of one tensor or more")
    found: Tensor = functools.reduce(operator.add, [_native.convert_to_tensor(one) for one in inputs])
    return found


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the root of sums of squares along axes.

    Args:
      input_tensor: tensor of numbers.
      axis: axis or list of axes; all of them if it is `None`.
      keepdims: whether the axes stay, with length 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same dtype without the axes.

    Example:
      >>> gw.math.reduce_euclidean_norm([[3.0, 4.0], [0.0, 2.0]], axis=1).numpy().tolist()
      [5.0, 2.0]
    """
    del name
    x = _native.convert_to_tensor(input_tensor)
    wide = _native.cast(x, _native.float64) if x.dtype.is_integer else x
    total = _native.reduce_sum(_native.square(_native.abs(wide)), axis, keepdims=keepdims)
    return _native.cast(_native.sqrt(total), x.dtype)


def cumulative_logsumexp(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes logarithms of running sums of exponentials.

    Args:
      x: tensor of floats.
      axis: axis of the sums.
      exclusive: whether an element's own exponential is left out.
      reverse: whether sums begin at the end.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype; minus infinity where nothing is summed.

    Example:
      >>> gw.math.cumulative_logsumexp([0.0, 0.0]).numpy().round(4).tolist()
      [0.0, 0.6930999755859375]
    """
    del name
    value = _native.convert_to_tensor(x)
    at = axis_of(value, axis)
    turned = _turned(value, at, reverse)
    steps = _native.transpose(turned, [at, *(one for one in range(value.ndim) if one != at)])
    found = _turned(_native.transpose(_sums(steps, exclusive), _back(at, value.ndim)), at, reverse)
    return found


def _turned(x: Tensor, axis: int, is_reverse: bool) -> Tensor:
    return reverse(x, [axis]) if is_reverse else x


def _back(at: int, axes: int) -> list[int]:
    """The order that puts the first axis to its place."""
    order = [at, *(one for one in range(axes) if one != at)]
    return [order.index(one) for one in range(axes)]


def _sums(steps: Tensor, exclusive: bool) -> Tensor:
    """Logarithms of sums along the first axis, by doubling of distances."""
    length = steps.shape[0]
    if length is None:
        raise ValueError("`cumulative_logsumexp` needs a length that is known: give it by `gw.ensure_shape`")
    if exclusive:
        none = _native.zeros_like(steps[:1]) - math.inf
        steps = _native.concat([none, steps[: max(length - 1, 0)]], 0)[:length]
    far = 1
    while far < length:
        none = _native.zeros_like(steps[:far]) - math.inf
        other = _native.concat([none, steps[: length - far]], 0)
        most = _native.stop_gradient(_native.maximum(steps, other))
        most = _native.where(most > -math.inf, most, 0.0)
        total = _native.exp(steps - most) + _native.exp(other - most)
        some = total > 0.0
        steps = _native.where(some, most + _native.log(_native.where(some, total, 1.0)), -math.inf)
        far *= 2
    return steps


def polyval(coeffs: Sequence[Any], x: Any, name: str | None = None) -> Tensor:
    """Computes a polynomial at each element.

    Args:
      coeffs: list of coefficients from that of the highest power on.
      x: tensor of numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the shape of `x`.

    Raises:
      ValueError: `coeffs` is no list.

    Example:
      >>> gw.math.polyval([1.0, 0.0, 2.0], [3.0]).numpy().tolist()
      [11.0]
    """
    del name
    if not isinstance(coeffs, (list, tuple)):
        raise ValueError(f"`coeffs` is a list, not a `{type(coeffs).__name__}`")
    value = _native.convert_to_tensor(x)
    total = _native.zeros_like(value)
    for one in coeffs:
        total = total * value + one
    return total


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Lets derivatives pass a function as if it returned its argument.

    Args:
      f: function of a tensor whose result has the same shape.

    Returns:
      Function with the same results.

    Example:
      >>> x = gw.Variable(1.4)
      >>> with gw.GradientTape() as tape:
      ...     y = gw.grad_pass_through(gw.round)(x) * 2.0
      >>> float(y), float(tape.gradient(y, x))
      (2.0, 2.0)
    """

    @functools.wraps(f)
    def passing(x: Any, *args: Any, **kwargs: Any) -> Any:
        value = _native.convert_to_tensor(x)
        found = f(_native.stop_gradient(value), *args, **kwargs)
        return value + _native.stop_gradient(found - value)

    return passing


def inside_function() -> bool:
    """Tells whether a function is being traced.

    Returns:
      `True` in a graph.

    Example:
      >>> gw.inside_function()
      False
    """
    return not _native.executing_eagerly()

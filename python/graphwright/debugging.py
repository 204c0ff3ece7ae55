"""Conditions that tensors have to meet: `InvalidArgumentError` where one does not, now or when a graph runs.

Names, arguments and errors are TensorFlow's. Each function is a few operations and one check, which stands in
order with all other effects of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _native
from ._native import Tensor
from ._shape_assertions import assert_shapes
from ._tensorflow.harmless import set_log_device_placement
from ._type_assertions import assert_integer, assert_rank, assert_rank_at_least, assert_scalar, assert_type

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_rank",
    "assert_rank_at_least",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "enable_check_numerics",
    "set_log_device_placement",
]


def Assert(  # noqa: N802
    condition: Any, data: Sequence[Any], summarize: int | None = None, name: str | None = None
) -> None:
    """Raises an error with the given data unless a condition holds.

    Args:
      condition: bool, or `bool` tensor of any shape; all elements have to be true.
      data: list of tensors or values that the message shows.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: an element of the condition is false.

    Example:
      >>> gw.Assert(gw.constant(2) > 1, ["too small"])
      >>> gw.Assert(gw.constant(0) > 1, ["too small"])
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: assertion failed: too small
    """
    del name
    shown = [part for one in data for part in (" ", one)]
    _native.require(condition, ("assertion failed:", *shown), summarize)


def assert_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises an error unless all elements are equal.

    Args:
      x: tensor or array of any shape and dtype.
      y: tensor that broadcasts against `x`.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Example:
      >>> gw.debugging.assert_equal(gw.constant([1, 2]), gw.constant([1, 3]), message="totals differ")
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: totals differ
    """
    del name
    _compared(_native.equal, "x == y", x, y, message, summarize)


def assert_none_equal(
    x: Any, y: Any, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Raises an error unless all elements differ at each place.

    Args:
      x: tensor or array of any shape and dtype.
      y: tensor that broadcasts against `x`.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Example:
      >>> gw.debugging.assert_none_equal(gw.constant([1, 2]), gw.constant([2, 2]))
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: Condition x != y did not hold.
    """
    del name
    _compared(_native.not_equal, "x != y", x, y, message, summarize)


def assert_less(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises an error unless all elements of `x` are less than those of `y`.

    Args:
      x: tensor or array of any shape and dtype.
      y: tensor that broadcasts against `x`.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Example:
      >>> gw.debugging.assert_less(gw.constant([2, 3]), 3)
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: Condition x < y did not hold.
    """
    del name
    _compared(_native.less, "x < y", x, y, message, summarize)


def assert_less_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises an error unless all elements of `x` are at most those of `y`.

    Args:
      x: tensor or array of any shape and dtype.
      y: tensor that broadcasts against `x`.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Example:
      >>> gw.debugging.assert_less_equal(gw.constant([2, 4]), 3)
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: Condition x <= y did not hold.
    """
    del name
    _compared(_native.less_equal, "x <= y", x, y, message, summarize)


def assert_greater(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises an error unless all elements of `x` are greater than those of `y`.

    Args:
      x: tensor or array of any shape and dtype.
      y: tensor that broadcasts against `x`.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Example:
      >>> gw.debugging.assert_greater(gw.constant([2, 1]), 1)
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: Condition x > y did not hold.
    """
    del name
    _compared(_native.greater, "x > y", x, y, message, summarize)


def assert_greater_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises an error unless all elements of `x` are at least those of `y`.

    Args:
      x: tensor or array of any shape and dtype.
      y: tensor that broadcasts against `x`.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Example:
      >>> gw.debugging.assert_greater_equal(gw.constant([2, 1]), 2)
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: Condition x >= y did not hold.
    """
    del name
    _compared(_native.greater_equal, "x >= y", x, y, message, summarize)


def assert_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises an error unless all elements are greater than zero.

    Args:
      x: tensor of numbers, of any shape.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Example:
      >>> gw.debugging.assert_positive(gw.constant([1, 0]))
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: Condition x > 0 did not hold element-wise:
    """
    del name
    _with_zero(_native.greater, "x > 0", x, message, summarize)


def assert_non_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises an error unless all elements are at least zero.

    Args:
      x: tensor of numbers, of any shape.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Example:
      >>> gw.debugging.assert_non_negative(gw.constant([0, -2]))
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: Condition x >= 0 did not hold element-wise:
    """
    del name
    _with_zero(_native.greater_equal, "x >= 0", x, message, summarize)


def assert_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises an error unless all elements are less than zero.

    Args:
      x: tensor of numbers, of any shape.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Example:
      >>> gw.debugging.assert_negative(gw.constant([-1, 0]))
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: Condition x < 0 did not hold element-wise:
    """
    del name
    _with_zero(_native.less, "x < 0", x, message, summarize)


def assert_non_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises an error unless all elements are at most zero.

    Args:
      x: tensor of numbers, of any shape.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Example:
      >>> gw.debugging.assert_non_positive(gw.constant([0, 2]))
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: Condition x <= 0 did not hold element-wise:
    """
    del name
    _with_zero(_native.less_equal, "x <= 0", x, message, summarize)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises an error unless `|x - y| <= atol + rtol * |y|` everywhere.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      y: tensor that broadcasts against `x`.
      rtol: relative tolerance; ten units in the last place of one if it is `None`.
      atol: absolute tolerance, with the same default.
      message: text of the error.
      summarize: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      InvalidArgumentError: an element differs more.

    Example:
      >>> gw.debugging.assert_near(gw.constant(1.0), gw.constant(1.0000001))
      >>> gw.debugging.assert_near(gw.constant(1.0), gw.constant(1.1))
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: Condition x and y not equal to tolerance did not hold.
    """
    del name
    x = _native.convert_to_tensor(x)
    unit = 10 * (2.0**-52 if x.dtype == _native.float64 else 2.0**-23)
    rtol, atol = (unit if one is None else one for one in (rtol, atol))

    def near(x: Any, y: Any) -> Any:
        return _native.abs(x - y) <= atol + rtol * _native.abs(y)

    _compared(near, "x and y not equal to tolerance", x, y, message, summarize)


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """Raises an error unless all elements are finite.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      message: text of the error.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The tensor.

    Raises:
      InvalidArgumentError: an element is infinite or NaN.

    Example:
      >>> gw.debugging.assert_all_finite(gw.constant([1.0]), "not finite")
      <gw.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>
    """
    return check_numerics(x, message, name)


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """Raises an error unless all elements are finite.

    Args:
      tensor: tensor of any shape, `float32` or `float64`.
      message: text of the error.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The tensor.

    Raises:
      InvalidArgumentError: an element is infinite or NaN.

    Example:
      >>> gw.debugging.check_numerics(gw.constant([1.0]), "not finite")
      <gw.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>
    """
    del name
    x = _native.convert_to_tensor(tensor)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise TypeError(f"`check_numerics` takes floats and complex numbers, not {x.dtype.name}")
    _native.require(
        _native.reduce_all(_native.is_finite(x)), (f"{message} : Tensor had infinite or NaN values: ", x)
    )
    return x


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From now on, the result of each operation and derivative on floats is looked at for infinity and NaN.

    Where the first one appears, `InvalidArgumentError` is raised at the line of the operation, or at that
    which asks for the derivative: now, or when the graph runs. Graphs that were made before stay without.

    Args:
      stack_height_limit: accepted as in TensorFlow; has no effect.
      path_length_limit: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Example:
      >>> gw.debugging.enable_check_numerics()
      >>> gw.log(gw.constant(0.0))
      Traceback (most recent call last):
          ...
      graphwright.errors.InvalidArgumentError: an operation : Tensor had infinite or NaN values: -inf
      >>> gw.debugging.disable_check_numerics()
    """
    del stack_height_limit, path_length_limit
    _native.check_results(True)


def disable_check_numerics() -> None:
    """Ends the checks that `enable_check_numerics` began; graphs that were made meanwhile keep their checks.

    Returns:
      Nothing.

    Example:
      >>> gw.debugging.enable_check_numerics()
      >>> gw.debugging.disable_check_numerics()
      >>> (gw.constant(1.0) / 0.0).item()
      inf
    """
    _native.check_results(False)


def _compared(
    compare: Callable[[Any, Any], Any], text: str, x: Any, y: Any, message: str | None, summarize: int | None
) -> None:
    holds = _native.reduce_all(compare(x, y))
    head = f"{message}\n" if message else ""
    _native.require(holds, (f"{head}Condition {text} did not hold.\nx = ", x, "\ny = ", y), summarize)


def _with_zero(
    compare: Callable[[Any, Any], Any], text: str, x: Any, message: str | None, summarize: int | None
) -> None:
    x = _native.convert_to_tensor(x)
    holds = _native.reduce_all(compare(x, _native.zeros_like(x)))
    head = f"{message}\n" if message else ""
    _native.require(holds, (f"{head}Condition {text} did not hold element-wise:\nx = ", x), summarize)

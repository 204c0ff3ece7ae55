"""Conditions that tensors have to meet: `InvalidArgumentError` where one does not, now or when a graph runs.

Names, arguments and errors are TensorFlow's. Each function is a few operations and one check, which stands in
order with all other effects of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _native
from ._native import Tensor

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
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "enable_check_numerics",
]


def Assert(  # noqa: N802
    condition: Any, data: Sequence[Any], summarize: int | None = None, name: str | None = None
) -> None:
    """Fails unless the condition holds; `data` is what is shown then."""
    del name
    shown = [part for one in data for part in (" ", one)]
    _native.require(condition, ("assertion failed:", *shown), summarize)


def assert_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Fails unless all elements are equal."""
    del name
    _compared(_native.equal, "x == y", x, y, message, summarize)


def assert_none_equal(
    x: Any, y: Any, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Fails if two elements in one place are equal."""
    del name
    _compared(_native.not_equal, "x != y", x, y, message, summarize)


def assert_less(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Fails unless every element of `x` is less than that of `y`."""
    del name
    _compared(_native.less, "x < y", x, y, message, summarize)


def assert_less_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Fails unless every element of `x` is at most that of `y`."""
    del name
    _compared(_native.less_equal, "x <= y", x, y, message, summarize)


def assert_greater(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Fails unless every element of `x` is greater than that of `y`."""
    del name
    _compared(_native.greater, "x > y", x, y, message, summarize)


def assert_greater_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Fails unless every element of `x` is at least that of `y`."""
    del name
    _compared(_native.greater_equal, "x >= y", x, y, message, summarize)


def assert_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Fails unless every element is greater than zero."""
    del name
    _with_zero(_native.greater, "x > 0", x, message, summarize)


def assert_non_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Fails unless every element is at least zero."""
    del name
    _with_zero(_native.greater_equal, "x >= 0", x, message, summarize)


def assert_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Fails unless every element is less than zero."""
    del name
    _with_zero(_native.less, "x < 0", x, message, summarize)


def assert_non_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Fails unless every element is at most zero."""
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
    """Fails unless `|x - y| <= atol + rtol * |y|` everywhere; both are ten units in the last place of one."""
    del name
    x = _native.convert_to_tensor(x)
    unit = 10 * (2.0**-52 if x.dtype == _native.float64 else 2.0**-23)
    rtol, atol = (unit if one is None else one for one in (rtol, atol))

    def near(x: Any, y: Any) -> Any:
        return _native.abs(x - y) <= atol + rtol * _native.abs(y)

    _compared(near, "x and y not equal to tolerance", x, y, message, summarize)


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor, whose elements are neither infinite nor NaN."""
    return check_numerics(x, message, name)


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor, whose elements are neither infinite nor NaN; else it fails with the message."""
    del name
    x = _native.convert_to_tensor(tensor)
    if not x.dtype.is_floating:
        raise TypeError(f"`check_numerics` takes floats, not {x.dtype.name}")
    finite = _native.reduce_all(_native.is_finite(x))
    _native.require(finite, (message, " : Tensor had infinite or NaN values: ", x))
    return x


def enable_check_numerics() -> None:
    """From now on, what each operation on floats gives is looked at for infinity and NaN.

    Where there is one, the operation fails with `InvalidArgumentError` at its line: now, or when the graph
    runs. Graphs that were made before stay without.
    """
    _native.check_results(True)


def disable_check_numerics() -> None:
    """Ends what `enable_check_numerics` began; graphs that were made meanwhile stay as they are."""
    _native.check_results(False)


def _checked(x: Tensor) -> Tensor:
    return check_numerics(x, "an operation")


def assert_rank(x: Any, rank: int, message: str | None = None, name: str | None = None) -> None:
    """Fails unless a tensor has so many axes, which is known at once."""
    del name
    _judge_rank(x, len(_shape(x)) == rank, f"must have rank {rank}", message)


def assert_rank_at_least(x: Any, rank: int, message: str | None = None, name: str | None = None) -> None:
    """Fails unless a tensor has at least so many axes, which is known at once."""
    del name
    _judge_rank(x, len(_shape(x)) >= rank, f"must have rank at least {rank}", message)


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Tensor:
    """The tensor, which has no axes."""
    del name
    _judge_rank(tensor, len(_shape(tensor)) == 0, "must be a scalar", message)
    return _native.convert_to_tensor(tensor)


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Fails unless a tensor has this dtype, which is known at once."""
    del name
    found, wanted = _native.convert_to_tensor(tensor).dtype, _native.as_dtype(tf_type)
    if found != wanted:
        raise TypeError(f"{message or ''} tensor must be of type {wanted.name}, not {found.name}".lstrip())


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Fails unless a tensor is of integers, which is known at once."""
    del name
    found = _native.convert_to_tensor(x).dtype
    if not found.is_integer:
        raise TypeError(f"{message or ''} expected an integer type, not {found.name}".lstrip())


def _shape(x: Any) -> Any:
    return _native.convert_to_tensor(x).shape


def _judge_rank(x: Any, fits: bool, text: str, message: str | None) -> None:
    if not fits:
        raise ValueError(f"{message or ''} a tensor of shape {tuple(_shape(x))} {text}".lstrip())


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

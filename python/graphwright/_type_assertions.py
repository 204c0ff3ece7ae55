"""Assertions of dtypes and ranks, which are decided as soon as a graph is built."""

from __future__ import annotations

from typing import Any

from . import _native
from ._native import Tensor


def assert_rank(x: Any, rank: int, message: str | None = None, name: str | None = None) -> None:
    """Raises an error unless a tensor has a given number of axes.

    Args:
      x: tensor or array of any shape and dtype.
      rank: number of axes.
      message: text of the error.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      ValueError: the number is another one.

    Example:
      >>> gw.debugging.assert_rank(gw.ones([2, 3]), 1)
      Traceback (most recent call last):
          ...
      ValueError: a tensor of shape (2, 3) must have rank 1
    """
    del name
    _judge_rank(x, len(_shape(x)) == rank, f"must have rank {rank}", message)


def assert_rank_at_least(x: Any, rank: int, message: str | None = None, name: str | None = None) -> None:
    """Raises an error unless a tensor has a least number of axes.

    Args:
      x: tensor or array of any shape and dtype.
      rank: least number of axes.
      message: text of the error.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      ValueError: there are fewer.

    Example:
      >>> gw.debugging.assert_rank_at_least(gw.ones([2, 3]), 3)
      Traceback (most recent call last):
          ...
      ValueError: a tensor of shape (2, 3) must have rank at least 3
    """
    del name
    _judge_rank(x, len(_shape(x)) >= rank, f"must have rank at least {rank}", message)


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Tensor:
    """Raises an error unless a tensor has no axes.

    Args:
      tensor: tensor or array of any shape and dtype.
      message: text of the error.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The tensor.

    Raises:
      ValueError: it has axes.

    Example:
      >>> gw.debugging.assert_scalar(gw.constant(1))
      <gw.Tensor: shape=(), dtype=int32, numpy=1>
    """
    del name
    _judge_rank(tensor, len(_shape(tensor)) == 0, "must be a scalar", message)
    return _native.convert_to_tensor(tensor)


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises an error unless a tensor has a given dtype.

    Args:
      tensor: tensor or array of any shape and dtype.
      tf_type: the dtype.
      message: text of the error.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      TypeError: the dtype is another one.

    Example:
      >>> gw.debugging.assert_type(gw.constant(1), gw.float32)
      Traceback (most recent call last):
          ...
      TypeError: tensor must be of type float32, not int32
    """
    del name
    found, wanted = _native.convert_to_tensor(tensor).dtype, _native.as_dtype(tf_type)
    if found != wanted:
        raise TypeError(f"{message or ''} tensor must be of type {wanted.name}, not {found.name}".lstrip())


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises an error unless a tensor has an integer dtype.

    Args:
      x: tensor or array of any shape and dtype.
      message: text of the error.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      TypeError: the dtype is no integer.

    Example:
      >>> gw.debugging.assert_integer(gw.constant(1.5))
      Traceback (most recent call last):
          ...
      TypeError: expected an integer type, not float32
    """
    del name
    found = _native.convert_to_tensor(x).dtype
    if not found.is_integer:
        raise TypeError(f"{message or ''} expected an integer type, not {found.name}".lstrip())


def _shape(x: Any) -> Any:
    return _native.convert_to_tensor(x).shape


def _judge_rank(x: Any, fits: bool, text: str, message: str | None) -> None:
    if not fits:
        raise ValueError(f"{message or ''} a tensor of shape {tuple(_shape(x))} {text}".lstrip())

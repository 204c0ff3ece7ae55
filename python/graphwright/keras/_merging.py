"""Layers of several tensors that compare, subtract and multiply them, and functions that make layers."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from .. import _native
from .._reductions import l2_normalize
from ._joining import Add, Average, Concatenate, Multiply, _Merge


class Maximum(_Merge):
    """Takes the greatest of tensors, element by element.

    Args:
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Maximum()([gw.constant([1.0, 5.0]), gw.constant([3.0, 2.0])]).numpy().tolist()
      [3.0, 5.0]
    """

    def _join(self, inputs: Sequence[Any]) -> Any:
        return functools.reduce(_native.maximum, inputs)


class Minimum(_Merge):
    """Takes the least of tensors, element by element.

    Args:
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Minimum()([gw.constant([1.0, 5.0]), gw.constant([3.0, 2.0])]).numpy().tolist()
      [1.0, 2.0]
    """

    def _join(self, inputs: Sequence[Any]) -> Any:
        return functools.reduce(_native.minimum, inputs)


class Subtract(_Merge):
    """Subtracts the second of two tensors from the first.

    Args:
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Subtract()([gw.constant([1.0]), gw.constant([3.0])]).numpy().tolist()
      [-2.0]
    """

    def _join(self, inputs: Sequence[Any]) -> Any:
        if len(inputs) != 2:
            raise ValueError(f"`Subtract` takes two tensors, not {len(inputs)}")
        return inputs[0] - inputs[1]


class Dot(_Merge):
    """Multiplies two tensors along one axis of each, example by example.

    Args:
      axes: the axis, or one for each tensor; the batch is axis 0.
      normalize: whether the tensors are scaled to norm 1 along these axes first.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Dot(axes=(1, 2))([gw.ones([2, 5, 2]), gw.ones([2, 3, 5])]).shape
      (2, 2, 3)
    """

    def __init__(self, axes: int | Sequence[int], normalize: bool = False, **others: Any) -> None:
        super().__init__(**others)
        self.axes, self.normalize = axes, normalize

    def _join(self, inputs: Sequence[Any]) -> Any:
        if len(inputs) != 2:
            raise ValueError(f"`Dot` takes two tensors, not {len(inputs)}")
        given = (self.axes,) * 2 if isinstance(self.axes, int) else tuple(self.axes)
        axes = [axis % one.ndim for axis, one in zip(given, inputs, strict=True)]
        if 0 in axes:
            raise ValueError(f"`axes` is {self.axes!r}: axis 0 is that of the batch")
        if self.normalize:
            inputs = [l2_normalize(one, axis) for one, axis in zip(inputs, axes, strict=True)]
        found = _batch_dot(*inputs, *axes)
        return _native.expand_dims(found, 1) if found.ndim == 1 else found


def _batch_dot(x: Any, y: Any, at: int, other: int) -> Any:
    """Sums of products along an axis of each, with the other axes of the first in front."""
    from .._einsum import einsum

    names = iter("abcdefghijklmnop")
    first = ["z"] + [next(names) for _ in range(x.ndim - 1)]
    second = ["z"] + [next(names) for _ in range(y.ndim - 1)]
    second[other] = first[at]
    left = [name for axis, name in enumerate(first) if axis != at]
    right = [name for axis, name in enumerate(second) if axis not in (0, other)]
    return einsum(f"{''.join(first)},{''.join(second)}->{''.join(left + right)}", x, y)


def add(inputs: Any, **kwargs: Any) -> Any:
    """Adds tensors.

    Args:
      inputs: list of tensors or of symbols.
      kwargs: the arguments of `Add`.

    Returns:
      Tensor or symbol.

    Example:
      >>> gw.keras.layers.add([gw.constant([[1.0]]), gw.constant([[3.0]])]).numpy().tolist()
      [[4.0]]
    """
    return Add(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Any:
    """Averages tensors.

    Args:
      inputs: list of tensors or of symbols.
      kwargs: the arguments of `Average`.

    Returns:
      Tensor or symbol.

    Example:
      >>> gw.keras.layers.average([gw.constant([[1.0]]), gw.constant([[3.0]])]).numpy().tolist()
      [[2.0]]
    """
    return Average(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Any:
    """Multiplies tensors.

    Args:
      inputs: list of tensors or of symbols.
      kwargs: the arguments of `Multiply`.

    Returns:
      Tensor or symbol.

    Example:
      >>> gw.keras.layers.multiply([gw.constant([[1.0]]), gw.constant([[3.0]])]).numpy().tolist()
      [[3.0]]
    """
    return Multiply(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """Joins tensors.

    Args:
      inputs: list of tensors or of symbols.
      axis: the axis.
      kwargs: the arguments of `Concatenate`.

    Returns:
      Tensor or symbol.

    Example:
      >>> gw.keras.layers.concatenate([gw.constant([[1.0]]), gw.constant([[3.0]])]).numpy().tolist()
      [[1.0, 3.0]]
    """
    return Concatenate(axis=axis, **kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Any:
    """Takes the greatest of tensors, element by element.

    Args:
      inputs: list of tensors or of symbols.
      kwargs: the arguments of `Maximum`.

    Returns:
      Tensor or symbol.

    Example:
      >>> gw.keras.layers.maximum([gw.constant([[1.0]]), gw.constant([[3.0]])]).numpy().tolist()
      [[3.0]]
    """
    return Maximum(**kwargs)(inputs)


def minimum(inputs: Any, **kwargs: Any) -> Any:
    """Takes the least of tensors, element by element.

    Args:
      inputs: list of tensors or of symbols.
      kwargs: the arguments of `Minimum`.

    Returns:
      Tensor or symbol.

    Example:
      >>> gw.keras.layers.minimum([gw.constant([[1.0]]), gw.constant([[3.0]])]).numpy().tolist()
      [[1.0]]
    """
    return Minimum(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Any:
    """Subtracts the second of two tensors from the first.

    Args:
      inputs: list of two tensors or symbols.
      kwargs: the arguments of `Subtract`.

    Returns:
      Tensor or symbol.

    Example:
      >>> gw.keras.layers.subtract([gw.constant([[1.0]]), gw.constant([[3.0]])]).numpy().tolist()
      [[-2.0]]
    """
    return Subtract(**kwargs)(inputs)


def dot(inputs: Any, axes: int | Sequence[int] = -1, **kwargs: Any) -> Any:
    """Multiplies two tensors along one axis of each, example by example.

    Args:
      inputs: list of two tensors or symbols.
      axes: the axis, or one for each tensor.
      kwargs: the arguments of `Dot`.

    Returns:
      Tensor or symbol.

    Example:
      >>> gw.keras.layers.dot([gw.constant([[1.0, 2.0]]), gw.constant([[3.0, 4.0]])], axes=1).numpy().tolist()
      [[11.0]]
    """
    return Dot(axes=axes, **kwargs)(inputs)

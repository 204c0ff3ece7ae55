"""Layers of one function of a tensor, which each class gives, and what their arguments have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from ._layer import Layer

Sizes = int | Sequence[int]


class Computed(Layer):
    """A layer whose class says what becomes of a tensor."""

    def _compute(self, x: Any) -> Any:
        """Computes the layer of one tensor; each class has its own."""
        raise NotImplementedError

    def call(self, inputs: Any) -> Any:
        """Computes the layer.

        Args:
          inputs: tensor as the class describes it.

        Returns:
          Tensor as the class describes it.

        Example:
          >>> gw.keras.layers.Identity().call(gw.constant([1.0, 2.0])).numpy().tolist()
          [1.0, 2.0]
        """
        return self._compute(inputs)


class Trained(Layer):
    """A layer that computes something while training, and returns its inputs otherwise."""

    def _trained(self, x: Any) -> Any:
        """Computes the layer while training; each class has its own."""
        raise NotImplementedError

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Computes the layer while training, and returns the inputs otherwise.

        Args:
          inputs: tensor of floats.
          training: whether it is a step of training.

        Returns:
          Tensor of the same shape and dtype.

        Example:
          >>> gw.keras.layers.GaussianNoise(0.5).call(gw.ones([3])).numpy().tolist()
          [1.0, 1.0, 1.0]
        """
        return self._trained(inputs) if training else inputs


def one_for_each(value: Any, axes: int, name: str) -> tuple[int, ...]:
    """One positive number for each axis, from one number for all."""
    given = (value,) * axes if isinstance(value, int) else tuple(value)
    if len(given) != axes or any(not isinstance(one, int) or one < 1 for one in given):
        raise ValueError(f"`{name}` is {value!r}: it is a number from 1 on, or one for each of {axes} axes")
    return given


def margins(value: Any, axes: int, name: str) -> tuple[tuple[int, int], ...]:
    """A pair of numbers for each axis, from one number, one for each axis, or pairs."""
    given = (value,) * axes if isinstance(value, int) else tuple(value)
    if axes == 1 and len(given) == 2:
        given = (given,)
    pairs = tuple((one, one) if isinstance(one, int) else tuple(one) for one in given)
    if len(pairs) != axes or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise ValueError(
            f"`{name}` is {value!r}: it is a number from 0 on, or one or a pair for each of {axes} axes"
        )
    return pairs


def is_first(data_format: str | None) -> bool:
    """True if channels stand in front of the places."""
    if data_format not in (None, "channels_last", "channels_first"):
        raise ValueError(f"`data_format` is {data_format!r}: it is 'channels_last' or 'channels_first'")
    return data_format == "channels_first"


def last(x: Any, first: bool) -> Any:
    """The tensor with its channels behind."""
    return _native.transpose(x, [0, *range(2, x.ndim), 1]) if first else x


def back(x: Any, first: bool) -> Any:
    """The tensor with its channels where they were."""
    return _native.transpose(x, [0, x.ndim - 1, *range(1, x.ndim - 1)]) if first else x


def places(x: Any, first: bool) -> range:
    """The axes between batch and channels."""
    return range(2, x.ndim) if first else range(1, x.ndim - 1)


def checked(x: Any, axes: int, name: str) -> None:
    """Refuses a tensor with another number of axes."""
    if x.ndim != axes:
        raise ValueError(f"`{name}` takes a tensor of {axes} axes, not of the shape {tuple(x.shape)}")

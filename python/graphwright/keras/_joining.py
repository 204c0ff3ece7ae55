"""Layers that change shapes, join tensors, and normalize batches."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from .. import _native, nn
from . import activations, initializers
from ._layer import Layer

Initializer = str | initializers.Initializer


class Flatten(Layer):
    """Makes one axis of all but the first.

    Args:
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Flatten()(gw.ones([2, 3, 4])).shape
      (2, 12)
    """

    def call(self, inputs: Any) -> Any:
        """Flattens the inputs.

        Args:
          inputs: tensor `(batch, …)`.

        Returns:
          Tensor `(batch, n)`.

        Example:
          >>> gw.keras.layers.Flatten().call(gw.ones([2, 3, 4])).shape
          (2, 12)
        """
        known = [n for n in inputs.shape[1:] if n is not None]
        count = functools.reduce(operator.mul, known, 1) if len(known) == inputs.ndim - 1 else -1
        batch = inputs.shape[0] if inputs.shape[0] is not None else _native.shape(inputs)[0]
        return _native.reshape(inputs, [batch, count])


class Reshape(Layer):
    """Gives all but the first axis another shape.

    Args:
      target_shape: lengths behind the batch; -1 is the length that is left.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Reshape((4, -1))(gw.ones([2, 12])).shape
      (2, 4, 3)
    """

    def __init__(self, target_shape: Sequence[int], **others: Any) -> None:
        super().__init__(**others)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any) -> Any:
        """Gives the inputs the shape.

        Args:
          inputs: tensor `(batch, …)`.

        Returns:
          Tensor `(batch, *target_shape)`.

        Example:
          >>> gw.keras.layers.Reshape((4, 3)).call(gw.ones([2, 12])).shape
          (2, 4, 3)
        """
        batch = inputs.shape[0] if inputs.shape[0] is not None else _native.shape(inputs)[0]
        lengths = list(self.target_shape)
        known = [n for n in inputs.shape[1:] if n is not None]
        if -1 in lengths and len(known) == inputs.ndim - 1:
            rest = functools.reduce(operator.mul, (n for n in lengths if n != -1), 1)
            lengths[lengths.index(-1)] = functools.reduce(operator.mul, known, 1) // rest
        return _native.reshape(inputs, [batch, *lengths])


class Activation(Layer):
    """Calls an activation.

    Args:
      activation: a name or a function.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Activation("relu")(gw.constant([-1.0, 2.0])).numpy().tolist()
      [0.0, 2.0]
    """

    def __init__(self, activation: str | Callable[..., Any], **others: Any) -> None:
        super().__init__(**others)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        """Calls the activation.

        Args:
          inputs: tensor of any shape.

        Returns:
          Tensor.

        Example:
          >>> gw.keras.layers.Activation("tanh").call(gw.constant([0.0])).numpy().tolist()
          [0.0]
        """
        return self.activation(inputs)


class Rescaling(Layer):
    """Computes `inputs * scale + offset`.

    Args:
      scale: factor.
      offset: number that is added.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Rescaling(0.5, offset=1.0)(gw.constant([2.0])).numpy().tolist()
      [2.0]
    """

    def __init__(self, scale: Any, offset: Any = 0.0, **others: Any) -> None:
        super().__init__(**others)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any) -> Any:
        """Scales the inputs.

        Args:
          inputs: tensor of numbers.

        Returns:
          Tensor of floats.

        Example:
          >>> gw.keras.layers.Rescaling(2.0).call(gw.constant([2.0])).numpy().tolist()
          [4.0]
        """
        return _native.cast(inputs, self.dtype) * self.scale + self.offset


class _Merge(Layer):
    """A layer of several tensors."""

    def _ready(self, inputs: Any) -> Any:
        """The tensors, each of its own shape."""
        is_list = isinstance(inputs, (list, tuple))
        return [_native.convert_to_tensor(one) for one in inputs] if is_list else inputs

    def _join(self, inputs: Sequence[Any]) -> Any:
        raise NotImplementedError

    def call(self, inputs: Any) -> Any:
        """Joins the inputs.

        Args:
          inputs: list of tensors.

        Returns:
          Tensor.

        Example:
          >>> gw.keras.layers.Add().call([gw.constant([1.0]), gw.constant([2.0])]).numpy().tolist()
          [3.0]
        """
        if not isinstance(inputs, (list, tuple)) or not inputs:
            raise ValueError(f"`{self.name}` takes a list of tensors")
        return self._join(list(inputs))


class Concatenate(_Merge):
    """Joins tensors along an axis.

    Args:
      axis: the axis.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Concatenate()([gw.ones([2, 3]), gw.ones([2, 1])]).shape
      (2, 4)
    """

    def __init__(self, axis: int = -1, **others: Any) -> None:
        super().__init__(**others)
        self.axis = axis

    def _join(self, inputs: Sequence[Any]) -> Any:
        return _native.concat(inputs, self.axis)


class Add(_Merge):
    """Adds tensors.

    Args:
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Add()([gw.constant([1.0]), gw.constant([2.0])]).numpy().tolist()
      [3.0]
    """

    def _join(self, inputs: Sequence[Any]) -> Any:
        return functools.reduce(operator.add, inputs)


class Multiply(_Merge):
    """Multiplies tensors.

    Args:
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Multiply()([gw.constant([2.0]), gw.constant([3.0])]).numpy().tolist()
      [6.0]
    """

    def _join(self, inputs: Sequence[Any]) -> Any:
        return functools.reduce(operator.mul, inputs)


class Average(_Merge):
    """Averages tensors.

    Args:
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Average()([gw.constant([1.0]), gw.constant([3.0])]).numpy().tolist()
      [2.0]
    """

    def _join(self, inputs: Sequence[Any]) -> Any:
        return functools.reduce(operator.add, inputs) / len(inputs)


class BatchNormalization(Layer):
    """Normalizes with the moments of the batch while training, else with their moving averages.

    Args:
      axis: axis of the channels.
      momentum: the share of the average that stays at each step.
      epsilon: number that is added to the variance.
      center: whether there is a `beta` that is added.
      scale: whether there is a `gamma` that is a factor.
      beta_initializer: initializer of `beta`.
      gamma_initializer: initializer of `gamma`.
      moving_mean_initializer: initializer of the average of means.
      moving_variance_initializer: initializer of the average of variances.
      others: the arguments of `Layer`.

    Example:
      >>> layer = gw.keras.layers.BatchNormalization()
      >>> layer(gw.constant([[1.0], [3.0]]), training=True).numpy().round(2).tolist()
      [[-1.0], [1.0]]

    Source: Ioffe and Szegedy, "Batch Normalization", 2015.
    """

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Initializer = "zeros",
        gamma_initializer: Initializer = "ones",
        moving_mean_initializer: Initializer = "zeros",
        moving_variance_initializer: Initializer = "ones",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.axis, self.momentum, self.epsilon = axis, momentum, epsilon
        self.center, self.scale = center, scale
        self._first = [
            gamma_initializer,
            beta_initializer,
            moving_mean_initializer,
            moving_variance_initializer,
        ]

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the weights and the averages.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.BatchNormalization()
          >>> layer.build((None, 3))
          >>> len(layer.trainable_weights), len(layer.weights)
          (2, 4)
        """
        shape, first = (input_shape[self.axis],), self._first
        self.gamma = self.add_weight(shape, first[0], name="gamma") if self.scale else None
        self.beta = self.add_weight(shape, first[1], name="beta") if self.center else None
        self.moving_mean = self.add_weight(shape, first[2], trainable=False, name="moving_mean")
        self.moving_variance = self.add_weight(shape, first[3], trainable=False, name="moving_variance")

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Normalizes the inputs.

        Args:
          inputs: tensor of floats.
          training: whether the moments are those of the batch.

        Returns:
          Tensor of the same shape.

        Example:
          >>> gw.keras.layers.BatchNormalization(epsilon=0.0)(gw.constant([[2.0]])).numpy().tolist()
          [[2.0]]
        """
        at = self.axis % inputs.ndim
        if training and self.trainable:
            axes = [axis for axis in range(inputs.ndim) if axis != at]
            mean, variance = nn.moments(inputs, axes)
            keep = self.momentum
            self.moving_mean.assign(self.moving_mean * keep + _native.stop_gradient(mean) * (1.0 - keep))
            self.moving_variance.assign(
                self.moving_variance * keep + _native.stop_gradient(variance) * (1.0 - keep)
            )
        else:
            mean, variance = self.moving_mean.value(), self.moving_variance.value()
        shape = [-1 if axis == at else 1 for axis in range(inputs.ndim)]
        mean, variance = _native.reshape(mean, shape), _native.reshape(variance, shape)
        beta = None if self.beta is None else _native.reshape(self.beta, shape)
        gamma = None if self.gamma is None else _native.reshape(self.gamma, shape)
        return nn.batch_normalization(inputs, mean, variance, beta, gamma, self.epsilon)

"""Keras 3's layers: the same arguments, weights and numbers, in plain Python that also runs in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from . import activations, initializers
from ._attention import GRU, MultiHeadAttention
from ._bidirectional import Bidirectional
from ._joining import (
    Activation,
    Add,
    Average,
    BatchNormalization,
    Concatenate,
    Flatten,
    Multiply,
    Rescaling,
    Reshape,
)
from ._layer import Layer
from ._pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from ._recurrent import LSTM, Dropout, Initializer, positive
from ._recurrent import Activation as _Named
from ._symbols import Input

__all__ = [
    "GRU",
    "LSTM",
    "Activation",
    "Add",
    "Average",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "BatchNormalization",
    "Bidirectional",
    "Concatenate",
    "Conv2D",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "Input",
    "Layer",
    "LayerNormalization",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "MultiHeadAttention",
    "Multiply",
    "Rescaling",
    "Reshape",
    "add",
    "average",
    "concatenate",
    "multiply",
]


class Dense(Layer):
    """Computes `activation(inputs @ kernel + bias)`, from shape `(…, n)` to `(…, units)`.

    Args:
      units: how many numbers it gives for each row.
      activation: a name, a function, or `None`.
      use_bias: whether there is a `bias`, of shape `(units,)`.
      kernel_initializer: initializer of the `kernel`, of shape `(n, units)`.
      bias_initializer: initializer of the bias.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Dense(1, kernel_initializer="ones")(gw.constant([[1.0, 2.0]])).numpy().tolist()
      [[3.0]]
    """

    def __init__(
        self,
        units: int,
        activation: _Named = None,
        use_bias: bool = True,
        kernel_initializer: Initializer = "glorot_uniform",
        bias_initializer: Initializer = "zeros",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.units, self.use_bias = positive(units, "units"), use_bias
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the kernel and the bias.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.Dense(1)
          >>> layer.build((None, 2))
          >>> layer.built
          True
        """
        self.kernel = self.add_weight((input_shape[-1], self.units), self.kernel_initializer, name="kernel")
        self.bias = self._bias(self.units, self.bias_initializer, self.use_bias)

    def call(self, inputs: Any) -> Any:
        """Each row times the kernel.

        Args:
          inputs: tensor as the class describes it.

        Returns:
          Tensor.

        Example:
          >>> gw.keras.layers.Dense(1)(gw.ones([4, 2])).shape
          (4, 1)
        """
        x = _native.matmul(inputs, self.kernel)
        if self.bias is not None:
            x = x + self.bias
        return self.activation(x)


class Conv2D(Layer):
    """Convolves images, from `(batch, height, width, channels)` to `(batch, …, …, filters)`.

    Args:
      filters: how many numbers it gives for each place.
      kernel_size: height and width of the window, or one number for both.
      strides: how far it is from one window to the next.
      padding: `"valid"`, or `"same"` for windows that also reach over the edges.
      dilation_rate: how far apart the rows and columns of a window are.
      activation: a name, a function, or `None`.
      use_bias: whether there is a `bias`, of shape `(filters,)`.
      kernel_initializer: initializer of the `kernel`, of shape `(*kernel_size, channels, filters)`.
      bias_initializer: initializer of the bias.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Conv2D(4, 3)(gw.ones([1, 8, 8, 2])).shape
      (1, 6, 6, 4)
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        *,
        dilation_rate: int | Sequence[int] = (1, 1),
        activation: _Named = None,
        use_bias: bool = True,
        kernel_initializer: Initializer = "glorot_uniform",
        bias_initializer: Initializer = "zeros",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        if padding.lower() not in ("valid", "same"):
            raise ValueError(f"`padding` is {padding!r}, neither 'valid' nor 'same'")
        self.filters, self.padding, self.use_bias = positive(filters, "filters"), padding.lower(), use_bias
        self.kernel_size, self.strides = _pair(kernel_size), _pair(strides)
        self.dilation_rate = _pair(dilation_rate)
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the kernel and the bias.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.Conv2D(1, 3)
          >>> layer.build((None, 8, 8, 2))
          >>> layer.built
          True
        """
        shape = (*self.kernel_size, input_shape[-1], self.filters)
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        self.bias = self._bias(self.filters, self.bias_initializer, self.use_bias)

    def call(self, inputs: Any) -> Any:
        """Each window of each image times the kernel.

        Args:
          inputs: tensor as the class describes it.

        Returns:
          Tensor.

        Example:
          >>> gw.keras.layers.Conv2D(1, 3)(gw.ones([1, 8, 8, 2])).shape
          (1, 6, 6, 1)
        """
        padding = self.padding.upper()
        x = _native.conv2d(inputs, self.kernel, self.strides, padding, dilations=self.dilation_rate)
        if self.bias is not None:
            x = x + self.bias
        return self.activation(x)


class Embedding(Layer):
    """Looks up a row of a table for each whole number, from `(…)` to `(…, output_dim)`.

    Args:
      input_dim: how many rows there are; the numbers are less.
      output_dim: how long they are.
      embeddings_initializer: initializer of the table, of shape `(input_dim, output_dim)`.
      weights: the table to begin with.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Embedding(10, 3)(gw.constant([1, 2])).shape
      (2, 3)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Initializer = "uniform",
        *,
        weights: Any = None,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.input_dim = positive(input_dim, "input_dim")
        self.output_dim = positive(output_dim, "output_dim")
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        if weights is not None:
            self.build()
            self.set_weights(weights if isinstance(weights, list) and len(weights) == 1 else [weights])

    def build(self, input_shape: Sequence[int | None] = ()) -> None:
        """Makes the table.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.Embedding(5, 2)
          >>> layer.build(())
          >>> layer.built
          True
        """
        if not self.built:
            shape = self.input_dim, self.output_dim
            self.embeddings = self.add_weight(shape, self.embeddings_initializer, name="embeddings")
            self.built = True

    def call(self, inputs: Any) -> Any:
        """The row of each number.

        Args:
          inputs: tensor as the class describes it.

        Returns:
          Tensor.

        Example:
          >>> gw.keras.layers.Embedding(5, 2)(gw.constant([1, 2])).shape
          (2, 2)
        """
        numbers = inputs if inputs.dtype.is_integer else _native.cast(inputs, _native.int32)
        return _native.gather(self.embeddings, numbers)


class LayerNormalization(Layer):
    """Normalises along axes to mean 0 and variance 1, then scales and shifts.

    Args:
      axis: the axis, or a list of axes.
      epsilon: number added to the variance.
      center: whether `beta` is added.
      scale: whether it is multiplied with `gamma`.
      beta_initializer: initializer of `beta`, of the lengths of the axes.
      gamma_initializer: initializer of `gamma`, of the same shape.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.LayerNormalization()(gw.constant([[1.0, 3.0]])).numpy().round(2).tolist()
      [[-1.0, 1.0]]

    Source: Ba, Kiros and Hinton, "Layer Normalization", 2016.
    """

    def __init__(
        self,
        axis: int | Sequence[int] = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Initializer = "zeros",
        gamma_initializer: Initializer = "ones",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.axis, self.epsilon = [axis] if isinstance(axis, int) else sorted(axis), epsilon
        self.center, self.scale = center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes gamma and beta.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.LayerNormalization()
          >>> layer.build((None, 2))
          >>> layer.built
          True
        """
        shape = tuple(input_shape[axis] for axis in self.axis)
        self.gamma = self.add_weight(shape, self.gamma_initializer, name="gamma") if self.scale else None
        self.beta = self.add_weight(shape, self.beta_initializer, name="beta") if self.center else None
        numbers = [axis % len(input_shape) for axis in self.axis]
        self._broadcast = [n or 1 if at in numbers else 1 for at, n in enumerate(input_shape)]

    def call(self, inputs: Any) -> Any:
        """The elements less their mean by the root of their variance.

        Args:
          inputs: tensor as the class describes it.

        Returns:
          Tensor.

        Example:
          >>> gw.keras.layers.LayerNormalization()(gw.ones([4, 2])).shape
          (4, 2)
        """
        centred = inputs - _native.reduce_mean(inputs, self.axis, keepdims=True)
        variance = _native.reduce_mean(_native.square(centred), self.axis, keepdims=True)
        x = centred * _native.rsqrt(variance + self.epsilon)
        if self.gamma is not None:
            x = x * _native.reshape(self.gamma, self._broadcast)
        if self.beta is not None:
            x = x + _native.reshape(self.beta, self._broadcast)
        return x


def _pair(value: int | Sequence[int]) -> tuple[int, int]:
    first, second = (value, value) if isinstance(value, int) else value
    return first, second


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

"""Keras 3's layers: the same arguments, weights and numbers, in plain Python that also runs in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from . import activations, initializers
from ._activating import (
    ELU,
    ActivityRegularization,
    Identity,
    Lambda,
    LeakyReLU,
    PReLU,
    ReLU,
    Softmax,
)
from ._attending import AdditiveAttention, Attention
from ._attention import GRU, MultiHeadAttention
from ._bidirectional import Bidirectional
from ._cells import GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells
from ._coding import CategoryEncoding, Discretization, EinsumDense
from ._convolving import (
    Conv1D,
    Conv1DTranspose,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    DepthwiseConv1D,
    DepthwiseConv2D,
    SeparableConv1D,
    SeparableConv2D,
)
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
from ._lookups import IntegerLookup, StringLookup
from ._merging import (
    Dot,
    Maximum,
    Minimum,
    Subtract,
    add,
    average,
    concatenate,
    dot,
    maximum,
    minimum,
    multiply,
    subtract,
)
from ._noise import (
    AlphaDropout,
    GaussianDropout,
    GaussianNoise,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
)
from ._normalizing import GroupNormalization, Normalization, RMSNormalization, UnitNormalization
from ._over_time import RNN, SimpleRNN, TimeDistributed
from ._pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from ._recurrent import LSTM, Dropout, Initializer, positive
from ._recurrent import Activation as _Named
from ._reshaping import (
    Cropping1D,
    Cropping2D,
    Cropping3D,
    Permute,
    RepeatVector,
    UpSampling1D,
    UpSampling2D,
    UpSampling3D,
    ZeroPadding1D,
    ZeroPadding2D,
    ZeroPadding3D,
)
from ._symbols import Input

__all__ = [
    "ELU",
    "GRU",
    "LSTM",
    "RNN",
    "Activation",
    "ActivityRegularization",
    "Add",
    "AdditiveAttention",
    "AlphaDropout",
    "Attention",
    "Average",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BatchNormalization",
    "Bidirectional",
    "CategoryEncoding",
    "Concatenate",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Convolution1D",
    "Convolution1DTranspose",
    "Convolution2D",
    "Convolution2DTranspose",
    "Convolution3D",
    "Convolution3DTranspose",
    "Cropping1D",
    "Cropping2D",
    "Cropping3D",
    "Dense",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "Discretization",
    "Dot",
    "Dropout",
    "EinsumDense",
    "Embedding",
    "Flatten",
    "GRUCell",
    "GaussianDropout",
    "GaussianNoise",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "GroupNormalization",
    "Identity",
    "Input",
    "IntegerLookup",
    "LSTMCell",
    "Lambda",
    "Layer",
    "LayerNormalization",
    "LeakyReLU",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "Maximum",
    "Minimum",
    "MultiHeadAttention",
    "Multiply",
    "Normalization",
    "PReLU",
    "Permute",
    "RMSNormalization",
    "ReLU",
    "RepeatVector",
    "Rescaling",
    "Reshape",
    "SeparableConv1D",
    "SeparableConv2D",
    "SeparableConvolution1D",
    "SeparableConvolution2D",
    "SimpleRNN",
    "SimpleRNNCell",
    "Softmax",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "StackedRNNCells",
    "StringLookup",
    "Subtract",
    "TimeDistributed",
    "UnitNormalization",
    "UpSampling1D",
    "UpSampling2D",
    "UpSampling3D",
    "ZeroPadding1D",
    "ZeroPadding2D",
    "ZeroPadding3D",
    "add",
    "average",
    "concatenate",
    "dot",
    "maximum",
    "minimum",
    "multiply",
    "subtract",
]

#: Keras's other names.
AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
Convolution1D = Conv1D
Convolution1DTranspose = Conv1DTranspose
Convolution2D = Conv2D
Convolution2DTranspose = Conv2DTranspose
Convolution3D = Conv3D
Convolution3DTranspose = Conv3DTranspose
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalMaxPool3D = GlobalMaxPooling3D
MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D


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

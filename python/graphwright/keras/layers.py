"""Keras 3's layers: the same arguments, weights and numbers, in plain Python that also runs in a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _native, random
from . import activations, initializers
from ._layer import Layer

__all__ = ["LSTM", "Conv2D", "Dense", "Dropout", "Embedding", "Layer", "LayerNormalization"]

Activation = str | Callable[..., Any] | None
Initializer = str | initializers.Initializer


class Dense(Layer):
    """`activation(inputs @ kernel + bias)`: from shape `(…, n)` to `(…, units)`.

    Args:
      units: how many numbers it gives for each row.
      activation: a name, a function, or `None`.
      use_bias: whether there is a `bias`, of shape `(units,)`.
      kernel_initializer: what makes the `kernel`, of shape `(n, units)`.
      bias_initializer: what makes the bias.
      others: the arguments of `Layer`.
    """

    def __init__(
        self,
        units: int,
        activation: Activation = None,
        use_bias: bool = True,
        kernel_initializer: Initializer = "glorot_uniform",
        bias_initializer: Initializer = "zeros",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.units, self.use_bias = _positive(units, "units"), use_bias
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the kernel and the bias."""
        self.kernel = self.add_weight((input_shape[-1], self.units), self.kernel_initializer, name="kernel")
        self.bias = self._bias(self.units, self.bias_initializer, self.use_bias)

    def call(self, inputs: Any) -> Any:
        """Each row times the kernel."""
        x = _native.matmul(inputs, self.kernel)
        if self.bias is not None:
            x = x + self.bias
        return self.activation(x)


class Conv2D(Layer):
    """Convolution of images: from `(batch, height, width, channels)` to `(batch, …, …, filters)`.

    Args:
      filters: how many numbers it gives for each place.
      kernel_size: height and width of the window, or one number for both.
      strides: how far it is from one window to the next.
      padding: `"valid"`, or `"same"` for windows that also reach over the edges.
      dilation_rate: how far apart the rows and columns of a window are.
      activation: a name, a function, or `None`.
      use_bias: whether there is a `bias`, of shape `(filters,)`.
      kernel_initializer: what makes the `kernel`, of shape `(*kernel_size, channels, filters)`.
      bias_initializer: what makes the bias.
      others: the arguments of `Layer`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        *,
        dilation_rate: int | Sequence[int] = (1, 1),
        activation: Activation = None,
        use_bias: bool = True,
        kernel_initializer: Initializer = "glorot_uniform",
        bias_initializer: Initializer = "zeros",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        if padding.lower() not in ("valid", "same"):
            raise ValueError(f"`padding` is {padding!r}, neither 'valid' nor 'same'")
        self.filters, self.padding, self.use_bias = _positive(filters, "filters"), padding.lower(), use_bias
        self.kernel_size, self.strides = _pair(kernel_size), _pair(strides)
        self.dilation_rate = _pair(dilation_rate)
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the kernel and the bias."""
        shape = (*self.kernel_size, input_shape[-1], self.filters)
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        self.bias = self._bias(self.filters, self.bias_initializer, self.use_bias)

    def call(self, inputs: Any) -> Any:
        """Each window of each image times the kernel."""
        padding = self.padding.upper()
        x = _native.conv2d(inputs, self.kernel, self.strides, padding, dilations=self.dilation_rate)
        if self.bias is not None:
            x = x + self.bias
        return self.activation(x)


class Embedding(Layer):
    """A row of a table for each whole number: from `(…)` to `(…, output_dim)`.

    Args:
      input_dim: how many rows there are; the numbers are less.
      output_dim: how long they are.
      embeddings_initializer: what makes the table, of shape `(input_dim, output_dim)`.
      weights: the table to begin with.
      others: the arguments of `Layer`.
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
        self.input_dim = _positive(input_dim, "input_dim")
        self.output_dim = _positive(output_dim, "output_dim")
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        if weights is not None:
            self.build()
            self.set_weights(weights if isinstance(weights, list) and len(weights) == 1 else [weights])

    def build(self, input_shape: Sequence[int | None] = ()) -> None:
        """Makes the table."""
        if not self.built:
            shape = self.input_dim, self.output_dim
            self.embeddings = self.add_weight(shape, self.embeddings_initializer, name="embeddings")
            self.built = True

    def call(self, inputs: Any) -> Any:
        """The row of each number."""
        numbers = inputs if inputs.dtype.is_integer else _native.cast(inputs, _native.int32)
        return _native.gather(self.embeddings, numbers)


class LayerNormalization(Layer):
    """Mean 0 and variance 1 along some axes, then `gamma` and `beta`; the shape stays.

    Args:
      axis: the axis, or a list of axes.
      epsilon: what is added to the variance.
      center: whether `beta` is added.
      scale: whether it is multiplied with `gamma`.
      beta_initializer: what makes `beta`, of the lengths of the axes.
      gamma_initializer: what makes `gamma`, of the same shape.
      others: the arguments of `Layer`.
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
        """Makes gamma and beta."""
        shape = tuple(input_shape[axis] for axis in self.axis)
        self.gamma = self.add_weight(shape, self.gamma_initializer, name="gamma") if self.scale else None
        self.beta = self.add_weight(shape, self.beta_initializer, name="beta") if self.center else None
        numbers = [axis % len(input_shape) for axis in self.axis]
        self._broadcast = [n or 1 if at in numbers else 1 for at, n in enumerate(input_shape)]

    def call(self, inputs: Any) -> Any:
        """The elements less their mean by the root of their variance."""
        centred = inputs - _native.reduce_mean(inputs, self.axis, keepdims=True)
        variance = _native.reduce_mean(_native.square(centred), self.axis, keepdims=True)
        x = centred * _native.rsqrt(variance + self.epsilon)
        if self.gamma is not None:
            x = x * _native.reshape(self.gamma, self._broadcast)
        if self.beta is not None:
            x = x + _native.reshape(self.beta, self._broadcast)
        return x


class Dropout(Layer):
    """While training, some elements are zero, others greater by as much; else the inputs.

    Args:
      rate: how likely an element is zero.
      seed: where its random numbers begin; without one they are those of `gw.random.set_seed`.
      others: the arguments of `Layer`.
    """

    def __init__(self, rate: float, *, seed: int | None = None, **others: Any) -> None:
        super().__init__(**others)
        if not 0 <= rate <= 1:
            raise ValueError(f"`rate` is {rate}, not between 0 and 1")
        self.rate, self.seed = rate, seed
        self._random = None if seed is None else random.Generator.from_seed(seed)

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The inputs, or some of them."""
        if training and self.rate > 0:
            return inputs * _kept(self._random, _lengths(inputs), self.rate, inputs.dtype)
        return inputs


def _kept(source: Any, shape: Any, rate: float, dtype: Any) -> Any:
    """Zeros at that rate, elsewhere what keeps the mean."""
    draw = random.uniform if source is None else source.uniform
    keep = draw(shape, dtype=dtype) >= rate
    return _native.cast(keep, dtype) / (1.0 - rate) if rate < 1 else _native.zeros(shape, dtype)


class LSTM(Layer):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997): from `(batch, time, n)` to `(batch, units)`.

    Args:
      units: how many numbers the state holds for each row.
      activation: what makes candidates and outputs.
      recurrent_activation: what opens the gates.
      use_bias: whether there is a `bias`, of shape `(4 units,)`: input, forget, cell, output.
      kernel_initializer: what makes the `kernel`, of shape `(n, 4 units)`.
      recurrent_initializer: what makes the `recurrent_kernel`, of shape `(units, 4 units)`.
      bias_initializer: what makes the bias.
      unit_forget_bias: whether the forget gate's bias begins with ones.
      dropout: while training, how likely an input is zero, the same at each time.
      seed: where the random numbers of the dropout begin.
      return_sequences: whether it gives the output of each time, as `(batch, time, units)`.
      return_state: whether it also gives the last output and the last cell.
      go_backwards: whether it begins with the last time.
      unroll: whether the graph has no loop but each time by itself.
      others: the arguments of `Layer`.
    """

    def __init__(
        self,
        units: int,
        activation: Activation = "tanh",
        recurrent_activation: Activation = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Initializer = "glorot_uniform",
        recurrent_initializer: Initializer = "orthogonal",
        bias_initializer: Initializer = "zeros",
        unit_forget_bias: bool = True,
        *,
        dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        unroll: bool = False,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.units, self.use_bias, self.dropout = _positive(units, "units"), use_bias, dropout
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.unit_forget_bias = unit_forget_bias
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.unroll = go_backwards, unroll
        self._random = None if seed is None else random.Generator.from_seed(seed)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes both kernels and the bias."""
        wide = 4 * self.units
        self.kernel = self.add_weight((input_shape[-1], wide), self.kernel_initializer, name="kernel")
        shape = self.units, wide
        self.recurrent_kernel = self.add_weight(shape, self.recurrent_initializer, name="recurrent_kernel")
        self.bias = self._bias(wide, self._first_bias, self.use_bias)

    def _first_bias(self, shape: Sequence[int], dtype: Any) -> Any:
        if not self.unit_forget_bias:
            return self.bias_initializer(shape, dtype)
        first, last = (self.bias_initializer((n * self.units,), dtype) for n in (1, 2))
        return _native.concat([first, _native.ones((self.units,), dtype), last])

    def call(self, inputs: Any, initial_state: Any = None, training: Any = False) -> Any:
        """The last output, or all of them, and the state if it is asked for."""
        if training and self.dropout > 0:
            batch, _, length = _lengths(inputs)
            inputs = inputs * _kept(self._random, [batch, 1, length], self.dropout, inputs.dtype)
        times = _native.transpose(_native.matmul(inputs, self.kernel), [1, 0, 2])
        if self.bias is not None:
            times = times + self.bias
        if self.go_backwards:
            times = times[::-1]
        zeros = _native.zeros([_lengths(inputs)[0], self.units], inputs.dtype)
        h, c = (zeros, zeros) if initial_state is None else initial_state
        if self.return_sequences:
            outputs, h, c = self._all(times, h, c)
        else:
            h, c = self._last(times, h, c)
            outputs = h
        return (outputs, h, c) if self.return_state else outputs

    def _last(self, times: Any, h: Any, c: Any) -> Any:
        for z in self._each(times):
            h, c = self._step(z, h, c)
        return h, c

    def _all(self, times: Any, h: Any, c: Any) -> Any:
        outputs = _native.zeros_like(times[:, :, : self.units])
        for t, z in enumerate(self._each(times)):
            h, c = self._step(z, h, c)
            outputs[t] = h
        return _native.transpose(outputs, [1, 0, 2]), h, c

    def _each(self, times: Any) -> Any:
        """What a loop goes over: rows of a tensor are one loop, a list of them is unrolled."""
        return [times[t] for t in range(times.shape[0])] if self.unroll else times

    def _step(self, z: Any, h: Any, c: Any) -> tuple[Any, Any]:
        """The next output and cell; `z` is the input times the kernel, with the bias."""
        z = z + _native.matmul(h, self.recurrent_kernel)
        n = self.units
        i, f = self.recurrent_activation(z[:, :n]), self.recurrent_activation(z[:, n : 2 * n])
        c = f * c + i * self.activation(z[:, 2 * n : 3 * n])
        return self.recurrent_activation(z[:, 3 * n :]) * self.activation(c), c


def _lengths(x: Any) -> list[Any]:
    """The lengths of the axes: numbers where they are known, else tensors."""
    return [n if n is not None else _native.shape(x)[axis] for axis, n in enumerate(x.shape)]


def _positive(value: int, name: str) -> int:
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"`{name}` is {value!r}, not a positive whole number")
    return value


def _pair(value: int | Sequence[int]) -> tuple[int, int]:
    first, second = (value, value) if isinstance(value, int) else value
    return first, second

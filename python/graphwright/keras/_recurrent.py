"""Layers with state or random numbers: LSTM and dropout, and what they share with others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _native, random
from . import activations, initializers
from ._layer import Layer

Activation = str | Callable[..., Any] | None
Initializer = str | initializers.Initializer


class Dropout(Layer):
    """Sets random elements to zero while training and scales the others up.

    Args:
      rate: how likely an element is zero.
      seed: where its random numbers begin; without one they are those of `gw.random.set_seed`.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Dropout(0.5)(gw.constant([1.0, 2.0])).numpy().tolist()
      [1.0, 2.0]
    """

    def __init__(self, rate: float, *, seed: int | None = None, **others: Any) -> None:
        super().__init__(**others)
        if not 0 <= rate <= 1:
            raise ValueError(f"`rate` is {rate}, not between 0 and 1")
        self.rate, self.seed = rate, seed
        self._random = None if seed is None else random.Generator.from_seed(seed)

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The inputs, or some of them.

        Args:
          inputs: tensor of any shape, `float32` or `float64`.
          training: whether to drop elements.

        Returns:
          Tensor of the same shape and dtype.

        Example:
          >>> gw.keras.layers.Dropout(0.5).call(gw.ones([3])).numpy().tolist()
          [1.0, 1.0, 1.0]
        """
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
      activation: function of candidates and outputs.
      recurrent_activation: function of the gates.
      use_bias: whether there is a `bias`, of shape `(4 units,)`: input, forget, cell, output.
      kernel_initializer: initializer of the `kernel`, of shape `(n, 4 units)`.
      recurrent_initializer: initializer of the `recurrent_kernel`, of shape `(units, 4 units)`.
      bias_initializer: initializer of the bias.
      unit_forget_bias: whether the forget gate's bias begins with ones.
      dropout: while training, how likely an input is zero, the same at each time.
      seed: where the random numbers of the dropout begin.
      return_sequences: whether it gives the output of each time, as `(batch, time, units)`.
      return_state: whether it also gives the last output and the last cell.
      go_backwards: whether it begins with the last time.
      unroll: whether the graph has no loop but each time by itself.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.LSTM(4)(gw.ones([2, 5, 3])).shape
      (2, 4)

    Source: Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997.
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
        self.units, self.use_bias, self.dropout = positive(units, "units"), use_bias, dropout
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
        """Makes both kernels and the bias.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.LSTM(2)
          >>> layer.build((None, 5, 3))
          >>> layer.built
          True
        """
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
        """The last output, or all of them, and the state if it is asked for.

        Args:
          inputs: tensor `(batch, time, n)`.
          initial_state: pair of tensors `(batch, units)`; zeros if it is `None`.
          training: accepted as in Keras; has no effect.

        Returns:
          The last output, or all outputs, and the state if it was asked for.

        Example:
          >>> gw.keras.layers.LSTM(2)(gw.ones([1, 5, 3])).shape
          (1, 2)
        """
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
        """Rows that a loop goes over: those of a tensor are one loop, a list of them is unrolled."""
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


def positive(value: int, name: str) -> int:
    """Returns a positive whole number; anything else is an error."""
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"`{name}` is {value!r}, not a positive whole number")
    return value

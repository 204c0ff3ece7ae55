"""Gated recurrent units and attention."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .. import _native, nn
from . import activations, initializers
from ._layer import Layer
from ._recurrent import _lengths, positive

Activation = str | Callable[..., Any] | None
Initializer = str | initializers.Initializer


class GRU(Layer):
    """Gated recurrent unit: from `(batch, time, n)` to `(batch, units)`.

    Args:
      units: how many numbers the state holds for each row.
      activation: function of candidates.
      recurrent_activation: function of the gates.
      use_bias: whether there is a `bias`.
      kernel_initializer: initializer of the `kernel`, of shape `(n, 3 units)`: update, reset, candidate.
      recurrent_initializer: initializer of the `recurrent_kernel`, of shape `(units, 3 units)`.
      bias_initializer: initializer of the bias.
      return_sequences: whether it gives the output of each time, as `(batch, time, units)`.
      return_state: whether it also gives the last output.
      go_backwards: whether it begins with the last time.
      reset_after: whether the reset gate stands behind the product with the state.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.GRU(4)(gw.ones([2, 5, 3])).shape
      (2, 4)

    Source: Cho and others, "Learning Phrase Representations using RNN Encoder-Decoder", 2014.
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
        *,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        reset_after: bool = True,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.units, self.use_bias, self.reset_after = positive(units, "units"), use_bias, reset_after
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards = go_backwards

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes both kernels and the bias.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.GRU(2)
          >>> layer.build((None, 5, 3))
          >>> [tuple(weight.shape) for weight in layer.weights]
          [(3, 6), (2, 6), (2, 6)]
        """
        wide = 3 * self.units
        self.kernel = self.add_weight((input_shape[-1], wide), self.kernel_initializer, name="kernel")
        shape = self.units, wide
        self.recurrent_kernel = self.add_weight(shape, self.recurrent_initializer, name="recurrent_kernel")
        self.bias = None
        if self.use_bias:
            lengths = (2, wide) if self.reset_after else (wide,)
            self.bias = self.add_weight(lengths, self.bias_initializer, name="bias")

    def call(self, inputs: Any, initial_state: Any = None, training: Any = False) -> Any:
        """The last output, or all of them, and the state if it is asked for.

        Args:
          inputs: tensor `(batch, time, n)`.
          initial_state: tensor `(batch, units)`; zeros if it is `None`.
          training: accepted as in Keras; has no effect.

        Returns:
          The last output, or all outputs, and the state if it was asked for.

        Example:
          >>> gw.keras.layers.GRU(2, return_sequences=True)(gw.ones([1, 5, 3])).shape
          (1, 5, 2)
        """
        del training
        times = _native.transpose(_native.matmul(inputs, self.kernel), [1, 0, 2])
        if self.bias is not None:
            times = times + (self.bias[0] if self.reset_after else self.bias)
        if self.go_backwards:
            times = times[::-1]
        h = (
            _native.zeros([_lengths(inputs)[0], self.units], inputs.dtype)
            if initial_state is None
            else initial_state
        )
        if self.return_sequences:
            outputs, h = self._all(times, h)
        else:
            h = self._last(times, h)
            outputs = h
        return (outputs, h) if self.return_state else outputs

    def _last(self, times: Any, h: Any) -> Any:
        for x in times:
            h = self._step(x, h)
        return h

    def _all(self, times: Any, h: Any) -> Any:
        outputs = _native.zeros_like(times[:, :, : self.units])
        for t, x in enumerate(times):
            h = self._step(x, h)
            outputs[t] = h
        return _native.transpose(outputs, [1, 0, 2]), h

    def _step(self, x: Any, h: Any) -> Any:
        """The next output; `x` is the input times the kernel, with the bias."""
        n, kernel = self.units, self.recurrent_kernel
        if self.reset_after:
            inner = _native.matmul(h, kernel)
            inner = inner if self.bias is None else inner + self.bias[1]
            z = self.recurrent_activation(x[:, :n] + inner[:, :n])
            r = self.recurrent_activation(x[:, n : 2 * n] + inner[:, n : 2 * n])
            found = self.activation(x[:, 2 * n :] + r * inner[:, 2 * n :])
        else:
            inner = _native.matmul(h, kernel[:, : 2 * n])
            z = self.recurrent_activation(x[:, :n] + inner[:, :n])
            r = self.recurrent_activation(x[:, n : 2 * n] + inner[:, n : 2 * n])
            found = self.activation(x[:, 2 * n :] + _native.matmul(r * h, kernel[:, 2 * n :]))
        return z * h + (1.0 - z) * found


class MultiHeadAttention(Layer):
    """Attention of several heads.

    Args:
      num_heads: number of heads.
      key_dim: length of queries and keys of each head.
      value_dim: length of values; that of keys if it is `None`.
      dropout: while training, the share of weights that becomes zero.
      use_bias: whether the projections have biases.
      output_shape: length of the outputs; that of the queries if it is `None`.
      kernel_initializer: initializer of the projections.
      bias_initializer: initializer of their biases.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.MultiHeadAttention(2, 4)(gw.ones([1, 3, 8]), gw.ones([1, 5, 8])).shape
      (1, 3, 8)

    Source: Vaswani and others, "Attention Is All You Need", 2017.
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: int | None = None,
        kernel_initializer: Initializer = "glorot_uniform",
        bias_initializer: Initializer = "zeros",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.num_heads, self.key_dim = positive(num_heads, "num_heads"), positive(key_dim, "key_dim")
        self.value_dim, self.dropout, self.use_bias = value_dim or key_dim, dropout, use_bias
        self.output_shape = output_shape
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the projections, for keys and values as long as queries.

        Args:
          input_shape: shape of the queries.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.MultiHeadAttention(2, 4)
          >>> layer.build((None, 3, 8))
          >>> len(layer.weights)
          8
        """
        n, outputs = input_shape[-1], self.output_shape or input_shape[-1]
        heads = self.num_heads
        self._parts = []
        for name, length in (("query", self.key_dim), ("key", self.key_dim), ("value", self.value_dim)):
            kernel = self.add_weight((n, heads, length), self.kernel_initializer, name=f"{name}/kernel")
            self._parts.append((kernel, self._biases((heads, length), name)))
        kernel = self.add_weight(
            (heads, self.value_dim, outputs), self.kernel_initializer, name="output/kernel"
        )
        self._parts.append((kernel, self._biases((outputs,), "output")))

    def _biases(self, shape: tuple[Any, ...], name: str) -> Any:
        return self.add_weight(shape, self.bias_initializer, name=f"{name}/bias") if self.use_bias else None

    def call(
        self,
        query: Any,
        value: Any = None,
        key: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = False,
        use_causal_mask: bool = False,
    ) -> Any:
        """Weighs values by the products of queries and keys.

        Args:
          query: tensor `(batch, times, n)`.
          value: tensor `(batch, others, n)`.
          key: tensor as `value`; the value itself if it is `None`.
          attention_mask: `bool` tensor `(batch, times, others)`, true where a query sees a key.
          return_attention_scores: whether to give the weights too.
          training: whether to drop weights.
          use_causal_mask: whether a query sees earlier keys alone.

        Returns:
          Tensor `(batch, times, n)`, and the weights if they were asked for.

        Example:
          >>> x = gw.ones([1, 3, 8])
          >>> gw.keras.layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True).shape
          (1, 3, 8)
        """
        value = query if value is None else value
        given = query, value if key is None else key, value
        q, k, v = (self._projected(x, *part) for x, part in zip(given, self._parts, strict=False))
        scores = _native.matmul(q, k, transpose_b=True) * (1.0 / math.sqrt(self.key_dim))
        if use_causal_mask:
            times, others = (_native.range(_lengths(x)[2]) for x in (q, k))
            scores = _native.where(_native.expand_dims(times, 1) >= others, scores, -1e9)
        if attention_mask is not None:
            mask = _native.cast(attention_mask, _native.bool)
            scores = _native.where(_native.expand_dims(mask, 1) if mask.ndim == 3 else mask, scores, -1e9)
        weights = _native.softmax(scores)
        dropped = nn.dropout(weights, self.dropout) if training and self.dropout > 0 else weights
        kernel, bias = self._parts[3]
        found = _native.transpose(_native.matmul(dropped, v), [0, 2, 1, 3])
        batch, times = _lengths(found)[:2]
        flat = _native.reshape(found, [batch, times, self.num_heads * self.value_dim])
        result = _native.matmul(flat, _native.reshape(kernel, [self.num_heads * self.value_dim, -1]))
        result = result if bias is None else result + bias
        return (result, weights) if return_attention_scores else result

    def _projected(self, x: Any, kernel: Any, bias: Any) -> Any:
        """Heads in front: `(batch, heads, times, length)`."""
        n, heads, length = kernel.shape
        flat = _native.matmul(x, _native.reshape(kernel, [n, heads * length]))
        batch, times = _lengths(flat)[:2]
        found = _native.reshape(flat, [batch, times, heads, length])
        return _native.transpose(found if bias is None else found + bias, [0, 2, 1, 3])

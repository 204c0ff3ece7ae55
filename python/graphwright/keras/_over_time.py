"""Layers that run a cell over time, and the layer that calls another one at each time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _native, nest
from . import _added, initializers
from ._cells import SimpleRNNCell, StackedRNNCells, first_state, listed, output_size
from ._joining import BatchNormalization
from ._layer import Layer
from ._model import _options
from ._recurrent import _kept, _lengths

_Named = str | Callable[..., Any] | None
Initializer = str | initializers.Initializer


class RNN(Layer):
    """Runs a cell over time, from `(batch, time, …)` to `(batch, units)`.

    Args:
      cell: layer that is called with the inputs of a time and the list of states, gives an output and the new
        list, and has `state_size`; or a list of such layers.
      return_sequences: whether it gives the output of each time.
      return_state: whether it also gives the last states.
      go_backwards: whether it begins with the last time.
      stateful: `False`.
      unroll: whether the graph has no loop but each time by itself.
      zero_output_for_mask: whether outputs of masked times are zeros; else they are those of the time before.
      others: the arguments of `Layer`.

    Raises:
      ValueError: the cell has no `state_size`.

    Example:
      >>> gw.keras.layers.RNN(gw.keras.layers.LSTMCell(4), return_sequences=True)(gw.ones([2, 5, 3])).shape
      (2, 5, 4)
    """

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        **others: Any,
    ) -> None:
        super().__init__(stateful=stateful, **others)
        self.cell: Any = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        if not hasattr(self.cell, "state_size"):
            raise ValueError(f"the cell `{type(cell).__name__}` has no `state_size`")
        self.state_size = self.cell.state_size
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.unroll = go_backwards, unroll
        self.zero_output_for_mask = zero_output_for_mask
        _added.watch_like(self, [self.cell])

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the weights of the cell.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.RNN(gw.keras.layers.SimpleRNNCell(2))
          >>> layer.build((None, 5, 3))
          >>> len(layer.weights)
          3
        """
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build((input_shape[0], *input_shape[2:]))
            self.cell.built = True

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = False) -> Any:
        """Runs the cell.

        Args:
          sequences: tensor `(batch, time, …)`.
          initial_state: list of states to begin with; those of the cell if it is `None`.
          mask: tensor `(batch, time)` of `bool`; where it is false a row keeps its state.
          training: whether it is a step of training.

        Returns:
          The last output, or all outputs, and the states if they were asked for.

        Example:
          >>> layer = gw.keras.layers.RNN(gw.keras.layers.SimpleRNNCell(2), return_state=True)
          >>> [tuple(one.shape) for one in layer(gw.ones([1, 5, 3]))]
          [(1, 2), (1, 2)]
        """
        x, cell = sequences, self.cell
        options = _options(cell, training)
        batch, times = _lengths(x)[:2]
        if training and getattr(cell, "dropout", 0.0) > 0:
            x = x * _kept(cell._random, [batch, 1, *_lengths(x)[2:]], cell.dropout, x.dtype)
            options = {}
        x = _native.transpose(x, [1, 0, *range(2, x.ndim)])
        states = first_state(cell, batch) if initial_state is None else listed(initial_state)
        seen = None if mask is None else _native.transpose(_native.cast(mask, _native.bool))
        if self.go_backwards:
            x, seen = x[::-1], None if seen is None else seen[::-1]
        outputs = _native.zeros([times, batch, output_size(cell)], x.dtype)
        outputs, output, states = self._over(x, seen, states, outputs, options)
        found = _native.transpose(outputs, [1, 0, 2]) if self.return_sequences else output
        return (found, *states) if self.return_state else found

    def _over(self, x: Any, seen: Any, states: Any, outputs: Any, options: dict[str, Any]) -> Any:
        """All outputs, the last one, and the states."""
        output = _native.zeros([_native.shape(x)[1], outputs.shape[2]], x.dtype)
        for t, step in enumerate([x[t] for t in range(x.shape[0])] if self.unroll else x):
            found, new = self.cell(step, states, **options)
            new = listed(new)
            if seen is not None:
                is_seen = _native.expand_dims(seen[t], 1)
                before = _native.zeros_like(output) if self.zero_output_for_mask else output
                found = _native.where(is_seen, found, before)
                new = _kept_states(is_seen, new, states)
            output, states = found, new
            if self.return_sequences:
                outputs[t] = output
        return outputs, output, states


def _kept_states(is_seen: Any, new: Any, old: Any) -> Any:
    """The new states of the rows that are seen, and the old ones of the others."""
    if isinstance(new, (list, tuple)):
        return [_kept_states(is_seen, one, other) for one, other in zip(new, old, strict=True)]
    return _native.where(is_seen, new, old)


class SimpleRNN(RNN):
    """Runs a `SimpleRNNCell` over time.

    Args:
      units: length of the state.
      activation: name, function, or `None`.
      use_bias: whether there is a `bias`.
      kernel_initializer: initializer of the `kernel`, of shape `(n, units)`.
      recurrent_initializer: initializer of the `recurrent_kernel`, of shape `(units, units)`.
      bias_initializer: initializer of the bias.
      dropout: probability that an input is zero while training, the same at each time.
      seed: seed of the dropout.
      return_sequences: whether it gives the output of each time.
      return_state: whether it also gives the last state.
      go_backwards: whether it begins with the last time.
      unroll: whether the graph has no loop but each time by itself.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.SimpleRNN(4)(gw.ones([2, 5, 3])).shape
      (2, 4)
    """

    def __init__(
        self,
        units: int,
        activation: _Named = "tanh",
        use_bias: bool = True,
        kernel_initializer: Initializer = "glorot_uniform",
        recurrent_initializer: Initializer = "orthogonal",
        bias_initializer: Initializer = "zeros",
        *,
        dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        unroll: bool = False,
        **others: Any,
    ) -> None:
        own = {
            name: others.pop(name)
            for name in list(others)
            if name.startswith(("kernel_", "recurrent_", "bias_"))
        }
        made = (kernel_initializer, recurrent_initializer, bias_initializer)
        cell = SimpleRNNCell(units, activation, use_bias, *made, dropout=dropout, seed=seed, **own)
        super().__init__(cell, return_sequences, return_state, go_backwards, unroll=unroll, **others)
        self.units = units


class TimeDistributed(Layer):
    """Calls a layer with the inputs of each time, from `(batch, time, …)` to `(batch, time, …)`.

    Args:
      layer: the layer.
      others: the arguments of `Layer`.

    Raises:
      ValueError: `layer` is no layer.

    Example:
      >>> gw.keras.layers.TimeDistributed(gw.keras.layers.Dense(4))(gw.ones([2, 5, 3])).shape
      (2, 5, 4)
    """

    def __init__(self, layer: Any, **others: Any) -> None:
        super().__init__(**others)
        if not isinstance(layer, Layer):
            raise ValueError(f"`layer` is a `{type(layer).__name__}`, not a layer")
        self.layer = layer
        _added.watch_like(self, [layer])

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the weights of the layer.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.TimeDistributed(gw.keras.layers.Dense(4))
          >>> layer.build((None, 5, 3))
          >>> len(layer.weights)
          2
        """
        if len(input_shape) < 3:
            raise ValueError(f"`TimeDistributed` needs 3 axes or more, not the shape {tuple(input_shape)}")
        if not self.layer.built:
            self.layer.build((input_shape[0], *input_shape[2:]))
            self.layer.built = True

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Calls the layer.

        Args:
          inputs: tensor `(batch, time, …)`.
          training: whether it is a step of training.

        Returns:
          Tensor `(batch, time, …)`.

        Example:
          >>> gw.keras.layers.TimeDistributed(gw.keras.layers.Flatten())(gw.ones([2, 5, 3, 4])).shape
          (2, 5, 12)
        """
        options = _options(self.layer, training)
        batch, times, *inner = _lengths(inputs)
        if training and any(isinstance(one, BatchNormalization) for one in self.layer._within()):
            # Moments are those of one time, as in Keras.
            steps = [self.layer(inputs[:, at], **options) for at in range(inputs.shape[1])]
            return _native.stack(steps, 1)
        found = self.layer(_native.reshape(inputs, [batch * times, *inner]), **options)
        return nest.map_structure(lambda one: _native.reshape(one, [batch, times, *_lengths(one)[1:]]), found)

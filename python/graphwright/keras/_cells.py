"""Cells: layers of one step in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _native, random
from . import _added, activations, initializers
from ._attention import GRU
from ._layer import Layer
from ._model import _options
from ._recurrent import LSTM, _kept, _lengths, positive

_Named = str | Callable[..., Any] | None
Initializer = str | initializers.Initializer


def listed(states: Any) -> list[Any]:
    return list(states) if isinstance(states, (list, tuple)) else [states]


class SimpleRNNCell(Layer):
    """Computes one step: `activation(inputs @ kernel + state @ recurrent_kernel + bias)`.

    Args:
      units: length of the state.
      activation: name, function, or `None`.
      use_bias: whether there is a `bias`.
      kernel_initializer: initializer of the `kernel`, of shape `(n, units)`.
      recurrent_initializer: initializer of the `recurrent_kernel`, of shape `(units, units)`.
      bias_initializer: initializer of the bias.
      dropout: probability that an input is zero while training.
      seed: seed of the dropout.
      others: the arguments of `Layer`.

    Example:
      >>> cell = gw.keras.layers.SimpleRNNCell(4)
      >>> output, states = cell(gw.ones([2, 3]), [gw.zeros([2, 4])])
      >>> tuple(output.shape), len(states)
      ((2, 4), 1)
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
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.units, self.use_bias, self.dropout = positive(units, "units"), use_bias, dropout
        self.state_size = self.output_size = units
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self._random = None if seed is None else random.Generator.from_seed(seed)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes both kernels and the bias.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.SimpleRNNCell(2)
          >>> layer.build((None, 3))
          >>> [tuple(weight.shape) for weight in layer.weights]
          [(3, 2), (2, 2), (2,)]
        """
        self.kernel = self.add_weight((input_shape[-1], self.units), self.kernel_initializer, name="kernel")
        shape = self.units, self.units
        self.recurrent_kernel = self.add_weight(shape, self.recurrent_initializer, name="recurrent_kernel")
        self.bias = self._bias(self.units, self.bias_initializer, self.use_bias)

    def call(self, sequence: Any, states: Any, training: Any = False) -> Any:  # type: ignore[override]
        """Computes one step.

        Args:
          sequence: tensor `(batch, n)`.
          states: list of a tensor `(batch, units)`, or the tensor.
          training: whether it is a step of training.

        Returns:
          Tensor `(batch, units)` and the list of states.

        Example:
          >>> cell = gw.keras.layers.SimpleRNNCell(2, kernel_initializer="zeros")
          >>> cell(gw.ones([1, 3]), gw.zeros([1, 2]))[0].numpy().tolist()
          [[0.0, 0.0]]
        """
        (h,) = listed(states)
        x = _dropped(self, sequence, training)
        found = _native.matmul(x, self.kernel) + _native.matmul(h, self.recurrent_kernel)
        found = self.activation(found if self.bias is None else found + self.bias)
        return found, [found]

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Returns zeros.

        Args:
          batch_size: number of rows.

        Returns:
          List of tensors.

        Example:
          >>> gw.keras.layers.SimpleRNNCell(2).get_initial_state(3)[0].shape
          (3, 2)
        """
        return [_native.zeros([batch_size, self.units], self.dtype)]


def _dropped(cell: Any, x: Any, training: Any) -> Any:
    if training and cell.dropout > 0:
        return x * _kept(cell._random, _lengths(x), cell.dropout, x.dtype)
    return x


class LSTMCell(LSTM):
    """Computes one step of an `LSTM`, whose weights it has.

    Args:
      units: length of the state.
      others: the arguments of `LSTM` that say nothing of time.

    Example:
      >>> cell = gw.keras.layers.LSTMCell(4)
      >>> output, states = cell(gw.ones([2, 3]), cell.get_initial_state(2))
      >>> tuple(output.shape), len(states)
      ((2, 4), 2)
    """

    def __init__(self, units: int, *args: Any, **others: Any) -> None:
        super().__init__(units, *args, **others)
        self.state_size, self.output_size = [units, units], units

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:  # type: ignore[override]
        """Computes one step.

        Args:
          inputs: tensor `(batch, n)`.
          states: list of the output and the cell before, tensors `(batch, units)`.
          training: whether it is a step of training.

        Returns:
          Tensor `(batch, units)` and the list of states.

        Example:
          >>> cell = gw.keras.layers.LSTMCell(2, kernel_initializer="zeros")
          >>> cell(gw.ones([1, 3]), cell.get_initial_state(1))[0].numpy().tolist()
          [[0.0, 0.0]]
        """
        h, c = states
        z = _native.matmul(_dropped(self, inputs, training), self.kernel)
        h, c = self._step(z if self.bias is None else z + self.bias, h, c)
        return h, [h, c]

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Returns zeros.

        Args:
          batch_size: number of rows.

        Returns:
          List of tensors.

        Example:
          >>> len(gw.keras.layers.LSTMCell(2).get_initial_state(3))
          2
        """
        return [_native.zeros([batch_size, self.units], self.dtype) for _ in range(2)]


class GRUCell(GRU):
    """Computes one step of a `GRU`, whose weights it has.

    Args:
      units: length of the state.
      dropout: probability that an input is zero while training.
      seed: seed of the dropout.
      others: the arguments of `GRU` that say nothing of time.

    Example:
      >>> cell = gw.keras.layers.GRUCell(4)
      >>> output, states = cell(gw.ones([2, 3]), cell.get_initial_state(2))
      >>> tuple(output.shape), len(states)
      ((2, 4), 1)
    """

    def __init__(
        self, units: int, *args: Any, dropout: float = 0.0, seed: int | None = None, **others: Any
    ) -> None:
        super().__init__(units, *args, **others)
        self.state_size = self.output_size = units
        self.dropout = dropout
        self._random = None if seed is None else random.Generator.from_seed(seed)

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:  # type: ignore[override]
        """Computes one step.

        Args:
          inputs: tensor `(batch, n)`.
          states: list of a tensor `(batch, units)`, or the tensor.
          training: whether it is a step of training.

        Returns:
          Tensor `(batch, units)` and the list of states.

        Example:
          >>> cell = gw.keras.layers.GRUCell(2, kernel_initializer="zeros")
          >>> cell(gw.ones([1, 3]), cell.get_initial_state(1))[0].numpy().tolist()
          [[0.0, 0.0]]
        """
        (h,) = listed(states)
        x = _native.matmul(_dropped(self, inputs, training), self.kernel)
        if self.bias is not None:
            x = x + (self.bias[0] if self.reset_after else self.bias)
        h = self._step(x, h)
        return h, [h]

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Returns zeros.

        Args:
          batch_size: number of rows.

        Returns:
          List of tensors.

        Example:
          >>> gw.keras.layers.GRUCell(2).get_initial_state(3)[0].shape
          (3, 2)
        """
        return [_native.zeros([batch_size, self.units], self.dtype)]


class StackedRNNCells(Layer):
    """Computes one step of cells one behind the other.

    Args:
      cells: list of cells; each takes the output of the one before.
      others: the arguments of `Layer`.

    Example:
      >>> cells = [gw.keras.layers.LSTMCell(4), gw.keras.layers.GRUCell(2)]
      >>> gw.keras.layers.RNN(gw.keras.layers.StackedRNNCells(cells))(gw.ones([2, 5, 3])).shape
      (2, 2)
    """

    def __init__(self, cells: Sequence[Any], **others: Any) -> None:
        super().__init__(**others)
        self.cells = list(cells)
        self.state_size = [cell.state_size for cell in self.cells]
        self.output_size = output_size(self.cells[-1])
        _added.watch_like(self, self.cells)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the weights of all cells.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.StackedRNNCells([gw.keras.layers.GRUCell(2)] * 1)
          >>> layer.build((None, 3))
          >>> len(layer.weights)
          3
        """
        shape = tuple(input_shape)
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(shape)
                cell.built = True
            shape = (shape[0], output_size(cell))

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:  # type: ignore[override]
        """Computes one step.

        Args:
          inputs: tensor `(batch, n)`.
          states: list of the states of each cell.
          training: whether it is a step of training.

        Returns:
          Tensor `(batch, units)` and the list of states.

        Example:
          >>> cell = gw.keras.layers.StackedRNNCells([gw.keras.layers.GRUCell(2)])
          >>> cell(gw.ones([1, 3]), cell.get_initial_state(1))[0].shape
          (1, 2)
        """
        found, x = [], inputs
        for cell, own in zip(self.cells, states, strict=True):
            x, new = cell(x, own, **_options(cell, training))
            found.append(new)
        return x, found

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Returns zeros for each cell.

        Args:
          batch_size: number of rows.

        Returns:
          List of the states of each cell.

        Example:
          >>> len(gw.keras.layers.StackedRNNCells([gw.keras.layers.GRUCell(2)]).get_initial_state(3))
          1
        """
        return [first_state(cell, batch_size) for cell in self.cells]


def output_size(cell: Any) -> int:
    found = getattr(cell, "output_size", None) or listed(cell.state_size)[0]
    return int(found)


def first_state(cell: Any, batch: Any) -> list[Any]:
    make = getattr(cell, "get_initial_state", None)
    if make is not None:
        return listed(make(batch_size=batch))
    dtype = getattr(cell, "dtype", None) or _native.float32
    return [_native.zeros([batch, *listed(size)], dtype) for size in listed(cell.state_size)]

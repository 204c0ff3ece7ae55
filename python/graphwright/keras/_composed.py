"""Models of layers one behind the other, and of the layers between symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native, nest
from . import _added, _symbols
from ._layer import Layer
from ._model import Model, _options


class Sequential(Model):
    """Layers one behind the other.

    Args:
      layers: list of layers; the first may be `gw.keras.Input`.
      others: the arguments of `Layer`.

    Example:
      >>> model = gw.keras.Sequential([gw.keras.layers.Flatten(), gw.keras.layers.Dense(2)])
      >>> model(gw.ones([4, 2, 3])).shape
      (4, 2)
    """

    def __init__(self, layers: Sequence[Any] | None = None, **others: Any) -> None:
        super().__init__(**others)
        self._layers: list[Layer] = []
        self._input: Any = None
        self._first: Any = None
        for layer in layers or []:
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Adds a layer behind the others.

        Args:
          layer: the layer.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential()
          >>> model.add(gw.keras.layers.Dense(2))
          >>> len(model.layers)
          1
        """
        if isinstance(layer, _symbols.KerasTensor):
            self._input = self._first = layer
            return
        if not callable(layer):
            raise TypeError(f"a layer is added, not a `{type(layer).__name__}`")
        if self._first is not None:
            self._first = layer(self._first)
        self._layers.append(layer)
        _added.watch_like(self, [layer])

    def pop(self) -> Any:
        """Takes the last layer away.

        Returns:
          The layer.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(2), gw.keras.layers.Dense(1)])
          >>> model.pop().units, len(model.layers)
          (1, 1)
        """
        self._first = None
        return self._layers.pop()

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the weights of all layers.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(2)])
          >>> model.build((None, 3))
          >>> model.count_params()
          8
        """
        x: Any = _symbols.KerasTensor(input_shape, _native.float32)
        for layer in self._layers:
            x = layer(x)

    def _ready(self, inputs: Any) -> Any:
        """Layers make their weights themselves."""
        return inputs

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Calls the layers one after the other.

        Args:
          inputs: tensor.
          training: whether it is a step of training.

        Returns:
          Tensor.

        Example:
          >>> gw.keras.Sequential([gw.keras.layers.Dense(2)]).call(gw.ones([4, 3])).shape
          (4, 2)
        """
        x = inputs
        for layer in self._layers:
            x = layer(x, **_options(layer, training))
        return x


class Functional(Model):
    """The layers between symbols."""

    def __init__(self, inputs: Any = None, outputs: Any = None, **others: Any) -> None:
        super().__init__(**others)
        self.inputs, self.outputs = inputs, outputs
        self._calls = _symbols.calls_of(outputs)
        known = {id(one) for one in nest.flatten(inputs)}
        for call in self._calls:
            if free := [one for one in call.parents() if one.call is None and id(one) not in known]:
                raise ValueError(f"{free[0]} is an input that `inputs` does not have")
        unique = {id(call.layer): call.layer for call in self._calls if isinstance(call.layer, Layer)}
        self._inner = list(unique.values())
        _added.watch_like(self, self._inner)

    def _ready(self, inputs: Any) -> Any:
        """Layers have made their weights already."""
        return inputs

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Calls the layers between inputs and outputs.

        Args:
          inputs: tensor, or a structure as `inputs`.
          training: whether it is a step of training.

        Returns:
          Tensor, or a structure as `outputs`.

        Example:
          >>> x = gw.keras.Input((3,))
          >>> gw.keras.Model(inputs=x, outputs=x * 2.0)(gw.ones([1, 3])).numpy().tolist()
          [[2.0, 2.0, 2.0]]
        """
        given, wanted = nest.flatten(inputs), nest.flatten(self.inputs)
        if len(given) != len(wanted):
            raise ValueError(f"`{self.name}` takes {len(wanted)} inputs, not {len(given)}")
        known = {id(symbol): tensor for symbol, tensor in zip(wanted, given, strict=True)}
        results: dict[int, Any] = {}
        for call in self._calls:
            arguments = [_resolved(one, known, results) for one in call.args]
            options = _options(call.layer, training) | {
                k: _resolved(v, known, results) for k, v in call.kwargs.items()
            }
            results[id(call)] = nest.flatten(call.layer(*arguments, **options))
        found = [_resolved(one, known, results) for one in nest.flatten(self.outputs)]
        return nest.pack_sequence_as(self.outputs, found)


def _resolved(value: Any, known: dict[int, Any], results: dict[int, Any]) -> Any:
    """The tensor of a symbol, and those in a structure."""
    if isinstance(value, _symbols.KerasTensor):
        return known[id(value)] if value.call is None else results[id(value.call)][value.at]
    if isinstance(value, (list, tuple)):
        return [_resolved(one, known, results) for one in value]
    return value

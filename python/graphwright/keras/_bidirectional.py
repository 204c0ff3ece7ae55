"""A layer that runs another one forward and backward in time."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from .. import _arrays, _native
from . import _added
from ._layer import Layer

_MERGES = ("concat", "sum", "ave", "mul", None)


def _merged(mode: str | None, one: Any, other: Any) -> Any:
    if mode == "concat":
        return _native.concat([one, other], -1)
    if mode == "sum":
        return one + other
    if mode == "ave":
        return (one + other) / 2.0
    return one * other if mode == "mul" else [one, other]


class Bidirectional(Layer):
    """Runs a recurrent layer forward and a copy of it backward in time, and merges their results.

    Args:
      layer: `GRU` or `LSTM`, or a layer with `go_backwards`, `return_sequences` and `return_state`.
      merge_mode: `"concat"`, `"sum"`, `"ave"`, `"mul"`, or `None` for both side by side in a list.
      weights: list of arrays to begin with, or `None`.
      backward_layer: layer that runs backward, made with `go_backwards=True`; a copy if it is `None`.
      others: the arguments of `Layer`.

    Raises:
      ValueError: `merge_mode` is none of these, or `backward_layer` runs forward.

    Example:
      >>> layer = gw.keras.layers.Bidirectional(gw.keras.layers.LSTM(4, return_sequences=True))
      >>> layer(gw.ones([2, 5, 3])).shape
      (2, 5, 8)
    """

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        if merge_mode not in _MERGES:
            raise ValueError(f"`merge_mode` is none of Keras's: {merge_mode!r}")
        if backward_layer is None:
            if layer.built:
                raise ValueError("`layer` has weights already: give a `backward_layer` too")
            backward_layer = copy.deepcopy(layer)
            backward_layer.go_backwards = not layer.go_backwards
        if backward_layer.go_backwards == layer.go_backwards:
            raise ValueError("`backward_layer` runs in the direction of `layer`: give it `go_backwards=True`")
        self.forward_layer, self.backward_layer = layer, backward_layer
        _added.watch_like(self, [layer, backward_layer])
        self.merge_mode, self._first = merge_mode, weights

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the weights of both.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.Bidirectional(gw.keras.layers.GRU(2))
          >>> layer.build((None, 5, 3))
          >>> len(layer.weights)
          6
        """
        for one in (self.forward_layer, self.backward_layer):
            one.build(input_shape)
            one.built = True
        if self._first is not None:
            self.set_weights(self._first)

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Runs both layers and merges their results, with their states behind if they give them.

        Args:
          inputs: tensor of the shape (batch, time, n).
          training: whether it is a step of training.

        Returns:
          Tensor, or a list of it and the states.

        Example:
          >>> layer = gw.keras.layers.Bidirectional(gw.keras.layers.GRU(2), merge_mode="sum")
          >>> layer(gw.ones([1, 5, 3])).shape
          (1, 2)
        """
        found = self.forward_layer(inputs, training=training)
        back = self.backward_layer(inputs, training=training)
        states: list[Any] = []
        if self.forward_layer.return_state:
            found, back, states = found[0], back[0], [*found[1:], *back[1:]]
        if self.forward_layer.return_sequences:
            back = _arrays.reverse(back, [1])
        merged = _merged(self.merge_mode, found, back)
        if not states:
            return merged
        return [*merged, *states] if self.merge_mode is None else [merged, *states]

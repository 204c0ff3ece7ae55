"""`LearningProcess`: an iterative process whose state holds the weights of a model."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from ..templates import IterativeProcess
from .models import ModelWeights


@dataclass(frozen=True)
class LearningProcessOutput:
    """The state behind a round, and the measurements of it.

    Args:
      state: the state behind a round.
      metrics: measurements of the round.

    Example:
      >>> import graphwright.federated as tff
      >>> tff.learning.LearningProcessOutput(state=1, metrics={}).state
      1
    """

    state: Any
    metrics: Any


class LearningProcess(IterativeProcess):
    """A process that trains a model: `next(state, data of clients)` gives a `LearningProcessOutput`.

    Example:
      >>> import graphwright.federated as tff
      >>> def model_fn():
      ...     batch = gw.TensorSpec([None, 1]), gw.TensorSpec([None, 1])
      ...     layer = gw.keras.layers.Dense(1, kernel_initializer="zeros")
      ...     loss = lambda y, found: gw.reduce_mean((y - found) ** 2)
      ...     return tff.learning.models.from_layer(layer, loss, batch)
      >>> build = tff.learning.algorithms.build_weighted_fed_avg
      >>> process = build(model_fn, lambda: gw.keras.optimizers.SGD(0.1))
      >>> x = np.ones([4, 1], "float32")
      >>> client = gw.data.Dataset.from_tensor_slices((x, x)).batch(2)
      >>> output = process.next(process.initialize(), [client])
      >>> isinstance(process, tff.learning.LearningProcess), type(output).__name__
      (True, 'LearningProcessOutput')
    """

    def get_model_weights(self, state: Any) -> ModelWeights:
        """Returns the weights in a state.

        Args:
          state: state of the process.

        Returns:
          `ModelWeights`.

        Example:
          >>> import graphwright.federated as tff
          >>> def model_fn():
          ...     batch = gw.TensorSpec([None, 1]), gw.TensorSpec([None, 1])
          ...     layer = gw.keras.layers.Dense(1, kernel_initializer="zeros")
          ...     loss = lambda y, found: gw.reduce_mean((y - found) ** 2)
          ...     return tff.learning.models.from_layer(layer, loss, batch)
          >>> build = tff.learning.algorithms.build_weighted_fed_avg
          >>> process = build(model_fn, lambda: gw.keras.optimizers.SGD(0.1))
          >>> [weight.shape for weight in process.get_model_weights(process.initialize()).trainable]
          [(1, 1), (1,)]
        """
        found: ModelWeights = state["global_model_weights"]
        return found

    def set_model_weights(self, state: Any, weights: ModelWeights) -> Any:
        """Returns the state with other weights.

        Args:
          state: state of the process.
          weights: `ModelWeights`.

        Returns:
          State with these weights.

        Example:
          >>> import graphwright.federated as tff
          >>> def model_fn():
          ...     batch = gw.TensorSpec([None, 1]), gw.TensorSpec([None, 1])
          ...     layer = gw.keras.layers.Dense(1, kernel_initializer="zeros")
          ...     loss = lambda y, found: gw.reduce_mean((y - found) ** 2)
          ...     return tff.learning.models.from_layer(layer, loss, batch)
          >>> build = tff.learning.algorithms.build_weighted_fed_avg
          >>> process = build(model_fn, lambda: gw.keras.optimizers.SGD(0.1))
          >>> state = process.initialize()
          >>> weights = process.get_model_weights(state)
          >>> weights.trainable[0][:] = 3.0
          >>> process.get_model_weights(process.set_model_weights(state, weights)).trainable[0].tolist()
          [[3.0]]
        """
        return OrderedDict(state, global_model_weights=weights)

"""`LearningProcess`: an iterative process whose state holds the weights of a model."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from ..templates import IterativeProcess
from .models import ModelWeights


@dataclass(frozen=True)
class LearningProcessOutput:
    """The state behind a round, and what was measured in it.

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
      >>> issubclass(tff.learning.LearningProcess, tff.templates.IterativeProcess)
      True
    """

    def get_model_weights(self, state: Any) -> ModelWeights:
        """Returns the weights in a state.

        Args:
          state: state of the process.

        Returns:
          `ModelWeights`.

        Example:
          >>> import graphwright.federated as tff
          >>> callable(tff.learning.LearningProcess.get_model_weights)
          True
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
          >>> callable(tff.learning.LearningProcess.set_model_weights)
          True
        """
        return OrderedDict(state, global_model_weights=weights)

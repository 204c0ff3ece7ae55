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

    Example: `state, metrics = output.state, output.metrics`.
    """

    state: Any
    metrics: Any


class LearningProcess(IterativeProcess):
    """A process that trains a model: `next(state, data of clients)` gives a `LearningProcessOutput`.

    Example: `output = process.next(state, datasets)`.
    """

    def get_model_weights(self, state: Any) -> ModelWeights:
        """Returns the weights in a state."""
        found: ModelWeights = state["global_model_weights"]
        return found

    def set_model_weights(self, state: Any, weights: ModelWeights) -> Any:
        """Returns the state with other weights."""
        return OrderedDict(state, global_model_weights=weights)

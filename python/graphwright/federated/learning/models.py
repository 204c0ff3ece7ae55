"""Models that clients train: layers of `gw.keras` with a loss and the spec of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ... import _native
from ...autograph import do_not_convert

__all__ = ["Model", "ModelWeights", "from_layer"]


@dataclass(frozen=True)
class ModelWeights:
    """The weights of a model: those that are trained, and the others.

    Args:
      trainable: list of arrays.
      non_trainable: list of arrays.

    Example:
      >>> from graphwright.federated.learning import models
      >>> len(models.ModelWeights([np.zeros(2)], []).trainable)
      1
    """

    trainable: Any
    non_trainable: Any


@dataclass(frozen=True, eq=False)
class Model:
    """A layer, the loss of a batch, and the spec of a batch: inputs and targets.

    Args:
      layer: layer of `gw.keras`.
      loss: function of the wanted and the found values of a batch.
      input_spec: specs of a batch.

    Example:
      >>> from graphwright.federated.learning import models
      >>> layer = gw.keras.layers.Dense(1)
      >>> batch = (gw.TensorSpec([None, 2]), gw.TensorSpec([None, 1]))
      >>> model = models.from_layer(layer, lambda y, found: gw.reduce_mean((y - found) ** 2), batch)
      >>> isinstance(model, models.Model), [tuple(variable.shape) for variable in model.trainable]
      (True, [(2, 1), (1,)])
    """

    layer: Any
    loss: Callable[[Any, Any], Any]
    input_spec: Any

    @property
    def trainable(self) -> list[Any]:
        """The variables that are trained."""
        return list(self.layer.trainable_variables)

    @property
    def non_trainable(self) -> list[Any]:
        """The variables that are not."""
        return list(self.layer.non_trainable_variables)


def from_layer(layer: Any, loss: Callable[[Any, Any], Any], input_spec: Any) -> Model:
    """Returns the model of a layer, whose weights are made here if they are not there.

    Args:
      layer: a layer or module: a call gives predictions for the inputs of a batch.
      loss: gives the mean loss of a batch, of the targets and of the predictions.
      input_spec: the `gw.TensorSpec`s of a batch: inputs and targets as a pair, or as `x` and `y`.

    Returns:
      `Model`.

    Raises:
      ValueError: the spec is neither, or the layer has no weights.

    Example:
      >>> from graphwright.federated.learning import models
      >>> layer = gw.keras.layers.Dense(1)
      >>> batch = (gw.TensorSpec([None, 2]), gw.TensorSpec([None, 1]))
      >>> model = models.from_layer(layer, lambda y, found: gw.reduce_mean((y - found) ** 2), batch)
      >>> type(model).__name__
      'Model'
    """
    if len(input_spec) != 2 or (isinstance(input_spec, Mapping) and set(input_spec) != {"x", "y"}):
        raise ValueError("input_spec is a pair of inputs and targets, or a mapping with `x` and `y`")
    inputs = parts(input_spec)[0]
    layer(_native.zeros([length or 1 for length in inputs.shape], inputs.dtype))
    if not layer.trainable_variables:
        raise ValueError("the layer has no weights to train")
    return Model(layer, loss, input_spec)


@do_not_convert
def parts(batch: Any) -> Any:
    """Returns the inputs of a batch, and what they are to give."""
    return (batch["x"], batch["y"]) if isinstance(batch, Mapping) else tuple(batch)

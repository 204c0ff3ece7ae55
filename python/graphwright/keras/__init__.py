"""Training: Keras 3's optimizers and layers under its names, in plain Python on variables and modules."""

from types import SimpleNamespace as _SimpleNamespace
from typing import Any as _Any

from .. import nest as _nest
from .._public import publish as _publish
from .._tensorflow.absent import refuse as _refuse
from . import (
    _config,
    activations,
    callbacks,
    initializers,
    layers,
    losses,
    metrics,
    models,
    ops,
    optimizers,
    random,
    regularizers,
)
from ._categories import to_categorical as _to_categorical
from ._composed import Sequential
from ._layer import Layer
from ._model import Model
from ._symbols import Input

Loss, Metric, Optimizer, Regularizer = (
    losses.Loss,
    metrics.Metric,
    optimizers.Optimizer,
    regularizers.Regularizer,
)

#: Keras's namespaces of the same names.
config = _SimpleNamespace(
    backend=_config.backend,
    epsilon=_config.epsilon,
    floatx=_config.floatx,
    image_data_format=_config.image_data_format,
    set_epsilon=_config.set_epsilon,
    set_floatx=_config.set_floatx,
    set_image_data_format=_config.set_image_data_format,
)
tree = _SimpleNamespace(
    assert_same_structure=_nest.assert_same_structure,
    flatten=_nest.flatten,
    is_nested=_nest.is_nested,
    map_structure=_nest.map_structure,
    pack_sequence_as=_nest.pack_sequence_as,
)


class _Utilities(_SimpleNamespace):
    """Keras's functions beside layers; a name that it lacks is refused with what to write instead."""

    def __getattr__(self, name: str) -> _Any:
        _refuse(f"{__name__}.utils", name)


utils = _Utilities(to_categorical=_to_categorical)

__all__ = [
    "Input",
    "Layer",
    "Loss",
    "Metric",
    "Model",
    "Optimizer",
    "Regularizer",
    "Sequential",
    "activations",
    "callbacks",
    "config",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "models",
    "ops",
    "optimizers",
    "random",
    "regularizers",
    "utils",
]

_publish(__name__)

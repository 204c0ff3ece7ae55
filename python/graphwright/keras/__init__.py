"""Training: Keras 3's optimizers and layers under its names, in plain Python on variables and modules."""

from types import SimpleNamespace as _SimpleNamespace

from . import (
    activations,
    callbacks,
    initializers,
    layers,
    losses,
    metrics,
    models,
    ops,
    optimizers,
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

#: Keras's namespace of the same name.
utils = _SimpleNamespace(to_categorical=_to_categorical)

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
    "initializers",
    "layers",
    "losses",
    "metrics",
    "models",
    "ops",
    "optimizers",
    "regularizers",
    "utils",
]

"""Training: Keras 3's optimizers and layers under its names, in plain Python on variables and modules."""

from types import SimpleNamespace as _SimpleNamespace

from . import activations, callbacks, initializers, layers, losses, metrics, models, optimizers, regularizers
from ._categories import to_categorical as _to_categorical
from ._composed import Sequential
from ._model import Model
from ._symbols import Input

#: Keras's namespace of the same name.
utils = _SimpleNamespace(to_categorical=_to_categorical)

__all__ = [
    "Input",
    "Model",
    "Sequential",
    "activations",
    "callbacks",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "models",
    "optimizers",
    "regularizers",
    "utils",
]

"""Training: Keras 3's optimizers and layers under its names, in plain Python on variables and modules."""

from . import activations, callbacks, initializers, layers, losses, metrics, optimizers
from ._composed import Sequential
from ._model import Model
from ._symbols import Input

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
    "optimizers",
]

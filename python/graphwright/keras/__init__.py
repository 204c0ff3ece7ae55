"""Training: Keras 3's optimizers and layers under its names, in plain Python on variables and modules."""

from . import activations, initializers, layers, optimizers

__all__ = ["activations", "initializers", "layers", "optimizers"]

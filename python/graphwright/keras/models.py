"""Models by Keras's names."""

from ._composed import Sequential
from ._model import Model

__all__ = ["Model", "Sequential"]

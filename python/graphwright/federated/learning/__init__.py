"""Federated learning: models of layers, and processes that train them at the clients."""

from . import algorithms, models
from ._process import LearningProcess, LearningProcessOutput

__all__ = ["LearningProcess", "LearningProcessOutput", "algorithms", "models"]

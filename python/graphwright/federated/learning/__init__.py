"""Federated learning: models of layers, and processes that train them at the clients."""

from ..._public import publish as _publish
from . import algorithms, models
from ._process import LearningProcess, LearningProcessOutput

__all__ = ["LearningProcess", "LearningProcessOutput", "algorithms", "models"]

_publish(__name__)

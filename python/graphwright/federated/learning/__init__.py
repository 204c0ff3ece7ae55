"""Federated learning: models of layers, and processes that train them at the clients."""

import sys as _sys

from ..._public import publish as _publish
from . import algorithms, models
from ._process import LearningProcess, LearningProcessOutput

__all__ = ["LearningProcess", "LearningProcessOutput", "algorithms", "models"]

_publish(_sys.modules[__name__])

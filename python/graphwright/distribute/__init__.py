"""Strategies, which say where a computation runs, under TensorFlow's names."""

from .._public import publish as _publish
from ._ray import RayStrategy
from ._strategy import (
    InputContext,
    OneDeviceStrategy,
    ReduceOp,
    ReplicaContext,
    Strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)

__all__ = [
    "InputContext",
    "OneDeviceStrategy",
    "RayStrategy",
    "ReduceOp",
    "ReplicaContext",
    "Strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]

_publish(__name__)

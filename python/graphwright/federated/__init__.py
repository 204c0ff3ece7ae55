"""Federated computations: values at clients and at a server, and their moves between the two.

A computation is traced once, has a type, and runs in the current context:

    import numpy as np
    import graphwright.federated as tff

    @tff.federated_computation(tff.FederatedType(np.float32, tff.CLIENTS))
    def mean(temperatures):
        return tff.federated_mean(temperatures)
"""

from __future__ import annotations

from .. import _federated
from .._public import publish as _publish
from . import framework, structure, tensorflow
from ._language import TypedObject

AbstractType = _federated.AbstractType
CLIENTS = _federated.CLIENTS
Computation = _federated.Computation
FederatedType = _federated.FederatedType
FunctionType = _federated.FunctionType
PlacementType = _federated.PlacementType
SERVER = _federated.SERVER
SequenceType = _federated.SequenceType
StructType = _federated.StructType
StructWithPythonType = _federated.StructWithPythonType
TensorType = _federated.TensorType
Type = _federated.Type
Value = _federated.Value
federated_aggregate = _federated.federated_aggregate
federated_broadcast = _federated.federated_broadcast
federated_computation = _federated.federated_computation
federated_eval = _federated.federated_eval
federated_map = _federated.federated_map
federated_max = _federated.federated_max
federated_mean = _federated.federated_mean
federated_min = _federated.federated_min
federated_secure_select = _federated.federated_secure_select
federated_secure_sum = _federated.federated_secure_sum
federated_secure_sum_bitwidth = _federated.federated_secure_sum_bitwidth
federated_select = _federated.federated_select
federated_sum = _federated.federated_sum
federated_value = _federated.federated_value
federated_zip = _federated.federated_zip
graph_computation = _federated.graph_computation
sequence_map = _federated.sequence_map
sequence_reduce = _federated.sequence_reduce
sequence_sum = _federated.sequence_sum
to_type = _federated.to_type
to_value = _federated.to_value


__all__ = [
    "CLIENTS",
    "SERVER",
    "AbstractType",
    "Computation",
    "FederatedType",
    "FunctionType",
    "PlacementType",
    "SequenceType",
    "StructType",
    "StructWithPythonType",
    "TensorType",
    "Type",
    "TypedObject",
    "Value",
    "federated_aggregate",
    "federated_broadcast",
    "federated_computation",
    "federated_eval",
    "federated_map",
    "federated_max",
    "federated_mean",
    "federated_min",
    "federated_secure_select",
    "federated_secure_sum",
    "federated_secure_sum_bitwidth",
    "federated_select",
    "federated_sum",
    "federated_value",
    "federated_zip",
    "framework",
    "graph_computation",
    "sequence_map",
    "sequence_reduce",
    "sequence_sum",
    "structure",
    "tensorflow",
    "to_type",
    "to_value",
]

# Execution. The language is there now; this installs the local context.
from ._execution import on_demand as _on_demand  # noqa: E402, F401

_EXECUTION = {
    "create_async_local_execution_context": "contexts",
    "create_local_execution_context": "contexts",
    "create_ray_execution_context": "remote",
    "set_async_local_execution_context": "contexts",
    "set_local_execution_context": "contexts",
}

_MODULES = ("aggregators", "backends", "learning", "program", "templates")

__all__ += [*_EXECUTION, *_MODULES]


def __getattr__(name: str) -> object:
    """Returns what executes computations, whose modules are imported when they are asked for."""
    import importlib

    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _EXECUTION:
        found: object = getattr(importlib.import_module(f"._execution.{_EXECUTION[name]}", __name__), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_publish(__name__)

"""The parts of the federated language for those who build contexts, executors and transformations."""

from __future__ import annotations

from .. import _federated
from . import intrinsic_defs
from ._language import TypedObject

AbstractType = _federated.AbstractType
Block = _federated.Block
CLIENTS = _federated.CLIENTS
Call = _federated.Call
CompiledComputation = _federated.CompiledComputation
Computation = _federated.Computation
ComputationBuildingBlock = _federated.ComputationBuildingBlock
ComputationReturnedNoneError = _federated.ComputationReturnedNoneError
ConcreteComputation = _federated.ConcreteComputation
ContextError = _federated.ContextError
ContextStack = _federated.ContextStack
Data = _federated.Data
FederatedComputationContext = _federated.FederatedComputationContext
FederatedType = _federated.FederatedType
FunctionType = _federated.FunctionType
Intrinsic = _federated.Intrinsic
IntrinsicDef = _federated.IntrinsicDef
Lambda = _federated.Lambda
Literal = _federated.Literal
Placement = _federated.Placement
PlacementLiteral = _federated.PlacementLiteral
PlacementType = _federated.PlacementType
PolymorphicComputation = _federated.PolymorphicComputation
Reference = _federated.Reference
RuntimeErrorContext = _federated.RuntimeErrorContext
SERVER = _federated.SERVER
Selection = _federated.Selection
SequenceType = _federated.SequenceType
Struct = _federated.Struct
StructType = _federated.StructType
StructWithPythonType = _federated.StructWithPythonType
TensorType = _federated.TensorType
Type = _federated.Type
TypeNotAssignableError = _federated.TypeNotAssignableError
TypesNotEquivalentError = _federated.TypesNotEquivalentError
Value = _federated.Value
federated_computation = _federated.federated_computation
get_context_stack = _federated.get_context_stack
graph_computation = _federated.graph_computation
contains_federated_types = _federated.contains_federated_types
deserialize_computation = _federated.deserialize_computation
infer_type = _federated.infer_type
is_structure_of_floats = _federated.is_structure_of_floats
is_structure_of_integers = _federated.is_structure_of_integers
is_structure_of_tensors = _federated.is_structure_of_tensors
pack_args = _federated.pack_args
pack_args_into_struct = _federated.pack_args_into_struct
preorder_types = _federated.preorder_types
serialize_computation = _federated.serialize_computation
set_default_context = _federated.set_default_context
set_no_default_context = _federated.set_no_default_context
to_type = _federated.to_type
to_value = _federated.to_value
transform_postorder = _federated.transform_postorder
transform_preorder = _federated.transform_preorder
type_to_py_container = _federated.type_to_py_container
unbound_names = _federated.unbound_names
unique_name_generator = _federated.unique_name_generator
unpack_arg = _federated.unpack_arg
unpack_args_from_struct = _federated.unpack_args_from_struct
uri_to_placement_literal = _federated.uri_to_placement_literal

__all__ = [
    "CLIENTS",
    "SERVER",
    "AbstractType",
    "Block",
    "Call",
    "CompiledComputation",
    "Computation",
    "ComputationBuildingBlock",
    "ComputationReturnedNoneError",
    "ConcreteComputation",
    "ContextError",
    "ContextStack",
    "Data",
    "FederatedComputationContext",
    "FederatedType",
    "FunctionType",
    "Intrinsic",
    "IntrinsicDef",
    "Lambda",
    "Literal",
    "Placement",
    "PlacementLiteral",
    "PlacementType",
    "PolymorphicComputation",
    "Reference",
    "RuntimeErrorContext",
    "Selection",
    "SequenceType",
    "Struct",
    "StructType",
    "StructWithPythonType",
    "TensorType",
    "Type",
    "TypeNotAssignableError",
    "TypedObject",
    "TypesNotEquivalentError",
    "Value",
    "contains_federated_types",
    "deserialize_computation",
    "federated_computation",
    "get_context_stack",
    "graph_computation",
    "infer_type",
    "intrinsic_defs",
    "is_structure_of_floats",
    "is_structure_of_integers",
    "is_structure_of_tensors",
    "pack_args",
    "pack_args_into_struct",
    "preorder_types",
    "serialize_computation",
    "set_default_context",
    "set_no_default_context",
    "to_type",
    "to_value",
    "transform_postorder",
    "transform_preorder",
    "type_to_py_container",
    "unbound_names",
    "unique_name_generator",
    "unpack_arg",
    "unpack_args_from_struct",
    "uri_to_placement_literal",
]


def __getattr__(name: str) -> object:
    """Returns a context or an executor, whose modules need the names above."""
    if not name.startswith("_"):
        from ._execution import public

        if name in public.__all__:
            found: object = getattr(public, name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

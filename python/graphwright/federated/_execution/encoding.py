"""Building blocks and types as plain tuples, in which they go to other processes.

Graphs go as the functions that they are of, and are traced there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .language import (
    CLIENTS,
    SERVER,
    Block,
    Call,
    CompiledComputation,
    FederatedType,
    FunctionType,
    Intrinsic,
    Lambda,
    Literal,
    Reference,
    Selection,
    SequenceType,
    Struct,
    StructType,
    StructWithPythonType,
    TensorType,
    structure,
)
from .leaf import Leaf, trace
from .pickling import unpacker

Encoded = tuple[Any, ...]


def encode(block: Any) -> Encoded:
    """Returns a block as tuples of names, types, values and leaves.

    Raises:
      NotImplementedError: the block is of a kind that is not executed.

    Example: `encode(Intrinsic("generic_zero", TensorType(np.int32)))` is
    `("intrinsic", "generic_zero", ("tensor", "int32", ()))`.
    """
    for kind, rule in _ENCODERS.items():
        if isinstance(block, kind):
            return rule(block)
    raise NotImplementedError(f"{type(block).__name__} is not executed: {block}")


def decode(encoded: Encoded) -> Any:
    """Returns the block that `encode` made tuples of."""
    kind, *parts = encoded
    return _DECODERS[kind](*parts)


def encode_type(type_spec: Any) -> Any:
    """Returns a type as tuples of names and classes; None for none."""
    if type_spec is None:
        return None
    if isinstance(type_spec, TensorType):
        shape = None if type_spec.shape is None else tuple(type_spec.shape)
        return "tensor", np.dtype(type_spec.dtype).str, shape
    if isinstance(type_spec, StructType):
        pairs = [(name, encode_type(part)) for name, part in type_spec.items()]
        return "struct", pairs, getattr(type_spec, "python_container", None)
    if isinstance(type_spec, SequenceType):
        return "sequence", encode_type(type_spec.element)
    if isinstance(type_spec, FederatedType):
        return "federated", encode_type(type_spec.member), type_spec.placement.uri, type_spec.all_equal
    if isinstance(type_spec, FunctionType):
        return "function", encode_type(type_spec.parameter), encode_type(type_spec.result)
    raise NotImplementedError(f"a computation of values of type {type_spec} is not executed")


def decode_type(encoded: Any) -> Any:
    """Returns the type that `encode_type` made tuples of."""
    if encoded is None:
        return None
    kind, *parts = encoded
    return _TYPES[kind](*parts)


def _decoded_struct(pairs: Any, container: Any) -> Any:
    elements = [decode_type(part) if name is None else (name, decode_type(part)) for name, part in pairs]
    return StructType(elements) if container is None else StructWithPythonType(elements, container)


_TYPES: dict[str, Callable[..., Any]] = {
    "tensor": lambda dtype, shape: TensorType(np.dtype(dtype).type, shape),
    "struct": _decoded_struct,
    "sequence": lambda element: SequenceType(decode_type(element)),
    "federated": lambda member, uri, all_equal: FederatedType(
        decode_type(member), {one.uri: one for one in (CLIENTS, SERVER)}[uri], all_equal
    ),
    "function": lambda parameter, result: FunctionType(decode_type(parameter), decode_type(result)),
}


def _encoded_leaf(leaf: Leaf) -> Encoded:
    return "compiled", leaf.fn, encode_type(leaf.type_signature.parameter), leaf.name


def _decoded_leaf(fn: Any, encoded: Any, name: str) -> Any:
    parameter = decode_type(encoded)
    return CompiledComputation(trace(fn, parameter, unpacker(parameter), name))


def _encoded_lambda(block: Any) -> Encoded:
    return "lambda", block.parameter_name, encode_type(block.parameter_type), encode(block.result)


def _encoded_struct(block: Any) -> Encoded:
    return "struct", [(name, encode(part)) for name, part in structure.iter_elements(block)]


def _encoded_call(block: Any) -> Encoded:
    return "call", encode(block.function), None if block.argument is None else encode(block.argument)


def _encoded_block(block: Any) -> Encoded:
    return "block", [(name, encode(part)) for name, part in block.locals], encode(block.result)


_ENCODERS: dict[Any, Callable[[Any], Encoded]] = {
    Reference: lambda block: ("reference", block.name, encode_type(block.type_signature)),
    Selection: lambda block: ("selection", encode(block.source), block.name, block.index),
    Struct: _encoded_struct,
    Call: _encoded_call,
    Lambda: _encoded_lambda,
    Block: _encoded_block,
    Intrinsic: lambda block: ("intrinsic", block.uri, encode_type(block.type_signature)),
    CompiledComputation: lambda block: _encoded_leaf(block.leaf),
    Literal: lambda block: ("literal", block.value, encode_type(block.type_signature)),
}

_DECODERS: dict[str, Callable[..., Any]] = {
    "reference": lambda name, encoded: Reference(name, decode_type(encoded)),
    "selection": lambda source, name, index: (
        Selection(decode(source), name=name) if index is None else Selection(decode(source), index=index)
    ),
    "struct": lambda parts: Struct(
        [decode(part) if name is None else (name, decode(part)) for name, part in parts]
    ),
    "call": lambda func, argument: (
        Call(decode(func)) if argument is None else Call(decode(func), decode(argument))
    ),
    "lambda": lambda name, type_spec, result: Lambda(name, decode_type(type_spec), decode(result)),
    "block": lambda parts, result: Block([(name, decode(part)) for name, part in parts], decode(result)),
    "intrinsic": lambda uri, encoded: Intrinsic(uri, decode_type(encoded)),
    "compiled": _decoded_leaf,
    "literal": lambda value, encoded: Literal(value, decode_type(encoded)),
}

"""Building blocks as plain tuples, in which they go to other processes; graphs go as the functions they are of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .language import (
    Block,
    Call,
    CompiledComputation,
    Intrinsic,
    Lambda,
    Literal,
    Reference,
    Selection,
    Struct,
    structure,
)

Encoded = tuple[Any, ...]


def encode(block: Any) -> Encoded:
    """Returns a block as tuples of names, types, values and leaves.

    Raises:
      NotImplementedError: the block is of a kind that is not executed.

    Example: `encode(Reference("x", TensorType(np.int32)))` is `("reference", "x", TensorType(np.int32))`.
    """
    for kind, rule in _ENCODERS.items():
        if isinstance(block, kind):
            return rule(block)
    raise NotImplementedError(f"{type(block).__name__} is not executed: {block}")


def decode(encoded: Encoded) -> Any:
    """Returns the block that `encode` made tuples of."""
    kind, *parts = encoded
    return _DECODERS[kind](*parts)


def _encoded_lambda(block: Any) -> Encoded:
    return "lambda", block.parameter_name, block.parameter_type, encode(block.result)


def _encoded_struct(block: Any) -> Encoded:
    return "struct", [(name, encode(part)) for name, part in structure.iter_elements(block)]


def _encoded_call(block: Any) -> Encoded:
    return "call", encode(block.function), None if block.argument is None else encode(block.argument)


def _encoded_block(block: Any) -> Encoded:
    return "block", [(name, encode(part)) for name, part in block.locals], encode(block.result)


_ENCODERS: dict[Any, Callable[[Any], Encoded]] = {
    Reference: lambda block: ("reference", block.name, block.type_signature),
    Selection: lambda block: ("selection", encode(block.source), block.name, block.index),
    Struct: _encoded_struct,
    Call: _encoded_call,
    Lambda: _encoded_lambda,
    Block: _encoded_block,
    Intrinsic: lambda block: ("intrinsic", block.uri, block.type_signature),
    CompiledComputation: lambda block: ("compiled", block.leaf),
    Literal: lambda block: ("literal", block.value, block.type_signature),
}

_DECODERS: dict[str, Callable[..., Any]] = {
    "reference": Reference,
    "selection": lambda source, name, index: (
        Selection(decode(source), name=name) if index is None else Selection(decode(source), index=index)
    ),
    "struct": lambda parts: Struct(
        [decode(part) if name is None else (name, decode(part)) for name, part in parts]
    ),
    "call": lambda func, argument: (
        Call(decode(func)) if argument is None else Call(decode(func), decode(argument))
    ),
    "lambda": lambda name, type_spec, result: Lambda(name, type_spec, decode(result)),
    "block": lambda parts, result: Block([(name, decode(part)) for name, part in parts], decode(result)),
    "intrinsic": Intrinsic,
    "compiled": CompiledComputation,
    "literal": Literal,
}

"""Outcomes of computations in contexts: results to the bit, or the exception with its notes."""

from __future__ import annotations

import numpy as np

import graphwright as gw
import graphwright.federated as tff


def outcome(context, program):
    """A result as texts and bytes that are equal only for equal bits, or the exception."""
    gw.random.set_seed(7)
    with tff.framework.get_context_stack().install(context):
        try:
            return bits(program.computation(program.argument))
        except Exception as error:
            return type(error), str(error).partition("\n")[0], tuple(getattr(error, "__notes__", ()))


def bits(value):
    """A structure in which arrays and numbers are their bytes."""
    if isinstance(value, tff.structure.Struct):
        return "Struct", [(name, bits(part)) for name, part in tff.structure.iter_elements(value)]
    if isinstance(value, dict):
        return type(value).__name__, [(name, bits(part)) for name, part in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [bits(part) for part in value]
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        content = array.tolist() if array.dtype == object else array.tobytes()
        return type(value).__name__, str(array.dtype), array.shape, content
    return type(value).__name__, value


def described(program):
    """Describes two outcomes that differ."""
    lines = [str(program.computation.type_signature), *program.steps, repr(program.argument)[:2000]]
    return "\n".join(lines)

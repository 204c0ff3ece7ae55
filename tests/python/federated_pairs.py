"""Types and blocks of two federated languages, made of one description: ours, and that of `federated-language`."""

from __future__ import annotations

import collections
import random
from typing import Any, NamedTuple

import numpy as np

import graphwright.federated as ours
from graphwright.federated import framework, structure

try:
    import federated_language as theirs
except ImportError:
    theirs = None


class Point(NamedTuple):
    """A container with names."""

    x: Any
    y: Any


CONTENTS = [object() for _ in range(4)]
DTYPES = [
    np.bool_,
    np.int8,
    np.int32,
    np.int64,
    np.uint8,
    np.float16,
    np.float32,
    np.float64,
    np.complex64,
    np.str_,
]
NAMES = ["a", "b", "c", "x", "y"]
CONTAINERS = [list, tuple, dict, collections.OrderedDict]


class Ours:
    """Our constructors."""

    types = ours
    blocks = framework
    structure = structure
    placements = {"clients": ours.CLIENTS, "server": ours.SERVER}

    @staticmethod
    def compiled(name, ty):
        return framework.CompiledComputation(CONTENTS[0], name, ty)


if theirs is not None:
    from federated_language.common_libs import structure as their_structure
    from federated_language.proto import computation_pb2

    class Theirs:
        """The judge's constructors."""

        types = theirs
        blocks = theirs.framework
        structure = their_structure
        placements = {"clients": theirs.CLIENTS, "server": theirs.SERVER}

        @staticmethod
        def compiled(name, ty):
            return theirs.framework.CompiledComputation(
                computation_pb2.Computation(), name=name, type_signature=ty
            )


PUBLIC = {"ContextError", "TypeNotAssignableError", "TypesNotEquivalentError", "ComputationReturnedNoneError"}


def kind_of(error):
    """The name of the public class of an exception: the judge's internal ones count as their bases."""
    classes = type(error).__mro__
    return next(kind.__name__ for kind in classes if kind.__module__ == "builtins" or kind.__name__ in PUBLIC)


def outcome(make):
    """The result of a call, or the name of its exception and its message."""
    try:
        return "made", make()
    except Exception as error:
        return kind_of(error), str(error)


def both(make):
    """The outcomes in both languages."""
    return outcome(lambda: make(Ours)), outcome(lambda: make(Theirs))


def random_type(rng: random.Random, depth: int) -> Any:
    """A description of a type; some descriptions are refused."""
    kinds = ["tensor", "tensor", "tensor", "placement", "abstract"]
    if depth > 0:
        kinds += ["struct", "struct", "python", "python", "sequence", "function", "federated", "federated"]
    kind = rng.choice(kinds)
    if kind == "tensor":
        shape = rng.choice([(), (), (), None, (2,), (2, None), (None,), (3, 1)])
        return kind, rng.choice(DTYPES), shape
    if kind == "placement":
        return (kind,)
    if kind == "abstract":
        return kind, rng.choice("TUV")
    if kind in ("struct", "python"):
        elements = [(random_name(rng), random_type(rng, depth - 1)) for _ in range(rng.randrange(4))]
        return kind, elements, rng.choice(CONTAINERS)
    if kind == "sequence":
        return kind, random_type(rng, depth - 1)
    if kind == "function":
        return kind, rng.choice([None, random_type(rng, depth - 1)]), random_type(rng, depth - 1)
    return (
        kind,
        random_type(rng, depth - 1),
        rng.choice(["clients", "server"]),
        rng.choice([None, True, False]),
    )


def random_name(rng: random.Random) -> str | None:
    return (
        rng.choice([None, *NAMES]) if rng.random() < 0.95 else rng.choice(["items", "fields", "", "_asdict"])
    )


def near(rng: random.Random, description: Any) -> Any:
    """A description of a type that is often comparable with another one."""
    kind, *parts = description
    if rng.random() < 0.1:
        return random_type(rng, 1)
    if kind == "tensor" and rng.random() < 0.5:
        return kind, parts[0], rng.choice([(), None, (2,), (2, None), (None,)])
    if kind in ("struct", "python"):
        rename = rng.random() < 0.4
        elements = [(None if rename else name, near(rng, element)) for name, element in parts[0]]
        return rng.choice(["struct", "python"]), elements, rng.choice(CONTAINERS)
    if kind == "sequence":
        return kind, near(rng, parts[0])
    if kind == "function":
        return kind, None if parts[0] is None else near(rng, parts[0]), near(rng, parts[1])
    if kind == "federated":
        return kind, near(rng, parts[0]), parts[1], rng.choice([None, True, False])
    return description


def make_type(lib: Any, description: Any) -> Any:
    """The type that a description describes."""
    kind, *parts = description
    types = lib.types
    if kind == "tensor":
        return types.TensorType(*parts)
    if kind == "placement":
        return types.PlacementType()
    if kind == "abstract":
        return types.AbstractType(*parts)
    if kind in ("struct", "python"):
        elements = [(name, make_type(lib, part)) for name, part in parts[0]]
        return (
            types.StructType(elements) if kind == "struct" else types.StructWithPythonType(elements, parts[1])
        )
    if kind == "sequence":
        return types.SequenceType(make_type(lib, parts[0]))
    if kind == "function":
        parameter = None if parts[0] is None else make_type(lib, parts[0])
        return types.FunctionType(parameter, make_type(lib, parts[1]))
    return types.FederatedType(make_type(lib, parts[0]), lib.placements[parts[1]], parts[2])


LITERALS = [
    (5, np.int32), (5, np.int8), (300, np.int8), (-1, np.uint8), (2.5, np.float32), (1e9, np.float16), (True, np.bool_),
    (True, np.int32), (1j, np.complex64), ("stuff", np.str_), (b"stuff", np.str_), (5, np.float32), (np.int8(3), np.int32),
    (np.int64(3), np.int32), (np.float32(1.5), np.float64),
]  # fmt: skip


def random_block(rng: random.Random, depth: int) -> Any:
    """A description of a block; some descriptions are refused."""
    kinds = ["reference", "literal", "data", "compiled", "placement", "intrinsic"]
    if depth > 0:
        kinds = ["reference"] + ["selection", "struct", "call", "lambda", "block"] * 3 + kinds
    kind = rng.choice(kinds)
    if kind == "reference":
        return (
            kind,
            rng.choice(["f", "x", "y", "value"]),
            random_type(rng, 2),
            rng.choice([None, None, None, "ctx"]),
        )
    if kind == "literal":
        return kind, *rng.choice(LITERALS)
    if kind == "data":
        return kind, rng.randrange(len(CONTENTS)), random_type(rng, 1)
    if kind == "compiled":
        return kind, rng.choice(["abc", "def"]), random_type(rng, 1)
    if kind == "placement":
        return kind, rng.choice(["clients", "server"])
    if kind == "intrinsic":
        return kind, rng.choice(["dummy", "federated_sum", "sequence_sum"]), random_type(rng, 2)
    if kind == "selection":
        return random_selection(rng, depth)
    if kind == "struct":
        elements = [(random_name(rng), random_block(rng, depth - 1)) for _ in range(rng.randrange(4))]
        return kind, elements, rng.choice([None, *CONTAINERS])
    if kind == "call":
        return random_call(rng, depth)
    if kind == "lambda":
        named = rng.random() < 0.7
        parameter = (rng.choice(["x", "arg"]), random_type(rng, 1)) if named else (None, None)
        return kind, *(parameter if rng.random() < 0.95 else ("x", None)), random_block(rng, depth - 1)
    values = [(rng.choice(["x", "y", "z"]), random_block(rng, depth - 1)) for _ in range(rng.randrange(4))]
    return kind, values, random_block(rng, depth - 1)


def random_selection(rng: random.Random, depth: int) -> Any:
    elements = [(random_name(rng), random_block(rng, depth - 1)) for _ in range(rng.randrange(1, 4))]
    source = ("struct", elements, None) if rng.random() < 0.9 else random_block(rng, depth - 1)
    named = [name for name, _ in elements if name]
    name = rng.choice(named) if named and rng.random() < 0.5 else None
    index = None if name is not None else rng.randrange(len(elements))
    if rng.random() < 0.15:
        name, index = rng.choice([(None, None), ("a", 0), ("", None), ("zzz", None), (None, -1), (None, 9)])
    return "selection", source, name, index


def random_call(rng: random.Random, depth: int) -> Any:
    if rng.random() < 0.1:
        return "call", random_block(rng, depth - 1), rng.choice([None, random_block(rng, depth - 1)])
    if rng.random() < 0.2:
        return "call", ("lambda", None, None, random_block(rng, depth - 1)), None
    argument = random_block(rng, depth - 1)
    return "applied", rng.choice(["f", "g"]), argument, random_type(rng, 1)


def make_block(lib: Any, description: Any) -> Any:
    """The block that a description describes."""
    kind, *parts = description
    blocks = lib.blocks
    if kind == "reference":
        name, ty, context = parts
        return blocks.Reference(name, make_type(lib, ty), context)
    if kind == "literal":
        return blocks.Literal(parts[0], lib.types.TensorType(parts[1]))
    if kind == "data":
        return blocks.Data(CONTENTS[parts[0]], make_type(lib, parts[1]))
    if kind == "compiled":
        return lib.compiled(parts[0], make_type(lib, parts[1]))
    if kind == "placement":
        return blocks.Placement(lib.placements[parts[0]])
    if kind == "intrinsic":
        return blocks.Intrinsic(parts[0], make_type(lib, parts[1]))
    if kind == "selection":
        return blocks.Selection(make_block(lib, parts[0]), name=parts[1], index=parts[2])
    if kind == "struct":
        return blocks.Struct([(name, make_block(lib, part)) for name, part in parts[0]], parts[1])
    if kind == "call":
        argument = None if parts[1] is None else make_block(lib, parts[1])
        return blocks.Call(make_block(lib, parts[0]), argument)
    if kind == "applied":
        argument = make_block(lib, parts[1])
        result = make_type(lib, parts[2])
        function = blocks.Reference(parts[0], lib.types.FunctionType(argument.type_signature, result))
        return blocks.Call(function, argument)
    if kind == "lambda":
        ty = None if parts[1] is None else make_type(lib, parts[1])
        return blocks.Lambda(parts[0], ty, make_block(lib, parts[2]))
    return blocks.Block([(name, make_block(lib, part)) for name, part in parts[0]], make_block(lib, parts[1]))

"""Each refusal of the language: its exception and its message."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import graphwright.federated as tff
from graphwright.federated import framework, structure

INT = tff.TensorType(np.int32)
AT_CLIENTS = tff.FederatedType(np.int32, tff.CLIENTS)
AT_SERVER = tff.FederatedType(np.int32, tff.SERVER)
FUNCTION = tff.FunctionType(np.int32, np.int32)


def reference(ty, name="x"):
    return framework.Reference(name, ty)


def value(ty, name="x"):
    return tff.to_value(reference(ty, name), None)


# Each act, and the exception that it raises.
TYPES = [
    (lambda: tff.TensorType("int32"), TypeError, "Expected `dtype` to be a dtype, found 'int32'."),
    (
        lambda: tff.TensorType(np.object_),
        NotImplementedError,
        "Unexpected dtype found: <class 'numpy.object_'>.",
    ),
    (
        lambda: tff.TensorType(np.datetime64),
        NotImplementedError,
        "Unexpected dtype found: <class 'numpy.datetime64'>.",
    ),
    (lambda: tff.TensorType(np.int32, 5), TypeError, "'int' object is not iterable"),
    (
        lambda: tff.to_type(int),
        TypeError,
        "Unable to interpret an argument of type <class 'type'> as a type spec.",
    ),
    (
        lambda: tff.to_type("int32"),
        TypeError,
        "Unable to interpret an argument of type <class 'str'> as a type spec.",
    ),
    (
        lambda: tff.to_type(5),
        TypeError,
        "Unable to interpret an argument of type <class 'int'> as a type spec.",
    ),
    (
        lambda: tff.to_type(None),
        TypeError,
        "Unable to interpret an argument of type <class 'NoneType'> as a type",
    ),
    (lambda: tff.to_type({1: np.int32}), TypeError, "Expected the keys of a mapping to be strings, found 1."),
    (
        lambda: tff.to_type([np.int32, object()]),
        TypeError,
        "Unable to interpret an argument of type <class 'object'>",
    ),
    (
        lambda: tff.StructType([("items", np.int32)]),
        ValueError,
        "Expected named elements to not match any reserved names, found ['items'].",
    ),
    (
        lambda: tff.StructType([("a", np.int32), ("a", np.int32)]),
        ValueError,
        "A struct does not support duplicated names, found ['a', 'a'].",
    ),
    (
        lambda: tff.SequenceType(AT_CLIENTS),
        ValueError,
        "Expected a `SequenceType` to not contain `FederatedType`s, `FunctionType`s, or `SequenceType`s, found "
        "{int32}@CLIENTS*.",
    ),
    (lambda: tff.SequenceType(tff.SequenceType(np.int32)), ValueError, "found int32**."),
    (lambda: tff.SequenceType([FUNCTION]), ValueError, "found <(int32 -> int32)>*."),
    (
        lambda: tff.FederatedType([AT_CLIENTS], tff.SERVER),
        ValueError,
        "Expected a `FederatedType` to not contain `FederatedType`s or `FunctionType`s, found <{int32}@CLIENTS>@SERVER.",
    ),
    (lambda: tff.FederatedType(FUNCTION, tff.CLIENTS), ValueError, "found {(int32 -> int32)}@CLIENTS."),
    (
        lambda: tff.FederatedType(np.int32, "clients"),
        TypeError,
        "Expected `placement` to be `CLIENTS` or `SERVER`, found 'clients'.",
    ),
    (lambda: INT.is_assignable_from(5), TypeError, "Expected a type, found <class 'int'>."),
    (lambda: tff.AbstractType("T").is_assignable_from(INT), TypeError, "Abstract types are not comparable."),
    (
        lambda: INT.check_assignable_from(AT_SERVER),
        framework.TypeNotAssignableError,
        "Expected int32@SERVER to be assignable to int32.",
    ),
    (
        lambda: INT.check_equivalent_to(AT_SERVER),
        framework.TypesNotEquivalentError,
        "Expected int32 to be equivalent to int32@SERVER.",
    ),
    (lambda: framework.infer_type(object()), NotImplementedError, "Unexpected arg found: <class 'object'>."),
    (lambda: framework.infer_type(2**64), ValueError, "found: 18446744073709551616."),
    (lambda: framework.infer_type([None]), TypeError, "`None` has no type."),
    (
        lambda: framework.uri_to_placement_literal("moon"),
        ValueError,
        "There is no known literal with uri `moon`.",
    ),
    (
        lambda: tff.to_type(functools.reduce(lambda ty, _: [ty], range(5000), np.int32)),
        RecursionError,
        "1000 levels deep",
    ),
    (
        lambda: functools.reduce(lambda ty, _: tff.FunctionType(None, ty), range(5000), INT),
        RecursionError,
        "types and blocks are nested at most 1000 levels deep",
    ),
]

BLOCKS = [
    (
        lambda: framework.Selection(reference([np.int32])),
        ValueError,
        "Must define either a name or index, and neither",
    ),
    (
        lambda: framework.Selection(reference([np.int32]), name="a", index=0),
        ValueError,
        "Cannot simultaneously specify a name and an index, choose one.",
    ),
    (
        lambda: framework.Selection(reference([np.int32]), index=1),
        ValueError,
        "does not fit into the valid range",
    ),
    (
        lambda: framework.Selection(reference([np.int32]), name="a"),
        ValueError,
        "whose only named fields are [].",
    ),
    (lambda: framework.Selection(reference([np.int32]), name=""), ValueError, "cannot be empty"),
    (
        lambda: framework.Selection(reference(INT), index=0),
        TypeError,
        "Expected the source of selection to be a `StructType`, instead found it to be of type int32.",
    ),
    (
        lambda: framework.Selection(5, index=0),
        TypeError,
        "Expected `source` to be a building block, found <class 'int'>.",
    ),
    (lambda: framework.Struct([5]), TypeError, "Unexpected struct element: 5."),
    (
        lambda: framework.Struct([("", reference(INT))]),
        ValueError,
        "Unexpected struct element with empty string name.",
    ),
    (
        lambda: framework.Call(reference(INT)),
        TypeError,
        "Expected `fn` to have a `FunctionType`, found int32.",
    ),
    (
        lambda: framework.Call(reference(FUNCTION)),
        TypeError,
        "Expected `arg` to be of type int32, found None.",
    ),
    (
        lambda: framework.Call(reference(FUNCTION), reference(AT_SERVER)),
        TypeError,
        "Expected `arg` to be of type int32, found an incompatible type int32@SERVER.",
    ),
    (
        lambda: framework.Call(reference(tff.FunctionType(None, np.int32)), reference(INT)),
        TypeError,
        "Expected `arg` to be None, found x.",
    ),
    (
        lambda: framework.Lambda("x", None, reference(INT)),
        TypeError,
        "`parameter_name` was x but `parameter_type` was None",
    ),
    (
        lambda: framework.Lambda(None, INT, reference(INT)),
        TypeError,
        "`parameter_name` was None but `parameter_type` was int32",
    ),
    (lambda: framework.Block([5], reference(INT)), TypeError, "the local at position 0 is 5."),
    (
        lambda: framework.Literal(5, tff.TensorType(np.float32)),
        ValueError,
        "Expected '5' to be compatible with 'float32'.",
    ),
    (
        lambda: framework.Literal(np.zeros(3), tff.TensorType(np.float64, (2,))),
        ValueError,
        "compatible with the shape",
    ),
    (
        lambda: framework.Literal(object(), INT),
        TypeError,
        "Expected `value` to be a number, a text or an array",
    ),
    (lambda: framework.Intrinsic("federated_sum", FUNCTION), TypeError, "differs in kind from {T}@CLIENTS."),
    (lambda: framework.Intrinsic("", INT), ValueError, "The uri of an intrinsic cannot be empty."),
    (
        lambda: framework.Intrinsic("mine", INT).intrinsic_def(),
        ValueError,
        "Failed to retrieve definition of intrinsic",
    ),
    (
        lambda: framework.transform_postorder(5, lambda block: (block, False)),
        TypeError,
        "Expected `comp` to be a building",
    ),
    (
        lambda: framework.transform_postorder(reference(INT), lambda block: block),
        TypeError,
        "Expected `transform` to return a pair of a block and a bool",
    ),
]


def in_context(action):
    """Acts while a computation is traced."""
    context = framework.FederatedComputationContext(framework.get_context_stack(), "f")
    with framework.get_context_stack().install(context):
        return action()


VALUES = [
    (lambda: value(INT).a, AttributeError, "`Value` of non-structural type int32 has no attribute a"),
    (
        lambda: value([("a", np.int32)]).b,
        AttributeError,
        "There is no such attribute 'b' in this tuple. Valid attributes: (a)",
    ),
    (
        lambda: value(tff.FederatedType([("a", np.int32)], tff.CLIENTS)).b,
        AttributeError,
        "There is no such attribute 'b' in this federated tuple. Valid attributes: (a)",
    ),
    (lambda: value([np.int32])[-1], IndexError, "The index of the selected element -1 is out of range."),
    (lambda: value([np.int32])[1], IndexError, "The index of the selected element 1 is out of range."),
    (
        lambda: value(tff.FederatedType([np.int32], tff.CLIENTS))[3],
        IndexError,
        "The index of the selected element 3",
    ),
    (
        lambda: value([np.int32])[2:],
        IndexError,
        "Attempted to slice 0 elements, which is not currently supported.",
    ),
    (
        lambda: value(INT)[0],
        TypeError,
        "Operator getitem() is only supported for (possibly federated) structure types",
    ),
    (lambda: len(value(INT)), TypeError, "Operator len() is only supported"),
    (lambda: list(value(INT)), TypeError, "Operator iter() is only supported"),
    (lambda: value([np.int32])[1.5], TypeError, "elements are selected by name, index or slice"),
    (lambda: bool(value(INT)), TypeError, "Move logic on tensors into a `graph_computation`."),
    (
        lambda: value(INT)(1),
        SyntaxError,
        "Function-like invocation is only supported for values of functional types",
    ),
    (
        lambda: value(INT) - 1,
        TypeError,
        "`-` is not defined for values of federated computations; move arithmetic",
    ),
    (lambda: 2 * value(INT), TypeError, "`*` is not defined"),
    (lambda: value(INT) / 2, TypeError, "`/` is not defined"),
    (lambda: np.int32(1) - value(INT), TypeError, "`-` is not defined"),
    (lambda: value(INT) < 1, TypeError, "`<` is not defined"),
    (lambda: -value(INT), TypeError, "`-` is not defined"),
    (
        lambda: value(INT) + 1.5,
        TypeError,
        "`+` adds two values of one type and placement, found int32 and float32",
    ),
    (lambda: value(AT_CLIENTS) + value(AT_SERVER), TypeError, "found {int32}@CLIENTS and int32@SERVER"),
    (lambda: value(np.bool_) + True, TypeError, "bool is not numeric"),
    (
        lambda: value(tff.SequenceType(np.int32)) + value(tff.SequenceType(np.int32)),
        TypeError,
        "may be summed",
    ),
    (lambda: tff.to_value(lambda x: x, None), TypeError, "decorate it with `@graph_computation`"),
    (
        lambda: tff.to_value(object(), None),
        TypeError,
        "wrap logic that is not federated in a `@graph_computation`",
    ),
    (lambda: tff.to_value(None, None), TypeError, "found None"),
    (
        lambda: tff.to_value([1, 2], tff.SequenceType(np.int32)),
        TypeError,
        "Expected a value of the sequence type int32*",
    ),
    (
        lambda: tff.to_value([1], tff.StructType([np.bool_])),
        ValueError,
        "Expected '1' to be compatible with 'bool'.",
    ),
    (
        lambda: tff.to_value([1, 2], tff.StructType([np.int32])),
        framework.TypeNotAssignableError,
        "Expected <int32,int32> to be assignable to <int32>.",
    ),
    (
        lambda: tff.to_value(1, tff.StructType([np.int32])),
        ValueError,
        "Expected a `TensorType`, found <int32>.",
    ),
    (
        lambda: tff.to_value(tff.federated_computation(lambda x: x), None),
        TypeError,
        "Polymorphic computations cannot be converted to values without a type hint.",
    ),
    (lambda: value(FUNCTION)(1, 2), TypeError, "compatible only with a single positional argument"),
    (
        lambda: value(FUNCTION)(1.5),
        TypeError,
        "Expected `arg` to be of type int32, found an incompatible type float32.",
    ),
    (lambda: value(tff.FunctionType(None, np.int32))(1), TypeError, "Was not expecting any arguments"),
    (lambda: tff.federated_value(1, "server"), TypeError, "Expected `placement` to be `CLIENTS` or `SERVER`"),
    (
        lambda: tff.federated_eval(value(FUNCTION), tff.CLIENTS),
        ValueError,
        "Expected `fn` to have no parameters, found int32.",
    ),
    (
        lambda: tff.federated_map(5, value(AT_CLIENTS)),
        ValueError,
        "Expected `fn` to be a function, found a value of type int32.",
    ),
    (
        lambda: tff.federated_sum(value(AT_SERVER)),
        TypeError,
        "The value to be summed should be placed at CLIENTS",
    ),
    (lambda: tff.federated_mean(value(AT_CLIENTS)), TypeError, "is not compatible with the average operator"),
    (
        lambda: tff.federated_map(lambda x: x, value(AT_CLIENTS)),
        TypeError,
        "decorate it with `@graph_computation`",
    ),
]

DECORATORS = [
    (lambda: tff.federated_computation(np.int32)(5), TypeError, "Expected a function to decorate, found 5."),
    (
        lambda: tff.federated_computation(5),
        TypeError,
        "Unable to interpret an argument of type <class 'int'>",
    ),
    (lambda: tff.federated_computation(lambda x=1: x), TypeError, "Found parameter `x` with default value 1"),
    (lambda: tff.federated_computation(lambda *x: x), TypeError, "Found varargs parameter `x`."),
    (lambda: tff.federated_computation(lambda **x: x), TypeError, "Found varargs parameter `x`."),
    (
        lambda: tff.federated_computation(lambda *, x: x),
        TypeError,
        "Found parameter `x` which appears after a `*`",
    ),
    (
        lambda: tff.federated_computation(lambda x, /: x),
        TypeError,
        "Found parameter `x` which appears before a `/`",
    ),
    (
        lambda: tff.federated_computation(np.int32)(lambda x, y: x),
        TypeError,
        "Function with 2 parameters must have a parameter type with the same number of parameters. Found parameter type",
    ),
    (
        lambda: tff.federated_computation(np.int32)(lambda: 1),
        TypeError,
        "Function with 0 parameters must have",
    ),
    (lambda: tff.federated_computation(lambda: 1)(5), TypeError, "Was not expecting any arguments"),
    (lambda: tff.federated_computation(lambda: None), framework.ComputationReturnedNoneError, "<lambda>"),
    (
        lambda: framework.ConcreteComputation.from_building_block(reference(INT)),
        TypeError,
        "to be a function, found a int32.",
    ),
    (lambda: framework.serialize_computation(5), TypeError, "Expected `computation` to be a computation"),
    (lambda: framework.deserialize_computation(b"abc"), ValueError, "they end too early"),
    (lambda: framework.deserialize_computation(b"\1" + bytes(20)), ValueError, "do not begin with `GWFC`"),
    (
        lambda: framework.get_context_stack().install(5),
        TypeError,
        "Expected `ctx` to be a context with a method `invoke`",
    ),
]

STRUCTURES = [
    (lambda: structure.Struct([5]), TypeError, "Expected every item on the list to be a pair"),
    (lambda: structure.Struct([("a", 1), ("a", 2)]), ValueError, "does not support duplicated names"),
    (
        lambda: structure.Struct([(None, 1)])[1],
        IndexError,
        "Element index 1 is out of range, `Struct` has 1 elements.",
    ),
    (lambda: structure.Struct([("a", 1)]).b, AttributeError, 'does not have named field "b"'),
    (lambda: structure.to_odict(structure.Struct([(None, 1)])), ValueError, "with unnamed entries"),
    (
        lambda: structure.from_container(5),
        TypeError,
        "Unable to convert a Python object of type <class 'int'>",
    ),
    (lambda: structure.to_elements(5), TypeError, "Expected a `Struct`, found <class 'int'>."),
    (lambda: structure.map_structure(5, structure.Struct([])), TypeError, "Expected `fn` to be callable"),
    (lambda: structure.map_structure(len), ValueError, "at least one structure"),
    (
        lambda: structure.map_structure(max, structure.Struct([("a", 1)]), structure.Struct([("b", 1)])),
        TypeError,
        "the same nested structure",
    ),
    (
        lambda: framework.unpack_args_from_struct(structure.Struct([("a", 1), (None, 2)])),
        TypeError,
        "Not an argument struct",
    ),
    (
        lambda: framework.type_to_py_container(
            structure.Struct([(None, 1)]), tff.StructWithPythonType([INT], dict)
        ),
        ValueError,
        "must have all names specified",
    ),
]


@pytest.mark.parametrize(("action", "expected", "message"), TYPES + BLOCKS + DECORATORS + STRUCTURES)
def test_refusals(action, expected, message):
    with pytest.raises(expected) as raised:
        action()
    assert raised.type is expected
    assert message in str(raised.value)


@pytest.mark.parametrize(("action", "expected", "message"), VALUES)
def test_refusals_while_a_computation_is_traced(action, expected, message):
    with pytest.raises(expected) as raised:
        in_context(action)
    assert raised.type is expected
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "action",
    [
        lambda: value(FUNCTION)(1),
        lambda: tff.federated_sum(value(AT_CLIENTS)),
        lambda: value(INT) + 1,
    ],
)
def test_calls_and_intrinsics_need_a_context_that_binds_symbols(action):
    class Context:
        def invoke(self, comp, arg):
            raise AssertionError

    with framework.get_context_stack().install(Context()), pytest.raises(framework.ContextError) as raised:
        action()
    assert "such as the body of a `federated_computation`" in str(raised.value)


def test_no_default_context_refuses_to_run():
    computation = tff.federated_computation(lambda: 1)
    with (
        framework.get_context_stack().install(framework.RuntimeErrorContext()),
        pytest.raises(framework.ContextError),
    ):
        computation()


def test_placing_a_value_is_deprecated():
    with pytest.warns(DeprecationWarning, match="`federated_eval`"):
        in_context(lambda: tff.federated_value(value(INT), tff.SERVER))


def test_getattr_with_a_default():
    assert getattr(value([("a", np.int32)]), "b", 7) == 7
    assert getattr(value(INT), "shape", None) is None
    assert not hasattr(value(AT_CLIENTS), "a")

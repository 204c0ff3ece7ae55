"""Programs of TFF's page on tracing: their structure, and the frames of what they raise."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import gc
import pathlib
import subprocess
import sys
import threading
import traceback
from typing import Any, NamedTuple

import numpy as np
import pytest

import graphwright
import graphwright.federated as tff
from graphwright.federated import framework, structure

I32, F32 = np.int32, np.float32
AT_CLIENTS = tff.FederatedType(I32, tff.CLIENTS)
AT_SERVER = tff.FederatedType(I32, tff.SERVER)
LIBRARY = str(pathlib.Path(graphwright.__file__).parent)


def text(computation):
    return str(computation.to_building_block())


def trace(*types):
    return tff.federated_computation(*types)


def frames_of_ours(error):
    return [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(LIBRARY)
    ]


# Structure


def test_selection_of_an_element():
    @trace([I32, F32])
    def foo(x):
        return x[0]

    assert text(foo) == "(foo_arg -> foo_arg[0])"
    assert str(foo.type_signature) == "(<int32,float32> -> int32)"


def test_arguments_are_packed_into_one_struct():
    @trace(tff.FunctionType(I32, I32), I32)
    def foo(f, x):
        return f(f(x))

    assert text(foo) == (
        "(foo_arg -> (let fc_foo_symbol_0=foo_arg[0](foo_arg[1]),"
        "fc_foo_symbol_1=foo_arg[0](fc_foo_symbol_0) in fc_foo_symbol_1))"
    )
    assert foo.type_signature.parameter.python_container is collections.OrderedDict


def test_intrinsics_are_bound_in_their_order():
    @trace(tff.FunctionType(I32, F32), AT_CLIENTS)
    def average(f, values):
        return tff.federated_mean(tff.federated_map(f, values))

    assert text(average) == (
        "(average_arg -> (let fc_average_symbol_0=federated_map(<average_arg[0],average_arg[1]>),"
        "fc_average_symbol_1=federated_mean(fc_average_symbol_0) in fc_average_symbol_1))"
    )
    assert str(average.type_signature) == "(<f=(int32 -> float32),values={int32}@CLIENTS> -> float32@SERVER)"


def test_no_parameter_and_no_symbols():
    @trace()
    def five():
        return 5

    assert text(five) == "( -> 5)"


def test_results_in_containers():
    @dataclasses.dataclass
    class Both:
        a: Any
        b: Any

    class Pair(NamedTuple):
        x: Any
        y: Any

    @trace(I32)
    def f(x):
        return {"a": [x, 1], "b": (x, Pair(x, 2)), "c": Both(x, b"s")}

    assert text(f) == "(f_arg -> <a=<f_arg,1>,b=<f_arg,<x=f_arg,y=2>>,c=<a=f_arg,b=b's'>>)"
    result = f.type_signature.result
    assert result.python_container is dict
    assert result["c"].python_container is Both
    assert result["b"][1].python_container is Pair


def test_names_of_nested_computations_get_numbers():
    @trace(tff.FunctionType(I32, I32), I32)
    def f(g, x):
        @trace(I32)
        def f(y):
            @trace(I32)
            def f(z):
                return g(z)

            return f(g(y))

        return f(g(x))

    assert "f_1_arg" in text(f)
    assert "f_2_arg" in text(f)
    assert "fc_f_symbol_0=f_arg[0](f_arg[1])" in text(f)


def test_computations_are_inlined_where_they_are_used():
    @trace(I32)
    def identity(x):
        return x

    @trace(AT_CLIENTS)
    def outer(v):
        return tff.federated_map(identity, v)

    assert text(outer) == (
        "(outer_arg -> (let fc_outer_symbol_0=federated_map(<(identity_arg -> identity_arg),outer_arg>)"
        " in fc_outer_symbol_0))"
    )


def test_calls_of_computations_inside_others_are_bound():
    @trace(I32, I32)
    def first(x, y):
        return x

    @trace(I32)
    def outer(x):
        return first(x, 2)

    assert text(outer) == (
        "(outer_arg -> (let fc_outer_symbol_0=(first_arg -> first_arg[0])(<x=outer_arg,y=2>) in fc_outer_symbol_0))"
    )


def test_elements_of_federated_structs():
    @trace(
        tff.FederatedType([("a", I32), ("b", F32), ("c", I32)], tff.CLIENTS),
        tff.FederatedType((I32, F32), tff.SERVER),
    )
    def f(v, s):
        return v.b, v[0], v[2:0:-1], s[1]

    assert text(f) == (
        "(f_arg -> <federated_map(<(x -> x[1]),f_arg[0]>),federated_map(<(x -> x[0]),f_arg[0]>),"
        "federated_map(<(x -> <c=x[2],b=x[1]>),f_arg[0]>),federated_apply(<(x -> x[1]),f_arg[1]>)>)"
    )


def test_elements_of_literal_structs_are_no_selections():
    context = framework.FederatedComputationContext(framework.get_context_stack(), "c")
    with framework.get_context_stack().install(context):
        value = tff.to_value({"a": 1, "b": 2})
        assert str(value.a) == "1"
        assert str(value["b"]) == "2"
        assert str(value[0:2]) == "<1,2>"
        assert [str(element) for element in value] == ["1", "2"]
        assert dir(value) == ["a", "b", "comp", "type_signature"]


def test_values_print_names_and_computations_positions():
    seen = []

    @trace([("bar", I32), ("baz", I32)])
    def foo(x):
        seen.append(str(x.bar))
        return x.bar

    assert seen == ["foo_arg.bar"]
    assert text(foo) == "(foo_arg -> foo_arg[0])"


def test_addition_of_values():
    @trace(I32, I32)
    def add(x, y):
        return x + y + 1

    assert text(add) == (
        "(add_arg -> (let fc_add_symbol_0=generic_plus(<add_arg[0],add_arg[1]>),"
        "fc_add_symbol_1=generic_plus(<fc_add_symbol_0,1>) in fc_add_symbol_1))"
    )

    @trace(AT_CLIENTS, AT_CLIENTS)
    def sums(x, y):
        return x + y

    assert text(sums) == (
        "(sums_arg -> (let fc_sums_symbol_0=federated_map(<generic_plus,"
        "federated_zip_at_clients(<sums_arg[0],sums_arg[1]>)>) in fc_sums_symbol_0))"
    )


def test_a_parent_has_one_object_for_each_child():
    block = trace([I32, F32])(lambda x: (x[0], x[1])).to_building_block()
    assert block.result is block.result
    assert block.result[0].source is block.result[0].source
    assert block.type_signature is block.type_signature


def test_untouched_subtrees_stay_the_same_objects():
    x = framework.Reference("x", I32)
    left, right = framework.Struct([x, x]), framework.Struct([framework.Literal(5, tff.TensorType(I32))])
    root = framework.Struct([left, right])

    def six(block):
        if isinstance(block, framework.Literal):
            return framework.Literal(6, block.type_signature), True
        return block, False

    new, changed = framework.transform_postorder(root, six)
    assert changed
    assert str(new) == "<<x,x>,<6>>"
    assert new[0] is left
    same, changed = framework.transform_postorder(root, lambda block: (block, False))
    assert same is root
    assert not changed
    new, changed = framework.transform_preorder(
        root, lambda block: (x, True) if block is right else (block, False)
    )
    assert str(new) == "<<x,x>,x>"
    assert new[0] is left


def test_unique_names_and_unbound_names():
    block = framework.Block([("a", framework.Reference("b", I32))], framework.Reference("a", I32))
    names = framework.unique_name_generator(block)
    assert [next(names), next(names)] == ["_var1", "_var2"]
    taken = framework.Reference("_var_x", I32)
    name = next(framework.unique_name_generator(taken))
    assert name != "_var_x"
    assert framework.unbound_names(block) == ["b"]


def test_a_federated_type_is_one_object():
    assert tff.TensorType(I32) is tff.TensorType(np.dtype("int32")) is tff.to_type(graphwright.int32)
    assert tff.FederatedType(I32, tff.SERVER) is tff.FederatedType(I32, tff.SERVER, True)
    assert tff.StructType([I32, ("b", F32)]) is tff.to_type([I32, ("b", F32)])
    assert tff.to_type([I32]) is not tff.to_type((I32,))
    variable = tff.AbstractType("T")
    assert tff.FederatedType(variable, tff.SERVER).is_assignable_from(
        tff.FederatedType(variable, tff.SERVER, True)
    )


def test_types_do_not_pile_up():
    from graphwright import _federated

    def entries():
        for size in range(5000):
            tff.FederatedType((I32, (size,)), tff.CLIENTS)
        gc.collect()
        return _federated._interned_types()

    first = entries()
    for _ in range(4):
        last = entries()
    assert last <= 2 * first + 4096


# Frames


def test_a_federated_trace_shows_no_frame_of_ours():
    class Mine(Exception):
        pass

    def user(x):
        raise Mine("here")

    def calls_an_intrinsic(x):
        return tff.federated_sum(x[0])

    def nested(x):
        @trace(I32)
        def inner(y):
            return user(y)

        return inner(x)

    def selects(x):
        return x.nothing

    for function, expected in [
        (user, Mine),
        (nested, Mine),
        (calls_an_intrinsic, TypeError),
        (selects, AttributeError),
    ]:
        with pytest.raises(expected) as raised:
            trace(I32)(function)
        assert frames_of_ours(raised.value) == []


def test_the_stack_of_contexts_is_as_before_after_an_exception():
    stack = framework.get_context_stack()
    before = stack.current

    def fails(x):
        raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            trace(I32)(fails)
        assert stack.current is before

    class Context:
        def invoke(self, comp, arg):
            raise ValueError("no")

    context = Context()
    with stack.install(context) as installed:
        assert installed is context
        assert stack.current is context
        with pytest.raises(ValueError, match="no"):
            trace()(lambda: 1)()
    with pytest.raises(KeyError), stack.install(context):
        raise KeyError
    assert stack.current is before


def test_contexts_are_of_their_thread():
    stack = framework.get_context_stack()
    found = []

    class Context:
        def invoke(self, comp, arg):
            return arg

    with stack.install(Context()) as context:
        thread = threading.Thread(target=lambda: found.append(stack.current))
        thread.start()
        thread.join()
    assert found[0] is not context


def test_none_names_the_users_function():
    def returns_nothing(x):
        pass

    with pytest.raises(framework.ComputationReturnedNoneError) as raised:
        trace(I32)(returns_nothing)
    line = returns_nothing.__code__.co_firstlineno
    assert str(raised.value).startswith(
        f"The function `returns_nothing` defined on line {line} of file {__file__}"
    )
    assert isinstance(raised.value, ValueError)
    with pytest.raises(framework.ComputationReturnedNoneError):
        trace(I32)(lambda x: None)


def test_polymorphic_computations_are_traced_once_for_a_type():
    traced = []

    @trace()
    def identity(x):
        traced.append(str(x.type_signature))
        return x

    first = identity.fn_for_argument_type(I32)
    assert identity.fn_for_argument_type(I32) is first
    identity.fn_for_argument_type(F32)
    for size in range(300):
        identity.fn_for_argument_type((I32, (size,)))
    assert traced.count("int32") == 1
    identity.fn_for_argument_type((I32, (299,)))
    assert traced.count("int32[299]") == 1

    @trace(tff.FederatedType(F32, tff.CLIENTS))
    def mapped(v):
        return tff.federated_map(identity, v)

    assert str(mapped.type_signature.result) == "{float32}@CLIENTS"


# Serialisation


def programs():
    class Local(NamedTuple):
        x: Any

    @trace(tff.FunctionType(I32, I32), tff.FederatedType([("a", I32), ("b", [F32])], tff.CLIENTS))
    def mixed(f, v):
        one = tff.federated_map(f, v.a)
        return {
            "sum": tff.federated_sum(one),
            "max": [tff.federated_max(v.b), tff.federated_value(b"s", tff.SERVER)],
        }

    @trace()
    def constants():
        return [1, 2.5, np.arange(3), "text", (True, 1j)]

    return [mixed, constants]


def test_computations_are_serialised():
    import pickle

    for computation in programs():
        data = framework.serialize_computation(computation)
        again = framework.deserialize_computation(data)
        assert text(again) == text(computation)
        assert again.type_signature is computation.type_signature
        assert framework.serialize_computation(again) == data
        assert text(pickle.loads(pickle.dumps(computation))) == text(computation)
        block = computation.to_building_block()
        assert str(pickle.loads(pickle.dumps(block))) == str(block)
        assert pickle.loads(pickle.dumps(computation.type_signature)) is computation.type_signature
    assert pickle.loads(pickle.dumps(tff.CLIENTS)) is tff.CLIENTS
    struct = structure.Struct([("a", 1), (None, 2)])
    assert pickle.loads(pickle.dumps(struct)) == struct


def test_damaged_bytes_are_refused():
    import random

    data = framework.serialize_computation(programs()[0])
    for length in range(0, len(data), 7):
        with pytest.raises((ValueError, EOFError, Exception)) as raised:
            framework.deserialize_computation(data[:length])
        assert not isinstance(raised.value, (SystemError, MemoryError))
    length = int.from_bytes(data[:8], "little")
    rng = random.Random(5)
    refused = 0
    for _ in range(300):
        place = rng.randrange(8, 8 + length)
        changed = data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]
        try:
            str(framework.deserialize_computation(changed))
        except (ValueError, TypeError, IndexError):
            refused += 1
    assert refused > 100
    other = data[:12] + bytes([99]) + data[13:]
    with pytest.raises(ValueError, match="version 99"):
        framework.deserialize_computation(other)


# The package


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


def test_graphwright_imports_the_package_when_it_is_asked_for():
    code = """
import sys, graphwright
print("graphwright.federated" in sys.modules)
graphwright.federated.TensorType
print("graphwright.federated" in sys.modules, [m for m in ("tensorflow", "google.protobuf", "ray") if m in sys.modules])
"""
    assert run(code) == ["False", "True", "[]"]


def test_computations_are_typed_objects():
    computation = trace()(lambda: 1)
    assert isinstance(computation, tff.Computation)
    assert isinstance(computation, tff.TypedObject)
    assert isinstance(computation.to_building_block(), tff.TypedObject)
    assert not isinstance(5, tff.TypedObject)


def test_coroutines_keep_their_contexts_apart():
    async def task(name):
        @trace(I32)
        def f(x):
            return x

        await asyncio.sleep(0)
        return text(f)

    async def both():
        return await asyncio.gather(task("a"), task("b"))

    assert asyncio.run(both()) == ["(f_arg -> f_arg)"] * 2

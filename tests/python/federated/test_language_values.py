"""Values, types of values and containers, as `federated-language` has them, and the leaf of a graph computation."""

from __future__ import annotations

import collections
import dataclasses
import pickle
import random
import subprocess
import sys
import types
from typing import Any, NamedTuple

import attrs
import numpy as np
import pytest

import federated_pairs as pairs
import graphwright as gw
import graphwright.federated as tff
from graphwright.federated import framework, structure

judged = pytest.mark.skipif(pairs.theirs is None, reason="federated-language is not installed")


@attrs.define
class Attrs:
    a: Any
    b: Any


class Pair(NamedTuple):
    a: Any


@dataclasses.dataclass
class Data:
    a: Any
    b: Any


SCALARS = [
    1, -7, 2**40, 2.5, True, "s", b"s", 1j, np.int8(3), np.float64(2), np.bool_(False), np.zeros((2, 3), np.float32),
    np.array(["a", "b"]), np.arange(3),
]  # fmt: skip


def random_value(rng, depth):
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(SCALARS)
    parts = [random_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    kind = rng.randrange(7)
    if kind == 0:
        return parts
    if kind == 1:
        return tuple(parts)
    if kind == 2:
        return {name: part for name, part in zip("abc", parts, strict=False)}
    if kind == 3:
        return collections.OrderedDict(zip("xyz", parts, strict=False))
    if kind == 4:
        return pairs.Point(random_value(rng, depth - 1), random_value(rng, depth - 1))
    if kind == 5:
        return Attrs(random_value(rng, depth - 1), random_value(rng, depth - 1))
    return [("a", part) for part in parts]


@judged
def test_types_of_random_values():
    rng = random.Random(7)
    for _ in range(400):
        value = random_value(rng, 3)
        mine, theirs = pairs.both(lambda lib, value=value: repr(lib.blocks.infer_type(value)))
        assert mine == theirs, value


@judged
def test_blocks_of_random_values():
    rng = random.Random(8)
    for _ in range(400):
        value = random_value(rng, 3)

        def block(lib, value=value):
            made = lib.types.to_value(value, None)
            return str(made), str(made.type_signature), made.type_signature.compact_representation()

        mine, theirs = pairs.both(block)
        assert mine[0] == theirs[0], (value, mine, theirs)
        if theirs[0] == "made":
            assert mine == theirs


@judged
def test_structs_of_random_containers():
    rng = random.Random(9)
    for _ in range(300):
        value = random_value(rng, 3)
        for recursive in (False, True):

            def struct(lib, value=value, recursive=recursive):
                made = lib.structure.from_container(value, recursive=recursive)
                return str(made), repr(made), lib.structure.name_list(made), repr(lib.structure.flatten(made))

            mine, theirs = pairs.both(struct)
            assert mine[0] == theirs[0], (value, mine, theirs)
            if theirs[0] == "made":
                assert mine == theirs


def random_step(rng, length):
    kind = rng.choice(["item", "item", "name", "slice", "call", "list", "map", "zip"])
    return kind, rng.randrange(length), rng.randrange(4), rng.choice("abf")


def stepped(lib, steps):
    """The text of a program of random steps over values."""
    types = lib.types
    clients, server = lib.placements["clients"], lib.placements["server"]
    function = types.FunctionType(np.int32, np.int32)
    pair = types.StructType([("a", np.int32), ("b", np.int32)])
    parameter = types.StructType(
        [
            ("f", function),
            ("s", types.StructType([("a", np.int32), ("b", pair), np.int32])),
            ("c", types.FederatedType(pair, clients)),
            ("v", types.FederatedType(pair, server)),
        ]
    )

    def body(x):
        values = [x.f, x.s, x.c, x.v, x.s.a]
        errors = []
        for step in steps:
            try:
                values.append(take(lib, x.f, values, step))
            except Exception as error:
                errors.append(pairs.kind_of(error))
        outcomes.append(errors)
        return values

    outcomes = []
    computation = types.federated_computation(parameter)(body)
    return str(computation.to_building_block()), str(computation.type_signature), outcomes


def take(lib, function, values, step):
    kind, place, number, name = step
    value = values[place % len(values)]
    if kind == "item":
        return value[number % len(value)]
    if kind == "name":
        return getattr(value, name)
    if kind == "slice":
        return value[number:]
    if kind == "call":
        return function(value)
    if kind == "list":
        return [value, values[number]]
    if kind == "map":
        return lib.types.federated_map(function, value)
    return lib.types.federated_zip((value, {"k": values[number]}))


@judged
def test_random_programs_over_values():
    rng = random.Random(10)
    errors = 0
    for _ in range(300):
        steps = [random_step(rng, 12) for _ in range(8)]
        mine, theirs = pairs.both(lambda lib, steps=steps: stepped(lib, steps))
        assert mine == theirs, steps
        errors += len(theirs[1][2][0])
    assert errors > 100


@judged
def test_structs_in_their_containers():
    elements = [("a", 1), ("b", 2)]
    classes = [dict, collections.OrderedDict, Attrs, list, tuple, collections.namedtuple("Two", "a b")]
    for container in classes:
        for given in (elements, [(None, 1), (None, 2)], [("z", 1), ("b", 2)]):
            for declared in (elements, [(None, 1), (None, 2)], [("a", 1), (None, 2)]):

                def restored(lib, container=container, given=given, declared=declared):
                    fields = [(name, np.int32) for name, _ in declared]
                    ty = lib.types.StructWithPythonType(fields, container)
                    value = lib.blocks.type_to_py_container(lib.structure.Struct(given), ty)
                    return type(value), repr(value)

                mine, theirs = pairs.both(restored)
                assert mine[0] == theirs[0], (container, given, declared, mine, theirs)
                if theirs[0] == "made":
                    assert mine == theirs


def test_constants_have_the_type_of_the_other_operand():
    @tff.federated_computation(np.int64, np.float64)
    def f(x, y):
        return x + 1, 2.5 + y, np.float32(1) + y

    result = str(f.type_signature.result)
    assert result == "<int64,float64,float64>"
    with pytest.raises(TypeError, match="found int64 and float32"):
        tff.federated_computation(np.int64)(lambda x: x + 1.5)


def test_dataclasses_are_containers():
    ty = tff.to_type(Data(np.int32, [np.float32]))
    assert str(ty) == "<a=int32,b=<float32>>"
    value = structure.Struct([("a", 1), ("b", structure.Struct([(None, 2.0)]))])
    assert framework.type_to_py_container(value, ty) == Data(1, [2.0])
    assert framework.infer_type(Data(1, [2.0])).python_container is Data


def test_types_of_tensors_and_datasets():
    assert str(framework.infer_type(gw.constant([1, 2]))) == "int32[2]"
    dataset = gw.data.Dataset.from_tensor_slices(np.arange(6, dtype=np.int32)).batch(4)
    assert str(framework.infer_type(dataset)) == "int32[?]*"


class Leaf:
    """A stand-in for the leaf of the executors."""

    def __init__(self, fn, parameter, unpack, name):
        unpack = pickle.loads(pickle.dumps(unpack))
        self.call = lambda argument: unpack(fn, argument)
        self.name = name
        self.digest = "0123abcd"
        self.type_signature = tff.FunctionType(parameter, np.int32)


@pytest.fixture
def leaves(monkeypatch):
    """Leaves that record how they were asked for."""
    made = []
    module = types.ModuleType("graphwright.federated._execution.leaf")
    module.trace = lambda *given: made.append(Leaf(*given)) or made[-1]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return made


def test_graph_computations_are_blocks_of_leaves(leaves):
    @tff.graph_computation([("x", np.int32), ("y", np.int32)])
    def add(x, y):
        """Adds."""
        return x + y

    block = add.to_building_block()
    assert str(block) == "comp#0123abcd"
    assert str(add.type_signature) == "(<x=int32,y=int32> -> int32)"
    assert block.leaf is leaves[0]
    assert (leaves[0].name, add.__name__, add.__doc__) == ("add", "add", "Adds.")
    assert leaves[0].call(structure.Struct([("x", 2), ("y", 3)])) == 5
    assert leaves[0].call({"x": 2, "y": 3}) == 5
    assert tff.tensorflow.computation is tff.graph_computation


def test_whole_arguments_of_graphs_are_in_their_containers(leaves):
    tff.graph_computation(pairs.Point(np.int32, [np.int32]))(lambda point: (point.x, point.y))
    given = structure.Struct([("x", 1), ("y", structure.Struct([(None, 2)]))])
    assert leaves[0].call(given) == (1, [2])
    tff.graph_computation()(lambda: 7)
    assert leaves[1].call(None) == 7


def test_arguments_of_polymorphic_graphs_are_unpacked(leaves):
    identity = tff.graph_computation(lambda x: x)
    identity.fn_for_argument_type([np.int32], unpack=True)
    identity.fn_for_argument_type([np.int32])
    given = structure.Struct([(None, 3)])
    assert [leaf.call(given) for leaf in leaves] == [3, [3]]


def test_functions_of_ours_are_polymorphic_graphs(leaves):
    @gw.function
    def double(x):
        return 2 * x

    @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
    def doubled(v):
        return tff.federated_map(double, v)

    assert "federated_map(<comp#0123abcd,doubled_arg>)" in str(doubled.to_building_block())


def test_tracing_sees_no_python_frame_of_ours_in_a_graph(leaves):
    def fails(x):
        raise KeyError(x)

    tff.graph_computation(np.int32)(fails)
    with pytest.raises(KeyError) as raised:
        leaves[0].call(3)
    frames = []
    frame = raised.value.__traceback__
    while frame is not None:
        frames.append(frame.tb_frame.f_code.co_name)
        frame = frame.tb_next
    assert frames[-1] == "fails"
    assert not any("graphwright" in name for name in frames)


def test_objects_that_stand_for_types():
    spec = gw.TensorSpec([2, None], gw.float32)
    dataset = gw.data.Dataset.from_tensor_slices(np.arange(6, dtype=np.int32))
    cases = {
        "int32": gw.int32,
        "float32[2,?]": spec,
        "int32*": dataset,
        "str": np.bytes_,
        "<a=int32,b=<bool>>": Attrs(np.int32, [np.bool_]),
        "<a=str>": Pair(np.str_),
        "int32[2,?]": (np.int32, [2, None]),
        "'int32'(shape=None)": (np.int32, None),
        "<int32,float32>": (np.int32, np.float32),
        "<x=int32>": structure.Struct([("x", np.int32)]),
        "<int32,b=bool>": [np.int32, ("b", np.bool_)],
    }
    for text, spec_of in cases.items():
        assert str(tff.to_type(spec_of)) == text
    assert tff.to_type(Attrs(np.int32, np.int32)).python_container is Attrs
    assert tff.to_type(Pair(np.int32)).python_container is Pair
    assert tff.to_type([np.int32, ("b", np.bool_)]).python_container is None
    assert tff.to_type(collections.OrderedDict(a=np.int32)).python_container is collections.OrderedDict


def test_objects_that_stand_for_values():
    cases = {
        "5": 5,
        "b's'": "s",
        "[1 2 3]": gw.constant([1, 2, 3]),
        "CLIENTS": tff.CLIENTS,
        "<1,<a=2.5>>": (1, {"a": 2.5}),
        "<a=1>": Pair(1),
    }
    for text, object_of in cases.items():
        assert str(tff.to_value(object_of, None)) == text
    assert tff.to_value(1, np.int64).type_signature is tff.TensorType(np.int64)
    assert tff.to_value(np.float16(1), None).type_signature is tff.TensorType(np.float16)


def test_structs_of_federated_values_are_zipped_where_they_must():
    @tff.federated_computation(tff.FederatedType([np.int32, np.int32], tff.CLIENTS))
    def takes(v):
        return v

    @tff.federated_computation(
        tff.FederatedType(np.int32, tff.CLIENTS), tff.FederatedType(np.int32, tff.CLIENTS)
    )
    def gives(x, y):
        return takes([x, y])

    assert "(federated_zip_at_clients(<gives_arg[0],gives_arg[1]>))" in str(gives.to_building_block())


def test_pickles_are_read_by_other_processes():
    computation = tff.federated_computation(tff.FederatedType([("a", np.int32)], tff.CLIENTS))(
        lambda v: [v.a, 5]
    )
    data = pickle.dumps((computation, computation.type_signature, tff.SERVER))
    code = f"import pickle; f, ty, server = pickle.loads({data!r}); print(f, f.type_signature is ty, server)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == f"{computation} True SERVER\n"

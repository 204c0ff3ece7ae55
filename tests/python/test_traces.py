"""Which graph a call runs: trace types, the cache of graphs, why a graph had to be made, concrete functions."""

from __future__ import annotations

import collections
import dataclasses
import gc
import pickle
import sys
import threading
import types
import warnings
import weakref
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pytest

import graphwright as gw
from graphwright.types.experimental import TraceType


def traces(function):
    return function.experimental_get_tracing_count()


@dataclasses.dataclass
class Particle:
    position: object
    speed: object
    kind: str = "electron"


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: object


class Pair(NamedTuple):
    a: object
    b: object


class Plain:
    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize(
    ("first", "again", "other"),
    [
        (1, 1, True),
        (1, 1, 1.0),
        (0.0, 0.0, -0.0),
        (float("nan"), float("nan"), 1.0),
        ("a", "a", "b"),
        ([1, 2], [1, 2], [2, 1]),
        ((1,), (1,), [1]),
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 2, "b": 1}),
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Pair(1, 2), Pair(1, 2), (1, 2)),
        (Particle(1.0, 2.0), Particle(1.0, 2.0), Particle(1.0, 3.0)),
        (Particle(np.zeros(2), 1), Particle(np.ones(2), 1), Particle(np.zeros(3), 1)),
        (Frozen(1), Frozen(1), Frozen(True)),
        (collections.OrderedDict(a=1), collections.OrderedDict(a=1), {"a": 1}),
        (
            types.MappingProxyType({"a": 1}),
            types.MappingProxyType({"a": 1}),
            types.MappingProxyType({"a": 2}),
        ),
        (Decimal("1.5"), Decimal("1.5"), Decimal("1.50001")),
        (np.zeros(2), np.ones(2), np.zeros(3)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_equal_arguments_share_a_graph_and_others_do_not(first, again, other):
    @gw.function
    def function(x):
        return 1

    function(first)
    function(again)
    assert traces(function) == 1
    function(other)
    assert traces(function) == 2


def test_dataclasses_are_structures_of_their_fields():
    @gw.function
    def step(p, dt):
        return dataclasses.replace(p, position=p.position + p.speed * dt)

    moved = step(Particle(gw.constant([1.0, 2.0]), gw.constant([1.0, 1.0])), 0.5)
    assert isinstance(moved, Particle)
    assert moved.position.numpy().tolist() == [1.5, 2.5]


def test_a_dataclass_is_carried_by_a_staged_loop():
    @gw.function
    def fall(p, floor):
        while p.position > floor:
            p = Particle(p.position + p.speed, p.speed - 1.0)
        return p

    landed = fall(Particle(gw.constant(10.0), gw.constant(0.0)), gw.constant(0.0))
    assert (landed.position.item(), landed.speed.item(), landed.kind) == (0.0, -5.0, "electron")


def test_dicts_keep_the_order_of_their_keys():
    @gw.function
    def keys(d):
        assert list(d) == ["b", "a"]
        return {name: value + 1 for name, value in d.items()}

    assert list(keys({"b": gw.constant(1), "a": gw.constant(2)})) == ["b", "a"]


def test_a_mapping_comes_back_as_what_it_was():
    @gw.function
    def double(d):
        return type(d)((k, v * 2) for k, v in d.items())

    ours = double(collections.OrderedDict(z=gw.constant(1), a=gw.constant(2)))
    assert type(ours) is collections.OrderedDict
    assert [(k, v.item()) for k, v in ours.items()] == [("z", 2), ("a", 4)]


def test_fresh_lambdas_and_methods_share_a_graph():
    @gw.function
    def apply(f, x):
        return f(x)

    class Owner:
        def method(self, x):
            return x + 1

    owner = Owner()
    for _ in range(50):
        apply(lambda x: x * 2, gw.constant(1))
        apply(owner.method, gw.constant(1))
    assert traces(apply) == 2
    for n in (1, 2):
        assert apply(lambda x: x * n, gw.constant(5)).item() == 5 * n
    assert traces(apply) == 4


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
def test_temporary_objects_are_not_kept_alive():
    @gw.function
    def read(o):
        return o.value + gw.constant(1)

    refs = []
    for n in range(20):
        o = Plain(n)
        assert read(o).item() == n + 1
        refs.append(weakref.ref(o))
        del o
    gc.collect()
    assert [ref() for ref in refs] == [None] * 20
    assert read.cache_info().currsize <= 2


def test_each_object_has_its_own_function_which_goes_with_it():
    class Model:
        def __init__(self, w):
            self.w = w

        @gw.function
        def __call__(self, x):
            return x * self.w

    a, b = Model(2), Model(3)
    assert (a(gw.constant(5)).item(), b(gw.constant(5)).item()) == (10, 15)
    assert traces(a.__call__) == 1
    ref = weakref.ref(a)
    del a
    gc.collect()
    assert ref() is None


def test_reduce_retracing_makes_a_graph_for_any_length():
    @gw.function(reduce_retracing=True)
    def total(x):
        return gw.reduce_sum(x)

    for n in range(1, 40):
        assert total(np.ones(n, np.float32)).item() == n
    assert traces(total) == 2
    total(np.ones((2, 2), np.float32))
    total(np.ones((3, 2), np.float32))
    assert traces(total) == 4


def test_the_most_specific_graph_runs():
    @gw.function
    def which(x):
        return x

    general = which.get_concrete_function(gw.TensorSpec([None, None]))
    narrow = which.get_concrete_function(gw.TensorSpec([None, 2]))
    which(np.zeros((5, 2), np.float32))
    which(np.zeros((5, 3), np.float32))
    assert traces(which) == 2
    assert general.graph.name == narrow.graph.name == "which"


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
def test_the_graphs_used_longest_ago_go():
    @gw.function
    def function(n):
        return n

    for n in range(1100):
        function(n)
    info = function.cache_info()
    assert (info.misses, info.currsize) == (1100, 1024)
    assert info.bytes > 0
    function(1099)
    assert function.cache_info().hits == 1
    function.cache_clear()
    assert function.cache_info() == (0, 0, 0, 0)


def test_retraces_are_explained():
    @gw.function
    def function(x, options):
        return x

    function(gw.constant([1.0]), {"rate": 1})
    function(gw.constant([1.0, 2.0]), {"rate": 1})
    function(gw.constant([1.0, 2.0]), {"rate": 2})
    first, second = function.explain_retraces()
    assert first.startswith("`x` is float32 of shape (2,), before float32 of shape (1,)")
    assert "reduce_retracing=True" in first
    assert second.startswith('`options["rate"]` is 2, before 1')


def test_the_fifth_graph_warns_and_says_why():
    @gw.function
    def function(n):
        return n

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(10):
            function(n)
    (warning,) = caught
    assert warning.category is gw.errors.RetracingWarning
    assert "`function` was traced 5 times" in str(warning.message)
    assert "`n` is 4, before 3: pass it as a tensor" in str(warning.message)


class Fruit:
    def __init__(self, name, colour):
        self.name, self.colour = name, colour

    def __tf_tracing_type__(self, context):
        return FruitType(self)


class FruitType(TraceType):
    def __init__(self, fruit):
        self.fruit = fruit

    def is_subtype_of(self, other):
        return type(other) is FruitType and self.fruit.name == other.fruit.name

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context):
        return self.fruit

    def __eq__(self, other):
        return type(other) is FruitType and self.fruit.name == other.fruit.name

    def __hash__(self):
        return hash(self.fruit.name)


def test_an_object_can_say_what_it_counts_by():
    @gw.function
    def taste(fruit):
        return 1 if fruit.name == "apple" else 2

    assert taste(Fruit("apple", "red")).item() == 1
    assert taste(Fruit("apple", "green")).item() == 1
    assert traces(taste) == 1
    assert taste(Fruit("mango", "yellow")).item() == 2
    assert traces(taste) == 2


def test_concrete_functions_take_arguments_or_their_tensors():
    @gw.function
    def power(a, b):
        return a**b

    square = power.get_concrete_function(a=gw.TensorSpec([], gw.float32), b=2)
    assert square(a=gw.constant(10.0)).item() == 100
    assert square(gw.constant(3.0)).item() == 9
    assert square(gw.constant(3.0), 2).item() == 9
    with pytest.raises(TypeError, match="GW302") as refused:
        square(gw.constant(3.0), b=3)
    assert "as the function's, it takes float32 of shape (), 2, but" in str(refused.value)
    assert "as its tensors alone, it takes" in str(refused.value)
    assert "square(gw.constant(3.0), b=3)" in str(refused.value)
    with pytest.raises(
        gw.errors.InvalidArgumentError, match="as its tensors alone, it takes float32 of shape .., but"
    ):
        square(gw.constant(3))


def test_a_signature_shows_tensors_behind_other_arguments():
    @gw.function
    def scaled(factor, x, flag=True):
        return x * factor if flag else x

    scaled(2, gw.constant([1.0]))
    args, _ = scaled.get_concrete_function(2, gw.constant([1.0])).structured_input_signature
    assert args == (2, gw.TensorSpec([1], gw.float32, "x"), True)
    text = scaled.pretty_printed_concrete_signatures()
    assert "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(1,), dtype=float32, name='x')" in text


def test_concrete_functions_show_their_types():
    @gw.function
    def function(x, options, flag=True):
        return {"y": x + options["k"], "n": None}

    concrete = function.get_concrete_function(gw.TensorSpec([None], gw.float32), {"k": gw.constant(1.0)})
    args, kwargs = concrete.structured_input_signature
    assert args[0].shape.as_list() == [None]
    assert args[1] == {"k": gw.TensorSpec([], gw.float32, "options")}
    assert (args[2], kwargs) == (True, {})
    assert concrete.structured_outputs["n"] is None
    assert concrete.structured_outputs["y"].dtype is gw.float32
    assert [spec.name for spec in concrete.inputs] == ["x", "options"]
    assert len(concrete.outputs) == 1
    text = concrete.pretty_printed_signature()
    assert text.startswith(
        "Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,), dtype=float32"
    )
    assert "\n  flag (POSITIONAL_OR_KEYWORD): Literal[True]\nOutput Type:\n  {'y': TensorSpec(" in text
    assert text.endswith("\nCaptures:\n  None")
    assert text == function.pretty_printed_concrete_signatures()


def test_graphs_can_be_walked_as_data():
    @gw.function
    def function(x):
        return gw.reduce_sum(x) * 2.0

    nodes = function.get_concrete_function(gw.TensorSpec([3])).graph.as_graph_def().node
    assert {"reduce_sum", "mul"} <= {node.op for node in nodes}


def test_signatures_may_be_structures_and_leave_defaults_alone():
    spec = gw.TensorSpec([None], gw.float32)

    @gw.function(input_signature=[{"a": spec, "b": (spec,)}])
    def function(d, scale=2.0):
        return (gw.reduce_sum(d["a"]) + gw.reduce_sum(d["b"][0])) * scale

    one, two = np.ones(1, np.float32), np.ones(2, np.float32)
    assert function({"a": one, "b": (two,)}).item() == 6
    assert function({"a": two, "b": (two,)}).item() == 8
    assert traces(function) == 1
    with pytest.raises(TypeError, match="GW302"):
        function({"a": one, "b": [two]})
    with pytest.raises(TypeError, match="GW302"):
        function({"a": one, "b": (two,)}, 3.0)


def test_signatures_of_methods_leave_self_alone():
    class Model:
        w = 3.0

        @gw.function(input_signature=[gw.TensorSpec([], gw.float32)])
        def call(self, x):
            return x * self.w

    assert Model().call(2).item() == 6
    assert Model().call.get_concrete_function()(gw.constant(2.0)).item() == 6


def test_annotations_can_ask_for_tensors():
    @gw.function(experimental_follow_type_hints=True)
    def function(x: gw.Tensor, n: int):
        return x * n

    for x in range(5):
        assert function(x, 2).item() == 2 * x
    assert traces(function) == 1


def test_names_without_effect_are_accepted_with_a_note():
    with pytest.warns(DeprecationWarning, match="always compiled"):
        gw.function(lambda x: x, experimental_compile=True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        gw.function(lambda x: x, nonsense=True)


@gw.function
def at_module_level(x):
    return x + 1


def test_functions_are_pickled_by_reference(monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__, types.ModuleType(__name__)))
    monkeypatch.setattr(sys.modules[__name__], "at_module_level", at_module_level, raising=False)
    assert pickle.loads(pickle.dumps(at_module_level)) is at_module_level


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
def test_threads_share_the_graphs_and_make_each_once():
    made = []

    @gw.function
    def function(x, n):
        made.append(n)
        return gw.reduce_sum(x) * n

    wrong = []

    def work(seed):
        for i in range(60):
            n = (seed + i) % 6
            length = 1 + (seed * i) % 4
            if function(np.ones(length, np.float32), n).item() != length * n:
                wrong.append((length, n))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong
    assert len(made) == traces(function) == function.cache_info().misses
    assert len(made) <= 24


def test_an_error_while_tracing_is_not_kept():
    fail = [True]

    @gw.function
    def function(x):
        if fail[0]:
            raise ValueError("not yet")
        return x

    with pytest.raises(ValueError, match="not yet"):
        function(1)
    fail[0] = False
    assert function(1).item() == 1

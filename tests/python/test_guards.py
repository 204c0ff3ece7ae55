"""What a graph was made with besides its arguments: globals, closures, attributes. A change makes another graph."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import graphwright as gw

FACTOR = 2
UNUSED = 1


def traces(function):
    return function.experimental_get_tracing_count()


class Model:
    scale = 1.0

    def __init__(self):
        self.weight = 2.0
        self.bias = None
        self.inner = Inner()

    @gw.function
    def __call__(self, x):
        y = x * self.weight * self.scale + self.inner.shift(x)
        return y if self.bias is None else y + self.bias


class Inner:
    def __init__(self):
        self.by = 0.0

    def shift(self, x):
        return x * 0.0 + self.by


def helper(x):
    return x * FACTOR


def test_globals_are_looked_at_again(monkeypatch):
    @gw.function
    def function(x):
        return helper(x)

    assert function(gw.constant(3)).item() == 6
    monkeypatch.setitem(globals(), "FACTOR", 5)
    assert function(gw.constant(3)).item() == 15
    monkeypatch.setitem(globals(), "FACTOR", 2)
    assert function(gw.constant(3)).item() == 6
    assert traces(function) == 2
    monkeypatch.setitem(globals(), "UNUSED", 2)
    function(gw.constant(3))
    monkeypatch.setitem(globals(), "helper", lambda x: x - 1)
    assert function(gw.constant(3)).item() == 2
    assert traces(function) == 3


def test_variables_of_closures_are_looked_at_again():
    n = 1

    @gw.function
    def function(x):
        return x + n

    assert function(gw.constant(1)).item() == 2
    n = 10
    assert function(gw.constant(1)).item() == 11
    assert traces(function) == 2


def test_one_and_true_are_two_values():
    flag = 1

    @gw.function
    def function():
        return flag

    assert function().dtype is gw.int64
    flag = True
    assert function().dtype is gw.bool


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
def test_attributes_are_looked_at_again():
    model = Model()
    x = gw.constant(1.0)
    assert model(x).item() == 2
    model.weight = 3.0
    assert model(x).item() == 3
    model.bias = 1.0
    assert model(x).item() == 4
    model.inner.by = 0.5
    assert model(x).item() == 4.5
    model.inner = Inner()
    assert model(x).item() == 4
    model.scale = 10.0
    assert model(x).item() == 31
    assert traces(model.__call__) == 6
    model.scale = 10.0
    model.other = 1
    model(x)
    assert traces(model.__call__) == 6


def test_class_attributes_are_looked_at_again(monkeypatch):
    model = Model()
    assert model(gw.constant(1.0)).item() == 2
    monkeypatch.setattr(Model, "scale", 2.0)
    assert model(gw.constant(1.0)).item() == 4


def test_attributes_of_arguments_are_looked_at_again():
    @gw.function
    def evaluate(model, x):
        return model.weight * x + model.inner.by

    model = Model()
    assert evaluate(model, gw.constant(10.0)).item() == 20
    model.inner.by += 5.0
    assert evaluate(model, gw.constant(10.0)).item() == 25
    (reason,) = evaluate.explain_retraces()
    assert reason.startswith("`model.inner.by` is 5.0, before 0.0")


def test_a_counter_counts_as_in_python():
    class Counter:
        n = 0

        @gw.function
        def __call__(self, x):
            self.n += 1
            return x * self.n

    counter = Counter()
    assert [counter(gw.constant(1)).item() for _ in range(3)] == [1, 2, 3]


def test_what_is_made_while_tracing_is_no_part_of_the_world():
    @dataclasses.dataclass(eq=False)
    class Pair:
        a: object
        b: object

        def total(self):
            return self.a + self.b

    class Box:
        def __init__(self, value):
            self.value = value

        def get(self):
            return self.value

    @gw.function
    def function(x):
        def inner(y):
            return y + Box(x).get()

        return inner(Pair(x, 1).total())

    for _ in range(3):
        assert function(gw.constant(2)).item() == 5
    assert traces(function) == 1


def test_properties_and_methods_are_not_called_by_the_look():
    calls = []

    class Thing:
        @property
        def rate(self):
            calls.append("rate")
            return 2

        def method(self, x):
            return x

    thing = Thing()

    @gw.function
    def function(x):
        return thing.method(x) * thing.rate

    for _ in range(3):
        assert function(gw.constant(2)).item() == 4
    assert calls == ["rate"]


def test_slots_are_looked_at_again():
    class Slotted:
        __slots__ = ("n",)

    thing = Slotted()
    thing.n = 1

    @gw.function
    def function(x):
        return x * thing.n

    assert function(gw.constant(2)).item() == 2
    thing.n = 7
    assert function(gw.constant(2)).item() == 14


def test_objects_are_told_apart():
    @gw.function
    def function(x):
        return x * holder.value

    holder = Inner()
    holder.value = 2
    assert function(gw.constant(1)).item() == 2
    holder = Inner()
    holder.value = 3
    assert function(gw.constant(1)).item() == 3
    assert traces(function) == 2


def test_functions_made_again_are_others():
    def make(n):
        def inner(x):
            return x + n

        return inner

    step = make(1)

    @gw.function
    def function(x):
        return step(x)

    assert function(gw.constant(1)).item() == 2
    step = make(5)
    assert function(gw.constant(1)).item() == 6


def test_a_global_list_is_known_by_itself():
    @gw.function
    def function(x):
        seen.append(1)
        return x

    seen = []
    for _ in range(3):
        function(1)
    assert len(seen) == 1
    with pytest.raises(AttributeError):
        function.python_function.nothing
    assert np.asarray(function(1)).item() == 1

"""What a graph was made with besides its arguments: globals, closures, attributes. A change makes another graph."""

from __future__ import annotations

import dataclasses
import types

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


class Settings:
    def __init__(self, rate=1.0):
        self.rate = rate
        self.rates = {"a": 2.0, "b": 3.0}
        self.layers = [Inner(), Inner()]
        self.steps = [1.0, 2.0]


def rate_of(settings, factor=1.0):
    return settings.rate * factor


def rate_of_each(layers):
    return sum(layer.by for layer in layers)


class Reader:
    """Ways to read what the text of a method does not name as `self.…`."""

    def __init__(self):
        self.settings = Settings()

    def by_a_local_name(self, x):
        s = self.settings
        other = s
        return x * other.rate

    def by_a_key(self, x):
        return x * self.settings.rates["a"]

    def by_an_index(self, x):
        return x * self.settings.steps[-1]

    def by_a_computed_key(self, x):
        key = "".join(["a"])
        return x * self.settings.rates[key]

    def by_an_item(self, x):
        return x + self.settings.layers[0].by

    def by_a_loop(self, x):
        for layer in self.settings.layers:
            x = x + layer.by
        return x

    def by_a_numbered_loop(self, x):
        for i, layer in enumerate(self.settings.layers):
            x = x + layer.by * i
        return x

    def by_a_comprehension(self, x):
        return x + sum([v for _, v in self.settings.rates.items()])

    def by_getattr(self, x):
        return x * getattr(self.settings, "rate")  # noqa: B009

    def by_a_computed_name(self, x):
        return x * getattr(self.settings, "ra" + "te")

    def by_a_helper(self, x):
        return x * rate_of(self.settings, 2.0)

    def by_a_helper_and_name(self, x):
        return x * rate_of(factor=2.0, settings=self.settings)

    def by_a_helper_of_each(self, x):
        return x + rate_of_each(self.settings.layers)

    def by_a_method_of_it(self, x):
        return x * self.read(self.settings)

    def read(self, settings):
        return settings.rate

    def by_its_length(self, x):
        return x * len(self.settings.steps)

    def by_membership(self, x):
        return x * 2.0 if "c" in self.settings.rates else x

    def by_get(self, x):
        return x * self.settings.rates.get("a", 0.0)

    def by_a_module(self, x):
        return x * settings_module.RATE


settings_module = types.ModuleType("settings_of_the_user")
settings_module.RATE = 1.0

CHANGES = {
    "by_a_local_name": lambda s: setattr(s, "rate", 7.0),
    "by_a_key": lambda s: s.rates.update(a=7.0),
    "by_an_index": lambda s: s.steps.append(7.0),
    "by_a_computed_key": lambda s: s.rates.update(a=7.0),
    "by_an_item": lambda s: setattr(s.layers[0], "by", 7.0),
    "by_a_loop": lambda s: setattr(s.layers[1], "by", 7.0),
    "by_a_numbered_loop": lambda s: setattr(s.layers[1], "by", 7.0),
    "by_a_comprehension": lambda s: s.rates.update(b=7.0),
    "by_getattr": lambda s: setattr(s, "rate", 7.0),
    "by_a_computed_name": lambda s: setattr(s, "rate", 7.0),
    "by_a_helper": lambda s: setattr(s, "rate", 7.0),
    "by_a_helper_and_name": lambda s: setattr(s, "rate", 7.0),
    "by_a_helper_of_each": lambda s: setattr(s.layers[1], "by", 7.0),
    "by_a_method_of_it": lambda s: setattr(s, "rate", 7.0),
    "by_its_length": lambda s: s.steps.append(7.0),
    "by_membership": lambda s: s.rates.update(c=7.0),
    "by_get": lambda s: s.rates.update(a=7.0),
    "by_a_module": lambda s: setattr(settings_module, "RATE", settings_module.RATE + 1),
}


@pytest.mark.parametrize("way", CHANGES)
def test_what_is_read_by_other_ways_is_looked_at_again(way):
    reader, x = Reader(), gw.constant(3.0)
    function = gw.function(getattr(reader, way))
    for _ in range(3):
        assert function(x).item() == pytest.approx(getattr(reader, way)(x).item())
    assert traces(function) == 1
    before = function(x).item()
    CHANGES[way](reader.settings)
    assert function(x).item() == pytest.approx(getattr(reader, way)(x).item())
    assert function(x).item() != before
    assert traces(function) == 2


def test_items_that_are_not_read_may_change():
    rates = {"a": 2.0, "count": 0}

    @gw.function
    def function(x):
        return x * rates["a"]

    for count in range(4):
        rates["count"] = count
        assert function(gw.constant(1.0)).item() == 2
    assert traces(function) == 1


def test_the_item_that_differs_is_named():
    rates, steps = {"a": 2.0, "b": 1.0}, [1.0, 2.0]

    @gw.function
    def function(x):
        for step in steps:
            x = x * step
        for rate in rates.values():
            x = x * rate
        return x

    x = gw.constant(1.0)
    assert function(x).item() == 4
    steps[1] = 5.0
    assert function(x).item() == 10
    rates["b"] = 3.0
    assert function(x).item() == 30
    steps.append(2.0)
    assert function(x).item() == 60
    reasons = [reason.partition(":")[0] for reason in function.explain_retraces()]
    assert reasons == [
        "`steps[1]` is 5.0, before 2.0",
        "`rates['b']` is 3.0, before 1.0",
        "`steps` is a `list` of 3, before a `list` of 2",
    ]


def test_objects_in_lists_that_are_arguments_are_looked_at_again():
    @gw.function
    def function(layers, x):
        for layer in layers:
            x = x + layer.by
        return x

    layers = [Inner(), Inner()]
    assert function(layers, gw.constant(1.0)).item() == 1
    layers[1].by = 2.0
    assert function(list(layers), gw.constant(1.0)).item() == 3
    assert function(list(layers), gw.constant(1.0)).item() == 3
    assert traces(function) == 2


def test_what_the_function_puts_into_a_list_makes_no_trace():
    rows = [[1.0], [2.0]]
    seen = []

    @gw.function
    def function(x):
        seen.append(x.dtype)
        return x + gw.reduce_sum(gw.constant(rows))

    for _ in range(3):
        assert function(gw.constant(1.0)).item() == 4
    assert (len(seen), traces(function)) == (1, 1)
    rows[1][0] = 5.0
    assert function(gw.constant(1.0)).item() == 7

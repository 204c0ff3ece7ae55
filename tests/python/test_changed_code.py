"""What a graph was made with besides values: methods, properties, operators, defaults, builtins, libraries, the environment."""

from __future__ import annotations

import builtins
import contextlib
import functools
import math
import os
import types
from unittest import mock

import numpy as np
import pytest

import graphwright as gw


class Doubled:
    """A descriptor of the user's."""

    def __get__(self, owner, kind):
        return 0.0 if owner is None else owner.rate * 2


class Base:
    def inherited(self, x):
        return x + 1.0


class Thing(Base):
    factor = 2.0
    twice = Doubled()

    def __init__(self):
        self.rate = 1.0
        self.values = [1.0, 2.0]
        self.named = {"a": 1.0}

    def step(self, x):
        return x + self.rate

    def inherited(self, x):
        return super().inherited(x) * 2.0

    @staticmethod
    def static(x):
        return x + 1.0

    @classmethod
    def of_class(cls, x):
        return x * cls.factor

    @property
    def total(self):
        return self.summed() * 2.0

    def summed(self):
        return sum(self.values)

    @functools.cached_property
    def cached(self):
        return self.rate * 3.0

    def settings(self):
        return self

    def __getitem__(self, key):
        return self.named[key]

    def __len__(self):
        return len(self.values)

    def __contains__(self, value):
        return value in self.values

    def __add__(self, other):
        return self.values[0] + other

    def __bool__(self):
        return self.rate > 5.0

    def __iter__(self):
        return iter(self.values)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __call__(self, x):
        return x * self.rate


class Asked:
    def __init__(self):
        self.values = {"a": 1.0}

    def __getattr__(self, name):
        return self.values[name]


class Made:
    def __init__(self, x):
        self.x = x

    def get(self):
        return self.x


thing = Thing()
asked = Asked()
many = [0.0] * 2000
named = dict.fromkeys(range(2000), 0.0)
numbers = set(range(2000))
module = types.ModuleType("module_of_the_user")
exec("def helper(x):\n    return x + 1.0", module.__dict__)
bound = thing.step


def helper(x, by=2.0, *, more=3.0, given=None):
    return x * by + more


def other(x, by=2.0, *, more=3.0, given=None):
    return x - by


partial = functools.partial(helper, by=5.0)


def attributed(x):
    return x * attributed.by


attributed.by = 2.0


def the_thing():
    return thing


def looped(x):
    for value in thing:
        x = x + value
    return x


def entered(x):
    with the_thing() as found:
        return x * found.rate


def replaced(owner, name, value):
    return lambda: mock.patch.object(owner, name, value)


@contextlib.contextmanager
def attribute(owner, name, value):
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextlib.contextmanager
def item(container, key, value):
    before = container[key]
    container[key] = value
    try:
        yield
    finally:
        container[key] = before


@contextlib.contextmanager
def member(container, before, after):
    container.remove(before)
    container.add(after)
    try:
        yield
    finally:
        container.remove(after)
        container.add(before)


def rate(value=7.0):
    return lambda: attribute(thing, "rate", value)


def values():
    return attribute(thing, "values", [9.0, 8.0, 7.0])


def plus(n):
    return lambda self, x: x + n


#: A function of a number, and what changes what it gives.
WAYS = {
    "a method replaced on its class": (lambda x: thing.step(x), replaced(Thing, "step", plus(10.0))),
    "a method hidden by an attribute": (lambda x: thing.step(x), replaced(thing, "step", lambda x: x + 20.0)),
    "a method that is a mock": (
        lambda x: thing.step(x) * x,
        lambda: mock.patch.object(thing, "step", return_value=7.0),
    ),
    "a method behind super": (lambda x: thing.inherited(x), replaced(Base, "inherited", plus(10.0))),
    "a method in front of super": (lambda x: thing.inherited(x), replaced(Thing, "inherited", plus(20.0))),
    "a static method": (
        lambda x: thing.static(x),
        replaced(Thing, "static", staticmethod(lambda x: x + 9.0)),
    ),
    "a class method": (
        lambda x: Thing.of_class(x),
        replaced(Thing, "of_class", classmethod(lambda cls, x: x + 9.0)),
    ),
    "what a class method reads": (lambda x: thing.of_class(x), lambda: attribute(Thing, "factor", 9.0)),
    "a method of an object made inside": (
        lambda x: Made(x).get(),
        replaced(Made, "get", lambda self: self.x + 9.0),
    ),
    "what makes an object": (
        lambda x: Made(x).get(),
        replaced(Made, "__init__", lambda self, x: setattr(self, "x", x * 9.0)),
    ),
    "the class of an object": (lambda x: thing.step(x), lambda: attribute(thing, "__class__", Base1)),
    "a bound method": (lambda x: bound(x), rate()),
    "a property": (lambda x: x * thing.total, values),
    "a property replaced": (lambda x: x * thing.total, replaced(Thing, "total", property(lambda self: 9.0))),
    "what a method reads for a property": (lambda x: x * thing.total, lambda: item(thing.values, 0, 9.0)),
    "a descriptor": (lambda x: x * thing.twice, rate()),
    "an item by a method": (lambda x: x * thing["a"], lambda: item(thing.named, "a", 9.0)),
    "the method for items": (lambda x: x * thing["a"], replaced(Thing, "__getitem__", lambda self, key: 9.0)),
    "an attribute by a method": (lambda x: x * asked.a, lambda: item(asked.values, "a", 9.0)),
    "the length": (lambda x: x * len(thing), values),
    "a member": (lambda x: x + 1.0 if 9.0 in thing else x, values),
    "an operator": (lambda x: thing + x, values),
    "the truth": (lambda x: x + 1.0 if thing else x, rate()),
    "the items": (looped, values),
    "a call": (lambda x: thing(x), rate()),
    "a call replaced": (lambda x: thing(x), replaced(Thing, "__call__", plus(3.0))),
    "defaults": (lambda x: helper(x), lambda: attribute(helper, "__defaults__", (9.0,))),
    "defaults by name": (
        lambda x: helper(x),
        lambda: attribute(helper, "__kwdefaults__", {"more": 9.0, "given": None}),
    ),
    "one default by name": (lambda x: helper(x), lambda: item(helper.__kwdefaults__, "more", 9.0)),
    "the code of a function": (lambda x: helper(x), lambda: attribute(helper, "__code__", other.__code__)),
    "a partial function": (lambda x: partial(x), lambda: item(partial.keywords, "by", 9.0)),
    "an attribute of a function": (lambda x: attributed(x), lambda: attribute(attributed, "by", 9.0)),
    "a builtin": (lambda x: x * abs(-3.0), replaced(builtins, "abs", lambda value: 9.0)),
    "a global before a builtin": (lambda x: x * max(1.0, 2.0), lambda: global_max()),
    "a function of a library": (lambda x: x * math.floor(3.5), replaced(math, "floor", lambda value: 9.0)),
    "a function of the user's module": (
        lambda x: module.helper(x),
        replaced(module, "helper", lambda x: x + 9.0),
    ),
    "what a call gives": (lambda x: x * the_thing().rate, rate()),
    "what a method gives": (lambda x: x * thing.settings().rate, rate()),
    "what a with gives": (entered, rate()),
    "what the type holds": (lambda x: x * type(thing).factor, lambda: attribute(Thing, "factor", 9.0)),
    "what the class holds": (lambda x: x * thing.__class__.factor, lambda: attribute(Thing, "factor", 9.0)),
    "a global by its name": (lambda x: x + sum(globals()["many"][:1]), lambda: item(many, 0, 9.0)),
    "an attribute by vars": (lambda x: x * vars(thing)["rate"], rate()),
    "the last item of a long list": (lambda x: x + sum(many), lambda: item(many, 1999, 9.0)),
    "an item of a long list": (lambda x: x + many[len(many) - 500], lambda: item(many, 1500, 9.0)),
    "an item of a long dict": (lambda x: x + sum(named.values()), lambda: item(named, 1500, 9.0)),
    "a member of a long set": (lambda x: x + sum(numbers), lambda: member(numbers, 1999, 5000)),
}


class Base1(Base):
    def step(self, x):
        return x + 30.0


@contextlib.contextmanager
def global_max():
    globals()["max"] = lambda a, b: 9.0
    try:
        yield
    finally:
        del globals()["max"]


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
@pytest.mark.parametrize("way", WAYS)
def test_a_change_is_seen(way):
    plain, changed = WAYS[way]
    function, x = gw.function(plain), gw.constant(2.0)

    def agrees():
        for _ in range(2):
            assert float(np.asarray(function(x))) == pytest.approx(plain(2.0))

    agrees()
    before = plain(2.0)
    with changed():
        assert plain(2.0) != before
        agrees()
    agrees()
    assert function.experimental_get_tracing_count() <= 3


@pytest.mark.parametrize("way", WAYS)
def test_a_change_while_the_graph_is_made_does_not_outlive_it(way):
    plain, changed = WAYS[way]
    function, x = gw.function(plain), gw.constant(2.0)
    with changed():
        assert float(np.asarray(function(x))) == pytest.approx(plain(2.0))
    assert float(np.asarray(function(x))) == pytest.approx(plain(2.0))


def test_a_cached_property_is_computed_once():
    own = Thing()

    @gw.function
    def function(x):
        return x * own.cached

    assert function(gw.constant(2.0)).item() == 6.0
    own.rate = 7.0
    assert function(gw.constant(2.0)).item() == 2.0 * own.cached == 6.0


def test_the_function_itself_may_get_other_code_and_defaults():
    def plain(x, by=2.0):
        return x * by

    function, x = gw.function(plain), gw.constant(3.0)
    assert [function(x).item(), function(x, by=4.0).item()] == [6.0, 12.0]
    plain.__defaults__ = (5.0,)
    assert [function(x).item(), function(x, by=4.0).item()] == [15.0, 12.0]

    def longer(x, by=2.0, more=1.0):
        return x - by + more

    plain.__code__, plain.__defaults__ = longer.__code__, (2.0, 100.0)
    assert [function(x).item(), function(x, more=1.0).item()] == [101.0, 2.0]


def test_objects_that_are_defaults_are_looked_at_again():
    rates = {"a": 2.0}

    def scaled(x, rates=rates):
        return x * rates["a"]

    @gw.function
    def function(x):
        return scaled(x)

    assert function(gw.constant(3.0)).item() == 6.0
    rates["a"] = 5.0
    assert function(gw.constant(3.0)).item() == 15.0


ENVIRONMENT = {
    "an item": lambda x: x * float(os.environ["GW_TEST_RATE"]),
    "get": lambda x: x * float(os.environ.get("GW_TEST_RATE", "3")),
    "getenv": lambda x: x * float(os.getenv("GW_TEST_RATE", "3")),
    "a member": lambda x: x * 2.0 if "GW_TEST_RATE" in os.environ else x,
    "a computed name": lambda x: x * float(os.environ.get("GW_TEST_" + "RATE", "3")),
}


@pytest.mark.parametrize("way", ENVIRONMENT)
def test_the_environment_is_read_again(way, monkeypatch):
    plain = ENVIRONMENT[way]
    function, x = gw.function(plain), gw.constant(2.0)
    for value in ["1", "4", "4", None]:
        if value is not None:
            monkeypatch.setenv("GW_TEST_RATE", value)
        elif way != "an item":
            monkeypatch.delenv("GW_TEST_RATE")
        assert function(x).item() == plain(2.0)
    assert function.experimental_get_tracing_count() <= 3


def test_other_variables_of_the_environment_may_change(monkeypatch):
    monkeypatch.setenv("GW_TEST_RATE", "2")

    @gw.function
    def function(x):
        return x * float(os.environ["GW_TEST_RATE"])

    for other_value in ["a", "b", "c"]:
        monkeypatch.setenv("GW_TEST_OTHER", other_value)
        assert function(gw.constant(2.0)).item() == 4.0
    assert function.experimental_get_tracing_count() == 1
    monkeypatch.setenv("GW_TEST_RATE", "3")
    assert function(gw.constant(2.0)).item() == 6.0
    (reason,) = function.explain_retraces()
    assert reason.startswith("`os.environ['GW_TEST_RATE']` is")


def test_a_function_without_a_text_is_followed_in_its_code():
    class Held:
        def __init__(self):
            self.rate = 1.0

    exec("Held.doubled = property(lambda self: self.rate * 2.0)", {"Held": Held})
    held = Held()

    @gw.function
    def function(x):
        return x * held.doubled

    assert function(gw.constant(2.0)).item() == 4.0
    held.rate = 5.0
    assert function(gw.constant(2.0)).item() == 20.0


def test_what_stays_makes_no_graph():
    @gw.function
    def function(x):
        made = Made(x + len(thing) + thing.total + thing["a"] + float(os.environ.get("GW_NONE", "1")))
        return helper(made.get(), by=thing.settings().rate) + math.floor(2.5) + thing.inherited(x)

    for _ in range(4):
        function(gw.constant(2.0))
    assert function.experimental_get_tracing_count() == 1


def test_objects_of_a_function_go_with_it():
    import gc
    import weakref

    class Own:
        def get(self, x):
            return x + 1.0

    found = []

    @gw.function
    def function(x):
        own = Own()
        found.append(weakref.ref(own))
        return own.get(x)

    function(gw.constant(1.0))
    gc.collect()
    assert found[0]() is None

"""Functions of a number, and what around them changes what they give."""

from __future__ import annotations

import array
import builtins
import collections
import contextlib
import functools
import math
import sys
import types
from typing import NamedTuple
from unittest import mock


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

    def __str__(self):
        return f"thing of {self.rate}"

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


class Private:
    def __init__(self):
        self.__rate = 1.0

    def set(self, rate):
        self.__rate = rate

    def scaled(self, x):
        return x * self.__rate


class Meta(type):
    @property
    def rate(cls):
        return cls.own_rate


class WithMeta(metaclass=Meta):
    own_rate = 1.0


class Pair(NamedTuple):
    a: float
    b: object


private, pair = Private(), Pair(1.0, thing)
user_dict, chain_map = collections.UserDict(a=1.0), collections.ChainMap({"a": 1.0})
proxied = {"a": 1.0}
proxy = types.MappingProxyType(proxied)
some_bytes, some_numbers = bytearray(b"abc"), array.array("d", [1.0, 2.0])
queue = collections.deque([1.0, 2.0])
sys.modules["module_of_the_user"] = module
module.RATE = 2.0


def rated(owner, x):
    return x * owner.rate


@contextlib.contextmanager
def managed():
    yield thing


def in_a_with(x):
    with managed() as found:
        return x * found.rate


def by_import(x):
    import module_of_the_user

    return x * module_of_the_user.RATE


def by_from_import(x):
    from module_of_the_user import RATE as rate

    return x * rate


def by_a_local_dict(x):
    found = {"a": thing}
    return x * found["a"].rate


def by_a_local_list(x):
    for found in [thing, thing]:
        x = x * found.rate
    return x


def by_a_function_made_inside(x):
    def inner(owner):
        return x * owner.rate

    return inner(thing)


def by_match(x):
    match thing:
        case Thing(rate=found):
            return x * found


@contextlib.contextmanager
def private_rate():
    private.set(9.0)
    yield
    private.set(1.0)


@contextlib.contextmanager
def first_of_queue():
    queue[0] = 9.0
    yield
    queue[0] = 1.0


WAYS |= {
    "a private attribute": (lambda x: private.scaled(x), private_rate),
    "a property of a metaclass": (lambda x: x * WithMeta.rate, lambda: attribute(WithMeta, "own_rate", 9.0)),
    "a field of a named tuple": (lambda x: x * pair.b.rate, rate()),
    "a dict of a class": (lambda x: x * user_dict["a"], lambda: item(user_dict, "a", 9.0)),
    "a chain of dicts": (lambda x: x * chain_map["a"], lambda: item(chain_map.maps[0], "a", 9.0)),
    "a dict behind a proxy": (lambda x: x * proxy["a"], lambda: item(proxied, "a", 9.0)),
    "bytes that change": (lambda x: x * some_bytes[0], lambda: item(some_bytes, 0, 9)),
    "an array of Python's": (lambda x: x * some_numbers[0], lambda: item(some_numbers, 0, 9.0)),
    "an item of a deque": (lambda x: x * queue[0], first_of_queue),
    "an import inside": (by_import, lambda: attribute(module, "RATE", 9.0)),
    "a name imported inside": (by_from_import, lambda: attribute(module, "RATE", 9.0)),
    "a dict made inside": (by_a_local_dict, rate()),
    "a list made inside": (by_a_local_list, rate()),
    "a function made inside": (by_a_function_made_inside, rate()),
    "a lambda made inside": (lambda x: (lambda owner: x * owner.rate)(thing), rate()),
    "a partial function made inside": (lambda x: functools.partial(rated, thing)(x), rate()),
    "a generator that is a manager": (in_a_with, rate()),
    "a match": (by_match, rate()),
    "a method by its class": (lambda x: type(thing).step(thing, x), rate()),
    "a text": (lambda x: x * len(f"{thing}"), replaced(Thing, "__str__", lambda self: "a")),
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

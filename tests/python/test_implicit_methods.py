"""Methods that Python calls by itself, replaced between two calls of one graph."""

from __future__ import annotations

import types
from unittest import mock

import pytest

import graphwright as gw
from implicit_methods import PLACES, PROTOCOLS, text

pytestmark = pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")


def load(tmp_path, source):
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    names = {"__name__": "program"}
    exec(compile(source, str(path), "exec"), names)
    return names


def by_assignment(names, owner, name, value):
    setattr(owner, name, value)


def by_mock(names, owner, name, value):
    mock.patch.object(owner, name, value).start()


def in_the_base(names, owner, name, value):
    if owner is names["C"]:
        delattr(owner, name)
        owner = names["Plain"]
    setattr(owner, name, value)


def by_code(names, owner, name, value):
    now = vars(owner).get(name)
    if isinstance(now, types.FunctionType) and isinstance(value, types.FunctionType):
        now.__code__ = value.__code__
    else:
        setattr(owner, name, value)


def by_the_class_of_the_object(names, owner, name, value):
    if owner is names["C"]:
        names["o"].__class__ = type("Other", (owner,), {name: value, "__module__": "program"})
    else:
        setattr(owner, name, value)


WAYS = [by_assignment, by_mock, in_the_base, by_code, by_the_class_of_the_object]


def results(names, protocol, place, way, staged):
    _, _, target, replacement = PROTOCOLS[protocol]
    call = gw.function(names["f"]) if staged else names["f"]
    x = gw.constant(3.0, gw.float64) if staged else 3.0
    arguments = (x, names["o"]) if place == "argument" else (x,)
    found = [float(call(*arguments)) for _ in range(3)]
    owner, _, name = target.rpartition(".")
    value = eval(replacement, names)
    if target == "G":
        names["G"] = value
    else:
        way(names, names[owner or "C"], name, value)
    return [*found, float(call(*arguments))]


def outcome(tmp_path, protocol, place, way, staged):
    try:
        return results(load(tmp_path, text(protocol, place)), protocol, place, way, staged)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_replaced_method_is_seen(tmp_path, protocol):
    for place in PLACES:
        for way in WAYS:
            native = outcome(tmp_path, protocol, place, way, staged=False)
            staged = outcome(tmp_path, protocol, place, way, staged=True)
            is_refused = (protocol, place) == ("dict __setitem__", "branch")
            assert "GW103" in staged if is_refused else staged == native, (place, way.__name__)


def store(x, o):
    o.q = x
    return o.q


def store_by_name(x, o):
    for name in ["q"]:
        setattr(o, name, x)
    return o.q


def read_non_data(x, o):
    return x + o.z


def choose(x, o):
    return x if o else x + 9.0


def equal(x, o):
    return x + (o == 3)


class Constant:
    """A descriptor that stands behind what an object holds."""

    def __get__(self, owner, kind):
        return 4.0


class Kept:
    """A descriptor that keeps what it gives in the object."""

    def __get__(self, owner, kind):
        owner.__dict__["z"] = 4.0
        return 4.0


def written_tenfold(self, name, value):
    self.__dict__[name] = value * 10.0


ADDED = {
    "__bool__": (choose, lambda o: setattr(type(o), "__bool__", lambda self: False)),
    "__len__": (choose, lambda o: setattr(type(o), "__len__", lambda self: 0)),
    "__eq__": (equal, lambda o: setattr(type(o), "__eq__", lambda self, other: True)),
    "__setattr__": (store, lambda o: setattr(type(o), "__setattr__", written_tenfold)),
    "__setattr__ by setattr": (store_by_name, lambda o: setattr(type(o), "__setattr__", written_tenfold)),
    "__getattribute__": (store, lambda o: setattr(type(o), "__getattribute__", lambda self, name: 5.0)),
    "a descriptor": (read_non_data, lambda o: o.__dict__.__setitem__("z", 8.0)),
}


@pytest.mark.parametrize("name", ADDED)
@pytest.mark.parametrize("descriptor", [Constant, Kept])
def test_a_method_that_was_not_there_is_seen(name, descriptor):
    plain, change = ADDED[name]
    found = []
    for function, x in (plain, 2.0), (gw.function(plain), gw.constant(2.0, gw.float64)):
        o = type("C", (), {"__module__": "program", "z": descriptor()})()
        before = [float(function(x, o)) for _ in range(4)]
        change(o)
        found.append([*before, float(function(x, o))])
    assert found[0] == found[1]


def counted(x, o):
    type(o).count = getattr(type(o), "count", 0) + 1
    return x + type(o).count


def added(x, o):
    o += x
    return o.v


def stored(x, o):
    o[0] = x
    return o.v


def called(x, o):
    return o(x)


class Keeper:
    def __init__(self):
        self.v = 1.0

    def __iadd__(self, other):
        self.v = self.v + other
        return self

    def __setitem__(self, key, value):
        self.v = self.v + value

    def __call__(self, value):
        self.v = self.v + 1.0
        return self.v * value


@pytest.mark.parametrize("plain", [added, stored, called])
def test_what_an_implicit_method_changes_makes_no_graph_for_each_call(plain):
    function, own, other = gw.function(plain), Keeper(), Keeper()
    for _ in range(6):
        assert float(function(gw.constant(2.0), own)) == plain(2.0, other)
    assert function.experimental_get_tracing_count() <= 3


def test_an_attribute_that_a_function_gives_a_class_is_counted():
    class Own:
        pass

    class Other:
        pass

    function, own, other = gw.function(counted), Own(), Other()
    for _ in range(4):
        assert float(function(gw.constant(2.0), own)) == counted(2.0, other)

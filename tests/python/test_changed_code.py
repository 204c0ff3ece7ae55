"""Changes of methods, properties, operators, defaults, builtins, libraries and the environment between calls."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

import graphwright as gw
from changing_programs import WAYS, Made, Thing, helper, thing


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


def test_methods_that_give_one_another_are_followed_in_bounds(tmp_path):
    methods = 6
    lines = ["class Node:", "    size = 2"]
    for own in range(methods):
        lines.append(f"    def m{own}(self):")
        for other in range(methods):
            results = f"self.m{other}().m{(other + 1) % methods}()"
            lines.append(f"        if self.size == {other + 3}: return {results}")
        lines.append("        return self")
    path = tmp_path / "nodes.py"
    path.write_text("\n".join(lines))
    names = {"__name__": "nodes"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    node = names["Node"]()

    @gw.function
    def function(x):
        return x * node.m0().size

    assert function(gw.constant(3)).item() == 6
    names["Node"].size = 9
    assert function(gw.constant(3)).item() == 27

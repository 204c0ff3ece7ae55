"""Methods and functions that `gw.function` decorates, called in graphs: what they read and store is seen by each call."""

from __future__ import annotations

import itertools
import linecache
import warnings

import pytest

import graphwright as gw

#: The ways of a function of one tensor to the method of an object that is around it, or is given.
WAYS = [
    "return o.method(x)",
    "step = o.method\n    return step(x)",
    "return getattr(o, 'method')(x)",
    "return type(o).method(o, x)",
    "return K.method(o, x)",
    "return o(x)",
    "return through(o, x)",
    "return bound(x)",
    "return held[0].method(x)",
    "return o.outer(x)",
    "if x > 0:\n        return o.method(x)\n    return x",
    "for _ in gw.range(2):\n        x = o.method(x)\n    return x",
    "return sum([o.method(x) for _ in range(2)])",
]

#: The body of the method, and a change between two calls of the function.
BODIES = [
    ("return x * self.k", "o.k += 1"),
    ("return x * self.parts['k'][0]", "o.parts['k'][0] += 1"),
    ("return x * self.tensor", "o.tensor = o.tensor + 1"),
    ("return x * K.shared", "K.shared += 1"),
    ("return x * self.rate", "o.k += 1"),
    ("return self.helper(x)", "K.helper = lambda self, x: x + 7"),
    ("self.k += 1\n        return x * self.k", "pass"),
]

PROGRAM = """
class K:
    shared = 1
    def __init__(self):
        self.k = 1
        self.parts = {{'k': [1]}}
        self.tensor = gw.constant(1)
    @property
    def rate(self):
        return self.k * 2
    def helper(self, x):
        return x * 3
    @decorated
    def method(self, x):
        {body}
    @decorated
    def __call__(self, x):
        {body}
    @decorated
    def outer(self, x):
        return self.method(x) + 1

o = K()
held = [o]
bound = o.method

@decorated
def through(given, x):
    return given.method(x)

@decorated
def f({parameters}):
    {way}

def change():
    {change}
"""


def answers(decorated, parameters, way, body, change):
    """The answers of three calls, between which something changes, and what the object holds then."""
    text = PROGRAM.format(parameters=parameters, way=way, body=body, change=change)
    names = {"gw": gw, "decorated": decorated, "__name__": "program"}
    path = gw.__file__.replace("__init__.py", "a_program.py")
    exec(compile(text, path, "exec"), names)
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    given = ("o" in parameters.split(", ") and [names["o"]]) or []
    found = []
    for _ in range(3):
        found.append((names["f"](gw.constant(10), *given).item(), int(names["o"].k)))
        names["change"]()
    return found


CASES = list(itertools.product(["x", "x, o"], WAYS, BODIES))


@pytest.mark.parametrize("parameters, way, body", CASES)
def test_each_call_sees_what_changed(parameters, way, body):
    native = answers(lambda f: f, parameters, way, *body)
    assert answers(gw.function, parameters, way, *body) == native


def test_derivatives_see_it_too():
    class Model:
        def __init__(self):
            self.k = 1.0

        @gw.function
        def inner(self, x):
            return x * self.k

        @gw.function
        def slope(self, x):
            with gw.GradientTape() as tape:
                tape.watch(x)
                y = self.inner(x)
            return tape.gradient(y, x)

    model = Model()
    found = []
    for model.k in (2.0, 4.0, 6.0):
        found.append(model.slope(gw.constant(1.0)).item())
    assert found == [2.0, 4.0, 6.0]


def test_a_bound_method_is_decorated_again():
    class Model:
        k = 1

        @gw.function
        def step(self, x):
            return x * self.k

    model = Model()
    again = gw.function(model.step)
    assert again(gw.constant(2)) == 2
    model.k = 5
    assert again(gw.constant(2)) == 10


def test_a_graph_is_kept_where_nothing_changes():
    class Model:
        k = 3

        @gw.function
        def step(self, x):
            return x * self.k

    model = Model()

    @gw.function
    def f(x):
        return model.step(x)

    assert [f(gw.constant(n)).item() for n in range(4)] == [0, 3, 6, 9]
    assert f.experimental_get_tracing_count() == 1


WITHOUT_TEXT = """
class K:
    w = 3
    def __init__(self):
        self.parts = [1, 2]
    {method}
    def scaled(self, x):
        return x * self.w
    {method}
    def both(self, x):
        return self.scaled(x) + len(self.parts)
    {method}
    def __call__(self, x):
        return self.both(x)
    @property
    def rate(self):
        return self.w

o = K()

{method}
def through(given, x, k=2):
    return given.both(x) * k
{function}
def of_global(x):
    return o.both(x)
{function}
def of_helper(x):
    return through(o, x)
{function}
def of_call(x):
    return o(x) + o.rate
{function}
def of_default(x, given=o):
    return given.scaled(x)
{function}
def of_argument(x, given):
    return given.scaled(x)
"""


@pytest.mark.parametrize("method", ["", "@gw.function"])
def test_functions_without_a_text(method):
    def outcome(method, function):
        names = {"gw": gw, "__name__": "program"}
        exec(WITHOUT_TEXT.format(method=method, function=function), names)
        o, found = names["o"], []
        for change in (lambda: setattr(o, "w", 7), lambda: o.parts.append(1), lambda: None):
            x = gw.constant(2)
            calls = [names[f"of_{name}"](x) for name in ("global", "helper", "call", "default")]
            found.append([int(answer) for answer in (*calls, names["of_argument"](x, o))])
            change()
        return found

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(method, "@gw.function") == outcome("", "")


@pytest.mark.parametrize("method", ["", "@gw.function"])
def test_the_text_of_another_program_by_the_same_name_is_none(method, monkeypatch):
    """Since Python 3.13 `linecache` holds the text of `python -c` by the name that `exec` gives, too."""
    monkeypatch.setitem(linecache.cache, "<string>", (17, None, ["import program\n"], "<string>"))
    test_functions_without_a_text(method)
    names = {"gw": gw}
    exec("@gw.function\ndef chosen(x):\n    return x + x if x > 0 else x\n", names)
    with (
        pytest.warns(UserWarning, match="cannot be found"),
        pytest.raises(gw.errors.ConversionError, match=r"GW001: a tensor decides"),
    ):
        names["chosen"](gw.constant(21))

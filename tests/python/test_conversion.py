"""Converted code does what plain Python does: same result, same output, same exception at the same line."""

import bdb
import contextlib
import copy
import io
import linecache
import sys
import traceback

import pytest

import conversion_jumps
import conversion_names
import conversion_objects
from plain_operators import PlainOperators, RoundTripOperators, _native, raw_convert

PROGRAMS = conversion_jumps.PROGRAMS + conversion_names.PROGRAMS + conversion_objects.PROGRAMS


def load(name, source, tmp_path):
    """A fresh copy of a program, in a file of its own."""
    file = tmp_path / f"{name}.py"
    file.write_text(source)
    module = {"__name__": name, "__file__": str(file)}
    exec(compile(source, str(file), "exec"), module)
    return module["f"]


def outcome(function, arguments):
    """What a call does: its result or exception, where it was raised, and what it printed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            result = ("returned", repr(function(*arguments)))
        except Exception as error:
            lines = [line for name, line in places(error) if name.startswith(function.__code__.co_filename)]
            result = (type(error).__name__, message(error), lines[-1:])
    return result, out.getvalue()


def message(error):
    """Python 3.10 says it in other words."""
    return "unbound" if isinstance(error, UnboundLocalError) else str(error)


def places(error):
    return [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]


# Reading the state is what fires the property, so that program runs with plain operators alone.
CASES = [(PlainOperators, *program) for program in PROGRAMS]
CASES += [(RoundTripOperators, *program) for program in PROGRAMS if program[0] != "property_fires_naturally"]


@pytest.mark.parametrize(
    ("operators", "name", "source", "calls"),
    CASES,
    ids=[f"{name}-{operators.__name__}" for operators, name, *_ in CASES],
)
def test_same_as_python(operators, name, source, calls, tmp_path):
    native = load(name, source, tmp_path)
    other = load(name, source, tmp_path)
    converted = raw_convert(other, operators())
    for arguments in calls:
        expected = outcome(native, copy.deepcopy(arguments))
        assert outcome(converted, copy.deepcopy(arguments)) == expected, _native.to_code(other)


def test_lowered_code_reads_back(tmp_path):
    for name, source, _ in PROGRAMS:
        text = _native.to_code(load(name, source, tmp_path))
        compile(text, name, "exec")


TRACE = """
def inner(x):
    if x > 2:
        y = x - 2
        return 1 // (y - 3)
    return 0

def f(x):
    while x:
        for i in range(x):
            inner(
                x)
        x -= 1
"""


def test_traceback_shows_the_users_lines(tmp_path):
    f = load("trace", TRACE, tmp_path)
    converted = raw_convert(f, PlainOperators())
    with pytest.raises(ZeroDivisionError) as caught:
        converted(5)
    frames = traceback.extract_tb(caught.value.__traceback__)
    mine = [frame for frame in frames if frame.filename == f.__code__.co_filename]
    assert {frame.name for frame in mine} == {"f", "inner"}
    assert mine[-1].lineno == 5
    assert mine[-1].line == "return 1 // (y - 3)"
    strangers = {frame.filename for frame in frames} - {f.__code__.co_filename, __file__}
    assert all(name.endswith("plain_operators.py") for name in strangers)
    if sys.version_info >= (3, 11):
        assert "1 // (y - 3)" in mine[-1].line[mine[-1].colno - 8 : mine[-1].end_colno - 8] or mine[-1].colno


class Breaks(bdb.Bdb):
    def __init__(self):
        super().__init__()
        self.hits = []

    def user_line(self, frame):
        if self.get_breaks(frame.f_code.co_filename, frame.f_lineno):
            self.hits.append((frame.f_lineno, frame.f_code.co_name, frame.f_locals.get("y")))
        self.set_continue()


def test_breakpoint_inside_a_branch(tmp_path):
    f = load("breaks", TRACE, tmp_path)
    converted = raw_convert(f, PlainOperators())
    debugger = Breaks()
    assert debugger.set_break(f.__code__.co_filename, 5) is None
    with contextlib.suppress(ZeroDivisionError):
        debugger.runcall(converted, 5)
    assert debugger.hits == [(5, "inner", 3)]


def test_no_generated_name_in_code(tmp_path):
    def names(code):
        yield code.co_name
        if hasattr(code, "co_qualname"):
            yield code.co_qualname
        for constant in code.co_consts:
            if hasattr(constant, "co_code"):
                yield from names(constant)

    for name, source, _ in PROGRAMS:
        f = load(name, source, tmp_path)
        found = set(names(raw_convert(f, PlainOperators()).__code__))
        assert not {
            n for n in found if "if_body" in n or "loop_" in n or "_state" in n or "factory" in n
        } or (name == "user_names")


def test_marks(tmp_path):
    f = load("collatz", dict((n, s) for n, s, _ in PROGRAMS)["collatz"], tmp_path)
    converted = raw_convert(f, PlainOperators())
    assert not _native.is_converted(f.__code__)
    assert _native.is_converted(converted.__code__)
    assert not _native.is_block(converted.__code__)
    inner = [c for c in converted.__code__.co_consts if hasattr(c, "co_code")]
    assert inner and all(_native.is_block(code) and _native.is_converted(code) for code in inner)


def test_function_object_is_kept(tmp_path):
    source = """
def make(k):
    def f(x, y=k, *, z: int = 3) -> str:
        "Docs."
        if x:
            return k
        return z
    f.mark = 'marked'
    return f
f = make(7)
"""
    f = load("kept", source, tmp_path)
    g = raw_convert(f, PlainOperators())
    for attribute in ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__"):
        assert getattr(g, attribute) == getattr(f, attribute)
    assert g.__annotations__ == f.__annotations__ and g.mark == "marked"
    assert g.__globals__ is f.__globals__
    assert f.__closure__[0] in g.__closure__


def test_each_closure_has_its_own_cells(tmp_path):
    source = (
        "def make(k):\n    def f(x):\n        if x: return k\n        return -k\n    return f\nf = make\n"
    )
    make = load("cells", source, tmp_path)
    operators = PlainOperators()
    one, two = raw_convert(make(1), operators), raw_convert(make(2), operators)
    assert (one(1), two(1), one(0)) == (1, 2, -1)
    assert one.__code__ is two.__code__


def test_nothing_of_ours_is_a_variable(tmp_path):
    for name, source, _ in PROGRAMS:
        f = load(name, source, tmp_path)
        converted = raw_convert(f, PlainOperators())
        assert set(converted.__code__.co_freevars) <= set(f.__code__.co_freevars), name


def test_code_has_the_operators_that_it_was_converted_for(tmp_path):
    f = load("collatz", dict((n, s) for n, s, _ in PROGRAMS)["collatz"], tmp_path)
    one, two = PlainOperators(), PlainOperators()
    codes = [raw_convert(f, operators).__code__ for operators in (one, two, one)]
    assert codes[0] is codes[2] and codes[0] is not codes[1]
    assert one in codes[0].co_consts and two in codes[1].co_consts


def test_lambdas_on_one_line(tmp_path):
    source = "f = (lambda x: x and 1), (lambda x: x and 2), (lambda x, y=3: (lambda: x or y))\n"
    one, two, three = load("lambdas", source, tmp_path)
    operators = PlainOperators()
    assert raw_convert(one, operators)(5) == 1
    assert raw_convert(two, operators)(5) == 2
    assert raw_convert(three, operators)(0)() == 3


def test_source_from_linecache():
    text = "def f(x):\n    if x: return 'yes'\n    return 'no'\n"
    name = "<cell 1>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module = {}
    exec(compile(text, name, "exec"), module)
    assert raw_convert(module["f"], PlainOperators())(1) == "yes"


def test_no_source():
    module = {}
    exec("def f(x):\n    return x\n", module)
    with pytest.raises(ValueError, match="GW001"):
        raw_convert(module["f"], PlainOperators())


def test_stale_source(tmp_path):
    f = load("stale", "def f(x):\n    return x + 1\n", tmp_path)
    (tmp_path / "stale.py").write_text("def f(x):\n    return x + 2 * 7\n")
    with pytest.raises(ValueError, match="GW002"):
        raw_convert(f, PlainOperators())
    (tmp_path / "stale.py").write_text("def f(x):\n    return x + 1  # as it was\n")
    assert raw_convert(f, PlainOperators())(1) == 2


def test_unreadable_source(tmp_path):
    f = load("unreadable", "def f(x):\n    return x + 1\n", tmp_path)
    (tmp_path / "unreadable.py").write_text("def f(x):\n    return x + + \n")
    with pytest.raises(ValueError, match="GW00[23]"):
        raw_convert(f, PlainOperators())


def test_future_annotations(tmp_path):
    source = """from __future__ import annotations
def f(c):
    def g(x: Nowhere): pass
    if c: return g.__annotations__
"""
    f = load("future", source, tmp_path)
    assert raw_convert(f, PlainOperators())(1) == {"x": "Nowhere"}


def test_functions_of_this_very_file():
    """The test runner rewrites assertions, so the running code is not the text's."""

    def f(x):
        assert x > 0
        if x > 1:
            return "big"
        return "small"

    assert raw_convert(f, PlainOperators())(2) == "big"

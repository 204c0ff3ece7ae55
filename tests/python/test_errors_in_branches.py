"""Errors of Python's own in code that a tensor decides: they are raised where the graph comes there, and not before."""

from __future__ import annotations

import itertools
import textwrap

import pytest

import graphwright as gw

DECLARATIONS = """
import json
import math
class Holder:
    def bad(self, x): return [][1]
    @property
    def absent(self): return {}[1]
    def __getitem__(self, key): raise LookupError(key)
class Unmade:
    def __init__(self): self.x = self.y
o = Holder()
none = None
rows = [1.0, 2.0]
table = {'a': 1.0}
zero = 0
def misspelled(x): return x + undefined_name
def two(a, b): return a
def one(a): return a
def fails(x): raise KeyError('r')
"""

ERRORS = [
    "y = undefined_name",
    "y = undefined_name(x)",
    "y = misspelled(x)",
    "y = late",
    "y = (lambda: undefined_name)()",
    "class Inner:\n    z = undefined_name\ny = x",
    "y = o.missing",
    "y = none.missing",
    "none.q = 3\ny = x",
    "y = math.missing(3)",
    "y = rows[7]",
    "rows[7] = 1.0\ny = x",
    "y = [].pop()",
    "y = [rows[i] for i in range(9)][0]",
    "y = table['zz']",
    "y = 1 // 0",
    "y = 1.0 / zero",
    "y = int('x')",
    "y = math.sqrt(-1)",
    "a, b = (1.0, 2.0, 3.0)\ny = a",
    "a, b = 5\ny = a",
    "y = 1 + 'a'",
    "y = 'a' + x",
    "y = none(3)",
    "y = none[0]",
    "y = len(5)",
    "y = two(1)",
    "y = one(x, x)",
    "y = {[]: 1}",
    "for q in 5: pass\ny = x",
    "with none: pass\ny = x",
    "y = next(iter([]))",
    "y = math.exp(1000)",
    "import nothing_there\ny = x",
    "from math import nothing_there\ny = x",
    "assert 1 == 2\ny = x",
    "raise ValueError('a')",
    "y = fails(x)",
    "y = o.bad(x)",
    "y = o.absent",
    "y = o[0]",
    "y = Unmade()",
    "y = len(b'\\xff'.decode())",
    "y = json.loads('{x')",
]


def block(error, depth):
    return textwrap.indent(error, " " * depth)


def expression(error):
    return error[4:] if error.startswith("y = ") else None


PLACES = {
    "if": lambda e: f"  y = x\n  if x > 100.0:\n{block(e, 4)}\n  return y",
    "else": lambda e: f"  if x < 100.0:\n    y = x + 1.0\n  else:\n{block(e, 4)}\n  return y",
    "nested": lambda e: f"  y = x\n  if x > 50.0:\n    if x > 100.0:\n{block(e, 6)}\n  return y",
    "return": lambda e: f"  if x > 100.0:\n{block(e, 4)}\n    return y\n  return x",
    "while": lambda e: f"  y = x\n  while y > 100.0:\n{block(e, 4)}\n  return y",
    "for": lambda e: f"  y = x\n  for i in gw.range(gw.cast(x, gw.int32) - 3):\n{block(e, 4)}\n  return y",
    "loop in a branch": lambda e: (
        f"  y = x\n  if x > 100.0:\n    for k in range(2):\n{block(e, 6)}\n  return y"
    ),
    "branch in a loop": lambda e: (
        f"  y = x\n  for i in gw.range(3):\n    if x > 100.0:\n{block(e, 6)}\n  return y"
    ),
    "try": lambda e: (
        f"  y = x\n  if x > 100.0:\n    try:\n{block(e, 6)}\n    except Exception:\n      y = x + 9.0\n  return y"
    ),
    "function": lambda e: (
        f"  def h(z):\n    x = z\n{block(e, 4)}\n    return y\n  y = x\n  if x > 100.0:\n    y = h(x)\n  return y"
    ),
    "expression": lambda e: expression(e) and f"  return {expression(e)} if x > 100.0 else x",
    "and": lambda e: expression(e) and f"  return x > 100.0 and {expression(e)} > 1.0",
    "match": lambda e: (
        f"  y = x\n  match x:\n    case 150.0:\n{block(e, 6)}\n    case _:\n      y = x + 2.0\n  return y"
    ),
}


def load(tmp_path, text):
    path = tmp_path / f"program{next(COUNT)}.py"
    path.write_text(text, encoding="utf-8")
    names = {"__name__": "program"}
    exec(compile(text, str(path), "exec"), names)
    return names["f"]


COUNT = itertools.count()


def outcome(function, x):
    try:
        return float(function(x))
    except Exception as error:
        return type(error), "GW" in str(error)


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_is_raised_where_the_graph_comes_there(tmp_path, error):
    late = "  if 0: late = 1\n" if "late" in error else ""
    for place, write in PLACES.items():
        body = write(error)
        if body is None:
            continue
        text = DECLARATIONS + "def f(x):\n" + late + body + "\n"
        function = gw.function(load(tmp_path, text))
        for x in (3.0, 150.0, 3.0):
            native = outcome(load(tmp_path, text), x)
            assert outcome(function, gw.constant(x, gw.float64)) == native, (place, x)


def test_a_handler_does_not_take_an_error_about_a_tensor_for_its_own():
    def f(x):
        y = x
        try:
            if x > 100.0:
                y = "a" + x
        except TypeError:
            y = x + 9.0
        return y

    with pytest.raises(ValueError, match="GW112"):
        gw.function(f)(gw.constant(3.0))


def test_what_the_system_answers_is_asked_in_front_of_the_branch(tmp_path):
    path = tmp_path / "absent"

    def f(x):
        if x > 0.0:
            x = x + len(path.read_text())
        return x

    with pytest.raises(
        ValueError, match=r"(?s)GW503: `FileNotFoundError` is raised.*path.read_text"
    ) as caught:
        gw.function(f)(gw.constant(1.0))
    assert "gw.py_function" in str(caught.value)


ATTRIBUTES = [
    ("y = len(b'\\xff'.decode())", "args", None),
    ("y = undefined_name", "name", "undefined_name"),
    ("import nothing_there\ny = x", "name", "nothing_there"),
    ("raise StopIteration(7)", "value", 7),
    ("raise FileNotFoundError(2, 'none', 'q')", "filename", "q"),
]


@pytest.mark.parametrize(("error", "attribute", "value"), ATTRIBUTES)
def test_exceptions_of_pythons_own_classes_keep_what_they_say(tmp_path, error, attribute, value):
    text = DECLARATIONS + "def f(x):\n" + PLACES["if"](error) + "\n"
    found = []
    for function, x in (load(tmp_path, text), 150.0), (gw.function(load(tmp_path, text)), gw.constant(150.0)):
        with pytest.raises(Exception) as caught:
            function(x)
        found.append((str(caught.value), getattr(caught.value, attribute)))
    assert found[0] == found[1]
    assert value is None or found[1][1] == value


class Late:
    pass


def attribute_of_the_turn_before(x, n):
    o, y = Late(), x
    for i in range(n):
        if i > 0:
            y = y + o.q
        o.q = x
    return y


def test_an_attribute_that_a_later_turn_has_is_no_error_of_the_first():
    with pytest.raises(ValueError, match=r"GW104: `o\.q` has a value after some iterations only"):
        gw.function(attribute_of_the_turn_before)(gw.constant(2.0), gw.constant(3))

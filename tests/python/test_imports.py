"""`import graphwright` imports what programs need at once; the rest comes when a program asks for it."""

import inspect
import subprocess
import sys

import pytest

import graphwright as gw
from graphwright import _on_demand


def run(program: str) -> str:
    """Output of a program in a process of its own."""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def test_an_import_leaves_out_what_is_asked_for_later():
    program = "import sys, graphwright\nprint([n for n in sys.modules if n.startswith('graphwright.')])"
    imported = run(program)
    for name in _on_demand.PACKAGES - {"profiler"}:
        assert f"'graphwright.{name}'" not in imported, name


@pytest.mark.parametrize("name", sorted(_on_demand.PACKAGES | _on_demand.OF_KERAS))
def test_a_module_comes_when_it_is_asked_for(name):
    assert inspect.ismodule(getattr(gw, name))
    assert name in run(f"import graphwright as gw\nprint(gw.{name}.__name__)")
    assert name in run(f"from graphwright import {name}\nprint({name}.__name__)")


def test_all_names_come_by_a_star():
    program = (
        "import graphwright\nnames = {}\nexec('from graphwright import *', names)\n"
        "print(set(graphwright.__all__) - set(names))"
    )
    assert run(program) == "set()"


@pytest.mark.parametrize(
    "expression",
    [
        "gw.keras.activations.relu(x)",
        "gw.ones_initializer()([3]) * x",
        "gw.losses.mean_squared_error(x, x + 1.0)",
        "gw.signal.hann_window(3) * x",
        "sum_of(gw.data.Dataset.from_tensor_slices(x))",
    ],
)
def test_a_function_may_be_the_first_to_ask(expression, tmp_path):
    path = tmp_path / "asking.py"
    path.write_text(f"""
import graphwright as gw

def sum_of(rows):
    total = 0.0
    for row in rows:
        total += row
    return total

@gw.function
def f(x):
    return {expression}

x = gw.constant([1.0, 2.0, 3.0])
first, second = f(x), f(x)
print(first.shape, (first.numpy() == second.numpy()).all(), f.cache_info().misses)
""")
    assert run(f"import runpy\nrunpy.run_path({str(path)!r})").endswith("True 1")


def test_objects_that_come_later_have_public_names():
    program = "import graphwright as gw\nprint(gw.zeros_initializer, gw.keras.layers.Dense, gw.data.Dataset)"
    names = ("zeros_initializer", "keras.layers.Dense", "data.Dataset")
    assert run(program) == " ".join(f"<class 'graphwright.{name}'>" for name in names)


def test_a_name_that_is_nowhere_is_refused_after_a_look_at_all_modules():
    program = (
        "import graphwright as gw\n"
        "for ask in (lambda: gw.Dense, lambda: gw.keras.relu, lambda: gw.train.nothing):\n"
        "    try:\n        ask()\n    except AttributeError as error:\n        print(error)"
    )
    lines = run(program).splitlines()
    assert lines[0].endswith("use `gw.keras.layers.Dense`")
    assert lines[1].endswith("use `gw.nn.relu`")
    assert lines[2] == "module 'graphwright.train' has no attribute 'nothing'"

"""Transfers between graph and host: the examples of graph program extraction, and the rules."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import textwrap
import warnings
from typing import NamedTuple

import numpy as np
import pytest

import graphwright as gw
from pages import ROOT, blocks

MATRIX = gw.TensorSpec([2, 2], gw.float32)
SCALAR = gw.TensorSpec([], gw.float32)


def crossing(f, *args):
    """The transfers of a function as `(kind, call, name, loops, implicit)`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gw.ImplicitCopyWarning)
        transfers = f.partition(*args).transfers
    return [(t.kind, t.call, t.name, t.loop_depth, t.implicit) for t in transfers]


# The examples.


def test_tensor_code_sends_nothing():
    @gw.function
    def multiply_add(x, w, b):
        return x @ w + b

    assert crossing(multiply_add, MATRIX, MATRIX, MATRIX) == []
    assert multiply_add.partition(MATRIX, MATRIX, MATRIX).is_closed
    x = gw.constant([[1.0, 2.0], [3.0, 4.0]])
    assert multiply_add(x, gw.constant([[2.0, 4.0], [2.0, 3.0]]), 2.0).tolist() == [[8.0, 12.0], [16.0, 26.0]]


def test_a_variable_that_is_assigned_again():
    @gw.function
    def add_all(a, b, c, d):
        result = a + b
        result = result + c
        result = result + d
        return result

    specs = [gw.TensorSpec([3])] * 4
    assert crossing(add_all, *specs) == []
    assert add_all.partition(*specs).graph.count(" add ") == 3


def test_conditions_of_tensors_and_of_the_host():
    @gw.function
    def of_tensor(x, y):
        result = x * y
        if gw.reduce_sum(x) > 0.0:
            result = result + 1.0
        else:
            result = result - 1.0
        return result

    tosses = []

    @gw.host
    def coin() -> bool:
        tosses.append(len(tosses) % 2 == 0)
        return tosses[-1]

    @gw.function
    def of_host(x):
        return x + 1.0 if coin() else x - 1.0

    assert crossing(of_tensor, SCALAR, SCALAR) == []
    assert crossing(of_host, SCALAR) == [("receive", "coin", "coin()", 0, False)]
    assert [of_host(gw.constant(5.0)).item() for _ in range(4)] == [6.0, 4.0, 6.0, 4.0]
    assert len(tosses) == 4


@gw.host
def simulator(frame) -> gw.TensorSpec([84, 84], gw.float32):
    return np.asarray(frame) * 0.5


@gw.function
def play(values):
    for _ in gw.range(10):
        x = values * 2.0
        result = simulator(x)
        y = x + 1.0
        values = result + y
    return values


def test_a_simulator_in_a_loop():
    frame = gw.TensorSpec([84, 84], gw.float32)
    assert crossing(play, frame) == [
        ("send", "simulator", "x", 1, True),
        ("receive", "simulator", "result", 1, True),
    ]
    assert [t.nbytes for t in play.partition(frame).transfers] == [28_224, 28_224]
    expected = np.linspace(0, 1, 84 * 84, dtype=np.float32).reshape(84, 84)
    given = gw.constant(expected)
    for _ in range(10):
        x = expected * np.float32(2)
        expected = x * np.float32(0.5) + (x + 1)
    with pytest.warns(gw.ImplicitCopyWarning):
        found = gw.function(play.python_function)(given)
    assert np.array_equal(found.numpy(), expected)


def test_a_loop_that_the_host_ends():
    keys = iter([False, False, False, True])

    @gw.host
    def key_pressed() -> bool:
        return next(keys)

    @gw.function
    def count(result):
        while True:
            stop = key_pressed()
            if stop:
                break
            result = result * 2.0
        return result

    assert crossing(count, SCALAR) == [("receive", "key_pressed", "stop", 1, False)]
    assert count(gw.constant(1.0)).item() == 8.0
    assert next(keys, None) is None


@dataclasses.dataclass
class Parts:
    a: gw.Tensor
    b: gw.Tensor
    c: str


def test_only_the_used_field_of_a_structure_crosses(capsys):
    @gw.host
    def note(value) -> None:
        print("noted", value.numpy())

    @gw.function
    def plain(x):
        value = Parts(x + 1.0, x * 2.0, "text")
        pair = (x - 1.0, value.c)
        print(value.a)
        print(pair[0])
        return value.b

    @gw.function
    def noted(x):
        value = Parts(x + 1.0, x * 2.0, "text")
        note(value.a)
        return value.b

    assert crossing(plain, gw.TensorSpec([2])) == []
    assert crossing(noted, gw.TensorSpec([2])) == [("send", "note", "value.a", 0, False)]
    plain(gw.constant([1.0, 2.0]))
    noted(gw.constant([1.0, 2.0]))
    assert capsys.readouterr().out == "[2. 3.]\n[0. 1.]\nnoted [2. 3.]\n"


class Matrix:
    def __init__(self, value):
        self.value = value

    def matmul(self, other):
        return Matrix(self.value @ other.value)

    def __add__(self, other):
        return Matrix(self.value + other.value)


@dataclasses.dataclass
class Dense:
    weights: gw.Tensor
    bias: gw.Tensor

    def __call__(self, x):
        return gw.tanh(x @ self.weights + self.bias)


def test_methods_layers_and_closures_cost_nothing():
    @gw.function
    def methods(a, b, c):
        return (Matrix(a).matmul(Matrix(b)) + Matrix(c)).value

    @gw.function
    def layer(x, w, b):
        return Dense(w, b)(x)

    @gw.function
    def closures(x):
        def twice(f, value):
            return f(f(value))

        return sum(map(lambda y: twice(lambda z: z + 1.0, y), [x, x]))

    assert crossing(methods, MATRIX, MATRIX, MATRIX) == []
    assert crossing(layer, MATRIX, MATRIX, MATRIX) == []
    assert crossing(closures, SCALAR) == []
    assert closures(gw.constant(4.0)).item() == 12.0


def test_dtypes_that_do_not_meet_are_an_error_while_building():
    ran = []

    @gw.host
    def note() -> None:
        ran.append(1)

    @gw.function
    def wrong(x):
        note()
        return x @ gw.constant(["text"])

    with pytest.raises((TypeError, ValueError), match="GW20"):
        wrong.partition(MATRIX)
    assert ran == []


# The rules.


@gw.host
def seen(*values) -> gw.TensorSpec([100], gw.float32):
    return np.asarray(values[0])


@gw.host
def told(value) -> None:
    """Gives nothing."""


LONG = gw.TensorSpec([100], gw.float32)


def test_what_the_host_has_is_not_sent():
    @gw.function
    def f(x, y):
        first = seen(x, 1.0)
        told(first)
        return first + y

    assert crossing(f, LONG, LONG) == [("receive", "seen", "first", 0, True)]


def test_a_result_that_the_graph_does_not_use_is_not_received():
    @gw.function
    def f(x):
        kept = seen(x * 2.0)
        told(kept)
        return kept

    assert crossing(f, LONG) == [("send", "seen", "x * 2.0", 0, True)]


def test_a_value_is_sent_once_in_the_outermost_loop_where_it_is_known():
    @gw.function
    def f(x, n):
        y = x * 2.0
        for _ in gw.range(n):
            told(y)
            told(y)
        return y

    assert crossing(f, LONG, gw.TensorSpec([], gw.int32)) == [("send", "told", "y", 0, True)]


def test_a_counted_loop_is_run_by_both_sides():
    @gw.function
    def f(x, n):
        for i in gw.range(n):
            told(i)
            x = x * 2.0
        return x

    assert crossing(f, SCALAR, gw.TensorSpec([], gw.int32)) == []


def test_a_number_that_a_loop_computes_is_sent():
    @gw.function
    def f(n):
        x = n
        while x < 100:
            x = x * 2 + 1
            told(x)
        for i in gw.range(n):
            told(i * 2 + n)
            told(i * i)
        return x

    assert crossing(f, gw.TensorSpec([], gw.int32)) == [
        ("send", "told", "x", 1, False),
        ("send", "told", "i * i", 1, False),
    ]


class Pair(NamedTuple):
    left: object
    right: object


def test_names_of_what_crosses():
    class World:
        @gw.host
        def step(self, action, *, scale) -> tuple[LONG, float]:
            return np.zeros(100, np.float32), 1.0

    world = World()

    @gw.function
    def f(x):
        told({"a": [x + 1.0]})
        told(Pair(x + 2.0, 1))
        state, reward = world.step(
            x  # the action
            * 3.0,
            scale=x + 4.0,
        )
        gw.py_function(told, [x + 5.0], [])
        return state * reward

    assert [t[:3] for t in crossing(f, LONG)] == [
        ("send", "told", "{\"a\": [x + 1.0]}['a'][0]"),
        ("send", "told", "Pair(x + 2.0, 1).left"),
        ("send", "step", "x # the action * 3.0"),
        ("send", "step", "x + 4.0"),
        ("receive", "step", "state"),
        ("receive", "step", "reward"),
        ("send", "told", "x + 5.0"),
    ]


def test_an_edit_in_another_function_changes_nothing():
    def helper(x):
        return x * 2.0

    def other(x):
        y = helper(x) + 1.0
        return gw.reduce_sum(y) * x

    def program(help_with):
        @gw.function
        def f(x):
            y = help_with(x)
            return seen(y) + y

        return f

    assert crossing(program(helper), LONG) == crossing(program(other), LONG)


# Texts.


@gw.host
def ask(x) -> float:
    return float(x)


@gw.function
def asking(x, n):
    total = x
    for _ in gw.range(n):
        total = total + ask(total)
    return total


def test_both_programs_as_text():
    partition = asking.partition(SCALAR, gw.TensorSpec([], gw.int32))
    assert "send_to_host %" in partition.graph and 'receive_from_host call="ask" : f64[]' in partition.graph
    assert "host_call" not in partition.graph
    assert partition.host == textwrap.dedent("""\
        run = start(x, n)
        for _ in gw.range(n):
            total = run.receive()
            value_1 = ask(total)
            run.send(value_1)
        return run.finish()
        """)
    assert str(partition).endswith(
        "send     ask   total       float32 []  4      {0}   1\n"
        "receive  ask   ask(total)  float64 []  8      {0}   1\n".format(partition.transfers[0].lineno)
    )


def test_bodies_on_the_line_of_their_statement():
    @gw.function
    def f(n):
        for i in gw.range(n): told(i * i)  # fmt: skip
        return n

    assert f.partition(gw.TensorSpec([], gw.int32)).host == textwrap.dedent("""\
        run = start(n)
        for i in gw.range(n):
            value_1 = run.receive()
            told(value_1)
        return run.finish()
        """)


def test_the_command(tmp_path):
    file = tmp_path / "model.py"
    file.write_text(
        "import graphwright as gw\n\n@gw.host\ndef note(x) -> None: ...\n\n\ndef f(x):\n    note(x * 2.0)\n    return x\n"
    )
    command = [sys.executable, "-m", "graphwright", "partition", f"{file}:f", "--arg", "f32[3]"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1].split() == "send note x * 2.0 float32 [3] 12 8 0".split()


def test_the_picture_of_the_guide_is_drawn_by_the_library():
    """`UPDATE_EXPECT=1` draws it anew."""
    page = ROOT / "docs/guide/host-and-graph.md"
    names = next(block for block in blocks(page) if block.language == "py").run({})
    picture = page.with_suffix(".svg")
    drawn = names["partition"]._repr_svg_()
    if os.environ.get("UPDATE_EXPECT"):
        picture.write_text(drawn, encoding="utf-8")
    assert picture.read_text(encoding="utf-8") == drawn
    assert drawn.count("<polygon") == 3 and "28,224 bytes" in drawn

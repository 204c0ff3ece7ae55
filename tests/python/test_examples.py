"""The programs of `examples/`: plain, converted and staged agree, exceptions and their texts included."""

from __future__ import annotations

import importlib.util
import re

import numpy as np
import pytest

import graphwright as gw
from pages import ROOT
from three_ways import check, outcome, tensor

pytestmark = pytest.mark.usefixtures("same_graphs")

EXAMPLES = {path.stem: path for path in sorted((ROOT / "examples").glob("*.py"))}


def codes(text):
    """The text as an array of character codes."""
    return np.array([ord(letter) for letter in text], np.int64)


def cells(*rows):
    """A grid with a 1 where a row has `#`."""
    return np.array([[int(letter == "#") for letter in row] for row in rows])


#: The factorial of the argument: result = 1; while 1 < n: result *= n; n -= 1.
FACTORIAL = np.array(
    [
        (0, 1),
        (2, 1),
        *[(0, 1), (1, 0), (6, 0), (8, 15)],
        *[(1, 1), (1, 0), (5, 0), (2, 1)],
        *[(1, 0), (0, 1), (4, 0), (2, 0)],
        (7, 2),
        *[(1, 1), (9, 0)],
    ]
)

#: The lengths of Wikipedia's example of Dijkstra's algorithm.
ROADS = np.array(
    [
        [0.0, 7.0, 9.0, 0.0, 0.0, 14.0],
        [7.0, 0.0, 10.0, 15.0, 0.0, 0.0],
        [9.0, 10.0, 0.0, 11.0, 0.0, 2.0],
        [0.0, 15.0, 11.0, 0.0, 6.0, 0.0],
        [0.0, 0.0, 0.0, 6.0, 0.0, 9.0],
        [14.0, 0.0, 2.0, 0.0, 9.0, 0.0],
    ]
)

WALLS = cells("......", ".#####", "......", "#####.", "......")

#: The example, its function, what its graph must hold, and the arguments of each call.
PROGRAMS = [
    (
        "astar",
        "astar",
        {"while", "cond", "check"},
        [(WALLS, 0, 29), (WALLS, 29, 5), (WALLS, 7, 7), (cells(".#.", "##.", "..."), 0, 8)],
    ),
    (
        "dijkstra",
        "dijkstra",
        {"while", "cond", "check"},
        [(ROADS, 0), (ROADS, 3), (-ROADS, 0), (0 * ROADS, 5)],
    ),
    (
        "interpreter",
        "interpret",
        {"while", "cond", "check"},
        [(FACTORIAL, 5), (FACTORIAL, 0), (np.array([(0, 1), (77, 0)]), 5), (np.array([(7, 9)]), 1)],
    ),
    (
        "levenshtein",
        "levenshtein",
        {"while"},
        [
            (codes("kitten"), 6, codes("sitting"), 7),
            (codes("kitten"), 0, codes("sitting"), 7),
            (codes("same"), 4, codes("same"), 4),
            (codes("kitten"), 9, codes("sitting"), 7),
        ],
    ),
    (
        "life",
        "life",
        {"while"},
        [
            (cells(".#....", "..#...", "###...", "......", "......"), 7),
            (cells("....", ".##.", ".##.", "...."), 9),
            (cells("...", "...", "..#"), 9),
            (cells("...", "...", "..#"), 0),
        ],
    ),
    (
        "lu",
        "solve",
        {"cond", "check"},
        [
            (np.array([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [3.0, 0.0, 1.0]]), np.array([1.0, 2.0, 3.0])),
            (np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([1.0, 2.0])),
        ],
    ),
    (
        "metropolis",
        "metropolis",
        {"while", "cond", "check"},
        [(42, 0.0, 2.0, 50), (7, 1.0, 0.5, 20), (42, 0.0, -2.0, 50), (42, 0.0, 1.0, 0)],
    ),
    ("queens", "queens", {"call", "while"}, [(1,), (3,), (6,)]),
    (
        "simpson",
        "area",
        {"call", "cond", "check"},
        [(0.0, 2.0, 1e-6, 40), (-1.0, 2.0, 1e-5, 40), (2.0, 0.0, 1e-3, 9), (-1.0, 2.0, 1e-12, 3)],
    ),
    (
        "tokenizer",
        "tokenize",
        {"while", "cond", "check"},
        [(codes("12+325*(7 - 1)"),), (codes("42"),), (codes("1 $"),), (codes("   "),)],
    ),
]


#: What the examples raise themselves; the texts of the others are NumPy's.
RAISED = {"ValueError", "RecursionError"}


def program(name, function):
    """A function of an example."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES[name])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, function)


@pytest.mark.parametrize(("name", "function", "holds", "calls"), PROGRAMS, ids=[row[0] for row in PROGRAMS])
def test_example(name, function, holds, calls):
    plain = program(name, function)
    for args in calls:
        check(plain, *args)
    staged = gw.function(plain)
    for args in calls:
        native, ours = outcome(plain, args), outcome(staged, [tensor(arg) for arg in args])
        if native[0] == "raises" and native[1] in RAISED:
            assert ours == native
    graph = staged.get_concrete_function(*map(tensor, calls[0])).graph
    operations = set(re.findall(r"^ *(?:%[\w, %]+ = )?(\w+)", str(graph), re.MULTILINE))
    assert holds <= operations, f"{name}: {holds - operations} not in the graph"


def test_every_example_is_run():
    assert sorted(row[0] for row in PROGRAMS) == sorted(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_plain_python(name):
    text = EXAMPLES[name].read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    assert "graphwright" not in text and "gw." not in text

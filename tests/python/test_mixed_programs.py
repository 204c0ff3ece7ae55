"""Random programs of lists, dicts, sets, recursion and exceptions agree in all ways, or are refused with their line."""

from __future__ import annotations

import linecache
import os

import pytest

import graphwright as gw
from mixed_programs import program
from three_ways import agree, check, outcome, tensor

pytestmark = pytest.mark.usefixtures("same_graphs")

ARGUMENTS = [0, 1, 3, 6, -2]
PROGRAMS = int(os.environ.get("MIXED_PROGRAMS", "40"))
FIRST = int(os.environ.get("MIXED_SEED", "0"))


#: Programs that nest deeper, by their seeds and depths.
DEEP = [(seed, 3) for seed in range(1, 30) if seed != 8] + [(seed, 4) for seed in (1, 3, 4, 6, 7, 10, 17)]


def function_of(seed, depth=2):
    """The function of a program, and its file."""
    text, file = program(seed, depth), f"<mixed {seed} {depth}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "mixed"}
    exec(compile(text, file, "exec"), names)
    return names["f"], file


@pytest.mark.parametrize(("seed", "depth"), [(seed, 2) for seed in range(FIRST, FIRST + PROGRAMS)])
def test_mixed_programs_agree(seed, depth):
    function, file = function_of(seed, depth)
    for argument in ARGUMENTS:
        refused = check(function, argument, refusal=True)
        assert refused is None or file in refused, refused
    check_one_graph(function, [argument for argument in ARGUMENTS for _ in range(2)])


@pytest.mark.parametrize(("seed", "depth"), DEEP)
def test_deep_programs_agree(seed, depth):
    check_one_graph(function_of(seed, depth)[0], ARGUMENTS)


def check_one_graph(function, arguments):
    """One function meets all arguments: the graph of the first call serves the others."""
    graph = gw.function(function)
    for argument in arguments:
        native, ours = outcome(function, [argument]), outcome(graph, [tensor(argument)])
        if ours[0] == "raises" and ours[2].startswith("GW"):
            continue
        same = agree(ours[1], native[1]) if ours[0] == native[0] == "gives" else ours[:2] == native[:2]
        assert same, f"f({argument}): native {native}, graph {ours}"


def test_most_programs_have_an_answer():
    """The comparison is worth what is not refused."""
    kinds = [outcome(gw.function(function_of(seed)[0]), [tensor(3)]) for seed in range(40)]
    answered = [kind for kind in kinds if not (kind[0] == "raises" and kind[2].startswith("GW"))]
    assert len(answered) > 10

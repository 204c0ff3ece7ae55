"""Graphs as they are traced are those of `graph_digests.txt`, in every process; `make bless` writes them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import graph_texts
import graphwright as gw
from graph_texts import TOGETHER, digests, listening, name_of_programs, of_together

#: The text of random programs and the order of some tables are CPython's own.
pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the digests are those of CPython 3.11"
)


#: Programs up to this number are traced here; with all 1,000 the test takes two minutes of a processor.
LAST = int(os.environ.get("GRAPH_PROGRAMS", "150"))


@pytest.mark.parametrize("first", range(TOGETHER, LAST, TOGETHER))
def test_random_programs_give_the_graphs_that_are_checked_in(first):
    name, found = of_together(first)
    assert found == digests()[name], "staging gives another graph; `make same-graphs` shows which"


@pytest.mark.parametrize("hashes", ["1", "2"])
def test_processes_that_hash_otherwise_give_the_same_graphs(hashes):
    environment = {**os.environ, "PYTHONHASHSEED": hashes, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, graph_texts.__file__, "--first", "0"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digests()[name_of_programs(range(TOGETHER))]


def test_a_listener_has_each_graph_before_any_pass():
    @gw.function
    def doubled(x):
        return x * 2.0 + 0.0 * x

    heard = []
    with listening(heard.append):
        doubled(gw.constant(1.0))
        doubled(gw.constant(2.0))
        doubled(gw.constant([1.0]))
    doubled(gw.constant([[1.0]]))
    assert [text.count(" mul ") for text in heard] == [2, 2]

"""Clients on workers of a real Ray: the answers of one process, computations sent once, and workers that are lost."""

from __future__ import annotations

import os
import signal
import traceback

import numpy as np
import pytest

import graphwright as gw
import graphwright.federated as tff
from federated_outcomes import described, outcome
from federated_programs import program
from federated_stacks import called, context, die_once, note_process
from ray_pair import pids, two_workers

INT, FLOAT = np.int32, np.float32
PROGRAMS = int(os.environ.get("FEDERATED_RAY_PROGRAMS", "24"))

two = pytest.fixture(scope="module")(two_workers)


def clients(member):
    return tff.FederatedType(member, tff.CLIENTS)


@pytest.fixture
def workers(two):
    """A context whose clients are on two workers."""
    return tff.framework.RayExecutionContext(two, default_num_clients=3)


def in_context(installed, computation, *args):
    with tff.framework.get_context_stack().install(installed):
        return computation(*args)


def means():
    """A computation with a broadcast, two loops over clients, and floats whose sum depends on its order."""
    far = tff.graph_computation(lambda m, x: (x - m) * (x - m), FLOAT, FLOAT)

    @tff.federated_computation(clients(FLOAT))
    def deviation(x):
        mean = tff.federated_mean(x)
        return mean, tff.federated_mean(tff.federated_map(far, (tff.federated_broadcast(mean), x)))

    return deviation


VALUES = [np.float32(value) for value in np.random.default_rng(0).normal(size=101) * 1e3]


@pytest.mark.parametrize("count", [0, 1, 8, 9, 100, 101])
def test_the_answer_is_that_of_one_process_to_the_bit(workers, count):
    deviation = means()
    wanted = called("reference", deviation, VALUES[:count])
    assert repr(in_context(workers, deviation, VALUES[:count])) == repr(wanted)


def test_random_programs(workers):
    for seed in range(3000, 3000 + PROGRAMS):
        one = program(seed)
        on_workers = tff.framework.RayExecutionContext(workers.strategy, one.clients)
        wanted = outcome(context("reference", one.clients), one)
        assert outcome(on_workers, one) == wanted, f"seed {seed}\n{described(one)}"


def test_an_exception_of_a_client_comes_as_itself(workers):
    inverse = tff.graph_computation(lambda x: 10 // x, INT)
    mapped = tff.federated_computation(lambda x: tff.federated_map(inverse, x), clients(INT))
    with pytest.raises(ZeroDivisionError) as caught:
        in_context(workers, mapped, [1] * 20 + [0, 1])
    assert "client 20" in caught.value.__notes__
    assert "10 // x" in traceback.extract_tb(caught.value.__traceback__)[-1].line
    assert in_context(workers, mapped, [2] * 20) == [5] * 20


def test_a_computation_is_sent_and_traced_once(workers, tmp_path):
    path = str(tmp_path / "traced")

    @tff.graph_computation(INT)
    def noted(x):
        gw.autograph.do_not_convert(note_process)(path)
        return x + 1

    total = tff.federated_computation(lambda x: tff.federated_sum(tff.federated_map(noted, x)), clients(INT))
    os.remove(path)
    for _ in range(4):
        assert in_context(workers, total, list(range(16))) == 136
    by_process = {}
    for line in open(path).read().split():
        by_process[line] = by_process.get(line, 0) + 1
    on_workers = {pid: count for pid, count in by_process.items() if pid != str(os.getpid())}
    assert len(on_workers) == 2
    assert set(on_workers.values()) == {2}  # for its type, and in the loop


@pytest.mark.parametrize("rank", [0, 1])
def test_a_worker_that_is_lost_between_rounds(workers, rank):
    deviation = means()
    wanted = repr(called("local", deviation, VALUES))
    os.kill(pids(workers.strategy)[rank], signal.SIGKILL)
    assert repr(in_context(workers, deviation, VALUES)) == wanted


def test_a_worker_that_is_lost_in_a_round_has_its_block_done_again(workers, tmp_path):
    mark = str(tmp_path / "killed")
    wait = tff.graph_computation(
        lambda x: gw.py_function(lambda y: die_once(mark, y), [x], gw.TensorSpec([], gw.int32)), INT
    )
    mapped = tff.federated_computation(lambda x: tff.federated_map(wait, x), clients(INT))
    before = set(pids(workers.strategy))
    assert in_context(workers, mapped, list(range(20))) == list(range(20))
    assert len(before - set(pids(workers.strategy))) == 1


def test_clients_come_in_contiguous_blocks(workers):
    where = tff.graph_computation(
        lambda x: gw.py_function(lambda y: os.getpid(), [x], gw.TensorSpec([], gw.int64)), INT
    )
    mapped = tff.federated_computation(lambda x: tff.federated_map(where, x), clients(INT))
    found = [int(pid) for pid in in_context(workers, mapped, list(range(32)))]
    assert found == [found[0]] * 16 + [found[16]] * 16
    assert set(found) == set(pids(workers.strategy))

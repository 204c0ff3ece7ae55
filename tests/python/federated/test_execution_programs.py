"""Random computations: the stacks give what the reference executor gives, to the bit."""

from __future__ import annotations

import os

import numpy as np
import pytest

import graphwright.federated as tff
from federated_outcomes import described, outcome
from federated_programs import program
from federated_stacks import called, context
from graphwright.federated._execution import inside, numeric, plan

#: So many programs are run; `FEDERATED_PROGRAMS=2600` runs more.
COUNT = int(os.environ.get("FEDERATED_PROGRAMS", "200"))
PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
def test_stacks_agree(part):
    others = {name: {} for name in ("local", "loops of 8", "composing", "threads")}
    for seed in range(part, COUNT, PARTS):
        one = program(seed)
        wanted = outcome(context("reference", one.clients), one)
        for name in others:
            found = outcome(context(name, one.clients), one)
            assert found == wanted, f"seed {seed}, {name}\n{described(one)}"


def test_most_programs_are_graphs_and_hold_all_kinds_of_steps():
    fused, steps = 0, set()
    for seed in range(100):
        one = program(seed)
        steps |= {step.partition(" ")[0] for step in one.steps}
        try:
            plan.Plan(one.computation.to_building_block())
            fused += 1
        except inside.NotFusedError:
            pass
    assert fused > 75
    assert {"map", "zip", "part", "broadcast", "sum", "min", "mean", "weighted", "aggregate"} <= steps
    assert {"eval", "value", "noise", "select", "secure", "call"} <= steps


def test_another_order_of_sums_is_seen(monkeypatch):
    monkeypatch.setattr(numeric, "CLIENTS_PER_GROUP", 7)
    found = []
    for seed in range(60):
        one = program(seed)
        judged, run = (outcome(context(name, one.clients), one) for name in ("reference", "local"))
        found.append(judged == run)
    assert not all(found)


def test_merge_is_used_and_a_wrong_one_is_seen_everywhere():
    parameter = tff.FederatedType(np.int32, tff.CLIENTS)
    zero = tff.graph_computation(lambda: np.int32(0))
    add = tff.graph_computation(lambda a, b: a + b, np.int32, np.int32)
    left = tff.graph_computation(lambda a, b: a, np.int32, np.int32)
    same = tff.graph_computation(lambda s: s, np.int32)

    def total(merge):
        return tff.federated_computation(
            lambda x: tff.federated_aggregate(x, zero(), add, merge, same), parameter
        )

    for name in ("reference", "local", "composing"):
        assert called(name, total(add), [1] * 20) == 20
        assert called(name, total(left), [1] * 20) == 8


@pytest.mark.parametrize("count", range(40))
def test_branches_of_blocks_are_those_of_the_whole(count):
    from graphwright.federated._execution.blocks import Block, branches, dealt, push

    whole = branches(Block(0, count))
    for parts in (1, 2, 3, 7):
        waiting = []
        blocks = dealt(count, parts)
        assert sum(block.count for block in blocks) == count
        for block in blocks:
            for branch in branches(block):
                push(waiting, branch, lambda left, right: (left[0], left[1] + right[1]))
        assert waiting == whole


def test_there_is_room_for_all_partial_results_that_wait():
    from graphwright.federated._execution.blocks import Block, numbers, push

    for first in range(40):
        for groups in range(70):
            *_, room = numbers(0, Block(first, groups * numeric.CLIENTS_PER_GROUP))
            waiting = []
            for group in range(first, first + groups):
                push(waiting, (group, 1), lambda left, right: (left[0], left[1] + right[1]))
                assert len(waiting) <= room


@pytest.mark.parametrize("count", [100, 399, 1000])
def test_many_clients_in_blocks_that_begin_anywhere(count):
    values = [np.float32(value) for value in np.random.default_rng(count).normal(size=count)]
    parameter = tff.FederatedType(np.float32, tff.CLIENTS)
    mean = tff.federated_computation(lambda x: tff.federated_mean(x), parameter)
    wanted = called("reference", mean, values)
    for name in ("local", "loops of 8", "composing", "threads"):
        assert called(name, mean, values) == wanted
    for fan_out in (2, 5, 11):
        stack = tff.framework.composing_executor_factory(fan_out)
        with tff.framework.get_context_stack().install(tff.framework.SyncExecutionContext(stack)):
            assert mean(values) == wanted


@pytest.mark.parametrize("count", range(1, 40))
def test_partial_results_wait_as_the_tree_says(count):
    from graphwright.federated._execution.blocks import push

    waiting = []
    for group in range(count):
        push(waiting, (group, 1, str(group)), lambda a, b: (a[0], a[1] + b[1], f"({a[2]} {b[2]})"))
    found = waiting.pop()[2]
    while waiting:
        found = f"({waiting.pop()[2]} {found})"
    assert found == numeric.merged([str(group) for group in range(count)], lambda a, b: f"({a} {b})")

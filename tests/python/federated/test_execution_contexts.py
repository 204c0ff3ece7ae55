"""Contexts: the one that is there on import, others, asynchronous calls, plans and random numbers."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest

import graphwright as gw
import graphwright.federated as tff
from federated_stacks import STACKS, called, context

INT, FLOAT = np.int32, np.float32


def clients(member):
    return tff.FederatedType(member, tff.CLIENTS)


@pytest.fixture
def default_context():
    """Puts the context of import back."""
    yield
    tff.set_local_execution_context()


three = tff.federated_computation(lambda: tff.federated_sum(tff.federated_value(3, tff.CLIENTS)))


def test_import_installs_the_local_context_and_imports_nothing_large():
    program = """
import sys
import graphwright
assert "graphwright.federated" not in sys.modules
import numpy as np
import graphwright.federated as tff
assert not {"ray", "tensorflow", "asyncio", "graphwright.federated._execution.plan"} & set(sys.modules)
add = tff.graph_computation(lambda x: x + 1, np.int32)
print(add(1), tff.federated_computation(tff.federated_sum, tff.FederatedType(np.int32, tff.CLIENTS))([1, 2]))
assert "ray" not in sys.modules
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("2 3\n", "")


def test_default_number_of_clients(default_context):
    assert three() == 0
    tff.set_local_execution_context(default_num_clients=4)
    assert three() == 12
    tff.backends.native.set_sync_local_cpp_execution_context(default_num_clients=5, max_workers=2)
    assert three() == 15
    with tff.framework.get_context_stack().install(tff.create_local_execution_context(2)):
        assert three() == 6
    assert three() == 15


def test_asynchronous_calls_run_at_once():
    barrier = threading.Barrier(3, timeout=30)
    wait = tff.graph_computation(
        lambda x: gw.py_function(_waiting(barrier), [x], gw.TensorSpec([], gw.int32)), INT
    )
    mapped = tff.federated_computation(lambda x: tff.federated_map(wait, x), clients(INT))

    async def all_of_them():
        return await asyncio.gather(*[mapped([n]) for n in range(3)])

    with tff.framework.get_context_stack().install(tff.create_async_local_execution_context(max_workers=3)):
        assert asyncio.run(all_of_them()) == [[0], [1], [2]]


def _waiting(barrier):
    def wait(x):
        barrier.wait()
        return x

    return wait


def test_computations_inside_graphs_in_asynchronous_contexts():
    double = tff.graph_computation(lambda x: x * 2, INT)
    native = tff.create_async_local_execution_context()
    for installed in (native, tff.program.NativeFederatedContext(native)):
        with tff.framework.get_context_stack().install(installed):
            outer = tff.graph_computation(lambda x: double(x) + 1, INT)
        assert outer(3) == 7


def test_observers_of_asynchronous_calls():
    total = tff.federated_computation(lambda x: tff.federated_sum(x), clients(INT))
    seen = []

    async def one():
        with tff.framework.observe_aggregation(seen.append):
            return await total([1, 2])

    async def both():
        return await asyncio.gather(one(), total([3, 4]))

    with tff.framework.get_context_stack().install(tff.create_async_local_execution_context()):
        assert asyncio.run(both()) == [3, 7]
    assert [one.value for one in seen] == [1, 2]


def test_errors_of_asynchronous_calls():
    inverse = tff.graph_computation(lambda x: 10 // x, INT)
    mapped = tff.federated_computation(lambda x: tff.federated_map(inverse, x), clients(INT))

    async def one():
        return await mapped([1, 0])

    with tff.framework.get_context_stack().install(tff.create_async_local_execution_context()):
        with pytest.raises(ZeroDivisionError) as caught:
            asyncio.run(one())
    assert caught.value.__notes__ == ["client 1"]


def test_one_trace_whatever_the_number_of_clients():
    traced = []

    @tff.graph_computation(INT)
    def noted(x):
        traced.append(1)
        return x + 1

    total = tff.federated_computation(lambda x: tff.federated_sum(tff.federated_map(noted, x)), clients(INT))
    with tff.framework.get_context_stack().install(context("local")):
        for count in (0, 1, 2, 9, 1000):
            assert total(list(range(count))) == count * (count + 1) // 2
    assert len(traced) == 2  # for its type, and in the loop


draw = tff.graph_computation(lambda: (gw.random.uniform([]), gw.random.normal([2])))


@tff.federated_computation(clients(FLOAT))
def drawn(x):
    noisy = tff.graph_computation(lambda y: y + gw.random.uniform([]), FLOAT)
    first = tff.federated_map(noisy, x)
    return (
        first,
        tff.federated_map(noisy, first),
        tff.federated_sum(first),
        tff.federated_eval(draw, tff.SERVER),
    )


def test_random_numbers_are_a_function_of_seed_and_client():
    found = {}
    for stack in STACKS:
        gw.random.set_seed(3)
        found[stack] = repr([called(stack, drawn, [0.0] * 20) for _ in range(2)])
    assert len(set(found.values())) == 1
    gw.random.set_seed(4)
    assert repr([called("local", drawn, [0.0] * 20) for _ in range(2)]) not in found.values()


def test_each_client_and_each_call_draws_other_numbers():
    evaluated = tff.federated_computation(lambda: tff.federated_eval(draw, tff.CLIENTS))
    first, second = (called("local", evaluated, clients=9) for _ in range(2))
    assert len({float(one) for one, _ in [*first, *second]}) == 18
    few = []
    for count in (3, 9):
        gw.random.set_seed(1)
        few.append([float(one) for one, _ in called("local", evaluated, clients=count)])
    assert few[0] == few[1][:3]


def test_calls_leave_the_numbers_behind_them_alone():
    gw.random.set_seed(5)
    called("local", drawn, [0.0] * 3)
    after = gw.random.uniform([]).numpy()
    gw.random.set_seed(5)
    called("reference", drawn, [0.0] * 30)
    assert gw.random.uniform([]).numpy() == after


def test_a_computation_is_planned_once_and_plans_are_bounded(monkeypatch):
    from graphwright.federated._execution import executors

    monkeypatch.setattr(executors, "MOST_PLANS", 3)
    planned = []
    plan = executors.Plan
    monkeypatch.setattr(executors, "Plan", lambda block: planned.append(1) or plan(block))
    executor = tff.framework.local_executor_factory().create_executor()
    total = tff.federated_computation(tff.federated_sum, clients(INT))
    for count in range(5):
        assert executor.execute(total, [1] * count, count) == count
    assert len(planned) == 1
    others = [tff.federated_computation(tff.federated_sum, clients(INT)) for _ in range(5)]
    for other in others:
        assert executor.execute(other, [1], 1) == 1
        assert len(executor._plans) <= 3


def test_a_factory_keeps_its_executor_until_it_is_cleaned_up():
    factory = tff.framework.local_executor_factory()
    executor = factory.create_executor({tff.CLIENTS: 3})
    assert factory.create_executor() is executor
    factory.clean_up_executors()
    assert factory.create_executor() is not executor


def test_a_hundred_thousand_clients():
    add = tff.graph_computation(lambda x: x + 1, np.int64)
    total = tff.federated_computation(
        lambda x: tff.federated_sum(tff.federated_map(add, x)), clients(np.int64)
    )
    assert total(range(100_000)) == 100_000 * 100_001 // 2


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="there is no /proc")
def test_memory_is_flat_over_rounds():
    scale = tff.graph_computation(lambda w, x: w * 0.5 + x, (FLOAT, [50]), (FLOAT, [50]))

    @tff.federated_computation(tff.FederatedType((FLOAT, [50]), tff.SERVER), clients((FLOAT, [50])))
    def one_round(w, x):
        return tff.federated_mean(tff.federated_map(scale, (tff.federated_broadcast(w), x)))

    values, weights = [np.ones(50, FLOAT)] * 10, np.zeros(50, FLOAT)
    before = 0
    for number in range(10_000):
        weights = one_round(weights, values)
        before = before or (_resident() if number == 1_000 else 0)
    assert _resident() - before < 1 << 20
    np.testing.assert_allclose(weights, 2.0, rtol=1e-6)


def _resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

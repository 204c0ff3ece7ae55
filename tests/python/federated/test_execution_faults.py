"""Faults: clients that raise, arguments that do not fit, intrinsics that lack; contexts are usable behind each."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import graphwright as gw
import graphwright.federated as tff
from federated_stacks import STACKS, called, context

INT, FLOAT = np.int32, np.float32
every_stack = pytest.mark.parametrize("stack", STACKS)
CLIENTS_OF_INT = tff.FederatedType(INT, tff.CLIENTS)


class TooLargeError(Exception):
    """An exception of the user's."""


def checked(x):
    if x > 100:
        raise TooLargeError("this is too large")
    return x


CHECKED = tff.graph_computation(checked, INT)
INVERSE = tff.graph_computation(lambda x: 10 // x, INT)
INVERSES = tff.federated_computation(lambda x: tff.federated_map(INVERSE, x), CLIENTS_OF_INT)


@every_stack
@pytest.mark.parametrize("client", [0, 7, 8, 20])
def test_an_exception_of_a_client_comes_as_itself(stack, client):
    computation = tff.federated_computation(
        lambda x: tff.federated_sum(tff.federated_map(CHECKED, x)), CLIENTS_OF_INT
    )
    values = [1] * 21
    values[client] = 101
    with pytest.raises(TooLargeError, match="this is too large") as caught:
        called(stack, computation, values)
    assert caught.value.__notes__ == [f"client {client}"]
    assert called(stack, computation, [1] * 21) == 21


@every_stack
def test_the_least_client_that_raises_is_named(stack):
    with pytest.raises(ZeroDivisionError) as caught:
        called(stack, INVERSES, [1, 2, 0, 1, 0])
    assert caught.value.__notes__ == ["client 2"]


@every_stack
def test_the_traceback_has_the_users_lines_and_few_of_ours(stack):
    with pytest.raises(ZeroDivisionError) as caught:
        called(stack, INVERSES, [1, 0])
    entries = traceback.extract_tb(caught.value.__traceback__)
    assert entries[-1].line == "INVERSE = tff.graph_computation(lambda x: 10 // x, INT)"
    ours = [entry for entry in entries if "/graphwright/" in entry.filename]
    assert len(ours) <= 2


@every_stack
def test_what_a_fold_raises(stack):
    zero = tff.graph_computation(lambda: gw.constant(0))
    accumulate = tff.graph_computation(lambda s, x: s + 10 // x, INT, INT)
    add = tff.graph_computation(lambda a, b: a + b, INT, INT)
    refuse = tff.graph_computation(lambda a, b: a // (b - b), INT, INT)
    same = tff.graph_computation(lambda s: s, INT)

    def aggregated(merge):
        return tff.federated_computation(
            lambda x: tff.federated_aggregate(x, zero(), accumulate, merge, same), CLIENTS_OF_INT
        )

    assert called(stack, aggregated(add), [10] * 20) == 20
    with pytest.raises(ZeroDivisionError) as caught:
        called(stack, aggregated(add), [10] * 9 + [0])
    assert caught.value.__notes__ == ["client 9"]
    with pytest.raises(ZeroDivisionError) as caught:
        called(stack, aggregated(refuse), [10] * 20)
    assert not hasattr(caught.value, "__notes__")


@every_stack
def test_what_the_server_raises_names_no_client(stack):
    applied = tff.federated_computation(
        lambda x: tff.federated_map(INVERSE, tff.federated_sum(x)), CLIENTS_OF_INT
    )
    with pytest.raises(ZeroDivisionError) as caught:
        called(stack, applied, [1, -1])
    assert not hasattr(caught.value, "__notes__")
    assert called(stack, applied, [1, 1]) == 5


@every_stack
def test_overflow_on_a_client(stack):
    larger = tff.graph_computation(lambda x: x + 1, INT)
    computation = tff.federated_computation(lambda x: tff.federated_map(larger, x), CLIENTS_OF_INT)
    with pytest.raises(OverflowError) as caught:
        called(stack, computation, [1, 2**31 - 1])
    assert caught.value.__notes__ == ["client 1"]


@pytest.mark.parametrize("uri", ["federated_sum", "federated_map", "sequence_sum", "generic_plus"])
def test_an_intrinsic_that_a_stack_lacks_is_named_before_anything_runs(uri):
    ran = []

    @tff.graph_computation(INT)
    def noted(x):
        gw.py_function(lambda: ran.append(1), [], [])
        return x

    @tff.federated_computation(tff.FederatedType(tff.SequenceType(INT), tff.CLIENTS))
    def computation(x):
        total = tff.federated_computation(lambda s: noted(tff.sequence_sum(s)), tff.SequenceType(INT))
        sums = tff.federated_map(total, x)
        return tff.federated_sum(sums + sums)

    factory = tff.framework.local_executor_factory(without=[uri])
    stack = tff.framework.SyncExecutionContext(factory)
    with tff.framework.get_context_stack().install(stack):
        with pytest.raises(NotImplementedError, match=uri):
            computation([[1], [2]])
        assert ran == []
    assert computation([[1], [2]]) == 6
    assert ran


@pytest.mark.parametrize("stack", STACKS)
def test_a_context_left_half_way(stack):
    stacks = tff.framework.get_context_stack()
    before = stacks.current
    with pytest.raises(ZeroDivisionError), stacks.install(context(stack)):
        INVERSES([0])
    assert stacks.current is before
    assert INVERSES([5]) == [2]


def test_a_function_is_no_result():
    same = tff.federated_computation(lambda f: f, tff.FunctionType(INT, INT))
    with pytest.raises(TypeError):
        same(INVERSE)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tff.framework.local_executor_factory(clients_per_loop=0),
        lambda: tff.framework.composing_executor_factory(fan_out=0),
        lambda: tff.create_local_execution_context(default_num_clients=-1),
    ],
)
def test_numbers_that_make_no_stack(make):
    with pytest.raises(ValueError, match="not"):
        make()


@every_stack
def test_what_a_call_of_python_raises_on_a_client(stack):
    def refuse(x):
        if int(x) == 7:
            raise KeyError("seven")
        return x

    called_there = tff.graph_computation(
        lambda x: gw.py_function(refuse, [x], gw.TensorSpec([], gw.int32)), INT
    )
    total = tff.federated_computation(
        lambda x: tff.federated_sum(tff.federated_map(called_there, x)), CLIENTS_OF_INT
    )
    with pytest.raises(KeyError, match="seven") as caught:
        called(stack, total, [1, 7, 2])
    assert caught.value.__notes__ == ["client 1"]
    assert called(stack, total, [1, 2]) == 3


@every_stack
def test_what_is_computed_and_not_used_may_raise(stack):
    @tff.federated_computation(CLIENTS_OF_INT)
    def total(x):
        tff.federated_map(INVERSE, x)
        return tff.federated_sum(x)

    with pytest.raises(ZeroDivisionError):
        called(stack, total, [1, 0])
    assert called(stack, total, [1, 2]) == 3

"""Every intrinsic on every stack of executors, against results worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
import graphwright.federated as tff
from federated_stacks import STACKS, called

INT, FLOAT = np.int32, np.float32
every_stack = pytest.mark.parametrize("stack", STACKS)


def clients(member):
    return tff.FederatedType(member, tff.CLIENTS)


def server(member):
    return tff.FederatedType(member, tff.SERVER)


add_one = tff.graph_computation(lambda x: x + 1, INT)
add = tff.graph_computation(lambda a, b: a + b, INT, INT)
numbers = tff.SequenceType(INT)


@tff.federated_computation(clients(INT))
def mapped(x):
    return tff.federated_map(add_one, x)


@tff.federated_computation(server(INT))
def applied(x):
    return tff.federated_map(add_one, x)


@tff.federated_computation(tff.FederatedType(INT, tff.CLIENTS, True))
def mapped_all_equal(x):
    return tff.federated_map(add_one, x)


@tff.federated_computation(server(INT), clients(INT))
def broadcast(x, y):
    return tff.federated_map(add, (tff.federated_broadcast(x), y))


@tff.federated_computation
def constants():
    return tff.federated_value(3, tff.CLIENTS), tff.federated_value(4, tff.SERVER)


@tff.federated_computation
def evaluated():
    four = tff.graph_computation(lambda: gw.constant(4))
    return tff.federated_eval(four, tff.CLIENTS), tff.federated_eval(four, tff.SERVER)


@tff.federated_computation(clients(INT), clients(FLOAT), server(INT), server(FLOAT))
def zipped(a, b, c, d):
    return tff.federated_zip((a, {"b": b})), tff.federated_zip((c, d))


@tff.federated_computation(clients((INT, FLOAT)))
def parts(x):
    return x[1], x[0]


@tff.federated_computation(clients(INT))
def folded(x):
    return tff.federated_sum(x), tff.federated_min(x), tff.federated_max(x)


@tff.federated_computation(clients(FLOAT), clients(INT))
def means(x, weight):
    return tff.federated_mean(x), tff.federated_mean(x, weight)


@tff.federated_computation(clients(INT))
def aggregated(x):
    zero = tff.graph_computation(lambda: (gw.constant(0), gw.constant(0)))
    state = tff.to_type((INT, INT))
    accumulate = tff.graph_computation(lambda s, x: (s[0] + x, s[1] + 1), state, INT)
    merge = tff.graph_computation(lambda a, b: (a[0] + b[0], a[1] + b[1]), state, state)
    report = tff.graph_computation(lambda s: {"total": s[0], "count": s[1]}, state)
    return tff.federated_aggregate(x, zero(), accumulate, merge, report)


@tff.federated_computation(clients((INT, [2])), server(INT), server((FLOAT, [4])))
def selected(keys, most, held):
    row = tff.graph_computation(lambda x, key: x[key], (FLOAT, [4]), INT)
    return tff.federated_select(keys, most, held, row)


@tff.federated_computation(clients((INT, [2])), server(INT), server((FLOAT, [4])))
def selected_and_summed(keys, most, held):
    row = tff.graph_computation(lambda x, key: x[key], (FLOAT, [4]), INT)
    rows = tff.federated_secure_select(keys, most, held, row)
    total = tff.federated_computation(tff.sequence_sum, tff.SequenceType(FLOAT))
    return tff.federated_map(total, rows)


@tff.federated_computation(clients(INT))
def secure(x):
    return tff.federated_secure_sum(x, 9), tff.federated_secure_sum_bitwidth(x, 4)


@tff.federated_computation(clients(numbers), numbers)
def sequences(x, y):
    def worked(s):
        return tff.sequence_sum(tff.sequence_map(add_one, s)), tff.sequence_reduce(s, 5, add)

    return tff.federated_map(tff.federated_computation(worked, numbers), x), worked(y)


def of_intrinsic(uri, parameter, result):
    """A computation that is one intrinsic."""
    framework = tff.framework
    intrinsic = framework.Intrinsic(uri, tff.FunctionType(parameter, result))
    call = framework.Call(intrinsic, framework.Reference("x", parameter))
    return framework.ConcreteComputation.from_building_block(framework.Lambda("x", parameter, call))


def generic(uri, dtype, result):
    pair = tff.to_type([(dtype, [2]), {"a": dtype}])
    return of_intrinsic(uri, tff.StructType([pair, pair]), tff.to_type([(result, [2]), {"a": result}]))


PAIRS = (([6, 8], {"a": 4}), ([3, 2], {"a": 8}))
ROWS = [[0, 1], [3, 3], [2, 0]]
HELD = np.array([1, 2, 3, 4], "float32")
CASES = {
    "map": (mapped, ([1, 2, 3],), [2, 3, 4]),
    "apply": (applied, (5,), 6),
    "map of what all have": (mapped_all_equal, (5,), [6, 6, 6]),
    "broadcast": (broadcast, (10, [1, 2]), [11, 12]),
    "value": (constants, (), (3, 4)),
    "eval": (evaluated, (), ([4, 4, 4], 4)),
    "zip": (zipped, ([1, 2], [3.0, 4.0], 5, 6.0), ([(1, {"b": 3.0}), (2, {"b": 4.0})], (5, 6.0))),
    "parts": (parts, ([(1, 2.0), (3, 4.0)],), ([2.0, 4.0], [1, 3])),
    "sum, min, max": (folded, (list(range(-4, 20)),), (180, -4, 19)),
    "means": (means, ([1.0, 2.0, 6.0], [1, 0, 3]), (3.0, 4.75)),
    "aggregate": (aggregated, (list(range(30)),), {"total": 435, "count": 30}),
    "select": (selected, (ROWS, 4, HELD), [[1.0, 2.0], [4.0, 4.0], [3.0, 1.0]]),
    "secure select": (selected_and_summed, (ROWS, 4, HELD), [3.0, 8.0, 4.0]),
    "secure sums": (secure, ([1, 9, 0],), (10, 10)),
    "sequences": (sequences, ([[1, 2], [], [3]], [4, 5]), ([(5, 8), (0, 5), (4, 8)], (11, 14))),
}


@every_stack
@pytest.mark.parametrize("case", CASES)
def test_results(stack, case):
    computation, args, wanted = CASES[case]
    assert called(stack, computation, *args, clients=3) == wanted


@every_stack
def test_without_clients(stack):
    assert called(stack, mapped, []) == []
    assert called(stack, folded, []) == (0, np.iinfo(INT).max, np.iinfo(INT).min)
    assert called(stack, aggregated, []) == {"total": 0, "count": 0}
    assert called(stack, secure, []) == (0, 0)
    assert np.isnan(called(stack, means, [], [])).all()
    assert called(stack, constants) == (3, 4)
    floats = tff.federated_computation(lambda x: (tff.federated_min(x), tff.federated_max(x)), clients(FLOAT))
    assert called(stack, floats, []) == (np.inf, -np.inf)


@every_stack
def test_weights_of_zero(stack):
    mean, weighted = called(stack, means, [1.0, 2.0], [0, 0])
    assert mean == 1.5
    assert np.isnan(weighted)


@every_stack
def test_sums_of_integers_wrap(stack):
    assert called(stack, folded, [2**31 - 1, 1])[0] == -(2**31)


@every_stack
def test_arrays_and_structs_are_folded_by_element(stack):
    member = tff.to_type({"w": (FLOAT, [2]), "b": (INT, FLOAT)})
    total = tff.federated_computation(tff.federated_sum, clients(member))
    given = [{"w": [1.0, 2.0], "b": (n, 0.5)} for n in range(10)]
    found = called(stack, total, given)
    assert found["w"].tolist() == [10.0, 20.0]
    assert found["b"] == (45, 5.0)


@every_stack
@pytest.mark.parametrize("bad", [-1, 10])
def test_secure_sums_check_the_bound(stack, bad):
    with pytest.raises(ValueError, match=f"integers from 0 to 9, not {bad}") as caught:
        called(stack, secure, [1, 2, bad, 3])
    assert caught.value.__notes__ == ["client 2"]


@every_stack
def test_keys_out_of_range(stack):
    with pytest.raises(ValueError, match="keys from 0 to below 4, not 4") as caught:
        called(stack, selected, [[0, 1], [0, 4]], 4, HELD)
    assert caught.value.__notes__ == ["client 1"]


@every_stack
def test_other_element_types_are_run_too(stack):
    total = tff.federated_computation(lambda x: (tff.federated_sum(x), x), clients(np.uint8))
    assert called(stack, total, [250, 10]) == (4, [250, 10])
    assert type(called(stack, total, [1])[0]) is np.uint8


@every_stack
def test_results_of_several_lengths(stack):
    member = tff.TensorType(FLOAT, [None])
    doubled = tff.graph_computation(lambda x: x * 2.0, member)
    computation = tff.federated_computation(lambda x: tff.federated_map(doubled, x), clients(member))
    found = called(stack, computation, [[1.0], [], [2.0, 3.0]])
    assert [one.tolist() for one in found] == [[2.0], [], [4.0, 6.0]]


@every_stack
def test_arguments_of_several_lengths_are_folded(stack):
    member = tff.TensorType(FLOAT, [None])
    length = tff.graph_computation(lambda x: gw.reduce_sum(x), member)
    computation = tff.federated_computation(
        lambda x: tff.federated_sum(tff.federated_map(length, x)), clients(member)
    )
    assert called(stack, computation, [[1.0], [], [2.0, 3.0]] * 7) == 42.0


@every_stack
def test_map_all_equal(stack):
    framework = tff.framework
    parameter = tff.FederatedType(INT, tff.CLIENTS, True)
    func = add_one.to_building_block()
    signature = tff.FunctionType(tff.StructType([func.type_signature, parameter]), parameter)
    call = framework.Call(
        framework.Intrinsic("federated_map_all_equal", signature),
        framework.Struct([func, framework.Reference("x", parameter)]),
    )
    computation = framework.ConcreteComputation.from_building_block(framework.Lambda("x", parameter, call))
    assert called(stack, computation, 5) == 6


@every_stack
@pytest.mark.parametrize(
    ("uri", "dtype", "result", "wanted"),
    [
        ("generic_plus", INT, INT, ([9, 10], 12)),
        ("generic_plus", FLOAT, FLOAT, ([9.0, 10.0], 12.0)),
        ("generic_multiply", INT, INT, ([18, 16], 32)),
        ("generic_divide", FLOAT, FLOAT, ([2.0, 4.0], 0.5)),
        ("generic_divide", INT, np.float64, ([2.0, 4.0], 0.5)),
    ],
)
def test_generic_operators(stack, uri, dtype, result, wanted):
    found = called(stack, generic(uri, dtype, result), PAIRS)
    assert (found[0].tolist(), found[1]["a"]) == wanted
    assert found[0].dtype == found[1]["a"].dtype == result


@every_stack
def test_generic_zero(stack):
    framework = tff.framework
    type_spec = tff.to_type([(FLOAT, [2]), {"a": INT}])
    block = framework.Lambda(None, None, framework.Intrinsic("generic_zero", type_spec))
    found = called(stack, framework.ConcreteComputation.from_building_block(block))
    assert found[0].tolist() == [0.0, 0.0]
    assert found[1] == {"a": 0}


def test_all_intrinsics_are_there():
    executors = tff.framework.FederatingExecutor
    below = tff.framework.SequenceExecutor(tff.framework.LeafExecutor())
    assert len(executors(below, below).intrinsics) == 27

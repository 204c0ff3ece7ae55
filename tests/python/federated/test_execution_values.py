"""Values of clients: the containers they may come in, how many there are, and what is refused."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

import graphwright as gw
import graphwright.federated as tff
from federated_stacks import STACKS, called

INT, FLOAT = np.int32, np.float32
every_stack = pytest.mark.parametrize("stack", STACKS)


def clients(member):
    return tff.FederatedType(member, tff.CLIENTS)


add_one = tff.graph_computation(lambda x: x + 1, INT)
mapped = tff.federated_computation(lambda x: tff.federated_map(add_one, x), clients(INT))


@tff.federated_computation(clients(INT), clients(INT))
def sums(x, y):
    return tff.federated_sum(x), tff.federated_sum(y)


@every_stack
@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3],
        (1, 2, 3),
        range(1, 4),
        np.array([1, 2, 3], INT),
        np.array([1, 2, 3]),
        gw.constant([1, 2, 3]),
        [np.int32(1), np.int64(2), 3],
        [gw.constant(1), np.array(2, INT), 3],
    ],
    ids=["list", "tuple", "range", "array", "int64 array", "tensor", "numbers", "scalars"],
)
def test_containers_of_client_values(stack, values):
    found = called(stack, mapped, values)
    assert found == [2, 3, 4]
    assert {type(one) for one in found} == {np.int32}


@every_stack
@pytest.mark.parametrize(
    ("values", "error", "text"),
    [
        (5, TypeError, "a list with a value for each client"),
        ([1, "a"], TypeError, "client 1"),
        ([1, 2.5], TypeError, "client 1"),
        ([True], TypeError, "client 0"),
        ([1, 2, None], TypeError, "client 2"),
        ([1, 2**31], OverflowError, "client 1: 2147483648 is out of range for int32"),
        ([[1], 2], TypeError, "client 0"),
    ],
)
def test_values_that_are_refused(stack, values, error, text):
    with pytest.raises(error, match=text):
        called(stack, mapped, values)
    assert called(stack, mapped, [1]) == [2]


@every_stack
def test_cardinalities_that_differ(stack):
    with pytest.raises(ValueError, match="Conflicting cardinalities for CLIENTS: 3 vs 2"):
        called(stack, sums, [1, 2], [1, 2, 3])
    assert called(stack, sums, [1, 2], [3, 4]) == (3, 7)


@dataclasses.dataclass
class Weights:
    """A container of the user's."""

    w: object
    b: object


Point = collections.namedtuple("Point", "w b")


@every_stack
@pytest.mark.parametrize("form", ["dict", "ordered", "tuple", "point", "struct", "mixed", "dataclass"])
def test_containers_of_one_client(stack, form):
    member = tff.to_type(collections.OrderedDict(w=(FLOAT, [2]), b=INT))
    total = tff.federated_computation(tff.federated_sum, clients(member))
    forms = {
        "dict": lambda n: {"b": n, "w": [1.0, n]},
        "ordered": lambda n: collections.OrderedDict(w=[1.0, n], b=n),
        "tuple": lambda n: ([1.0, n], n),
        "point": lambda n: Point([1.0, n], n),
        "struct": lambda n: tff.structure.Struct([("w", [1.0, n]), ("b", n)]),
        "dataclass": lambda n: Weights([1.0, n], n),
        "mixed": lambda n: {"w": [1.0, n], "b": n} if n % 2 else ([1.0, n], n),
    }
    found = called(stack, total, [forms[form](n) for n in range(5)])
    assert type(found) is collections.OrderedDict
    assert found["w"].tolist() == [5.0, 10.0]
    assert found["b"] == 10


@every_stack
@pytest.mark.parametrize(
    "bad",
    [
        {"w": 1.0},
        {"w": 1.0, "b": 2, "c": 3},
        (1.0,),
        {"w": 1.0, "x": 2},
        tff.structure.Struct([("x", 1), ("b", 2)]),
        7,
    ],
    ids=["missing", "more", "short", "name", "struct", "none"],
)
def test_containers_that_do_not_fit(stack, bad):
    computation = tff.federated_computation(
        tff.federated_sum, clients(tff.to_type([("w", FLOAT), ("b", INT)]))
    )
    with pytest.raises(TypeError, match="client 1: expected a struct of `w`, `b`"):
        called(stack, computation, [{"w": 1.0, "b": 2}, bad])


@every_stack
def test_sequences_of_clients(stack):
    element = collections.OrderedDict(x=FLOAT, n=INT)
    total = tff.graph_computation(
        lambda s: s.reduce((0.0, 0), lambda state, e: (state[0] + e["x"], state[1] + e["n"])),
        tff.SequenceType(element),
    )
    computation = tff.federated_computation(
        lambda x: tff.federated_map(total, x), clients(tff.SequenceType(element))
    )
    rows = {"x": np.array([0.5, 1.5], FLOAT), "n": np.array([1, 2], INT)}
    listed = [{"x": 0.5, "n": 1}, {"x": 1.5, "n": 2}]
    dataset = gw.data.Dataset.from_tensor_slices(rows)
    found = called(stack, computation, [listed, [], dataset, dataset.take(1), tuple(listed)])
    assert found == [(2.0, 3), (0.0, 0), (2.0, 3), (0.5, 1), (2.0, 3)]
    assert called(stack, computation, [listed] * 9) == [(2.0, 3)] * 9
    with pytest.raises(TypeError, match="client 1, element 1"):
        called(stack, computation, [listed, [listed[0], {"x": "a", "n": 1}]])
    with pytest.raises(TypeError, match="client 0: expected a list or a dataset"):
        called(stack, computation, [3])


@every_stack
def test_batched_sequences(stack):
    member = tff.SequenceType(tff.TensorType(FLOAT, [None, 2]))

    @tff.graph_computation(member)
    def total(batches):
        found = 0.0
        for batch in batches:
            found += gw.reduce_sum(batch) * gw.cast(gw.shape(batch)[0], gw.float32)
        return found

    computation = tff.federated_computation(
        lambda x: tff.federated_sum(tff.federated_map(total, x)), clients(member)
    )
    batches = gw.data.Dataset.from_tensor_slices(np.ones((5, 2), FLOAT)).batch(2)
    assert called(stack, computation, [batches, [], [np.ones((3, 2), FLOAT)]] * 4) == 4 * (8 + 8 + 2 + 18)


@every_stack
def test_texts_of_clients(stack):
    same = tff.graph_computation(lambda x: (x, "é"), np.str_)
    computation = tff.federated_computation(lambda x: (tff.federated_map(same, x), x), clients(np.str_))
    assert called(stack, computation, ["a", "bc", "é"]) == (
        [("a", "é"), ("bc", "é"), ("é", "é")],
        ["a", "bc", "é"],
    )


@every_stack
def test_results_are_of_numpy(stack):
    computation = tff.federated_computation(lambda x: (x, tff.federated_sum(x)), clients((FLOAT, [2])))
    (one, other), total = called(stack, computation, [[1.0, 2.0], [3.0, 4.0]])
    assert [type(found) for found in (one, other, total)] == [np.ndarray] * 3
    assert one.dtype == total.dtype == FLOAT
    assert total.tolist() == [4.0, 6.0]


@every_stack
def test_structs_of_placed_values(stack):
    parameter = collections.OrderedDict(
        a=clients(INT), rest=(tff.FederatedType(FLOAT, tff.SERVER), clients(FLOAT))
    )

    @tff.federated_computation(tff.to_type(parameter))
    def swapped(x):
        return {"first": x.rest, "second": x.a}

    given = collections.OrderedDict(a=[1, 2], rest=(0.5, [1.5, 2.5]))
    assert called(stack, swapped, given) == {"first": (0.5, [1.5, 2.5]), "second": [1, 2]}


@every_stack
@pytest.mark.parametrize("count", [0, 1, 4, 5])
@pytest.mark.parametrize("drop", [True, False], ids=["dropping", "all"])
def test_batches_are_those_that_a_dataset_gives(stack, count, drop):
    rows = {
        "x": np.arange(2.0 * count, dtype="float32").reshape(count, 2),
        "n": np.arange(count, dtype="int32"),
    }
    dataset = gw.data.Dataset.from_tensor_slices(rows).batch(2, drop_remainder=drop)
    size = 2 if drop else None
    member = tff.SequenceType(tff.to_type(collections.OrderedDict(x=(FLOAT, [size, 2]), n=(INT, [size]))))

    @tff.graph_computation(member)
    def weighted(batches):
        total, place = gw.constant(0.0), gw.constant(1.0)
        for batch in batches:
            total += place * (gw.reduce_sum(batch["x"]) + gw.cast(gw.reduce_sum(batch["n"]), gw.float32))
            place += 1.0
        return total

    computation = tff.federated_computation(lambda x: tff.federated_map(weighted, x), clients(member))
    listed = [{name: leaf.numpy() for name, leaf in batch.items()} for batch in dataset]
    found = called(stack, computation, [dataset, listed, dataset])
    assert len(set(map(float, found))) == 1
    wanted = sum(at * (batch["x"].sum() + batch["n"].sum()) for at, batch in enumerate(listed, 1))
    assert found[0] == np.float32(wanted)

"""Graph computations: control flow on their parameters, datasets, containers in and out, and what graphs refuse."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import graphwright as gw
import graphwright.federated as tff

EXAMPLES = tff.SequenceType(collections.OrderedDict(x=tff.TensorType(np.float32, [3]), y=np.int32))


def leaf(computation):
    return computation.to_building_block().leaf


def test_control_flow_on_parameters_is_in_the_graph():
    @tff.graph_computation(np.int32)
    def steps(n):
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    assert [int(steps(n)) for n in (1, 6, 27)] == [0, 8, 111]
    assert "while" in str(leaf(steps).concrete.graph)


def test_a_for_over_a_sequence_is_a_loop_of_the_graph():
    traced = []

    @tff.graph_computation(EXAMPLES)
    def total(examples):
        traced.append(1)
        found = gw.zeros([3])
        for example in examples:
            found += example["x"] * gw.cast(example["y"], gw.float32)
        return found

    example = {"x": [1.0, 2.0, 3.0], "y": 2}
    for count in (0, 1, 5):
        np.testing.assert_array_equal(total([example] * count), np.array([2, 4, 6], "float32") * count)
    assert len(traced) == 1


@pytest.mark.parametrize("kind", ["list", "dataset", "mapped dataset"])
def test_sequences_come_as_lists_and_datasets(kind):
    total = tff.graph_computation(lambda examples: examples.reduce(0, lambda n, e: n + e["y"]), EXAMPLES)
    rows = {"x": np.zeros((4, 3), "float32"), "y": np.arange(4, dtype="int32")}
    dataset = gw.data.Dataset.from_tensor_slices(rows)
    given = {
        "list": [{"x": x, "y": y} for x, y in zip(rows["x"], rows["y"])],
        "dataset": dataset,
        "mapped dataset": dataset.map(lambda e: {"x": e["x"], "y": e["y"]}),
    }
    assert total(given[kind]) == 6


def test_elements_of_several_lengths():
    batches = tff.SequenceType(tff.TensorType(np.float32, [None, 2]))

    @tff.graph_computation(batches)
    def totals(examples):
        total, count = 0.0, 0
        for batch in examples:
            total += gw.reduce_sum(batch)
            count += gw.shape(batch)[0]
        return total, count

    total, count = totals(
        [np.ones((3, 2), "float32"), np.ones((1, 2), "float32"), np.ones((0, 2), "float32")]
    )
    assert (float(total), int(count)) == (8.0, 4)


def test_a_dataset_comes_back_as_a_list():
    shifted = tff.graph_computation(lambda examples: examples.map(lambda e: (e["y"] + 1, e["x"])), EXAMPLES)
    assert str(shifted.type_signature.result) == "<int32,float32[3]>*"
    [(one, x)] = shifted([{"x": [1.0, 2.0, 3.0], "y": 4}])
    assert one == 5
    assert x.tolist() == [1.0, 2.0, 3.0]
    assert shifted([]) == []


Pair = collections.namedtuple("Pair", "left right")


def test_results_come_in_their_containers():
    @tff.graph_computation(np.int32)
    def made(x):
        return {
            "pair": Pair(x, [x, (x,)]),
            "ordered": collections.OrderedDict(b=x, a=x),
            "struct": tff.structure.Struct([("s", x), (None, x)]),
        }

    found = made(3)
    assert type(found) is dict
    assert found["pair"] == Pair(3, [3, (3,)])
    assert isinstance(found["pair"], Pair)
    assert list(found["ordered"]) == ["b", "a"]
    assert isinstance(found["ordered"], collections.OrderedDict)
    assert list(found["struct"]) == [3, 3]
    assert type(found["pair"].left) is np.int32


def test_containers_go_in_and_the_user_finds_them():
    seen = []

    @tff.graph_computation(Pair(np.int32, {"a": np.float32}))
    def used(pair):
        seen.append(type(pair))
        return pair.right["a"] * gw.cast(pair.left, gw.float32)

    assert used(Pair(2, {"a": 1.5})) == np.float32(3.0)
    assert seen == [Pair]


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (1.5, TypeError, "1.5"),
        ("a", TypeError, "'a'"),
        (True, TypeError, "True"),
        ([1], TypeError, "int32"),
        (2**40, OverflowError, str(2**40)),
        (np.float32(1.0), TypeError, "float32"),
    ],
)
def test_arguments_that_are_no_value_of_the_type(value, error, text):
    add_one = leaf(tff.graph_computation(lambda x: x + 1, np.int32))
    with pytest.raises(error, match=text):
        add_one(value)
    assert add_one(1) == 2


def test_texts_go_in_and_come_out_as_str():
    same = tff.graph_computation(lambda x: (x, "né"), np.str_)
    assert same("hey") == ("hey", "né")


def test_dtypes_that_graphs_lack_are_refused():
    with pytest.raises(TypeError, match="none of complex64"):
        tff.graph_computation(lambda x: x, np.complex64)


def test_the_digest_is_of_the_graph():
    one = leaf(tff.graph_computation(lambda x: x + 1, np.int32)).digest
    same = leaf(tff.graph_computation(lambda x: x + 1, np.int32)).digest
    other = leaf(tff.graph_computation(lambda x: x + 2, np.int32)).digest
    assert one == same != other
    assert len(one) == 8


def test_a_graph_computation_inside_another_is_part_of_its_graph():
    double = tff.graph_computation(lambda x: x * 2, np.int32)
    both = tff.federated_computation(lambda a, b: (double(a), b), np.int32, np.int32)
    outer = tff.graph_computation(lambda x: double(x) + both(x, x)[0], np.int32)
    assert outer(5) == 20
    total = tff.federated_computation(tff.federated_sum, tff.FederatedType(np.int32, tff.CLIENTS))
    with pytest.raises(TypeError, match="placed values"):
        tff.graph_computation(lambda x: total(x), np.int32)

"""`gw.data`: pipelines give the same elements in Python, in graphs, through iterators, and from where one was saved."""

from __future__ import annotations

import itertools
import pickle
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import graphwright as gw
from pipelines import PIPELINES, SHUFFLED, D, even, flat_batch, numbers, total, up_to, zeros_of


@pytest.mark.parametrize("name", PIPELINES)
def test_elements_in_python(name: str) -> None:
    dataset, expected = PIPELINES[name]
    assert numbers(dataset) == expected
    assert numbers(dataset) == expected, "again"
    assert numbers(dataset.as_numpy_iterator()) == expected


@pytest.mark.parametrize("name", PIPELINES)
def test_elements_in_graphs(name: str) -> None:
    dataset, _ = PIPELINES[name]
    eagerly = int(total(dataset))
    assert int(gw.function(total)(dataset)) == eagerly, "as an argument"
    assert int(gw.function(lambda: total(dataset))()) == eagerly, "from around"
    assert int(gw.function(lambda: total(iter(dataset)))()) == eagerly, "through an iterator of the graph"
    assert int(gw.function(total)(iter(dataset))) == eagerly, "through an iterator of Python"


@pytest.mark.parametrize("name", PIPELINES)
def test_what_a_dataset_says_of_itself(name: str) -> None:
    dataset, expected = PIPELINES[name]
    for element in dataset:
        spec = dataset.element_spec
        assert element.dtype == spec.dtype
        assert len(element.shape) == len(spec.shape)
        assert all(wanted in (None, found) for wanted, found in zip(spec.shape, element.shape, strict=True))
    if int(dataset.cardinality()) >= 0:
        assert int(dataset.cardinality()) == len(expected) == len(dataset)


@pytest.mark.parametrize("name", [*PIPELINES, *SHUFFLED])
def test_an_iterator_goes_on_where_another_was(name: str) -> None:
    dataset = SHUFFLED[name] if name in SHUFFLED else PIPELINES[name][0]
    iterator = iter(dataset)
    for taken in range(4):
        state = pickle.loads(pickle.dumps(iterator.state_dict()))
        other = iter(dataset)
        other.load_state_dict(state)
        expected = numbers(iterator)
        assert numbers(other) == expected, taken
        iterator = iter(dataset)
        iterator.load_state_dict(state)
        next(iterator, None)


@pytest.mark.parametrize("name", SHUFFLED)
def test_shuffled_elements_are_all_there_in_another_order_each_time(name: str) -> None:
    dataset = SHUFFLED[name]
    rounds = [numbers(dataset) for _ in range(4)]
    assert all(sorted(one) == sorted(rounds[0]) for one in rounds)
    assert len({str(one) for one in rounds}) > 1


def test_shuffling_keeps_to_its_seed() -> None:
    orders = [numbers(D.range(20).shuffle(7, seed=11)) for _ in range(2)]
    assert orders[0] == orders[1] != list(range(20))
    assert numbers(D.range(20).shuffle(7, seed=12)) != orders[0]
    same = D.range(20).shuffle(7, seed=11, reshuffle_each_iteration=False)
    assert numbers(same) == numbers(same)
    gw.random.set_seed(4)
    first = numbers(D.range(20).shuffle(20))
    gw.random.set_seed(4)
    assert numbers(D.range(20).shuffle(20)) == first


def test_rounds_in_rounds_in_rounds() -> None:
    dataset = D.range(4).shuffle(4, seed=1)
    for _ in range(4):
        dataset = dataset.repeat(1)
    orders = [numbers(dataset) for _ in range(5)]
    assert all(sorted(order) == list(range(4)) for order in orders)
    assert len({str(order) for order in orders}) > 1
    assert int(gw.function(total)(dataset)) > 0


def test_a_small_buffer_shuffles_near_by() -> None:
    order = numbers(D.range(100).shuffle(5, seed=1))
    assert all(place >= element - 4 for place, element in enumerate(order))


def test_every_order_of_a_full_buffer_comes_about_as_often() -> None:
    dataset = D.range(3).shuffle(3, seed=0).repeat(1200).batch(3)
    found: dict[str, int] = {}
    for order in numbers(dataset):
        found[str(order)] = found.get(str(order), 0) + 1
    assert len(found) == 6
    assert min(found.values()) > 120


@pytest.mark.parametrize("stop", range(5))
def test_loops_that_stop(stop: int) -> None:
    def breaks(dataset: Any, stop: Any) -> Any:
        found, ended = gw.constant(0, gw.int64), gw.constant(0)
        for x in dataset:
            if x == 1:
                continue
            if x == stop:
                break
            found += 10 + x
        else:
            ended = gw.constant(1)
        return found, ended

    def returns(dataset: Any, stop: Any) -> Any:
        for x in dataset:
            if x == stop:
                return x * 100
        return gw.constant(-1, gw.int64)

    dataset, limit = D.range(6).filter(lambda x: x < 4), gw.constant(stop, gw.int64)
    for function in (breaks, returns):
        expected = gw.nest.map_structure(int, function(dataset, limit))
        assert gw.nest.map_structure(int, gw.function(function)(dataset, limit)) == expected


EARLY = {
    "shuffles in a row": lambda d: d.shuffle(4, seed=3).shuffle(4, seed=4),
    "map and shuffle": lambda d: d.map(lambda x: x + 1).shuffle(2, seed=1),
    "sums of batches and shuffle": lambda d: d.batch(2).map(gw.reduce_sum).shuffle(2, seed=1),
    "shuffle and flat_map": lambda d: d.shuffle(3, seed=1).flat_map(up_to),
    "shuffle and interleave": lambda d: d.shuffle(3, seed=1).interleave(up_to, cycle_length=2),
    "flat_map of flat_map": lambda d: d.flat_map(up_to).flat_map(up_to),
}


@pytest.mark.parametrize("source", [D.range(6), D.range(8).filter(even)])
@pytest.mark.parametrize("name", EARLY)
def test_returns_out_of_loops_over_pipelines(name: str, source: Any) -> None:
    def found(dataset: Any, stop: Any) -> Any:
        for x in dataset:
            if x == stop:
                return x * 100
        return gw.constant(-1, gw.int64)

    dataset = EARLY[name](source)
    staged = gw.function(found)
    elements = {int(x) for x in dataset}
    for stop in (*elements, 99):
        expected = 100 * stop if stop in elements else -1
        for _ in range(2):
            assert int(staged(dataset, gw.constant(stop, gw.int64))) == expected


def batches_of(windows: Any) -> Any:
    return windows.batch(2)


@pytest.mark.parametrize(
    "again", [lambda d: d.batch(2), lambda d: d.padded_batch(2), lambda d: d.window(2).flat_map(batches_of)]
)
@pytest.mark.parametrize("filtered", [False, True])
def test_batches_of_batches_of_vectors(again: Any, filtered: bool) -> None:
    rows = np.arange(24.0).reshape(8, 3)
    dataset = D.from_tensor_slices(rows)
    if filtered:
        dataset = dataset.filter(lambda row: row[0] >= 0)
    dataset = again(dataset.batch(2))
    assert numbers(dataset) == rows.reshape(2, 2, 2, 3).tolist()
    assert int(gw.function(total)(dataset)) == int(total(dataset))


def test_pythons_own_functions_of_datasets_in_graphs() -> None:
    def counted(dataset: Any) -> Any:
        found = gw.constant(0, gw.int64)
        for place, x in enumerate(dataset, 2):
            found = found * 10 + gw.cast(place, gw.int64) * x
        return found

    def paired(dataset: Any, other: Any) -> Any:
        found = gw.constant(0, gw.int64)
        for x, y, z in zip(dataset, other, gw.constant([5, 6, 7, 8], gw.int64)):
            found = found * 10 + x * y + z
        return found

    dataset, other = D.range(6).filter(lambda x: x != 1), D.range(3)
    assert int(gw.function(counted)(dataset)) == int(counted(dataset))
    assert int(gw.function(paired)(dataset, other)) == int(paired(dataset, other))
    assert int(gw.function(lambda: sum(dataset))()) == sum(range(6)) - 1
    assert gw.function(lambda: gw.stack(list(dataset)))().numpy().tolist() == [0, 2, 3, 4, 5]


@pytest.mark.parametrize("count", [-1, 0, 1, 3])
def test_numbers_of_rounds_and_elements_that_the_graph_knows(count: int) -> None:
    def taken(count: Any) -> Any:
        return (
            total(D.range(3).repeat(count).take(7)) * 100
            + total(D.range(4).take(count))
            + D.range(5).skip(count).reduce(gw.constant(0, gw.int64), lambda state, x: state + x)
        )

    assert int(gw.function(taken)(gw.constant(count))) == int(taken(count)) == int(taken(gw.constant(count)))


def test_nested_loops() -> None:
    @gw.function
    def pairs(dataset: Any) -> Any:
        found = gw.constant(0, gw.int64)
        for x in dataset:
            for y in dataset.take(x):
                found = found * 3 + 10 * x + y
        return found

    expected = 0
    for x in range(4):
        for y in range(x):
            expected = expected * 3 + 10 * x + y
    assert int(pairs(D.range(4))) == expected


def test_an_iterator_is_shared_by_graphs_and_python() -> None:
    @gw.function
    def two(iterator: Any) -> Any:
        return next(iterator) * 10 + next(iterator)

    iterator = iter(D.range(10).filter(lambda x: x != 3))
    assert int(next(iterator)) == 0
    assert int(two(iterator)) == 12
    assert int(two(iterator)) == 45
    assert numbers(iterator) == [6, 7, 8, 9]
    assert next(iterator, None) is None
    with pytest.raises(gw.errors.OutOfRangeError):
        iterator.get_next()


def test_threads_share_an_iterator_without_losing_or_doubling() -> None:
    iterator, found = iter(D.range(4000).filter(even)), [[], [], [], []]

    def take(into: Any) -> None:
        into.extend(int(x) for x in iterator)

    threads = [threading.Thread(target=take, args=(into,)) for into in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(itertools.chain(*found)) == list(range(0, 4000, 2))


def test_the_graph_is_as_large_for_much_data_as_for_little() -> None:
    @gw.function
    def train(dataset: Any) -> Any:
        loss = gw.constant(0)
        for x, y in dataset:
            loss += gw.abs(y - x)
        return loss

    def nodes(count: int) -> int:
        pairs = ([1] * count, [2] * count)
        dataset = D.from_tensor_slices(pairs)
        assert int(train(dataset)) == count
        return len(train.get_concrete_function(dataset).graph.as_graph_def().node)

    assert nodes(3) == nodes(10) == nodes(10000)


def test_structures() -> None:
    dataset = D.from_tensor_slices({"x": [1, 2, 3], "pair": ([4.0, 5.0, 6.0], [[7], [8], [9]])})
    assert dataset.element_spec["pair"][1] == gw.TensorSpec([1], gw.int32)

    @gw.function
    def summed(dataset: Any) -> Any:
        total = gw.constant(0.0)
        for element in dataset.filter(lambda e: e["x"] != 2).batch(2):
            total += gw.reduce_sum(element["pair"][0]) + gw.cast(
                gw.reduce_sum(element["pair"][1]), gw.float32
            )
        return total

    assert float(summed(dataset)) == 26.0
    first, *_ = dataset.map(lambda e: (e["x"], {"y": e["pair"]})).as_numpy_iterator()
    assert first[0] == 1
    assert first[1]["y"][1].tolist() == [7]


def test_texts() -> None:
    dataset = (
        D.from_tensor_slices(["b", "aa", "c"]).filter(lambda text: gw.strings.length(text) == 1).batch(2)
    )
    assert [[text.decode() for text in batch] for batch in dataset.as_numpy_iterator()] == [["b", "c"]]


def test_reduce() -> None:
    count = D.range(7).reduce(gw.constant(0, gw.int64), lambda state, x: state + x)
    assert int(count) == 21

    @gw.function
    def reduced(dataset: Any, start: Any) -> Any:
        return dataset.reduce((start, start), lambda state, x: (state[0] + x, state[1] - x))

    assert gw.nest.map_structure(int, reduced(D.range(4).filter(even), gw.constant(0, gw.int64))) == (2, -2)


def test_datasets_made_in_graphs_of_what_is_there() -> None:
    @gw.function
    def made(x: Any, factor: Any) -> Any:
        dataset = D.from_tensor_slices(x).map(lambda y: y * factor).filter(lambda y: y > factor)
        total = gw.constant(0)
        for y in dataset.batch(2):
            total = total * 10 + gw.reduce_sum(y)
        return total

    assert int(made(gw.constant([1, 2, 3, 4]), gw.constant(2))) == (4 + 6) * 10 + 8


def test_gradients_of_what_datasets_give() -> None:
    weight = gw.Variable(2.0)
    dataset = D.from_tensor_slices([1.0, 2.0, 3.0]).filter(lambda x: x > 1.5)

    @gw.function
    def step() -> Any:
        with gw.GradientTape() as tape:
            loss = gw.constant(0.0)
            for x in dataset:
                loss += x * weight**2
        return tape.gradient(loss, weight)

    assert float(step()) == 2 * 2.0 * (2.0 + 3.0)


def test_a_matrix_is_fitted_over_what_is_filtered_and_shuffled() -> None:
    inputs = np.random.default_rng(0).normal(size=(60, 3)).astype("float32")
    wanted = np.array([[1.0], [-2.0], [3.0]], "float32")
    weights = gw.Variable(np.zeros((3, 1), "float32"))
    rows = D.from_tensor_slices((inputs, inputs @ wanted)).filter(lambda x, y: x[0] < 2.0)

    @gw.function
    def fit(epochs: Any, data: Any) -> None:
        for _ in gw.range(epochs):
            for x, y in data:
                with gw.GradientTape() as tape:
                    loss = gw.reduce_mean((gw.matmul(x, weights) - y) ** 2)
                weights.assign_sub(0.1 * tape.gradient(loss, weights))

    for data in (rows.batch(10), rows.shuffle(60, seed=1).batch(10), rows.take(50).batch(10)):
        weights.assign(np.zeros((3, 1), "float32"))
        fit(gw.constant(60), data)
        np.testing.assert_allclose(weights.numpy(), wanted, atol=1e-3)


def test_epochs_of_a_training_loop() -> None:
    data = D.range(12).shuffle(12, seed=1).batch(4)

    @gw.function
    def epochs(count: Any) -> Any:
        orders = gw.TensorArray(gw.int64, size=0, dynamic_size=True)
        for _ in gw.range(count):
            for batch in data:
                orders = orders.write(orders.size(), gw.reduce_sum(batch))
        return orders.stack()

    sums = epochs(gw.constant(3)).numpy().reshape(3, 3)
    assert (sums.sum(axis=1) == 66).all()
    assert len({tuple(row) for row in sums}) == 3


def test_an_iterator_goes_on_in_another_process(tmp_path: Any) -> None:
    dataset = D.range(30).filter(even).shuffle(6, seed=8).batch(2)
    iterator = iter(dataset)
    next(iterator)
    next(iterator)
    np.savez(tmp_path / "state.npz", **iterator.state_dict())
    program = f"""
import numpy as np, graphwright as gw
dataset = gw.data.Dataset.range(30).filter(lambda x: x % 2 == 0).shuffle(6, seed=8).batch(2)
iterator = iter(dataset)
iterator.load_state_dict(dict(np.load({str(tmp_path / "state.npz")!r})))
print([element.numpy().tolist() for element in iterator])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(numbers(iterator))


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="as many rows"):
        D.from_tensor_slices(([1, 2], [1, 2, 3]))
    with pytest.raises(ValueError, match="a number has none"):
        D.from_tensor_slices(3)
    zero = gw.constant(0)
    for wrong in (0, -1, zero):
        for make in (
            lambda n: D.range(3).batch(n),
            lambda n: D.range(3).filter(even).batch(n),
            lambda n: D.range(3).shuffle(n),
            lambda n: D.range(3).window(n).flat_map(flat_batch),
            lambda n: D.range(3).interleave(up_to, 2, n),
            lambda n: D.range(3).map(zeros_of).padded_batch(n),
        ):
            with pytest.raises(ValueError, match="at least 1"):
                make(wrong)
            with pytest.raises(ValueError, match="at least 1"):
                gw.function(lambda n, make=make: total(make(n)))(wrong)
    with pytest.raises(ValueError, match="index"):
        D.range(3).shard(2, 2)
    with pytest.raises(TypeError, match="infinite"):
        len(D.range(3).repeat())
    with pytest.raises(TypeError, match="unknown"):
        len(D.range(3).filter(even))
    with pytest.raises(ValueError, match="parts"):
        iter(D.range(3)).load_state_dict({})
    with pytest.raises(ValueError, match="more than one"):
        D.range(3).get_single_element()
    assert int(D.range(1).get_single_element()) == 0
    size = gw.constant(2)
    assert int(gw.function(lambda n: total(D.range(5).filter(even).batch(n)))(size)) == int(
        total(D.range(5).filter(even).batch(2))
    )
    assert int(D.range(3).repeat().cardinality()) == gw.data.INFINITE_CARDINALITY


def test_errors_of_elements_are_the_users_and_the_iterator_goes_on() -> None:
    table = gw.constant([1, 2, 3])
    iterator = iter(D.from_tensor_slices([0, 7, 2]).map(lambda i: table[i]))
    assert int(next(iterator)) == 1
    with pytest.raises(IndexError):
        next(iterator)
    too_long = D.range(1, 4).map(zeros_of).padded_batch(2, padded_shapes=[2])
    with pytest.raises(ValueError, match="longer"):
        numbers(too_long)


def test_padded_batches_of_numbers_beside_arrays() -> None:
    both = D.range(5).map(lambda x: {"row": gw.fill([x % 3], x), "number": x})
    first, last = both.padded_batch(3, padding_values=gw.constant(9, gw.int64))
    assert first["row"].numpy().tolist() == [[9, 9], [1, 9], [2, 2]]
    assert first["number"].numpy().tolist() == [0, 1, 2]
    assert last["row"].numpy().tolist() == [[9], [4]]


@pytest.mark.parametrize("stacked", [lambda d: d.batch(2), lambda d: d.shuffle(3, seed=1)])
def test_elements_of_several_lengths_are_not_stacked(stacked: Any) -> None:
    several = D.range(6).filter(lambda x: x >= 0).map(lambda x: gw.fill([x % 3], x))
    with pytest.raises(ValueError, match=r"several lengths cannot be stacked, .* use padded_batch\(\)"):
        list(stacked(several))
    equal = D.range(6).filter(lambda x: x >= 0).batch(2)
    assert sorted(int(x) for rows in stacked(equal) for x in gw.reshape(rows, [-1])) == list(range(6))


def test_functions_are_not_traced_again_for_each_loop_around() -> None:
    traced = []

    @gw.autograph.experimental.do_not_convert
    def noted(x: Any) -> Any:
        traced.append(x)
        return x

    numbers = D.range(100).filter(lambda x: x >= 0).map(noted)
    assert len(list(numbers.shuffle(10, seed=1).batch(10).map(lambda rows: rows + 1))) == 10
    assert len(traced) < 300

"""`gw.distribute.RayStrategy` with a real Ray on this machine: two workers do what one process does."""

from __future__ import annotations

import os
import re
import threading

import numpy as np
import pytest

import graphwright as gw
from ray_pair import NUMBER, D, kill, lists, numbers, rank, together, two_workers

Dataset = gw.data.Dataset

two = pytest.fixture(scope="module")(two_workers)


BATCHED = {
    "range": lambda: Dataset.range(10).batch(4),
    "dropped": lambda: Dataset.range(10).batch(4, drop_remainder=True),
    "mapped": lambda: Dataset.range(11).batch(3).map(lambda x: {"x": x * x, "of": (x, x + gw.reduce_sum(x))}),
    "shuffled": lambda: Dataset.range(20).shuffle(7, seed=3).batch(6),
    "shuffled without a seed": lambda: Dataset.range(20).batch(6).shuffle(3).repeat(2),
    "generated": lambda: (
        Dataset.from_generator(numbers, output_signature=NUMBER).filter(lambda x: x != 3).batch(3)
    ),
    "padded": lambda: Dataset.range(6).map(lambda n: gw.range(n)).padded_batch(4),
    "texts": lambda: Dataset.from_tensor_slices((["a", "bc", "d"], [1.0, 2.0, 3.0])).batch(2),
    "kept": lambda: Dataset.range(5).cache().batch(5).take(3).prefetch(1),
    "none": lambda: Dataset.range(0).batch(2),
}


def test_tables_in_files(two, tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="the package `pyarrow` is not installed")
    from pyarrow import parquet

    path = str(tmp_path / "numbers.parquet")
    parquet.write_table(arrow.table({"x": list(range(10)), "y": [str(k) for k in range(10)]}), path)
    for dataset in (gw.data.ParquetDataset(path).batch(4), gw.data.ParquetDataset(path, batch_size=4)):
        assert lists(together(two.experimental_distribute_dataset(dataset))) == lists(dataset)
    texts = tmp_path / "lines.txt"
    texts.write_text("a\nb\nc\n")
    lines = two.experimental_distribute_dataset(gw.data.TextLineDataset(str(texts)))
    assert [lists(line.values) for line in lines] == [[b"a", b"b"], [b"c"]]


@pytest.mark.parametrize("name", BATCHED)
def test_batches_are_cut(two, name):
    whole = BATCHED[name]()
    distributed = two.experimental_distribute_dataset(whole)
    first, second = together(distributed), together(distributed)
    if name == "shuffled without a seed":
        assert sorted(lists(first)) == sorted(lists(second)) != []
    elif name != "shuffled":
        assert lists(first) == lists(second) == lists(whole)
    else:
        assert lists(first) == lists(BATCHED[name]())


def test_what_is_not_batched_is_dealt_out(two):
    distributed = two.experimental_distribute_dataset(Dataset.range(5).map(lambda x: (x, 2 * x)))
    found = [[lists([value]) for value in leaf.values] for element in distributed for leaf in element]
    assert found == [[[0], [1]], [[0], [2]], [[2], [3]], [[4], [6]], [[4]], [[8]]]
    assert int(distributed.cardinality()) == 3
    own = two.distribute_datasets_from_function(
        lambda context: Dataset.range(8).shard(context.num_input_pipelines, context.input_pipeline_id)
    )
    assert [lists(x.values) for x in own] == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_what_each_makes_is_shuffled_anew_each_time(two):
    def shuffled(context):
        part = Dataset.range(40).shard(context.num_input_pipelines, context.input_pipeline_id)
        return part.shuffle(20, seed=3).batch(20)

    own = two.distribute_datasets_from_function(shuffled)
    alone = [shuffled(D.InputContext(2, rank, 2)) for rank in range(2)]
    rounds = [[lists(x.values) for x in own] for _ in range(3)]
    assert rounds == [[[lists(dataset)[0] for dataset in alone]] for _ in range(3)]
    assert rounds[0] != rounds[1] != rounds[2]


def test_graphs_loop_over_their_part(two):
    @gw.function
    def weighed(dataset, stop):
        total = gw.constant(0, gw.int64)
        for x in dataset:
            if x == stop:
                return -total
            if x > 90:
                break
            total = total * 2 + x
        else:
            total += 1000
        return total

    for count, stop in [(10, 4), (10, 5), (10, 50), (100, 500)]:
        distributed = two.experimental_distribute_dataset(Dataset.range(count))
        found = two.run(weighed, args=(distributed, gw.constant(stop, gw.int64))).values
        wanted = [weighed(Dataset.range(count).shard(2, k), gw.constant(stop, gw.int64)) for k in range(2)]
        assert lists(found) == lists(wanted)


def test_results_are_reduced(two):
    def f(x, *, by):
        r = gw.constant(rank() + 1, gw.float32)
        return {"x": x * r * by, "rows": gw.ones([rank() + 1, 2]) * r, "none": None}

    found = two.run(f, args=(gw.constant([1.0, 3.0]),), kwargs={"by": 2})
    assert lists(two.reduce("SUM", found["x"]) for _ in [0]) == [[6.0, 18.0]]
    assert lists([two.reduce(D.ReduceOp.MEAN, found["x"])]) == [[3.0, 9.0]]
    assert float(two.reduce("mean", found["x"], axis=0)) == 6.0
    assert float(two.reduce("mean", found["rows"], axis=[0, 1])) == pytest.approx(10 / 6)
    assert lists([two.reduce("sum", found["rows"], axis=0)]) == [[5.0, 5.0]]
    assert np.shape(two.gather(found["rows"], axis=0)) == (3, 2)
    assert float(two.reduce("SUM", gw.constant(2.0))) == 4.0
    assert two.experimental_local_results(found["none"]) == (None, None)
    assert two.num_replicas_in_sync == 2 and two.run(lambda: None) is None
    again = two.run(lambda x: x + 1.0, args=(found["x"],))
    assert lists(again.values) == [[3.0, 7.0], [5.0, 13.0]]


def test_whole_numbers_are_bitwise_those_of_one_process(two):
    total = gw.Variable([0, 0], dtype=gw.int64)
    dataset = Dataset.range(23).map(lambda x: gw.stack([x, x * x])).batch(5)

    def add(x):
        total.assign_add(D.get_replica_context().all_reduce("SUM", gw.reduce_sum(x, 0)))
        return total.value()

    def each(strategy, add):
        total.assign([0, 0])
        for x in strategy.experimental_distribute_dataset(dataset):
            last = strategy.run(add, args=(x,))
        return lists([total, *strategy.experimental_local_results(last)])

    wanted = each(D.OneDeviceStrategy(), add)[0]
    assert each(two, add) == each(two, gw.function(add)) == [wanted] * 3


def test_a_consumer_may_stop(two):
    distributed = two.experimental_distribute_dataset(Dataset.range(100).batch(4))
    for _ in range(3):
        for x in distributed:
            break
        assert lists(x.values) == [[0, 1], [2, 3]]
    elements = iter(distributed)
    next(elements)
    other = iter(distributed)
    assert lists(next(other).values) == [[0, 1], [2, 3]] and lists(next(elements).values) == [[4, 5], [6, 7]]
    short = iter(two.experimental_distribute_dataset(Dataset.range(2).batch(2)))
    assert len(list(short)) == 1 and list(short) == []
    with pytest.raises(IndexError, match="no more"):
        short.get_next()


def test_what_replicas_cannot_do_is_told(two):
    state = gw.Variable(1.0)
    x = gw.constant(1.0)

    def differs(x):
        state.assign(gw.cast(rank(), gw.float32))

    def uneven(x):
        if rank() == 0:
            return D.get_replica_context().all_reduce("SUM", x)

    def unlike(x):
        return D.get_replica_context().all_reduce("SUM", gw.ones([rank() + 1]))

    made, value = [], two.run(lambda: 1)

    def makes(x):
        if not made:
            made.append(gw.Variable(x))
        return made[0] + x

    for f, kind, words in [
        (differs, ValueError, r"`Variable_\d+:0` would hold something else on replica 1"),
        (uneven, RuntimeError, "replica 1 has ended"),
        (unlike, RuntimeError, r"one brings .*\(1,\).* another .*\(2,\)"),
        (makes, ValueError, "make variables before"),
        (lambda x: D.get_replica_context().all_reduce("SUM", "text"), TypeError, "not string"),
        (lambda x: two.run(lambda: 1), RuntimeError, "in a function that a strategy runs"),
        (lambda x: threading.Lock(), TypeError, "cannot pickle"),
        (lambda x: [value, x], TypeError, "as an argument of run"),
        (lambda x: os._exit(1) if rank() == 1 else x, RuntimeError, "replica 1 is lost each time"),
    ]:
        with pytest.raises(kind, match=words):
            two.run(f, args=(x,))
        assert float(state) == 1.0
    assert lists(two.run(lambda x: x + state, args=(x,)).values) == [2.0, 2.0]


def test_what_does_not_belong_in_a_graph_is_told(two):
    distributed = two.experimental_distribute_dataset(Dataset.range(4).batch(2))

    @gw.function
    def loops(x):
        for y in distributed:
            x += y
        return x

    @gw.function
    def runs(x):
        return two.run(lambda y: y, args=(x,))

    @gw.function
    def reduces(x):
        return two.reduce("SUM", value) + x

    [value, *_] = distributed
    for f, words in [
        (loops, "looped over outside of graphs"),
        (runs, "not called in a graph"),
        (reduces, "asked for outside of graphs"),
    ]:
        with pytest.raises(ValueError, match=words):
            f(gw.constant(1, gw.int64))
    with pytest.raises(TypeError, match="reduce it"):
        bool(value)
    scalars = Dataset.range(4).batch(2).map(lambda x: gw.reduce_sum(x))
    with pytest.raises(ValueError, match="has none"):
        two.experimental_distribute_dataset(scalars)


def test_variables_here_and_there_are_the_same(two):
    state, other = gw.Variable([1.0, 2.0], name="state"), gw.Variable(5, dtype=gw.int64)
    read = gw.function(lambda: (state + 0.0, other + 0))
    assert lists([[leaf.values for leaf in two.run(read)]]) == [[1.0, 2.0], [1.0, 2.0], 5, 5]
    state.assign([3.0, 4.0])
    assert lists([leaf.values for leaf in two.run(read)]) == [[3.0, 4.0], [3.0, 4.0], 5, 5]
    two.run(gw.function(lambda: state.assign(state * 2.0)))
    kill(two, 0)
    two.run(lambda: other.assign_add(1))
    assert lists([state, other]) == [[6.0, 8.0], 6]
    assert lists([leaf.values for leaf in two.run(read)]) == [[6.0, 8.0], [6.0, 8.0], 6, 6]


def test_variables_of_all_kinds(two):
    rows, text = gw.Variable([1.0], shape=[None]), gw.Variable("a")
    flag, number = gw.Variable(True), gw.Variable(float("nan"))

    @gw.function
    def change():
        rows.assign(gw.concat([rows, [2.0]], 0))
        text.assign("bcd")
        flag.assign(False)
        number.assign(number * 2.0)
        return rows.value(), text.value(), flag.value()

    found = two.run(change)
    assert lists([rows, text, flag]) == [[1.0, 2.0], b"bcd", False] and np.isnan(float(number))
    assert [lists(leaf.values)[1] for leaf in found] == [[1.0, 2.0], b"bcd", False]
    two.run(change)
    assert lists([rows]) == [[1.0, 2.0, 2.0]]


def test_what_a_function_reads_is_looked_at_again(two):
    held = [2.0]
    scaled = gw.function(lambda x: x * held[0])
    assert lists(two.run(scaled, args=(gw.constant(3.0),)).values) == [6.0, 6.0]
    held[0] = 5.0
    assert lists(two.run(scaled, args=(gw.constant(3.0),)).values) == [15.0, 15.0]


def test_replicas_that_have_nothing_sit_out(two):
    total = gw.Variable(0, dtype=gw.int64)
    *_, last = elements = list(two.experimental_distribute_dataset(Dataset.range(5)))
    for x in elements:
        two.run(lambda x: total.assign_add(D.get_replica_context().all_reduce("SUM", x)), args=(x,))
    assert int(total) == 10 and lists(two.run(lambda: total.value()).values) == [10, 10]
    assert lists(two.run(lambda x: D.get_replica_context().all_reduce("MEAN", x), args=(last,)).values) == [
        4.0
    ]
    with pytest.raises(ValueError, match="on other replicas"):
        two.run(lambda x, y: x + y, args=(elements[0], last))

    @gw.function
    def meets(dataset):
        total = gw.constant(0, gw.int64)
        for x in dataset:
            total += D.get_replica_context().all_reduce("SUM", x)
        return total

    even, odd = (two.experimental_distribute_dataset(Dataset.range(count)) for count in (6, 5))
    assert lists(two.run(meets, args=(even,)).values) == [15, 15]
    with pytest.raises(RuntimeError, match="replica 1 has ended"):
        two.run(meets, args=(odd,))
    with pytest.raises(TypeError, match="an iterator is not given"):
        two.run(lambda x: x, args=(iter(even),))


@pytest.mark.parametrize("strategy", ["two", "one"])
def test_means_of_integers_are_floats(request, strategy):
    strategy = request.getfixturevalue("two") if strategy == "two" else D.OneDeviceStrategy()
    found = strategy.run(lambda: (gw.constant(3), D.get_replica_context().all_reduce("MEAN", gw.constant(3))))
    assert strategy.reduce("MEAN", found[0]).dtype == gw.float64
    mean = strategy.experimental_local_results(found[1])[0]
    assert mean.dtype == gw.float64 and float(mean) == 3.0


def test_threads_share_a_strategy(two):
    dataset, sums = Dataset.range(40).batch(8), {}

    def work(k):
        parts = two.experimental_distribute_dataset(dataset)
        sums[k] = sum(
            int(two.reduce("SUM", two.run(lambda x: gw.reduce_sum(x) * k, args=(x,)))) for x in parts
        )

    threads = [threading.Thread(target=work, args=[k]) for k in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == {1: 780, 2: 1560, 3: 2340}


def test_a_strategy_that_was_shut_down(two):
    other = D.RayStrategy(1)
    assert lists(other.run(lambda: gw.constant(1)).values) == [1]
    other.shutdown()
    other.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        other.run(lambda: 1)
    assert lists(two.run(lambda: gw.constant(1)).values) == [1, 1]
    with pytest.raises(ValueError, match="at least 1"):
        D.RayStrategy(0)


def test_functions_know_where_they_are(two):
    with two.scope():
        assert D.get_strategy() is two and D.in_cross_replica_context()

    @gw.function
    def where(x):
        context = D.get_replica_context()
        return (
            x * context.num_replicas_in_sync
            + D.get_strategy().num_replicas_in_sync
            + two.num_replicas_in_sync
        )

    assert lists(two.run(where, args=(gw.constant(3),)).values) == [10, 10]
    assert re.fullmatch(r"RayStrategy\(num_workers=2\)", repr(two))

"""`gw.distribute`: one device, and what a function finds around it (`docs/guide/distribute.md`)."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import graphwright as gw
from host_ways import three_ways, values

D = gw.distribute
ONE = D.OneDeviceStrategy("cpu")


@three_ways
def test_a_loop_over_a_distributed_dataset(way):
    def f(dataset, stop):
        total = gw.constant(0, gw.int64)
        for x in dataset:
            if x == stop:
                return total * 100
            if x > 6:
                break
            total += x
        else:
            total += 1000
        return total

    for count, stop, wanted in [(10, 3, 300), (10, 8, 21), (4, 8, 1006), (0, 0, 1000)]:
        dataset = ONE.experimental_distribute_dataset(gw.data.Dataset.range(count))
        assert values(way(f, dataset, gw.constant(stop, gw.int64))) == wanted


@three_ways
def test_what_runs_on_a_replica_is_converted(way):
    def plain(x, by):
        if x > 2:
            x = x * by
        return {"x": D.get_replica_context().all_reduce("sum", x)}

    def f(dataset):
        total = gw.constant(0, gw.int64)
        for x in dataset:
            found = ONE.run(plain, args=(x,), kwargs={"by": 3})
            total += ONE.reduce("SUM", found)["x"]
            mean = ONE.reduce(D.ReduceOp.MEAN, ONE.run(gw.function(plain), (x, 1))["x"], axis=None)
            total += gw.cast(mean, gw.int64)
        return total

    dataset = ONE.distribute_datasets_from_function(lambda context: gw.data.Dataset.range(6))
    assert values(way(f, dataset)) == 0 + 1 + 2 + 9 + 12 + 15 + 15


@three_ways
def test_reductions_along_axes(way):
    rows = gw.constant([[1.0, 2.0], [3.0, 5.0]])

    def f(x):
        return (
            ONE.reduce("SUM", x, axis=0),
            ONE.reduce("mean", {"x": x}, axis=[0, 1])["x"],
            ONE.reduce(D.ReduceOp.MEAN, x),
            ONE.gather(x, axis=0),
        )

    assert values(way(f, rows)) == ([4.0, 7.0], 2.75, [[1.0, 2.0], [3.0, 5.0]], [[1.0, 2.0], [3.0, 5.0]])


def test_scopes():
    default = D.get_strategy()
    assert not D.has_strategy() and not D.in_cross_replica_context()
    assert D.get_replica_context().num_replicas_in_sync == default.num_replicas_in_sync == 1
    with ONE.scope() as entered, ONE.scope():
        assert entered is ONE and D.get_strategy() is ONE and D.has_strategy()
        assert D.get_replica_context() is None and D.in_cross_replica_context()
        found = ONE.run(lambda: (D.get_replica_context().strategy, D.get_strategy()))
        assert found == (ONE, ONE)
        others = []
        thread = threading.Thread(target=lambda: others.append(D.get_strategy()))
        thread.start()
        thread.join()
        assert others == [default]
    assert D.get_strategy() is default


@pytest.mark.parametrize("marked", [lambda f: f, gw.function], ids=["plainly", "staged"])
def test_what_does_not_belong_on_a_replica(marked):
    def enter():
        with D.OneDeviceStrategy().scope():
            pass

    for call, words in [
        (lambda: ONE.reduce("SUM", 1), "all_reduce"),
        (lambda: ONE.gather(1, 0), "all_reduce"),
        (lambda: ONE.run(lambda: 1), "in a function that a strategy runs"),
        (enter, "that of another one"),
    ]:
        with pytest.raises(RuntimeError, match=words):
            ONE.run(marked(call))
        assert not D.has_strategy()


def test_what_there_is_not_is_told():
    for device in ("gpu", "/gpu:0", "cpu:1", ""):
        with pytest.raises(ValueError, match="there is no device"):
            D.OneDeviceStrategy(device)
    for device in ("cpu", "CPU:0", "/cpu:0", "/device:CPU:0"):
        D.OneDeviceStrategy(device)
    with pytest.raises(ValueError, match=r"SUM.*not by 'max'"):
        ONE.reduce("max", 1)
    with pytest.raises(ValueError, match="not the same number"):
        D.InputContext(2, 0, 2).get_per_replica_batch_size(5)


def test_a_training_step_on_one_device():
    with ONE.scope():
        weight = gw.Variable(0.0)

    def step(x, y):
        with gw.GradientTape() as tape:
            loss = gw.reduce_sum((weight * x - y) ** 2) / 8.0
        context = D.get_replica_context()
        weight.assign_sub(0.1 * context.all_reduce("SUM", tape.gradient(loss, weight)))
        return loss

    @gw.function
    def train(dataset, epochs):
        loss = 0.0
        for _ in gw.range(epochs):
            for x, y in dataset:
                loss = ONE.reduce("SUM", ONE.run(step, args=(x, y)))
        return loss

    xs = np.linspace(-2, 2, 16, dtype="float32")
    dataset = gw.data.Dataset.from_tensor_slices((xs, 3 * xs)).batch(8)
    assert float(train(ONE.experimental_distribute_dataset(dataset), gw.constant(40))) < 1e-6
    assert float(weight) == pytest.approx(3.0, abs=1e-3)

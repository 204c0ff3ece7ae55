"""Workers of `gw.distribute.RayStrategy` that are killed or raise: no element is lost or doubled, errors come back."""

from __future__ import annotations

import os
import signal
import traceback

import numpy as np
import pytest

import graphwright as gw
from ray_pair import NUMBER, D, kill, lists, numbers, pids, rank, two_workers

Dataset = gw.data.Dataset

two = pytest.fixture(scope="module")(two_workers)


class Line(gw.Module):
    """A model with a compiled step."""

    def __init__(self):
        super().__init__()
        self.slope, self.offset = gw.Variable(0.0), gw.Variable([0.5, -0.5])
        self.optimizer = gw.keras.optimizers.Adam(learning_rate=0.125)
        self.optimizer.build(self.trainable)

    @property
    def trainable(self):
        return [self.slope, self.offset]

    @gw.function
    def step(self, x, y):
        with gw.GradientTape() as tape:
            loss = gw.reduce_sum((self.slope * x + gw.reduce_sum(self.offset) - y) ** 2) / 16.0
        gradients = D.get_replica_context().all_reduce("SUM", tape.gradient(loss, self.trainable))
        self.optimizer.apply_gradients(zip(gradients, self.trainable))
        return loss


def trained(strategy, epochs, disturb=lambda step: None):
    """The variables and the losses of a training; the data are such that sums are exact in any order."""
    gw.random.set_seed(1)
    with strategy.scope():
        model = Line()
    x = np.arange(-16, 16, dtype="float32")
    pairs = Dataset.from_tensor_slices((x, 3 * x)).shuffle(32, seed=4).batch(16)
    losses, distributed = [], strategy.experimental_distribute_dataset(pairs)
    for _ in range(epochs):
        for pair in distributed:
            disturb(len(losses))
            losses.append(float(strategy.reduce("SUM", strategy.run(model.step, args=pair))))
    return lists([model.trainable, model.optimizer.variables]), losses


def test_a_training_is_that_of_one_process(two):
    values, losses = trained(two, 1)
    wanted, alone = trained(D.OneDeviceStrategy(), 1)
    np.testing.assert_allclose(losses, alone, rtol=1e-6)
    for found, one in zip(values, wanted):
        np.testing.assert_allclose(found, one, rtol=1e-5, atol=1e-7)


def test_a_lost_worker_is_replaced_between_steps(two):
    values, losses = trained(two, 3)
    killed = []

    def disturb(step):
        if step in (2, 3, 5):
            killed.append(pids(two)[step % 2])
            os.kill(killed[-1], signal.SIGKILL)

    assert trained(two, 3, disturb) == (values, losses)
    assert len(set(killed)) == 3


@pytest.mark.parametrize("meets", [True, False], ids=["meeting", "alone"])
def test_a_worker_that_is_lost_in_a_step_has_it_done_again(two, tmp_path, meets):
    count = gw.Variable(0, dtype=gw.int64)
    flag = tmp_path / "killed"

    def once(x):
        if int(x) == 13 and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.int64(x)

    @gw.function
    def f(dataset):
        total = gw.constant(0, gw.int64)
        for x in dataset:
            x = gw.numpy_function(once, [x], NUMBER)
            if meets:
                count.assign_add(D.get_replica_context().all_reduce("SUM", x))
            total += x
        return total

    found = two.run(f, args=(two.experimental_distribute_dataset(Dataset.range(20)),))
    assert flag.exists() and lists(found.values) == [sum(range(0, 20, 2)), sum(range(1, 20, 2))]
    assert int(count) == (190 if meets else 0)


def test_each_element_comes_once_though_workers_are_lost(two):
    dataset = Dataset.from_generator(numbers, output_signature=NUMBER, args=[40]).shuffle(10, seed=5).batch(3)
    wanted = lists(dataset)
    gw.random.set_seed(0)
    dataset = Dataset.from_generator(numbers, output_signature=NUMBER, args=[40]).shuffle(10, seed=5).batch(3)
    found = []
    for k, x in enumerate(two.experimental_distribute_dataset(dataset)):
        if k in (3, 8):
            kill(two, k % 2)
        found.append(np.concatenate([np.asarray(part) for part in x.values]).tolist())
        if k in (5, 6):
            kill(two, k % 2)
    assert found == wanted


def test_large_elements_outlive_the_worker_that_made_them(two):
    dataset = Dataset.from_tensor_slices(np.arange(400_000.0).reshape(2, 200_000)).batch(2)
    [x] = two.experimental_distribute_dataset(dataset)
    kill(two, 0)
    assert (
        float(two.reduce("SUM", two.run(lambda rows: gw.reduce_sum(rows), args=(x,))))
        == 400_000 * 399_999 / 2
    )


class Own(Exception):
    def __init__(self, what, more):
        super().__init__(what)
        self.more = more


@pytest.mark.parametrize("marked", [lambda f: f, gw.function], ids=["plainly", "staged"])
def test_exceptions_come_back_with_their_lines(two, marked):
    state = gw.Variable(1.0)

    def fail(x):
        if rank() == 1:
            raise Own("mine", [1])

    def f(x):
        state.assign_add(x)
        gw.py_function(fail, [x], [])
        return D.get_replica_context().all_reduce("SUM", x)

    line = fail.__code__.co_firstlineno + 2
    with pytest.raises(Own) as caught:
        two.run(marked(f), args=(gw.constant(2.0),))
    assert caught.value.args == ("mine",) and caught.value.more == [1]
    entries = [entry for entry in traceback.extract_tb(caught.tb) if "graphwright/" not in entry.filename]
    assert [entry.name for entry in entries][-2:] == ["f", "fail"]
    assert entries[-1].lineno == line and entries[-1].line == 'raise Own("mine", [1])'
    assert float(state) == 1.0
    assert lists(two.run(marked(lambda x: x + state), args=(gw.constant(2.0),)).values) == [3.0, 3.0]


def test_errors_of_graphs_and_of_datasets_come_back(two):
    with pytest.raises(gw.errors.InvalidArgumentError, match="nope"):
        two.run(gw.function(lambda x: gw.debugging.check_numerics(x / 0.0, "nope")), args=(gw.constant(1.0),))

    def broken():
        yield 1
        raise LookupError("in the generator")

    dataset = two.experimental_distribute_dataset(
        Dataset.from_generator(broken, output_signature=NUMBER).batch(1)
    )
    elements = iter(dataset)
    next(elements)
    with pytest.raises(LookupError, match="in the generator"):
        next(elements)

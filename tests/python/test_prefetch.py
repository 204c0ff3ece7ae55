"""`prefetch`: the elements, errors and saved states are those without it, and threads leave nothing behind."""

from __future__ import annotations

import gc
import itertools
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as gw
from graphwright.data import _ahead
from graphwright.data._prefetch import Prefetch

D = gw.data.Dataset
COUNT = 1500


def doubled(x: Any) -> Any:
    return x * 2


def is_odd(x: Any) -> Any:
    return x % 2 == 1


def length_of(record: Any) -> Any:
    return gw.cast(gw.strings.length(record), gw.int64)


#: Pipelines over numbers of which large elements come out, by a thread.
BATCHED = {
    "batch": lambda d: d.batch(32),
    "drop": lambda d: d.batch(32, drop_remainder=True),
    "shuffle": lambda d: d.shuffle(100, seed=1, reshuffle_each_iteration=False).batch(32),
    "map": lambda d: d.map(doubled).filter(is_odd).concatenate(d.map(doubled)).batch(7).map(doubled),
    "repeat": lambda d: d.batch(500).repeat(3).take(7),
    "skip": lambda d: d.skip(700).batch(100).enumerate(),
    "padded": lambda d: d.map(lambda x: gw.fill([x % 5], x)).padded_batch(64),
    "zip": lambda d: D.zip(d.batch(32), d.batch(32).map(doubled)).map(lambda a, b: a + b),
}
#: Those whose elements are computed where they are asked for.
ROWS = {
    "rows": lambda d: d,
    "mapped rows": lambda d: d.map(doubled),
    "unbatched": lambda d: d.batch(10).unbatch(),
}


@pytest.fixture
def lines(tmp_path: Path) -> Any:
    (tmp_path / "numbers.csv").write_text("".join(f"{k}\n" for k in range(COUNT)))
    return gw.data.CsvDataset(str(tmp_path / "numbers.csv"), [gw.int64]).map(lambda x: x)


def shown(dataset: Any) -> list[Any]:
    return [[np.asarray(leaf).tolist() for leaf in gw.nest.flatten(element)] for element in dataset]


@pytest.mark.parametrize("name", [*BATCHED, *ROWS])
def test_the_elements_are_those_without_it(lines: Any, name: str) -> None:
    made = (BATCHED | ROWS)[name]
    dataset = made(lines).prefetch(3)
    assert isinstance(dataset._machine, Prefetch) == (name in BATCHED)
    expected = shown(made(lines))
    assert shown(dataset) == expected

    @gw.function(integer_overflow="wrap")
    def weighed(elements: Any) -> Any:
        total = gw.constant(0, gw.int64)
        for element in elements:
            total = total * 3 + gw.reduce_sum(element[1] if isinstance(element, tuple) else element)
        return total

    assert int(weighed(dataset)) == int(weighed(made(lines)))


def test_what_is_done_with_prefetched_elements(lines: Any) -> None:
    plain, ahead = lines.batch(100), lines.batch(100).prefetch(2)
    assert shown(ahead.take(2).repeat(2)) == shown(plain.take(2).repeat(2))
    assert shown(D.zip(ahead, ahead.skip(1))) == shown(D.zip(plain, plain.skip(1)))


@pytest.mark.parametrize("calls", [2, gw.data.AUTOTUNE])
def test_several_calls_of_what_is_mapped_change_no_element(lines: Any, calls: int) -> None:
    plain, batches = lines.batch(32).map(doubled), lines.shuffle(200, 4, False).batch(32)
    ahead = lines.batch(32).map(doubled, num_parallel_calls=calls)
    assert isinstance(ahead._machine.source, Prefetch)
    assert shown(ahead) == shown(ahead.prefetch(2)) == shown(plain)
    for taken in (0, 5, 19, 40):
        both = batches.map(doubled, num_parallel_calls=calls).prefetch(3)
        iterator, other = iter(both), iter(both)
        for _ in range(taken):
            next(iterator)
        other.load_state_dict(pickle.loads(pickle.dumps(iterator.state_dict())))
        assert shown(iterator) == shown(other) == shown(batches.map(doubled).skip(taken))
    assert shown(D.range(9).map(doubled, num_parallel_calls=calls)) == shown(D.range(9).map(doubled))


def test_many_iterators_in_turn(lines: Any) -> None:
    dataset = lines.batch(50).map(doubled).prefetch(3)
    expected = shown(lines.batch(50).map(doubled))
    iterators = [iter(dataset) for _ in range(20)]
    for row in expected[:6]:
        assert all(next(each).numpy().tolist() == row[0] for each in iterators)


def test_each_epoch_is_shuffled_anew(lines: Any) -> None:
    plain, ahead = lines.shuffle(500, seed=3).batch(100), lines.shuffle(500, seed=3).batch(100).prefetch(2)
    epochs = [shown(plain) for _ in range(3)]
    assert epochs == [shown(ahead) for _ in range(3)]
    assert epochs[0] != epochs[1]


@pytest.mark.parametrize("taken", [0, 15, 16, 25])
def test_the_state_is_that_of_the_last_element_asked_for(lines: Any, taken: int) -> None:
    iterator = iter(lines.shuffle(200, seed=2).batch(64).prefetch(4))
    for _ in range(taken):
        next(iterator, None)
    state = pickle.loads(pickle.dumps(iterator.state_dict()))
    other = iter(lines.shuffle(200, seed=2).batch(64).prefetch(4))
    other.load_state_dict(state)
    plain = iter(lines.shuffle(200, seed=2).batch(64).skip(taken))
    rest = shown(iterator)
    assert rest == shown(other) == shown(plain)
    assert len(rest) == max(0, 24 - taken)


def test_what_is_not_pure_is_computed_where_it_is_asked_for(lines: Any) -> None:
    factor, asked = gw.Variable(1, dtype=gw.int64), []

    def noted(batch: Any) -> Any:
        asked.append(1)
        return batch

    by_variable = lines.batch(500).map(lambda batch: batch * factor).prefetch(3)
    found = []
    for batch in by_variable:
        found.append(int(gw.reduce_max(batch)))
        factor.assign_add(1)
    assert found == [499, 999 * 2, 1499 * 3]
    spec = gw.TensorSpec([None], gw.int64)
    by_python = lines.batch(10).map(lambda batch: gw.numpy_function(noted, [batch], spec)).prefetch(3)
    next(iter(by_python))
    assert len(asked) == 1
    tensor = gw.constant([0], gw.int64)
    by_tensor = lines.batch(10).map(lambda batch: batch + tensor)
    plain, ahead = iter(by_tensor), iter(by_tensor.prefetch(3))
    for number in range(4):
        tensor[0] = number
        assert next(plain).numpy().tolist() == next(ahead).numpy().tolist()
    drawn = lines.batch(10).map(lambda batch: batch + gw.random.uniform([], 0, 9, gw.int64)).prefetch(3)
    assert not isinstance(drawn._machine, Prefetch)


def test_what_functions_read_is_what_it_was_when_the_iterator_began(lines: Any) -> None:
    factors: list[Any] = [1]
    ahead = lines.batch(100).map(lambda batch: batch * factors[0]).prefetch(3)
    first = iter(ahead)
    for place, factor in enumerate((0, 5, 1, 7)):
        assert next(first).numpy()[-1] == 100 * place + 99
        factors[0] = factor
    assert next(iter(ahead)).numpy()[-1] == 7 * 99


def test_functions_that_read_variables_after_all_are_run_where_elements_are_asked_for(lines: Any) -> None:
    factors: list[Any] = [1]
    dataset = lines.batch(500).map(lambda batch: batch * factors[0]).prefetch(3)
    assert len(list(dataset)) == 3
    variable = factors[0] = gw.Variable(1, dtype=gw.int64)
    found = []
    for batch in dataset:
        found.append(int(gw.reduce_max(batch)))
        variable.assign_add(1)
    assert found == [499, 999 * 2, 1499 * 3]
    tensor = factors[0] = gw.constant([1], gw.int64)
    found = []
    for batch in dataset:
        found.append(int(gw.reduce_max(batch)))
        tensor[0] = len(found) + 1
    assert found == [499, 999 * 2, 1499 * 3]


def test_generators_are_asked_only_for_what_is_needed() -> None:
    asked = []

    def counted() -> Any:
        for k in range(100):
            asked.append(k)
            yield k

    spec = gw.TensorSpec([], gw.int64)
    assert len(list(D.from_generator(counted, output_signature=spec).batch(2).prefetch(5).take(2))) == 2
    assert asked == [0, 1, 2, 3]


def test_what_is_in_memory_stays_in_the_loop() -> None:
    dataset = D.range(100).batch(10)
    assert type(dataset.prefetch(gw.data.AUTOTUNE)._machine) is type(dataset._machine)
    assert shown(dataset.prefetch(0)) == shown(dataset)
    with pytest.raises(ValueError, match="buffer_size of at least 0"):
        dataset.prefetch(-2)


def test_errors_come_out_where_the_element_would(tmp_path: Path) -> None:
    path = tmp_path / "records"
    with gw.io.TFRecordWriter(str(path)) as writer:
        for k in range(5000):
            writer.write(b"x" * (k % 97))
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    records = gw.data.TFRecordDataset(str(path)).map(length_of)
    cases = (
        (records, 4999, 4999),
        (records.prefetch(3), 4999, 4999),
        (records.batch(100).prefetch(2).unbatch(), 4900, 4900),
    )
    for dataset, before, after in cases:
        found, iterator = [], iter(dataset)
        for _ in range(2):
            with pytest.raises(gw.errors.DataLossError, match="ends within record 4999"):
                found.extend(int(gw.reduce_sum(x)) for x in iterator)
        assert found == [k % 97 for k in range(before)]
        path.write_bytes(whole)
        rest = [int(gw.reduce_sum(x)) for x in iterator]
        assert rest == [k % 97 for k in range(after, 5000)]
        path.write_bytes(whole[:-1])

    @gw.function
    def total(dataset: Any) -> Any:
        found = gw.constant(0, gw.int64)
        for batch in dataset:
            found += gw.reduce_sum(batch)
        return found

    with pytest.raises(gw.errors.DataLossError) as caught:
        total(records.batch(64).prefetch(2))
    assert {entry.name for entry in caught.traceback} == {
        "test_errors_come_out_where_the_element_would",
        "total",
    }
    assert str(caught.traceback[-1].statement).strip() == "for batch in dataset:"
    failing = records.batch(64).map(lambda batch: batch // (batch - 13)).prefetch(2)
    path.write_bytes(whole)
    with pytest.raises(ZeroDivisionError) as divided:
        total(failing)
    assert str(divided.traceback[-1].statement).strip().startswith("failing =")


def test_who_stops_early_leaves_no_threads(lines: Any) -> None:
    batches, rows = lines.batch(8).prefetch(3), lines.prefetch(2)
    for _ in range(40):
        for batch in batches:
            break
        next(iter(rows))
    names = [thread.name for thread in threading.enumerate()]
    assert names.count("graphwright-ahead") <= _ahead._Workers.MOST


def test_no_more_is_made_than_there_is_room_for() -> None:
    made = []

    def counted() -> Iterator[int]:
        for k in itertools.count():
            made.append(k)
            yield k

    items = counted()
    ahead = _ahead.Ahead(items, 3)
    deadline = time.monotonic() + 20
    while len(made) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)
    assert made == [0, 1, 2]
    assert [next(ahead) for _ in range(5)] == [0, 1, 2, 3, 4]
    gone = weakref.ref(items)
    del ahead, items
    while gone() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert gone() is None


def test_threads_share_what_is_made_ahead() -> None:
    ahead, found = _ahead.Ahead(iter(range(2000)), 5), []
    readers = [threading.Thread(target=lambda: found.extend(ahead)) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(60)
    assert sorted(found) == list(range(2000))


def test_without_threads(lines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_ahead, "_WORKERS", _ahead._Workers())
    monkeypatch.setattr(threading.Thread, "start", refused)
    assert shown(lines.batch(32).prefetch(3)) == shown(lines.batch(32))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system copies no processes")
def test_a_copy_of_the_process_goes_on(lines: Any) -> None:
    for dataset in (lines.batch(10).prefetch(3), lines.prefetch(2).batch(10).take(300)):
        iterator = iter(dataset)
        for _ in range(110):
            next(iterator)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            rest = [int(x) for batch in iterator for x in batch.numpy()]
            os.write(write, str((rest[0], len(rest), sum(rest))).encode())
            os._exit(0)
        os.waitpid(child, 0)
        rest = [int(x) for batch in iterator for x in batch.numpy()]
        assert os.read(read, 100).decode() == str((rest[0], len(rest), sum(rest)))
        assert rest == list(range(1100, COUNT))


def test_a_process_ends_while_elements_are_computed(tmp_path: Path) -> None:
    (tmp_path / "numbers.txt").write_text("".join(f"{k}\n" for k in range(COUNT)))
    text = f"""
import graphwright as gw
lines = gw.data.TextLineDataset({str(tmp_path / "numbers.txt")!r}).repeat()
kept = [iter(lines.shuffle(100, seed=1).batch(64).prefetch(100)), iter(lines.prefetch(8))]
print([len(next(each).numpy()) if each is kept[0] else next(each).item() for each in kept])
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, "[64, b'0']\n", "")

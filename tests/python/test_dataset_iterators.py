"""Iterators over datasets: asked in loops and `try` of graphs, by several threads, and gone on with where others were."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import graphwright as gw

D = gw.data.Dataset

NUMBER = gw.TensorSpec([], gw.int64)


def few() -> Iterator[int]:
    yield from (5, 3, 8)


SOURCES: dict[str, Callable[[], Any]] = {
    "range": lambda: D.range(5),
    "filter": lambda: D.range(9).filter(lambda x: x % 2 == 0),
    "shuffle": lambda: D.range(6).shuffle(3, seed=1, reshuffle_each_iteration=False),
    "generator": lambda: D.from_generator(few, output_signature=NUMBER),
    "cache": lambda: D.range(4).map(lambda x: x + 1).cache(),
    "batches": lambda: D.range(8).batch(3).unbatch(),
    "nothing": lambda: D.range(0),
}


def zero() -> Any:
    return gw.constant(0, gw.int64)


def while_and_next(it: Any, limit: Any) -> Any:
    total, count = zero(), zero()
    try:
        while count < limit:
            total = total * 10 + next(it)
            count += 1
    except StopIteration:
        total = total + 1000000
    return total, count


def for_and_next(it: Any, limit: Any) -> Any:
    total = zero()
    for _ in gw.range(limit):
        total = (total * 10 + next(it, zero() - 1)) % 1000003
    return total


def next_with_default(it: Any, limit: Any) -> Any:
    return next(it, limit * 100), next(it, limit * 10)


def try_next(it: Any, limit: Any) -> Any:
    found = limit * 7
    try:
        found = next(it)
        found = found * 100 + next(it)
    except StopIteration:
        found = found - 1
    return found


def early(it: Any, limit: Any) -> Any:
    for x in it:
        if x == limit:
            return x * 100 + next(it, zero())
    return zero() - 1


ASKING = [while_and_next, for_and_next, next_with_default, try_next, early]


def plain(value: Any) -> Any:
    return gw.nest.map_structure(lambda leaf: np.asarray(leaf).tolist(), value)


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("asking", ASKING)
def test_iterators_are_asked_as_in_python(asking: Any, source: str) -> None:
    given, inside = gw.function(asking), gw.function(lambda dataset, limit: asking(iter(dataset), limit))
    dataset = SOURCES[source]()
    for limit in (0, 1, 3, 20):
        count = gw.constant(limit, gw.int64)
        expected = plain(asking(iter([gw.constant(int(x), gw.int64) for x in dataset]), count))
        for _ in range(2):
            assert plain(asking(iter(dataset), count)) == expected, "eagerly"
            assert plain(given(iter(dataset), count)) == expected, "an iterator of Python's"
            assert plain(inside(dataset, count)) == expected, "an iterator of the graph's"


def test_an_iterator_that_ends_in_a_graph_raises_what_python_raises() -> None:
    def three(it: Any) -> Any:
        return next(it) + next(it) + next(it)

    for make in (lambda: D.range(2), SOURCES["generator"]):
        dataset = make().take(2)
        with pytest.raises(StopIteration):
            three(iter(dataset))
        with pytest.raises(StopIteration):
            gw.function(three)(iter(dataset))
        with pytest.raises(StopIteration):
            gw.function(lambda d: three(iter(d)))(dataset)
    with pytest.raises(IndexError, match="no more elements"):
        gw.function(lambda d: iter(d).get_next())(D.range(0))


def test_a_try_around_a_generator_names_the_generator() -> None:
    @gw.function
    def safe(it: Any) -> Any:
        try:
            return next(it)
        except ValueError:
            return zero()

    with pytest.raises(ValueError, match=r"GW115: `few` is called in a `try`"):
        safe(iter(SOURCES["generator"]()))


@gw.function
def four(it: Any) -> Any:
    return gw.stack([next(it), next(it), next(it), next(it)])


@gw.function
def rest(it: Any) -> Any:
    found = gw.TensorArray(gw.int64, 0, dynamic_size=True)
    for x in it:
        found = found.write(found.size(), x)
    return found.stack()


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
@pytest.mark.parametrize(
    "make",
    [
        lambda: D.range(8000),
        lambda: D.range(9000).filter(lambda x: x < 8000),
        lambda: D.range(8000).shuffle(50, seed=1),
    ],
)
def test_graphs_in_several_threads_get_each_element_once(make: Any) -> None:
    iterator, found = iter(make()), [[], [], [], []]

    def asks(number: int) -> None:
        for _ in range(150):
            found[number] += four(iterator).numpy().tolist()
            found[number].append(int(next(iterator)))

    def asks_for_the_rest() -> None:
        found[3] += rest(iterator).numpy().tolist()

    threads = [threading.Thread(target=asks, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    threads = [threading.Thread(target=asks_for_the_rest) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(itertools.chain(*found)) == list(range(8000))


def test_a_call_of_python_in_a_graph_may_ask_another_iterator_or_fail() -> None:
    other = iter(D.range(100))

    def asks() -> Any:
        return next(other).numpy()

    def fails() -> Any:
        raise RuntimeError("not today")

    @gw.function
    def pulls(it: Any, call: Any) -> Any:
        return next(it) * 100 + gw.numpy_function(call, [], NUMBER)

    iterator = iter(D.range(10))
    assert int(pulls(iterator, asks)) == 0
    with pytest.raises(RuntimeError, match="not today"):
        pulls(iterator, fails)
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(int(pulls(iterator, asks))))
    thread.start()
    thread.join(20)
    assert found == [201], "what was asked before the failure is gone, as in Python"


def cached(filename: str) -> Any:
    return D.range(9).shuffle(9, seed=3).map(lambda x: x * 2).cache(filename)


def numbers(dataset: Any) -> list[int]:
    return [int(x) for x in dataset]


@pytest.mark.parametrize("kept", ["", "file", "file that is gone"])
@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_an_iterator_over_a_cache_goes_on_where_that_is_cold(kept: str, rounds: int, tmp_path: Any) -> None:
    filename = str(tmp_path / "kept") if kept else ""
    dataset = cached(filename)
    for _ in range(rounds):
        numbers(dataset)
    iterator = iter(dataset)
    taken = [int(next(iterator)) for _ in range(4)]
    state = pickle.loads(pickle.dumps(iterator.state_dict()))
    expected = numbers(iterator)
    assert sorted(taken + expected) == list(range(0, 18, 2))
    if kept == "file that is gone":
        os.remove(f"{filename}.npz")
    for _ in range(2):
        cold = cached(filename)
        other = iter(cold)
        other.load_state_dict(state)
        assert numbers(other) == expected
        other = iter(cold)
        other.load_state_dict(state)
        assert gw.function(rest)(other).numpy().tolist() == expected
        if rounds:
            assert numbers(cold) == taken + expected, "what was run again is kept"


def test_an_iterator_over_a_cache_goes_on_in_another_process(tmp_path: Any) -> None:
    dataset = cached("")
    numbers(dataset)
    iterator = iter(dataset)
    for _ in range(5):
        next(iterator)
    np.savez(tmp_path / "state.npz", **iterator.state_dict())
    program = f"""
import numpy as np, graphwright as gw
dataset = gw.data.Dataset.range(9).shuffle(9, seed=3).map(lambda x: x * 2).cache()
iterator = iter(dataset)
iterator.load_state_dict(dict(np.load({str(tmp_path / "state.npz")!r})))
print([int(x) for x in iterator])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(numbers(iterator))


def test_rounds_beside_each_other_do_not_mix_what_is_kept() -> None:
    dataset = D.range(6).shuffle(6, seed=1).cache()
    one, other = iter(dataset), iter(dataset)
    found = [[int(x) for x in pair] for pair in zip(one, other, strict=True)]
    columns = [list(column) for column in zip(*found, strict=True)]
    assert columns[0] != columns[1]
    assert all(sorted(column) == list(range(6)) for column in columns)
    assert numbers(dataset) == numbers(dataset)
    assert sorted(numbers(dataset)) == list(range(6))
    first = iter(dataset)
    next(first)
    assert numbers(dataset)[1:] == numbers(first)


def test_a_damaged_file_of_a_cache(tmp_path: Any) -> None:
    path = tmp_path / "kept.npz"
    numbers(cached(str(tmp_path / "kept")))
    whole = path.read_bytes()
    for content in (b"", b"nonsense", whole[: len(whole) // 2], whole[:-30]):
        path.write_bytes(content)
        with pytest.raises(gw.errors.DataLossError, match="kept.npz holds no elements of a dataset"):
            numbers(cached(str(tmp_path / "kept")))
    path.write_bytes(whole)
    assert len(numbers(cached(str(tmp_path / "kept")))) == 9


@pytest.mark.parametrize("strings", [[b"a\0", b"", b"bc"], [[b"a", b"b\0"], [b"", b"cde"]]])
def test_a_file_of_a_cache_keeps_strings(tmp_path: Any, strings: Any) -> None:
    def given() -> Any:
        dataset = D.from_tensor_slices(gw.constant(strings)).cache(str(tmp_path / "kept"))
        return [np.asarray(element.numpy(), object).tolist() for element in dataset]

    assert given() == given() == strings


class Pickled:
    """An object whose pickle runs code."""

    def __init__(self, path: Any) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return self.path.touch, ()


def test_a_file_of_a_cache_runs_no_code(tmp_path: Any) -> None:
    numbers_of_rows = {"count": np.int64(1), "leaves": np.int64(1), "epoch": np.int64(0)}
    row = {"0_0": np.array(Pickled(tmp_path / "ran"), object)}
    np.savez(tmp_path / "kept.npz", allow_pickle=True, **numbers_of_rows, **row)
    with pytest.raises(gw.errors.DataLossError, match="allow_pickle=False"):
        numbers(cached(str(tmp_path / "kept")))
    assert not (tmp_path / "ran").exists()

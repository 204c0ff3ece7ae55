"""`gw.data` over what Python gives: generators, files, and what is kept; faults are told, and nothing is lost or doubled."""

from __future__ import annotations

import gzip
import pickle
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as gw

D = gw.data.Dataset
NUMBER = gw.TensorSpec([], gw.int64)


def numbers(elements: Any) -> list[Any]:
    return [np.asarray(element).tolist() for element in elements]


@gw.function
def weighed(dataset: Any) -> Any:
    total = gw.constant(0, gw.int64)
    for element in dataset:
        total = total * 3 + gw.cast(element, gw.int64)
    return total


def squares(count: Any) -> Any:
    for k in range(count):
        yield k * k


def test_generators() -> None:
    dataset = D.from_generator(lambda: squares(4), output_signature=NUMBER)
    assert numbers(dataset) == numbers(dataset) == [0, 1, 4, 9]
    assert int(weighed(dataset)) == ((0 * 3 + 1) * 3 + 4) * 3 + 9
    assert int(weighed(dataset.filter(lambda x: x > 0).map(lambda x: x + 1))) == (2 * 3 + 5) * 3 + 10
    assert numbers(D.from_generator(squares, gw.int32, args=[3])) == [0, 1, 4]
    assert numbers(D.from_generator(lambda: [[1, 2], [3, 4]], gw.int32, [None])) == [[1, 2], [3, 4]]
    assert int(dataset.cardinality()) == gw.data.UNKNOWN_CARDINALITY


def test_what_generators_are_given_is_theirs() -> None:
    def down(n: Any, steps: Any) -> Any:
        while n > 0:
            yield n
            n -= steps[0]
            steps += 1

    dataset = D.from_generator(down, output_signature=NUMBER, args=[gw.constant(7), gw.constant([1])])
    assert numbers(dataset) == numbers(dataset) == [7, 6, 4, 1]


def test_structures_that_generators_yield() -> None:
    def pairs() -> Any:
        yield {"x": 1, "y": (2.0, [3, 4])}
        yield {"y": (5.0, [6]), "x": 7}

    row = gw.TensorSpec([None], gw.int64)
    signature = {"x": NUMBER, "y": (gw.TensorSpec([], gw.float32), row)}
    found = list(D.from_generator(pairs, output_signature=signature).as_numpy_iterator())
    assert [(e["x"], e["y"][0], e["y"][1].tolist()) for e in found] == [(1, 2.0, [3, 4]), (7, 5.0, [6])]
    texts = D.from_generator(lambda: ["a", b"\xff", "é"], output_signature=gw.TensorSpec([], gw.string))
    assert list(texts.as_numpy_iterator()) == [b"a", b"\xff", "é".encode()]


def test_a_generator_is_asked_only_for_what_is_needed() -> None:
    asked = []

    def noted() -> Any:
        for k in range(100):
            asked.append(k)
            yield k

    dataset = D.from_generator(noted, output_signature=NUMBER)
    assert numbers(dataset.take(3)) == [0, 1, 2]
    assert asked == [0, 1, 2]


def test_generators_side_by_side() -> None:
    dataset = D.from_generator(lambda: squares(5), output_signature=NUMBER)
    assert numbers(D.zip(dataset, dataset).map(lambda a, b: 10 * a + b)) == [0, 11, 44, 99, 176]
    iterators = [iter(dataset) for _ in range(40)]
    assert [int(next(iterator)) for iterator in iterators for _ in range(2)] == [0, 1] * 40
    assert all(numbers(iterator) == [4, 9, 16] for iterator in iterators)


def test_what_generators_raise_comes_out_as_itself() -> None:
    class Own(Exception):
        pass

    def failing() -> Any:
        yield 1
        raise Own("no more")

    dataset = D.from_generator(failing, output_signature=NUMBER)
    for run in (lambda: numbers(dataset), lambda: weighed(dataset)):
        with pytest.raises(Own, match="no more"):
            run()
    for value, message in ((1.5, "dtype int64"), ("a", "dtype int64")):
        with pytest.raises(TypeError, match=message):
            numbers(D.from_generator(lambda value=value: [value], output_signature=NUMBER))
    with pytest.raises(TypeError, match="2 parts"):
        numbers(D.from_generator(lambda: [(1,)], output_signature=(NUMBER, NUMBER)))
    with pytest.raises((TypeError, ValueError), match="shape"):
        numbers(D.from_generator(lambda: [[1, 2]], output_signature=NUMBER))
    with pytest.raises(TypeError, match="takes a function"):
        D.from_generator([1, 2], output_signature=NUMBER)  # type: ignore[arg-type]
    assert int(weighed(D.from_generator(lambda: squares(3), output_signature=NUMBER))) == 7


@pytest.mark.parametrize("taken", [0, 1, 3, 5])
def test_iterators_over_generators_are_saved(taken: int) -> None:
    dataset = D.from_generator(lambda: squares(5), output_signature=NUMBER).shuffle(2, seed=1).batch(2)
    iterator = iter(dataset)
    for _ in range(taken):
        next(iterator, None)
    state = pickle.loads(pickle.dumps(iterator.state_dict()))
    other = iter(D.from_generator(lambda: squares(5), output_signature=NUMBER).shuffle(2, seed=1).batch(2))
    other.load_state_dict(state)
    assert numbers(other) == numbers(iterator)


def test_lines(tmp_path: Path) -> None:
    lines = [f"line {k}" for k in range(3000)] + ["", "déjà", "no end"]
    text = "\n".join(lines).encode()
    (tmp_path / "a.txt").write_bytes(text)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"one\r\ntwo\n"))
    (tmp_path / "c.txt.z").write_bytes(zlib.compress(b"three\n\n"))
    dataset = gw.data.TextLineDataset(str(tmp_path / "a.txt"))
    assert [line.decode() for line in dataset.as_numpy_iterator()] == lines
    packed = gw.data.TextLineDataset([str(tmp_path / "b.txt.gz")] * 2, "GZIP")
    assert list(packed.as_numpy_iterator()) == [b"one", b"two"] * 2
    inflated = gw.data.TextLineDataset([str(tmp_path / "c.txt.z")], "ZLIB")
    assert list(inflated.as_numpy_iterator()) == [b"three", b""]

    @gw.function
    def characters(dataset: Any) -> Any:
        total = gw.constant(0)
        for line in dataset:
            total += gw.strings.length(line)
        return total

    assert int(characters(dataset)) == sum(len(line.encode()) for line in lines)
    iterator = iter(dataset.skip(2000))
    next(iterator)
    other = iter(dataset.skip(2000))
    other.load_state_dict(iterator.state_dict())
    assert len(list(other)) == len(list(iterator)) == len(lines) - 2001


def test_files_by_names_of_the_graph(tmp_path: Path) -> None:
    for k in range(3):
        (tmp_path / f"{k}.txt").write_text("".join(f"{k}{line}\n" for line in range(4)))
    names = D.list_files(str(tmp_path / "*.txt"), shuffle=False)
    in_turn = names.interleave(gw.data.TextLineDataset, cycle_length=2, block_length=2)
    expected = ["00", "01", "10", "11", "02", "03", "12", "13", "20", "21", "22", "23"]
    assert [line.decode() for line in in_turn.as_numpy_iterator()] == expected
    one_by_one = names.flat_map(lambda name: gw.data.TextLineDataset(name).skip(1).take(2))
    assert [line.decode() for line in one_by_one.as_numpy_iterator()] == ["01", "02", "11", "12", "21", "22"]
    iterator = iter(in_turn)
    next(iterator)
    other = iter(in_turn)
    other.load_state_dict(iterator.state_dict())
    assert numbers(other) == numbers(iterator)

    @gw.function
    def lines(name: Any) -> Any:
        total = gw.constant(0)
        for line in gw.data.TextLineDataset(name):
            total += gw.strings.length(line)
        return total

    assert int(lines(gw.constant(str(tmp_path / "1.txt")))) == 8
    assert list(gw.data.TextLineDataset(names).take(1).as_numpy_iterator()) == [b"00"]


def test_files_that_are_not_there_or_broken(tmp_path: Path) -> None:
    dataset = gw.data.TextLineDataset(str(tmp_path / "none.txt"))
    for run in (lambda: list(dataset), lambda: weighed(dataset.map(gw.strings.length))):
        with pytest.raises(FileNotFoundError):
            run()
    (tmp_path / "broken.gz").write_bytes(gzip.compress(b"one\ntwo\n" * 1000)[:-20])
    with pytest.raises(EOFError):
        list(gw.data.TextLineDataset(str(tmp_path / "broken.gz"), "GZIP"))
    with pytest.raises(ValueError, match="GZIP"):
        gw.data.TextLineDataset("x", "LZ4")


def test_tables(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text('id,name,weight\n1,"a, b",0.5\n2,,NA\n3,"c\nd",2\n')
    defaults = [gw.int32, gw.constant(["?"]), gw.constant([-1.0])]
    dataset = gw.data.experimental.CsvDataset(str(file), defaults, header=True, na_value="NA")
    assert list(dataset.as_numpy_iterator()) == [(1, b"a, b", 0.5), (2, b"?", -1.0), (3, b"c\nd", 2.0)]
    some = gw.data.experimental.CsvDataset(str(file), [gw.float32, gw.int32], header=True, select_cols=[2, 0])
    with pytest.raises(ValueError, match=r"table.csv, line 3: field 0 is 'NA', which is no float32"):
        list(some)
    with pytest.raises(ValueError, match="line 3: field 1 is empty"):
        list(gw.data.experimental.CsvDataset(str(file), [gw.int32, gw.string, gw.string], header=True))
    with pytest.raises(ValueError, match="line 1: a row of 3 fields has no field 3"):
        list(gw.data.experimental.CsvDataset(str(file), [gw.string] * 4))

    @gw.function
    def total(dataset: Any) -> Any:
        found = gw.constant(0.0)
        for key, _, weight in dataset:
            found = found * 2 + gw.cast(key, gw.float32) + weight
        return found

    assert float(total(dataset)) == (1.5 * 2 + 1.0) * 2 + 5.0


def test_records(tmp_path: Path) -> None:
    contents = [b"", b"abc", bytes(range(256)) * 300, "déjà".encode()] * 400
    for options in (None, "GZIP"):
        path = str(tmp_path / f"records{options}")
        with gw.io.TFRecordWriter(path, options) as writer:
            for content in contents:
                writer.write(content)
        assert list(gw.data.TFRecordDataset(path, options).as_numpy_iterator()) == contents
    # What TensorFlow 2.21 writes for the record `abc`.
    with gw.io.TFRecordWriter(str(tmp_path / "known")) as writer:
        writer.write(b"abc")
    assert (tmp_path / "known").read_bytes().hex() == "0300000000000000b099490e6162636e57f121"


def test_damaged_records(tmp_path: Path) -> None:
    path = tmp_path / "records"
    with gw.io.TFRecordWriter(str(path)) as writer:
        for content in (b"first", b"second"):
            writer.write(content)
    whole = path.read_bytes()
    for damaged, message in (
        (whole[:-1], "ends within record 1"),
        (whole[:25], "ends within record 1"),
        (whole[:-6] + b"x" + whole[-5:], "record 1 of .* is damaged"),
        (b"x" + whole[1:], "record 0 of .* is damaged"),
    ):
        path.write_bytes(damaged)
        dataset = gw.data.TFRecordDataset(str(path))
        for run in (
            lambda dataset=dataset: list(dataset),
            lambda dataset=dataset: weighed(dataset.map(gw.strings.length)),
        ):
            with pytest.raises(gw.errors.DataLossError, match=message):
                run()
    path.write_bytes(whole)
    assert list(gw.data.TFRecordDataset(str(path)).as_numpy_iterator()) == [b"first", b"second"]


def test_what_is_kept_is_not_computed_again(tmp_path: Path) -> None:
    asked = []

    def noted() -> Any:
        for k in range(4):
            asked.append(k)
            yield k, f"text {k}"

    signature = (NUMBER, gw.TensorSpec([], gw.string))
    for filename in ("", str(tmp_path / "kept")):
        asked.clear()
        dataset = D.from_generator(noted, output_signature=signature).cache(filename)
        expected = [(k, f"text {k}".encode()) for k in range(4)]
        first = iter(dataset)
        next(first)
        assert list(dataset.as_numpy_iterator()) == expected
        count = len(asked)
        assert list(dataset.as_numpy_iterator()) == expected
        assert int(weighed(dataset.map(lambda k, _: k))) == 1 * 9 + 2 * 3 + 3
        assert len(asked) == count
    again = D.from_generator(noted, output_signature=signature).cache(str(tmp_path / "kept"))
    assert list(again.as_numpy_iterator()) == expected
    assert len(asked) == count
    shuffled = D.range(6).cache().shuffle(6, seed=1)
    assert sorted(numbers(shuffled)) == sorted(numbers(shuffled)) == list(range(6))
    assert numbers(D.range(0).cache().repeat(2)) == []
    assert numbers(D.range(2).cache().repeat(3)) == [0, 1] * 3


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    dataset = D.range(3).cache(str(tmp_path / "no" / "folder" / "kept"))
    with pytest.raises(FileNotFoundError):
        numbers(dataset)
    assert list(tmp_path.iterdir()) == []

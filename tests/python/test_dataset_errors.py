"""What datasets refuse, and what they give before something cannot be read: by file, line and method."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

import graphwright as gw

D, CsvDataset = gw.data.Dataset, gw.data.experimental.CsvDataset


def table(path: Path, content: bytes) -> str:
    (path / "table.csv").write_bytes(content)
    return str(path / "table.csv")


def before_the_end(dataset: Any) -> tuple[list[Any], BaseException]:
    """The elements before something is raised, and what that is."""
    iterator, found = iter(dataset), []
    while True:
        try:
            found.append(gw.nest.map_structure(lambda leaf: leaf.numpy(), next(iterator)))
        except Exception as error:
            with pytest.raises(type(error)):
                next(iterator)
            return found, error


WRONG_ROWS = [
    (b"x,c", "line 3: field 0 is 'x', which is no int32"),
    (b"1_000,c", "line 3: field 0 is '1_000', which is no int32"),
    ("٣,c".encode(), r"line 3: field 0 is '\xd9\xa3', which is no int32"),
    (b"3000000000,c", "line 3: field 0 is '3000000000', which does not fit int32"),
    (b"-2147483649,c", "line 3: field 0 is '-2147483649', which does not fit int32"),
    (b"3,\xff\xfe", r"line 3: field 1 is '\xff\xfe', which holds bytes that are not UTF-8"),
    (b"3," + b"z" * 200_000, "line 3: field larger than field limit (131072); `csv.field_size_limit` says"),
    (b'3,"open', "line 3: unexpected end of data"),
    (b"3", "line 3: a row of 1 fields has no field 1"),
]


@pytest.mark.parametrize(("row", "text"), WRONG_ROWS, ids=range(len(WRONG_ROWS)))
def test_rows_before_a_wrong_one_are_given(row: bytes, text: str, tmp_path: Path) -> None:
    name = table(tmp_path, b"1,a\n-2147483648,b\n" + row + b"\n")
    found, error = before_the_end(CsvDataset(name, [gw.int32, gw.string]))
    assert found == [(1, b"a"), (-(2**31), b"b")]
    assert type(error) is ValueError
    assert f"{name}, {text}" in str(error)


def test_numbers_in_tables(tmp_path: Path) -> None:
    content = b" 1 ,1.5e3\n+2,-.5\n-3,inf\n9223372036854775807,2.\n4,1_0.5\n"
    found, error = before_the_end(CsvDataset(table(tmp_path, content), [gw.int64, gw.float64]))
    assert found == [(1, 1500.0), (2, -0.5), (-3, float("inf")), (2**63 - 1, 2.0)]
    assert "line 5: field 1 is '1_0.5', which is no float64" in str(error)
    found, error = before_the_end(CsvDataset(table(tmp_path, b"1\n99999999999999999999\n"), [gw.int64]))
    assert "which does not fit int64" in str(error)
    assert found == [(1,)]


def test_a_file_that_is_not_there_behind_one_that_is(tmp_path: Path) -> None:
    names = [table(tmp_path, b"1\n2\n"), str(tmp_path / "no.csv")]
    found, error = before_the_end(CsvDataset(names, [gw.int32]))
    assert found == [(1,), (2,)]
    assert type(error) is FileNotFoundError


def test_a_graph_keeps_what_it_did_with_the_rows_before_a_wrong_one(tmp_path: Path) -> None:
    total = gw.Variable(0)

    @gw.function
    def summed(rows: Any) -> None:
        for (x,) in rows:
            total.assign_add(x)

    with pytest.raises(ValueError, match="line 3: field 0 is 'x'"):
        summed(CsvDataset(table(tmp_path, b"1\n20\nx\n"), [gw.int32]))
    assert int(total) == 21


@pytest.mark.parametrize("count", [2**61, 2**40, 2**25])
def test_records_of_absurd_lengths(count: int, tmp_path: Path) -> None:
    name = str(tmp_path / "records")
    with gw.io.TFRecordWriter(name) as writer:
        writer.write(b"one")
    length = struct.pack("<Q", count)
    with open(name, "ab") as file:
        file.write(length + struct.pack("<I", gw._native.masked_crc32c(length)) + b"two")
    found, error = before_the_end(gw.data.TFRecordDataset(name))
    assert found == [b"one"]
    assert type(error) is gw.errors.DataLossError
    assert str(error) == f"{name} ends within record 1"


def test_a_large_record(tmp_path: Path) -> None:
    name, content = str(tmp_path / "records"), bytes(range(256)) * (2**18 + 3)
    with gw.io.TFRecordWriter(name) as writer:
        writer.write(content)
    assert list(gw.data.TFRecordDataset(name).as_numpy_iterator()) == [content]


def test_empty_lists_of_generators() -> None:
    def rows() -> Any:
        yield from ([1, 2], [], [3])

    for dtype in (gw.int32, gw.float64):
        dataset = D.from_generator(rows, output_signature=gw.TensorSpec([None], dtype))
        assert [len(row) for row in dataset] == [2, 0, 1]
        assert all(row.dtype == dtype for row in dataset)
    nested = D.from_generator(
        lambda: iter([[[], []]]), output_signature=gw.TensorSpec([None, None], gw.int64)
    )
    assert [list(row.shape) for row in nested] == [[2, 0]]
    with pytest.raises(TypeError, match="dtype int32"):
        list(D.from_generator(lambda: iter([[0.5]]), output_signature=gw.TensorSpec([None], gw.int32)))


RANGES = [
    (0, 2**63 - 1, 2**62),
    (-(2**63), 2**63 - 1, 2**62),
    (2**63 - 1, -(2**63), -(2**62)),
    (10, 0, -3),
    (0, 10, 3),
    (5, 5, 1),
    (5, 0, 2),
    (-(2**63), -(2**63) + 2, 1),
]


@pytest.mark.parametrize("numbers", RANGES)
def test_ranges(numbers: tuple[int, int, int]) -> None:
    dataset = D.range(*numbers)
    assert [int(x) for x in dataset] == list(range(*numbers))
    assert len(dataset) == len(range(*numbers))


def test_ranges_that_a_graph_knows() -> None:
    @gw.function
    def listed(first: Any, stop: Any, step: Any) -> Any:
        return gw.stack(list(D.range(first, stop, step)))

    for numbers in (RANGES[0], RANGES[3], RANGES[4], RANGES[7]):
        given = [gw.constant(number, gw.int64) for number in numbers]
        assert listed(*given).numpy().tolist() == list(range(*numbers))


def none_of(_: Any) -> None:
    return None


WRONG: list[tuple[Any, type, str]] = [
    (lambda: D.range(0, 5, 0), ValueError, "a step that is not zero"),
    (lambda: D.range(-(2**63), 2**63 - 1), ValueError, "18446744073709551615 numbers"),
    (lambda: D.range(2.5), TypeError, "integer"),
    (
        lambda: list(D.range(4).filter(lambda x: x)),
        TypeError,
        r"filter\(\) .* a bool, .* int64 of shape \[\]",
    ),
    (lambda: list(D.range(4).filter(none_of)), TypeError, r"filter\(\) .* a bool, and this one returns None"),
    (lambda: list(D.range(4).filter(lambda x: gw.stack([x > 0] * 2))), TypeError, r"bool of shape \[2\]"),
    (lambda: list(D.range(4).take_while(lambda x: 1)), TypeError, r"take_while\(\) .* a bool, .* `int`"),
    (lambda: list(D.range(4).map(none_of)), TypeError, r"map\(\) .* returns None"),
    (lambda: list(D.range(4).filter(lambda x: x > 1).map(none_of)), TypeError, r"map\(\) .* returns None"),
    (lambda: D.range(4).map(none_of).element_spec, TypeError, r"map\(\) .* returns None"),
    (lambda: list(D.range(4).flat_map(lambda x: x)), TypeError, r"flat_map\(\) .* datasets, not `Tensor`"),
    (lambda: list(D.range(4).interleave(none_of)), TypeError, r"interleave\(\) .* datasets, not None"),
    (
        lambda: list(D.range(4).scan(gw.constant(0, gw.int64), lambda s, x: s + x)),
        TypeError,
        r"scan\(\) .* a state and an element, and this one `Tensor`",
    ),
]


@pytest.mark.parametrize(("make", "error", "text"), WRONG, ids=range(len(WRONG)))
def test_functions_that_return_something_else(make: Any, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_functions_that_return_something_else_in_graphs() -> None:
    @gw.function
    def count(dataset: Any) -> Any:
        total = gw.constant(0)
        for _ in dataset:
            total += 1
        return total

    for dataset in (D.range(4).filter(lambda x: x), D.range(4).map(none_of).filter(lambda x: x > 1)):
        with pytest.raises(TypeError, match="this one returns"):
            count(dataset)
    assert int(count(D.range(4).filter(lambda x: True))) == 4


def test_a_function_that_always_raises_does_so_at_the_first_element() -> None:
    def fails(_: Any) -> Any:
        raise ValueError("not this one")

    for source in (D.range(3), D.range(3).filter(lambda x: x > 1)):
        iterator = iter(source.map(fails))
        with pytest.raises(ValueError, match="not this one"):
            next(iterator)
    assert list(D.range(3).filter(lambda x: x > 5).map(fails)) == []

"""Rows of Parquet and Arrow files: what `pyarrow` writes comes out as it was, or an error says which column of which file."""

from __future__ import annotations

import datetime
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")

D = gw.data.Dataset
COUNT = 2100


def columns(count: int) -> dict[str, Any]:
    numbers = np.arange(count)
    return {
        "small": pa.array(numbers % 100, pa.int8()),
        "great": pa.array(numbers, pa.uint64()),
        "half": pa.array((numbers % 50).astype("float16")),
        "text": [f"text number {k}" * (k % 3) for k in range(count)],
        "kind": pa.array(["a", "bb", "a kind of its own"] * (count // 3)).dictionary_encode(),
        "is_even": [k % 2 == 0 for k in range(count)],
        "pair": pa.array([[k, k + 1] for k in range(count)], pa.list_(pa.int32(), 2)),
        "some": [[float(k)] * (k % 4) for k in range(count)],
        "words": [["a", "a longer word"][: k % 3] for k in range(count)],
        "inner": [{"x": k, "y": {"z": str(k)}} for k in range(count)],
    }


def parquet(path: Path, table: Any, **options: Any) -> str:
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), path, **options)
    return str(path)


def stream(path: Path, table: Any, size: int) -> str:
    with pa.ipc.new_stream(path, table.schema) as writer:
        for batch in table.to_batches(size):
            writer.write_batch(batch)
    return str(path)


def plain(value: Any) -> Any:
    """A value of Arrow's as an element would be shown."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value.encode() if isinstance(value, str) else value


def shown(element: Any) -> Any:
    if isinstance(element, dict):
        return {key: shown(part) for key, part in element.items()}
    return element.tolist() if hasattr(element, "tolist") else element


def rows(dataset: Any) -> list[Any]:
    return [shown(element) for element in dataset.as_numpy_iterator()]


def test_rows_come_out_as_they_were_written(tmp_path: Path) -> None:
    for names in (
        ["small", "great", "half", "text"],
        ["kind", "is_even", "pair"],
        ["some", "words"],
        ["inner"],
    ):
        table = pa.table({name: column for name, column in columns(COUNT).items() if name in names})
        expected = [plain(row) for row in table.to_pylist()]
        file = parquet(tmp_path / "a.parquet", table, row_group_size=700)
        assert rows(gw.data.ParquetDataset(file)) == expected
        feather.write_feather(table, tmp_path / "a.arrow", chunksize=900, compression="zstd")
        assert rows(gw.data.ArrowDataset(str(tmp_path / "a.arrow"))) == expected
        assert rows(gw.data.ArrowDataset(stream(tmp_path / "a.stream", table, 333))) == expected


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "lz4", "brotli"])
def test_compressed_columns(tmp_path: Path, codec: str) -> None:
    numbers = np.arange(COUNT) / 7
    file = parquet(tmp_path / "a.parquet", {"x": numbers}, compression=codec)
    batches = gw.data.ParquetDataset(file, batch_size=COUNT)
    assert np.array_equal(next(iter(batches))["x"].numpy(), numbers)


def test_what_the_elements_are(tmp_path: Path) -> None:
    file = parquet(tmp_path / "a.parquet", columns(3))
    spec = gw.data.ParquetDataset(file).element_spec
    assert {name: (each.dtype.name, each.shape) for name, each in spec.items() if name != "inner"} == {
        "small": ("int32", ()),
        "great": ("int64", ()),
        "half": ("float32", ()),
        "text": ("string", ()),
        "kind": ("string", ()),
        "is_even": ("bool", ()),
        "pair": ("int32", (2,)),
        "some": ("float64", (None,)),
        "words": ("string", (None,)),
    }
    assert spec["inner"]["y"]["z"].dtype == gw.string
    days = parquet(
        tmp_path / "b.parquet",
        {"day": [datetime.date(1970, 1, 3)], "at": [datetime.datetime(1970, 1, 1, 0, 1)]},
    )
    assert rows(gw.data.ParquetDataset(days)) == [{"day": 2, "at": 60_000_000}]
    tensors = pa.array([[1, 2, 3, 4]], pa.list_(pa.float32(), 4))
    images = pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.float32(), [2, 2]), tensors)
    feather.write_feather(pa.table({"image": images}), tmp_path / "c.arrow")
    assert rows(gw.data.ArrowDataset(tmp_path / "c.arrow")) == [{"image": [[1, 2], [3, 4]]}]


def test_batches_go_over_row_groups_and_files(tmp_path: Path) -> None:
    files = [
        parquet(
            tmp_path / f"{k}.parquet",
            {"x": range(first, stop), "s": [str(n) for n in range(first, stop)]},
            row_group_size=7,
        )
        for k, (first, stop) in enumerate(((0, 20), (20, 20), (20, 33)))
    ]
    batches = rows(gw.data.ParquetDataset(files, batch_size=10))
    assert [batch["x"] for batch in batches] == [list(range(n, min(n + 10, 33))) for n in (0, 10, 20, 30)]
    assert batches[3]["s"] == [b"30", b"31", b"32"]
    whole = gw.data.ParquetDataset(files, batch_size=10, drop_remainder=True)
    assert whole.element_spec["x"].shape == (10,)
    assert len(list(whole)) == 3
    vectors = parquet(tmp_path / "v.parquet", {"v": [[1, 2], [3, 4], [5, 6]]})
    spec = {"v": gw.TensorSpec([2], gw.float32)}
    assert rows(gw.data.ParquetDataset(vectors, spec, batch_size=2)) == [
        {"v": [[1, 2], [3, 4]]},
        {"v": [[5, 6]]},
    ]


def test_in_a_graph(tmp_path: Path) -> None:
    file = parquet(
        tmp_path / "a.parquet", {"x": np.arange(COUNT), "words": [["word"] * (k % 3) for k in range(COUNT)]}
    )

    @gw.function
    def total(dataset: Any) -> Any:
        found = gw.constant(0, gw.int64)
        for row in dataset:
            if row["x"] % 5 == 0:
                continue
            found += row["x"] * gw.cast(gw.size(row["words"]), gw.int64)
        return found

    expected = sum(x * (x % 3) for x in range(COUNT) if x % 5)
    assert int(total(gw.data.ParquetDataset(file))) == expected

    @gw.function
    def summed(dataset: Any) -> Any:
        found = gw.constant(0, gw.int64)
        for batch in dataset:
            found += gw.reduce_sum(batch["x"])
        return found

    assert int(summed(gw.data.ParquetDataset(file, ["x"]).shuffle(50, seed=1).batch(64))) == sum(range(COUNT))
    batches = gw.data.ParquetDataset(file, ["x"], batch_size=100)
    assert int(summed(batches)) == sum(range(COUNT))
    assert int(summed(batches.map(lambda batch: {"x": batch["x"] * 2}))) == 2 * sum(range(COUNT))


def test_files_by_names_of_the_graph(tmp_path: Path) -> None:
    for k in range(3):
        parquet(tmp_path / f"{k}.parquet", {"x": range(10 * k, 10 * k + 3)})
    names = D.list_files(str(tmp_path / "*.parquet"), shuffle=False)
    assert [row["x"] for row in rows(gw.data.ParquetDataset(names))] == [0, 1, 2, 10, 11, 12, 20, 21, 22]
    spec = gw.data.ParquetDataset(str(tmp_path / "0.parquet")).element_spec
    in_turn = names.interleave(lambda name: gw.data.ParquetDataset(name, spec), cycle_length=3)
    assert [row["x"] for row in rows(in_turn)] == [0, 10, 20, 1, 11, 21, 2, 12, 22]
    with pytest.raises(
        gw.errors.OperatorNotAllowedInGraphError, match="(?s)names only the running graph.*give `columns`"
    ):
        rows(names.flat_map(gw.data.ParquetDataset))


def test_missing_values(tmp_path: Path) -> None:
    file = parquet(
        tmp_path / "a.parquet",
        {
            "x": [1, None, 3],
            "s": ["a", None, ""],
            "lists": [[1], None, []],
            "in_lists": [[1, None], [3], []],
            "inner": [{"a": 1}, {"a": None}, {"a": 2}],
            "none": pa.nulls(3),
        },
    )
    made = gw.data.ParquetDataset
    for name in ("x", "s", "lists", "in_lists"):
        with pytest.raises(ValueError, match=f"column '{name}' has missing values"):
            rows(made(file, [name]))
    with pytest.raises(ValueError, match=r"'inner'\['a'\] has missing values"):
        rows(made(file, ["inner"]))
    defaults = {"x": -1, "s": "none"}
    assert rows(made(file, ["x", "s"], default_values=defaults)) == [
        {"x": 1, "s": b"a"},
        {"x": -1, "s": b"none"},
        {"x": 3, "s": b""},
    ]
    assert rows(made(file, ["in_lists"], default_values={"in_lists": 7})) == [
        {"in_lists": n} for n in ([1, 7], [3], [])
    ]
    assert rows(made(file, ["inner"], default_values={"inner": {"a": 9}}))[1] == {"inner": {"a": 9}}
    assert rows(made(file, {"none": gw.int32}, default_values={"none": 5}))[0] == {"none": 5}
    for wrong, message in (({"y": 1}, "are no columns"), ({"x": 1.5}, "its default value 1.5 is not")):
        with pytest.raises(ValueError, match=message):
            made(file, ["x"], default_values=wrong)


def test_errors_come_out_with_the_block_that_they_are_in(tmp_path: Path) -> None:
    numbers: list[Any] = [*range(4500), None, *range(500)]
    file = parquet(tmp_path / "a.parquet", {"x": numbers, "s": [[n] for n in range(5001)]})
    found: list[Any] = []
    with pytest.raises(ValueError, match=r"1 of 905 in a block"):
        found.extend(gw.data.ParquetDataset(file).as_numpy_iterator())
    assert [row["x"] for row in found] == list(range(4096))
    found.clear()
    with pytest.raises(ValueError, match=r"1 of 7 in a block"):
        found.extend(gw.data.ParquetDataset(file, "x", batch_size=7).as_numpy_iterator())
    assert len(found) == 4500 // 7


def test_dtypes_that_are_asked_for(tmp_path: Path) -> None:
    file = parquet(
        tmp_path / "a.parquet", {"x": [1.0, 2.5], "s": ["a", "b"], "n": [1, 2], "ns": [[1], [2, 3]]}
    )
    made = gw.data.ParquetDataset
    assert made(file, {"n": gw.float32}).element_spec["n"].dtype == gw.float32
    assert rows(made(file, {"n": gw.float64, "s": gw.string})) == [
        {"n": 1.0, "s": b"a"},
        {"n": 2.0, "s": b"b"},
    ]
    for columns, message in (
        ({"x": gw.int32}, "'x': .*truncated"),
        ({"s": gw.int32}, "'s' has the type string, where int32 is wanted"),
        ({"ns": gw.TensorSpec([2], gw.int64)}, "has a list of 1, where the shape .2. is wanted"),
        ({"ns": gw.int64}, "has the type list.*, where int64 is wanted"),
        ({"n": gw.TensorSpec([1], gw.int64)}, "'n' has values of the type int64, where the shape"),
        ({"y": gw.int64}, "'y' is not there"),
    ):
        with pytest.raises(ValueError, match=message):
            rows(made(file, columns))
    assert rows(made([file, parquet(tmp_path / "b.parquet", {"x": [3]})], {"x": gw.float32}))[-1] == {
        "x": 3.0
    }


def test_columns_that_cannot_be_read(tmp_path: Path) -> None:
    nested = parquet(tmp_path / "a.parquet", {"u": [[[1]]], "x": [1]})
    with pytest.raises(ValueError, match=r"a.parquet: the column 'u' has the type list.*name the others"):
        gw.data.ParquetDataset(nested)
    assert rows(gw.data.ParquetDataset(nested, ["x"])) == [{"x": 1}]
    with pytest.raises(ValueError, match="the column 'y' is not there, but"):
        gw.data.ParquetDataset(nested, ["x", "y"])
    with pytest.raises(ValueError, match="lists of several lengths, which cannot be stacked"):
        gw.data.ParquetDataset(parquet(tmp_path / "b.parquet", {"l": [[1]]}), batch_size=2)
    twice = pa.table([pa.array([1]), pa.array([2])], ["x", "x"])
    with pytest.raises(ValueError, match="'x' is there more than once"):
        gw.data.ParquetDataset(parquet(tmp_path / "c.parquet", twice))
    for call, message in (
        (lambda: gw.data.ParquetDataset(nested, []), "at least one column"),
        (lambda: gw.data.ParquetDataset([]), "there are no files"),
        (lambda: gw.data.ParquetDataset(nested, ["x"], batch_size=0), "at least 1"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_files_with_other_columns(tmp_path: Path) -> None:
    first = parquet(tmp_path / "a.parquet", {"x": [1, 2], "y": [1, 2]})
    other = parquet(tmp_path / "b.parquet", {"x": [0.5], "y": [3]})
    fewer = parquet(tmp_path / "c.parquet", {"x": [1]})
    for files, message in (
        ([first, other], r"b.parquet: the column 'x' has the type double, where int64 is wanted"),
        ([first, fewer], r"c.parquet: the column 'y' is not there"),
    ):
        iterator = iter(gw.data.ParquetDataset(files, batch_size=2))
        assert shown(next(iterator)["x"].numpy()) == [1, 2]
        for _ in range(2):
            with pytest.raises(ValueError, match=message):
                next(iterator)


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet(path, {"x": np.arange(5000), "s": [f"string {k}" for k in range(5000)]}, row_group_size=1000)
    whole = path.read_bytes()
    dataset = gw.data.ParquetDataset(str(path))
    hurt = bytearray(whole)
    hurt[len(whole) // 2 : len(whole) // 2 + 300] = b"\xff" * 300
    path.write_bytes(hurt)
    iterator = iter(dataset)
    with pytest.raises(gw.errors.DataLossError, match=r"is no Parquet file, or is damaged: Corrupt"):
        list(iterator)
    state = iterator.state_dict()
    with pytest.raises(gw.errors.DataLossError):
        next(iterator)
    # The iterator is where it was: mended, the file goes on.
    path.write_bytes(whole)
    other = iter(dataset)
    other.load_state_dict(state)
    rest = [int(row["x"]) for row in iterator]
    assert rest == [int(row["x"]) for row in other] == list(range(5000 - len(rest), 5000))


def test_what_are_no_such_files(tmp_path: Path) -> None:
    file = parquet(tmp_path / "a.parquet", {"x": range(100)})
    feather.write_feather(
        pa.table({"s": [f"string {k}" for k in range(100)]}), tmp_path / "a.arrow", compression="uncompressed"
    )
    (tmp_path / "short.parquet").write_bytes(Path(file).read_bytes()[:-30])
    (tmp_path / "short.arrow").write_bytes((tmp_path / "a.arrow").read_bytes()[:-30])
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("this is a text, and no table")
    for name in ("short.parquet", "empty", "text", "a.arrow"):
        with pytest.raises(gw.errors.DataLossError, match="no Parquet file, or is damaged"):
            gw.data.ParquetDataset(str(tmp_path / name))
    for name in ("short.arrow", "empty", "text", "a.parquet"):
        with pytest.raises(gw.errors.DataLossError, match="no Arrow file, or is damaged"):
            gw.data.ArrowDataset(str(tmp_path / name))
    with pytest.raises(FileNotFoundError):
        gw.data.ParquetDataset(str(tmp_path / "none"))
    with pytest.raises(IsADirectoryError):
        gw.data.ParquetDataset(tmp_path)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_no_damage_ends_the_process(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    table = pa.table(
        {"x": range(300), "s": [f"string {k}" for k in range(300)], "l": [[k] * (k % 3) for k in range(300)]}
    )
    pq.write_table(table, path) if kind == "parquet" else feather.write_feather(
        table, path, compression="uncompressed"
    )
    made = gw.data.ParquetDataset if kind == "parquet" else gw.data.ArrowDataset
    whole, random = path.read_bytes(), np.random.default_rng(1)
    for _ in range(25):
        hurt = bytearray(whole)
        at = int(random.integers(len(whole)))
        hurt[at : at + int(random.integers(1, 40))] = random.bytes(8)
        path.write_bytes(hurt)
        try:
            read = sum(
                len(batch["x"].numpy())
                for batch in made(str(path), {n: gw.int64 for n in "x"}, batch_size=64)
            )
            assert read <= 300
            sum(len(batch["s"].numpy()) for batch in made(str(path), ["s"], batch_size=64))
        except (OSError, ValueError, MemoryError, UnicodeDecodeError):
            pass


def test_iterators_are_saved(tmp_path: Path) -> None:
    files = [
        parquet(tmp_path / f"{k}.parquet", {"x": range(k * 1500, k * 1500 + 1500)}, row_group_size=400)
        for k in range(2)
    ]
    feather.write_feather(pa.table({"x": range(3000)}), tmp_path / "a.arrow", chunksize=700)
    for dataset in (
        gw.data.ParquetDataset(files),
        gw.data.ArrowDataset(str(tmp_path / "a.arrow")),
        gw.data.ParquetDataset(files).shuffle(30, seed=1),
        gw.data.ParquetDataset(files, batch_size=64).unbatch(),
    ):
        iterator = iter(dataset)
        for _ in range(1300):
            next(iterator)
        other = iter(dataset)
        other.load_state_dict(pickle.loads(pickle.dumps(iterator.state_dict())))
        assert [int(row["x"]) for row in other] == [int(row["x"]) for row in iterator]


def test_an_iterator_goes_on_in_another_process(tmp_path: Path) -> None:
    file = parquet(
        tmp_path / "a.parquet",
        {"x": range(3000), "s": [f"string {k}" for k in range(3000)]},
        row_group_size=1000,
    )
    text = f"""
import numpy as np, sys, graphwright as gw
iterator = iter(gw.data.ParquetDataset({file!r}).shuffle(100, seed=3).batch(7))
for _ in range(200 if sys.argv[1] == "save" else 0):
    next(iterator)
if sys.argv[1] == "save":
    np.savez({str(tmp_path / "state.npz")!r}, allow_pickle=True, **iterator.state_dict())
else:
    iterator.load_state_dict(dict(np.load({str(tmp_path / "state.npz")!r}, allow_pickle=True)))
for batch in iterator:
    print(batch["x"].numpy().tolist(), batch["s"].numpy().tolist())
"""

    def run(how: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", text, how], check=True, capture_output=True, text=True
        ).stdout

    assert run("save") == run("load")


def test_errors_show_the_users_line(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet(path, {"x": range(10)})
    dataset = gw.data.ParquetDataset(str(path))
    path.unlink()

    @gw.function
    def total(rows: Any) -> Any:
        found = gw.constant(0, gw.int64)
        for row in rows:
            found += row["x"]
        return found

    with pytest.raises(FileNotFoundError) as caught:
        total(dataset)
    assert {entry.name for entry in caught.traceback} == {"test_errors_show_the_users_line", "total"}
    assert str(caught.traceback[-1].statement).strip() == "for row in rows:"


def test_without_pyarrow() -> None:
    text = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import graphwright as gw\n"
        "try:\n    gw.data.ParquetDataset('a.parquet')\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True)
    assert (
        done.stdout
        == "Parquet and Arrow files are read by pyarrow: python -m pip install 'graphwright[arrow]'\n"
    )


#: `|` and `|=` of dicts of which the graph holds one.
JOINED = {
    "in place": "d |= e\nreturn d[100], len(d)",
    "known first": "g = e | d\nreturn g[100], g.get(0, 9), len(g), len(d), len(e)",
    "known last": "g = d | {0: 5, 300: 6}\nreturn g[0], d.get(0, -1), g[300], len(d)",
    "two": "g = {}\nfor i in range(n): g[i + 1] = i\nh = d\nd |= g\nreturn d[1], len(h), len(g)",
    "loop": "for i in range(n): d |= {i + 50: i}\nreturn len(d)",
    "item": "return (d | {1: 5})[1], ({1: 2} | d)[1], ((d | {7: 3}) | e)[7], (({1: 2} | d) | e)[100]",
    "item of a call": "def mk(n):\n    g = {}\n    for i in range(n): g[i] = i\n    return g\nreturn (mk(n) | {1: 5})[1]",
    "item that is missing": "try: return (d | {1: 5})[77]\nexcept KeyError: return -1",
    "attribute": "o = types.SimpleNamespace(d=d)\no.d |= {50: 1}\nreturn o.d[50], d[50], len(o.d)",
    "text": "o = {'k': d}\nfor i in range(n): o['k'] |= {i + 50: 1}\nreturn o['k'][51], d[50], len(d)",
    "numbers of attributes": "o = types.SimpleNamespace(k=5)\no.k |= n\no.k |= 8\nreturn o.k",
    "sets": "s = {1, n}\ns |= {4}\nreturn len(s | {9}), 4 in s",
    "numbers": "a = 5\na |= n\nreturn a | 8, n | a, True | (n > 2)",
    "arrays": "a = np.array([1, 2]) + n\nb = a\na |= n\nreturn b[0] | n, a[1]",
}


@pytest.mark.parametrize("name", JOINED)
def test_unions(name):
    lines = "".join(f"    {line}\n" for line in JOINED[name].splitlines())
    text = f"import types\ndef f(n):\n    d = {{}}\n    e = {{100: 1}}\n    for i in range(n): d[i] = i * i\n{lines}"
    f, _ = function_of(text, f"union {name}")
    graph = gw.function(f)
    for n in (4, 2, 5):
        assert [int(x) for x in np.atleast_1d(graph(gw.constant(n)))] == [
            int(x) for x in np.atleast_1d(f(n))
        ], n


def test_a_display_of_dicts_of_the_graph_is_refused():
    def f(n):
        d = {}
        for i in range(n):
            d[i] = i
        e = {**d, 1: 5}
        return e

    def g(n):
        known = {"a": n, 3: 4}
        return {**known, "b": n + 1, 2: n}

    with pytest.raises(ValueError, match=r"(?s)GW130.*e = \{\*\*d, 1: 5\}.*`d \| e`"):
        gw.function(f)(gw.constant(3))
    assert gw.function(g)(gw.constant(3)) == g(3)

"""The program layer: references, releases, states in files, and data to select from."""

from __future__ import annotations

import asyncio
import collections
import csv
import datetime
import logging

import numpy as np
import pytest

import graphwright as gw
import graphwright.federated as tff

INT, FLOAT = np.int32, np.float32
program = tff.program
Pair = collections.namedtuple("Pair", "a b")


def clients(member):
    return tff.FederatedType(member, tff.CLIENTS)


@tff.federated_computation(clients(FLOAT))
def metrics(x):
    return {"mean": tff.federated_mean(x), "both": (tff.federated_sum(x), tff.federated_max(x))}


def in_a_program(action):
    """Gives the result of a coroutine in a context of programs."""
    context = program.NativeFederatedContext(tff.create_async_local_execution_context())

    async def run():
        with tff.framework.get_context_stack().install(context):
            return await action()

    return asyncio.run(run())


def test_calls_give_references_at_once():
    async def run():
        found = metrics([1.0, 3.0])
        assert isinstance(found["mean"], program.MaterializableValueReference)
        assert found["mean"].type_signature == tff.TensorType(FLOAT)
        again = double(found["mean"])
        program.check_in_federated_context()
        return await program.materialize_value((found, again, 5))

    double = tff.graph_computation(lambda x: x * 2.0, FLOAT)
    assert in_a_program(run) == ({"mean": 2.0, "both": (4.0, 3.0)}, 4.0, 5)
    with pytest.raises(ValueError, match="FederatedContext"):
        program.check_in_federated_context()


def test_values_of_clients_do_not_leave():
    same = tff.federated_computation(lambda x: (x, tff.federated_sum(x)), clients(INT))

    async def run():
        same([1])

    with pytest.raises(ValueError, match="{int32}@CLIENTS"):
        in_a_program(run)


def test_what_a_computation_raises_comes_with_its_value():
    inverse = tff.graph_computation(lambda x: 10 // x, INT)
    total = tff.federated_computation(
        lambda x: tff.federated_sum(tff.federated_map(inverse, x)), clients(INT)
    )

    async def run():
        reference = total([1, 0])
        with pytest.raises(ZeroDivisionError) as caught:
            await reference.get_value()
        assert caught.value.__notes__ == ["client 1"]
        return await total([1]).get_value()

    assert in_a_program(run) == 10


def released(manager, values):
    """Releases values with keys from 1 on."""

    async def run():
        for key, value in enumerate(values, 1):
            await manager.release(value, key=key)

    asyncio.run(run())


def test_memory():
    memory = program.MemoryReleaseManager()

    async def run():
        await memory.release(metrics([1.0, 3.0]), key=1)

    in_a_program(run)
    assert memory.values() == {1: {"mean": 2.0, "both": (4.0, 3.0)}}
    memory.values().clear()
    assert len(memory.values()) == 1
    memory.remove_all()
    assert memory.values() == {}


def test_logging(caplog):
    with caplog.at_level(logging.INFO, "graphwright.federated.program"):
        released(program.LoggingReleaseManager(), [{"loss": 0.5}])
    assert "'loss': 0.5" in caplog.text
    assert "key 1" in caplog.text


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        (lambda path: True, {1: {"a": 1, "b": [2, (3,)]}}),
        (lambda path: False, {}),
        (lambda path: path == ("a",), {1: {"a": 1}}),
        (lambda path: path == ("b", 1, 0), {1: {"b": [(3,)]}}),
    ],
)
def test_filtering(test, wanted):
    memory = program.MemoryReleaseManager()
    released(program.FilteringReleaseManager(memory, test), [{"a": 1, "b": [2, (3,)]}])
    assert memory.values() == wanted


def test_fields_are_not_filtered():
    filtering = program.FilteringReleaseManager(program.MemoryReleaseManager(), lambda path: path != ("a",))
    with pytest.raises(program.NotFilterableError, match="`a`"):
        released(filtering, [Pair(1, 2)])


def test_grouping_periodic_and_delayed():
    first, second, third = (program.MemoryReleaseManager() for _ in range(3))
    group = program.GroupingReleaseManager(
        [first, program.PeriodicReleaseManager(second, 3), program.DelayedReleaseManager(third, 5)]
    )
    released(group, range(10, 18))
    assert list(first.values()) == list(range(1, 9))
    assert second.values() == {3: 12, 6: 15}
    assert list(third.values()) == [5, 6, 7, 8]


def test_periodic_by_time():
    memory = program.MemoryReleaseManager()
    released(program.PeriodicReleaseManager(memory, datetime.timedelta(hours=1)), [1, 2])
    assert memory.values() == {}
    released(program.PeriodicReleaseManager(memory, datetime.timedelta(microseconds=1)), [1, 2])
    assert 1 in memory.values()


@pytest.mark.parametrize(
    "make",
    [
        lambda memory: program.GroupingReleaseManager([]),
        lambda memory: program.PeriodicReleaseManager(memory, 0),
        lambda memory: program.PeriodicReleaseManager(memory, datetime.timedelta(0)),
        lambda memory: program.DelayedReleaseManager(memory, 0),
        lambda memory: program.FileProgramStateManager(""),
        lambda memory: program.CSVFileReleaseManager("x.csv", key_fieldname=""),
        lambda memory: program.TensorBoardReleaseManager(""),
        lambda memory: program.DatasetDataSource([]),
    ],
)
def test_managers_that_are_refused(make):
    with pytest.raises(ValueError, match="."):
        make(program.MemoryReleaseManager())


def test_csv(tmp_path):
    path = tmp_path / "folder" / "metrics.csv"
    manager = program.CSVFileReleaseManager(path, key_fieldname="round")
    released(manager, [{"loss": 0.5, "acc": {"a": 1}}, {"loss": np.float32(0.25), "new": [1, 2]}])
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["round"] for row in rows] == ["1", "2"]
    assert rows[0] == {"round": "1", "loss": "0.5", "acc/a": "1", "new/0": "", "new/1": ""}
    assert rows[1]["loss"] == "0.25"
    again = program.CSVFileReleaseManager(path, key_fieldname="round")
    released(again, [{"loss": 9}])
    with path.open() as file:
        assert [row["loss"] for row in csv.DictReader(file)] == ["9"]
    with pytest.raises(ValueError, match="no column `key`"):
        program.CSVFileReleaseManager(path, key_fieldname="key")


def test_tensorboard(tmp_path):
    released(program.TensorBoardReleaseManager(tmp_path), [{"loss": 0.5, "weights": np.arange(4.0)}])
    [file] = tmp_path.iterdir()
    content = file.read_bytes()
    assert b"loss" in content
    assert b"weights" in content


def state(n):
    return {
        "weights": np.full(3, n, "float32"),
        "round": n,
        "name": f"n{n}",
        "pair": Pair(np.int32(n), (0.5,)),
    }


def saved(manager, versions):
    async def run():
        for version in versions:
            await manager.save(state(version), version)

    asyncio.run(run())


def test_states_in_files(tmp_path):
    manager = program.FileProgramStateManager(tmp_path / "states")
    blank = state(0)
    assert asyncio.run(manager.get_versions()) is None
    assert asyncio.run(manager.load_latest(blank)) == (blank, 0)
    saved(manager, [1, 2])
    found, version = asyncio.run(program.FileProgramStateManager(tmp_path / "states").load_latest(blank))
    assert version == 2
    assert found["weights"].tolist() == [2.0] * 3
    assert (found["round"], found["name"], found["pair"]) == (2, "n2", Pair(2, (0.5,)))
    assert type(found["round"]) is int
    assert isinstance(found["pair"], Pair)
    with pytest.raises(program.ProgramStateExistsError, match="version 2"):
        saved(manager, [2])
    with pytest.raises(program.ProgramStateNotFoundError, match="7"):
        asyncio.run(manager.load(7, blank))
    with pytest.raises(ValueError, match="leaves"):
        asyncio.run(manager.load(1, {"weights": 0}))
    with pytest.raises(TypeError, match="`bad`"):
        asyncio.run(manager.save({"bad": object()}, 3))
    assert asyncio.run(manager.get_versions()) == [1, 2]
    assert [path.name for path in (tmp_path / "states").iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, [1, 6, 7, 8, 9]),
        ({"keep_total": 3}, [1, 8, 9]),
        ({"keep_first": False, "keep_total": 2}, [8, 9]),
        ({"keep_total": 0}, list(range(1, 10))),
        ({"keep_total": 0, "keep_every_k": 4}, [1, 4, 8, 9]),
    ],
)
def test_old_states_go(tmp_path, options, wanted):
    manager = program.FileProgramStateManager(tmp_path, **options)
    saved(manager, range(1, 10))
    assert asyncio.run(manager.get_versions()) == wanted


def test_datasets_to_select_from():
    datasets = [gw.data.Dataset.from_tensor_slices({"x": np.full(2, n, "float32")}) for n in range(5)]
    source = program.DatasetDataSource(datasets, seed=1)
    assert str(source.federated_type) == "{<x=float32>*}@CLIENTS"
    iterator, same = source.iterator(), source.iterator()
    rounds = [iterator.select(2) for _ in range(3)]
    assert rounds == [same.select(2) for _ in range(3)]
    assert all(len({id(one) for one in found}) == 2 for found in rounds)
    assert iterator.select() == datasets
    with pytest.raises(ValueError, match="0 to 5"):
        iterator.select(6)
    with pytest.raises(TypeError, match="client 1"):
        program.DatasetDataSource([datasets[0], gw.data.Dataset.range(3)])
    total = tff.graph_computation(
        lambda s: s.reduce(0.0, lambda state, e: state + e["x"]), source.federated_type.member
    )
    sums = tff.federated_computation(lambda x: tff.federated_map(total, x), source.federated_type)
    assert sums(iterator.select()) == [0.0, 2.0, 4.0, 6.0, 8.0]

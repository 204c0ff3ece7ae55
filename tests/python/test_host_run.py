"""`host_code="run"`: plain Python's effects and answers at every call, also where host code's types are not known."""

from __future__ import annotations

import collections
import ctypes
import io
import logging
import os
import random
import re
import types

import numpy as np
import pytest

import graphwright as gw
import host_programs
import host_worlds

do_not_convert = gw.autograph.experimental.do_not_convert


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_with_host_code(seed):
    native, _ = host_programs.outcomes(seed, "native")
    run, _ = host_programs.outcomes(seed, "run")
    assert run == native


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_in_a_world_of_state(seed):
    native = host_worlds.outcomes(seed, lambda function: function)
    assert host_worlds.outcomes(seed, gw.function(host_code="run")) == native


def test_some_of_these_have_graphs():
    assert sum(host_programs.outcomes(seed, "run")[1] for seed in range(20)) >= 5


def test_types_are_observed_and_effects_happen_once():
    called = []

    @do_not_convert
    def simulate(x):
        called.append(x.item())
        return x.item() * 2.0 + 1.0

    @gw.function(host_code="run")
    def grown(x, n):
        for _ in gw.range(n):
            x += simulate(x)
        return x

    for n, wanted, traced in ((2, 13.0, 0), (3, 40.0, 1), (3, 40.0, 1), (0, 1.0, 1)):
        called.clear()
        assert grown(gw.constant(1.0, gw.float64), gw.constant(n)).item() == wanted
        assert len(called) == n and grown.experimental_get_tracing_count() == traced


def test_a_call_that_was_not_observed_is_observed_later():
    @do_not_convert
    def low(x):
        return x.item() - 0.5

    @do_not_convert
    def high(x):
        return x.item() + 7

    @gw.function(host_code="run")
    def either(x):
        print("asked", x)
        return low(x) if x < 0 else high(x) * 1.0

    def answers(*given):
        return [either(gw.constant(x)).item() for x in given]

    assert answers(1, 2, -1, 3, -2) == [8.0, 9.0, -1.5, 10.0, -2.5]
    assert either.experimental_get_tracing_count() == 1


def test_what_is_printed_is_printed_once(capfd):
    @do_not_convert
    def low(x):
        return x.item()

    @gw.function(host_code="run")
    def printed(x):
        print("before")
        if x > 1:
            x = x + low(x)
        print("x is", x, [x])
        return x

    for given, wanted in ((1, 1), (2, 4), (1, 1), (2, 4)):
        printed(gw.constant(given))
        assert capfd.readouterr().out == f"before\nx is {wanted} [{wanted}]\n"


@pytest.mark.parametrize("given", [[1, 1, 2], [2, 2, 2], [5, 6, 7]])
def test_functions_of_numpy_that_the_graph_lacks(given):
    @gw.function(host_code="run")
    def uniques(x):
        return np.unique(x).sum() + x[0]

    for _ in range(3):
        assert uniques(np.array(given)).item() == np.unique(given).sum() + given[0]
    assert uniques.experimental_get_tracing_count() == 1


def test_functions_of_the_system_and_random_numbers():
    def looked(x):
        if x > 0:
            x = x + random.choice([10, 20, 30])
        return x + len(os.sep), os.path.exists("/nowhere/at/all")

    graph = gw.function(looked, host_code="run")
    random.seed(5)
    native = [looked(x) for x in (1, 2, -1, 3)]
    random.seed(5)
    for x, wanted in zip((1, 2, -1, 3), native, strict=True):
        number, exists = graph(gw.constant(x))
        assert (number.item(), exists.item() if isinstance(exists, gw.Tensor) else exists) == wanted


def test_what_no_graph_holds_stays_pythons():
    @do_not_convert
    def named(x):
        return collections.deque("abc" * x.item())

    @gw.function(host_code="run")
    def lengths(x):
        return len(named(x)) + x

    assert [lengths(gw.constant(x)).item() for x in (1, 2, 5)] == [4, 8, 20]
    assert lengths.experimental_get_tracing_count() == 0
    [reason] = lengths.explain_retraces()
    assert re.fullmatch(
        r"`lengths` runs in plain Python: no graph holds an answer of host code, at .*test_host_run\.py:\d+",
        reason,
    )


class World:
    """Something to act in, as strangers write it."""

    def __init__(self, seed, file):
        self.source, self.file = random.Random(seed), file
        self.state, self.steps = 0.0, 0

    def step(self, action):
        """Moves by an action and by chance."""
        self.steps += 1
        self.state = self.state * 0.5 + action + self.source.random()
        self.file.write(f"step {self.steps}\n")
        if self.steps % 3 == 0:
            print("checkpoint", self.steps)
        return self.state, self.state > 4.0


def episode(world, weight, turns):
    total, action = 0.0, weight
    for _ in range(turns):
        seen, done = world.step(action)
        total += seen
        action = weight - 0.1 * seen
        if done:
            break
    return total


def test_an_episode_in_a_world_of_python(capfd):
    ours, theirs = World(3, io.StringIO()), World(3, io.StringIO())
    graph = gw.function(episode, host_code="run")
    for turns in (7, 4, 9):
        wanted = episode(theirs, 1.5, turns)
        native = capfd.readouterr().out
        assert graph(ours, gw.constant(1.5, gw.float64), gw.constant(turns)).item() == wanted
        assert capfd.readouterr().out == native
    assert ours.file.getvalue() == theirs.file.getvalue()
    assert (ours.steps, ours.source.random()) == (theirs.steps, theirs.source.random())


def test_handlers_see_what_host_code_raises():
    @do_not_convert
    def checked(x):
        if x.item() > 3:
            raise KeyError(x.item())
        return x.item()

    @gw.function(host_code="run")
    def caught(x):
        try:
            return checked(x) * 2
        except KeyError as error:
            return error.args[0]

    assert [int(caught(gw.constant(x))) for x in (1, 5, 2, 7)] == [2, 5, 4, 7]


def test_a_graph_that_is_asked_for_first_has_no_types():
    @gw.function(host_code="run")
    def asked(x):
        return os.cpu_count() + x

    with pytest.raises(TypeError, match=r"GW126: it is not known what `cpu_count` gives here"):
        asked.get_concrete_function(gw.constant(1))
    asked(gw.constant(1))
    graph = asked.get_concrete_function(gw.constant(1))
    assert graph(gw.constant(2)).item() == os.cpu_count() + 2


class Meter:
    """An object that host code and the program share."""

    def __init__(self):
        self.x, self.total, self.log = 0, 0, []

    def put(self, v):
        """Written in the program."""
        self.x = v

    @do_not_convert
    def look(self):
        """Reads what the program changes."""
        return self.x.item() * 10 if isinstance(self.x, gw.Tensor) else self.x * 10

    @do_not_convert
    def add(self, v):
        """Changes what the program reads."""
        self.total += int(v)
        self.log.append(int(v))
        return int(v)


ITEMS, TABLE, COUNT = [1, 2], {"k": 1}, 1


@do_not_convert
def grow(v):
    """Changes what is around the program."""
    global COUNT  # noqa: PLW0603
    ITEMS.append(int(v))
    TABLE["k"] += 1
    COUNT += 1
    return int(v)


def sees_a_store(m, v):
    m.put(v)
    return m.look() + v


def reads_behind(m, v):
    m.add(v)
    return m.total + v


def reads_in_a_loop(m, v):
    found = 0
    for i in range(v):
        m.add(i)
        found += m.total
    return found


def counts_before_and_behind(m, v):
    before = len(m.log)
    m.add(v)
    return before * 100 + len(m.log)


def changes_before(m, v):
    m.log.append(7)
    m.add(v)
    return len(m.log)


def changes_in_a_branch(m, v):
    if v > 1:
        m.add(v)
        m.x = v
    return m.look()


def reads_globals(m, v):
    grow(v)
    return len(ITEMS) * 10000 + TABLE["k"] * 100 + COUNT + v


def makes_its_object(m, v):
    own = Meter()
    own.add(v)
    own.add(m.x)
    return own.total


@pytest.mark.parametrize(
    "program",
    [
        sees_a_store,
        reads_behind,
        reads_in_a_loop,
        counts_before_and_behind,
        changes_before,
        changes_in_a_branch,
        reads_globals,
        makes_its_object,
    ],
    ids=lambda program: program.__name__,
)
def test_state_that_host_code_and_the_program_share(program, monkeypatch):
    def answers(function, given):
        monkeypatch.setitem(globals(), "COUNT", 1)
        monkeypatch.setitem(TABLE, "k", 1)
        monkeypatch.setitem(globals(), "ITEMS", [1, 2])
        meter = Meter()
        return [int(function(meter, given(v))) for v in (1, 2, 3, 3, 2)], int(meter.total), len(meter.log)

    wanted = answers(program, lambda v: v)
    assert answers(gw.function(program, host_code="run"), lambda v: gw.constant(v, gw.int64)) == wanted


def test_random_numbers_leave_a_list_of_the_function_as_pythons_do():
    def shuffled(n):
        found = [1, 2, 3, 4]
        random.shuffle(found)
        return found[0] * 1000 + found[1] * 100 + found[2] * 10 + found[3] + n

    graph = gw.function(shuffled, host_code="run")
    random.seed(2)
    wanted = [shuffled(n) for n in (0, 1, 2, 3)]
    random.seed(2)
    assert [int(graph(gw.constant(n))) for n in (0, 1, 2, 3)] == wanted


def calls(function, times, *observed):
    """The answers of calls with one, each with what `observed` says after it."""
    return [(function(gw.constant(1.0)).item(), *(ask() for ask in observed)) for _ in range(times)]


def test_lists_grow_at_each_call():
    log = []

    @gw.function(host_code="run")
    def f(x):
        log.append("called")
        return x * 2

    assert calls(f, 4, lambda: len(log)) == [(2.0, n) for n in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    "change",
    [
        lambda a: np.add(a, 1, out=a),
        lambda a: np.random.shuffle(a),
        lambda a: random.shuffle(a),
        lambda a: np.copyto(a, a + 2),
        lambda a: a.fill(a[1]),
    ],
)
def test_arrays_that_libraries_store_into(change):
    def outcome(decorated):
        a = np.arange(4.0)
        np.random.seed(3)
        random.seed(3)

        def f(x):
            change(a)
            return x + a[0]

        return calls_of_numbers(decorated(f), lambda: a.tolist())

    assert outcome(gw.function(host_code="run")) == outcome(lambda f: f)


def calls_of_numbers(function, *observed):
    return [(float(function(gw.constant(1.0, gw.float64))), *(ask() for ask in observed)) for _ in range(4)]


def test_program_code_that_libraries_call():
    seen, hits = [], []

    class Handler(logging.Handler):
        def emit(self, record):
            seen.append(record.getMessage())

    logger = logging.Logger("mine")
    logger.addHandler(Handler())
    called_back = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: hits.append(1) or 3)

    @gw.function(host_code="run")
    def logged(x):
        logger.warning("v %s", float(x))
        return x + len(seen)

    @gw.function(host_code="run")
    def called(x):
        k = called_back()
        return x + len(hits) + k

    assert [answer for (answer,) in calls(logged, 4)] == [2.0, 3.0, 4.0, 5.0]
    assert seen == ["v 1.0"] * 4
    assert [answer for (answer,) in calls(called, 4)] == [5.0, 6.0, 7.0, 8.0]


def test_a_trace_without_a_graph_stores_nothing():
    a = np.zeros(3)

    @do_not_convert
    def asked(x):
        return 1.0

    @gw.function(host_code="run")
    def f(x):
        a[1] += 1
        try:
            asked(x)
        except ValueError:
            pass
        return x

    assert calls(f, 4, lambda: a[1]) == [(1.0, n) for n in (1, 2, 3, 4)]

    @gw.function
    def refused(x):
        a[1] += 1
        return x

    for _ in range(2):
        with pytest.raises(ValueError, match="GW123"):
            refused(gw.constant(1.0))
    assert a[1] == 4


def test_numbers_that_are_stored_stay_numbers():
    held = types.SimpleNamespace(v=0)

    @gw.function(host_code="run")
    def f(x):
        held.v = float(x)
        return x * 2

    assert calls(f, 3, lambda: type(held.v)) == [(2.0, float)] * 3


def test_what_no_graph_holds_says_why():
    labels = []

    @gw.function(host_code="run")
    def f(x):
        labels.append("s")
        if x > 0:
            labels.append("p")
        return x

    assert calls(f, 3, lambda: len(labels)) == [(1.0, n) for n in (2, 4, 6)]
    [reason] = f.explain_retraces()
    assert reason.startswith("`f` runs in plain Python: GW130")


def test_generators_and_objects_are_given_as_plain_python_gives_them():
    @gw.function(host_code="run")
    def each(x):
        yield x

    @gw.function(host_code="run")
    def objects(x):
        made = np.frompyfunc(lambda k: k + 1.0, 1, 1)(np.ones(2))
        return x + float(made[0])

    assert [next(each(gw.constant(2.0))).item() for _ in range(3)] == [2.0, 2.0, 2.0]
    assert calls(objects, 3) == [(3.0,)] * 3

"""The profiler: lines and operations that take long have most of the time, calls are counted, traces are Chrome's."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

import event_files
import graphwright as gw


@gw.function
def two_lines(x, w):
    product = x @ w
    small = product[:2, :2] + 1.0
    return gw.reduce_sum(small)


def arguments():
    generator = np.random.default_rng(0)
    return gw.constant(generator.random((400, 400))), gw.constant(generator.random((400, 400)))


@gw.function
def counted(n):
    i, total = 0, 0.0
    while i < n:
        total = total + gw.sin(total + 1.0)
        i += 1
    return total


def line_of(function, text):
    """The number of the line of a function with this text."""
    import inspect

    lines, first = inspect.getsourcelines(function.python_function)
    return first + next(at for at, line in enumerate(lines) if text in line)


def test_most_time_is_where_the_work_is():
    x, w = arguments()
    two_lines(x, w)
    with gw.profiler.profile() as found:
        ends = time.perf_counter() + 0.3
        while time.perf_counter() < ends:
            two_lines(x, w)
    longest = found.lines[0]
    assert (longest.file, longest.lineno) == (__file__, line_of(two_lines, "x @ w"))
    assert longest.text == "product = x @ w"
    assert longest.seconds > 0.5 * sum(line.seconds for line in found.lines)
    assert found.ops[0].op == "matmul" and found.ops[0].graph == "two_lines"


def test_lines_inside_of_loops():
    with gw.profiler.profile() as found:
        expected = counted(gw.constant(2_000_000))
    assert [line.lineno for line in found.lines[:1]] == [line_of(counted, "gw.sin")]
    assert float(expected) == float(counted(gw.constant(2_000_000)))


def test_calls_are_counted_and_lie_within_the_time():
    counted(gw.constant(3))
    with gw.profiler.profile() as found:
        for _ in range(7):
            counted(gw.constant(3))
    assert [call.graph for call in found.calls] == ["counted"] * 7
    assert all(0 < call.begun < call.ended < found.seconds + 0.05 for call in found.calls)
    assert sum(op.seconds for op in found.ops) + found.outside == pytest.approx(found.seconds, rel=0.01)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_results_are_those_without_the_profiler(count):
    @gw.function
    def mixed(x, n):
        rows = gw.zeros([0, 3], gw.float64)
        for i in gw.range(n):
            if gw.reduce_sum(x) > 10.0:
                x = gw.sqrt(gw.abs(x))
            else:
                x = x * 1.5 + gw.cast(i, gw.float64)
            rows = gw.concat([rows, gw.expand_dims(gw.sort(x), 0)], 0)
        return rows, gw.reduce_max(x), gw.linalg.det(gw.matmul(rows, rows, transpose_a=True))

    given = gw.constant([1.0, 2.0, 3.0], gw.float64), gw.constant(count)
    plain = mixed(*given)
    with gw.profiler.profile():
        profiled = mixed(*given)
    for one, other in zip(plain, profiled, strict=True):
        assert np.array_equal(one.numpy(), other.numpy())


def test_errors_leave_the_profiler_in_order():
    @gw.function
    def fails(x):
        gw.debugging.assert_positive(x)
        return x

    with gw.profiler.profile() as found:
        with pytest.raises(gw.errors.InvalidArgumentError):
            fails(gw.constant(-1.0))
        time.sleep(0.02)
    assert found.outside > 0.01
    assert len(found.calls) == 1


def test_functions_that_call_functions_and_the_host():
    @gw.function
    def slow(x):
        return gw.numpy_function(lambda x: (time.sleep(0.02), x)[1], [x], gw.TensorSpec([], gw.float32))

    slow(gw.constant(1.0))
    with gw.profiler.profile() as found:
        slow(gw.constant(1.0))
    assert found.ops[0].op == "host_call" and found.ops[0].seconds > 0.01


def test_one_profile_at_a_time():
    gw.profiler.start()
    with pytest.raises(RuntimeError, match="the profiler is on"):
        gw.profiler.start()
    assert gw.profiler.stop().calls == []
    with pytest.raises(RuntimeError, match="the profiler is off"):
        gw.profiler.stop()
    with pytest.raises(ValueError, match="a time above zero"):
        gw.profiler.start(0)


def test_the_trace_is_chromes(tmp_path):
    with gw.profiler.profile() as found:
        counted(gw.constant(1_000_000))
    found.save_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert {event["name"] for event in events if event["ph"] == "M"} == {"thread_name"}
    [call] = [event for event in spans if event["tid"] == 1]
    assert call["name"] == "counted" and call["dur"] > 100
    operations = [event for event in spans if event["tid"] == 2]
    assert operations and all(
        event["args"]["file"] == __file__ for event in operations if "file" in event["args"]
    )
    assert all(event["ts"] >= 0 and event["dur"] >= 0 for event in spans)


def test_a_profile_as_text_and_html():
    with gw.profiler.profile() as found:
        counted(gw.constant(1_000_000))
    assert "gw.sin" in str(found) and "1 call;" in str(found)
    assert "gw.sin" in found._repr_html_() and repr(found).startswith("<Profile: ")


def test_a_graph_for_tensorboard(tmp_path):
    concrete = counted.get_concrete_function(gw.TensorSpec([], gw.int32))
    assert gw.summary.graph(concrete) is False
    with gw.summary.create_file_writer(str(tmp_path)).as_default():
        assert gw.summary.graph(concrete, step=3)
    [file] = tmp_path.iterdir()
    _, record = gw.data.TFRecordDataset(str(file)).as_numpy_iterator()
    event = event_files.fields(record)
    nodes = [event_files.fields(node) for node in event_files.fields(event[4][0])[1]]
    assert event[2] == [3]
    assert {node[2][0].decode() for node in nodes} >= {"Placeholder", "while", "sin"}
    names = {node[1][0] for node in nodes}
    assert len(names) == len(nodes)
    with pytest.raises(TypeError, match=r"takes a `gw\.Graph`"):
        gw.summary.graph(counted)


def test_a_profile_of_one_short_call_says_that_it_is_too_short():
    doubled = gw.function(lambda x: x * 2.0)
    doubled(gw.constant(1.0))
    with gw.profiler.profile() as found:
        doubled(gw.constant(1.0))
    if not found.ops:
        assert str(found).endswith("s in graphs, 1 call: too short for times of lines, repeat the call")
    assert "1 call" in str(found) and "1e-12" not in found._repr_html_()

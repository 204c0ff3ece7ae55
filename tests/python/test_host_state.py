"""State that host code changes while a graph runs, and objects that it is given: what the graph cannot see is refused."""

from __future__ import annotations

import contextlib
import contextvars
import io
import types

import numpy as np
import pytest

import graphwright as gw

COUNT = 1


class Holder:
    shared = 1

    def __init__(self):
        self.k = 1
        self.parts = [1]


def changes():
    """Functions of a tensor, each of which calls host code that changes state, and reads that state."""
    o, items, table, array = Holder(), [1], {"k": 1}, np.arange(3.0)
    captured = 1

    @gw.host
    def of_global() -> None:
        global COUNT
        COUNT += 1

    @gw.host
    def of_variable() -> None:
        nonlocal captured
        captured += 1

    def host(change):
        @gw.host
        def changed() -> None:
            change()

        return changed

    of_object = host(lambda: setattr(o, "k", o.k + 1))
    of_class = host(lambda: setattr(Holder, "shared", Holder.shared + 1))
    of_list = host(lambda: items.append(1))
    of_part = host(lambda: o.parts.append(1))
    of_dict = host(lambda: table.update(k=table["k"] + 1))
    of_array = host(lambda: array.fill(7.0))

    def with_global(x):
        of_global()
        return x + COUNT

    def with_variable(x):
        of_variable()
        return x + captured

    def with_object(x):
        of_object()
        return x + o.k

    def with_class(x):
        of_class()
        return x + Holder.shared

    def with_list(x):
        of_list()
        return x + len(items)

    def with_part(x):
        of_part()
        return x + len(o.parts)

    def with_dict(x):
        of_dict()
        return x + table["k"]

    def with_array(x):
        of_array()
        return x + array[0]

    return [with_global, with_variable, with_object, with_class, with_list, with_part, with_dict, with_array]


@pytest.mark.parametrize("at", range(8))
def test_state_that_host_code_changes_in_front_of_a_read(at):
    with pytest.raises(TypeError, match=r"GW126: host code changed `.*` while the graph ran"):
        gw.function(changes()[at])(gw.constant(1.0))


def test_state_that_the_graph_does_not_read():
    log, count = [], 0
    held = types.SimpleNamespace(seen=0)

    @gw.host
    def noted(x) -> float:
        nonlocal count
        count += 1
        held.seen += 1
        log.append(x.item())
        return x.item() + 1

    @gw.function
    def f(x):
        return noted(x) * 2

    assert [f(gw.constant(n)).item() for n in (1.0, 2.0, 3.0)] == [4.0, 6.0, 8.0]
    assert (log, count, held.seen, f.experimental_get_tracing_count()) == ([1.0, 2.0, 3.0], 3, 3, 1)


@pytest.mark.parametrize(
    "change",
    [
        lambda given: given[0].append(1),
        lambda given: given[0].clear(),
        lambda given: given[1].update(b=2),
        lambda given: given[1].__setitem__("a", 5),
    ],
)
def test_containers_that_host_code_changes(change):
    items, table = [1, 2], {"a": 1}

    @gw.host
    def changed(given) -> None:
        change(given)

    @gw.function
    def f(x):
        changed((items, table))
        return x

    with pytest.raises(
        RuntimeError, match="`changed` changes a list or dict that a graph gave it, which is a copy"
    ):
        f(gw.constant(1.0))
    assert (items, table) == ([1, 2], {"a": 1})


def test_containers_that_host_code_reads():
    @gw.host
    def total(values, by) -> float:
        return float(sum(values)) * by["factor"]

    @gw.function
    def f(x):
        return total([x, 2.0 * x], {"factor": 2}) + x

    assert f(gw.constant(1.0)).item() == 7.0


def test_context_variables():
    variable = contextvars.ContextVar("variable", default=0)

    @gw.function
    def read(x):
        return x + variable.get()

    @gw.function
    def stored(x):
        variable.set(variable.get() + 1)
        return x + variable.get()

    found = []
    for n in (0, 1, 1, 2):
        variable.set(n)
        found.append(read(gw.constant(0)).item())
    assert found == [0, 1, 1, 2] and read.experimental_get_tracing_count() == 3
    with pytest.raises(ValueError, match=r"GW503: `ContextVar.set` is called: it would be called once"):
        stored(gw.constant(0))
    assert variable.get() == 2


def test_bytes_that_were_written_before():
    file = io.BytesIO()

    @gw.function
    def f(x):
        file.write(b"z")
        return x + len(file.getbuffer())

    with pytest.raises(ValueError, match=r"GW503: `BytesIO.getbuffer` answers differently each time"):
        f(gw.constant(0))


@pytest.mark.parametrize("redirect", [contextlib.redirect_stdout, contextlib.redirect_stderr])
def test_prints_that_go_elsewhere(redirect):
    text = io.StringIO()

    @gw.function
    def f(x):
        with redirect(text):
            print("x", x)
        return x

    with pytest.raises(
        ValueError, match=f"GW503: `contextlib.{redirect.__name__}` holds while the graph is built"
    ):
        f(gw.constant(0))
    with contextlib.redirect_stdout(text):
        gw.function(lambda x: print("x", x))(gw.constant(0))
    assert text.getvalue() == "x 0\n"

"""Arrays and tables of other libraries as arguments and captures: graphs, their number, and what a change does."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import graphwright as gw

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
jnp = pytest.importorskip("jax.numpy")

MAKERS = {
    "jax": jnp.asarray,
    "arrow": pa.array,
    "list of jax": lambda values: [jnp.asarray(values)],
    "dict of jax": lambda values: {"x": jnp.asarray(values)},
}


def one_of(x):
    if isinstance(x, list):
        return x[0]
    return x["x"] if isinstance(x, dict) else x


@pytest.mark.parametrize("kind", MAKERS)
def test_arguments_are_traced_once(kind):
    @gw.function
    def doubled(x):
        return gw.reduce_sum(gw.cast(one_of(x), gw.float64) * 2.0)

    with warnings.catch_warnings():
        warnings.simplefilter("error", gw.errors.UnwatchedObjectsWarning)
        found = [doubled(MAKERS[kind](np.full(3, v))).numpy() for v in (1.0, 2.0, 5.0)]
    assert found == [6.0, 12.0, 30.0]
    assert doubled.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("make", [jnp.asarray, pa.array], ids=["jax", "arrow"])
def test_what_never_changes_is_captured_once(make):
    held = make(np.array([1.0, 2.0]))

    @gw.function
    def scaled(x):
        return x * gw.cast(gw.constant(held), gw.float64)

    assert [scaled(gw.constant(v, gw.float64)).tolist() for v in (1.0, 3.0)] == [[1.0, 2.0], [3.0, 6.0]]
    assert scaled.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    "make",
    [pd.Series, pl.Series, lambda values: pd.DataFrame({"a": values})],
    ids=["pandas", "polars", "table"],
)
def test_arrays_with_methods_of_their_own_are_no_arguments(make):
    with pytest.raises(TypeError, match=r"(?s)GW301: an argument is a `.*gw.constant\(x\)"):
        gw.function(lambda x: x)(make(np.array([1.0, 2.0])))


def test_functions_of_other_libraries_are_refused_at_the_users_line():
    def staged(x):
        return jnp.sin(x) * 2

    with pytest.raises(
        TypeError,
        match=r"GW120: `sin` is Python's own and takes no tensor.*\n *--> .*test_objects_of_libraries",
    ):
        gw.function(staged)(np.array([1.0]))


def looped(x, column):
    total = 0.0
    for value in column:
        total = total + value * x
    return total


@pytest.mark.parametrize(
    "read",
    [
        lambda x, table: x * table["a"].sum(),
        lambda x, table: x * gw.reduce_sum(gw.constant(table["a"].to_numpy())),
        lambda x, table: looped(x, table["a"]),
        lambda x, table: x * (table["a"].mean() * len(table)),
    ],
    ids=["sum", "constant", "loop", "mean"],
)
@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_tables_are_read_as_they_are_at_each_call(library, read):
    table = library.DataFrame({"a": [1.0, 2.0, 3.0]})

    @gw.function
    def staged(x):
        return read(x, table)

    one = gw.constant(1.0, gw.float64)
    assert staged(one).numpy() == 6.0
    if library is pd:
        table.loc[1, "a"] = 20.0
    else:
        table[1, "a"] = 20.0
    assert staged(one).numpy() == 24.0


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.__setitem__("a", table["a"] + 1.0),
        lambda table: table.loc.__setitem__((0, "a"), table.loc[0, "a"] + 1.0),
        lambda table: table.insert(0, f"b{table.shape[1]}", 1.0),
    ],
    ids=["column", "element", "insert"],
)
def test_changes_of_tables_are_done_at_each_call(change):
    plain, table = (pd.DataFrame({"a": [1.0, 2.0]}) for _ in range(2))

    @gw.function
    def changing(x):
        change(table)
        return x + 1.0

    for _ in range(3):
        change(plain)
        changing(gw.constant(1.0))
        assert table.equals(plain)


def test_a_table_that_makes_new_graphs_is_named():
    table = pd.DataFrame({"a": [1.0]})

    @gw.function
    def staged(x):
        return x * table["a"].sum()

    one = gw.constant(1.0, gw.float64)
    for _ in range(4):
        staged(one)
    with pytest.warns(gw.errors.RetracingWarning, match="`table` is of a library whose objects change"):
        staged(one)


def test_pictures_are_drawn_at_each_call():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, axes = pyplot.subplots()

    @gw.function
    def drawn(x):
        axes.plot([1.0, 2.0])
        return x * len(axes.lines)

    with warnings.catch_warnings():
        warnings.simplefilter("error", gw.errors.UnwatchedObjectsWarning)
        assert [drawn(gw.constant(1.0)).numpy() for _ in range(3)] == [1.0, 2.0, 3.0]
    pyplot.close(figure)

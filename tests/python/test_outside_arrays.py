"""NumPy arrays that a function takes from around it: what changes in them between calls is seen, or refused."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

TABLE = np.array([1.0, 2.0, 3.0])
LARGE = np.ones(200_000)
NAMED = {"w": np.ones(2)}
PAIR = (np.ones(2), [np.ones(2)])
ROWS = np.arange(6.0).reshape(2, 3)
VIEW = ROWS[1:]
BYTES = np.ones(3, np.uint8)
SPREAD = np.asfortranarray(np.ones((2, 2)))
MANY = [[n] for n in range(30_000)]


def by_operand(x):
    return x * TABLE


def while_tracing(x):
    return x + np.sum(TABLE * 2.0) + float(TABLE[1:].max())


def by_closure():
    table = np.ones(3)
    return (lambda x: x * table), table


def of_containers(x):
    return x * NAMED["w"] + PAIR[0] + PAIR[1][0]


def of_a_view(x):
    return x * VIEW + ROWS[0]


def of_other_elements(x):
    return x * float(BYTES.sum()) + SPREAD


def large(x):
    return gw.reduce_sum(x * LARGE)


class Model:
    def __init__(self):
        self.weights = np.ones(2)

    def __call__(self, x):
        return x * self.weights


def agrees(function, *arrays):
    """The graph gives what Python gives, before and after each array changes, and makes no graph without a change."""
    graph = gw.function(function)
    for array in [None, *arrays]:
        if array is not None:
            array[(0,) * array.ndim] += 3
        for _ in range(2):
            assert np.allclose(graph(gw.constant(2.0, gw.float64)).numpy(), np.asarray(function(2.0)))
    assert graph.experimental_get_tracing_count() == 1 + len(arrays)


def test_a_change_between_calls_is_seen():
    agrees(by_operand, TABLE, TABLE)
    agrees(while_tracing, TABLE)
    agrees(of_containers, NAMED["w"], PAIR[0], PAIR[1][0])
    agrees(of_a_view, ROWS, VIEW)
    agrees(of_other_elements, BYTES, SPREAD)
    agrees(large, LARGE)
    agrees(*by_closure())
    model = Model()
    agrees(model, model.weights)


def test_the_reason_names_the_array():
    graph = gw.function(by_operand)
    graph(gw.constant(2.0, gw.float64))
    TABLE[0] += 1.0
    graph(gw.constant(2.0, gw.float64))
    assert graph.explain_retraces() == [
        "`TABLE` holds other numbers than before: pass it as an argument, keep it in a `gw.Variable`, or make it "
        "read-only by `flags.writeable = False`"
    ]


def test_arrays_of_the_function_itself_are_its_own_affair():
    def local(x):
        w = np.arange(3.0)
        y = x * w
        w += 1.0
        return y + x * w

    graph = gw.function(local)
    for _ in range(2):
        assert np.allclose(graph(gw.constant(2.0, gw.float64)).numpy(), local(2.0))
    assert graph.experimental_get_tracing_count() == 1


def test_an_array_that_the_function_changes_is_refused():
    def store(x):
        TABLE[0] += 1.0
        return x * 2.0

    def operator(x):
        global TABLE
        TABLE *= 2.0
        return x * 2.0

    class Counter:
        def __init__(self):
            self.counts = np.zeros(2)

        def __call__(self, x):
            self.counts[1] = 5.0
            return x

    for function, line in (
        (store, r"TABLE\[0\] \+= 1.0"),
        (operator, r"TABLE \*= 2.0"),
        (Counter(), "counts"),
    ):
        with pytest.raises(ValueError, match=rf"(?s)GW123:.*changed in place.*{line}"):
            gw.function(function)(gw.constant(2.0))

    def as_argument(table, x):
        table[0] += 1.0
        return x * 2.0

    given = np.zeros(2)
    gw.function(as_argument)(given, gw.constant(2.0))
    assert given.tolist() == [1.0, 0.0]


def test_large_arrays_are_watched_in_loops():
    def change(n):
        total = 0
        for i in gw.range(n):
            LARGE_BUFFER.fill(1.0)
            total = total + i
        return total

    with pytest.raises((TypeError, ValueError), match="(?s)GW104:.*LARGE_BUFFER"):
        gw.function(change)(gw.constant(3))


LARGE_BUFFER = np.zeros(1_000_000)


def test_more_objects_than_are_watched_are_said():
    def reach(n):
        total = 0
        for i in gw.range(n):
            total = total + i + len(MANY)
        return total

    with pytest.warns(gw.errors.UnwatchedObjectsWarning, match=r"20000 Python objects.*`MANY\[") as caught:
        assert gw.function(reach)(gw.constant(2)).numpy() == 60_001
    assert len(caught) == 1 and caught[0].filename == __file__


PRIMES = np.array([2, 3, 5, 7, 11, 13, 17, 19])
HALVES = np.arange(6.0).reshape(3, 2) / 2


def item(i):
    return PRIMES[i % 8] * 2


def last(i):
    return PRIMES[-1 - i % 8]


def of_two(i):
    return HALVES[i % 3, 1] + HALVES[i % 3][i % 2]


def in_a_loop(i):
    total = 0
    for k in range(i):
        if PRIMES[k % 8] % 4 == 1:
            total += PRIMES[(k * 3) % 8]
    return total


def of_an_object(i):
    return Table.rows[i % 3, 0]


def of_a_dict(i):
    return NAMED["w"][i % 2]


def of_a_default(i, table=PRIMES):
    return table[i % 8]


def a_row(i):
    return (HALVES[i % 3] * 2).sum()


class Table:
    rows = np.ones((3, 2))


@pytest.mark.parametrize(
    "f",
    [item, last, of_two, in_a_loop, of_an_object, of_a_dict, of_a_default, a_row],
    ids=lambda f: f.__name__,
)
def test_a_tensor_chooses_among_the_items(f):
    graph = gw.function(f)
    for _ in range(2):
        for i in (3, 9, 0, 2):
            assert float(graph(gw.constant(i, gw.int64))) == float(f(i)), i
        # Changes of the arrays between calls are seen.
        for array in (PRIMES, HALVES, Table.rows, NAMED["w"]):
            array += 1


def test_an_index_past_the_end_is_an_error():
    graph = gw.function(lambda i: PRIMES[i])
    for i in (8, -9):
        with pytest.raises(IndexError):
            graph(gw.constant(i))


def test_a_store_into_a_row_does_not_reach_the_array():
    def stored(i):
        row = HALVES[i]
        row[0] = 5.0
        return row

    def added(i):
        row = HALVES[i]
        row += 5.0
        return row

    before = HALVES.copy()
    for f in (stored, added):
        with pytest.raises(ValueError, match=r"GW\d+"):
            gw.function(f)(gw.constant(1))
    assert np.array_equal(HALVES, before)

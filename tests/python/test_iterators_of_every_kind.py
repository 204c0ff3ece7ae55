"""Python's iterators of every kind in loops, branches and tests of the graph: each call takes what Python takes, or GW503."""

from __future__ import annotations

import itertools

import pytest

import graphwright as gw
from three_ways import agree, plain


def squares():
    yield from (k * k for k in range(100))


KINDS = {
    "accumulate": lambda: itertools.accumulate(range(100)),
    "chain": lambda: itertools.chain([1, 2], range(50)),
    "count": lambda: itertools.count(3),
    "cycle": lambda: itertools.cycle([1, 2, 3]),
    "cycle of chain": lambda: itertools.cycle(itertools.chain([4], (5, 6))),
    "filter": lambda: filter(lambda x: x % 2, range(100)),
    "generator": squares,
    "islice": lambda: itertools.islice(itertools.chain([7], itertools.count()), 40),
    "list": lambda: iter(list(range(50))),
    "map": lambda: map(lambda x: x * 2, range(100)),
    "pairs": lambda: map(sum, zip(range(50), range(1, 51))),
    "repeat": lambda: itertools.repeat(7),
    "reversed": lambda: reversed(list(range(50))),
    "takewhile": lambda: itertools.takewhile(lambda x: x < 90, range(100)),
}


def in_a_loop(it, n):
    s = i = 0
    while i < n:
        s += next(it)
        i += 1
    return s


def in_a_branch(it, n):
    return next(it) if n > 2 else -1


def in_a_test(it, n):
    c = 0
    while next(it) < n and c < 5:
        c += 1
    return c


def for_ever(it, n):
    c = 0
    while True:
        c += 1
        if next(it) >= n or c > 5:
            return c


PROGRAMS = [in_a_loop, in_a_branch, in_a_test, for_ever]
CALLS = (3, 5, 0, 2)


def given(program, make):
    it = make()
    return (lambda n: program(it, n)), lambda: next(it)


def made(program, make):
    return (lambda n: program(make(), n)), lambda: None


def results(function, rest, numbers):
    """Gives the result of each call, and the next item of the iterator behind it."""
    found = [plain(function(n)) for n in numbers]
    return [*found, rest()]


def outcome(function, rest, numbers):
    """The results, or what is said of them."""
    try:
        return results(function, rest, numbers)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("place", [given, made])
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_call_takes_what_python_takes(kind, program, place):
    function, rest = place(program, KINDS[kind])
    expected = results(function, rest, CALLS)
    function, rest = place(program, KINDS[kind])
    found = outcome(gw.function(function), rest, [gw.constant(n, gw.int64) for n in CALLS])
    if isinstance(found, str):
        assert found.startswith("GW503")
        assert "test_iterators_of_every_kind.py:" in found
    else:
        assert agree(found, expected)


def test_a_trace_takes_nothing_from_an_iterator_over_others():
    it = itertools.cycle(iter([1, 2, 3]))

    @gw.function
    def two(n):
        return n + next(it) * 10 + next(it)

    assert [two(gw.constant(0)).item() for _ in range(3)] == [12, 31, 23]
    assert next(it) == 1

"""Python code that differs from call to call: it runs each time the graph comes there, or is refused with its line."""

from __future__ import annotations

import datetime
import io
import itertools
import os
import random
import runpy
import secrets
import time

import numpy as np
import pytest

import graphwright as gw


def counted(n):
    it = itertools.count()
    s = i = 0
    while i < n:
        s += next(it)
        i += 1
    return s


def listed(n):
    it = iter([1, 2, 3, 4])
    s = 0
    for _ in gw.range(n):
        s += next(it)
    return s


def naturals():
    k = 0
    while True:
        yield k
        k += 1


def in_a_test(n):
    s, numbers = 0, naturals()
    while next(numbers) < n:
        s += 1
    return s


def paired(n):
    pairs = zip([1, 2, 3], [4, 5, 6])
    s = i = 0
    while i < n:
        a, b = next(pairs)
        s += a * b
        i += 1
    return s


def mapped_in_a_branch(n):
    it = map(lambda v: v * 2, [1, 2, 3])
    s = 5
    if n > 0:
        s = next(it)
    return s + next(it)


def cycled_for_ever(n):
    it = itertools.cycle([1, 2])
    s = 0
    while True:
        s += next(it)
        if s > n:
            return s


def summed_in_a_loop(n):
    it = (v * v for v in [1, 2, 3])
    s = 0
    for _ in gw.range(n):
        s += sum(it)
    return s


def looped_in_a_loop(n):
    it = filter(None, [1, 2, 3])
    s = 0
    for _ in gw.range(n):
        for x in it:
            s += x
    return s


def wrapped_in_the_loop(n):
    it = iter([1, 2, 3, 4])
    s = 0
    for _ in gw.range(n):
        for k, x in enumerate(it):
            s += k * x
    return s


def found_in_a_branch(n):
    it = iter([1, 2, 3])
    if n > 0:
        return 1 if 2 in it else 0
    return next(it)


def unpacked_in_a_branch(n):
    it = iter([1, 2])
    a = b = 0
    if n > 0:
        a, b = list(it)
    return a + b


ADVANCED = [
    counted,
    listed,
    in_a_test,
    paired,
    mapped_in_a_branch,
    cycled_for_ever,
    summed_in_a_loop,
    looped_in_a_loop,
    wrapped_in_the_loop,
    found_in_a_branch,
    unpacked_in_a_branch,
]


@pytest.mark.parametrize("program", ADVANCED, ids=lambda program: program.__name__)
def test_iterators_are_not_advanced_while_the_graph_is_built(program):
    program(2)
    staged = gw.function(program)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"GW503(?s:.)*test_impure\.py:\d+"):
            staged(gw.constant(2))


def fresh_in_the_body(n):
    s = 0
    for _ in gw.range(n):
        for a, b in zip([1, 2], [3, 4], strict=True):
            s += a * b
        s += sum(v * v for v in [1, 2]) + len(list(itertools.combinations([1, 2, 3], 2)))
    return s


def outside_of_loops(n):
    s = 0
    for a, b in zip(range(2), itertools.count(1), strict=False):
        s += a * b * n
    it = iter([1, 2, 3])
    first, rest = next(it), list(it)
    a, *b = (v for v in (7, 8, 9))
    return s + first + sum(rest) + a + b[1]


@pytest.mark.parametrize(
    "program", [fresh_in_the_body, outside_of_loops], ids=lambda program: program.__name__
)
def test_iterators_that_end_where_they_were_made(program):
    staged = gw.function(program)
    assert [int(staged(gw.constant(n))) for n in (0, 3, 3)] == [program(n) for n in (0, 3, 3)]


def test_an_iterator_from_outside_goes_on_with_each_call():
    def taken(n, it):
        return next(it) * n

    for make in (lambda: iter([5, 6, 7]), lambda: itertools.count(5), lambda: reversed((7, 6, 5))):
        plain, given, staged = make(), make(), gw.function(taken)
        assert [int(staged(gw.constant(2), given)) for _ in range(3)] == [taken(2, plain) for _ in range(3)]


def test_an_iterator_from_outside_in_a_loop():
    def total(n, it):
        s = 0
        for _ in gw.range(n):
            s += next(it)
        return s

    staged, given = gw.function(total), itertools.count(1)
    assert [int(staged(gw.constant(3), given)) for _ in range(2)] == [6, 15]
    with pytest.raises(StopIteration):
        staged(gw.constant(3), iter([1, 2]))


def test_a_trace_that_fails_takes_nothing_from_an_iterator():
    def both(ds, it):
        return next(ds) + next(it) + len("%d" % next(ds))

    it = iter([6, 7])
    with pytest.raises(TypeError, match="GW116"):
        gw.function(both)(iter(gw.data.Dataset.range(5)), it)
    assert list(it) == [6, 7]


@pytest.mark.parametrize("take", [list, sum, lambda it: [x for x in it], lambda it: max(it)])
def test_an_iterator_from_outside_is_not_used_up_by_a_trace(take):
    items = iter([1, 2])
    with pytest.raises(ValueError, match="GW503"):
        gw.function(lambda n: n + len(str(take(items))))(gw.constant(1))
    assert list(items) == [1, 2]


def drawn_in_a_loop(n):
    s = 0.0
    for _ in gw.range(n):
        s += random.random()
    return s


def drawn_by_numpy(n):
    s = 0.0
    for _ in gw.range(n):
        s += np.random.rand() + np.random.normal(0.0, 2.0) + np.sum(np.random.uniform(size=3))
    return s


def drawn_up_to_a_tensor(n):
    s = 0
    for i in gw.range(n):
        s += random.randint(0, i) + random.randrange(5)
    return s


GENERATOR = np.random.default_rng(3)


def drawn_from_a_generator(n):
    s = 0.0
    for _ in gw.range(n):
        s += GENERATOR.normal() + GENERATOR.integers(1, 5)
    return s


def drawn_outside_of_loops(n):
    return n * random.uniform(1.0, 2.0) + np.random.normal(size=2)[1]


def seed():
    random.seed(3)
    np.random.seed(3)
    GENERATOR.bit_generator.state = np.random.default_rng(3).bit_generator.state


DRAWN = [
    drawn_in_a_loop,
    drawn_by_numpy,
    drawn_up_to_a_tensor,
    drawn_from_a_generator,
    drawn_outside_of_loops,
]


@pytest.mark.parametrize("program", DRAWN, ids=lambda program: program.__name__)
def test_random_numbers_are_drawn_by_each_call(program):
    seed()
    wanted = [float(program(3)) for _ in range(3)]
    seed()
    staged = gw.function(program)
    n = gw.constant(3, gw.float64 if program is drawn_outside_of_loops else gw.int32)
    assert [float(staged(n)) for _ in range(3)] == pytest.approx(wanted, rel=1e-6)


def test_a_generator_that_the_function_seeds_gives_the_same_each_time():
    def f(x):
        source = np.random.default_rng(7)
        return x + source.normal(size=3) * source.integers(2, 9)

    staged = gw.function(f)
    for _ in range(2):
        assert staged(gw.constant(1.0, gw.float64)).numpy() == pytest.approx(f(1.0))


def test_a_generator_that_is_seeded_in_front_of_a_loop_is_refused():
    def f(n):
        source, s = random.Random(7), 0.0
        for _ in gw.range(n):
            s += source.random()
        return s

    with pytest.raises(ValueError, match=r"GW503(?s:.)*test_impure\.py:\d+"):
        gw.function(f)(gw.constant(3))


def test_clocks_go_on():
    @gw.function
    def now(x):
        return x * 0 + time.monotonic_ns() % 1_000_000_007

    assert len({int(now(gw.constant(1, gw.int64))) for _ in range(5)}) > 1


UNKNOWN = [
    lambda: datetime.datetime.now(),
    lambda: os.urandom(3),
    lambda: secrets.token_bytes(2),
    lambda: random.shuffle([1, 2, 3]),
    lambda: random.choice([object()]),
]


@pytest.mark.parametrize("ask", UNKNOWN)
def test_answers_that_no_graph_holds(ask):
    with pytest.raises(ValueError, match=r"GW503(?s:.)*test_impure\.py:\d+"):
        gw.function(lambda n: n + len(str(ask())))(gw.constant(1))


def test_a_file_is_written_by_each_turn(tmp_path):
    path = tmp_path / "lines"
    with path.open("w") as file:

        @gw.function
        def turns(n):
            for _ in gw.range(n):
                file.write("x")
            return n

        turns(gw.constant(2))
        turns(gw.constant(3))
    assert path.read_text() == "xxxxx"
    with path.open() as file:

        @gw.function
        def read(n):
            s = 0
            for _ in gw.range(n):
                s += len(file.readline())
            return s

        with pytest.raises(ValueError, match=r"GW503(?s:.)*test_impure\.py:\d+"):
            read(gw.constant(2))


GENERATORS = [
    "sum(tuple(i * k for k in range(3)))",
    "gw.stack(list(i * k for k in range(3)))[2]",
    "max(*(i * k for k in range(3)))",
    "sum(sorted((k for k in range(3)), reverse=True)) * i",
    "sum(i * k for k in range(3) for _ in range(2))",
    "len(','.join(str(k) for k in range(3))) * i",
    "int(2 in (k for k in range(3))) * i",
    "sum(a * b for a, b in zip((k for k in range(3)), [i, i, i]))",
    "sum(map(lambda a: a * i, (k for k in range(3))))",
    "next(i * k for k in range(2, 4))",
]


@pytest.mark.parametrize("number", range(len(GENERATORS)))
def test_generators_made_in_a_loop_are_its_own(number, tmp_path):
    body = f"\n    for i in gw.range(n):\n        s += {GENERATORS[number]}\n    return s\n"
    (tmp_path / "made.py").write_text(f"import graphwright as gw\ndef f(n):\n    s = gw.constant(0){body}")
    names = runpy.run_path(str(tmp_path / "made.py"))
    staged = gw.function(names["f"])
    for count in (0, 4, 4):
        assert int(staged(gw.constant(count))) == int(names["f"](gw.constant(count)))


def test_a_generator_over_an_iterator_from_outside_is_not():
    def taken(n, numbers):
        total = gw.constant(0)
        for _ in gw.range(n):
            total += sum(tuple(k for k in numbers))
        return total

    with pytest.raises(ValueError, match="GW503"):
        gw.function(taken)(gw.constant(2), iter([1, 2]))


def test_the_seed_is_set_when_the_graph_comes_there():
    @gw.function
    def seeded(n):
        np.random.seed(3)
        return np.random.rand() + gw.cast(n, gw.float64)

    @gw.function
    def drawn_before(n):
        found = np.random.rand(3)
        np.random.seed(2)
        return found

    for function in (seeded, drawn_before):
        np.random.seed(11)
        native = []
        for n in (0, 1, 0):
            if function is seeded:
                np.random.seed(3)
                native.append(np.random.rand() + n)
            else:
                native.append(np.random.rand(3).tolist())
                np.random.seed(2)
        np.random.seed(11)
        assert [np.asarray(function(gw.constant(n))).tolist() for n in (0, 1, 0)] == native


TEXT = io.StringIO()


def written_and_read(n):
    TEXT.write("ab")
    for _ in range(n):
        TEXT.write("c")
    TEXT.write("end")
    return TEXT.getvalue()


def written_over(n):
    for _ in range(n):
        TEXT.write("ab")
    at = TEXT.tell()
    TEXT.seek(0)
    TEXT.write("X")
    return at, TEXT.getvalue()


def own_file(n):
    own = io.StringIO()
    own.write("ab")
    own.write("c")
    return n + len(own.getvalue())


@pytest.mark.parametrize("function", [written_and_read, written_over, own_file])
def test_files_in_memory_hold_what_was_written(function):
    def text(value):
        if isinstance(value, tuple):
            return [text(part) for part in value]
        value = value.item() if isinstance(value, gw.Tensor) else value
        return value.decode() if isinstance(value, bytes) else value

    def outcome(call, n):
        TEXT.seek(0)
        TEXT.truncate()
        return text(call(n)), TEXT.getvalue()

    staged = gw.function(function)
    for n in (0, 1, 3):
        native = outcome(function, n)
        for _ in range(2):
            assert outcome(staged, gw.constant(n)) == native


def written_inside(n):
    own = io.StringIO()
    for _ in range(n):
        own.write("ab")
    return own.getvalue()


def bytes_inside(n):
    own = io.BytesIO()
    if n:
        own.write(b"ab")
    return own.getvalue()


@pytest.mark.parametrize("function", [written_inside, bytes_inside])
def test_a_file_in_memory_of_the_function_is_not_written_by_a_block(function):
    with pytest.raises(ValueError, match="GW503.*Bytes|GW503.*String") as caught:
        gw.function(function)(gw.constant(2))
    assert "own.write" in str(caught.value)

"""A generator expression that a loop runs over is part of the loop: a tensor may end it, and count its items."""

import pytest

import graphwright as gw
from three_ways import check


def ended_by_a_tensor(limit):
    total = 0
    for x in (k * k for k in [1, 2, 3, 4]):
        if x > limit:
            break
        total += x
    else:
        total += 100
    return total


def counted_by_a_tensor(n):
    total = 0
    for x in (k * k for k in range(n)):
        total += x
    return total


def kept_by_a_tensor(n):
    total = 0
    for i, x in ((i, 2 * k) for i, k in enumerate(range(n, n + 5)) if k % 2 if k > 3):
        if i == 3:
            continue
        total += x * 10 + i
    return total


def names_that_stay(n):
    k, total = 7, 0
    for k in ([k + j for j in range(2)][1] for k in range(n)):
        total += k
    return k, total


def inside_each_other(n):
    found = 0
    for row in ([i, i + n] for i in range(3)):
        for x in (x * found for x in row if x):
            found = found + x + 1
    return found


def changed_while_it_runs(n):
    by, total = 1, 0
    for x in (by * k for k in range(n)):
        total += x
        by += 1
    return total


@pytest.mark.parametrize(
    "program",
    [
        ended_by_a_tensor,
        counted_by_a_tensor,
        kept_by_a_tensor,
        inside_each_other,
        changed_while_it_runs,
    ],
)
def test_loops_over_generators(program):
    for n in (0, 1, 4, 20):
        check(program, n)


def test_its_variables_are_its_own():
    for n in (1, 4):
        check(names_that_stay, n)


def lambdas(n):
    found = []
    for f in ((lambda: k) for k in range(3)):
        found.append(f)
    return [f() + n for f in found]


def test_what_outlives_a_turn_sees_the_last_one():
    check(lambdas, 4)


def stops(_):
    raise StopIteration


def test_no_stop_iteration_leaves_it():
    def program(n):
        try:
            for x in (stops(k) for k in [n]):
                n += x
        except StopIteration:
            return -1
        return n

    converted = gw.autograph.to_graph(program)
    for call in (program, converted):
        with pytest.raises(RuntimeError, match="generator raised StopIteration"):
            call(3)


def divided(n):
    total = 0
    for x in (60 // (k - 2) for k in range(n)):
        total += x
    return total


def test_what_is_raised_in_it_leaves_the_loop():
    for n in (1, 5):
        check(divided, n)


def unbound(n):
    for k in range(0):
        pass
    for x in (k for _ in [n]):
        n += x
    return n


def deleted(n):
    by = n
    for x in (n + by for _ in [1, 2]):
        del by
    return n


def test_a_name_without_a_value_is_a_name_error_as_in_a_generator():
    for program in (unbound, deleted):
        for call in (program, gw.autograph.to_graph(program), gw.function(program)):
            with pytest.raises(NameError) as raised:
                call(3)
            assert raised.type is NameError


def squares(n):
    for i in range(n):
        yield i * i


def evens(n):
    for i in range(n):
        if i % 2 == 0:
            yield i


def listed(n):
    return [x for x in squares(n)]


def listed_elements(n):
    return [x * 2 + n for x in evens(n)]


def listed_in_a_call(n):
    return sum([x for x in squares(n)]), len([x for x in evens(n)])


def listed_pairs(n):
    return [k * x for k, x in enumerate(squares(n))]


def listed_of_python(n):
    return [x + n for x in squares(3)], [[y for y in squares(2)] for x in evens(2)]


@pytest.mark.parametrize("f", [listed, listed_elements, listed_in_a_call, listed_pairs, listed_of_python])
def test_comprehensions_over_generators(f):
    graph = gw.function(f)
    for n in (4, 0, 1, 7):
        assert whole(graph(gw.constant(n))) == whole(f(n)), n


def whole(value):
    return [whole(item) for item in value] if isinstance(value, list | tuple) else int(value)

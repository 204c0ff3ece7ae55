"""Functions that call themselves with a list that they change in place: refused at once, with the list's name."""

import pytest

import graphwright as gw


def appends(k, acc):
    if k <= 0:
        return len(acc)
    acc.append(k)
    return appends(k - 1, acc)


def appends_a_number(k, acc):
    if k <= 0:
        return len(acc)
    acc.append(1)
    return appends_a_number(k - 1, acc)


def adds_a_list(k, acc):
    if k <= 0:
        return len(acc)
    acc += [k]
    return adds_a_list(k - 1, acc)


def extends(k, acc):
    if k <= 0:
        return len(acc)
    acc.extend([k, k])
    return extends(k - 1, acc)


def appends_and_pops(k, acc):
    if k <= 0:
        return 0
    acc.append(k)
    depth = appends_and_pops(k - 1, acc)
    acc.pop()
    return depth + 1


def one(k, acc):
    if k <= 0:
        return len(acc)
    acc.append(k)
    return other(k - 1, acc)


def other(k, acc):
    if k <= 0:
        return len(acc)
    return one(k - 1, acc)


@pytest.mark.parametrize(
    "program",
    [appends, appends_a_number, adds_a_list, extends, appends_and_pops, one],
    ids=lambda program: program.__name__,
)
def test_a_list_that_grows_in_place_is_refused(program):
    @gw.function
    def start(n):
        return program(n, [])

    for _ in range(2):
        with pytest.raises(
            ValueError, match="^GW103: `acc` is changed in place by a function that calls"
        ) as e:
            start(gw.constant(3))
        assert f"{__file__}:" in str(e.value)


def test_what_python_knows_ends():
    def fill(k, acc, x):
        if k == 0:
            return x
        acc.append(k)
        return fill(k - 1, acc, x)

    @gw.function
    def start(x):
        if x > 0:
            acc = []
            return fill(9, acc, x) + len(acc)
        return x

    assert [int(start(gw.constant(n))) for n in (2, -1)] == [11, -1]


def test_the_remedy_works():
    @gw.function
    def start(n):
        acc = []
        while n > 0:
            acc.append(n)
            n -= 1
        return len(acc)

    assert [int(start(gw.constant(n))) for n in (3, 0)] == [3, 0]

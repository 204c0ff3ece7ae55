"""Lists and dicts of which the graph decides which one a name is: a change is refused, or done to the one that Python changes."""

import pytest

import graphwright as gw

LIST = [3, 1]
TABLE = {"a": 1}


def another_in_a_branch(n):
    xs = LIST
    if n > 0:
        xs = []
    xs.append(7)


def one_of_the_same_length(n):
    xs = LIST
    if n > 0:
        xs = [3, 1]
    xs[0] = 9


def another_in_one_iteration(n):
    xs = LIST
    for k in range(3):
        if n > k:
            xs = []
    xs.extend(xs)


def another_in_each_iteration(n):
    xs = LIST
    for _ in range(n):
        xs = []
    xs.append(9)


def copied_in_each_iteration(n):
    xs = LIST
    while n > 0:
        xs = list(xs)
        n -= 1
    xs.append(9)


def sliced_in_each_iteration(n):
    xs = LIST
    for _ in range(n):
        xs = xs[:]
    xs[0] = n


def a_dict_copied_in_each_iteration(n):
    table = TABLE
    for _ in range(n):
        table = dict(table)
    table["a"] = 7


def a_local_list_copied_in_each_iteration(n):
    a = [n]
    b = a
    for _ in range(n):
        b = list(b)
    b.append(9)
    return a, b


CHANGED = [
    another_in_a_branch,
    one_of_the_same_length,
    another_in_one_iteration,
    another_in_each_iteration,
    copied_in_each_iteration,
    sliced_in_each_iteration,
    a_dict_copied_in_each_iteration,
    a_local_list_copied_in_each_iteration,
]


@pytest.fixture(autouse=True)
def held():
    LIST[:] = [3, 1]
    TABLE.clear()
    TABLE["a"] = 1
    yield
    assert LIST == [3, 1]
    assert TABLE == {"a": 1}


@pytest.mark.parametrize("function", CHANGED, ids=lambda function: function.__name__)
def test_no_change_of_a_chosen_object_is_lost(function):
    staged = gw.function(function)
    for n in (-7, 2, -7):
        with pytest.raises(ValueError, match="GW122: the graph decides which of several objects"):
            staged(gw.constant(n))


@pytest.mark.parametrize("n", [-7, 2])
def test_copies_may_be_changed(n):
    def copied(n):
        xs = list(LIST)
        if n > 0:
            xs = [5, 6]
        xs.append(n)
        table = dict(TABLE)
        for _ in range(n):
            table = dict(table)
        table["a"] = n
        return xs, table

    staged = gw.function(copied)
    xs, table = copied(n)
    for _ in range(2):
        found, other = staged(gw.constant(n))
        assert [int(x) for x in found] == xs
        assert {key: int(value) for key, value in other.items()} == table


@pytest.mark.parametrize("n", [-7, 2])
def test_chosen_objects_may_be_read(n):
    def read(n):
        xs = LIST
        for k in range(3):
            if n > k:
                xs = [n, 8]
        return xs[0] + xs[1], len(xs)

    staged = gw.function(read)
    for _ in range(2):
        assert tuple(int(x) for x in staged(gw.constant(n))) == read(n)


def test_more_objects_than_are_followed_are_refused():
    def chosen(n, m):
        xs = ys = [1, 2, n]
        for _ in range(3):
            if n != m:
                break
            for _ in range(1000):
                if n > 3 or n == m:
                    break
                ys = [4]
        if n > m:
            xs = ys
        return xs

    with pytest.raises(ValueError, match=r"GW122: (.|\n)*too many of them(.|\n)*test_chosen_objects\.py"):
        gw.function(chosen)(gw.constant(-2), gw.constant(3))

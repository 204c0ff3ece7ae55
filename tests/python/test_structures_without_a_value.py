"""Names of lists, tuples and dicts that some paths leave without a value."""

import pytest

import graphwright as gw


def a_list(n):
    if n > 3:
        x = [1, 2]
    return len(x)


def a_tuple(n):
    if n > 3:
        x = (1, n)
    return x[1]


def a_dict(n):
    if n > 3:
        x = {"a": n}
    return x["a"]


def is_it_none(n):
    if n > 3:
        x = [1, 2]
    return x is None


def another_name(n):
    if n > 3:
        x = [1, 2]
    y = x
    return 5


def caught(n):
    if n > 3:
        x = (1, 2)
    try:
        y = x
    except NameError:
        return -1
    return 5


def of_a_loop(n):
    for i in range(n):
        x = [i, i]
    return len(x)


def nested(n):
    for i in range(n):
        x = (i, [i])
    return len(x[1])


def deleted(n):
    x = [1]
    if n > 3:
        del x
    return len(x)


def grown(n):
    if n > 3:
        x = [n]
        x.append(3)
    return len(x)


def grown_in_a_loop(n):
    for i in range(n):
        x = [i]
        x.append(i)
    return len(x)


def outcome(function, n):
    try:
        found = function(n)
    except NameError as error:
        return str(error)
    return plain(found)


def plain(value):
    if isinstance(value, gw.Tensor):
        return value.numpy().tolist()
    if isinstance(value, (list, tuple)):
        return type(value)(plain(part) for part in value)
    if isinstance(value, dict):
        return {plain(key): plain(part) for key, part in value.items()}
    return {plain(part) for part in value} if isinstance(value, set) else value


NAMED = [
    a_list,
    a_tuple,
    a_dict,
    is_it_none,
    another_name,
    caught,
    of_a_loop,
    nested,
    deleted,
    grown,
    grown_in_a_loop,
]


@pytest.mark.parametrize("function", NAMED, ids=lambda function: function.__name__)
def test_reading_raises_as_in_python(function):
    staged = gw.function(function)
    for n in (0, 5, 0):
        assert outcome(staged, gw.constant(n)).__str__().removeprefix("GW105: ") == str(outcome(function, n))


def empty_list(n):
    if n > 3:
        x = []
    return len(x)


def empty_tuple(n):
    if n > 3:
        x = ()
    return len(x)


def empty_in_a_loop(n):
    for _ in range(n):
        x = {}
    return len(x)


@pytest.mark.parametrize("function", [empty_list, empty_tuple, empty_in_a_loop])
def test_without_parts_the_name_cannot_be_read(function):
    for n in (0, 5):
        with pytest.raises(ValueError, match="GW10[34]"):
            gw.function(function)(gw.constant(n))


def test_a_name_without_parts_that_nobody_reads():
    @gw.function
    def function(n):
        if n > 3:
            x = []
            x.append(n)
        return n + 1

    assert [function(gw.constant(n)).item() for n in (0, 5)] == [1, 6]


def at_once(n):
    found = []
    for i in range(5):
        found.append(i)
        if n == i:
            return found


def at_last(n):
    found = []
    for i in range(5):
        found.append(i)
        if n == i:
            return found
    return found


def of_two(n):
    found = [0]
    for i in range(5):
        found.append(i)
        if n == i:
            return found
    return []


def of_pairs(n):
    found = []
    for i in range(5):
        found.append((i, i * 2))
        if n == i:
            return found
    return found


def pair(n):
    for i in range(5):
        if n == i:
            return [i, i + 1]
    return [0]


def table(n):
    found = {}
    for i in range(4):
        found[i] = i * i
        if n == i:
            return found


def inner(n):
    for i in range(3):
        found = []
        for j in range(3):
            found.append(j)
            if i * 3 + j == n:
                return found


def either(n):
    up, down = [], []
    for i in range(5):
        up.append(i)
        down.append(-i)
        if n == i:
            return up
        if n + 1 == -i:
            return down


def nothing_or_empty(n):
    if n > 3:
        return ()


RETURNED = [at_once, at_last, of_two, of_pairs, pair, table, inner, either, nothing_or_empty]


@pytest.mark.parametrize("function", RETURNED, ids=lambda function: function.__name__)
def test_what_a_loop_returns(function):
    staged = gw.function(function)
    for n in (0, 1, 3, 4, 7, -1, -3):
        for _ in range(2):
            assert plain(staged(gw.constant(n))) == function(n)


def repeated(n):
    for i in range(5):
        if n == i:
            return [i] * i


def test_lists_of_no_elements_and_of_some_do_not_meet():
    with pytest.raises(ValueError, match="GW103"):
        gw.function(repeated)(gw.constant(7))

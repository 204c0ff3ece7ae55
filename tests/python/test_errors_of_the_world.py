"""Messages about what stands around a function, and exceptions that hold values of the graph."""

import traceback

import pytest

import graphwright as gw

COUNTS = {1: 2}
LEVEL = 5


class Wrong(Exception):
    def __init__(self, n, text="wrong"):
        super().__init__(text)
        self.n = n


def test_a_dict_from_outside_is_called_a_dict():
    @gw.function
    def function(n):
        COUNTS[n] = 1
        return 0

    with pytest.raises(ValueError, match="GW130: this changes a dict from outside") as caught:
        function(gw.constant(7))
    assert "COUNTS[n] = 1" in str(caught.value)
    assert COUNTS == {1: 2}


def level():
    return LEVEL


def taken_away(n):
    global LEVEL
    if n > 1:
        del LEVEL
    try:
        return level()
    except NameError:
        return -1


def taken_away_inside(n):
    global LEVEL
    try:
        if n > 1:
            del LEVEL
        found = level()
    except NameError:
        found = -7
    return found


@pytest.mark.parametrize("function", [taken_away, taken_away_inside])
def test_a_function_that_reads_a_global_that_may_be_gone_is_refused(function):
    with pytest.raises(
        ValueError, match="GW103: `LEVEL` has a value on some paths only, and `level`"
    ) as caught:
        gw.function(function)(gw.constant(3))
    assert "level()" in str(caught.value)
    assert LEVEL == 5


def reads_behind_it(n, text):
    global LEVEL
    LEVEL = n
    return level() + len(text)


def test_the_remedy_for_such_a_global_works():
    global LEVEL
    staged = gw.function(reads_behind_it)
    assert staged(gw.constant(3), "ab").item() == 5
    LEVEL = 5


def with_an_attribute(n):
    raise Wrong(n * 2)


def with_arguments(n):
    raise ValueError(n * 2, "x", [n])


def with_a_cause(n):
    try:
        raise Wrong(n * 2)
    except Wrong as error:
        raise Wrong(n + 1, "again") from error


@pytest.mark.parametrize("function", [with_an_attribute, with_arguments, with_a_cause])
def test_an_exception_that_is_always_raised_holds_values(function):
    def held(call, n):
        with pytest.raises((Wrong, ValueError)) as caught:
            call(n)
        error, found = caught.value, []
        while error is not None:
            parts = [*error.args, *error.__dict__.values()]
            parts = [part for part in parts if not isinstance(part, list)] + [
                x for x in parts if isinstance(x, list)
            ]
            found.append(
                [x.item() if isinstance(x, gw.Tensor) else x for x in parts if not isinstance(x, list)]
            )
            found += [
                [x.item() if isinstance(x, gw.Tensor) else x for x in part]
                for part in parts
                if isinstance(part, list)
            ]
            error = error.__cause__
        lines = [entry.lineno for entry in traceback.extract_tb(caught.tb) if entry.name == function.__name__]
        return found, lines[-1:]

    staged = gw.function(function)
    for n in (3, 5):
        for _ in range(2):
            assert held(staged, gw.constant(n)) == held(function, n)


def numbers(n):
    yield n


def unbound_on_one_path(a, b, x):
    global LEVEL
    if x > 0.5:
        for k in numbers(a):
            pass
        else:
            return (1, 0.5, 5)
    else:
        LEVEL = b
    return (k, 1, 2)


def test_an_unbound_name_is_told_at_its_line_whatever_is_returned():
    staged = gw.function(unbound_on_one_path)
    line = unbound_on_one_path.__code__.co_firstlineno + 9
    for _ in range(2):
        assert [part.item() for part in staged(gw.constant(4), gw.constant(3), gw.constant(1.0))] == [
            1,
            0.5,
            5,
        ]
        with pytest.raises(UnboundLocalError, match="'k'") as caught:
            staged(gw.constant(4), gw.constant(3), gw.constant(-2.25))
        assert traceback.extract_tb(caught.tb)[-1].lineno == line

"""`is` between names that may be `None`, and between numbers that a graph has staged."""

import pytest

import graphwright as gw


def two_names_of_none(n):
    a = b = None
    if n > 2:
        a = 1
    return a is b, a is not b


def none_on_the_left(n):
    a = None
    if n > 2:
        a = 1
    return None is a, None is not a


def a_name_and_its_copy(n):
    a = None
    if n > 2:
        a = 1
    b = a
    return a is b, a == b


def in_a_test(n):
    a = b = None
    if n > 2:
        a = 1
    if a is b:
        return 1, 0
    return 2, 0


def in_a_loop(n):
    best = first = None
    for i in range(n):
        if best is first:
            best = i + 7
    return best is first, best is None


def equal_or_not(n):
    a = b = None
    if n > 2:
        a = 1
    if n > 4:
        b = 1
    return a == b, a != b


def a_bool_or_none(n):
    a = None
    if n > 2:
        a = True
    return a is True, a is False


def another_kind(n):
    a = None
    if n > 2:
        a = 1
    return a is "x", a is ()  # noqa: F632


PROGRAMS = [
    two_names_of_none,
    none_on_the_left,
    a_name_and_its_copy,
    in_a_test,
    in_a_loop,
    equal_or_not,
    a_bool_or_none,
    another_kind,
]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_identity_is_pythons(program):
    staged = gw.function(program)
    for n in (0, 3, 5, 0):
        assert tuple(int(answer) for answer in staged(gw.constant(n))) == program(n)


def two_that_may_be_numbers(n):
    a = b = None
    if n > 2:
        a = 1
    if n > 4:
        b = 1
    return a is b


def a_number_of_pythons(n):
    a, b = None, 5
    if n > 2:
        a = 5
    return a is b


def two_numbers(n):
    a, b = 1, 5
    if n > 2:
        a = 5
    return a is not b


@pytest.mark.parametrize(
    "program", [two_that_may_be_numbers, a_number_of_pythons, two_numbers], ids=lambda p: p.__name__
)
def test_whether_two_numbers_are_one_object_is_refused(program):
    with pytest.raises(ValueError, match="^GW103: `is` asks whether two numbers are one object") as caught:
        gw.function(program)(gw.constant(3))
    message = str(caught.value)
    assert f"{__file__}:" in message and "`==`" in message


def test_the_remedy_works():
    @gw.function
    def f(n):
        a, b = None, 5
        if n > 2:
            a = 5
        return a == b

    assert [bool(f(gw.constant(n))) for n in (0, 3)] == [False, True]

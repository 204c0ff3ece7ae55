"""`int` and `float` of a text of the graph are those of Python, with its errors."""

import pytest

import graphwright as gw


def whole(text):
    return int(text)


def hexadecimal(text):
    return int(text, 16)


def fraction(text):
    return float(text) * 2


def or_else(text):
    try:
        return int(text)
    except ValueError:
        return -7


def float_or_else(text):
    try:
        return float(text)
    except ValueError:
        return -1.0
    except TypeError:
        return -2.0


def of_any_base(text, base):
    return int(text, base)


def spread(text):
    given = (text,)
    return int(*given)


TEXTS = ["3", "3.5", "x", "", " 12 ", "1_000", "nan", "-0", "ff", "٣", "7000000000000000"]


def outcome(function, *arguments):
    try:
        found = function(*arguments)
    except ValueError as error:
        return str(error)
    return repr(found.item() if isinstance(found, gw.Tensor) else found)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("function", [whole, hexadecimal, fraction, or_else, float_or_else, spread])
def test_numbers_are_read(function, text):
    staged = gw.function(function)
    for _ in range(2):
        assert outcome(staged, gw.constant(text)) == outcome(function, text)


def test_the_base_may_be_a_tensor():
    staged = gw.function(of_any_base)
    assert staged(gw.constant("zz"), gw.constant(36)).item() == 1295
    with pytest.raises(ValueError, match=r"invalid literal for int\(\) with base 2: 'zz'"):
        staged(gw.constant("zz"), gw.constant(2))


def test_integers_of_more_than_64_bits_do_not_wrap():
    with pytest.raises(OverflowError, match="too large for 64 bits"):
        gw.function(whole)(gw.constant("99999999999999999999"))

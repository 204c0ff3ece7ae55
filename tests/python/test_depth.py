"""Many conditions of tensors in each other: long chains are graphs, longer ones are refused, and none ends the process."""

import linecache
import re

import pytest

import graphwright as gw

made = iter(range(1_000_000))


def compiled(text):
    """The function `f` of a text, which is kept where tracebacks look for it."""
    name = f"<chain {next(made)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def elifs(count):
    links = "".join(f"    elif n == {i}:\n        y = {i * i}\n" for i in range(1, count))
    return f"def f(n):\n    if n == 0:\n        y = 0\n{links}    else:\n        y = -1\n    return y\n"


def returns(count):
    links = "".join(f"    if n == {i}:\n        return {i * i}\n" for i in range(count))
    return f"def f(n):\n{links}    return -1\n"


def conditional(count):
    chain = " else ".join(f"{i * i} if n == {i}" for i in range(count))
    return f"def f(n):\n    return {chain} else -1\n"


def nested(count):
    chain = "-1"
    for i in range(count):
        chain = f"{i * i} if n == {i} else ({chain})"
    return f"def f(n):\n    return {chain}\n"


def cases(count):
    links = "".join(f"        case {i}:\n            return {i * i}\n" for i in range(count))
    return f"def f(n):\n    match n:\n{links}        case _:\n            return -1\n"


def ands(count):
    return "def f(n):\n    return 1 if " + " and ".join(f"n != {i}" for i in range(count)) + " else 2\n"


@pytest.mark.parametrize("chain", [elifs, returns, conditional, nested, cases, ands])
def test_a_hundred_and_one_conditions(chain):
    function = compiled(chain(101))
    staged = gw.function(function)
    for n in (0, 1, 50, 100, 101, -1):
        assert staged(gw.constant(n)).item() == function(n)


@pytest.mark.parametrize("chain", [elifs, returns, conditional, cases])
@pytest.mark.parametrize("count", [320, 690, 1500])
def test_longer_chains_give_the_answer_or_are_refused(chain, count):
    function = compiled(chain(count))
    staged = gw.function(function)
    try:
        assert staged(gw.constant(50)).item() == function(50)
    except gw.errors.ConversionError as refused:
        assert re.search(r"(?s)GW004.*<chain ", str(refused))  # noqa: PT017 - either will do


def test_a_function_that_calls_itself_is_told_from_a_chain():
    @gw.function
    def digits(n, found=()):
        if n == 0:
            return found
        return digits(n // 10, (*found, n % 10))

    with pytest.raises(RecursionError, match="GW117: a function calls itself"):
        digits(gw.constant(123))

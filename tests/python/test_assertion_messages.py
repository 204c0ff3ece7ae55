"""The message of an assertion is made where the assertion fails, and nowhere else."""

import random

import pytest

import assertion_programs as programs
import graphwright as gw


def outcome(function, n):
    try:
        result = function(n)
    except Exception as error:
        return type(error).__name__, str(error)
    return result.item() if isinstance(result, gw.Tensor) else result


@pytest.mark.parametrize(
    "function",
    [
        programs.item,
        programs.power,
        programs.quotient,
        programs.text_of_quotient,
        programs.in_loop,
        programs.caught,
        programs.number_of_text,
        programs.missing,
        programs.of_helper,
        programs.never,
    ],
)
def test_a_message_is_made_where_its_assertion_fails(function):
    graph = gw.function(function)
    for n in (1, 2, 0, 5, 7):
        native = outcome(function, n)
        for _ in range(2):
            assert outcome(graph, gw.constant(n)) == native


def test_a_message_draws_numbers_only_where_its_assertion_fails():
    graph = gw.function(programs.drawn)
    for seed in range(12):
        said = []
        for call, n in ((programs.drawn, 1), (graph, gw.constant(1)), (graph, gw.constant(1))):
            random.seed(seed)
            said.append((outcome(call, n), random.random()))
        assert said[1] == said[2] == said[0]


def test_a_message_prints_only_where_its_assertion_fails(capfd):
    graph = gw.function(programs.prints)
    for n in (1, 7, 2):
        outcome(programs.prints, n)
        native = capfd.readouterr()
        outcome(graph, gw.constant(n))
        assert capfd.readouterr() == native


@pytest.mark.parametrize("name", ["pair", "listed", "number", "nothing"])
def test_a_message_that_is_no_text_is_the_argument_itself(name):
    function = getattr(programs, name)
    graph = gw.function(function)
    assert graph(gw.constant(1)).item() == function(1)
    for call, n in ((function, 0), (graph, gw.constant(0))):
        with pytest.raises(AssertionError) as caught:
            call(n)
        assert (
            caught.value.args
            == {
                "pair": (("zero", 0),),
                "listed": (["zero", 0],),
                "number": (5,),
                "nothing": (None,),
            }[name]
        )

"""`host_code="run"`: answers of another type than was observed, with which plain Python goes on."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

do_not_convert = gw.autograph.experimental.do_not_convert

ANSWERS = {
    "a float for an integer": (1, 2.5),
    "an integer for a float": (2.5, 1),
    "a bool for an integer": (1, True),
    "nothing for an integer": (1, None),
    "an integer for nothing": (None, 1),
    "a list for a tuple": ((1, 2), [1, 2]),
    "three for two": ((1, 2), (1, 2, 3)),
    "a text for an integer": (1, "x"),
    "an array for a number": (1, np.arange(2)),
    "a NumPy number for a number": (1.5, np.float64(1.5)),
}


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("turn", [0, 2, 4])
def test_an_answer_of_another_type_goes_on_in_plain_python(answers, turn, capsys):
    log, usual, other = [], *answers

    @do_not_convert
    def ask(k):
        log.append(int(k))
        return other if k == 2 else usual

    def program(x, n, begin):
        for k in range(n):
            print("turn", k, x)
            answer = ask(begin + k)
            print(type(answer) is type(usual), type(answer).__name__)
            x = x + k
        return x

    def outcome(function, given):
        log.clear()
        found = int(function(given(1), given(5), given(begin)))
        return found, list(log), capsys.readouterr().out

    run = gw.function(program, host_code="run")
    for begin in (10, 10, 10, 2 - turn, 2 - turn, 10):
        assert outcome(run, gw.constant) == outcome(program, int)
    assert run.experimental_get_tracing_count() <= 1


TOLD, SEEN = [], []


@do_not_convert
def halved_from_three_on(x):
    TOLD.append(("halved", x.item()))
    SEEN.append(type(doubled(x)))
    return x.item() if x.item() < 3 else x.item() / 2


@do_not_convert
def told(x):
    TOLD.append(("told", x.item()))
    return 1


@gw.function
def doubled(x):
    return x * 2


@gw.function(host_code="run")
def doubled_and_told(x):
    return x * 2 + told(x)


@gw.function(host_code="run")
def of_parts(x):
    t = doubled_and_told(x)
    return halved_from_three_on(x) + t


def test_functions_with_graphs_of_their_own_are_parts_of_the_graph():
    for x, wanted in ((1, 4), (2, 7), (2, 7), (5, 13.5), (7, 18.5)):
        TOLD.clear()
        assert of_parts(gw.constant(x)).item() == wanted
        assert TOLD == [("told", x), ("halved", x)]
    assert of_parts.experimental_get_tracing_count() == 1
    assert set(SEEN) == {gw.Tensor}
    assert doubled_and_told(gw.constant(2)).item() == 5


def test_an_answer_behind_a_variable_has_to_be_of_the_observed_type():
    steps, answers = gw.Variable(0), [1, 2, 2.5]

    @do_not_convert
    def ask():
        return answers.pop(0)

    @gw.function(host_code="run")
    def asked(x):
        steps.assign_add(1)
        return ask() + x

    assert [asked(gw.constant(1)).item() for _ in range(2)] == [2, 3]
    if asked.experimental_get_tracing_count():
        with pytest.raises(TypeError, match="gives a Python `float` where it promises"):
            asked(gw.constant(1))


@do_not_convert
def noted(x):
    TOLD.append(x.item())
    return 1


@pytest.mark.parametrize("calls", [(3, 3, 1, 1), (1, 1, 3, 4, 1), (4, 3, 4, 3)])
def test_what_every_path_raises_comes_behind_host_code(calls):
    def raising(x):
        a = None
        if x != 3:
            noted(x)
            if a >= 1:
                return x
        else:
            a += noted(-x)
        return x

    def outcomes(function):
        TOLD.clear()
        found = []
        for x in calls:
            with pytest.raises(TypeError) as raised:
                function(gw.constant(x, gw.float64))
            found.append(str(raised.value))
        return found, list(TOLD)

    assert outcomes(gw.function(raising, host_code="run")) == outcomes(raising)

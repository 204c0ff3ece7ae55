"""What a `finally` drops that jumps is dropped as in Python, or refused; a diagnostic is never dropped."""

import pytest

import finally_programs as programs
import graphwright as gw
import jumping_finallies
from three_ways import check

ALL = [value for name, value in vars(programs).items() if name.startswith("jumps_")]


@pytest.mark.parametrize("function", ALL)
def test_a_finally_that_jumps_drops_what_python_drops(function):
    graph = gw.function(function)
    for arguments in ((0, 3), (1, 3), (0, 2), (1, 2), (7, 0)):
        try:
            native = function(*arguments)
        except AssertionError as error:
            native = str(error)
        for _ in range(2):
            try:
                staged = graph(*map(gw.constant, arguments)).item()
            except Exception as error:
                staged = str(error)
            assert staged == native or str(staged).startswith("GW")


def test_a_refusal_in_a_body_is_not_hidden_by_what_its_finally_reads():
    def plain(a):
        try:
            found = sorted([(a, "x"), (2, "y")])
        finally:
            after = found  # noqa: F841
        return a

    def behind_a_handler(a):
        if a > 0:
            try:
                found = sorted([(a, "x"), (2, "y")])
            except ZeroDivisionError:
                raise
            finally:
                after = found  # noqa: F841
        return a

    for function in (plain, behind_a_handler):
        with pytest.raises(TypeError, match=r"GW120(?s:.)*found = sorted\("):
            gw.function(function)(gw.constant(1))


@pytest.mark.parametrize("seed", range(40))
def test_random_finallies_that_jump(seed):
    function = jumping_finallies.program(seed)
    for n in jumping_finallies.NUMBERS:
        check(function, n)

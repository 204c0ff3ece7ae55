"""What a `finally` drops that jumps is dropped as in Python, or refused; a diagnostic is never dropped."""

import pytest

import finally_programs as programs
import graphwright as gw

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

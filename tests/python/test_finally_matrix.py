"""Statements between a jump in a `try` and a `finally` that may jump too, as a product of programs.

Each runs natively against staged. An error of ours with a line is allowed, another answer is not.
"""

import itertools
import linecache
import textwrap

import pytest

import graphwright as gw

LOOPS = {
    "no loop": "",
    "const": "for i in range(3):",
    "staged": "for i in range(n):",
    "while": "while i < n:",
}
JUMPS = {
    "return": "if n > 2: return x + 5",
    "break": "if n > 2: break",
    "continue": "if i < 2: continue",
    "raise": "raise ValueError",
    "raise if": "if n > 2: raise ValueError",
}
AROUND = {
    "finally": "try:\n    {jump}\n    x += 1\nfinally:\n    x += 10\n    {last}",
    "nested": (
        "try:\n    try:\n        {jump}\n        x += 1\n    finally:\n        x += 100\n    x += 2\n"
        "finally:\n    x += 10\n    {last}"
    ),
    "with": (
        "try:\n    with Manager():\n        {jump}\n        x += 1\n    x += 2\nfinally:\n    x += 10\n    {last}"
    ),
    "handler": (
        "try:\n    {jump}\n    x += 1\nexcept KeyError:\n    x += 3\nfinally:\n    x += 10\n    {last}"
    ),
}
LAST = {
    "pass": "pass",
    "return": "return x",
    "break": "break",
    "continue": "continue",
    "return if": "if n > 1: return x",
}


class Manager:
    """Holds nothing back."""

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return False


def programs():
    for loop, jump, around, last in itertools.product(LOOPS, JUMPS, AROUND, LAST):
        in_loop = {jump, last} & {"break", "continue"}
        endless = loop == "while" and "continue" in in_loop
        if (loop == "no loop" and in_loop) or endless:
            continue
        yield pytest.param(loop, jump, around, last, id=f"{loop}-{jump}-{around}-{last}")


def text_of(loop, jump, around, last):
    body = AROUND[around].format(jump=JUMPS[jump], last=LAST[last])
    if loop == "while":
        body = "i += 1\n" + body
    if loop != "no loop":
        body = LOOPS[loop] + "\n" + textwrap.indent(body, "    ")
    return "def program(n):\n    x = 1\n    i = 0\n" + textwrap.indent(body, "    ") + "\n    return -x\n"


def made(text, name):
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"Manager": Manager}
    exec(compile(text, name, "exec"), space)
    return space["program"]


def outcome(program, argument):
    try:
        return int(program(argument))
    except Exception as error:
        if str(error).startswith("GW"):
            return "refused" if "<matrix" in str(error) else "refused without a line"
        return next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")


@pytest.mark.parametrize(("loop", "jump", "around", "last"), programs())
def test_native_and_staged_agree(loop, jump, around, last):
    text = text_of(loop, jump, around, last)
    name = f"<matrix {loop} {jump} {around} {last}>"
    program = made(text, name)
    staged = gw.function(program)
    converted = gw.autograph.to_graph(program)
    for n in (0, 2, 3, 0, 3):
        wanted = outcome(program, n)
        assert outcome(converted, n) == wanted, text
        found = outcome(staged, gw.constant(n))
        assert found in (wanted, "refused"), f"n = {n}: {wanted}, {found}\n{text}"


def test_most_programs_are_staged():
    answers = []
    for param in programs():
        program = gw.function(made(text_of(*param.values), f"<matrix of all {param.id}>"))
        answers.append(outcome(program, gw.constant(2)))
    refused = answers.count("refused")
    assert refused * 3 < len(answers), f"{refused} of {len(answers)} are refused"

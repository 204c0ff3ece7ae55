"""Functions that call each other with their arguments in another order each time: each order is a function of the graph."""

from __future__ import annotations

import linecache
import random

import pytest

import graphwright as gw

ARGUMENTS = (0, 1, 2, 4, 6)


def hanoi(n, source, target, spare):
    if n == 0:
        return 0
    return hanoi(n - 1, source, spare, target) + 1 + hanoi(n - 1, spare, target, source)


def four_pegs(n, a, b, c, d):
    if n <= 0:
        return 0
    if n == 1:
        return 1
    return four_pegs(n - 2, a, c, d, b) + 3 + four_pegs(n - 2, c, b, a, d)


@pytest.mark.parametrize("count", [hanoi, four_pegs])
def test_moves_of_a_tower(count):
    pegs = "ABCD"[: count.__code__.co_argcount - 1]
    staged = gw.function(lambda n: count(n, *pegs))
    for n in range(7):
        assert int(staged(gw.constant(n))) == count(n, *pegs)


def program(choose: random.Random) -> str:
    """Functions that call each other with permuted arguments; `main(n)` calls the first."""
    count, names = choose.randint(1, 4), ["a", "b", "c", "d"][: choose.randint(1, 4)]
    is_text = choose.random() < 0.3

    def call(step: int) -> str:
        order = choose.sample(names, len(names))
        return f"f{choose.randrange(count)}({', '.join([f'n - {step}', *order])})"

    def term() -> str:
        if is_text:
            return choose.choice(["1", "n", f"(2 if {names[0]} == 'A' else 3)"])
        return choose.choice(["1", "n", names[0], f"{names[0]} * {names[-1]}"])

    lines = []
    for at in range(count):
        lines += [f"def f{at}({', '.join(['n', *names])}):", f"    if n <= {choose.choice([0, 1])}:"]
        lines += [f"        return {choose.randint(0, 3)}"]
        if choose.random() < 0.3:
            lines += [f"    if n % 2 == {choose.randint(0, 1)}:", f"        return {call(1)} + {term()}"]
        calls = [call(choose.choice([1, 1, 2])) for _ in range(choose.randint(1, 3))]
        lines += [f"    return {' + '.join([*calls, term()])}"]
    given = [repr(choose.choice("ABC")) if is_text else str(choose.randint(1, 3)) for _ in names]
    return "\n".join([*lines, "def main(n):", f"    return f0({', '.join(['n', *given])})", ""])


@pytest.mark.parametrize("seed", range(12))
def test_random_functions_that_call_each_other(seed):
    text, name, space = program(random.Random(seed)), f"<mutual recursion {seed}>", {}
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)
    staged = gw.function(space["main"])
    for n in ARGUMENTS:
        assert int(staged(gw.constant(n))) == space["main"](n), text

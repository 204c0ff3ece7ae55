"""Numbers that loops carry, at the ends of their type: what the engine infers of them is true of every turn.

A product of first values, steps and uses, native beside staged.
"""

from __future__ import annotations

import itertools

import pytest

import graphwright as gw
from array_programs import function_of
from three_ways import agree, plain

FIRST = [0, 1, 7, -1, 2**31, 2**58, 2**58 + 9, 2**62, 2**63 - 9, -(2**58) - 9, -(2**63) + 9]
STEPS = ["x = 0", "x = -3", "x -= x", "x = 8 if k % 2 else x", "x = x + 1 if k % 2 else 2", "x = k", "x -= 1"]
USES = ["1 // x", "7 % x", "x == 0", "x < 0", "(x > 5, x > -5)", "abs(x)"]


def outcome(call, *args):
    try:
        return plain(call(*args))
    except (ZeroDivisionError, OverflowError) as error:
        return type(error).__name__


@pytest.mark.parametrize("step", STEPS)
def test_what_a_loop_carries_is_what_python_carries(step):
    for first, use in itertools.product(FIRST, USES):
        text = f"def f(n):\n    x = {first}\n    k = 0\n    seen = 0\n    while k < n:\n        k += 1\n        {step}\n"
        text += f"        if x > 2**60:\n            seen += 1\n    return seen, {use}\n"
        f, _ = function_of(text, f"{first}, {step}, {use}")
        staged = gw.function(f)
        for n in (0, 1, 2, 5):
            native, ours = outcome(f, n), outcome(staged, gw.constant(n, gw.int64))
            assert ours == "OverflowError" or ours == native or agree(ours, native), (text, n, ours, native)

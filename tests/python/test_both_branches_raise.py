"""Where each branch raises, the exception is that of the branch that is taken, whoever raises it, and handlers catch that one."""

from __future__ import annotations

import itertools
import linecache

import numpy as np
import pytest

import graphwright as gw

ERRORS = {
    "raise": "raise OSError('a')",
    "key": "y = {0: 5}[2]",
    "index": "y = xs[2]",
    "zero": "y = 1 // 0",
    "attribute": "y = xs.no",
    "type": "y = 1 + 'a'",
    "name": "y = nope",
    "assert": "assert False, 'm'",
    "tensor": "y = 5 // (n - n)",
    "helper": "boom()",
    "value": "y = int('x')",
    "none": "y = 1",
}
SHAPES = [
    "if n > 0:\n        {a}\n    else:\n        {b}\n    return n",
    "if n > 0:\n        {a}\n    {b}\n    return n",
    "try:\n        if n > 0:\n            {a}\n        else:\n            {b}\n"
    "    except (KeyError, ZeroDivisionError):\n        return -1\n    return n",
    "if n > 0:\n        if n > 1:\n            {a}\n        else:\n            {b}\n    else:\n        {b}\n    return n",
    "for i in gw.range(2):\n        if n > i:\n            {a}\n        else:\n            {b}\n    return n",
    "while n > 0:\n        {a}\n    {b}\n    return n",
]


def function_of(name, body):
    source = f"xs = [1]\ndef boom(): raise LookupError('u')\ndef f(n):\n    {body}\n"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"gw": gw}
    exec(compile(source, name, "exec"), space)
    return space["f"]


def outcome(call, n):
    try:
        found = call(n)
        return found.item() if isinstance(found, gw.Tensor) else found
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


@pytest.mark.parametrize("first", ERRORS)
@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_the_branch_that_is_taken_raises(shape, first):
    if SHAPES[shape].startswith("while") and first == "none":
        return
    for second in ERRORS:
        body = SHAPES[shape].format(a=ERRORS[first], b=ERRORS[second])
        plain = function_of(f"<both raise {shape} {first} {second}>", body)
        staged = gw.function(plain)
        for n in (2, 1, 0, 2):
            found = outcome(staged, gw.constant(n, gw.int64))
            assert ": GW" in str(found) or found == outcome(plain, n), body


@pytest.mark.parametrize("first, second", list(itertools.permutations(["key", "index", "zero", "value"], 2)))
def test_none_of_these_is_refused(first, second):
    body = SHAPES[0].format(a=ERRORS[first], b=ERRORS[second])
    plain = function_of(f"<raises {first} {second}>", body)
    staged = gw.function(plain)
    for n in (1, 0):
        assert outcome(staged, gw.constant(n, gw.int64)) == outcome(plain, n)


class Box:
    value = 0.0


BOX, VARIABLE = Box(), gw.Variable(0.0)


def counted_in_an_array(a, turns):
    if a[0] < 9:
        for i in range(turns):
            if a[0] < 3:
                a[2] += 1
                if i == turns - 1:
                    raise OSError("less")
            else:
                a[1] += 1
                if i == turns - 1:
                    raise KeyError("more")
    return a


def counted_in_a_variable(a, turns):
    if a[0] < 9:
        for i in range(turns):
            if a[0] < 3:
                VARIABLE.assign_add(1.0)
                if i == turns - 1:
                    raise OSError("less")
            else:
                VARIABLE.assign_add(2.0)
                if i == turns - 1:
                    raise KeyError("more")
    return a


def counted_in_an_object(a, turns):
    if a[0] < 9:
        for i in range(turns):
            if a[0] < 3:
                BOX.value += 1
                if i == turns - 1:
                    raise OSError("less")
            else:
                BOX.value += 2
                if i == turns - 1:
                    raise KeyError("more")
    return a


@pytest.mark.parametrize("turns", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("counted", [counted_in_an_array, counted_in_a_variable, counted_in_an_object])
def test_the_last_turn_of_an_unrolled_loop_raises_on_both_branches(counted, turns):
    staged = gw.function(counted, roll=False)
    for first in (1.0, 5.0, 10.0):
        seen = []
        for call in (counted, staged):
            BOX.value = 0.0
            VARIABLE.assign(0.0)
            array = np.array([first, 0.0, 0.0])
            raised = outcome(lambda n, call=call, array=array: call(array, n) is None, turns)
            seen.append((raised, array.tolist(), VARIABLE.numpy(), float(BOX.value)))
        assert seen[0] == seen[1]

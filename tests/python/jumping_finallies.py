"""Random programs with `try`, handlers and `finally` that jump on some paths."""

from __future__ import annotations

import linecache
import random

NUMBERS = (0, 1, 2, 3, 4, 7)


def program(seed):
    """A function of one number, with its text where tracebacks look for it."""
    make = random.Random(seed)
    body = ["t = 1", *(line for _ in range(3) for line in statement(make, 3, False)), "return t"]
    text = "def f(n):\n" + "".join(f"    {line}\n" for line in body)
    file = f"/jumping/finally{seed}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names["f"]


def statement(make, depth, in_loop):
    """The lines of a statement, which holds others down to a depth."""
    kinds = SIMPLE if depth == 0 else (*SIMPLE, *COMPOUND)
    return make.choice(kinds)(make, depth, in_loop)


def change(make, _depth, _in_loop):
    """A statement that always ends."""
    test = f"n {make.choice(['>', '<', '=='])} {make.randrange(5)}"
    twice = f"if {test}: t = t * 2 + {make.randrange(5)}"
    return [make.choice([f"t += {make.randrange(1, 9)} * n", twice])]


def division(make, _depth, _in_loop):
    """A statement that may raise."""
    return [f"t += 60 // (n - {make.randrange(5)})"]


def jump(make, _depth, in_loop):
    """A jump on some paths."""
    jumps = ["return t", f"return {make.randrange(90)}", *(["break", "continue"] if in_loop else [])]
    test = f"t % {make.randrange(2, 5)} {make.choice(['==', '>'])} {make.randrange(3)}"
    return [f"if {test}: {make.choice(jumps)}"]


def block(make, depth, in_loop):
    """One or two statements, indented."""
    count = make.randrange(1, 3)
    return [f"    {line}" for _ in range(count) for line in statement(make, depth - 1, in_loop)]


def loop(make, depth, _in_loop):
    """A loop of three turns."""
    return ["for i in range(3):", *block(make, depth, True)]


def branch(make, depth, in_loop):
    """An `if` without `else`."""
    return [f"if n > {make.randrange(4)}:", *block(make, depth, in_loop)]


def finals(make, depth, in_loop):
    """A `try` with a `finally`, with or without a handler."""
    handler = ["except ZeroDivisionError:", *block(make, depth, in_loop)] if make.randrange(2) else []
    return ["try:", *block(make, depth, in_loop), *handler, "finally:", *block(make, depth, in_loop)]


SIMPLE = (change, division, jump)
COMPOUND = (loop, branch, finals, finals)

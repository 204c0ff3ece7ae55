"""FizzBuzz, printed from inside the graph in the order of the program."""

import contextlib
import io

import graphwright as gw
from graphwright.demo.workload import Workload


def fizzbuzz(limit, say):
    """Says the numbers up to `limit`, and returns how many were neither fizz nor buzz."""
    plain = limit - limit
    for n in range(1, limit + 1):
        if n % 15 == 0:
            say("FizzBuzz")
        elif n % 3 == 0:
            say("Fizz")
        elif n % 5 == 0:
            say("Buzz")
        else:
            say(n)
            plain += 1
    return plain


def printing(function, *arguments):
    """The function's answer as an int, and the lines that it prints."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        count = int(function(*arguments))
    return count, stream.getvalue().splitlines()


def workload(small: bool) -> Workload:
    """The same function with `print`, and with `gw.print` and a tensor; their lines are compared too."""
    limit = 30 if small else 3_000
    staged, limit_tensor = gw.function(fizzbuzz), gw.constant(limit)
    return Workload(
        title=f"FizzBuzz up to {limit:,}, printed",
        plain="Python",
        python=lambda: printing(fizzbuzz, limit, print),
        graph=lambda: printing(staged, limit_tensor, gw.print),
        same=lambda python, graph: python == graph,
    )

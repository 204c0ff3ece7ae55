"""Group P, functions of Python's own numbers: each call gives another number, and one graph serves all."""

from __future__ import annotations

from functools import partial
from typing import Any

from rich.table import Table

from benches import workload
from benches.peers import Function, Peer
from benches.workload import Names, Workload

NUMBERS = list(range(100, 200))
"""Arguments of each function, one after the other."""


def collatz(n):
    """The steps from a number to one."""
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def fibonacci(n):
    """A Fibonacci number, of a remainder so that it stays small."""
    a, b = 0, 1
    for _ in range(n % 90):
        a, b = b, a + b
    return a


def digits(n):
    """The sum of the digits of a power."""
    total, n = 0, n**6
    while n > 0:
        total += n % 10
        n //= 10
    return total


def divisor(n):
    """The greatest common divisor of a number and another one."""
    m = 3 * n + 60
    while m:
        n, m = m, n % m
    return n


def jax_collatz() -> Function:
    """With a `lax.while_loop`."""
    from jax import lax, numpy

    def run(n: Any) -> Any:
        step = lambda s: (numpy.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1)  # noqa: E731
        return lax.while_loop(lambda s: s[0] != 1, step, (n, 0))[1]

    return run


def jax_fibonacci() -> Function:
    """With a `lax.fori_loop`."""
    from jax import lax

    return lambda n: lax.fori_loop(0, n % 90, lambda _, s: (s[1], s[0] + s[1]), (0, 1))[0]


def jax_digits() -> Function:
    """With a `lax.while_loop`."""
    from jax import lax

    def run(n: Any) -> Any:
        step = lambda s: (s[0] // 10, s[1] + s[0] % 10)  # noqa: E731
        return lax.while_loop(lambda s: s[0] > 0, step, (n**6, 0))[1]

    return run


def jax_divisor() -> Function:
    """With a `lax.while_loop`."""
    from jax import lax

    return lambda n: lax.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), (n, 3 * n + 60))[0]


def of_numbers(function: Function, jax: Function) -> Names:
    """`f` of each of Python's numbers; TensorFlow would make a graph for each."""

    def names(peer: Peer) -> dict[str, Any] | None:
        if peer.name == "TensorFlow":
            return None
        if peer.name == "Graphwright":
            import graphwright as gw

            compiled: Function = partial(gw.function, python_numbers="staged")
        else:
            compiled = peer.compiled
        return {"f": compiled(jax() if peer.name == "JAX" else function), "numbers": NUMBERS}

    return names


WORKLOADS = [
    Workload("Collatz", "Numba", "[f(n) for n in numbers]", of_numbers(collatz, jax_collatz)),
    Workload("Fibonacci", "Numba", "[f(n) for n in numbers]", of_numbers(fibonacci, jax_fibonacci)),
    Workload("digits of n ** 6", "Numba", "[f(n) for n in numbers]", of_numbers(digits, jax_digits)),
    Workload("gcd(n, 3 n + 60)", "Numba", "[f(n) for n in numbers]", of_numbers(divisor, jax_divisor)),
]


def table() -> Table:
    """A hundred calls with a hundred numbers, by each peer."""
    return workload.table("Group P, 100 calls with Python's numbers", WORKLOADS, rounds=7)

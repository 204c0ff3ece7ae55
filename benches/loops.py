"""Group D, loops whose end the data decide: one plain text for all but JAX, which has functions for loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

from benches import workload
from benches.peers import Function
from benches.workload import Workload, of_function


def collatz(n):
    """The longest of the chains that begin below a number."""
    longest = n - n
    start = n - n
    while start < n - 1:
        start += 1
        m = start
        steps = n - n
        while m != 1:
            m = m // 2 if m % 2 == 0 else 3 * m + 1
            steps += 1
        if steps > longest:
            longest = steps
    return longest


def newton(n):
    """The square roots of the numbers up to one, by Newton's steps until they are small, and their sum."""
    total = n - n
    a = n - n
    while a < n:
        a += 1.0
        x = a
        while abs(x * x - a) > 1e-9 * a:
            x = 0.5 * (x + a / x)
        total += x
    return total


def fizzbuzz(n):
    """How many numbers below one are multiples of 3, of 5, and of both."""
    fizz = buzz = both = n - n
    i = n - n
    while i < n:
        i += 1
        if i % 15 == 0:
            both += 1
        elif i % 3 == 0:
            fizz += 1
        elif i % 5 == 0:
            buzz += 1
    return fizz * 10000 + buzz * 100 + both


def primes(n):
    """How many primes are below a number: loops in each other, with `break` and `continue`."""
    found = n - n
    i = n - n + 1
    while i < n:
        i += 1
        if i % 2 == 0:
            continue
        k = n - n + 3
        while k * k <= i:
            if i % k == 0:
                break
            k += 2
        if k * k > i:
            found += 1
    return found


def logistic(n, x):
    """A recurrence over a number or an array."""
    i = n - n
    while i < n:
        x = 3.2 * x * (1 - x)
        i += 1
    return x


def jax_collatz() -> Function:
    """With a `lax.while_loop` in a `lax.fori_loop`."""
    from jax import lax

    def length(n: Any) -> Any:
        def step(state: Any) -> Any:
            n, steps = state
            return lax.select(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

        return lax.while_loop(lambda state: state[0] != 1, step, (n, n - n))[1]

    def run(n: Any) -> Any:
        return lax.fori_loop(n - n + 1, n, lambda i, longest: lax.max(longest, length(i)), n - n)

    return run


def jax_newton() -> Function:
    """With a `lax.while_loop` in a `lax.fori_loop`."""
    from jax import lax

    def root(a: Any) -> Any:
        far = lambda x: abs(x * x - a) > 1e-9 * a  # noqa: E731
        return lax.while_loop(far, lambda x: 0.5 * (x + a / x), a)

    def run(n: Any) -> Any:
        return lax.fori_loop(1, n.astype(int) + 1, lambda i, total: total + root(1.0 * i), n - n)

    return run


def jax_fizzbuzz() -> Function:
    """With `lax.fori_loop`, all three counts in each step."""
    from jax import lax

    def run(n: Any) -> Any:
        def step(i: Any, counts: Any) -> Any:
            fizz, buzz, both = counts
            three, five = (i + 1) % 3 == 0, (i + 1) % 5 == 0
            return fizz + (three & ~five), buzz + (five & ~three), both + (three & five)

        fizz, buzz, both = lax.fori_loop(0, n, step, (n - n, n - n, n - n))
        return fizz * 10000 + buzz * 100 + both

    return run


def jax_primes() -> Function:
    """With `lax.fori_loop` around a `lax.while_loop`."""
    import jax
    from jax import lax

    def prime(i: Any) -> Any:
        k = lax.while_loop(lambda k: (k * k <= i) & (i % k != 0), lambda k: k + 2, jax.numpy.full_like(i, 3))
        return (i % 2 != 0) & (k * k > i)

    def run(n: Any) -> Any:
        return lax.fori_loop(n - n + 2, n + 1, lambda i, found: found + prime(i), n - n)

    return run


def jax_logistic() -> Function:
    """With `lax.fori_loop`."""
    from jax import lax

    return lambda n, x: lax.fori_loop(0, n, lambda _, x: 3.2 * x * (1 - x), x)


WHOLE, THOUSAND, MANY = (np.array(n, np.int64) for n in (97, 1000, 10_000))
REAL, VECTOR = np.array(1000.0), np.linspace(0.1, 0.9, 32)

WORKLOADS = [
    Workload(
        "Collatz chains below 1,000",
        "Numba ≤ 1.1",
        "f(*args)",
        of_function(collatz, THOUSAND, jax=jax_collatz),
    ),
    Workload(
        "1,000 square roots by Newton",
        "Numba ≤ 1.1",
        "f(*args)",
        of_function(newton, REAL, jax=jax_newton),
    ),
    Workload("FizzBuzz of 10,000", "Numba ≤ 1.1", "f(*args)", of_function(fizzbuzz, MANY, jax=jax_fizzbuzz)),
    Workload("primes below 10,000", "Numba ≤ 1.1", "f(*args)", of_function(primes, MANY, jax=jax_primes)),
    Workload(
        "10,000 steps of one number",
        "Numba ≤ 1.1",
        "f(*args)",
        of_function(logistic, MANY, np.array(0.4), jax=jax_logistic),
    ),
    Workload(
        "10,000 steps of 32 numbers",
        "the best",
        "f(*args)",
        of_function(logistic, MANY, VECTOR, jax=jax_logistic),
    ),
]


def table() -> Table:
    """Every loop with every peer."""
    return workload.table("Group D, loops that data end", WORKLOADS, rounds=7)

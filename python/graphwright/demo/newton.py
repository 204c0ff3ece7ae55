"""Newton's method: square roots of many numbers, each to a tolerance."""

import numpy as np

import graphwright as gw
from graphwright.demo.workload import Workload


def square_root(x, tolerance):
    """Refines a guess until its square is close enough to `x`."""
    guess = x
    while abs(guess * guess - x) > tolerance * x:
        guess = (guess + x / guess) / 2
    return guess


def sum_of_roots(numbers, tolerance):
    """The roots of all the numbers, one after the other, added up."""
    total = tolerance - tolerance
    for x in numbers:
        total += square_root(x, tolerance)
    return total


def workload(small: bool) -> Workload:
    """A list of Python floats natively, a float64 vector as a graph; both take the same steps."""
    count = 1_000 if small else 200_000
    numbers = np.linspace(1.0, 1e6, count)
    plain, tolerance = numbers.tolist(), 1e-12
    staged = gw.function(sum_of_roots)
    arguments = gw.constant(numbers), gw.constant(tolerance, gw.float64)
    return Workload(
        title=f"Newton's square root, {count:,} times",
        plain="Python",
        python=lambda: sum_of_roots(plain, tolerance),
        graph=lambda: float(staged(*arguments).numpy()),
        same=lambda python, graph: python == graph and np.isclose(graph, np.sqrt(numbers).sum(), rtol=1e-12),
    )

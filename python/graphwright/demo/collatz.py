"""Collatz: which start below a limit takes longest to come down to 1?"""

import graphwright as gw
from graphwright.demo.workload import Workload


def longest_chain(limit):
    """The start with the longest chain, and how long that is."""
    best = longest = limit - limit
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > longest:
            best, longest = start, steps
    return best, longest


def workload(small: bool) -> Workload:
    """The same function with a Python int and with an int64 tensor, in which no chain overflows."""
    limit = 2_000 if small else 200_000
    staged = gw.function(longest_chain)
    limit_tensor = gw.constant(limit, gw.int64)
    return Workload(
        title=f"Collatz lengths below {limit:,}",
        plain="Python",
        python=lambda: longest_chain(limit),
        graph=lambda: tuple(int(part.numpy()) for part in staged(limit_tensor)),
        same=lambda python, graph: python == graph,
    )

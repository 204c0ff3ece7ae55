"""N queens: in how many ways do n queens stand on an n×n board without attacking each other?"""

import graphwright as gw
from graphwright.demo.workload import Workload


def place(every, columns, left, right):
    """The ways to fill the rows below, where queens attack from these columns and diagonals."""
    if columns == every:
        return 1
    ways = 0
    free = every & ~(columns | left | right)
    while free:
        bit = free & -free
        free ^= bit
        ways += place(every, columns | bit, (left | bit) << 1, (right | bit) >> 1)
    return ways


def queens(n):
    """The number of solutions on an n×n board."""
    return place((1 << n) - 1, 0, 0, 0)


def workload(small: bool) -> Workload:
    """The same recursion with a Python int and with an int64 tensor."""
    n = 6 if small else 10
    staged = gw.function(queens)
    n_tensor = gw.constant(n, gw.int64)
    return Workload(
        title=f"{n} queens by recursion",
        plain="Python",
        python=lambda: queens(n),
        graph=lambda: int(staged(n_tensor).numpy()),
        same=lambda python, graph: python == graph,
    )

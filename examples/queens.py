"""In how many ways do n queens stand on an n×n board without attacking each other?

Columns and diagonals are bits of integers. Source: Martin Richards, "Backtracking Algorithms in MCPL using
Bit Patterns and Recursion", Technical Report 433, University of Cambridge Computer Laboratory (1997).
"""


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

"""Solves linear equations by LU decomposition with partial pivoting; a singular matrix is an error.

Source: Gene H. Golub and Charles F. Van Loan, "Matrix Computations", chapter 3.
"""

import numpy as np


def decompose(a, pivots):
    """Overwrites `a` with its factors L and U, and `pivots` with the rows that were exchanged."""
    n = a.shape[0]
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if a[pivot, k] == 0:
            raise ValueError(f"the matrix is singular: column {k} has no pivot")
        pivots[k] = pivot
        if pivot != k:
            for j in range(n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


def solve(a, b):
    """The x for which a @ x is b."""
    n = a.shape[0]
    a, x = a.copy(), b.copy()
    pivots = np.zeros(n, dtype=np.int64)
    decompose(a, pivots)
    for k in range(n):
        x[k], x[pivots[k]] = x[pivots[k]], x[k]
    for i in range(n):
        for j in range(i):
            x[i] -= a[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[i, j] * x[j]
        x[i] /= a[i, i]
    return x

"""Adaptive Simpson quadrature by recursion, with an error at the depth where it gives up.

Sources: Guy F. Kuncir, "Algorithm 103: Simpson's rule integrator", Communications of the ACM 5 (1962); the
error estimate of J. N. Lyness, "Notes on the Adaptive Simpson Quadrature Routine",
Journal of the ACM 16 (1969).
"""

import math


def rule(f, a, fa, b, fb):
    """The middle, the function there, and Simpson's estimate of the integral."""
    m = (a + b) / 2
    fm = f(m)
    return m, fm, abs(b - a) / 6 * (fa + 4 * fm + fb)


def refine(f, a, fa, b, fb, tolerance, whole, m, fm, depth):
    """The integral: the interval is halved until both halves agree with the estimate for the whole."""
    if depth == 0:
        raise RecursionError("the integral does not converge")
    left_m, left_fm, left = rule(f, a, fa, m, fm)
    right_m, right_fm, right = rule(f, m, fm, b, fb)
    delta = left + right - whole
    if abs(delta) <= 15 * tolerance:
        return left + right + delta / 15
    return refine(f, a, fa, m, fm, tolerance / 2, left, left_m, left_fm, depth - 1) + refine(
        f, m, fm, b, fb, tolerance / 2, right, right_m, right_fm, depth - 1
    )


def integrate(f, a, b, tolerance, depth):
    """The integral of `f` from `a` to `b`."""
    fa, fb = f(a), f(b)
    m, fm, whole = rule(f, a, fa, b, fb)
    return refine(f, a, fa, b, fb, tolerance, whole, m, fm, depth)


def bump(x):
    """What is integrated."""
    return math.exp(-x * x) * math.sqrt(abs(x))


def area(a, b, tolerance, depth):
    """The integral of `bump`."""
    return integrate(bump, a, b, tolerance, depth)

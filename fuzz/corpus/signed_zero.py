"""A branch that sets `0.0` beside one that keeps `-0.0`: the sign is kept."""


def f(a, g):
    if a > 5:
        g = 0.0
    return g


ARGUMENTS = (2, -0.0)
OTHERS = (7, -0.0)
STAGED = (True, False)

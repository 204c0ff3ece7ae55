"""`|` of integers sets bits; it is not the `or` of truth, even beside a literal one."""


def f(a, c):
    return a | c, a | 1, 1 | a, (a | c) % 1009


ARGUMENTS = (2, 1)
OTHERS = (-4, 1)
STAGED = (True, False)

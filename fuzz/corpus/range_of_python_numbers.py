"""A staged `range` whose bounds come from Python numbers alone counts in Python's 64 bits, like the name it goes to."""


def f(a, b):
    if a > 5:
        b = 3
    last = a
    for i in range(0, b):
        last = i
    return last


ARGUMENTS = (2, 4)
OTHERS = (7, 4)
STAGED = (True, False)

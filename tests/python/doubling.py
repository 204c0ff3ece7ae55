"""A function with two branches, as text, and whether what should do the same does it in a graph."""

import graphwright as gw

SOURCE = "def f(x):\n    if x > 0:\n        return x * 2\n    return -x\n"


def staged(function, *args):
    """What the function gives as a graph."""
    return gw.function(function)(*map(gw.constant, args)).item()


def works(function):
    """Whether both branches of `SOURCE`, or of what does the same, are in the graph."""
    return (staged(function, 3), staged(function, -3)) == (6, 3)

"""Functions for the tests of the corpus: what one comes to is seen from its name, whatever can be staged."""

import itertools


def agrees(n):
    """An example.

    >>> agrees(3)
    4
    """
    return n + 1


def refused(n):
    """An example.

    >>> refused(3)
    'c'
    """
    return chr(96 + n)


def disagrees(n):
    """An example.

    >>> disagrees(3)
    4
    """
    return n + 2 if type(n).__module__.startswith("graphwright") else n + 1


def asks(n):
    """An example.

    >>> asks(3)
    4
    """
    return n + 1 if isinstance(n, int) else n + 2


def divides(n):
    """An example.

    >>> divides(0)
    -1
    """
    return 1.5 / n


def hangs(n):
    """An example.

    >>> hangs(3)
    3
    """
    if not isinstance(n, int):
        sum(0 for _ in itertools.repeat(0))
    return n


def ends(n):
    """An example.

    >>> ends(3)
    3
    """
    if not isinstance(n, int):
        import os

        os.abort()
    return n


def guards(n):
    """An example.

    >>> guards(3)
    3
    """
    if not isinstance(n, int):
        raise TypeError("not an int")
    return n


def prints(items):
    """An example.

    >>> prints([1, 2])
    two 2
    """
    print("two", len(items))


def many(n):
    """An example.

    >>> list(many(3))
    [3, 6]
    """
    yield n
    yield n * 2

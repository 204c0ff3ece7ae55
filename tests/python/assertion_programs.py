"""Functions whose assertions have messages: a file that pytest leaves as it is."""

import random

NAMES = [10, 20]


def item(n):
    assert n < 2, NAMES[n]
    return n


def power(n):
    assert n <= n, n ** (-1)
    return n


def quotient(n):
    assert n < 5, 10 // (n - 1)
    return n


def text_of_quotient(n):
    assert n < 5, f"{10 // (n - 1)} of {n}"
    return n


def in_loop(n):
    for i in range(n):
        assert i < 5, f"{i // (n - 1)}"
    return n


def caught(n):
    try:
        assert n < 2, 10 // (n - 5)
    except AssertionError:
        return 1
    except ZeroDivisionError:
        return 2
    return 3


def number_of_text(n):
    assert n < 5, int("x")
    return n


def missing(n):
    assert n < 5, {}["k"]
    return n


def of_helper(n):
    assert n < 5, described(n)
    return n


def described(n):
    if n > 5:
        return "large"
    return "small"


def never(n):
    assert n < 5, max(n, 3) // 0
    return n


def drawn(n):
    k = 3
    while k:
        k -= 1
        assert random.random() < 0.9, random.choice([1, 2, 3])
    return n


def prints(n):
    assert n < 5, print("the message")
    return n


def pair(n):
    assert n != 0, ("zero", n)
    return n


def listed(n):
    assert n != 0, ["zero", n]
    return n


def number(n):
    assert n != 0, 5
    return n


def nothing(n):
    assert n != 0, None
    return n

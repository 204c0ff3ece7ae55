"""Functions that call themselves as the last thing they do, each with arguments: their calls are turns of a loop."""

from __future__ import annotations

import numpy as np

from recursive_programs import ackermann, applied, collatz, gcd, quicksort, search


def total(n, found):
    if n == 0:
        return found
    return total(n - 1, found + n)


def fibonacci(n, a, b):
    return a if n == 0 else fibonacci(n - 1, b, a + b)


def both(n, a, b):
    """Two results in their order, and one argument that all calls hand on."""
    if n <= 0:
        return a, b
    if a > b:
        return both(n - 1, a - b, b)
    return both(n - 1, b, a)


def swapped(n, a, b):
    """The results come back the other way round: the call is not the last thing."""
    if n <= 0:
        return a, b
    x, y = swapped(n - 1, a + 1, b)
    return y, x


def mapped(n, a):
    if n <= 0:
        return {"n": n, "a": (a, a + 1)}
    return mapped(n - 2, a * 3 % 101)


def root(x, low, high):
    middle = (low + high) / 2
    if high - low < 1e-9:
        return middle
    if middle * middle > x:
        return root(x, low, middle)
    return root(x, middle, high)


def newton(x, guess, n):
    """The result is computed behind the last turn."""
    if n == 0 or abs(guess * guess - x) < 1e-12:
        return 2 * guess - x / guess
    return newton(x, (guess + x / guess) / 2, n - 1)


def classified(n, kind):
    match kind:
        case 0:
            return n
        case 1:
            return classified(n + 3, n % 3)
        case _:
            return classified(n * 2 % 37, n % 2)


def first(values, wanted, i):
    """Past the end there is no element."""
    return i if values[i] == wanted else first(values, wanted, i + 1)


def divided(n, d):
    if n == 0:
        return 100 // d
    return divided(n - 1, d - 1)


def asserted(n, k):
    assert k < 7, f"{k} is too much at {n}"
    return k if n == 0 else asserted(n - 1, k + 2)


def raised(n, found):
    if found > 50:
        raise ValueError(f"{found} at {n}")
    if n == 0:
        return found
    return raised(n - 1, found + n)


def printed(n, k):
    print("down", n, k)
    if n > 0:
        if n % 2 == 0:
            print("even")
            return printed(n - 1, k * 2)
        return printed(n - 1, k)
    print("end", k)
    return k


def printed_alone(n):
    print(n)
    if n > 0:
        printed_alone(n - 1)


def printed_before(n):
    """Prints of the arguments come before the call."""

    def told(k):
        print("argument", k)
        return k - 1

    if n <= 0:
        return 0
    return printed_before(told(n))


def ways(n, found):
    """Calls that stand last beside calls that do not."""
    if n <= 1:
        return found + 1
    if n % 3 == 0:
        return ways(n - 1, found) + ways(n - 2, 0)
    if n % 3 == 1:
        return 1 + ways(n - 1, found)
    return ways(n - 2, ways(n - 1, found))


def in_a_loop(n, k):
    """In a loop of the function, and the function in a loop."""
    while n > 5:
        n -= 1
        if n % 3 == 0:
            return in_a_loop(n - 1, k + 1)
    return total(n, k)


def of_a_loop(n):
    found = 0
    for i in range(n):
        found += total(i, found) % 7
    return found


def with_a_loop(n, x):
    """A loop in each turn."""
    if n == 0:
        return x
    for i in range(n):
        x = x + i * n
    return with_a_loop(n - 1, x % 1009)


def tried(n, d):
    """In a `try` no call is the last thing."""
    try:
        return 100 // d if n == 0 else tried(n - 1, d - 1)
    except ZeroDivisionError:
        return tried(2, 5) if n > 0 else -1


def tried_inside(n, d, k):
    try:
        k += 10 // d
    except ZeroDivisionError:
        k += 1000
    if n == 0:
        return k
    return tried_inside(n - 1, d - 1, k)


def called_in_a_try(n, d):
    try:
        return divided(n, d)
    except ZeroDivisionError:
        return -1


def lowest(x, n):
    """The result may be nothing."""
    if x < 0:
        return None
    if n == 0:
        return x
    return lowest(x - n, n - 1)


def found(x, n):
    value = lowest(x, n)
    return -100 if value is None else value


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def halved(x):
    if np.max(np.abs(x)) < 1:
        return x
    return halved(x / 2)


def moved(x, v, n):
    """Arrays that are all computed anew."""
    if n == 0:
        return x, v
    return moved(x + 0.1 * v, v - 0.1 * x, n - 1)


def exchanged(x, y, n):
    if n == 0:
        return x - y
    return exchanged(y, x + y, n - 1)


def shorter(x, n):
    return x if n == 0 or len(x) < 3 else shorter(x[1:] + x[:-1], n - 1)


def longer(x, y, n):
    """The lengths change from turn to turn; what is returned is none of the arguments."""
    return np.concatenate([y, x]) * 2 if n == 0 else longer(np.concatenate([x, x]), y + 1, n - 1)


def reversed_in_place(x, low, high):
    if low < high:
        x[low], x[high] = x[high], x[low]
        reversed_in_place(x, low + 1, high - 1)


def backwards(x, low, high):
    y = x.copy()
    reversed_in_place(y, low, high)
    return y, x


def sieve(marks, p, k):
    if p * p >= len(marks):
        return marks
    if k >= len(marks):
        return sieve(marks, p + 1, 2 * p + 2)
    marks[k] = 0
    return sieve(marks, p, k + p)


def primes(n):
    marks = np.ones(30, np.int64)
    sieve(marks, 2, 2 + 2)
    return marks.sum() + n


def stored_and_returned(x, i):
    if i == len(x):
        return 3 * x
    x[i] = x[i - 1] + i
    return stored_and_returned(x, i + 1)


def stored(x):
    y = x.copy()
    z = stored_and_returned(y, 1)
    return y, z


def turned(z, n):
    return z if n == 0 else turned(z * (0.6 + 0.8j), n - 1)


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = coefficients

    def at(self, x):
        value = 0.0
        for coefficient in self.coefficients:
            value = value * x + coefficient
        return value

    def root(self, low, high):
        middle = (low + high) / 2
        if high - low < 1e-9:
            return middle
        return self.root(low, middle) if self.at(middle) > 0 else self.root(middle, high)

    @staticmethod
    def power(x, n, found=1):
        return found if n == 0 else Polynomial.power(x, n - 1, found * x)

    @classmethod
    def squares(cls, x, n):
        return x if n == 0 else cls.squares(x * x % 97, n - 1)


def square_root(x):
    return Polynomial(1, 0, -2).root(0.0 * x, x)


def methods(x, n):
    return Polynomial.power(x, n), Polynomial.squares(x, n)


def inner(n, k):
    def down(m, found):
        if m == 0:
            return found
        return down(m - 1, found + k)

    return down(n, 0)


def higher_order(n, x):
    return applied(lambda y: (2 * y + 1) % 1009, n, x)


def several_kinds(n):
    """One function for numbers of two kinds and an array."""
    return total(n, 0), total(n, 0.5), total(n, np.arange(3))


PROGRAMS = [
    (total, 900, 0),
    (total, 0, 5),
    (gcd, 84, 36),
    (fibonacci, 50, 0, 1),
    (both, 9, 100, 7),
    (swapped, 5, 1, 2),
    (mapped, 7, 5),
    (root, 2.0, 0.0, 2.0),
    (newton, 2.0, 1.0, 50),
    (newton, 2.0, 1.0, 3),
    (collatz, 27),
    (classified, 5, 2),
    (classified, 11, 1),
    (search, np.arange(0, 40, 3), 21, 0, 13),
    (search, np.arange(0, 40, 3), 22, 0, 13),
    (first, np.arange(5), 3, 0),
    (first, np.arange(5), 9, 0),
    (divided, 4, 9),
    (divided, 4, 4),
    (asserted, 2, 1),
    (asserted, 4, 1),
    (raised, 5, 3),
    (raised, 20, 3),
    (printed, 5, 3),
    (printed_alone, 3),
    (printed_before, 3),
    (ackermann, 2, 3),
    (ways, 9, 1),
    (in_a_loop, 20, 1),
    (of_a_loop, 9),
    (with_a_loop, 6, 1),
    (tried, 3, 9),
    (tried, 3, 3),
    (tried_inside, 5, 3, 0),
    (called_in_a_try, 4, 9),
    (called_in_a_try, 4, 4),
    (found, 12, 3),
    (found, 3, 4),
    (even, 7),
    (odd, 8),
    (halved, np.array([1.0, -20.0, 3.5])),
    (moved, np.array([1.0, 2.0]), np.array([0.5, -0.5]), 7),
    (exchanged, np.array([1, 2, 3]), np.array([4, 5, 6]), 5),
    (shorter, np.arange(9.0), 4),
    (shorter, np.arange(9.0), 40),
    (longer, np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0]), 3),
    (longer, np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0]), 0),
    (backwards, np.arange(7), 0, 6),
    (primes, 3),
    (stored, np.arange(1.0, 6.0)),
    (quicksort, np.array([5, 2, 9, 1, 7, 3]), 0, 5),
    (turned, np.array([1.0 + 2.0j, 3.0j]), 5),
    (square_root, 2.0),
    (methods, 3, 7),
    (inner, 5, 7),
    (higher_order, 5, 3),
    (several_kinds, 6),
]

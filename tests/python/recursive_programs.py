"""Functions that call themselves where a number decides, from textbooks and of every kind, each with arguments."""

from __future__ import annotations

import functools

import numpy as np


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def power(x, n):
    if n == 0:
        return 1
    half = power(x, n // 2)
    if n % 2 == 1:
        return half * half * x
    return half * half


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def search(values, wanted, low, high):
    if low > high:
        return -1
    middle = (low + high) // 2
    if values[middle] == wanted:
        return middle
    if values[middle] < wanted:
        return search(values, wanted, middle + 1, high)
    return search(values, wanted, low, middle - 1)


def simpson(a, b, fa, fm, fb, tolerance):
    def f(x):
        return 1 / (1 + x * x)

    m = (a + b) / 2
    left, right = f((a + m) / 2), f((m + b) / 2)
    whole = (b - a) / 6 * (fa + 4 * fm + fb)
    halves = (b - a) / 12 * (fa + 4 * left + 2 * fm + 4 * right + fb)
    if abs(halves - whole) <= 15 * tolerance:
        return halves
    lower = simpson(a, m, fa, left, fm, tolerance / 2)
    return lower + simpson(m, b, fm, right, fb, tolerance / 2)


def leaves_and_depth(n):
    """A tree of all ways to take one or two: how many leaves, how deep."""
    if n <= 1:
        return 1, 0
    few, shallow = leaves_and_depth(n - 2)
    many, deep = leaves_and_depth(n - 1)
    return few + many, 1 + max(shallow, deep)


def hanoi(n, source, target, spare):
    if n == 0:
        return 0, 0
    moves, weight = hanoi(n - 1, source, spare, target)
    more, rest = hanoi(n - 1, spare, target, source)
    return moves + 1 + more, weight + n * (target - source) + rest


def collatz(n, steps=0):
    if n == 1:
        return steps
    return collatz(n // 2, steps + 1) if n % 2 == 0 else collatz(3 * n + 1, steps + 1)


def printed(n):
    print("down", n)
    if n > 0:
        printed(n - 1)
        print("up", n)


def in_a_loop(n):
    total = 1
    k = 0
    while k < n:
        total += in_a_loop(k)
        k += 1
    return total


def collected(n, x):
    if n <= 0:
        return x
    kept, counts = [0], {0: x, 1: x}
    for i in range(x % 5):
        if x > i:
            kept.append(x)
        counts[x % 2] += 1
        x = collected(n - 1, (x + counts[0]) % 1009)
    return len(kept) + kept[-1] + counts[1]


def unrolled(n, k):
    if k == 0:
        return n
    total = 0
    for _ in range(2):
        total += unrolled(n - 1, k - 1) if n > 0 else unrolled(n + 2, k - 1)
    return total


def three_levels(n):
    return unrolled(n, 3)


def checked(n):
    assert n < 7, f"{n} is too much"
    return 0 if n == 0 else 1 + checked(n - 2 if n > 1 else n - 1)


def inner_function(n, k):
    def times(m):
        if m == 0:
            return 0
        return k + times(m - 1)

    return times(n)


def halved(x):
    if np.max(np.abs(x)) < 1:
        return x
    return halved(x / 2) + 0 * x


def shrinking(x, n):
    if n == 0:
        return x
    return shrinking(x[1:] + x[:-1], n - 1)


def three_times(x):
    return shrinking(x, 3)


def with_first_found(n, found):
    """The number of ways to write n as a sum of ones and twos, and the first factor that was met."""
    if n < 2:
        return 1, found
    a, first = with_first_found(n - 1, found)
    b, second = with_first_found(n - 2, first)
    return a + b, second + 1


def queens(every, columns=0, left=0, right=0):
    """The ways to place queens in the rows that are left; `every` has a bit for each column."""
    if columns == every:
        return 1
    ways = 0
    free = every & ~(columns | left | right)
    while free:
        place = free & -free
        free ^= place
        ways += queens(every, columns | place, (left | place) << 1, (right | place) >> 1)
    return ways


def sort(x, low, high):
    if low < high:
        border = low
        for i in range(low, high):
            if x[i] < x[high]:
                x[i], x[border] = x[border], x[i]
                border += 1
        x[high], x[border] = x[border], x[high]
        sort(x, low, border - 1)
        sort(x, border + 1, high)


def quicksort(x, low, high):
    y = x.copy()
    sort(y, low, high)
    return y


def fill(grid, row, column, colour):
    inside = 0 <= row < grid.shape[0] and 0 <= column < grid.shape[1]
    if inside and grid[row, column] == 0:
        grid[row, column] = colour
        fill(grid, row + 1, column, colour)
        fill(grid, row - 1, column, colour)
        fill(grid, row, column + 1, colour)
        fill(grid, row, column - 1, colour)


def flooded(grid, row, column):
    grid = grid.copy()
    fill(grid, row, column, 7)
    return grid


def edits(a, b, i, j):
    if i == 0:
        return j
    if j == 0:
        return i
    if a[i - 1] == b[j - 1]:
        return edits(a, b, i - 1, j - 1)
    return 1 + min(edits(a, b, i - 1, j), edits(a, b, i, j - 1), edits(a, b, i - 1, j - 1))


def doubled(x, n):
    """Each call has a longer array."""
    return x if n == 0 else doubled(np.concatenate([x, x]), n - 1)


def find(values, wanted, i):
    if i == len(values):
        return None
    if values[i] == wanted:
        return i
    return find(values, wanted, i + 1)


def found_or(values, wanted, i):
    place = find(values, wanted, i)
    return -1 if place is None else place


def end_missing(n):
    if n == 0:
        return 5
    if n > 0:
        return end_missing(n - 2)


def greatest_rest(n, best=None):
    if n == 0:
        return best
    if best is None or n % 5 > best:
        best = n % 5
    return greatest_rest(n - 1, best)


def greatest(n):
    return greatest_rest(n)


def digits(found, n):
    """The count of digits begins as Python's; it has to be a value before it is too large for the array."""

    def fill(n, count):
        if n > 0:
            return fill(n // 10, count + 1) + found[count]
        return count

    return fill(n, 0)


def named(n, kind):
    return 0 if n == 0 else named(n - 1, kind.upper()) + (1 if kind == "A" else 2)


def with_break(n):
    total = 0
    while n > 0:
        if n % 3 == 0:
            break
        total += with_break(n - 2)
        n -= 1
    else:
        total += 100
    return total + n


def early(n):
    for k in range(3):
        if n > k:
            return early(n - k - 1) + k
    return n


def walrus(n):
    return 1 if (third := n // 3) == 0 else walrus(third) + walrus(n - third - 1)


def by_way_of_another(n):
    def apply(function, k):
        return function(k)

    def down(k):
        return 0 if k == 0 else 1 + apply(down, k - 1)

    return down(n)


def a_lambda(n):
    product = lambda k: 1 if k <= 1 else k * product(k - 1)  # noqa: E731
    return product(n)


def a_partial_function(n):
    def add(k, m):
        return m if m == 0 else k + step(m - 1)

    step = functools.partial(add, 3)
    return step(n)


class Tree:
    def __init__(self, depth):
        self.children = [Tree(depth - 1) for _ in range(2)] if depth else []

    def total(self, x):
        return x + sum(child.total(x) for child in self.children)


def a_tree_of_objects(x):
    return Tree(3).total(x) if x > 0 else x


class Counter:
    def __init__(self, step):
        self.step = step

    def count(self, n):
        return 0 if n <= 0 else 1 + self.count(n - self.step)

    @staticmethod
    def twice(n):
        return 0 if n <= 0 else 2 + Counter.twice(n - 1)

    @classmethod
    def thrice(cls, n):
        return 0 if n <= 0 else 3 + cls.thrice(n - 1)


def methods(n):
    return Counter(2).count(n), Counter.twice(n), Counter.thrice(n)


def applied(f, n, x):
    return x if n == 0 else applied(f, n - 1, f(x))


def higher_order(n, x):
    return applied(lambda y: 2 * y + 1, n, x)


PROGRAMS = [
    (factorial, 12),
    (fibonacci, 12),
    (gcd, 84, 36),
    (ackermann, 2, 3),
    (power, 3, 13),
    (power, 1.5, 6),
    (is_even, 7),
    (is_odd, 7),
    (search, np.arange(0, 40, 3), 21, 0, 13),
    (search, np.arange(0, 40, 3), 22, 0, 13),
    (simpson, 0.0, 1.0, 1.0, 0.8, 0.5, 1e-9),
    (leaves_and_depth, 9),
    (hanoi, 6, 0, 2, 1),
    (collatz, 27),
    (printed, 3),
    (in_a_loop, 4),
    (collected, 3, 7),
    (collected, 2, 4),
    (three_levels, 2),
    (checked, 6),
    (checked, 9),
    (inner_function, 5, 7),
    (halved, np.array([1.0, -20.0, 3.5])),
    (three_times, np.arange(6.0)),
    (with_first_found, 7, 3),
    (methods, 7),
    (higher_order, 5, 3),
    (queens, 31),
    (quicksort, np.array([5, 2, 9, 1, 7, 3]), 0, 5),
    (flooded, np.array([[0, 0, 1], [1, 0, 1], [0, 1, 0]]), 0, 0),
    (edits, np.array([1, 2, 3, 4]), np.array([2, 3, 5]), 4, 3),
    (doubled, np.array([1.0, 2.0]), 3),
    (find, np.arange(5), 3, 0),
    (find, np.arange(5), 9, 0),
    (found_or, np.arange(5), 9, 0),
    (end_missing, 4),
    (end_missing, 3),
    (greatest, 7),
    (greatest, 0),
    (digits, np.arange(4.0), 123),
    (named, 4, "a"),
    (with_break, 7),
    (early, 7),
    (walrus, 20),
    (by_way_of_another, 4),
    (a_lambda, 5),
    (a_partial_function, 3),
    (a_tree_of_objects, 2),
]

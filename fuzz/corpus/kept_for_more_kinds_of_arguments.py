"""A function that is kept for numbers of the graph is called with one of Python's in its place."""

import math

import numpy as np
from numpy import array, inf, nan

class Box:
    pass


class Counter:
    def __init__(self, count):
        self.count = count

    def step(self, by):
        if by > 2:
            self.count = (self.count + by) % 1009
        return self.count


class Guard:
    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return False


def poke(box, by):
    if by > box.v:
        box.v = (box.v + by) % 1009


def helper(x, y):
    z, q = x * 0.5, x < y
    best0 = divmod((y - y) % 1009, 2)[0] if q else None
    y = best0 if best0 is not None else 3
    return ((2 - 2) if (not True) else min(x, 7, 0))


def down(n, x):
    if n <= 0:
        return x
    y, z, q, again = x + n, x * 0.5, x > n, down
    ages1 = {1: sum([z % 7 + y % 100 for z in (1, 2, min(x, y, 0))]), 2: ~((2 - 2)), 3: ((y + sum([x % 100, 2 % 100])) % 1009)}
    y = ages1[again(n - 1, again(n - 2, (x + again(n - 3, 2 % 97)) % 1009) % 1009) % 3 + 1]
    return x


def f(a, b, c, g, h, p, xs, ws, grid, fuel):
    box = Box()
    box.v = a
    pair = {"k": b, "j": 1}
    items = [c, 2, 3]
    counter = Counter(b)
    shifted = lambda z: (z + a) % 1009
    with Guard():
        counts3 = {}
        for i3 in range(int(np.sum(xs % 100)) % 5):
            key3 = helper(len(xs), y=items[0]) % 3
            counts3[key3] = counts3.get(key3, 0) + 1
        a = len(counts3)
    total4 = 0
    def add4(z):
        nonlocal total4
        if z > items[0]:
            total4 += z % 10
        return total4
    pair['k'] = add4(sum([min(pair['k'], box.v, box.v) % 100, helper(b, c) % 100])) + add4(int(sum(np.maximum(xs, a) % 100)))
    poke(box, int((c >= a)))
    with Guard():
        box.v, items[0] = len(xs), b
    match (int(xs[items[0] % len(xs)]) and items[0]) % 5:
        case 0:
            rare9 = None if True else ((b // (3 % 5 + 1)) / -4)
            p = rare9 is None or rare9 > float(abs(2))
            if ((box is not None) or bool(box.v)) and (True and (c % 7 == 3)) and (pair['k'] < abs(c) <= (b & items[0])):
                h = rare9 + h
            with Guard():
                b -= 1
        case 1 | 2 if (True or True):
            try:
                try:
                    if ((c - 0) not in (~(c), 3)):
                        raise KeyError("inner")
                    xs = abs(xs)
                finally:
                    pair['k'] = (box.v * 0 % 97)
            except LookupError:
                assert ((fuel + int(xs[items[0] % len(xs)])) % 1009) < ((fuel or items[0]) * len(xs) % 97) or (True and p) or 1 < 500, "too much"
                few15 = [2, c, ((fuel + int(np.sum(xs % 100))) % 1009)]
                try:
                    a = few15[((a and a) // (int(sum(xs % 100)) % 5 + 1)) % 5]
                except IndexError:
                    held16 = (c, float(np.sum(ws))) if ((pair['k'] > b) or p) else None
                    if held16 is not None:
                        items[0], h = held16
                    best17 = None
                    if bool((c | items[0]) % 1009):
                        best17 = helper(pair['k'], y=down(box.v % 5, c % 1009))
                    c = best17 or 1
            for i18 in range(((shifted(fuel) % 7) ** ((1 and b) % 4)) % 4):
                box.v, items[0] = (items[0] and sum([fuel % 100, b % 100])), b
                try:
                    pair['k'] = (int(xs[7 % len(xs)]) & (fuel or 7))
                    assert ((a if True else fuel) < b <= (b - 0)), "no"
                    if True:
                        break
                    else:
                        b = b
                        continue
                    kept22 = [min((a >> (c % 9)), c, items[0]) % 97]
                    for i22 in range(helper((items[0] // (box.v % 5 + 1)), (lambda z: z - c)(box.v)) % 4):
                        kept22.append((kept22[-1] + box.v) % 1009)
                    a = kept22[3 % len(kept22)] + sum(kept22[1:])
                except AssertionError as stopped20:
                    b = len(str(stopped20))
                else:
                    pair['k'] = (b ^ min(pair['k'], fuel, b)) % 1009
        case other8:
            a = other8
    return (0, a, b, c, box.v, pair['k'], items[0], counter.count, g, h, p, xs, ws)

ARGUMENTS = (9, 5, -7, 0.1, 1.0, True, array([5, 0, 1, 5]), array([ 2.50e+000,  1.00e+300, -1.75e+000,       -inf]), array([[  nan,  2.5 ,   nan,  -inf],
       [ -inf, -1.75, -1.75, -1.75]]), 5)
OTHERS = (-3, 1, 2147483648, -inf, 1.0, False, array([ 0,  5,  2, -7]), array([ 1.e+300, -0.e+000,  1.e-001,     -inf]), array([[-1.75,  1.  ,  0.1 ,  0.1 ],
       [ 0.  ,  0.  ,  2.5 , -0.  ]]), 5)
STAGED = (True, False, False, True, True, False, False, False, False, True)

"""Loops in loops stage a statement many times; names that may be one array are linked once for all that.
"""

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


def down(n, x):
    if n <= 0:
        return x
    y, z, q, again = x + n, x * 0.5, x > n, down
    held4 = (divmod(x, 3)[0], ((x * 0.5) or (lambda z: z * 0.5 + 0.5)(z))) if bool(abs(x)) else None
    if held4 is not None:
        y, z = held4
    return divmod(x, 7)[0]


def f(a, b, c, g, h, p, xs, ws, grid, fuel):
    box = Box()
    box.v = a
    pair = {"k": b, "j": 1}
    items = [c, 2, 3]
    counter = Counter(b)
    shifted = lambda z: (z + a) % 1009
    with Guard():
        match ((a >> (c % 9)) % 3, pair['k']):
            case (0, second6) if second6 > fuel:
                box.v = second6
            case (1, _):
                grows7 = 0
                for i7 in range(a % 4):
                    grows7 = grows7 + (float(a) if (3 not in (2, 3)) else (g * 0.5))
                    a = sum([z % 50 for z in items])
                g = grows7 * 1.0
            case _:
                match (sum([items[0] % 100, a % 100]) // ((fuel - 3) % 5 + 1)) % 5:
                    case 0:
                        items[0], b = down(divmod(fuel, 7)[0] % 5, abs(fuel) % 1009), fuel
                    case 1 | 2 if p:
                        h = h * 0.5 + g
                    case other9:
                        box.v = other9
    h, a = math.sqrt(abs(g)), sum([2 % 100, shifted(items[0]) % 100])
    for i13 in (1, ((box.v if True else c) >> (fuel % 9)), 3):
        b = i13
        c = fuel
        best15 = None
        for i15 in range(abs(int(xs[3 % len(xs)])) % 4):
            if best15 is None or sum([z % 7 + 7 % 100 for z in (1, 2, max(box.v, b))]) > best15:
                best15 = b
            best16 = None
            for i16 in range(int(xs[0 % len(xs)]) % 4):
                if best16 is None or (a and items[0]) > best16:
                    best16 = fuel
                xs = xs
            b = 2 if best16 is None else best16
            h = g * 0.5 + h
        box.v = 1 if best15 is None else best15
    left19 = 7
    while left19 > 0 and True:
        left19 -= 1
        if ((True if True else p) if (True and True) else p):
            maybe20 = (((pair['k'] % 7) ** (b % 4)) or (items[0] - 2))
        if p:
            b = maybe20
    return (0, a, b, c, box.v, pair['k'], items[0], counter.count, g, h, p, xs, ws)


ARGUMENTS = (5, -2147483648, 0, -inf, inf, True, array([-3, -3, -7]), array([ nan, -inf,  0.1]), array([[     inf,  0.e+000,  1.e-001],
       [-0.e+000,  1.e+300,  1.e+000]]), 0)
OTHERS = (-7, -3, 9, -0.0, -1.75, True, array([2147483648,          9,          9]), array([-0.  , -1.75,   inf]), array([[ -inf,   inf, -1.75],
       [ 0.  ,  0.  ,  -inf]]), 4)
STAGED = (True, False, False, False, False, False, True, False, True, True)

"""A large function that is called again is kept in the graph: traced until it settles if it calls itself."""

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


def helper(x, y):
    z, q = x * 0.5, x < y
    line0 = [divmod(abs(x), 3)[0] % 9, 0]
    for i0 in range(3):
        line0.append(0 % 9)
        if ((0 < y) if (not q) else True):
            y = line0.pop(0)
    line0.sort()
    y = line0[0]
    y = max(line0)
    assert (sum([y % 100, x % 100]) // 3 if (1 // 1) > 3 else (1 or 3)) < (2 if (-2.25 < z) else sum([z % 7 + 1 % 100 for z in (1, 2, y)])) or (True or (q or True)) or (x & (2 | y) % 1009) < 500, "too much"
    return 2


def down(n, x):
    if n <= 0:
        return x
    y, z, q, again = x + n, x * 0.5, x > n, down
    line2 = [7 % 9, 3]
    for i2 in range(3):
        line2.append(again(n - 2, ((3 - 0) + again(n - 3, abs(x) % 97)) % 1009) % 9)
        if (q == (True and True)):
            x = line2.pop(0)
    line2.sort()
    x = line2[0]
    y = max(line2)
    return again(n - 2, ((x * y % 97) + again(n - 3, x % 97)) % 1009)


def f(a, b, c, g, h, p, xs, ws, grid, fuel):
    box = Box()
    box.v = a
    pair = {"k": b, "j": 1}
    items = [c, 2, 3]
    counter = Counter(b)
    shifted = lambda z: (z + a) % 1009
    pair['k'] = counter.step((int(xs[7 % len(xs)]) ^ items[0]) % 1009)
    box.v, box.v = fuel, int(xs[int(p) % len(xs)])
    todo5 = [box.v % 40]
    while todo5:
        top5 = todo5.pop()
        if top5 > 2:
            todo5.append(top5 // 2)
            todo5.append(top5 // 3)
        for i6 in (1, down(len(xs) % 5, items[0] % 1009), 3):
            c = i6
            assert ((c // (b % 5 + 1)) and pair['k']) < -(items[0]) or (down(items[0] % 5, a % 1009) == (c and items[0]) == sum([b % 100, b % 100])) or helper((3 >> (c % 9)), y=items[0]) < 500, "too much"
            if bool(np.any(ws > (h // 2.0))):
                b = (fuel or 3)
                break
    line9 = [((2 + (2 - 3) % 1009) % 1009) % 9, 7]
    for i9 in range(3):
        line9.append(int(np.sum(np.maximum(xs, fuel) % 100)) % 9)
        if (True == (g >= -2.25)):
            b = line9.pop(0)
    line9.sort()
    items[0] = line9[0]
    c = max(line9)
    return (0, a, b, c, box.v, pair['k'], items[0], counter.count, g, h, p, xs, ws)

ARGUMENTS = (1, 9, 0, nan, 2.5, False, array([          2,          -3, -2147483648,           5]), array([-1.75,   nan,  1.  ,   nan]), array([[ 2.50e+000,  1.00e+300,  1.00e+300,  1.00e+300],
       [-1.75e+000,  1.00e+300, -1.75e+000,  1.00e+000]]), 1)
OTHERS = (2, 9, 1, 1e+300, -inf, True, array([         5, 2147483648,          1, 2147483648]), array([  1.,  -0., -inf,   0.]), array([[ -inf,  0.  ,  2.5 , -1.75],
       [  nan,   nan,  0.  ,  0.1 ]]), 2)
STAGED = (True, False, False, False, False, False, False, False, True, False)

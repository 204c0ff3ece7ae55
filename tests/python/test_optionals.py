"""Values that may be `None` where a tensor decides: as Python has them, in the three ways."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from three_ways import check, outcome, tensor

XS = np.array([3.0, -1.0, 5.0, 2.0])
EMPTY = np.zeros(0)


def largest(xs):
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


def first_over(xs, limit):
    found = None
    for x in xs:
        if x > limit:
            found = x
            break
    return found


def clipped(x):
    if x > 1.0:
        return 1.0


def early(x):
    if x < 0.0:
        return None
    return x * 2.0


def explicit(x):
    if x > 1.0:
        return x
    elif x < -1.0:
        return None


def in_loop(xs):
    for x in xs:
        if x > 4.0:
            return None
    return xs[0]


def in_loop_value(xs):
    for x in xs:
        if x > 4.0:
            return x


def both_in_loop(xs):
    for x in xs:
        if x < 0.0:
            return None
        if x > 4.0:
            return x
    return 0.0


def is_there(x):
    y = None
    if x > 0.0:
        y = x
    return (y is None, y is not None, y == None, y != None)  # noqa: E711


def default_by_or(x):
    y = x if x > 1.0 else None
    return y or 7.0


def default_by_test(x):
    y = x if x > 1.0 else None
    if y is None:
        y = 0.5
    return y + 1.0


def default_by_expression(x):
    y = x if x > 1.0 else None
    return (y if y is not None else -1.0) * 2.0


def guarded(x):
    y = None if x > 1.0 else x
    if y is not None and y > 0.0:
        return y * 3.0
    return 0.0


def truth(x):
    y = x if x > -1.0 else None
    if y:
        return 1
    return 0


def negated(x):
    y = x if x > -1.0 else None
    return not y


def used(x):
    y = x if x > 1.0 else None
    return y + 1.0


def used_right(x):
    y = x if x > 1.0 else None
    return 2.0 * y


def ordered(x):
    y = x if x > 1.0 else None
    return y < 2.0


def equal(x):
    y = x if x > 1.0 else None
    z = x if x < 3.0 else None
    return y == 2.0, y != 2.0, y == z, 2.0 == y


def in_tuple(x):
    y = x if x > 1.0 else None
    return y, {"y": y, "n": None}, [x, y]


def helper(x):
    if x > 1.0:
        return x - 1.0


def of_helper(x):
    y = helper(x)
    if y is None:
        return -1.0
    return y


def through_helper(x):
    return helper(x)


def counted(n):
    last = None
    while n > 0:
        if n % 3 == 0:
            last = n
        n = n - 1
    return last


def forgets(n):
    last = n
    while n > 0:
        if n % 2 == 0:
            last = None
        else:
            last = n
        n = n - 1
    return last


def nested(xs, ys):
    best = None
    for x in xs:
        for y in ys:
            if best is None or x * y > best:
                best = x * y
    return best


def matched(x):
    y = x if x > 1.0 else None
    match y:
        case None:
            return -1.0
        case _:
            return y


def as_bool(x):
    y = x if x > 1.0 else None
    return bool(y)


def whole_array(xs):
    best = None
    for k in range(3):
        if xs[k] > 0.0:
            best = xs * 2.0
    return best


def number_or_none(x):
    y = 3 if x > 1.0 else None
    return y


class Holder:
    def __init__(self):
        self.best = None


def attribute(xs):
    holder = Holder()
    for x in xs:
        if holder.best is None or x > holder.best:
            holder.best = x
    return holder.best


def item(xs):
    state = {"best": None}
    for x in xs:
        if state["best"] is None or x > state["best"]:
            state["best"] = x
    return state["best"]


def first_pair(xs, product):
    for i in range(4):
        for j in range(i, 4):
            if xs[i] * xs[j] == product:
                return i, j


def sides(x):
    if x > 0.0:
        return x - 1.0, x + 1.0


def sides_or_none(x):
    if x < 0.0:
        return None
    return {"low": x - 1.0, "high": [x + 1.0]}


def three_ways_out(x):
    if x > 1.0:
        return x, x
    if x < 0.0:
        return None
    if x == 0.0:
        return (1.0, 2.0)


def best_with_index(xs):
    best = None
    for i in range(4):
        if best is None or xs[i] > best[0]:
            best = (xs[i], i)
    return best


def at_least(xs):
    best = None
    i = 0
    for x in xs:
        if x > 2.5:
            best = (x, i)
        i = i + 1
    if best is None:
        return -1.0, -1
    value, at = best
    return value, at


def forgotten_pair(n):
    pair = (n, n + 1)
    while n > 0:
        if n % 3 == 1:
            pair = None
        elif n % 3 == 2:
            pair = (n, n)
        n = n - 1
    return pair


def helper_pair(x):
    pair = sides(x)
    if pair is not None:
        low, high = pair
        return low * high
    return -1.0


def unpacked(x):
    pair = None
    if x > 0.0:
        pair = (x, x)
    a, b = pair
    return a + b


def indexed(x):
    pair = [x, x] if x > 0.0 else None
    return pair[0]


def out_of_loop(xs):
    for x in xs:
        if x < 0.0:
            return None
        if x > 4.0:
            return x, x


def kept(x):
    pair = None
    if x > 0.0:
        pair = (x, 1)
    other = pair
    if x > 1.0:
        other = None
    return pair, other, pair is None, other is not None


def newton(x):
    before = None
    while before is None or abs(before - x) > 1e-9:
        before = x
        x = 0.5 * (x + 2.0 / x)
    return x


def until_none(n):
    x = n
    k = 0
    while x is not None:
        k = k + 1
        x = x - 1 if x > 0 else None
    return k


def by_truth(x):
    a = x if x > 0.0 else None
    n = 0
    while a:
        a = a - 1.0 if a > 1.0 else None
        n = n + 1
    return n


def low_and_high(xs):
    low = high = None
    for x in xs:
        if low is None or x < low:
            low = x
        if high is None or x > high:
            high = x
    return low, high


def optional_items(x):
    pair = None
    if x > 0.0:
        pair = (x, None)
        if x > 1.0:
            pair = (x, x)
    return pair


def out_of_sight(x):
    a = x if x > 0.0 else None
    is_missing = lambda: a is None  # noqa: E731
    return is_missing(), [b is None for b in (a, None, x)]


def difference(xs):
    before = None
    total = 0.0
    first = True
    for x in xs:
        if not first:
            total = total + (x - before)
        before = x
        first = False
    return total


def printed(x):
    a = x if x > 1.0 else None
    print("a is", a)
    return a


ROWS = [(xs,) for xs in (XS, -XS, EMPTY)]
NUMBERS = [(x,) for x in (2.0, 0.5, 0.0, -2.0, 1.0)]


def of_a_kind(x):
    pair, number = None, None
    if x > 0:
        pair = (x, x)
    if x > 1:
        number = x + 1
    kinds = 1 if isinstance(pair, tuple) else 0
    if not isinstance(number, type(None)):
        kinds += 2
    return kinds + (4 if isinstance(pair, (tuple, type(None))) else 0)


CASES = [
    *[(largest, row) for row in ROWS],
    *[(first_over, (XS, limit)) for limit in (2.5, 9.0)],
    *[(f, x) for f in (clipped, early, explicit, is_there, default_by_or, default_by_test) for x in NUMBERS],
    *[(f, x) for f in (default_by_expression, guarded, truth, negated, used, used_right) for x in NUMBERS],
    *[(f, x) for f in (ordered, equal, in_tuple, of_helper, through_helper, matched) for x in NUMBERS],
    *[(f, x) for f in (as_bool, number_or_none) for x in NUMBERS],
    *[(f, row) for f in (in_loop, in_loop_value, both_in_loop) for row in ROWS[:2]],
    *[(f, row) for f in (attribute, item) for row in ROWS],
    *[(f, (n,)) for f in (counted, forgets) for n in (0, 1, 2, 7)],
    *[(f, x) for f in (sides, sides_or_none, three_ways_out, helper_pair, kept) for x in NUMBERS],
    *[(f, x) for f in (unpacked, indexed) for x in NUMBERS],
    *[(f, row) for f in (best_with_index, at_least, out_of_loop) for row in ROWS[:2]],
    *[(of_a_kind, x) for x in NUMBERS],
    (at_least, (EMPTY,)),
    *[(forgotten_pair, (n,)) for n in (0, 1, 2, 6)],
    *[(first_pair, (XS, product)) for product in (10.0, 7.0)],
    *[(f, x) for f in (by_truth, optional_items, out_of_sight, printed) for x in NUMBERS],
    *[(f, row) for f in (low_and_high, difference) for row in ROWS],
    *[(until_none, (n,)) for n in (0, 3)],
    (newton, (1.5,)),
    (nested, (XS, XS)),
    (nested, (XS, EMPTY)),
    (whole_array, (XS,)),
    (whole_array, (-np.ones(4),)),
]


@pytest.mark.parametrize(("function", "args"), CASES, ids=lambda value: getattr(value, "__name__", None))
def test_as_python(function, args):
    check(function, *args)


@pytest.mark.parametrize("function", [used, used_right, ordered, indexed])
def test_none_as_a_number_is_pythons_error(function):
    native = outcome(function, (-0.5,))
    staged = outcome(gw.function(function), [tensor(-0.5)])
    assert native == staged

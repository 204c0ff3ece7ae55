"""Turns of loops that store an element into an array copy none, whatever else is returned: seen in the loops that a graph becomes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import graphwright as gw

INDICES = np.array([0, 3, -1, 3, 7, 2, -5, 3, 9, 9] * 20)


def counts():
    return np.zeros(1000, np.int64)


def sums():
    return np.zeros(1000)


def augmented(h, at):
    for i in range(at.shape[0]):
        if at[i] >= 0:
            h[at[i]] += 1
    return h


def explicit(h, at):
    for i in range(at.shape[0]):
        if at[i] >= 0:
            h[at[i]] = h[at[i]] + 1
    return h


def two_arrays(h, g, at):
    for i in range(at.shape[0]):
        if at[i] >= 0:
            h[at[i]] += 1
            g[at[i]] -= h[at[i]]
    return h, g


def one_in_each_arm(h, g, at):
    for i in range(at.shape[0]):
        if at[i] >= 0:
            h[at[i]] += 1
        else:
            g[at[i]] += 1
    return h, g


def in_both_arms(h, at):
    for i in range(at.shape[0]):
        if at[i] >= 0:
            h[at[i]] += 1
        else:
            h[-at[i]] -= 1
    return h


def in_arms_of_arms(h, at):
    for i in range(at.shape[0]):
        if at[i] >= 0:
            if at[i] < 5:
                h[at[i]] += 1
            elif h[at[i]] > 3:
                h[at[i]] -= 2
    return h


def with_jumps(h, at):
    for i in range(at.shape[0]):
        if at[i] < 0:
            continue
        h[at[i]] += 1
        if h[at[i]] > 50:
            break
    return h


def with_returns(h, at):
    for i in range(at.shape[0]):
        if at[i] > 100:
            return h
        if at[i] >= 0:
            h[at[i]] += 1
    return h


def with_a_return_behind_the_store(h, at):
    for i in range(at.shape[0]):
        if at[i] >= 0:
            h[at[i]] += 1
            if h[at[i]] > 30:
                return h
    return h


def of_two_axes(h, at):
    for i in range(at.shape[0]):
        if at[i] >= 0:
            h[at[i], at[i] % 4] += 1.0
    return h


def of_its_own(at):
    h = np.zeros(1000)
    for i in range(at.shape[0]):
        if at[i] >= 0:
            h[at[i]] += 1.0
    return h


def two_of_its_own(at):
    h, g = np.zeros(1000), np.zeros(1000)
    for i in range(at.shape[0]):
        if at[i] >= 0:
            h[at[i]] += 1.0
            g[at[i]] += h[at[i]]
    return {"h": h, "g": g}


def beside_a_number(h, at):
    total = 0
    for i in range(at.shape[0]):
        if at[i] >= 0:
            h[at[i]] += 1
            total += h[at[i]]
    return {"h": h, "total": total}


def twice(h, at):
    return augmented(h, at), h


def raising(h, at):
    for i in range(at.shape[0]):
        if at[i] > 100:
            raise ValueError("too great")
        if at[i] >= 0:
            h[at[i]] += 1
    return h


def add(h, k):
    if k >= 0:
        h[k] += 1


def in_a_function(h, at):
    for i in range(at.shape[0]):
        add(h, at[i])
    return h


def counted_by_hand(h, at):
    i = 0
    while i < at.shape[0]:
        if at[i] >= 0:
            h[at[i]] += 1
        i += 1
    return h


@dataclasses.dataclass
class Held:
    h: np.ndarray


def held():
    return Held(sums())


def in_an_object(one, at):
    for i in range(at.shape[0]):
        if at[i] >= 0:
            one.h[at[i]] += 1
    return one


def image():
    return np.random.default_rng(0).random((30, 40))


def dithered(img):
    n, m = img.shape
    for y in range(n):
        for x in range(m):
            old = img[y, x]
            new = 1.0 if old > 0.5 else 0.0
            img[y, x] = new
            error = old - new
            if x + 1 < m:
                img[y, x + 1] += error * 7 / 16
            if y + 1 < n:
                if x > 0:
                    img[y + 1, x - 1] += error * 3 / 16
                img[y + 1, x] += error * 5 / 16
                if x + 1 < m:
                    img[y + 1, x + 1] += error * 1 / 16
    return img


def table():
    return np.random.default_rng(0).random((30, 40)) - 0.5


def of_rows(a):
    n, m = a.shape
    for i in range(n):
        for j in range(1, m):
            if a[i, j] > 0:
                a[i, j] += a[i, j - 1]
    return a


def of_rows_in_both_arms(a):
    n, m = a.shape
    for i in range(n):
        for j in range(1, m):
            if a[i][j] > a[i][j - 1]:
                a[i][j] -= a[i][j - 1]
            elif a[i, 0] > 0.25:
                a[i, j] = a[i, 0]
    return a, n


CASES = [
    (of_rows, table),
    (of_rows_in_both_arms, table),
    (augmented, counts, INDICES),
    (explicit, counts, INDICES),
    (two_arrays, counts, counts, INDICES),
    (one_in_each_arm, counts, counts, INDICES),
    (in_both_arms, counts, INDICES),
    (in_arms_of_arms, counts, INDICES),
    (with_jumps, counts, INDICES),
    (with_returns, counts, INDICES),
    (with_a_return_behind_the_store, counts, INDICES),
    (of_two_axes, lambda: np.zeros((1000, 4)), INDICES),
    (of_its_own, INDICES),
    (two_of_its_own, INDICES),
    (beside_a_number, counts, INDICES),
    (twice, counts, INDICES),
    (raising, counts, INDICES),
    (in_a_function, counts, INDICES),
    (counted_by_hand, counts, INDICES),
    (in_an_object, held, INDICES),
    (dithered, image),
]


#: These copy the array in the branch that ends the loop.
ENDING = (with_returns, with_a_return_behind_the_store)


def copies(lines, seldom_taken):
    """The loops over elements and the copies in the turns of loops, but for those in branches that are seldom taken.

    A loop that carries nothing and stores one element after the other copies or fills an array.
    """
    found, turns, seldom = [], [], []
    for at, line in enumerate(lines):
        depth, text = len(line) - len(line.lstrip()), line.strip()
        turns = [turn for turn in turns if turn < depth]
        seldom = [one for one in seldom if one < depth]
        is_one = "copy(" in text or (text.startswith("for ") and len(body(lines, at)) <= 4)
        if turns and not seldom and is_one:
            found.append(text)
        if text.startswith(("while ", "for ")):
            turns.append(depth)
        if text.startswith(seldom_taken):
            seldom.append(depth)
    return found


def body(lines, at):
    """The lines of a loop."""
    depth = len(lines[at]) - len(lines[at].lstrip())
    inside = (len(line) - len(line.lstrip()) > depth for line in lines[at + 1 :])
    return [line for line, is_inside in zip(lines[at + 1 :], inside, strict=False) if is_inside]


def parts(result):
    if isinstance(result, dict):
        return list(result.values())
    if isinstance(result, Held):
        return [result.h]
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("roll", [True, "auto"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_no_turn_copies_an_array(case, roll):
    function, *given = case

    def made():
        return [one() if callable(one) else one.copy() for one in given]

    staged = gw.function(function, roll=roll)
    lines = [line for _, line in staged.get_concrete_function(*made())._loops()]
    seldom_taken = ("if ", "else") if function in ENDING else "if cold "
    assert copies(lines, seldom_taken) == [], "\n".join(lines)
    arguments, plain = made(), made()
    found, wanted = staged(*arguments), function(*plain)
    for one, other in zip(parts(found), parts(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other))
    for one, other in zip(arguments, plain, strict=True):
        np.testing.assert_allclose(*(getattr(x, "h", x) for x in (one, other)))

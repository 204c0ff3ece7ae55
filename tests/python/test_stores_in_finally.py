"""A `finally` that stores into what one handler made, where every other way raises: it stores once.

Each runs natively against converted against staged, as a product of containers, stores and ways that raise.
"""

from __future__ import annotations

import itertools

import pytest

from array_programs import function_of
from three_ways import check

PROGRAM = """
class Box: pass
def f(i):
    try:
        if i <= 0: raise ValueError
        {raises}
    except ValueError:
        {made}
    finally:
        {store}
    return {result}
"""
RAISES = {
    "another": "raise KeyError",
    "a division": "1 // (i - i)",
    "both": "if i > 5: raise KeyError\n        raise TypeError",
}
STORES = {
    "item": ("l = [4]", "l[-1] += 1", "l"),
    "append": ("l = [4]", "l.append(i)", "l"),
    "append a number": ("l = [4]", "l.append(1)", "l"),
    "pop": ("l = [4, 5, 6]", "l.pop()", "l"),
    "inner list": ("l = [[4], 5]", "l[0][0] += 1", "l"),
    "alias": ("l = [4]; m = [l, l]", "l[0] += 1", "l, m"),
    "dict": ("l = {1: 4}", "l[1] += 1", "l"),
    "new key": ("l = {1: 4}", "l[len(l) + 1] = 2", "l"),
    "object": ("l = Box(); l.x = 4", "l.x += 1", "l.x"),
    "list of an object": ("l = Box(); l.x = [4]", "l.x.append(1)", "l.x"),
    "tuple": ("l = ([4], 2)", "l[0].append(1)", "l"),
}


@pytest.mark.parametrize(("raises", "stores"), list(itertools.product(RAISES, STORES)))
def test_once(raises, stores):
    made, store, result = STORES[stores]
    text = PROGRAM.format(raises=RAISES[raises], made=made, store=store, result=result)
    f, _ = function_of(text, f"{raises}, {stores}")
    for i in (0, 3, 7):
        check(f, i, refusal=True)

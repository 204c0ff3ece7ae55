"""Lists that grow in a loop of the graph which also stores into them, and jumps out by their length."""

import itertools
import random

import pytest

import graphwright as gw
from list_programs import function_of, plain

LOOPS = {
    "for": ("", "for i in range(n):", ""),
    "while": ("i = -1", "while len(v) < n and i < 9:", "i += 1"),
}
BEGINS = ["[]", "[0]", "[0] * 0"]
TESTS = ["len(v) > 5", "i > 1", "len(v) == 2", "v[-1] > 1", "len(v) > 5 and i > 0"]
JUMPS = ["break", "continue", "return v", "pass"]
STORES = [
    "v[0] = 7",
    "v[0] += 2",
    "v[-1] = 3",
    "v[0], v[-1] = v[-1], v[0]",
    "v[0] = i",
    "w[0] = 5",
    "del v[0]",
]
RESULTS = ["v", "len(v)", "sum(v)", "(v, w)"]
ORDERS = [
    "v.append(i)\nw.append(i)\nif {test}:\n    {jump}\n{store}",
    "if {test}:\n    {jump}\nv.append(i)\nw.append(i)\n{store}",
    "v.append(i)\nw.append(i)\nif {test}:\n    {store}\nelse:\n    {jump}",
]


def indented(text, depth):
    return "".join(f"{'    ' * depth}{line}\n" for line in text.splitlines())


def program(loop, begin, test, jump, store, result, order):
    before, head, first = LOOPS[loop]
    turn = indented(first, 2) + indented(order.format(test=test, jump=jump, store=store), 2)
    text = f"def f(n):\n    v = {begin}\n    w = []\n{indented(before, 1)}    {head}\n{turn}    return {result}\n"
    return function_of(text), text


def outcome(function, n):
    try:
        return plain(function(n))
    except IndexError as error:
        return type(error)


@pytest.mark.parametrize("part", range(8))
def test_lists_keep_all_their_items(part):
    every = list(itertools.product(LOOPS, BEGINS, TESTS, JUMPS, STORES, RESULTS, ORDERS))
    random.Random(7).shuffle(every)
    agreed, refused = 0, []
    for parts in every[part * 40 : part * 40 + 40]:
        f, text = program(*parts)
        staged = gw.function(f)
        for n in (3, 0, 1, 2, 8):
            try:
                found = outcome(staged, gw.constant(n, gw.int64))
            except (TypeError, ValueError) as error:
                refused.append(str(error))
                break
            assert found == outcome(f, n), (text, n)
            agreed += 1
    assert all(refusal.startswith("GW1") for refusal in refused)
    assert agreed > 100


def grown_in_a_branch_that_raises(n):
    items = [3]
    for _ in range(n):
        try:
            if n:
                raise StopIteration
        finally:
            for k in items:
                if k:
                    items.append(0)
    return items


def copies_that_grow_inside(n):
    items = [1]
    for i in range(n):
        copy = items[:]
        for k in range(i + 1):
            if k != 1:
                copy.append(k * 10 + i)
        items.append(sum(copy) % 1000)
        for _ in range(i):
            copy.append(7)
        items.append(len(copy))
    return items


def grown_by_turns(n):
    items = [1, 2]
    for i in range(n):
        if i % 2 == 0:
            copy = items[:]
            for k in range(3):
                copy.append(k)
            items.append(copy[-1] + len(copy))
        else:
            items.append(i)
            rest = items[1:]
            for _ in range(2):
                rest.append(i)
            items.append(len(rest))
    return items


@pytest.mark.parametrize("grown", [copies_that_grow_inside, grown_by_turns])
def test_copies_grow_in_memory_of_their_own(grown):
    staged = gw.function(grown)
    for n in (0, 1, 5, 40):
        assert plain(staged(gw.constant(n, gw.int64))) == grown(n)


def test_a_list_grows_in_a_branch_that_raises_and_behind_it():
    staged = gw.function(grown_in_a_branch_that_raises)
    assert plain(staged(gw.constant(0, gw.int64))) == [3]
    with pytest.raises(StopIteration):
        staged(gw.constant(2, gw.int64))

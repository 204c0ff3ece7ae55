"""Lists that grow in a loop of the graph which also stores into them, and jumps out by their length."""

import itertools
import linecache
import random

import pytest

import graphwright as gw

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


def function_of(loop, begin, test, jump, store, result, order):
    before, head, first = LOOPS[loop]
    turn = indented(first, 2) + indented(order.format(test=test, jump=jump, store=store), 2)
    text = f"def f(n):\n    v = {begin}\n    w = []\n{indented(before, 1)}    {head}\n{turn}    return {result}\n"
    file = f"<growing list {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names["f"], text


def plain(found):
    if isinstance(found, list | tuple):
        return type(found)(plain(one) for one in found)
    return found.item() if isinstance(found, gw.Tensor) else found


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
        f, text = function_of(*parts)
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

"""Lists that branches of the graph change by `del`, `clear`, `append` and stores: every pair of changes, in branches inside branches."""

import itertools

import pytest

import graphwright as gw
from list_programs import function_of, plain

CHANGES = [
    "items.clear(); items.append(n)",
    "items.append(n)",
    "items.clear()",
    "items[:] = [n]",
    "items.pop(); items.append(n)",
    "del items[0]; items.append(n)",
    "items.clear(); items.append(5)",
    "items.insert(0, n)",
    "items.clear(); items.extend([n, n])",
    "del items[0]",
    "del items[:]",
    "items[0] = n",
    "pass",
]
SHAPES = {
    "inside": "if n == 0:\n    {a}\nelse:\n    if n == 1:\n        {b}\n",
    "chain": "if n == 0:\n    {a}\nelif n == 1:\n    {b}\n",
    "match": "match n:\n    case 0:\n        {a}\n    case 1 | 4:\n        {b}\n",
    "in a row": "if n == 0:\n    {a}\nif n == 1:\n    {b}\n",
    "loop": "for k in range(n):\n    if k == 0:\n        {b}\n        items.append(7)\nif n == 0:\n    {a}\n",
}
RESULTS = ["None", "items", "len(items)", "sum(items)"]


def program(shape, a, b, result):
    body = SHAPES[shape].format(a=a, b=b).replace("\n", "\n    ")
    text = f"def f(n):\n    items = [0]\n    {body}return {result}\n"
    return function_of(text)


@pytest.mark.parametrize("shape", SHAPES)
def test_changes_in_branches(shape):
    refused, agreed = [], 0
    for a, b, result in itertools.product(CHANGES, CHANGES, RESULTS):
        f = program(shape, a, b, result)
        staged = gw.function(f)
        for n in (0, 1, 2):
            try:
                found = plain(staged(gw.constant(n)))
            except (TypeError, ValueError) as error:
                refused.append(str(error))
                break
            assert found == f(n), (a, b, result, n)
            agreed += 1
    assert all(refusal.startswith("GW1") for refusal in refused)
    assert agreed > 1200

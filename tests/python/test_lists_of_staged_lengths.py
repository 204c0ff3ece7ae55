"""Lists whose length the graph computes: `[x] * n` and list comprehensions over a range, in programs as people write them."""

from __future__ import annotations

import itertools

import pytest

import graphwright as gw
from array_programs import function_of

MAKERS = {
    "repeat": "xs = [0] * n",
    "repeat reflected": "xs = n * [7]",
    "repeat more": "xs = [0] * (n + 1)",
    "repeat two": "xs = [1, 2] * n",
    "repeat floats": "xs = [0.5] * (2 * n)",
    "repeat bools": "xs = [True] * n",
    "repeat a value": "xs = [n * 2] * n",
    "repeat negative": "xs = [3] * (n - 100)",
    "joined": "xs = [1] + [0] * n",
    "repeat tuple": "xs = [(1, 2.5)] * n; xs = [a for a, b in xs]",
    "comprehension": "xs = [i * i for i in range(n)]",
    "comprehension from": "xs = [i for i in range(2, n)]",
    "comprehension down": "xs = [i for i in range(n, 0, -1)]",
    "comprehension step": "xs = [i for i in range(0, n, 3)]",
    "filtered": "xs = [i for i in range(n) if i % 2]",
    "filtered twice": "xs = [i for i in range(n) if i % 2 if i > 2]",
    "of a filter": "xs = [i for i in range(2, n) if all(i % j for j in range(2, i))]",
    "of constants": "xs = [1 for _ in range(n)]",
    "of conditions": "xs = [i if i < 3 else -i for i in range(n)]",
    "of a call": "def g(k): return k * 2 + n\nxs = [g(i) for i in range(n)]",
    "of a sum": "xs = [sum(j for j in range(i)) for i in range(n)]",
    "over gw.range": "xs = [int(i) for i in gw.range(n)]",
    "over a known range": "xs = [i + n for i in range(4)]",
}

USES = {
    "itself": "return xs",
    "length": "return len(xs)",
    "sum": "return sum(xs)",
    "greatest": "return max(xs + [0])",
    "loop": "s = 0\nfor x in xs:\n    s = s * 2 + x\nreturn s",
    "stores": "for i in range(len(xs)):\n    xs[i] = i + n\nreturn xs",
    "accumulate": "for i in range(1, len(xs)):\n    xs[i] = xs[i] + xs[i - 1]\nreturn xs",
    "append": "xs.append(9)\nreturn xs",
    "last": "return xs[-1] if len(xs) > 0 else -5",
    "past the end": "return xs[n + 200]",
    "repeated in place": "ys = xs\nxs *= n\nreturn ys, xs is ys",
    "repeated attribute": "class Box: pass\nb = Box()\nb.xs = xs\nb.xs *= n\nreturn xs",
    "repeated item": "d = {'a': xs}\nd['a'] *= 2\nreturn xs",
    "extended": "ys = xs\nxs.extend(range(n))\nreturn ys",
    "range added": "xs += range(n)\nreturn xs",
    "range beside": "return [1, 2] + list(xs) + range(n)",
    "range compared": "return range(n) == range(n), len(range(n)), 2 in range(n)",
    "range negated": "return -range(n)",
    "contains": "return 3 in xs, len(xs) > 2 and xs[2] == 4",
    "alias": "ys = xs\nif n > 2:\n    ys.append(1)\nreturn len(xs)",
}


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.numpy().item() if isinstance(value, gw.Tensor) else value


def outcome(call):
    try:
        return plain(call())
    except Exception as error:
        return "GW" if str(error).startswith("GW") else type(error).__name__


@pytest.mark.parametrize(("maker", "use"), list(itertools.product(MAKERS, USES)))
def test_programs(maker, use):
    lines = [*MAKERS[maker].splitlines(), *USES[use].splitlines()]
    f, _ = function_of("def f(n):\n" + "".join(f"    {line}\n" for line in lines), f"{maker}, {use}")
    tensors, numbers = gw.function(f), gw.function(f, python_numbers="staged")
    for n in (5, 0, 1, 12):
        expected = plain(outcome(lambda n=n: f(n)))
        for found in (outcome(lambda n=n: tensors(gw.constant(n))), outcome(lambda n=n: numbers(n))):
            assert found == expected or (found == "GW" and (maker, use) in REFUSED), n


#: Programs that are refused: a range has no operators in the graph.
REFUSED = {
    (maker, use)
    for maker in MAKERS
    for use in ("range added", "range beside", "range compared", "range negated")
}


def test_knapsack_and_sieve():
    def sieve(n):
        flags = [True] * (n + 1)
        count = 0
        for p in range(2, n + 1):
            if flags[p]:
                count += 1
                for m in range(p * p, n + 1, p):
                    flags[m] = False
        return count

    def knapsack(n):
        weights, values = [1, 3, 4, 5], [1, 4, 5, 7]
        best = [0] * (n + 1)
        for i in range(4):
            for w in range(n, weights[i] - 1, -1):
                best[w] = max(best[w], best[w - weights[i]] + values[i])
        return best[n]

    for f in (sieve, knapsack):
        g = gw.function(f)
        assert [g(gw.constant(n)).item() for n in (1, 10, 50)] == [f(n) for n in (1, 10, 50)]

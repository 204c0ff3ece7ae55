"""Lists and dicts of the graph that a comprehension reads while it runs over them, and those that it changes."""

import linecache
import random

import pytest

import graphwright as gw

GROWN = {
    "L": "L = []\n    for i in range(n):\n        L.append(i + 1)",
    "D": "D = {}\n    for i in range(n):\n        D[i] = i * 2 + 1",
}

READS = {
    "L": [
        "x / sum(L)",
        "x - max(L)",
        "x - L[0]",
        "x + L[-1] * len(L)",
        "L.index(x)",
        "L.count(x)",
        "(x in L) + 0",
    ],
    "D": ["D[x]", "D.get(x, 0)", "D.get(x + 1, 7)", "x + len(D)", "x * sum(D.values())", "(x in D) + 0"],
}


def compiled(lines):
    text = "def f(n):\n    " + "\n    ".join(lines) + "\n"
    path = f"<{text}>"
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    names = {}
    exec(compile(text, path, "exec"), names)
    return names["f"]


def plain(value):
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.item() if isinstance(value, gw.Tensor) else value


def agree(lines):
    f = compiled(lines)
    staged = gw.function(f)
    for n in (0, 1, 4):
        assert plain(staged(gw.constant(n, gw.int64))) == pytest.approx(plain(f(n))), (lines, n)


@pytest.mark.parametrize(("name", "read"), [(name, read) for name, reads in READS.items() for read in reads])
def test_reads_do_not_change_anything(name, read):
    agree([GROWN[name], f"return [{read} for x in {name}]"])


WHILE_IT_GROWS = [
    "sum(k * 2 for k in D)",
    "sum(k for j, k in enumerate(D))",
    "sum(j for j, k in zip(D, D))",
    "sum(map(abs, D))",
    "sum(filter(None, D))",
    "max((k for k in D), default=0)",
    "max(D, default=0)",
    "len(list(D))",
    "len([k for k in D if k in D])",
    "sum(D[k] for k in D)",
    "sum(D.get(k, 0) for k in D)",
    "sum(k * v for k, v in D.items())",
]


@pytest.mark.parametrize("read", WHILE_IT_GROWS)
def test_a_dict_is_iterated_before_anything_is_in_it(read):
    agree(
        ["D = {}", "t = 0", "for i in range(n):", f"    t = t * 3 + {read}", "    D[i] = i + 1", "return t"]
    )


def test_programs_that_read_containers_in_loops_and_comprehensions_over_them():
    chosen = random.Random(20_731)
    for _ in range(25):
        name = chosen.choice(["L", "D"])
        read, other = (chosen.choice(READS[name]) for _ in range(2))
        taker = chosen.choice(["[{} for x in {}]", "sum({} for x in {})", "max(({} for x in {}), default=0)"])
        over = chosen.choice([name, f"{name}.copy()", f"list({name})"])
        agree([GROWN[name], f"t = {taker.format(f'{read} - ({other})', over)}", "return t"])


CHANGES = ["L.pop()", "L.append(x)", "L.sort()", "L.clear()", "L.insert(0, x)"]


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_refused(change):
    f = compiled([GROWN["L"], f"return [({change}, x)[1] for x in L]"])
    with pytest.raises(ValueError, match="this list is changed while an iterator runs over it"):
        gw.function(f)(gw.constant(3, gw.int64))

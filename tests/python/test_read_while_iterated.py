"""Lists and dicts of the graph that a comprehension reads while it runs over them, and those that it changes."""

import linecache

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

TAKERS = [
    "[{} for x in {}]",
    "sum({} for x in {})",
    "max(({} for x in {}), default=0)",
    "all({} >= 0 for x in {})",
    "sum([{} for x in {}])",
]


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


CHANGES = ["L.pop()", "L.append(x)", "L.sort()", "L.clear()", "L.insert(0, x)"]


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_refused(change):
    f = compiled([GROWN["L"], f"return [({change}, x)[1] for x in L]"])
    with pytest.raises(ValueError, match="this list is changed while an iterator runs over it"):
        gw.function(f)(gw.constant(3, gw.int64))

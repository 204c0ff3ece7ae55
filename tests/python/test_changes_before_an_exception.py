"""Changes of places that get other objects between the calls, before an exception of the program: they happen once."""

import itertools

import pytest

import graphwright as gw

PROGRAM = """
class Box:
    pass

BOX, COUNT = Box(), 0

def f(x, n):
    global COUNT
    for _ in range(n):
        {change}
    {more}
    if n == 1:
        {end}
    return x + BOX.x + COUNT + len(BOX.items)
"""
CHANGES = (
    "BOX.x += 1",
    "BOX.items.append(n)",
    "BOX.table[n] = 4",
    "COUNT += 1",
    "BOX.items = [*BOX.items, 3]",
)
MORE = ("pass", "BOX.new = False", "BOX.y = x")
ENDS = (
    "raise ValueError(n)",
    "return missing",
    "del late",
    "return BOX.items[9]",
    "return [][n]",
    "assert n > 1, n",
)


def outcome(names, function, arguments):
    """Answer and state behind a call, from the same state each time."""
    box = names["BOX"]
    vars(box).clear()
    box.x, box.items, box.table, names["COUNT"] = 2, [2], {}, 0
    try:
        found = int(function(*arguments))
    except Exception as error:
        found = repr(error)
    left = [box.x, list(box.items), dict(box.table), names["COUNT"], "new" in vars(box)]
    return found, [int(part) if isinstance(part, gw.Tensor) else part for part in left]


@pytest.mark.parametrize("more", MORE)
@pytest.mark.parametrize("change", CHANGES)
def test_what_comes_before_an_exception_happens_once(change, more, tmp_path):
    for number, end in enumerate(ENDS):
        names = {}
        for way in ("plain", "graph"):
            file = tmp_path / f"{way}{number}.py"
            file.write_text(PROGRAM.format(change=change, more=more, end=end))
            names[way] = {"__name__": f"{way}{number}"}
            exec(compile(file.read_text(), file, "exec"), names[way])
        graph = gw.function(names["graph"]["f"])
        for n in itertools.chain([3, 3], [1, 3, 1, 2, 1]):
            wanted = outcome(names["plain"], names["plain"]["f"], (7, n))
            assert outcome(names["graph"], graph, (gw.constant(7), n)) == wanted, (end, n)

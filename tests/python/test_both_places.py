"""A name that becomes two things: the message shows the statement and both places where the name gets its value."""

import pytest

import graphwright as gw

DTYPES = """
def f(x):
    if x > 10:
        y = gw.constant("text")
        z = 1
    else:
        z = 2
        y = x
    return y, z
"""

ONE_BRANCH = """
def f(x):
    y = range(4)
    if x > 10:
        y = None
    return y
"""

LOOP = """
def f(x):
    total = gw.constant(0)
    for i in range(x):
        if i > 2:
            total = total + 1
        total = gw.constant("text")
    return total
"""

PARAMETER = """
def f(x, *, w=None):
    while x > 0:
        x = x - 1
        w = range(1)
    return w
"""

RETURNED = """
def f(x):
    if x > 1:
        return "text"
    return x
"""

ATTRIBUTE = """
class Box: pass
def f(x):
    box = Box()
    box.v = "text"
    while x > 0:
        x = x - 1
        box.v = 3
    return box.v
"""

CASES = [
    ("GW101", DTYPES, {3: "both branches", 4: "`string` if it is true", 8: "`int32` if it is false"}),
    (
        "GW103",
        ONE_BRANCH,
        {4: "both branches", 5: "`None` if it is true", 3: "a `range` of 4 if it is false"},
    ),
    ("GW102", LOOP, {4: "this loop", 3: "`int32` before the loop", 7: "`string` after an iteration"}),
    (
        "GW104",
        PARAMETER,
        {3: "this loop", 2: "`None` before the loop", 5: "a `range` of 1 after an iteration"},
    ),
    ("GW103", RETURNED, {3: "both branches", 4: "a `str` of 4 if it is true", 5: "`int32` if it is false"}),
    (
        "GW104",
        ATTRIBUTE,
        {6: "this loop", 5: "a `str` of 4 before the loop", 8: "Python `int` after an iteration"},
    ),
]


@pytest.mark.parametrize(("code", "source", "places"), CASES)
def test_places(code, source, places, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(source)
    names = {"__name__": "program", "gw": gw}
    exec(compile(source, str(file), "exec"), names)
    with pytest.raises((TypeError, ValueError), match=code) as caught:
        gw.function(names["f"])(gw.constant(3))
    shown = str(caught.value).splitlines()
    found = {}
    for line, caret in zip(shown, shown[1:]):
        number, bar, _ = line.partition("|")
        if bar and number.strip().isdigit():
            found[int(number)] = caret
    assert found.keys() == places.keys()
    for line, text in places.items():
        assert text in found[line]

"""Lists that one branch empties, and of which another one that raises deletes an item."""

from __future__ import annotations

import pytest

import graphwright as gw
from array_programs import function_of

RAISES = [
    "if late:\n            {change}",
    "print(late)\n        {change}",
    "raise KeyError\n        {change}",
]
CHANGES = ["del xs[0]", "xs.pop(0)", "xs[0] = n"]
OTHERS = ["xs.clear()", "del xs[:]", "xs[0] = 9", "xs.pop()"]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("other", OTHERS)
def test_the_branch_that_is_taken_decides(change, other):
    for raises in RAISES:
        body = raises.format(change=change)
        text = (
            f"def f(n):\n    xs = [4]\n    if n > 5:\n        {body}\n    else:\n        {other}\n"
            "    if n > 100:\n        late = 1\n    return n\n"
        )
        function, _ = function_of(text, f"{raises} {change} {other}")
        try:
            ours = gw.function(function)(gw.constant(1))
        except ValueError as error:
            assert str(error).startswith("GW103"), text  # noqa: PT017
            continue
        assert ours == function(1), text


#: Lists that a loop fills and that a tuple returns from a branch of it.
RETURNED = {
    "pair": "xs.append(i)\n        if i > 3: return i, xs\n    return 0, xs",
    "two lists": "xs.append(i); ys.append(i * 2)\n        if i > 3: return i, (xs, ys)\n    return 0, (xs, ys)",
    "at first": "xs.append(i)\n        if n > 3: return xs, 1\n    return xs, 2",
    "branch": "xs.append(i)\n    if n > 3: return n, xs\n    xs.append(7)\n    return 1, xs",
}


@pytest.mark.parametrize("name", RETURNED)
def test_a_tuple_returns_lists_that_change(name):
    text = f"def f(n):\n    xs = []; ys = []\n    for i in range(n):\n        {RETURNED[name]}\n"
    f, _ = function_of(text, f"returned {name}")
    graph = gw.function(f)
    for n in (6, 2, 0, 9, 4):
        found = graph(gw.constant(n))
        assert plain(found) == plain(f(n)), (name, n)
        assert type(found) is type(f(n))


def plain(value):
    return [plain(item) for item in value] if isinstance(value, list | tuple) else int(value)


def test_a_list_that_is_returned_twice_is_one():
    text = "def f(n):\n    xs = []\n    for i in range(n):\n        xs.append(i)\n        if i > 3: return xs, xs\n    return xs, xs\n"
    with pytest.raises(ValueError, match="GW130"):
        gw.function(function_of(text, "returned twice")[0])(gw.constant(3))


#: A list is returned, and changed by what runs behind the `return`.
CHANGED_BEHIND = {
    "both": "try:\n    if n > 3: return xs\n    return xs\nfinally:\n    xs.append(9)",
    "one": "try:\n    if n > 3: return xs\nfinally:\n    xs.append(9)\nreturn xs + [1]",
    "inner": "try:\n    try:\n        if n > 3: return xs\n    finally:\n        xs.append(9)\n    xs.append(2)\nfinally:\n    xs.append(5)\nreturn xs",
    "loop": "try:\n    for i in range(n):\n        xs.append(i)\n        if i > 3: return xs\nfinally:\n    xs.append(9)\nreturn xs",
    "branch": "try:\n    if n > 3: return xs\n    return xs\nfinally:\n    if n > 4: xs.append(9)",
    "known": "try:\n    return xs\nfinally:\n    xs.append(9)",
    "with": "with Appending(xs):\n    if n > 3: return xs\n    return xs",
    "unchanged": "try:\n    if n > 3: return n\n    return n + 1\nfinally:\n    xs.append(9)",
}


APPENDING = """
class Appending:
    def __init__(self, xs):
        self.xs = xs

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.xs.append(9)

"""

#: Those of which each path returns the list.
CARRIED = ["both", "branch", "known", "unchanged"]


def told(call):
    try:
        return plain(call())
    except ValueError as error:
        return str(error)[:2]


@pytest.mark.parametrize("name", CHANGED_BEHIND)
def test_a_finally_changes_what_is_returned(name):
    lines = "".join(f"    {line}\n" for line in CHANGED_BEHIND[name].splitlines())
    f, _ = function_of(
        f"{APPENDING}def f(n):\n    xs = []\n    for i in range(n): xs.append(i)\n{lines}", f"behind {name}"
    )
    graph = gw.function(f)
    for n in (6, 2, 0, 9, 4):
        found = told(lambda n=n: graph(gw.constant(n)))
        assert found in (plain(f(n)), "GW"), (name, n)
        assert found != "GW" or name not in CARRIED, name


def test_a_tuple_that_a_finally_may_change_is_refused():
    text = "def f(n):\n    xs = []\n    for i in range(n): xs.append(i)\n    try:\n        if n > 3: return n, xs\n"
    f, _ = function_of(f"{text}        return n, xs\n    finally:\n        xs.append(9)\n", "behind a pair")
    with pytest.raises(ValueError, match="GW130"):
        gw.function(f)(gw.constant(3))

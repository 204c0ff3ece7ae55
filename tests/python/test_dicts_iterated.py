"""Loops of Python's over dicts while statements of the graph in them change the dict: plain Python's answer, or a refusal.

Python's iterator goes on by the position of an entry, and each statement of the graph is traced several times.
"""

from __future__ import annotations

import itertools

import pytest

import graphwright as gw
from array_programs import function_of

SOURCES = ["d", "d.items()", "d.values()", "d.keys()", "enumerate(d)", "list(d)"]
HOLES = ["", "d.pop('a')", "del d['b']; d['b'] = 7"]
STATEMENTS = {
    "store": "while i < n:\n            d['c'] = d['c'] + 1\n            i += 1",
    "put back": "while i < n:\n            d['c'] = d.pop('c') + 1\n            i += 1",
    "never run": "while i < n and n < 0:\n            d['c'] = d.pop('c')\n            i += 1",
    "branch": "if n > 1:\n            d['c'] = d.pop('c') + n",
    "none": "s += 0",
}

PROGRAM = """\
def f(n):
    d = {{'a': 1, 'b': 2, 'c': 3, 'd': 4}}
    {hole}
    s = t = 0
    for _ in {source}:
        i = 0
        {statement}
        s += d['c']
        t += 1
    return s, t, list(d)
"""


def outcome(call, n):
    """The result of a call, or the class of the exception that Python raises."""
    try:
        s, t, keys = call(n)
    except RuntimeError as error:
        return type(error)
    return int(s), int(t), keys


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_loop_gives_what_python_gives_or_is_refused(statement):
    agreed = 0
    for source, hole in itertools.product(SOURCES, HOLES):
        text = PROGRAM.format(source=source, hole=hole or "pass", statement=STATEMENTS[statement])
        function, _ = function_of(text, f"{source} {hole} {statement}")
        staged = gw.function(function)
        for n in (0, 1, 2, 3):
            native = outcome(function, n)
            try:
                ours = outcome(staged, gw.constant(n))
            except ValueError as error:
                assert str(error).startswith("GW10"), (text, error)  # noqa: PT017
                continue
            assert native == ours, (text, n)
            agreed += 1
    assert agreed or statement not in ("store", "none")


def test_the_refusal_names_the_loop_and_its_remedy_works():
    def disturbed(d, n):
        for key in d:
            while n > 3:
                d["c"] = d.pop("c")
                n -= 1
            n += d[key]
        return n

    def copied(d, n):
        for key in list(d):
            while n > 3:
                d["c"] = d.pop("c")
                n -= 1
            n += d[key]
        return n

    given = {"b": 1, "c": 2}
    with pytest.raises(ValueError, match=r"GW104: .* keys of the dict that this loop runs over") as caught:
        gw.function(lambda n: disturbed(dict(given), n))(gw.constant(2))
    assert "for key in list(d):" in str(caught.value)
    assert gw.function(lambda n: copied(dict(given), n))(gw.constant(5)) == copied(dict(given), 5)


OTHERS = {
    "an empty one": "if v > a: D = {}",
    "one of the same keys": "if v > a: D = {1: b, 2: a}",
    "none": "pass",
}

REBOUND = """def f(a, b):
    D = {{}}
    for i in range({turns}): D[i + 1] = [a, b][i]
    t = 0
    for k, v in D.items():
        {rebind}
        {change}
        t += v
    return t + len(D)"""


def ended(call, *given):
    """The result of a call, or "error" for the exception that Python raises, or the text of a refusal."""
    try:
        return int(call(*given))
    except RuntimeError:
        return "error"
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("turns", ["2", "a - a + 2"])
@pytest.mark.parametrize("rebind", OTHERS)
@pytest.mark.parametrize("change", ["D[k + 10] = v", "D[k] = v + 1", "t += D.get(k, 3)"])
def test_a_dict_that_a_branch_may_rebind_is_not_changed_while_a_loop_runs_over_it(turns, rebind, change):
    text = REBOUND.format(turns=turns, rebind=OTHERS[rebind], change=change)
    function, _ = function_of(text, f"{turns} {rebind} {change}")
    may_be_refused = rebind != "none" and change.startswith("D")
    staged = gw.function(function)
    for given in ((5, 2), (2, 5)):
        ours = ended(staged, *(gw.constant(number) for number in given))
        refused = "GW130: the graph decides whether a list, dict or set that is changed here" in str(ours)
        assert ours == ended(function, *given) or (refused and may_be_refused), (text, ours)

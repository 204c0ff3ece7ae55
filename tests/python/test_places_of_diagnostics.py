"""Diagnostics point at the user's own line: not into Python's library, and not at the call alone."""

from __future__ import annotations

import textwrap
from collections import Counter

import numpy as np
import pytest

import graphwright as gw


def lines_of(refusal):
    """The files and lines that a diagnostic points at, in order."""
    return [
        line.split("-->")[1].strip().rsplit(":", 2)[0]
        for line in str(refusal.value).splitlines()
        if "-->" in line
    ]


def test_a_line_of_pythons_library_stands_behind_the_users():
    def counted(a, b):
        return sum(Counter([a, b]).values())

    with pytest.raises(TypeError, match="GW108") as refusal:
        gw.function(counted)(gw.constant(1), gw.constant(2))
    own, library = lines_of(refusal)
    assert own == __file__
    assert library.endswith("collections/__init__.py")
    assert "Counter([a, b])" in str(refusal.value)
    assert "here, in Python's library" in str(refusal.value)


def test_code_of_the_users_that_a_library_calls_is_the_users(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    text = "def hashed(x):\n    return hash(x)\n"
    (folder / "own_package.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    import own_package

    with pytest.raises(TypeError, match="GW108") as refusal:
        gw.function(lambda x: own_package.hashed(x))(gw.constant(1))
    assert lines_of(refusal)[0] == str(folder / "own_package.py")


def test_an_array_that_is_given_twice_is_shown_where_it_is_stored_into():
    def stored(a, b):
        c = a
        c[0] = b[1]
        return c.sum()

    array = np.zeros(3)
    with pytest.raises(ValueError, match="GW122: `a` is stored into") as refusal:
        gw.function(stored)(array, array)
    text = str(refusal.value)
    assert text.index("c[0] = b[1]") < text.index("stored into here")
    assert text.index("stored into here") < text.index("called here")


UNFIT = {
    "GW202": lambda x: x + gw.constant([1, 2, 3, 4]),
    "GW205": lambda x: x[6],
}


@pytest.mark.parametrize("code", UNFIT)
def test_operands_that_do_not_fit_have_a_remedy(code):
    for call in (UNFIT[code], gw.function(UNFIT[code])):
        with pytest.raises((ValueError, IndexError), match=f"(?s){code}: .*help: ") as refusal:
            call(gw.constant([1, 2, 3]))
        assert textwrap.dedent(str(refusal.value)).startswith(code)


def test_the_step_of_a_slice_that_the_graph_decides_is_refused():
    def sliced(x):
        try:
            return [1, 2, 3][::x]
        except IndexError:
            return -1

    def repaired(x):
        out = []
        for i in range(0, 3, x):
            out.append([1, 2, 3][i])
        return out

    with pytest.raises(TypeError, match="GW108: the graph decides the step of a slice") as refusal:
        gw.function(sliced)(gw.constant(2))
    assert "`for i in range(start, stop, step): out.append(xs[i])`" in str(refusal.value)
    assert [int(x) for x in gw.function(repaired)(gw.constant(2))] == repaired(2)

"""Annotations are evaluated by nobody but who asks for them: their names may have no value, or get one later."""

import sys

import pytest

import graphwright as gw

TEXT = """
def doubled(x: Unknown, n: Missing = 3) -> Nowhere:
    y: Absent = x
    while y < 10:
        y = y * n
    return y
"""


@pytest.mark.skipif(sys.version_info < (3, 14), reason="a `def` evaluates its annotations before 3.14")
def test_names_of_annotations_without_a_value(tmp_path):
    path = tmp_path / "late.py"
    path.write_text(TEXT, encoding="utf-8")
    names = {"__name__": "late", "__file__": str(path)}
    exec(compile(TEXT, str(path), "exec"), names)
    doubled = gw.function(names["doubled"])
    assert [doubled(gw.constant(2)).item() for _ in range(2)] == [18, 18]
    with pytest.raises(NameError, match="Unknown"):
        names["doubled"].__annotations__


def test_annotations_that_were_set_are_kept():
    def doubled(x):
        while x < 10:
            x = x * 2
        return x

    doubled.__annotations__ = {"x": "a number"}
    assert gw.function(doubled)(gw.constant(3)).item() == 12
    assert gw.autograph.to_graph(doubled).__annotations__ == {"x": "a number"}

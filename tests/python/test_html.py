"""HTML for notebooks: elements, types and texts are there, and escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import graphwright as gw


class Balance(HTMLParser):
    """Checks that each element is closed in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def shown(value):
    html = value._repr_html_()
    checker = Balance()
    checker.feed(html)
    assert checker.open == []
    return re.sub(r"<[^>]*>", "|", html)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (gw.constant(1.5), ["Tensor", "float32, a scalar", "1.5"]),
        (gw.constant([[1, 2], [3, 4]]), ["int32 [2, 2]", "min 1, mean 2.5, max 4", "|3|", "|4|"]),
        (gw.constant(np.arange(100.0)), ["float64 [100]", "|3|", "…", "|96|"]),
        (gw.constant([np.nan, 1.0, 2.0]), ["1 not finite", "nan"]),
        (gw.constant("a<b"), ["a&lt;b"]),
        (gw.constant(["x", "<i>"]), ["string [2]", "&lt;i&gt;"]),
        (gw.zeros([0, 3]), ["float32 [0, 3]"]),
        (gw.zeros([2, 3, 4]), ["float32 [2, 3, 4]", "[[["]),
        (gw.constant([True, False]), ["bool [2]", "True"]),
        (gw.Variable([1.0, 2.0], name="weights"), ["Variable weights", "float32 [2]", "|2|"]),
        (gw.data.Dataset.range(5), ["Dataset", "5 elements", "int64, a scalar"]),
        (gw.data.Dataset.range(2).repeat(), ["without end"]),
    ],
)
def test_values(value, words):
    found = shown(value)
    for word in words:
        assert word in found


def test_datasets_of_structures():
    dataset = gw.data.Dataset.from_tensor_slices({"x": np.zeros((3, 2), np.float32), "y": [1, 2, 3]})
    found = shown(dataset.batch(2))
    assert "[&#x27;x&#x27;]" in found and "float32 [?, 2]" in found


def test_functions_and_graphs():
    def scale(x):
        return x * 2.0

    function = gw.function(scale)
    assert "0 calls, 0 graphs" in shown(function)
    function(gw.constant(1.0))
    function(gw.constant([1.0]))
    assert "2 calls, 2 graphs" in shown(function) and "Retraces" in shown(function)
    concrete = function.get_concrete_function(gw.TensorSpec([None], gw.float32))
    assert "ConcreteFunction scale" in shown(concrete) and "%x: f32[?0]" in shown(concrete)
    assert "func @scale" in shown(concrete.graph)


def test_tensors_of_a_graph_have_a_type_alone():
    seen = []

    @gw.function
    def look(x):
        seen.append(gw.autograph.do_not_convert(lambda: shown(x))())
        return x

    look(gw.constant([1.0, 2.0]))
    assert "Tensor of a graph" in seen[0] and "float32 [2]" in seen[0]

# ruff: noqa: F722, F821
"""`graphwright.typing`: annotations that are specs, and signatures of functions that have them."""

from __future__ import annotations

import pytest

import graphwright as gw
from graphwright.typing import Bool, Float32, Float64, Int32, Int64, String, signature_of


@pytest.mark.parametrize(
    ("annotation", "spec"),
    [
        (Float32["batch 784"], gw.TensorSpec([None, 784], gw.float32)),
        (Float64["n n"], gw.TensorSpec([None, None], gw.float64)),
        (Int32[""], gw.TensorSpec([], gw.int32)),
        (Int64["_ 3"], gw.TensorSpec([None, 3], gw.int64)),
        (Bool["..."], gw.TensorSpec(None, gw.bool)),
        (String["batch ..."], gw.TensorSpec(None, gw.string)),
        (Float32[gw.Tensor, "2"], gw.TensorSpec([2], gw.float32)),
    ],
    ids=repr,
)
def test_specs(annotation, spec):
    assert annotation.spec == spec


def test_annotations_are_values():
    assert Float32["n"] == Float32["n"]
    assert hash(Float32["n"]) == hash(Float32["n"])
    assert Float32["n"] != Float32["m"]
    assert Float32["n"] != Float64["n"]
    assert repr(Float32["n 3"]) == "Float32['n 3']"


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (3, TypeError, 'takes a text such as "batch 784"'),
        ("n-1", ValueError, "`n-1` is neither a number nor a name"),
        ("-3", ValueError, "`-3` is neither"),
    ],
)
def test_wrong_texts(key, error, message):
    with pytest.raises(error, match=message):
        Float32[key]


def test_annotations_are_the_signature():
    @gw.function
    def scaled(x: Float32["n 2"], by: gw.TensorSpec([], gw.float32)):
        return x * by

    assert scaled.input_signature == (gw.TensorSpec([None, 2], gw.float32), gw.TensorSpec([], gw.float32))
    assert scaled(gw.zeros([3, 2]), 2).shape == (3, 2)
    assert scaled(gw.zeros([4, 2]), 3).shape == (4, 2)
    assert scaled.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="GW302"):
        scaled(gw.zeros([3, 3]), 2)


def test_a_given_signature_goes_first():
    @gw.function(input_signature=[gw.TensorSpec([None], gw.int32)])
    def f(x: Float32["n 2"]):
        return x

    assert f.input_signature == (gw.TensorSpec([None], gw.int32),)


def test_methods():
    class Model:
        @gw.function
        def step(self, x: Float32["n"]):
            return x + 1.0

    assert Model().step([1.0, 2.0]).tolist() == [2.0, 3.0]


def test_functions_that_are_annotated_in_part_have_none():
    def part(x: Float32["n"], y): ...
    def number(x: Float32["n"], y: int): ...
    def keyword(x: Float32["n"], *, y: Float32["n"]): ...
    def several(*x: Float32["n"]): ...
    def nothing(): ...
    def unknown(x: NotThere["n"]): ...

    for function in (part, number, keyword, several, nothing, unknown):
        assert signature_of(function) is None, function.__name__


def test_annotations_that_are_objects():
    def f(x): ...

    f.__annotations__ = {"x": Int32["n"]}
    assert signature_of(f) == [gw.TensorSpec([None], gw.int32)]

"""`gw.debugging`, `gw.Assert`, `gw.ensure_shape`, and where `gw.print` writes."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import graphwright as gw
from host_ways import plainly, staged, three_ways

Wrong = gw.errors.InvalidArgumentError


def fails(way, f, *args):
    with pytest.raises(Wrong) as caught:
        way(f, *args)
    return str(caught.value)


COMPARISONS = [
    ("assert_equal", "x == y", [1.0, 2.0], [1.0, 2.0], [1.0, 3.0]),
    ("assert_none_equal", "x != y", [1.0, 2.0], [2.0, 1.0], [1.0, 3.0]),
    ("assert_less", "x < y", [1.0, 2.0], [2.0, 3.0], [2.0, 2.0]),
    ("assert_less_equal", "x <= y", [1.0, 2.0], [1.0, 3.0], [0.0, 2.0]),
    ("assert_greater", "x > y", [1.0, 2.0], [0.0, 1.0], [1.0, 1.0]),
    ("assert_greater_equal", "x >= y", [1.0, 2.0], [1.0, 1.0], [2.0, 1.0]),
    ("assert_near", "x and y not equal to tolerance", [1.0, 2.0], [1.0, 2.0 + 2e-7], [1.0, 2.01]),
]


@three_ways
@pytest.mark.parametrize("name, text, x, fine, wrong", COMPARISONS)
def test_comparisons(way, name, text, x, fine, wrong):
    judge = getattr(gw.debugging, name)

    def f(x, y):
        judge(x, y, message="so it is")
        return x

    x, fine, wrong = (gw.constant(one) for one in (x, fine, wrong))
    assert np.array_equal(way(f, x, fine), x)
    said = fails(way, f, x, wrong)
    assert said.startswith(f"so it is\nCondition {text} did not hold.\nx = [1 2]\ny = [")


SIGNS = [
    ("assert_positive", "x > 0", [1.0, 2.0], [1.0, 0.0]),
    ("assert_non_negative", "x >= 0", [1.0, 0.0], [1.0, -1.0]),
    ("assert_negative", "x < 0", [-1.0], [0.0]),
    ("assert_non_positive", "x <= 0", [-1.0, 0.0], [1.0]),
]


@three_ways
@pytest.mark.parametrize("name, text, fine, wrong", SIGNS)
def test_signs(way, name, text, fine, wrong):
    judge = getattr(gw.debugging, name)

    def f(x):
        judge(x)
        return x

    way(f, gw.constant(fine))
    way(f, gw.constant([], gw.float32))
    assert f"Condition {text} did not hold element-wise:\nx = " in fails(way, f, gw.constant(wrong))


@three_ways
def test_assert_shows_its_data(way):
    def f(x):
        gw.Assert(gw.reduce_all(x > 0), ["found", x, 3], summarize=1)
        return x

    way(f, gw.constant([1, 2]))
    assert fails(way, f, gw.constant([1, 2, 0, 4])) == "assertion failed: found [1 ... 4] 3"


@three_ways
def test_only_where_the_program_comes(way):
    def f(x, n):
        for i in gw.range(n):
            if x > 0:
                gw.debugging.assert_less(i, 2)
        return x

    way(f, gw.constant(-1.0), gw.constant(5))
    way(f, gw.constant(1.0), gw.constant(2))
    assert "x = 2\ny = 2" in fails(way, f, gw.constant(1.0), gw.constant(5))


@three_ways
def test_what_is_raised_can_be_caught(way):
    def f(x):
        try:
            gw.debugging.assert_positive(x)
        except gw.errors.InvalidArgumentError:
            x = -x
        return x

    assert way(f, gw.constant(-2.0)) == 2.0 and way(f, gw.constant(2.0)) == 2.0


@three_ways
def test_the_users_own(way):
    def f(x):
        if x < 0:
            raise gw.errors.InvalidArgumentError("it is negative")
        return x

    assert way(f, gw.constant(1)) == 1
    assert fails(way, f, gw.constant(-1)) == "it is negative"


@three_ways
def test_finite(way):
    def f(x):
        return gw.debugging.check_numerics(x, "weights") + gw.debugging.assert_all_finite(x, "again")

    assert np.array_equal(way(f, gw.constant([1.0, 2.0])), [2.0, 4.0])
    for wrong in (np.inf, np.nan):
        assert fails(way, f, gw.constant([1.0, wrong])).startswith(
            "weights : Tensor had infinite or NaN values: [1 "
        )
    with pytest.raises(TypeError, match="takes floats and complex numbers, not int32"):
        way(f, gw.constant([1]))


@three_ways
def test_what_is_known_at_once(way):
    x = gw.constant([[1.0]])
    for name, args, kind in [
        ("rank", (1,), ValueError),
        ("rank_at_least", (3,), ValueError),
        ("type", (gw.int32,), TypeError),
    ]:
        judge = getattr(gw.debugging, f"assert_{name}")
        with pytest.raises(kind):
            way(lambda x: judge(x, *args), x)
    way(lambda x: (gw.debugging.assert_rank(x, 2), gw.debugging.assert_rank_at_least(x, 1)), x)
    way(lambda x: (gw.debugging.assert_type(x, gw.float32), gw.debugging.assert_integer(gw.constant(1))), x)
    with pytest.raises(TypeError):
        way(gw.debugging.assert_integer, x)
    with pytest.raises(ValueError):
        way(gw.debugging.assert_scalar, x)


@three_ways
def test_ensure_shape(way):
    x = gw.constant([[1.0, 2.0]])
    assert np.array_equal(way(lambda x: gw.ensure_shape(x, [None, 2]), x), x)
    assert np.array_equal(way(lambda x: gw.ensure_shape(x, None), x), x)
    for wrong in ([2, 2], [1], [None, None, None]):
        with pytest.raises(ValueError, match="does not have the shape"):
            way(lambda x: gw.ensure_shape(x, wrong), x)


def test_lengths_that_are_known_from_there_on():
    @gw.function(input_signature=[gw.TensorSpec([None, None], gw.float32)])
    def f(x):
        y = gw.ensure_shape(x, [None, 2])
        assert y.shape.as_list() == [None, 2]
        return y @ gw.ones([2, 1])

    assert np.array_equal(f(gw.constant([[1.0, 2.0]])), [[3.0]])
    with pytest.raises(Wrong, match="the length of axis 1 is 3"):
        f(gw.constant([[1.0, 2.0, 3.0]]))


@pytest.mark.parametrize("way", [plainly, staged])
def test_print_to_a_file(way, tmp_path):
    path = tmp_path / "printed.txt"

    def f(x):
        for i in gw.range(2):
            gw.print("turn", i, [x, {"a": x}], output_stream=f"file://{path}", sep="|", summarize=1)
        gw.print(x, output_stream=f"file://{path}", end="")
        return x

    way(f, gw.constant([1, 2, 3]))
    turns = "".join(f"turn|{i}|[[1 ... 3], {{'a': [1 ... 3]}}]\n" for i in range(2))
    assert path.read_text() == turns + "[1 2 3]"


@pytest.mark.parametrize("way", [plainly, staged])
def test_print_to_the_log(way, caplog):
    def f(x):
        gw.print("x is", x, output_stream=logging.ERROR)
        return x

    with caplog.at_level(logging.INFO, logger="graphwright.print"):
        way(f, gw.constant([1, 2]))
    assert [(one.levelno, one.getMessage()) for one in caplog.records] == [(logging.ERROR, "x is [1 2]")]


@three_ways
def test_where_nothing_can_be_printed(way, tmp_path):
    with pytest.raises(ValueError, match="GW204.*`output_stream` is"):
        way(lambda x: gw.print(x, output_stream="nowhere"), gw.constant(1))
    with pytest.raises(OSError):
        way(lambda x: gw.print(x, output_stream=f"file://{tmp_path}"), gw.constant(1))

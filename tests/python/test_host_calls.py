"""Functions of the host's in graphs: `gw.py_function`, `gw.numpy_function`, `gw.host` (`docs/guide/host-calls.md`)."""

from __future__ import annotations

import random
import traceback

import numpy as np
import pytest

import graphwright as gw
from host_ways import NUMBER, ROW, three_ways, values


@three_ways
def test_tensors_go_in_and_come_out(way):
    met = []

    def double(x):
        met.append((type(x), x.dtype, tuple(x.shape)))
        return x * 2

    def f(x):
        return gw.py_function(double, [x + 1], ROW)

    assert values(way(f, gw.constant([1.0, 2.0]))) == [4.0, 6.0]
    assert values(way(f, gw.constant([], gw.float32))) == []
    assert met[0] == (gw.Tensor, gw.float32, (2,))


@three_ways
def test_arrays_are_read_only_and_scalars_are_numpys(way):
    met = []

    def look(x, n, text, flag):
        met.append((x.flags.writeable, type(n), text, type(flag)))
        return np.sort(x)[::-1], n + np.int32(1)

    def f(x, n, text, flag):
        return gw.numpy_function(look, [x, n, text, flag], [ROW, gw.TensorSpec([], gw.int32)])

    args = gw.constant([1.0, 3.0, 2.0]), gw.constant(4), gw.constant("a text that is long"), gw.constant(True)
    assert values(way(f, *args)) == [[3.0, 2.0, 1.0], 5]
    assert met == [(False, np.int32, b"a text that is long", np.bool_)]


@three_ways
def test_structures(way):
    def f(x):
        both = gw.py_function(
            lambda v: {"a": v, "b": (v + 1, [v + 2, v + 3])}, [x], {"a": NUMBER, "b": (NUMBER, [ROW, NUMBER])}
        )
        gw.py_function(lambda v: None, [x], None)
        gw.py_function(lambda v: 3, [x], [])
        one = gw.py_function(lambda v: v, [x], [NUMBER])
        return both["b"][0] + one[0]

    def g(x):
        return gw.py_function(
            lambda v: {"a": v, "b": (v, [1.0, 2.0])}, [x], {"a": NUMBER, "b": (NUMBER, ROW)}
        )

    assert values(way(g, gw.constant(1.0))) == {"a": 1.0, "b": (1.0, [1.0, 2.0])}
    with pytest.raises(
        ValueError,
        match=r"`<lambda>` gives float32 of shape \(\) where it promises float32 of shape \(None,\)",
    ):
        way(f, gw.constant(1.0))


@three_ways
def test_plain_functions(way):
    log = []

    @gw.host
    def note(x, tag, *, scale=1) -> float:
        log.append((tag, scale))
        return float(x) * scale

    @gw.host
    def several(n) -> tuple[int, bool, str]:
        return int(n) + 1, True, "text"

    @gw.host
    def nothing() -> None:
        log.append("nothing")

    def f(x, n):
        total = note(x, "a") + note(x, {"b": 1}, scale=3)
        nothing()
        count, flag, text = several(n)
        if flag:
            total = total * count
        return total, text

    total, text = values(way(f, gw.constant(2.0), gw.constant(4)))
    assert total == 40.0 and text in ("text", b"text")
    assert log == [("a", 1), ({"b": 1}, 3), "nothing"]


@three_ways
def test_methods_see_their_object(way):
    class Model:
        def __init__(self):
            self.seen = []

        @gw.host
        def note(self, x) -> None:
            self.seen.append(float(x))

        def run(self, x):
            for _ in gw.range(2):
                self.note(x)
                x = x * 2
            return x

    model = Model()
    way(model.run, gw.constant(1.0))
    assert model.seen == [1.0, 2.0]


@three_ways
def test_order_in_branches_and_loops(way):
    log = []

    def note(i, x):
        log.append((int(i), float(x)))
        return float(x) + 1

    def f(x, n):
        i = 0
        while i < n:
            x = gw.py_function(note, [i, x], NUMBER)
            if x > 2:
                x = gw.numpy_function(lambda v: v * np.float32(2), [x], NUMBER)
            i += 1
        for _ in range(2):
            gw.py_function(lambda v: log.append(float(v)), [x], [])
        return x

    assert values(way(f, gw.constant(0.0), gw.constant(4))) == 14.0
    assert log == [(0, 0.0), (1, 1.0), (2, 2.0), (3, 6.0), 14.0, 14.0]
    way(f, gw.constant(0.0), gw.constant(0))
    assert log[-2:] == [0.0, 0.0]


@three_ways
def test_functions_that_call_themselves(way):
    def less(n):
        return int(n) - 1

    def factorial(n):
        if n <= 1:
            return gw.constant(1)
        return n * factorial(gw.py_function(less, [n], gw.TensorSpec([], gw.int32)))

    assert values(way(factorial, gw.constant(6))) == 720


@three_ways
def test_arrays_that_grow_stay_with_whoever_keeps_them(way):
    kept = []

    def twice(x):
        kept.append(x)
        return np.concatenate([x, x])

    def f(x):
        for _ in gw.range(4):
            x = gw.numpy_function(twice, [x], ROW)
        return x, gw.reduce_sum(x)

    result, total = way(f, gw.constant([1.0, 2.0]))
    assert result.shape == (32,) and total == 48.0
    assert [one.tolist() for one in kept] == [[1.0, 2.0] * n for n in (1, 2, 4, 8)]


def test_great_arrays_come_back():
    big = np.arange(100_000, dtype=np.float64)

    @gw.function
    def f(x):
        y = gw.numpy_function(lambda v: v + 1, [x], gw.TensorSpec([None], gw.float64))
        for _ in gw.range(3):
            y = gw.py_function(lambda v: v * 2, [y], gw.TensorSpec([None], gw.float64))
        return y, gw.py_function(lambda v: v, [x], gw.TensorSpec([None], gw.float64))

    for _ in range(3):
        y, same = f(gw.constant(big))
        assert np.array_equal(y, (big + 1) * 8) and np.array_equal(same, big)


def test_names_that_change_while_tracing():
    log = []

    @gw.function
    def f(x):
        for layer in range(3):
            gw.py_function(lambda v: log.append((layer, float(v))), [x], [])
        k = 1
        y = gw.py_function(lambda v: v * k, [x], NUMBER)
        k = 5
        return y + k

    assert f(gw.constant(2.0)) == 7.0
    assert log == [(0, 2.0), (1, 2.0), (2, 2.0)]


def test_closures_around_the_function_are_shared():
    count = 0
    factor = 2.0

    @gw.function
    def f(x):
        def bump(v):
            nonlocal count
            count += 1
            return v * factor

        return gw.py_function(bump, [x], NUMBER)

    assert f(gw.constant(1.0)) == 2.0
    factor = 3.0
    assert f(gw.constant(1.0)) == 3.0 and count == 2


GIVES = [
    (lambda: "text", TypeError, "string of shape () where it promises float32 of shape ()"),
    (lambda: gw.constant(1), TypeError, "int32 of shape () where it promises float32 of shape ()"),
    (lambda: np.float64(1), TypeError, "float64 of shape () where it promises float32 of shape ()"),
    (lambda: [1.0], ValueError, "float32 of shape (1,) where it promises float32 of shape ()"),
    (lambda: None, TypeError, "a `NoneType` where it promises float32 of shape ()"),
    (lambda: object(), TypeError, "a `object` where it promises float32 of shape ()"),
]


@three_ways
@pytest.mark.parametrize("wrong, kind, message", GIVES)
def test_what_was_not_promised(way, wrong, kind, message):
    def f(x):
        return gw.py_function(lambda v: wrong(), [x], NUMBER, name="wrong")

    with pytest.raises(kind) as caught:
        way(f, gw.constant(1.0))
    assert str(caught.value) == f"`wrong` gives {message}"
    assert "gw.py_function(lambda v: wrong()" in "".join(traceback.format_tb(caught.tb))


COUNTS = [
    (lambda v: (v, v, v), "3 results where it promises 2 results"),
    (lambda v: v, "a `Tensor` where it promises 2 results"),
    (lambda v: {"a": v, "b": v}, "its results in another structure than it promises 2 results"),
]


@three_ways
@pytest.mark.parametrize("given, message", COUNTS)
def test_as_many_results_as_promised(way, given, message):
    def f(x):
        return gw.py_function(given, [x], (NUMBER, NUMBER), name="given")

    with pytest.raises(ValueError) as caught:
        way(f, gw.constant(1.0))
    assert str(caught.value) == f"`given` gives {message}"


@three_ways
def test_structures_of_one_leaf_stay_structures(way):
    """A list, tuple or dict of one tensor is no tensor."""
    got = []

    @gw.host
    def told(*args, **kwargs) -> None:
        got.append((args, kwargs))

    def f(x):
        told([x])
        told((x,))
        told({"a": [x]})
        told(x, (), y=x)
        told([x], x)
        told(((x,),), [])

    way(f, gw.constant(1.0))
    shapes = [
        (([1.0],), {}),
        (((1.0,),), {}),
        (({"a": [1.0]},), {}),
        ((1.0, ()), {"y": 1.0}),
        (([1.0], 1.0), {}),
        ((((1.0,),), []), {}),
    ]
    assert [gw.nest.map_structure(lambda t: t.item(), one) for one in got] == shapes


@three_ways
def test_promises_beside_the_function(way):
    source = random.Random(4)
    roll = gw.host(source.randint, returns=int)

    @gw.host(returns=(ROW, {"of": float}))
    def parts(x) -> list:
        return np.asarray(x) * 2, {"of": 0.5}

    class Holder:
        @gw.host(returns=gw.TensorSpec([], gw.float32))
        def scaled(self, x):
            return gw.constant(float(x) * 3)

    def f(x, holder):
        doubled, named = parts(x)
        return gw.reduce_sum(doubled), named["of"] + x[0], roll(1, 100) + x[0], holder.scaled(x[0])

    wanted = random.Random(4)
    for _ in range(3):
        found = way(f, gw.constant([1.0, 2.0]), Holder())
        assert [float(one) for one in found] == [6.0, 1.5, wanted.randint(1, 100) + 1.0, 3.0]


def test_marked_functions_stay_themselves():
    roll = gw.host(random.Random(5).randint, returns=int)
    assert roll(1, 100) == random.Random(5).randint(1, 100)
    assert gw.host(len, returns=int).__name__ == "len"
    with pytest.raises(TypeError, match="not a value of type `int`"):
        gw.host(3, returns=int)


@pytest.mark.parametrize("said", [list, object(), gw.Tensor])
def test_promises_that_say_nothing(said):
    with pytest.raises(TypeError, match="GW126"):
        gw.host(abs, returns=said)

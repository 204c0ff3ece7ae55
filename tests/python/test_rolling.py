"""Loops over Python's numbers: long ones become loops of the graph by themselves, and give what unrolled ones give."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from benches.nests import NESTS, some

import graphwright as gw


def copied(arguments):
    return [np.copy(one) if np.ndim(one) else one for one in arguments]


def agree(ours, wanted):
    if isinstance(wanted, tuple):
        return all(agree(a, b) for a, b in zip(ours, wanted, strict=True))
    return np.allclose(np.asarray(ours), wanted, rtol=1e-12)


@pytest.mark.parametrize(("nest", "arguments"), NESTS, ids=lambda value: getattr(value, "__name__", ""))
def test_loop_nests_over_arrays(nest, arguments):
    wanted, staged = nest(*copied(arguments)), gw.function(nest)
    for _ in range(2):
        assert agree(staged(*copied(arguments)), wanted)


@pytest.mark.parametrize(("nest", "arguments"), NESTS[:8], ids=lambda value: getattr(value, "__name__", ""))
def test_their_graphs_are_small(nest, arguments):
    graph = gw.function(nest).get_concrete_function(*copied(arguments)).graph
    assert "while" in str(graph)
    assert len(str(graph).splitlines()) < 500


def test_a_short_loop_is_unrolled():
    def powers(x):
        for _ in range(5):
            x = x * x
        return x

    graph = gw.function(powers).get_concrete_function(gw.TensorSpec([])).graph
    assert "while" not in str(graph)


def test_the_counter_stays_a_number_of_pythons():
    def f(x):
        s = 0.0
        for i in range(300):
            if i == 0:
                s = x
            elif isinstance(i, int) and i % 7 == 3:
                s = s + i / 2
            else:
                s = s * 1.0 + 0.25
        return s, i

    ours, wanted = gw.function(f)(gw.constant(2.0, gw.float64)), f(2.0)
    assert ours[0].item() == wanted[0]
    assert int(ours[1]) == wanted[1]


NAMES = ["a", "b", "c"]


def test_what_cannot_be_staged_is_unrolled():
    def indexed(x):
        seen = {}
        for i in range(200):
            x = x * 1.0 + len(NAMES[i % 3] * 2) + math.comb(i % 5, 2)
            x = x + 1.0 - 1.0
            seen[NAMES[i % 3]] = i
        return x, seen["a"]

    ours, wanted = gw.function(indexed)(gw.constant(1.0, gw.float64)), indexed(1.0)
    assert ours[0].item() == wanted[0]
    assert int(ours[1]) == wanted[1]


def test_a_failed_attempt_leaves_nothing_behind():
    log, objects = [], []

    class Counter:
        total = 0

    counter = Counter()

    def f(x):
        items = []
        for i in range(150):
            x = x + 1.0
            x = x * 1.0
            x = x - 0.5
            x = x + 0.25
            items.append(NAMES[i % 3])
            counter.total += 1
        return x, len(items), counter.total

    ours, wanted = gw.function(f)(gw.constant(1.0, gw.float64)), None
    counter.total = 0
    wanted = f(1.0)
    assert ours[0].item() == wanted[0]
    assert [int(ours[1]), int(ours[2])] == [wanted[1], wanted[2]]
    assert not log and not objects


def test_exceptions_of_a_turn():
    def f(x):
        for i in range(300):
            x[i] = x[i] + 1.0
        return x

    with pytest.raises(IndexError):
        gw.function(f)(np.zeros(200))


def test_a_while_over_pythons_numbers():
    def f(x):
        i, s = 0, 0.0
        while i * i < 4000:
            s += x[i] * i
            i += 1
        return s, i

    x = some(64)
    ours, wanted = gw.function(f)(x), f(x)
    assert agree(ours, wanted)
    assert "while" in str(gw.function(f).get_concrete_function(x).graph)


def test_a_while_that_python_ends_is_unrolled():
    def f(x):
        waiting = list(range(40))
        while waiting:
            x = x * 1.0 + waiting.pop()
        return x

    assert gw.function(f)(gw.constant(1.0, gw.float64)).item() == f(1.0)


def test_derivatives_of_rolled_loops():
    def f(x):
        s = x * 0.0
        for i in range(200):
            s = s * 0.5 + x * x * (i % 3)
        return s

    x = gw.constant(1.5, gw.float64)
    unrolled = gw.function(f, roll=False)
    assert gw.grad(gw.function(f))(x).item() == pytest.approx(gw.grad(unrolled)(x).item(), rel=1e-12)


def test_the_option():
    def f(x):
        for _ in range(800):
            x = x + 1
        return x

    spec = gw.TensorSpec([], gw.int32)
    for roll, is_loop in [("auto", True), (True, True), (False, False)]:
        function = gw.function(f, roll=roll)
        assert function(gw.constant(0)).item() == 800
        assert ("while" in str(function.get_concrete_function(spec).graph)) == is_loop
    with pytest.raises(ValueError, match="`roll` is True, False or"):
        gw.function(f, roll="never")


def test_a_loop_that_fills_the_graph_is_noticed_and_then_refused():
    def f(x, n):
        for _ in range(n):
            x = x + 1
        return x

    with pytest.warns(gw.errors.UnrolledLoopWarning, match=r"`f`.*5\d\d\d operations.*gw.range"):
        gw.function(f, roll=False)(gw.constant(0), 5200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=r"GW118(?s:.)*test_rolling\.py:\d+"):
            gw.function(f, roll=False)(gw.constant(0), 200_000)


def counted_in_a_branch(x, n):
    if x > 0.0:
        y = x
    else:
        k = 0
        while k < n:
            k += 1
        y = x + k
    return y


def summed_in_a_loop(x, n):
    y = x
    for _ in gw.range(2):
        if x < 0.0:
            for k in range(n):
                y = y + 0.0 if k < 0 else y
    return y


def counted_by_a_closure(x, n):
    turns = 0

    def count():
        nonlocal turns
        turns += 1
        return turns

    if x < 0.0:
        done = False
        while done is False:
            done = count() > n
        x = x + turns
    return x


@pytest.mark.parametrize("plain", [counted_in_a_branch, summed_in_a_loop, counted_by_a_closure])
def test_a_long_loop_of_pythons_in_a_branch_that_is_not_taken_ends(plain):
    function = gw.function(plain)
    for _ in range(2):
        assert float(function(gw.constant(1.0, gw.float64), 2**31)) == 1.0
    few = gw.function(plain)
    assert float(few(gw.constant(-1.0, gw.float64), 200_000)) == plain(-1.0, 200_000)


def test_a_loop_in_a_branch_that_neither_ends_nor_is_staged_is_refused():
    def endless(x, n):
        y = x
        if x < 0.0:
            for k in itertools.count():
                if k == n:
                    break
            y = y + 1.0
        return y

    with pytest.raises(ValueError, match=r"(?s)GW118: Python loops ran .*itertools\.count") as caught:
        gw.function(endless)(gw.constant(1.0), 2**31)
    assert "before the statement" in str(caught.value)

    def before(x, n):
        k = next(k for k in itertools.count() if k == n)
        return x + k if x < 0.0 else x

    assert float(gw.function(before)(gw.constant(1.0), 1000)) == 1.0


@pytest.mark.parametrize("grows", ["xs.extend(xs)", "xs += xs"])
def test_a_list_that_doubles_in_a_branch_is_refused_before_it_fills_memory(grows, tmp_path):
    text = f"def f(x):\n    xs = [3, 1]\n    if x < 0.0:\n        for _ in range(2**53):\n            {grows}\n    return x\n"
    path = tmp_path / "doubling.py"
    path.write_text(text)
    exec(compile(text, path, "exec"), names := {})
    told = r"(?s)GW118: (a Python loop made a list longer .*doubling\.py:4|\d+ tensors that may be each other .*doubling\.py:3)"
    with pytest.raises(ValueError, match=told):
        gw.function(names["f"])(gw.constant(1.0))


def test_membership_in_endless_iterators_behind_what_raises_is_bounded():
    class Note:
        pass

    def looks(x):
        if x < 0.0:
            y = x
        else:
            del Note().text
        return x if 1 in itertools.count(2) else y

    with pytest.raises(ValueError, match=r"GW118(?s:.)*1 in itertools\.count"):
        gw.function(looks)(gw.constant(1.0))

    def found(x):
        return x + 1.0 if 5 in itertools.count(2) else x

    assert float(gw.function(found)(gw.constant(1.0))) == 2.0


def test_a_loop_that_a_tensor_may_stop_and_that_cannot_be_staged_is_refused():
    def two_kinds_of_results(x):
        for k in range(10**9):
            if x > 3:
                return 7
            elif k < -1:
                return k, k
        return 2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=r"GW118(?s:.)*test_rolling\.py:\d+(?s:.)*range\(10\*\*9\)"):
            gw.function(two_kinds_of_results)(gw.constant(5))


def test_a_long_loop_outside_of_branches_is_pythons():
    def function(x):
        k = 0
        while k < 2_200_000:
            k += 1
        return x + k

    assert float(gw.function(function)(gw.constant(1.0, gw.float64))) == 2_200_001.0


def test_a_while_rolls_with_roll_as_without():
    def spaced(d, out):
        n = d.shape[0]
        i = j = 0
        while i < n:
            out[j] = d[i] >> 2
            i += 3
            j += 4
        return out

    d = np.arange(60_001)
    wanted = spaced(d, np.zeros(80_004, np.int64))
    for roll in (True, "auto"):
        staged = gw.function(spaced, roll=roll)
        np.testing.assert_array_equal(np.asarray(staged(d, np.zeros(80_004, np.int64))), wanted)
        lines = [line for _, line in staged.get_concrete_function(d, np.zeros(80_004, np.int64))._loops()]
        assert len(lines) < 500

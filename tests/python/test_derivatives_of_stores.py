"""Derivatives of programs that store into arrays, and of tensors that functions capture, against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from fuzz import array_gradients

import graphwright as gw

V = np.array([0.7, 1.3, 0.4, 1.9, 0.9])
S = gw.reduce_sum


def tensor(numbers=V):
    return gw.constant(np.array(numbers), gw.float64)


def differences(program, numbers=V, step=1e-6):
    """The derivatives of a program that Python runs on tensors."""
    slopes = np.zeros_like(numbers)
    for index in np.ndindex(numbers.shape):
        ends = []
        for by in (step, -step):
            moved = numbers.copy()
            moved[index] += by
            ends.append(float(program(tensor(moved))))
        slopes[index] = (ends[0] - ends[1]) / (2 * step)
    return slopes


def turns(count):
    """Numbers up to this one: a loop of Python's, and in a graph one of the graph's."""
    return range(count if gw.executing_eagerly() else gw.constant(count, gw.int64))


def by_grad(program):
    return gw.grad(program)(tensor())


def by_vjp(program):
    return gw.vjp(program, tensor())[1](gw.constant(1.0, gw.float64))[0]


def of_rows(program):
    return gw.vmap(gw.grad(program))(gw.stack([tensor() * 0.5, tensor()]))[1]


def inside(program):
    @gw.function
    def slope(v):
        with gw.GradientTape() as tape:
            tape.watch(v)
            total = program(v)
        return tape.gradient(total, v)

    return slope(tensor())


def eagerly(program):
    v = tensor()
    with gw.GradientTape() as tape:
        tape.watch(v)
        total = program(v)
    return tape.gradient(total, v)


def around(program):
    return eagerly(gw.function(program))


WAYS = [by_grad, by_vjp, of_rows, inside, eagerly, around]


def check(program, way):
    wanted = differences(program)
    for _ in range(2):
        np.testing.assert_allclose(way(program), wanted, rtol=1e-6, atol=1e-8)
    if way is by_grad:
        along = gw.jvp(program, (tensor(),), (tensor(V[::-1]),))[1]
        np.testing.assert_allclose(along, (wanted * V[::-1]).sum(), rtol=1e-6)


def filled_by_a_loop(v):
    w = v * 0.0
    for i in turns(4):
        w[i] = v[i] * 2.0
    total = 0.0 * v[0]
    for i in turns(4):
        total += w[i] * w[i]
    return total


def stored_before_a_loop(v):
    w = v * 1.0
    w[0] = v[1]
    total = 0.0 * v[0]
    for i in turns(4):
        total += w[i] * w[i]
    return total


def stored_before_nested_loops(v):
    w = v * 1.0
    w[0] = v[1]
    total = 0.0 * v[0]
    for i in turns(3):
        for j in turns(4):
            total += w[i] * w[j] * w[j]
    return total


def an_element_of_the_argument(v):
    v[0] = v[0] * v[1]
    return S(v * v)


def all_elements_of_the_argument(v):
    for i in turns(4):
        v[i] = v[i] * v[i + 1]
    return S(v * v)


def where_a_branch_decides(v):
    if v[0] < 1.0:
        v[1:3] = v[0] * v[2:4]
    return S(v * v * v)


def by_a_function(v):
    def poke(x, by):
        x[-1] = x[0] * by

    poke(v, v[1])
    w = v.copy()
    poke(w, w[3])
    return S(v * w)


PROGRAMS = [
    filled_by_a_loop,
    stored_before_a_loop,
    stored_before_nested_loops,
    an_element_of_the_argument,
    all_elements_of_the_argument,
    where_a_branch_decides,
    by_a_function,
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_stored_and_read_again(program, way):
    check(program, way)


READS = {
    "the counter": lambda w, i: w[i],
    "a number": lambda w, i: w[0] * w[-1],
    "a slice": lambda w, i: S(w[1:3] ** 2),
    "a slice from the counter": lambda w, i: S(w[i:] ** 2),
    "backwards": lambda w, i: w[::-1][i],
    "gather": lambda w, i: S(gw.gather(w, [3, 0]) * w[i]),
    "all": lambda w, i: S(w * w),
    "in a branch": lambda w, i: w[i] * w[1] if i > 1 else w[0] * w[0],
    "a copy": lambda w, i: w.copy()[i] * w[2],
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("deep", [False, True], ids=["one loop", "nested"])
def test_each_way_to_read_in_a_loop(read, deep):
    def program(v):
        w = v * 1.0
        w[0] = v[1]
        total = 0.0 * v[0]
        for i in turns(4):
            if deep:
                for j in turns(3):
                    total += read(w, i) * w[j]
            else:
                total += read(w, i) * v[1]
        return total

    check(program, by_grad)
    check(program, around)


CAPTURED = {
    "cumsum": lambda w: S(gw.cumsum(w) ** 3),
    "cumprod": lambda w: S(gw.math.cumprod(w) ** 2),
    "einsum": lambda w: S(gw.einsum("i,j->ij", w, w) ** 2),
    "tensordot": lambda w: gw.tensordot(w, w, 1),
    "roll": lambda w: S(gw.roll(w, 1, 0) * w),
    "pad": lambda w: S(gw.pad(w, [[1, 1]]) ** 2),
    "tile": lambda w: S(gw.tile(w, [2]) ** 2),
    "repeat": lambda w: S(gw.repeat(w, 2) ** 2),
    "split": lambda w: S(gw.split(w, [2, 3])[1] ** 2),
    "reduce_logsumexp": lambda w: gw.reduce_logsumexp(w),
    "l2_normalize": lambda w: S(gw.math.l2_normalize(w) ** 3),
    "reduce_std": lambda w: gw.math.reduce_std(w),
    "softplus": lambda w: S(gw.nn.softplus(w)),
    "log_softmax": lambda w: S(gw.nn.log_softmax(w) ** 2),
    "convert_to_tensor": lambda w: S(gw.convert_to_tensor(w) ** 2),
    "constant": lambda w: S(gw.constant(w) ** 2),
    "identity": lambda w: S(gw.identity(w) ** 2),
    "copy": lambda w: S(w.copy() ** 2),
    "sum": lambda w: sum(x * x for x in w),
}


@pytest.mark.parametrize("program", CAPTURED.values(), ids=CAPTURED)
def test_a_watched_tensor_that_a_function_captures(program):
    wanted = differences(program)
    w = tensor()
    alone = gw.function(lambda: program(w))
    also_given = gw.function(lambda v: program(w) * S(v))
    for _ in range(2):
        with gw.GradientTape(persistent=True) as tape:
            tape.watch(w)
            found = alone()
            both = also_given(w)
        np.testing.assert_allclose(tape.gradient(found, w), wanted, rtol=1e-6, atol=1e-8)
        of_both = differences(lambda w: program(w) * S(w))
        np.testing.assert_allclose(tape.gradient(both, w), of_both, rtol=1e-6, atol=1e-8)


def test_a_copy_of_a_captured_tensor_may_be_stored_into():
    w = tensor()

    @gw.function
    def stored(x):
        own = w.copy()
        own[1] = x
        return S(own * w)

    for x in (2.0, 3.0):
        with gw.GradientTape(persistent=True) as tape:
            tape.watch(w)
            found = stored(gw.constant(x, gw.float64))
        slopes = 2 * V
        slopes[1] = x
        np.testing.assert_allclose(tape.gradient(found, w), slopes)
    np.testing.assert_array_equal(w, V)


def test_the_derivative_is_by_what_was_watched_first():
    v = tensor([1.0, 2.0, 3.0])
    with gw.GradientTape(persistent=True) as tape:
        tape.watch(v)
        v[0] = v[0] * v[1]
        tape.watch(v)
        v[2] = v[0] * v[2]
        total = S(v * v)
    np.testing.assert_array_equal(v, [2.0, 2.0, 6.0])
    # (a b)^2 + b^2 + (a b c)^2 by a, b and c at 1, 2 and 3.
    np.testing.assert_allclose(tape.gradient(total, v), [80.0, 44.0, 24.0])
    np.testing.assert_allclose(tape.gradient(v, v), [8.0, 5.0, 2.0])


def test_calls_store_once_for_each_time_that_the_function_is_run():
    v, primal = np.array([1.0, 2.0]), np.array([1.0, 2.0])

    def doubled(x):
        x[0] = x[0] * 2.0
        return S(x * x)

    assert gw.grad(doubled)(v).numpy().tolist() == [8.0, 4.0]
    assert v.tolist() == [2.0, 2.0]
    result, back = gw.vjp(doubled, primal)
    assert (float(result), primal.tolist()) == (8.0, [2.0, 2.0])
    for _ in range(2):
        (slope,) = back(gw.constant(1.0, gw.float64))
        assert (slope.numpy().tolist(), primal.tolist()) == ([8.0, 4.0], [2.0, 2.0])


def test_two_calls_under_one_tape_store_into_one_argument():
    @gw.function
    def squared(x, i):
        x[i] = x[i] * x[i] * x[0]
        return S(x)

    v = tensor([2.0, 3.0])
    with gw.GradientTape() as tape:
        tape.watch(v)
        total = squared(v, gw.constant(1)) + squared(v, gw.constant(1))
    # a + b^2 a + a + (b^2 a)^2 a
    np.testing.assert_allclose(tape.gradient(total, v), [1 + 9 + 1 + 3 * 81 * 4, 12 + 4 * 27 * 8])


def test_an_exception_after_a_store_has_no_derivative_that_is_wrong():
    @gw.function
    def stores(x, i):
        x[0] = x[0] * 2.0
        x[i] = x[0] * 3.0
        return S(x)

    v = tensor([2.0, 3.0])
    with gw.GradientTape(persistent=True) as tape:
        tape.watch(v)
        total = stores(v, gw.constant(1))
        with pytest.raises(IndexError):
            stores(v, gw.constant(7))
        after = S(v)
    np.testing.assert_allclose(tape.gradient(total, v), [8.0, 0.0])
    with pytest.raises(ValueError, match="GW124: no derivative goes through a `try`"):
        tape.gradient(after, v)


def test_a_function_that_may_raise_and_reads_a_variable():
    variable = gw.Variable(V)
    program = gw.function(lambda x: S(gw.math.cumprod(x * variable)))
    with gw.GradientTape() as tape:
        total = program(tensor())
    wanted = differences(lambda v: S(gw.math.cumprod(tensor() * v)))
    np.testing.assert_allclose(tape.gradient(total, variable), wanted, rtol=1e-6)


def test_random_programs_over_arrays():
    """Some of those of `python -m fuzz.gradients --arrays`."""
    assert array_gradients.run(seed=4, most=25).right.total() >= 25


def longer(v):
    for _ in turns(3):
        v = gw.concat([v * v, v[:2]], 0)
    return S(v)


def sums_of_a_list_that_grows(v):
    rows, total = [], v[0] * 0.0
    for i in turns(4):
        rows.append(v[i] * v[0])
        total += S(gw.sin(gw.stack(rows)))
    return total


def shorter_in_each_turn(v):
    total = v[0] * 0.0
    for i in turns(3):
        part = v[i:] * 1.0
        for j in turns(2):
            part = gw.concat([part[1:] * part[:-1], part[:1] * v[j]], 0)
            total += S(part * part)
            part = part[::-1]
    return total


def rolled_in_nested_loops(v):
    total, w = v[0] * 0.0, v * 1.0
    for i in turns(3):
        for _ in turns(2):
            w = gw.roll(w, 1, 0) * v
        total += w[i] * w[i]
    return total + S(w)


LENGTHS = [longer, sums_of_a_list_that_grows, shorter_in_each_turn, rolled_in_nested_loops]


@pytest.mark.parametrize("program", LENGTHS)
def test_loops_that_change_lengths_or_may_do_so(program):
    check(program, by_grad)
    check(program, around)
    of_any = gw.function(gw.grad(program), input_signature=[gw.TensorSpec([None], gw.float64)])
    np.testing.assert_allclose(of_any(tensor()), differences(program), rtol=1e-6, atol=1e-8)


def test_second_derivatives_of_a_loop_that_changes_lengths():
    wanted = differences(lambda v: gw.grad(shorter_in_each_turn)(v)[1])
    np.testing.assert_allclose(gw.hessian(shorter_in_each_turn)(tensor())[1], wanted, rtol=1e-5, atol=1e-6)

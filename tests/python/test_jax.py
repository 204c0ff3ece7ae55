"""`graphwright.jax`: converted functions under `jax.jit`, `jax.grad` and `jax.vmap` give what Python gives."""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphwright.jax import convert
from small_programs import program, statements


def same(ours, native):
    """One structure, and equal numbers of one kind in it."""
    ours, native = jax.tree_util.tree_flatten(ours), jax.tree_util.tree_flatten(native)
    assert ours[1] == native[1], (ours[1], native[1])
    for a, b in zip(ours[0], native[0], strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype.kind, a.shape) == (b.dtype.kind, b.shape)
        np.testing.assert_allclose(a, b, rtol=1e-5)


def agrees(function, *args):
    """Native, on numbers and arrays that are known; converted on the same; and converted under `jit`."""
    native = function(*args)
    same(convert(function)(*args), native)
    same(jax.jit(convert(function))(*args), native)


def sign(x):
    if x > 0:
        y = 1
    elif x == 0:
        y = 0
    else:
        y = -1
    return y


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def early(x):
    if x > 10:
        return x
    x = x * 2
    if x > 10:
        return -x
    return x + 1


def find(xs, wanted):
    for i in range(len(xs)):
        if xs[i] == wanted:
            return i
    return -1


def upto(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if total > 50:
            break
        total += i
    else:
        total = -total
    return total


def down(a, b):
    digits = 0
    for i in range(a, b, -2):
        digits = digits * 10 + i
    return digits


def rows(xs):
    total = 0
    for row in xs:
        total = total + row
    return total


def last(xs):
    for x in xs:
        pass
    return x


def until_negative(xs):
    total = 0.0
    for x in xs:
        if x < 0:
            break
        total = total + x
    return total


def clipped(x):
    return 0 if x < 0 else 1 if 1 < x else x


def logic(x):
    return (x > 0 and x < 5) or x == -3, not x > 2, 0 < x < 4


def countdown(n):
    while (n := n - 3) > 0:
        pass
    return n


def nested(n):
    total = 0
    for i in range(n):
        j = 0
        while j < i:
            if j == 3:
                break
            total += i * j
            j += 1
    return total


def extremes(x):
    return min(x, 3), max(x, 3, 7), abs(x)


def member(xs, x):
    return x in xs


CASES = [
    *[(sign, (x,)) for x in (-2, 0, 3, 1.5)],
    *[(collatz, (n,)) for n in (1, 7, 27)],
    *[(early, (x,)) for x in (-1, 7, 11)],
    *[(find, (jnp.array([3, 1, 4, 1]), x)) for x in (1, 4, 9)],
    *[(upto, (n,)) for n in (0, 5, 40)],
    *[(down, bounds) for bounds in ((9, 0), (0, 9), (3, 2))],
    *[(rows, (jnp.arange(float(n * 3)).reshape(n, 3),)) for n in (1, 2, 4)],
    (rows, (jnp.arange(4),)),
    (last, (jnp.arange(4.0),)),
    *[(until_negative, (jnp.array(xs),)) for xs in ([1.0, 2.0], [1.0, -1.0, 5.0], [-1.0], [])],
    *[(clipped, (x,)) for x in (-1, 1, 5)],
    *[(logic, (x,)) for x in (-3, 3, 9)],
    *[(countdown, (n,)) for n in (0, 5, 6)],
    *[(nested, (n,)) for n in (0, 3, 7)],
    *[(extremes, (x,)) for x in (-4, 5)],
    *[(member, (jnp.array([1, 2]), x)) for x in (2, 3)],
]


@pytest.mark.parametrize("function, args", CASES, ids=lambda case: getattr(case, "__name__", None))
def test_agrees(function, args):
    agrees(function, *args)


def test_a_python_number_takes_the_dtype_of_the_array():
    def f(x, xs):
        y = 1
        if x > 0:
            y = x
        z = 1
        for row in xs:
            z = z * row
        return y, z

    y, z = jax.jit(convert(f))(jnp.float16(-1), jnp.array([2.0, 3.0], jnp.float16))
    assert (y.dtype, z.dtype) == (jnp.float16, jnp.float16)
    same((y, z), (np.float16(1), np.float16(6)))


def test_loops_widen_python_numbers():
    def halves(n):
        total = 1
        for _ in range(n):
            total = total / 2
        return total

    agrees(halves, 3)


class Pair(NamedTuple):
    x: object
    y: object


def test_structures_flow():
    def f(x):
        state = {"pair": Pair(x, [x, 1]), "n": 0}
        while state["n"] < 3:
            pair = state["pair"]
            state = {"pair": Pair(pair.x + 1, [pair.y[0] * 2, pair.y[1] + pair.x]), "n": state["n"] + 1}
        if x > 2:
            state = {**state, "n": -1}
        return state

    agrees(f, 1.5)
    agrees(f, 4.0)


def test_gradients_through_branches_and_loops():
    def f(x, ws):
        for w in ws:
            if x > 1:
                x = x * w
            else:
                x = x + w * w
        return x

    x, ws = 0.5, jnp.array([0.75, 2.0, 1.5])
    same(jax.jit(jax.grad(convert(f), argnums=(0, 1)))(x, ws), jax.grad(f, argnums=(0, 1))(x, ws))


def test_gradient_through_a_loop_that_stops():
    def f(x, ws):
        for w in ws:
            if x > 4:
                break
            x = x * w
        return x

    x, ws = 1.0, jnp.array([2.0, 3.0, 5.0, 7.0])
    same(jax.jit(jax.grad(convert(f), argnums=(0, 1)))(x, ws), jax.grad(f, argnums=(0, 1))(x, ws))


def test_forward_gradient_through_while():
    def f(x):
        while x < 100:
            x = x * x
        return x

    same(jax.jit(jax.jacfwd(convert(f)))(3.0), jax.jacfwd(lambda x: x**8)(3.0))


@pytest.mark.parametrize("function", [sign, collatz, early, clipped, nested], ids=lambda f: f.__name__)
def test_vmap(function):
    xs = jnp.arange(1, 12)
    same(jax.jit(jax.vmap(convert(function)))(xs), jnp.array([function(int(x)) for x in xs]))


def test_vmap_without_jit():
    same(jax.vmap(convert(sign))(jnp.array([-1.0, 0.0, 2.0])), jnp.array([-1, 0, 1]))


def test_helpers_and_methods_are_converted():
    class Scaler:
        def __init__(self, by):
            self.by = by

        def __call__(self, x):
            return sign(x) * (self.by if x > 1 else 1)

    def f(x):
        return Scaler(3)(x) + sign(x - 5)

    for x in (-2, 0, 7):
        agrees(f, x)


def test_functions_of_math():
    def f(x):
        return math.sqrt(x) + math.exp(-x) if x > 0 else float(int(x))

    agrees(f, 2.0)
    agrees(f, -2.5)


def test_numpy_numbers_and_keys_flow():
    def f(n):
        key = jax.random.key(0)
        total = np.float32(0)
        for _ in range(n):
            key, now = jax.random.split(key)
            total = total + jax.random.uniform(now)
        return total

    agrees(f, 3)


def test_the_body_of_an_empty_array_does_not_run():
    def f(xs):
        n = 0
        for x in xs:
            n = x.missing
        return n

    agrees(f, jnp.zeros((0, 2)))


def refused(function, *args):
    """The diagnostic of a function under `jit`."""
    with pytest.raises((TypeError, ValueError, UnboundLocalError)) as caught:
        jax.jit(convert(function))(*args)
    return str(caught.value)


def test_a_name_that_one_branch_leaves_without_a_value():
    def f(x):
        if x > 0:
            y = 1
        return y

    text = refused(f, 1)
    assert text.startswith("GW105: `y` is read, but it has a value on some paths only")
    assert "return y" in text


def test_dtypes_that_differ():
    def f(x):
        if x > 0:
            y = jnp.int32(1)
        else:
            y = jnp.float32(2)
        return y

    text = refused(f, 1)
    assert text.startswith("GW101: `y` is `int32[]` after one branch and `float32[]` after the other")
    assert "if x > 0:" in text
    assert "help: give it one dtype, shape and structure in both branches" in text


def test_shapes_that_differ():
    def f(x):
        return x if x[0] > 0 else x[:2]

    assert refused(f, jnp.arange(3)).startswith(
        "GW101: the result is `int32[3]` after one branch and `int32[2]`"
    )


def test_structures_that_differ():
    def f(x):
        y = (x, x)
        if x > 0:
            y = [x]
        return y

    assert refused(f, 1).startswith(
        "GW103: `y` is a `list` of 1 after one branch and a `tuple` of 2 after the other"
    )


def test_none_in_one_branch():
    def f(x):
        if x > 0:
            return x

    assert refused(f, 1).startswith("GW110:")

    def g(x):
        y = None
        if x > 0:
            y = x
        return y

    assert refused(g, 1).startswith("GW103: `y` is `int32[]` after one branch and `None` after the other")


def test_objects_that_differ():
    def f(x):
        mode = "a"
        if x > 0:
            mode = "b"
        return x if mode == "a" else -x

    assert refused(f, 1).startswith("GW103: `mode` is a `str` after one branch and a `str` after the other")


def test_a_loop_that_changes_a_shape():
    def f(n):
        xs = jnp.zeros(1)
        while n > 0:
            xs = jnp.concatenate([xs, xs])
            n = n - 1
        return xs

    text = refused(f, 3)
    assert text.startswith("GW102: `xs` is `float32[1]` before an iteration and `float32[2]` after it")


def test_what_a_loop_collects():
    def f(xs):
        seen = []
        for x in xs:
            seen.append(x)
        return seen

    assert refused(f, jnp.arange(3)).startswith("GW104: `seen` is changed in place")


def test_a_condition_of_several_elements():
    def f(x):
        if x > 0:
            x = -x
        return x

    assert refused(f, jnp.arange(3)).startswith(
        "GW202: a condition must be one element, but this is `bool[3]`"
    )


def test_an_assertion():
    def f(x):
        assert x > 0
        return x

    assert refused(f, 1).startswith("GW401: a `DynamicJaxprTracer` decides this `assert`")


def test_a_range_with_an_unknown_step():
    def f(n):
        total = 0
        for i in range(0, 10, n):
            total += i
        return total

    assert refused(f, 2).startswith("GW401: the step of this `range`")


def test_an_exception_that_a_tracer_decides():
    def raised(x):
        if x > 0:
            raise KeyError("k")
        return x

    def caught(x):
        try:
            raised(x)
        except Exception:
            return 5
        return x

    assert refused(raised, -1).startswith("GW114: `KeyError` is raised here")
    text = refused(caught, -1)
    assert text.startswith("GW112: `ValueError` was raised in this statement and caught")
    assert "if x > 0:" in text


def answer(function, *args):
    """What a function gives under `jit`, as Python's numbers, or what it says."""
    try:
        return jax.tree_util.tree_map(int, jax.jit(convert(function))(*args))
    except (TypeError, ValueError, UnboundLocalError) as error:
        return str(error)


def test_random_programs():
    """Jitted, random programs give what they give in Python, unless a diagnostic refuses them."""
    refusals = []

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(statements(2, False), st.lists(st.integers(-9, 9), min_size=3, max_size=3))
    def agree(body, arguments):
        function, text = program(body)
        try:
            native = function(*arguments, 20)
        except ZeroDivisionError:
            return
        jitted = answer(function, *arguments, 20)
        refusals.append(isinstance(jitted, str))
        assert jitted.startswith("GW") if refusals[-1] else jitted == native, f"{jitted}\n{text}"

    agree()
    assert sum(refusals) <= len(refusals) * 0.1

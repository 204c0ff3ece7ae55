"""Functions that say their own derivative, and functions that are computed again: against JAX and finite differences."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import graphwright as gw
from derivatives import in_double_precision, numbers, wide

pytestmark = pytest.mark.usefixtures(in_double_precision.__name__)


@gw.custom_gradient
def log1pexp(x):
    e = gw.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return gw.log(1 + e), grad


@gw.custom_gradient
def thrice(x):
    """Three times what it should be: what flows back is what it says, and not its derivative."""
    return x * x, lambda upstream: 6.0 * x * upstream


def eagerly(f, *args):
    args = wide(args)
    with gw.GradientTape() as tape:
        tape.watch(args)
        result = f(*args)
    return [None if one is None else one.numpy() for one in tape.gradient(result, args)]


def around(f, *args):
    return eagerly(gw.function(f), *args)


def inside(f, *args):
    @gw.function
    def both(*args):
        with gw.GradientTape() as tape:
            tape.watch(args)
            result = f(*args)
        return tape.gradient(result, args)

    return [None if one is None else one.numpy() for one in both(*wide(args))]


WAYS = [eagerly, around, inside]
every_way = pytest.mark.parametrize("way", WAYS)


def check(way, f, wanted, *args):
    """The derivatives of a function are those that are wanted, `None` where there is none."""
    for found, want in zip(way(f, *args), wanted, strict=True):
        assert (found is None) == (want is None)
        if want is not None:
            np.testing.assert_allclose(found, want, rtol=1e-12)


@every_way
def test_what_flows_back_is_what_the_function_says(way):
    x = numbers(3)
    check(way, lambda x: gw.reduce_sum(thrice(x)), [6 * x], x)
    check(way, lambda x: gw.reduce_sum(log1pexp(x)), [1 - 1 / (1 + np.exp(x))], x)
    assert log1pexp(gw.constant(100.0, gw.float64)).numpy() == pytest.approx(100.0)
    assert gw.grad(log1pexp)(100.0).numpy() == 1.0


@every_way
def test_branches_and_loops(way):
    def branch(x):
        if gw.reduce_sum(x) > 0:
            y = thrice(x)
        else:
            y = x
        return gw.reduce_sum(y)

    def loop(x):
        total = gw.zeros([], gw.float64)
        while total < 20.0:
            y = thrice(x) * (total + 1.0)
            total += gw.reduce_sum(y)
            x = x * 1.1
        return total

    @jax.custom_vjp
    def three(x):
        return x * x

    three.defvjp(lambda x: (x * x, x), lambda x, upstream: (6.0 * x * upstream,))

    def unrolled(x):
        total = jnp.zeros([])
        while total < 20.0:
            total += jnp.sum(three(x) * (total + 1.0))
            x = x * 1.1
        return total

    x = numbers(3)
    check(way, branch, [6 * x], x)
    check(way, branch, [np.ones(3)], -x)
    check(way, loop, [jax.grad(unrolled)(x)], x)


@every_way
def test_of_several_arguments_and_results(way):
    @gw.custom_gradient
    def f(pair, factor, count, name):
        first, second = pair

        def grad(up_sum, up_product, up_count):
            assert up_count.dtype == gw.int32
            return 2.0 * up_sum, 3.0 * up_product, None, None, None

        return {"sum": first + second, "product": first * second, "which": gw.cast(count, gw.int32)}, grad

    def g(x, y, z):
        got = f((x, y), z, gw.constant(3), "name")
        return gw.reduce_sum(got["sum"] * 5.0) + gw.reduce_sum(got["product"]) * gw.cast(
            got["which"], gw.float64
        )

    x, y, z = numbers(2), numbers(2), numbers(2)
    # The names of a mapping are walked in their order: product, sum, which.
    check(way, g, [2.0 * 3.0 * np.ones(2), 3.0 * 5.0 * np.ones(2), None], x, y, z)


@every_way
def test_second_derivatives_are_those_of_the_gradient_function(way):
    def slope(x):
        return gw.grad(lambda x: gw.reduce_sum(thrice(x) * x))(x)

    def slope_of_soft(x):
        return gw.grad(lambda x: gw.reduce_sum(log1pexp(x)))(x)

    def nested(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            y = log1pexp(x)
        return gw.reduce_sum(tape.gradient(y, x))

    x = numbers(3)
    # 6x·x + thrice(x) changes by 12x + 6x.
    check(way, lambda x: gw.reduce_sum(slope(x)), [18 * x], x)
    soft = jax.grad(lambda x: jnp.sum(jax.grad(lambda x: jnp.sum(jnp.log(1 + jnp.exp(x))))(x)))(x)
    check(way, lambda x: gw.reduce_sum(slope_of_soft(x)), [soft], x)
    check(way, nested, [soft], x)


def test_hessians_and_maps():
    x = numbers(3)
    wanted = jax.hessian(lambda x: jnp.sum(jnp.log(1 + jnp.exp(x))))(x)
    found = gw.hessian(lambda x: gw.reduce_sum(log1pexp(x)))(gw.constant(x, gw.float64))
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)
    slopes = gw.vmap(gw.grad(lambda x: gw.reduce_sum(thrice(x))))(gw.constant(x, gw.float64))
    np.testing.assert_allclose(slopes.numpy(), 6 * x)
    _, tangent = gw.jvp(thrice, [gw.constant(2.0)], [gw.constant(1.0)])
    assert tangent.numpy() == 12.0


def make_clipped(limit):
    """Tensors from around are used on both ways."""

    @gw.custom_gradient
    def clipped(x):
        return x + 0.0 * limit, lambda upstream: gw.clip_by_value(upstream, -limit, limit)

    return clipped


@every_way
def test_closures(way):
    def f(x, limit):
        low = limit * 2.0
        return gw.reduce_sum(make_clipped(gw.stop_gradient(low))(x) * 10.0)

    check(way, f, [[1.0, 1.0], None], numbers(2), 0.5)


@every_way
def test_straight_through(way):
    @gw.custom_gradient
    def rounded(x):
        return gw.round(x), lambda upstream: upstream

    check(way, lambda x: gw.reduce_sum(rounded(x) * x), [[0.7 + 1.0, 1.2 + 1.0]], [0.7, 1.2])


@every_way
def test_nothing_flows_back(way):
    @gw.custom_gradient
    def held(x, y):
        return x * y, lambda upstream: (None, upstream)

    check(way, lambda x, y: held(x, y), [None, 1.0], 2.0, 3.0)


@every_way
def test_it_calls_itself(way):
    def f(x, n):
        if n < 0.5:
            return thrice(x)
        return f(x, n - 1.0) * 2.0

    check(way, lambda x: f(x, gw.constant(3.0)), [8 * 6 * 1.5], 1.5)


@pytest.mark.parametrize("wrap", [lambda f: f, gw.function])
def test_variables(wrap):
    weight, offset = gw.Variable(3.0), gw.Variable(1.0)

    @gw.custom_gradient
    def layer(x):
        def grad(upstream, variables):
            assert [one.name for one in variables] == [weight.name, offset.name]
            return upstream * weight, [upstream * x * 10.0, None]

        return x * weight + offset, grad

    @wrap
    def slopes(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            y = layer(x) * layer(x)
        return tape.gradient(y, [x, weight, offset], unconnected_gradients="zero")

    assert [one.numpy() for one in slopes(gw.constant(2.0))] == [42.0, 280.0, 0.0]

    @wrap
    def of_argument(x):
        with gw.GradientTape() as tape:
            y = layer_of(x, weight)
        return tape.gradient(y, weight)

    @gw.custom_gradient
    def layer_of(x, w):
        return x * w, lambda upstream: (None, upstream * 100.0)

    assert of_argument(gw.constant(2.0)).numpy() == 100.0


def in_a_loop(x):
    for _ in gw.range(4):
        x = log1pexp(x) + thrice(x)
    return gw.reduce_sum(x)


def in_a_loop_of_segments(x):
    for _ in gw.range(4):
        gw.autograph.experimental.set_loop_options(checkpoint="sqrt")
        x = log1pexp(x) + thrice(x)
    return gw.reduce_sum(x)


@every_way
def test_rows_are_kept(way):
    @jax.custom_vjp
    def three(x):
        return x * x

    three.defvjp(lambda x: (x * x, x), lambda x, upstream: (6.0 * x * upstream,))

    def unrolled(x):
        for _ in range(4):
            x = jnp.log(1 + jnp.exp(x)) + three(x)
        return jnp.sum(x)

    x = 0.1 * numbers(2, 2)
    wanted = [jax.grad(unrolled)(x)]
    check(way, in_a_loop, wanted, x)
    check(way, in_a_loop_of_segments, wanted, x)


def test_a_decorated_function_is_called_as_it_is():
    calls = []

    @gw.custom_gradient
    def f(x, *, scale=2.0):
        calls.append(scale)
        return x * scale, lambda upstream: upstream * scale * 10.0

    assert f(gw.constant(3.0)).numpy() == 6.0
    assert f(gw.constant(3.0), scale=3.0).numpy() == 9.0
    assert calls == [2.0, 3.0]
    assert f.__name__ == "f"
    x = gw.constant(3.0)
    with gw.GradientTape() as tape:
        tape.watch(x)
        y = f(x, scale=4.0)
    assert tape.gradient(y, x).numpy() == 40.0


def test_it_prints_on_the_way_on_which_it_is(capfd):
    @gw.custom_gradient
    def f(x):
        gw.print("forth", x)

        def grad(upstream):
            gw.print("back", upstream)
            return upstream

        return x, grad

    x = gw.constant(3.0)
    with gw.GradientTape() as tape:
        tape.watch(x)
        y = gw.function(lambda x: f(x))(x)
        gw.print("between")
    tape.gradient(y, x)
    assert capfd.readouterr().err.split("\n") == ["forth 3", "between", "back 1", ""]


@every_way
def test_what_does_not_fit_is_said_on_the_users_line(way):
    def refused(grad, message, error=ValueError):
        @gw.custom_gradient
        def f(x, y):
            return x * y, grad

        with pytest.raises(error, match=message):
            way(lambda x, y: gw.reduce_sum(f(x, y)), numbers(2), numbers(2))

    refused(lambda up: up, "returns 1 gradient for 2 arguments")
    refused(lambda up: (up, up, up), "returns 3 gradients for 2 arguments")
    refused(
        lambda up: (up, gw.constant([1.0, 2.0, 3.0], gw.float64)), r"shape \[3\] for `float64` of shape \[2\]"
    )
    refused(lambda up: (up, gw.constant([1.0, 2.0])), "returns `float32` of shape")

    @gw.custom_gradient
    def alone(x):
        return x

    with pytest.raises(ValueError, match="does not return a result and a function"):
        way(alone, 1.0)


@pytest.mark.parametrize("wrap", [lambda f: f, gw.function])
def test_variables_that_are_not_asked_for(wrap):
    weight = gw.Variable(3.0, name="weight")

    @gw.custom_gradient
    def f(x):
        return x * weight, lambda upstream: upstream

    @wrap
    def slope(x):
        with gw.GradientTape() as tape:
            y = f(x)
        return tape.gradient(y, x)

    with pytest.raises(TypeError, match="reads `weight.*must take `variables=`"):
        slope(gw.constant(1.0))


def test_a_variable_that_is_assigned_to():
    weight = gw.Variable(3.0, name="weight")

    @gw.custom_gradient
    def f(x):
        def grad(upstream):
            weight.assign(0.0)
            return upstream

        return x * 2.0, grad

    with pytest.raises(ValueError, match="assigns to the variable `weight"):
        gw.grad(f)(1.0)


# Functions that are computed again


def deep(x, w):
    for _ in gw.range(5):
        x = gw.tanh(gw.matmul(x, w)) + x
    return gw.reduce_sum(x * x)


@every_way
def test_recomputed_functions_have_the_same_derivatives(way):
    x, w = numbers(2, 3), numbers(3, 3) * 0.1
    wanted = way(deep, x, w)
    for found, want in zip(way(gw.recompute_grad(deep), x, w), wanted, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-12)

    def twice(x, w):
        return gw.reduce_sum(gw.grad(gw.recompute_grad(deep))(x, w))

    def plain(x, w):
        return gw.reduce_sum(gw.grad(deep)(x, w))

    for found, want in zip(way(twice, x, w), way(plain, x, w), strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-10)


@every_way
def test_a_block_in_a_loop_is_recomputed(way):
    def with_blocks(block):
        def f(x, w):
            for _ in gw.range(3):
                x = block(x, w)
            return gw.reduce_sum(x)

        return f

    def block(x, w):
        if gw.reduce_sum(x) > 0:
            x = gw.sin(gw.matmul(x, w))
        return {"x": gw.exp(x) * x, "n": 3}["x"]

    x, w = numbers(2, 3), numbers(3, 3) * 0.1
    wanted = way(with_blocks(block), x, w)
    for found, want in zip(way(with_blocks(gw.recompute_grad(block)), x, w), wanted, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-12)


def test_recomputed_functions_use_what_is_around_them():
    weight = gw.Variable(3.0)
    count = gw.Variable(0, trainable=False)

    @gw.function
    def slopes(x, scale):
        with gw.GradientTape() as tape:
            tape.watch([x, scale])

            def f(x):
                count.assign_add(1)
                return {"y": x * weight * scale, "z": 3, "none": None}

            got = gw.recompute_grad(f)(x)
            y = got["y"] * got["z"]
        return tape.gradient(y, [x, scale, weight])

    assert [one.numpy() for one in slopes(gw.constant(2.0), gw.constant(5.0))] == [45.0, 18.0, 30.0]
    assert count.numpy() == 1


def test_what_a_recomputed_function_raises_is_caught():
    def f(x):
        assert x > 0, "not above 0"
        return x * x

    @gw.function
    def slope(x):
        return gw.grad(gw.recompute_grad(f))(x)

    assert slope(gw.constant(3.0)).numpy() == 6.0
    with pytest.raises(AssertionError, match="not above 0"):
        slope(gw.constant(-3.0))

    @gw.function
    def caught(x):
        try:
            y = gw.recompute_grad(f)(x)
        except AssertionError:
            y = -1.0
        return y

    assert caught(gw.constant(3.0)).numpy() == 9.0
    assert caught(gw.constant(-3.0)).numpy() == -1.0

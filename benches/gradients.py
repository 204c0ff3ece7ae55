"""Group K, derivatives: through recurrent networks, through loops, and a training step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from benches import workload
from benches.models import jax_lstm, jax_rnn, lstm, normal, rnn, tf_lstm, tf_rnn
from benches.peers import Function, Peer
from benches.workload import Workload

Makers = dict[str, Callable[[], Function]]


def of_derivative(program: Function, chosen: tuple[int, ...], *arrays: Any, **instead: Any) -> workload.Names:
    """`f(*args)` gives the derivatives, by the chosen arguments, of the sum of squares of a program."""

    def names(peer: Peer) -> dict[str, Any] | None:
        name = peer.name.lower()
        make: Callable[[], Function] | None = DERIVED.get(name)
        if make is None:
            return None
        own = instead.get(name)
        derived = make()(own() if own else program, chosen)
        return {"f": derived, "args": [peer.array(array) for array in arrays]}

    return names


def ours() -> Function:
    """With `gw.grad`."""
    import graphwright as gw

    def derive(program, chosen):
        def total(*args):
            result = program(*args)
            return gw.reduce_sum(result * result)

        return gw.grad(total, chosen)

    return derive


def with_jax() -> Function:
    """With `jax.grad`, or forwards where a `while` has no way back."""
    import jax
    import jax.numpy as jnp

    def derive(program, chosen):
        def total(*args):
            result = program(*args)
            return jnp.sum(result * result)

        forwards = getattr(program, "forwards", False)
        return jax.jit(jax.jacfwd(total, chosen) if forwards else jax.grad(total, chosen))

    return derive


def with_tensorflow() -> Function:
    """With a tape in a `tf.function`."""
    import tensorflow as tf

    def derive(program, chosen):
        staged = tf.autograph.to_graph(program)

        @tf.function
        def derivatives(*args):
            wanted = [args[at] for at in chosen]
            with tf.GradientTape() as tape:
                tape.watch(wanted)
                result = staged(*args)
                total = tf.reduce_sum(result * result)
            return tuple(tape.gradient(total, wanted))

        return derivatives

    return derive


DERIVED: Makers = {"graphwright": ours, "jax": with_jax, "tensorflow": with_tensorflow}


def fixed_point(a, b):
    """`x = tanh(a·x + b)`, until it no longer changes."""
    x = b
    change = b * b + 1.0
    while np.max(np.abs(change)) > 1e-5:
        following = np.tanh(a @ x + b)
        change = following - x
        x = following
    return x


def newton(a):
    """The square root, by Newton's method."""
    x = a
    while np.abs(x * x - a) > 1e-6:
        x = 0.5 * (x + a / x)
    return x


def steps(x, n):
    """A number that is changed so many times."""
    y = x
    i = n - n
    while i < n:
        y = y - 0.0001 * np.sin(y)
        i += 1
    return y


def branch(x, y):
    """One of two, element by element sums decide."""
    return np.sin(x) * y if np.sum(x) > 0 else x * np.exp(y)


def perceptron(x, y, w1, b1, w2, b2):
    """The loss of two layers, whose square is derived."""
    hidden = np.maximum(x @ w1 + b1, 0)
    return np.mean((hidden @ w2 + b2 - y) ** 2)


def jax_fixed_point() -> Function:
    """With `lax.while_loop`, which has derivatives forwards only."""
    import jax.numpy as jnp
    from jax import lax

    def run(a, b):
        def more(state):
            return jnp.max(jnp.abs(state[1])) > 1e-5

        def step(state):
            following = jnp.tanh(a @ state[0] + b)
            return following, following - state[0]

        return lax.while_loop(more, step, (b, b * b + 1.0))[0]

    run.forwards = True
    return run


def jax_newton() -> Function:
    """With `lax.while_loop`, forwards."""
    import jax.numpy as jnp
    from jax import lax

    def run(a):
        return lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-6, lambda x: 0.5 * (x + a / x), a)

    run.forwards = True
    return run


def jax_steps(count: int) -> Callable[[], Function]:
    """With `lax.fori_loop` of a number of turns that is known, which has a way back."""

    def make() -> Function:
        import jax.numpy as jnp
        from jax import lax

        return lambda x, n: lax.fori_loop(0, count, lambda i, y: y - 0.0001 * jnp.sin(y), x)

    return make


def jax_branch() -> Function:
    """With `lax.cond`."""
    import jax.numpy as jnp
    from jax import lax

    return lambda x, y: lax.cond(
        jnp.sum(x) > 0, lambda x, y: jnp.sin(x) * y, lambda x, y: x * jnp.exp(y), x, y
    )


def in_jax(program: Function) -> Callable[[], Function]:
    """The same text with JAX's functions in place of NumPy's."""

    def make() -> Function:
        import types

        import jax.numpy as jnp

        return types.FunctionType(program.__code__, {**program.__globals__, "np": jnp})

    return make


def in_tensorflow(program: Function) -> Callable[[], Function]:
    """The same text with TensorFlow's functions in place of NumPy's."""

    def make() -> Function:
        import types

        import tensorflow as tf

        np_like = types.SimpleNamespace(
            tanh=tf.tanh,
            sin=tf.sin,
            exp=tf.exp,
            abs=tf.abs,
            max=tf.reduce_max,
            sum=tf.reduce_sum,
            mean=tf.reduce_mean,
            maximum=tf.maximum,
        )
        return types.FunctionType(program.__code__, {**program.__globals__, "np": np_like})

    return make


def of_network(program: Function, gates: int, hidden: int, batch: int, length: int = 200) -> workload.Names:
    """The derivatives by the weights of so many steps of a network that reads 16 numbers."""
    states = [normal(batch, hidden) for _ in range(2 if gates > 1 else 1)]
    weights = normal(16, gates * hidden), normal(hidden, gates * hidden), normal(gates * hidden)
    first = 1 + len(states)
    instead = (
        {"jax": jax_lstm, "tensorflow": tf_lstm} if gates > 1 else {"jax": jax_rnn, "tensorflow": tf_rnn}
    )
    chosen = (first, first + 1, first + 2)
    return of_derivative(program, chosen, normal(length, batch, 16), *states, *weights, **instead)


def of_program(program: Function, chosen: tuple[int, ...], *arrays: Any, jax: Any = None) -> workload.Names:
    """A program in NumPy's words."""
    instead = {"jax": jax or in_jax(program), "tensorflow": in_tensorflow(program)}
    return of_derivative(program, chosen, *arrays, **instead)


LAYERS = [normal(64, 784), normal(64, 10), normal(784, 128), normal(128), normal(128, 10), normal(10)]
COUNT = 10_000

WORKLOADS = [
    Workload("RNN, 32 hidden", "the best", "f(*args)", of_network(rnn, 1, 32, 1), tolerance=1e-4),
    Workload(
        "RNN, 128 hidden, 16 at once", "the best", "f(*args)", of_network(rnn, 1, 128, 16), tolerance=1e-4
    ),
    Workload("LSTM, 32 hidden", "the best", "f(*args)", of_network(lstm, 4, 32, 1), tolerance=1e-4),
    Workload(
        "LSTM, 32 hidden, 16 at once", "the best", "f(*args)", of_network(lstm, 4, 32, 16), tolerance=1e-4
    ),
    Workload("LSTM, 128 hidden", "the best", "f(*args)", of_network(lstm, 4, 128, 1), tolerance=1e-4),
    Workload(
        "LSTM, 128 hidden, 16 at once", "the best", "f(*args)", of_network(lstm, 4, 128, 16), tolerance=1e-4
    ),
    Workload("two layers, 64 at once", "the best", "f(*args)", of_program(perceptron, (2, 3, 4, 5), *LAYERS)),
    Workload(
        "fixed point, 64",
        "the best",
        "f(*args)",
        of_program(fixed_point, (1,), normal(64, 64), normal(64, 1), jax=jax_fixed_point),
        tolerance=1e-3,
    ),
    Workload(
        "Newton's root",
        "the best",
        "f(*args)",
        of_program(newton, (0,), np.array(2.0, np.float32), jax=jax_newton),
        tolerance=1e-3,
    ),
    Workload(
        "loop of 10,000 steps",
        "12 ns a step",
        "f(*args)",
        of_program(steps, (0,), np.array(1.0), np.array(COUNT, np.int64), jax=jax_steps(COUNT)),
    ),
    Workload(
        "branch", "the best", "f(*args)", of_program(branch, (0, 1), normal(64), normal(64), jax=jax_branch)
    ),
]


def table() -> Table:
    """The derivatives with each peer that can say them."""
    return workload.table("K. derivatives", WORKLOADS)

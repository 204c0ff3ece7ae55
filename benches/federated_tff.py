"""Rows of group F in TFF 0.87: run by the Python of an environment with it, prints milliseconds by name.

`make bench` makes that environment in `target/tff` where it can be had.
"""

import json
import statistics
import sys
import time

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

INT, FLOAT = np.int32, np.float32
WEIGHTS, EXAMPLES, STEPS = 10, 20, 5


def each(run, rounds=7, least=0.2):
    """The median of the milliseconds that one run takes."""
    run()
    found = []
    for _ in range(rounds):
        count, start = 0, time.perf_counter()
        while time.perf_counter() - start < least / rounds or not count:
            run()
            count += 1
        found.append((time.perf_counter() - start) / count * 1000)
    return statistics.median(found)


def clients(member):
    """The type of a value of each client's own."""
    return tff.FederatedType(member, tff.CLIENTS)


def linear_round():
    """A round of federated averaging of a linear model on arrays."""
    x, y, w = (
        tff.TensorType(FLOAT, (EXAMPLES, WEIGHTS)),
        tff.TensorType(FLOAT, (EXAMPLES,)),
        tff.TensorType(FLOAT, (WEIGHTS,)),
    )

    @tff.tensorflow.computation(w, x, y)
    def train(weights, x, y):
        for _ in range(STEPS):
            error = tf.linalg.matvec(x, weights) - y
            weights = weights - 0.1 * tf.linalg.matvec(x, error, transpose_a=True) / EXAMPLES
        return weights

    @tff.federated_computation(tff.FederatedType(w, tff.SERVER), clients(x), clients(y))
    def one_round(weights, x, y):
        return tff.federated_mean(tff.federated_map(train, (tff.federated_broadcast(weights), x, y)))

    return one_round


def rows():
    """The rows by name, each with its milliseconds."""
    start = time.perf_counter()
    graph = tff.tensorflow.computation(lambda x: x + 1, INT)
    total = tff.federated_computation(lambda x: tff.federated_sum(tff.federated_map(graph, x)), clients(INT))
    total([1, 2, 3])
    yield "first call in a process", (time.perf_counter() - start) * 1000
    yield "trace an identity", each(lambda: tff.federated_computation(lambda x: x, INT))
    yield (
        "trace sum(map(f, x))",
        each(
            lambda: tff.federated_computation(
                lambda x: tff.federated_sum(tff.federated_map(graph, x)), clients(INT)
            )
        ),
    )
    yield "trace a graph computation x + 1", each(lambda: tff.tensorflow.computation(lambda x: x + 1, INT))
    yield "a graph computation on a number", each(lambda: graph(10))
    for count in (1, 10, 100, 1000):
        values = list(range(count))
        yield f"sum(map(x + 1)), {count:,} clients", each(lambda values=values: total(values))
    mapped = tff.federated_computation(lambda x: tff.federated_map(graph, x), clients(INT))
    thousand = list(range(1000))
    yield "map(x + 1), 1,000 clients, values back", each(lambda: mapped(thousand), rounds=3)
    one_round, random = linear_round(), np.random.default_rng(0)
    for count in (10, 100, 1000):
        x = [random.normal(size=(EXAMPLES, WEIGHTS)).astype(FLOAT) for _ in range(count)]
        y = [part.sum(1) for part in x]
        start = np.zeros(WEIGHTS, FLOAT)
        name = f"a round of a linear model, {count:,} clients"
        yield name, each(lambda x=x, y=y, start=start: one_round(start, x, y), rounds=3)


if __name__ == "__main__":
    found = {}
    for name, milliseconds in rows():
        found[name] = milliseconds
        print(name, milliseconds, file=sys.stderr)
    print(json.dumps(found))

"""Ten clients with hardly more than two digits each learn to read all ten, by federated averaging."""

from __future__ import annotations

import importlib.util
from collections import OrderedDict
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import graphwright as gw
import graphwright.federated as tff
from graphwright.demo.figures import draw_curves
from graphwright.demo.workload import Workload

CLIENTS, STEPS, RATE, ROUNDS, WORKERS_ROUNDS = 10, 5, 0.5, 60, 10


def deal(images, labels):
    """Deals digits, sorted by what they are, out in twenty shards, two to each client."""
    order = np.argsort(labels, kind="stable")
    shards = np.array_split(order, 2 * CLIENTS)
    pairs = [np.concatenate([shards[at], shards[at + CLIENTS]]) for at in range(CLIENTS)]
    return [{"x": images[rows], "y": labels[rows].astype(np.int32)} for rows in pairs]


def softmax(logits):
    """The probability of each digit, in NumPy."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def numpy_round(w, b, clients):
    """A round as a loop over clients."""
    total_w, total_b, count = np.zeros_like(w), np.zeros_like(b), 0
    for client in clients:
        x, wanted = client["x"], np.eye(10, dtype=np.float32)[client["y"]]
        own_w, own_b = w, b
        for _ in range(STEPS):
            error = (softmax(x @ own_w + own_b) - wanted) / np.float32(len(x))
            own_w, own_b = own_w - RATE * (x.T @ error), own_b - RATE * error.sum(axis=0)
        total_w, total_b, count = total_w + len(x) * own_w, total_b + len(x) * own_b, count + len(x)
    return total_w / np.float32(count), total_b / np.float32(count)


def federated_round():
    """The same as a computation."""
    model = tff.to_type(OrderedDict(w=(np.float32, [64, 10]), b=(np.float32, [10])))
    examples = tff.to_type(OrderedDict(x=(np.float32, [None, 64]), y=(np.int32, [None])))

    @tff.graph_computation(model, examples)
    def trained(weights, data):
        w, b = weights["w"], weights["b"]
        count = gw.cast(gw.shape(data["x"])[0], gw.float32)
        for _ in range(STEPS):
            error = (gw.nn.softmax(data["x"] @ w + b) - gw.one_hot(data["y"], 10)) / count
            w, b = w - RATE * (gw.transpose(data["x"]) @ error), b - RATE * gw.reduce_sum(error, 0)
        return OrderedDict(w=w, b=b), count

    @tff.federated_computation(tff.FederatedType(model, tff.SERVER), tff.FederatedType(examples, tff.CLIENTS))
    def one_round(weights, data):
        found = tff.federated_map(trained, (tff.federated_broadcast(weights), data))
        return tff.federated_mean(found[0], found[1])

    return one_round


def weights_behind(one_round, clients, rounds):
    """The weights behind so many rounds, wherever the current context runs them."""
    weights = OrderedDict(w=np.zeros((64, 10), np.float32), b=np.zeros(10, np.float32))
    for _ in range(rounds):
        weights = one_round(weights, clients)
    return weights


def same_on_workers(one_round, clients, rounds) -> bool:
    """True if one worker of Ray's, and two, give the same bits as this process, or Ray is not there."""
    if importlib.util.find_spec("ray") is None:
        return True
    here, found = weights_behind(one_round, clients, rounds), []
    for count in (1, 2):
        quietly = {"num_cpus": count, "log_to_driver": False, "logging_level": "ERROR"}
        context = tff.create_ray_execution_context(count, quietly)
        with tff.framework.get_context_stack().install(context):
            found.append(weights_behind(one_round, clients, rounds))
        context.shutdown()
    return all(there[name].tobytes() == here[name].tobytes() for there in found for name in here)


def workload(small: bool) -> Workload:
    """A loop of NumPy's, and a computation that runs on all clients in one graph."""
    images, labels = load_digits(return_X_y=True)
    images = (images / 16.0).astype(np.float32)
    rest, tests, rest_labels, test_labels = train_test_split(images, labels, test_size=400, random_state=0)
    clients = deal(rest, rest_labels)
    rounds = 3 if small else ROUNDS
    one_round = federated_round()

    def right(w, b):
        return float(np.mean(np.argmax(tests @ w + b, axis=1) == test_labels))

    def plain():
        w, b, curve = np.zeros((64, 10), np.float32), np.zeros(10, np.float32), []
        for _ in range(rounds):
            w, b = numpy_round(w, b, clients)
            curve.append(right(w, b))
        return np.array(curve), w, b

    def graph():
        weights, curve = weights_behind(one_round, clients, 0), []
        for _ in range(rounds):
            weights = one_round(weights, clients)
            curve.append(right(weights["w"], weights["b"]))
        return np.array(curve), weights["w"], weights["b"]

    def agree(python, graph):
        return same(python, graph) and (small or same_on_workers(one_round, clients, WORKERS_ROUNDS))

    return Workload(
        title=f"federated averaging, {CLIENTS} clients, {rounds} rounds",
        plain="NumPy",
        python=plain,
        graph=graph,
        same=agree,
        draw=lambda answer, folder: draw(answer, folder / "federated.png"),
    )


def same(python, graph):
    """The weights are the same but for rounding, and so is how much of the test is told right."""
    near = all(np.allclose(one, other, atol=1e-4) for one, other in zip(python[1:], graph[1:], strict=True))
    return near and np.abs(python[0] - graph[0]).max() <= 2 / 400


def draw(answer: tuple, path: Path) -> Path:
    """The part of the test that is told right, round by round."""
    title = f"Federated averaging over {CLIENTS} clients"
    return draw_curves({"test digits told right": answer[0]}, path, title, "round", "accuracy")

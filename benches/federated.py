"""Group F, federated computations: tracing, calls and rounds for 1 to 100,000 clients, beside TFF 0.87."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

import graphwright as gw
import graphwright.federated as tff
from benches.timing import ROUND, ROUNDS

INT, FLOAT = np.int32, np.float32

#: Numbers of weights and of examples, and steps of gradient descent, of a client of the linear model.
WEIGHTS, EXAMPLES, STEPS = 10, 20, 5

IMPORT = """
import time
import graphwright
start = time.perf_counter()
import graphwright.federated
print(time.perf_counter() - start)
"""

FIRST = """
import time
import numpy as np
import graphwright.federated as tff
start = time.perf_counter()
add = tff.graph_computation(lambda x: x + 1, np.int32)
total = tff.federated_computation(
    lambda x: tff.federated_sum(tff.federated_map(add, x)), tff.FederatedType(np.int32, tff.CLIENTS)
)
total([1, 2, 3])
print(time.perf_counter() - start)
"""


def clients(member: Any) -> Any:
    """The type of a value of each client's own."""
    return tff.FederatedType(member, tff.CLIENTS)


def add_one(x):
    """Adds one: the work of a client on a number."""
    return x + 1


def linear_round(name: str) -> Any:
    """A round of federated averaging of a linear model, on arrays or on sequences of examples."""
    weights = tff.TensorType(FLOAT, [WEIGHTS])
    arrays = {"x": (FLOAT, [EXAMPLES, WEIGHTS]), "y": (FLOAT, [EXAMPLES])}

    @tff.graph_computation(weights, tff.to_type(arrays))
    def trained(w, data):
        x, y = data["x"], data["y"]
        for _ in range(STEPS):
            w = w - 0.1 * 2.0 / EXAMPLES * (gw.transpose(x) @ (x @ w - y))
        return w, float(EXAMPLES)

    @tff.graph_computation(weights, tff.SequenceType(tff.to_type({"x": weights, "y": FLOAT})))
    def trained_by_example(w, data):
        count = 0.0
        for _ in range(STEPS):
            gradient, count = gw.zeros([WEIGHTS]), 0.0
            for example in data:
                gradient += (gw.reduce_sum(example["x"] * w) - example["y"]) * example["x"]
                count += 1.0
            w = w - 0.1 * 2.0 / count * gradient
        return w, count

    train = trained if name == "arrays" else trained_by_example

    @tff.federated_computation(
        tff.FederatedType(weights, tff.SERVER), clients(train.type_signature.parameter[1])
    )
    def one_round(w, data):
        found = tff.federated_map(train, (tff.federated_broadcast(w), data))
        return tff.federated_mean(found[0], found[1])

    return one_round


def client_data(count: int) -> list[Any]:
    """The examples of so many clients, as arrays."""
    random = np.random.default_rng(0)
    return [
        {
            "x": random.normal(size=(EXAMPLES, WEIGHTS)).astype(FLOAT),
            "y": random.normal(size=EXAMPLES).astype(FLOAT),
        }
        for _ in range(count)
    ]


def each(action: Callable[[], Any]) -> float:
    """The seconds of one run, the median of rounds."""
    action()
    count = 1
    while _taken(action, count) < ROUND and count < 10_000:
        count *= 2
    return statistics.median(_taken(action, count) / count for _ in range(ROUNDS))


def _taken(action: Callable[[], Any], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        action()
    return time.perf_counter() - start


def _in_a_process(program: str) -> float:
    """The median of what a program prints, in processes of its own."""
    # Compiled modules are read as in any process behind the first one.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program]
    runs = [
        subprocess.run(command, capture_output=True, text=True, check=True, env=environment) for _ in range(6)
    ]
    return statistics.median(float(run.stdout) for run in runs[1:])


def tracing() -> dict[str, tuple[Callable[[], float], str, str]]:
    """Costs of tracing, by name: the measurement, TFF's figure and the aim."""
    graph = tff.graph_computation(add_one, INT)

    def chained(x):
        for _ in range(20):
            x = graph(x)
        return x

    def summed(x):
        return tff.federated_sum(tff.federated_map(graph, x))

    made = tff.federated_computation
    return {
        "import, on top of graphwright": (lambda: _in_a_process(IMPORT), "3,700 ms", "≤ 20 ms"),
        "trace an identity": (lambda: each(lambda: made(lambda x: x, INT)), "0.13 ms", "≤ 0.05 ms"),
        "trace sum(map(f, x))": (lambda: each(lambda: made(summed, clients(INT))), "0.45 ms", "≤ 0.15 ms"),
        "trace 20 calls in a row": (lambda: each(lambda: made(chained, INT)), "1.06 ms", "≤ 0.4 ms"),
        "trace a graph computation x + 1": (
            lambda: each(lambda: tff.graph_computation(lambda x: x + 1, INT)),
            "2.2 ms",
            "≤ 0.5 ms",
        ),
        "first call in a process": (lambda: _in_a_process(FIRST), "2,200 ms", "≤ 20 ms"),
    }


def calls() -> dict[str, tuple[Callable[[], float], str, str]]:
    """Costs of calls, by name."""
    graph = tff.graph_computation(add_one, INT)
    total = tff.federated_computation(lambda x: tff.federated_sum(tff.federated_map(graph, x)), clients(INT))
    mapped = tff.federated_computation(lambda x: tff.federated_map(graph, x), clients(INT))
    found: dict[str, tuple[Callable[[], float], str, str]] = {
        "a graph computation on a number": (lambda: each(lambda: graph(10)), "2.6 ms", "≤ 0.02 ms")
    }
    for count, theirs, aim in ((1, 3.4, 0.05), (10, 8.6, 0.05), (100, 30, 0.1), (1000, 328, 0.3)):
        values = list(range(count))
        found[f"sum(map(x + 1)), {count:,} clients"] = (
            lambda values=values: each(lambda: total(values)),  # type: ignore[misc]
            f"{theirs} ms",
            f"≤ {aim} ms",
        )
    thousand = list(range(1000))
    found["map(x + 1), 1,000 clients, values back"] = (
        lambda: each(lambda: mapped(thousand)),
        "282 ms",
        "≤ 0.5 ms",
    )
    return found


def rounds() -> dict[str, tuple[Callable[[], float], str, str]]:
    """Costs of rounds of federated averaging, by name."""
    on_arrays, by_example = linear_round("arrays"), linear_round("sequences")
    start = np.zeros(WEIGHTS, FLOAT)
    found: dict[str, tuple[Callable[[], float], str, str]] = {}
    for count, theirs, aim in ((10, 13.5, 0.2), (100, 58, 0.5), (1000, 696, 4)):
        data = client_data(count)
        datasets = [gw.data.Dataset.from_tensor_slices(one) for one in data]
        found[f"a round of a linear model, {count:,} clients"] = (
            lambda data=data: each(lambda: on_arrays(start, data)),  # type: ignore[misc]
            f"{theirs} ms",
            f"≤ {aim} ms",
        )
        found[f"the same, each client a dataset, {count:,} clients"] = (
            lambda data=datasets: each(lambda: by_example(start, data)),  # type: ignore[misc]
            "–",
            "–",
        )
    many = client_data(1000) * 100
    found["the same on arrays, 100,000 clients"] = (
        lambda: min(_taken(lambda: on_arrays(start, many), 1) for _ in range(3)),
        "–",
        "–",
    )
    return found


def memory() -> float:
    """The KiB by which the process has grown from the 1,000th to the 10,000th round of ten clients."""
    one_round, data, weights = linear_round("arrays"), client_data(10), np.zeros(WEIGHTS, FLOAT)
    before = 0
    for number in range(10_000):
        weights = one_round(weights, data)
        if number == 1_000:
            before = _resident()
    return _resident() - before


def _resident() -> int:
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() // 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


#: The Python of an environment with TFF 0.87, which `make bench` makes where it can be had.
TFF_PYTHON = Path("target/tff/bin/python")


def measured_tff() -> dict[str, float]:
    """The figures of TFF by name, if it is installed. Its worker keeps pipes open, so it writes to a file."""
    if not TFF_PYTHON.exists():
        return {}
    with tempfile.TemporaryFile("w+") as out:
        script = Path(__file__).with_name("federated_tff.py")
        command = [str(TFF_PYTHON), "-P", str(script)]
        subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL, check=True, timeout=600)
        out.seek(0)
        return json.loads(out.read().splitlines()[-1])


def table() -> Table:
    """Every figure with that of TFF 0.87, of this run where TFF is installed, and its aim."""
    here = measured_tff()
    made = Table(title="Federated computations (medians of the time on the clock)")
    for heading in ("figure", "measured", "TFF 0.87", "aim"):
        made.add_column(heading, justify="left" if heading == "figure" else "right")
    figures = {**tracing(), **calls(), **rounds()}
    for name, (measure, theirs, aim) in tqdm(figures.items(), unit="figure", leave=False):
        beside = f"{here[name]:.3g} ms here" if name in here else theirs
        made.add_row(name, f"{1e3 * measure():.3g} ms", beside, aim)
    made.add_row("growth of memory over 9,000 rounds", f"{memory():,.0f} KiB", "–", "0")
    return made

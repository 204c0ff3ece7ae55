"""Group H, first calls: to convert, trace, compile and run a function that has not been seen before."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

from benches import algebra, arrays, calls, loops, models, tally
from benches.fresh import renewed
from benches.peers import PEERS, Function, Peer, installed
from benches.workload import cell, flat

COPIES = 7
"""The median of so many fresh copies counts; one more is called first, to warm the process."""


@dataclass(frozen=True)
class Program:
    """A function and its inputs; a peer named in `instead` has another text of it."""

    name: str
    aim: str
    function: Function
    arrays: tuple[Any, ...]
    instead: dict[str, Callable[[], Function]] = field(default_factory=dict)

    def fresh(self, peer: Peer) -> Function:
        """A copy that has not been called."""
        make = self.instead.get(peer.name.lower())
        return renewed(make)() if make else renewed(self.function)


WEIGHTS = models.normal(16, 32), models.normal(32, 32), models.normal(32)
GATES = models.normal(16, 128), models.normal(32, 128), models.normal(128)
STATE = models.normal(1, 32)
STEPS = models.normal(200, 1, 16)
ROWS = arrays.uniform(8, 64)
SMALL = "≤ 5 ms"

PROGRAMS = [
    Program("scalar add", SMALL, calls.add, (np.float32(2), np.float32(3))),
    Program("20 small-tensor ops", SMALL, calls.chain, (calls.VECTOR, calls.VECTOR)),
    Program("10 operations on an array", SMALL, arrays.ten, (ROWS, ROWS)),
    Program(
        "sum of products",
        SMALL,
        arrays.total,
        (ROWS, ROWS),
        {"tensorflow": arrays.tf_total, "jax": arrays.jax_total},
    ),
    Program(
        "softmax",
        SMALL,
        arrays.softmax,
        (ROWS,),
        {"tensorflow": arrays.tf_softmax, "jax": arrays.jax_softmax, "numba": arrays.numba_softmax},
    ),
    Program("matmul", SMALL, algebra.product, (models.normal(64, 64), models.normal(64, 64))),
    Program(
        "MLP",
        SMALL,
        algebra.perceptron,
        (models.normal(8, 784), *algebra.LAYERS),
        {"tensorflow": algebra.tf_perceptron, "jax": algebra.jax_perceptron},
    ),
    Program("Collatz", SMALL, loops.collatz, (loops.WHOLE,), {"jax": loops.jax_collatz}),
    Program("Newton's square roots", SMALL, loops.newton, (loops.REAL,), {"jax": loops.jax_newton}),
    Program("FizzBuzz", SMALL, loops.fizzbuzz, (loops.WHOLE,), {"jax": loops.jax_fizzbuzz}),
    Program("primes, `break` and `continue`", SMALL, loops.primes, (loops.WHOLE,), {"jax": loops.jax_primes}),
    Program(
        "steps of 32 numbers", SMALL, loops.logistic, (loops.WHOLE, loops.VECTOR), {"jax": loops.jax_logistic}
    ),
    Program(
        "RNN, 32 hidden",
        SMALL,
        models.rnn,
        (STEPS, STATE, *WEIGHTS),
        {"tensorflow": models.tf_rnn, "jax": models.jax_rnn},
    ),
    Program(
        "LSTM, 32 hidden",
        "≤ 50 ms",
        models.lstm,
        (STEPS, STATE, STATE, *GATES),
        {"tensorflow": models.tf_lstm, "jax": models.jax_lstm},
    ),
]


def table() -> Table:
    """Every program with every peer that compiles."""
    peers = {name: peer for name, peer in installed().items() if name != "NumPy"}
    made = Table(title="Group H, first calls: processor time (how many times ours it is)")
    made.add_column("function")
    for heading in ("aim", *PEERS):
        if heading != "NumPy":
            made.add_column(heading, justify="right")
    for heading in ("own process", "second process"):
        made.add_column(heading, justify="right")
    for program in tqdm(PROGRAMS, unit="program", leave=False):
        figures = measured(program, peers)
        tally.note_beside("Group H, first calls", program.name, figures)
        made.add_row(
            program.name,
            program.aim,
            *(cell(figures.get(name), name) for name in PEERS if name != "NumPy"),
            *(f"{1e3 * seconds:.1f} ms" for seconds in processes(program)),
        )
    return made


def measured(program: Program, peers: dict[str, Peer]) -> dict[str, tuple[float, float]]:
    """The seconds of a first call and the ratio to ours, by peer; all results are those of plain Python."""
    times: dict[str, list[float]] = {name: [] for name in peers}
    wanted = flat(program.function(*program.arrays))
    for _ in range(COPIES + 1):
        for name, peer in peers.items():
            function = program.fresh(peer)
            args = [peer.array(array) for array in program.arrays]
            taken, result = first_call(peer, function, args)
            for one, other in zip(flat(result), wanted, strict=True):
                np.testing.assert_allclose(
                    one, other, rtol=1e-3, atol=1e-4, err_msg=f"{program.name} with {name}"
                )
            times[name].append(taken)
    ours = times["Graphwright"][1:]
    return {
        name: (
            statistics.median(each[1:]),
            statistics.median(their / our for their, our in zip(each[1:], ours, strict=True)),
        )
        for name, each in times.items()
    }


def first_call(peer: Peer, function: Function, args: list[Any]) -> tuple[float, Any]:
    """What compiling and calling takes, and the result."""
    start = time.process_time()
    result = peer.compiled(function)(*args)
    if peer.finish:
        peer.finish(result)
    return time.process_time() - start, result


def processes(program: Program) -> tuple[float, float]:
    """The first call in processes of their own: without code on the disk, and with what another one left."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {"GRAPHWRIGHT_CACHE": "1", "GRAPHWRIGHT_CACHE_DIR": folder}
        in_own_process(program, kept)
        taken = [(in_own_process(program, {}), in_own_process(program, kept)) for _ in range(COPIES)]
    without, warm = zip(*taken, strict=True)
    return statistics.median(without), statistics.median(warm)


def in_own_process(program: Program, environment: dict[str, str]) -> float:
    """The seconds of the first call of a program in a process that has imported and done nothing else."""
    command = [sys.executable, "-m", "benches.second", str(PROGRAMS.index(program))]
    environment = {**os.environ, **environment}
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)

"""Group J, memory: the most that a process holds in a call, above what it held before there were arrays."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

from benches.arrays import ten
from benches.fresh import fresh
from benches.gradients import of_network
from benches.models import lstm
from benches.peers import PEERS, Function, Peer

MEGA = 1 << 20
SIZE = 256 * MEGA
"""Bytes of each array of the chain: two come in, one goes out."""


def halves(n, x):
    """So many steps, each of which makes a new array of the last."""
    i = n - n
    while i < n:
        x = 0.5 * x + 1
        i += 1
    return x


def jax_halves() -> Function:
    """With `lax.fori_loop`."""
    from jax import lax

    return lambda n, x: lax.fori_loop(0, n, lambda _, x: 0.5 * x + 1, x)


def run_chain(peer: Peer, size: int) -> Any:
    """Ten operations on arrays of so many bytes."""
    f = peer.compiled(ten)
    return f(*(peer.array(np.full(size // 4, number, np.float32)) for number in (0.75, 1.25)))


def run_loop(peer: Peer, count: int) -> Any:
    """So many steps with 1,000 numbers."""
    f = peer.compiled(jax_halves() if peer.name == "JAX" else halves)
    return f(peer.array(np.array(count)), peer.array(np.full(1000, 2.5)))


def products(x):
    """Eight products, each of the last and the first."""
    y = x @ x
    y = y @ x
    y = y @ x
    y = y @ x
    y = y @ x
    y = y @ x
    y = y @ x
    return y @ x


def run_products(peer: Peer, length: int) -> Any:
    """Matrices of so many rows and columns."""
    return peer.compiled(products)(peer.array(np.full((length, length), 1 / length, np.float32)))


SQUARE = 4 * 2000 * 2000
"""Bytes of a matrix: one comes in, one goes out, and one lies between them."""


KEPT = 57 * 1024
"""Bytes of a step that its derivative cannot do without: what it reads, and seven arrays of 16 times 128
numbers (`docs/design/047`)."""


def run_derivative(peer: Peer, length: int, program: Function = lstm) -> Any:
    """The derivatives of an LSTM of 128, 16 at once, by its weights, through so many steps."""
    names = of_network(program, 4, 128, 16, length)(peer)
    if names is None:
        raise SystemExit(f"{peer.name} has no derivatives")
    return names["f"](*names["args"])[2]


def run_segments(peer: Peer, length: int) -> Any:
    """The same with `checkpoint="sqrt"`, which the other packages have no word for."""
    import graphwright as gw

    if peer.name != "Graphwright":
        raise SystemExit(f"{peer.name} has no such option")
    loop = "    for x in xs:\n"
    option = "        gw.autograph.experimental.set_loop_options(checkpoint='sqrt')\n"
    text = inspect.getsource(lstm).replace(loop, loop + option)
    return run_derivative(peer, length, fresh(text, "lstm", {**lstm.__globals__, "gw": gw}))


@dataclass(frozen=True)
class Figure:
    """What is run, on how much first, and on how much in the end."""

    run: Callable[[Peer, int], Any]
    first: int
    last: int
    aim: str
    wanted: float | None = None
    """What comes out, if that is known."""
    all: int | None = None
    """The bytes that cannot be done without, if they are known."""


FIGURES = {
    "10 operations, 256 MB": Figure(
        run_chain, 4096, SIZE, "≤ 1.05 × 768 MB", float(ten(0.75, 1.25)), 3 * SIZE
    ),
    "1,000,000 steps of 8 KB": Figure(run_loop, 1000, 1_000_000, "flat", 2.0),
    "8 products, 2,000 × 2,000": Figure(run_products, 64, 2000, "3 matrices", None, 3 * SQUARE),
    "derivative, 2,000 steps": Figure(run_derivative, 2, 2000, "≤ 1.2 × 117 MB", None, 2000 * KEPT),
    "derivative, 8,000 steps": Figure(run_derivative, 2, 8000, "≤ 1.2 × 467 MB", None, 8000 * KEPT),
    '"sqrt", 2,000 steps': Figure(run_segments, 2, 2000, "as the root"),
    '"sqrt", 8,000 steps': Figure(run_segments, 2, 8000, "twice that"),
}


def held(field: str) -> int:
    """Bytes of this process in memory now, `VmRSS`, or when they were most, `VmHWM`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith(field))
    return 1024 * int(line.split()[1])


def more(figure: str, peer: Peer) -> int:
    """The bytes that a call holds at most above what the process held when a small call was over."""
    chosen = FIGURES[figure]
    for amount in (chosen.first, chosen.last):
        Path("/proc/self/clear_refs").write_text("5")  # `VmHWM` begins anew
        before = held("VmRSS")
        result = np.asarray(chosen.run(peer, amount)[:3])
        if chosen.wanted is not None:
            np.testing.assert_allclose(result, chosen.wanted, rtol=1e-5)
    return held("VmHWM") - before


def cell(figure: str, name: str) -> str:
    """What a peer holds, measured in a process of its own."""
    command = [sys.executable, "-m", "benches.memory", figure, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return "–"
    bytes_more = int(done.stdout.split()[-1])
    wanted = FIGURES[figure].all
    share = f" ({bytes_more / wanted:.2f}×)" if wanted else ""
    return f"{bytes_more / MEGA:,.1f} MB{share}"


def table() -> Table:
    """Every figure with every peer; shares are of what comes in and goes out, or of what has to be kept."""
    made = Table(title="Group J, memory: the most that is held")
    made.add_column("what")
    for heading in ("aim", *PEERS):
        made.add_column(heading, justify="right")
    for figure in tqdm(FIGURES, unit="figure", leave=False):
        made.add_row(figure, FIGURES[figure].aim, *(cell(figure, name) for name in PEERS))
    return made


if __name__ == "__main__":
    print(more(sys.argv[1], PEERS[sys.argv[2]]()))

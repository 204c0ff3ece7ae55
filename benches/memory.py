"""Group J, memory: the most that a process holds in a call, above what it held before there were arrays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

from benches.arrays import ten
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


FIGURES = {
    "10 operations, 256 MB": (run_chain, 4096, SIZE, float(ten(0.75, 1.25)), "≤ 1.05 × 768 MB"),
    "1,000,000 steps of 8 KB": (run_loop, 1000, 1_000_000, 2.0, "flat"),
}
"""What is run, on how much first, on how much in the end, what comes out, and the aim."""


def held(field: str) -> int:
    """Bytes of this process in memory now, `VmRSS`, or when they were most, `VmHWM`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith(field))
    return 1024 * int(line.split()[1])


def more(figure: str, peer: Peer) -> int:
    """The bytes that a call holds at most above what the process held when a small call was over."""
    run, small, great, wanted, _ = FIGURES[figure]
    for amount in (small, great):
        Path("/proc/self/clear_refs").write_text("5")  # `VmHWM` begins anew
        before = held("VmRSS")
        result = run(peer, amount)
        np.testing.assert_allclose(np.asarray(result[:3]), wanted, rtol=1e-5)
    return held("VmHWM") - before


def cell(figure: str, name: str) -> str:
    """What a peer holds, measured in a process of its own."""
    command = [sys.executable, "-m", "benches.memory", figure, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return "–"
    bytes_more = int(done.stdout.split()[-1])
    share = f" ({bytes_more / (3 * SIZE):.2f}×)" if FIGURES[figure][0] is run_chain else ""
    return f"{bytes_more / MEGA:,.1f} MB{share}"


def table() -> Table:
    """Every figure with every peer; shares are of what comes in and goes out."""
    made = Table(title="Group J, memory: the most that is held")
    made.add_column("what")
    for heading in ("aim", *PEERS):
        made.add_column(heading, justify="right")
    for figure in tqdm(FIGURES, unit="figure", leave=False):
        made.add_row(figure, FIGURES[figure][-1], *(cell(figure, name) for name in PEERS))
    return made


if __name__ == "__main__":
    print(more(sys.argv[1], PEERS[sys.argv[2]]()))

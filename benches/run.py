"""Makes and prints every figure: `make bench`. Names given, those of `GROUPS`, choose some."""

from __future__ import annotations

import os
import sys
import traceback

from rich.console import Console

from benches import (
    algebra,
    arrays,
    beyond,
    calls,
    checks,
    datasets,
    federated,
    files,
    first,
    gradients,
    growth,
    hosts,
    kernels,
    language,
    loops,
    memory,
    models,
    nests,
    numbers,
    plain,
    roofline,
    tally,
    threads,
    ways,
)

GROUPS = {
    "calls": calls.table,
    "checks": checks.table,
    "language": language.table,
    "beyond": beyond.table,
    "hosts": hosts.table,
    "datasets": datasets.table,
    "federated": federated.table,
    "files": files.table,
    "loops": loops.table,
    "plain": plain.table,
    "lengths": plain.lengths,
    "ways": ways.table,
    "roofline": roofline.table,
    "kernels": kernels.table,
    "numbers": numbers.table,
    "nests": nests.table,
    "models": models.table,
    "gradients": gradients.table,
    "arrays": arrays.table,
    "algebra": algebra.table,
    "threads": threads.table,
    "first": first.table,
    "growth": growth.table,
    "memory": memory.table,
}


def main() -> None:
    """Prints a table for each group, and their summary. All run on one processor and have one thread.

    A group that fails is told with its error, and the others are measured.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    console = Console(width=None if sys.stdout.isatty() else 140)
    failed = []
    for name in sys.argv[1:] or GROUPS:
        try:
            console.print(GROUPS[name]())
        except Exception:
            failed.append(name)
            traceback.print_exc()
    summary = tally.table()
    if summary:
        console.print(summary)
    if failed:
        sys.exit(f"groups that failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()

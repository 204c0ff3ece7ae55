"""Makes and prints every figure: `make bench`. Names given, `calls` or `language`, choose groups."""

from __future__ import annotations

import sys

from rich.console import Console

from benches import calls, language

GROUPS = {"calls": calls.table, "language": language.table}


def main() -> None:
    """Prints a table for each group."""
    console = Console(width=None if sys.stdout.isatty() else 140)
    for name in sys.argv[1:] or GROUPS:
        console.print(GROUPS[name]())


if __name__ == "__main__":
    main()

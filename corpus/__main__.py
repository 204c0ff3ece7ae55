"""The command: `python -m corpus` collects examples, judges them, and writes `docs/limits.md`."""

from .run import main

main()

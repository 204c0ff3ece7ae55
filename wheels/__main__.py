"""`python -m wheels`: builds the distributions into a folder, and tries each wheel in a bare environment."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import build, elsewhere, interpreters, trial


def main() -> int:
    """Builds and tries; 1 if a wheel is too large, needs a newer glibc, or fails where it is tried."""
    options = parser().parse_args()
    target = options.target
    found = interpreters.elsewhere(options.python) if target else interpreters.found(options.python)
    if not found:
        print("no CPython of 3.10 or newer is here", file=sys.stderr)
        return 1
    complaints = []
    if not options.no_sdist:
        sources = build.sdist(options.out)
        complaints += build.sdist_complaints(sources)
        print(f"sources {sources.name}", flush=True)
    for python in found:
        wheel = build.wheel(python, options.out, target)
        complaints += build.complaints(wheel, target)
        print(f"built   {wheel.name}  {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
        if target is not None and not elsewhere.can_try(python.tag, target):
            continue
        wrong = elsewhere.run(python.tag, wheel, target) if target else trial.run(python, wheel)
        print(f"{'FAILED' if wrong else 'tried '}  CPython {python.version}", flush=True)
        complaints += [f"CPython {python.version}: {wrong}"] if wrong else []
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return bool(complaints)


def parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    made = argparse.ArgumentParser(prog="python -m wheels")
    made.add_argument("--out", type=Path, default=Path("dist"), help="the folder of the distributions")
    made.add_argument(
        "--python", action="append", metavar="PYTHON", help="an interpreter; otherwise all that are here"
    )
    made.add_argument("--target", help="another machine, as aarch64-unknown-linux-gnu: tried where qemu is")
    made.add_argument("--no-sdist", action="store_true", help="wheels alone")
    return made


if __name__ == "__main__":
    sys.exit(main())

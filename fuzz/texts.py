"""Writes the graphs of random programs as text, so that those of two trees can be compared.

`python -m fuzz.texts FILE` under each, then `diff`: what a tree adds must not change programs that do not use
it. The programs are those without lists, dicts, exceptions and hidden state.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import graphwright as gw

from . import oracle, statements
from .programs import program
from .statements import Where
from .writer import Choices


def graph(seed: int) -> str:
    """The text of one program's graph, or the code of the diagnostic that refuses it."""
    source = random.Random(seed)
    one = program(Choices(source.randint))
    try:
        function = gw.function(one.function())
        with oracle.silent(), oracle.limited():
            return str(function.get_concrete_function(*map(oracle.tensor, one.arguments)).graph)
    except (Exception, oracle.EndlessError) as error:
        return f"{oracle.kind(error)} {str(error).split(chr(10))[0]}"
    finally:
        one.forget()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.texts", description=__doc__)
    parser.add_argument("file", type=Path, help="where the texts go")
    parser.add_argument("--programs", type=int, default=1000, help="how many")
    chosen = parser.parse_args()
    plain = (statements.LEAVES, statements.BLOCKS)
    statements.STATEMENTS[Where.TOP] = statements.templates(*plain)
    statements.STATEMENTS[Where.LOOP] = statements.templates(*plain, statements.JUMPS)
    with chosen.file.open("w") as file:
        for seed in range(chosen.programs):
            print(f"# program {seed}\n{graph(seed)}\n", file=file)


if __name__ == "__main__":
    main()

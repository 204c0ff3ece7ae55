"""A first call of group H in a process of its own: `python -m benches.second NUMBER` prints its seconds."""

from __future__ import annotations

import sys

from benches.first import PROGRAMS, first_call
from benches.peers import graphwright


def main() -> None:
    """Imports and inputs do not count."""
    program, peer = PROGRAMS[int(sys.argv[1])], graphwright()
    function, args = program.fresh(peer), [peer.array(array) for array in program.arrays]
    taken, _ = first_call(peer, function, args)
    print(taken)


if __name__ == "__main__":
    main()

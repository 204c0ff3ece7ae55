"""Where replicas meet: each brings what it has, and all get the sum, made in the order of the replicas."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

#: Answers to a replica: there is a sum, the run is over before it was made, or it can never be made.
MET, STOPPED, UNEVEN = "met", "stopped", "uneven"


class Run:
    """One attempt at running a function on replicas."""

    def __init__(self) -> None:
        self.stopped = False
        self.met = False
        self.left: set[int] = set()
        self.turns: dict[int, Turn] = {}


class Turn(NamedTuple):
    """Values that replicas brought to one meeting, and their sum."""

    brought: dict[int, Any]
    told: asyncio.Future[Any]


class Exchange:
    """An actor of Ray's. A replica calls `meet` and waits; the driver tells who has left."""

    def __init__(self) -> None:
        self._runs: dict[int, Run] = {}

    async def meet(self, run: int, turn: int, rank: int, replicas: list[int], kind: Any, arrays: Any) -> Any:
        """`(MET, sums)`, `(STOPPED, "")` or `(UNEVEN, why)`."""
        now = self._runs.setdefault(run, Run())
        now.met = True
        if now.stopped:
            return STOPPED, ""
        if turn not in now.turns:
            now.turns[turn] = Turn({}, asyncio.get_running_loop().create_future())
        meeting = now.turns[turn]
        meeting.brought[rank] = (kind, arrays)
        self._judge(now, turn, replicas)
        return await meeting.told

    def _judge(self, now: Run, turn: int, replicas: list[int]) -> None:
        meeting = now.turns[turn]
        missing = [rank for rank in replicas if rank not in meeting.brought]
        gone = [rank for rank in missing if rank in now.left]
        if gone:
            _tell(meeting, (UNEVEN, f"replica {gone[0]} has ended"))
        elif not missing:
            _tell(meeting, _sums([meeting.brought[rank] for rank in replicas]))
            del now.turns[turn]

    async def leave(self, run: int, rank: int, replicas: list[int]) -> None:
        """A replica has come to the end of its function."""
        now = self._runs.setdefault(run, Run())
        now.left.add(rank)
        for turn in list(now.turns):
            self._judge(now, turn, replicas)

    async def stop(self, run: int) -> None:
        """Nobody is to wait any longer: a replica is lost, or has failed."""
        now = self._runs.setdefault(run, Run())
        now.stopped = True
        for meeting in now.turns.values():
            _tell(meeting, (STOPPED, ""))

    async def end(self, run: int) -> bool:
        """Forgets a run; gives whether replicas met in it."""
        return self._runs.pop(run, Run()).met


def _tell(meeting: Turn, what: Any) -> None:
    if not meeting.told.done():
        meeting.told.set_result(what)


def _sums(brought: list[Any]) -> Any:
    kinds = [kind for kind, _ in brought]
    if any(kind != kinds[0] for kind in kinds):
        return UNEVEN, f"one brings {kinds[0]}, another {next(kind for kind in kinds if kind != kinds[0])}"
    sums = []
    for arrays in zip(*[arrays for _, arrays in brought], strict=True):
        total = arrays[0].copy()
        for array in arrays[1:]:
            total = total + array
        sums.append(total)
    return MET, sums

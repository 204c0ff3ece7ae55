"""The workers of a strategy: what each knows, what is asked of all, and who takes the place of a lost one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import ray
from ray.exceptions import RayActorError

from .. import _native
from .._native import Variable
from . import _errors
from ._exchange import Exchange
from ._pickling import Packed, array_of
from ._worker import KEPT, Report, Task, Value, Worker

#: So often in a row a worker may be lost while it does the same.
_MOST_LOSSES = 3


@dataclass
class Member:
    """A worker, and the versions of the variables that it holds."""

    actor: Any
    versions: dict[int, int] = field(default_factory=dict)


@dataclass
class Mirrored:
    """A variable of the driver's, and what all workers are to hold."""

    variable: Variable
    version: int = 0
    array: Any = None


class Call(NamedTuple):
    """A task of workers: a function that Ray keeps, its arguments, and where each finds those of its own."""

    digest: str
    function: Any
    arguments: Packed
    picks: dict[int, list[Any]]

    @property
    def ranks(self) -> list[int]:
        """The replicas that do it."""
        return sorted(self.picks)


class Mirrors:
    """The variables that functions on workers have to do with, by number."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._known: list[Mirrored] = []

    def number(self, variable: Variable) -> int:
        """The number of a variable, which has one from here on."""
        if id(variable) not in self._numbers:
            self._numbers[id(variable)] = len(self._known)
            self._known.append(Mirrored(variable))
        return self._numbers[id(variable)]

    def name(self, number: int) -> str:
        """The name of a variable."""
        return self._known[number].variable.name

    def news(self, member: Member) -> dict[int, Value]:
        """Objects that a worker does not hold yet, and will."""
        news = {}
        for number, known in enumerate(self._known):
            array = array_of(known.variable)
            if known.version == 0 or not _same(array, known.array):
                known.version, known.array = known.version + 1, array
            if member.versions.get(number) != known.version:
                member.versions[number] = known.version
                news[number] = _value(known)
        return news

    def commit(self, values: dict[int, Any], members: Iterable[Member]) -> None:
        """Takes what these workers hold now."""
        for number, array in values.items():
            known = self._known[number]
            known.variable.assign(_native.convert_to_tensor(np.array(array), known.variable.dtype))
            known.version, known.array = known.version + 1, array_of(known.variable)
            for member in members:
                member.versions[number] = known.version


class Crew:
    """The workers. What they compute becomes that of all variables when all have done it, or not at all."""

    def __init__(self, count: int) -> None:
        self._exchange = ray.remote(num_cpus=0)(Exchange).remote()
        self._worker = ray.remote(Worker)
        self._attempts = itertools.count()
        self._functions: dict[str, Any] = {}
        self._last: RayActorError | None = None
        self.mirrors = Mirrors()
        self.count = count
        self._members = [self._begun(rank) for rank in range(count)]
        ray.get([member.actor.pid.remote() for member in self._members])

    def pids(self) -> list[int]:
        """The numbers of the workers' processes."""
        return self.ask(range(self.count), lambda member: member.actor.pid.remote())

    def actors(self) -> list[Any]:
        """The workers, as Ray has them."""
        return [member.actor for member in self._members]

    def end(self) -> None:
        """Ends the workers."""
        for actor in [*[member.actor for member in self._members], self._exchange]:
            ray.kill(actor)
        self._members = []

    def ask(self, ranks: Iterable[int], question: Callable[[Member], Any]) -> list[Any]:
        """Answers of workers; whoever is lost is replaced and asked again."""
        asked = {rank: question(self._members[rank]) for rank in ranks}
        return [self._answer(rank, asked[rank], question) for rank in asked]

    def _answer(self, rank: int, reference: Any, question: Callable[[Member], Any]) -> Any:
        for _ in range(_MOST_LOSSES + 1):
            try:
                return ray.get(reference)
            except RayActorError as error:
                self._last = error
                self._replace(rank)
                reference = question(self._members[rank])
        raise RuntimeError(f"replica {rank} is lost each time that it is asked") from self._last

    def call(self, function: Packed, arguments: Packed, picks: dict[int, list[Any]]) -> Call:
        """A call of a function, which workers get once."""
        if function.digest not in self._functions:
            self._functions[function.digest] = ray.put(function)
        while len(self._functions) > KEPT:
            del self._functions[next(iter(self._functions))]
        return Call(function.digest, self._functions[function.digest], arguments, picks)

    def run(self, call: Call) -> Any:
        """`(the structure of results, each worker's leaves)`."""
        try:
            return self._committed(self._done(call))
        except BaseException:
            self._forget()
            raise

    def _done(self, call: Call) -> dict[int, tuple[Report, Any, Any]]:
        """Reports of all workers, those in the place of lost ones too."""
        done: dict[int, tuple[Report, Any, Any]] = {}
        losses = 0
        while missing := [rank for rank in call.ranks if rank not in done]:
            attempt = next(self._attempts)
            self._leave(attempt, call, done)
            lost = self._attempted(attempt, call, missing, done)
            met = ray.get(self._exchange.end.remote(attempt))
            for rank in lost:
                self._replace(rank)
            if lost and met:
                done.clear()
                self._forget()
            losses += bool(lost)
            if losses > _MOST_LOSSES:
                text = f"replica {lost[0]} is lost each time that it runs the function"
                raise RuntimeError(text) from self._last
        return done

    def _attempted(self, attempt: int, call: Call, missing: list[int], done: dict[int, Any]) -> list[int]:
        """Runs a function on workers; gives those that were lost."""
        waiting = {}
        for rank in missing:
            run = self._members[rank].actor.run.options(num_returns=3)
            references = run.remote(self._task(rank, attempt, call), call.picks[rank])
            waiting[references[0]] = rank, references
        lost = []
        try:
            while waiting:
                [ready], _ = ray.wait(list(waiting), num_returns=1)
                rank, references = waiting.pop(ready)
                if not self._came(rank, references, done):
                    lost.append(rank)
                if rank not in done or done[rank][0].raised is not None:
                    self._exchange.stop.remote(attempt)
                elif waiting:
                    self._leave(attempt, call, [rank])
        except BaseException:
            self._exchange.stop.remote(attempt)
            raise
        return lost

    def _came(self, rank: int, references: Any, done: dict[int, Any]) -> bool:
        """True if a worker has lived to report."""
        try:
            done[rank] = ray.get(references[0]), references[1], references[2]
        except RayActorError as error:
            self._last = error
            return False
        return True

    def _task(self, rank: int, attempt: int, call: Call) -> Task:
        news = self.mirrors.news(self._members[rank])
        leads = rank == call.ranks[0]
        return Task(attempt, call.ranks, call.digest, call.function, call.arguments, news, leads)

    def _leave(self, attempt: int, call: Call, gone: Iterable[int]) -> None:
        for rank in gone:
            self._exchange.leave.remote(attempt, rank, call.ranks)

    def _committed(self, done: dict[int, tuple[Report, Any, Any]]) -> Any:
        ranks = sorted(done)
        for rank in sorted(ranks, key=lambda rank: done[rank][0].stopped):
            raised = done[rank][0].raised
            if raised is not None:
                raise _errors.restored(raised, rank)
        first = done[ranks[0]][0]
        for rank in ranks[1:]:
            for number in _differing(first.changed, done[rank][0].changed):
                raise ValueError(
                    f"the variable `{self.mirrors.name(number)}` would hold something else on replica "
                    f"{rank} than on replica {ranks[0]}: assign what `all_reduce` gives"
                )
        if first.changed:
            members = [self._members[rank] for rank in ranks]
            self.mirrors.commit(ray.get(done[ranks[0]][2]), members)
        return first.structure, {rank: done[rank][1] for rank in ranks}

    def _forget(self) -> None:
        """Undoes the changes of workers to variables: they get them anew."""
        for member in self._members:
            member.versions.clear()

    def _replace(self, rank: int) -> None:
        ray.kill(self._members[rank].actor)
        self._members[rank] = self._begun(rank)

    def _begun(self, rank: int) -> Member:
        return Member(self._worker.remote(rank, self.count, self._exchange))


def _differing(one: dict[int, bytes], other: dict[int, bytes]) -> list[int]:
    return sorted(number for number in one.keys() | other.keys() if one.get(number) != other.get(number))


def _same(one: Any, other: Any) -> bool:
    if one.shape != other.shape:
        return False
    if one.dtype == object:
        return bool((one == other).all())
    return bool(one.tobytes() == other.tobytes())


def _value(known: Mirrored) -> Value:
    variable = known.variable
    name = variable.name.partition(":")[0]
    shape = [None if length is None else int(length) for length in variable.shape]
    return Value(known.version, known.array, variable.dtype.name, shape, variable.trainable, name)

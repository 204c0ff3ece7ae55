"""Values that each replica has its own of, and datasets that each has a part of, as the driver sees them."""

from __future__ import annotations

import itertools
from typing import Any

import ray

from .. import _native, nest
from ..data import Dataset
from ..data._machine import Length
from ..data._parts import is_batched, part
from ._pickling import Packed
from ._worker import Source, _received


class PerReplica:
    """Values of replicas in one place of a structure; they stay where they are until they are asked for."""

    def __init__(self, references: dict[int, Any], leaf: int) -> None:
        self.references, self.leaf = references, leaf

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, in the order of the replicas."""
        if not _native.executing_eagerly():
            raise ValueError("what replicas have is asked for outside of graphs")
        found = ray.get([self.references[rank] for rank in sorted(self.references)])
        return tuple(_received(leaves[self.leaf]) for leaves in found)

    def __repr__(self) -> str:
        return "PerReplica:{" + ", ".join(f"{rank}: {value!r}" for rank, value in self._numbered()) + "}"

    def _numbered(self) -> Any:
        return zip(sorted(self.references), self.values, strict=True)

    def __bool__(self) -> bool:
        raise TypeError("a value of several replicas is neither true nor false: reduce it")


def per_replica(structure: Any, references: dict[int, Any]) -> Any:
    """A structure of what replicas have, given one with the numbers of leaves."""
    return nest.map_structure(lambda leaf: PerReplica(references, leaf), structure)


class DistributedDataset:
    """A dataset of which each replica has a part.

    A `for` over one gives what the replicas have in the same place. As an argument of `run`, each replica has
    its part as a dataset, which its graph loops over.
    """

    def __init__(self, strategy: Any, kind: str, whole: Any, spec: Any) -> None:
        self._strategy, self._kind, self._whole, self._spec = strategy, kind, whole, spec
        self._source: Any = None
        self._rounds = itertools.count()

    @property
    def element_spec(self) -> Any:
        """The type of each element of a replica: a structure of `gw.TensorSpec`."""
        return self._spec

    def cardinality(self) -> Any:
        """The number of turns of a `for`."""
        if self._kind == "function":
            return _native.constant(Length.UNKNOWN.value, _native.int64)
        count = self._whole.cardinality()
        if self._kind == "rows" or int(count) < 0:
            return count
        replicas = self._strategy.num_replicas_in_sync
        return (count + replicas - 1) // replicas

    def source(self) -> Any:
        """Where workers find it."""
        packed: Packed = self._strategy._packed(self._whole)
        if self._source is None or self._source[0] != packed.digest:
            self._source = packed.digest, ray.put(Source(self._kind, packed))
        return self._source[1]

    def __iter__(self) -> DistributedIterator:
        if not _native.executing_eagerly():
            raise ValueError(
                "a dataset that is distributed to workers is looped over outside of graphs, or in a function "
                "that runs on them: give it to the strategy's `run`"
            )
        epoch = int(self._whole._epoch()) if isinstance(self._whole, Dataset) else next(self._rounds)
        return DistributedIterator(self._strategy, self.source(), self._spec, epoch)


class DistributedIterator:
    """Elements of the replicas in the same place of a distributed dataset, one place after the other."""

    _numbers = itertools.count()

    def __init__(self, strategy: Any, source: Any, spec: Any, epoch: int) -> None:
        self._strategy, self._source, self._epoch = strategy, source, epoch
        self._structure = nest.pack_sequence_as(spec, range(len(nest.flatten(spec))))
        self._number, self._place, self._more = next(self._numbers), 0, True

    def __iter__(self) -> DistributedIterator:
        return self

    def __next__(self) -> Any:
        found = self._found() if self._more else {}
        self._more = bool(found)
        if not found:
            raise StopIteration
        self._place += 1
        return per_replica(self._structure, found)

    def get_next(self) -> Any:
        """The next elements; `gw.errors.OutOfRangeError` if there are none."""
        try:
            return next(self)
        except StopIteration:
            raise IndexError("the iterator has no more elements") from None

    def _found(self) -> dict[int, Any]:
        found: dict[int, Any] = self._strategy._elements(self._number, self._place, self._epoch, self._source)
        return found


#: Objects of which each replica has its own.
OF_REPLICAS = (PerReplica, DistributedDataset, DistributedIterator)


def distributed(strategy: Any, dataset: Dataset) -> DistributedDataset:
    """A dataset in parts: batches cut into rows, other elements dealt out."""
    kind = "rows" if is_batched(dataset._machine) else "elements"
    first = part(dataset._machine, strategy.num_replicas_in_sync, 0)
    return DistributedDataset(strategy, kind, dataset, first.spec())

"""Elements that Python gives: what generators yield, what files hold, and what is kept of a first round."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _native, nest
from .._native import Tensor, TensorSpec, is_staged
from ._ahead import Ahead
from ._machine import Machine, with_parts

_BOOL, _NUMBER = TensorSpec([], _native.bool), TensorSpec([], _native.int64)


#: What the calls are named that read files, and touch nothing else.
FILE_READS = "a block of a file"

#: Blocks have some thousand rows: with more of them ahead nothing is gained, and much memory is lost.
_MOST_AHEAD = 8


class Runs:
    """Python's iterators, which states point to by the number of a run and a place in it.

    A run that is not there, or is elsewhere, is begun anew and goes on to its place: a state that was saved
    has a place, and no iterator of this process. What `seeks` is told the place, and begins there. Files
    (`reads`) may be read `ahead` by so many elements; in a copy of the process they are opened anew, since
    both would go on in one file.
    """

    #: So many runs go on where they are; older ones go through their elements again.
    KEPT = 16

    def __init__(
        self,
        elements: Callable[..., Iterable[Any]],
        spec: Any,
        seeks: bool = False,
        reads: bool = False,
        ahead: int = 0,
    ) -> None:
        self._elements, self._spec, self._seeks, self._reads = elements, spec, seeks, reads
        self._leaves = nest.flatten(spec)
        self._ahead, self._process = ahead, os.getpid()
        #: What its calls are named.
        self.name = FILE_READS if reads else "read"
        self._numbers = itertools.count()
        self._live: dict[int, tuple[int, Iterator[Any]]] = {}

    def __reduce__(self) -> Any:
        return Runs, (self._elements, self._spec, self._seeks, self._reads, self._ahead)

    def spec(self) -> Any:
        """What each element is."""
        return self._spec

    def ahead(self, count: int) -> Runs:
        """The same, so many elements ahead of who asks, if these come from files."""
        return Runs(self._elements, self._spec, self._seeks, True, count) if self._reads else self

    def begin(self) -> Any:
        """The number of a new run."""
        return np.int64(next(self._numbers))

    def read(self, run: Any, place: Any, *given: Any) -> Any:
        """Whether there is an element at a place of a run, and its leaves; zeros, if not."""
        try:
            found = self._element(int(run), int(place), given)
        except StopIteration:
            return [np.bool_(False), *(_nothing(leaf) for leaf in self._leaves)]
        values = zip(_leaves_up_to(self._spec, found), self._leaves, strict=True)
        return [np.bool_(True), *(_array(value, leaf) for value, leaf in values)]

    def _element(self, run: int, place: int, given: tuple[Any, ...]) -> Any:
        if self._reads and self._process != os.getpid():
            self._process, self._live = os.getpid(), {}
        at, elements = self._live.pop(run, (-1, iter(())))
        if at != place:
            elements = self._begun(place, given)
            elements = Ahead(elements, self._ahead) if self._ahead else elements
        found = next(elements)
        self._live[run] = place + 1, elements
        while len(self._live) > self.KEPT:
            del self._live[next(iter(self._live))]
        return found

    def _begun(self, place: int, given: tuple[Any, ...]) -> Iterator[Any]:
        """The elements from a place on."""
        # Copies, and numbers of what has no axes: what is given may be changed in place.
        values = [np.array(value)[()] for value in given]
        if self._seeks:
            return iter(self._elements(place, *values))
        elements = iter(self._elements(*values))
        for _ in range(place):
            next(elements)
        return elements


@dataclass(frozen=True, eq=False)
class Hosted(Machine):
    """The elements of runs of Python's iterators, which are given tensors and asked when it is needed."""

    runs: Any
    given: Any

    def spec(self) -> Any:
        return self.runs.spec()

    def start(self, epoch: Tensor) -> Any:
        run = _native.numpy_function(self.runs.begin, [], _NUMBER, name=self.runs.name)
        return run, _native.constant(0, _native.int64)

    def step(self, state: Any) -> Any:
        run, place = state
        promised = [_BOOL, *nest.flatten(self.spec())]
        more, *leaves = _native.numpy_function(
            self.runs.read, [run, place, *self.given], promised, name=self.runs.name
        )
        return more, nest.pack_sequence_as(self.spec(), leaves), (run, place + 1)


@dataclass(frozen=True, eq=False)
class Batches(Hosted):
    """What Python gives, each a batch of rows."""


def blocks_ahead(count: Any) -> int:
    """How many blocks are read ahead for so many elements; two, if that is left to us."""
    if (isinstance(count, Tensor) and is_staged(count)) or count == -1:
        return 2
    if count < 0:
        raise ValueError("prefetch() needs a buffer_size of at least 0, or AUTOTUNE")
    return min(int(count), _MOST_AHEAD)


def read_ahead(machine: Any, count: int) -> Any:
    """A machine, or a structure of them, of which files are read so many blocks ahead."""
    if isinstance(machine, Hosted):
        return replace(machine, runs=machine.runs.ahead(count))
    if isinstance(machine, dict):
        return {key: read_ahead(part, count) for key, part in machine.items()}
    if isinstance(machine, tuple):
        items = [read_ahead(part, count) for part in machine]
        return type(machine)(*items) if hasattr(machine, "_fields") else tuple(items)
    if not isinstance(machine, Machine):
        return machine
    return with_parts(machine, lambda part: read_ahead(part, count))


class Store:
    """What a dataset gave in its first round, by place; in a file too, if that has a name."""

    def __init__(self, filename: str) -> None:
        self._filename = f"{filename}.npz" if filename else ""
        self._rows: list[list[Any]] = []
        self._complete = False

    def __reduce__(self) -> Any:
        return Store, (self._filename.removesuffix(".npz"),)

    def begin(self) -> Any:
        """Whether all elements are there."""
        if not self._complete and self._filename:
            self._load()
        if not self._complete:
            self._rows = []
        return np.bool_(self._complete)

    def put(self, place: Any, *leaves: Any) -> None:
        """Keeps an element, if those before it are there."""
        if not self._complete and int(place) == len(self._rows):
            self._rows.append([np.array(leaf) for leaf in leaves])

    def finish(self, place: Any) -> None:
        """Notes that there are so many elements, and no more."""
        if not self._complete and int(place) == len(self._rows):
            if self._filename:
                self._save()
            self._complete = True

    def count(self) -> Any:
        """How many elements are there."""
        return np.int64(len(self._rows))

    def read(self, place: Any) -> Any:
        """The leaves of an element."""
        return self._rows[int(place)]

    def _save(self) -> None:
        columns = list(zip(*self._rows, strict=True)) if self._rows else []
        flat = {
            f"{at}_{place}": leaf for at, column in enumerate(columns) for place, leaf in enumerate(column)
        }
        partial = f"{self._filename}.{os.getpid()}.part"
        with open(partial, "wb") as file:
            np.savez(file, allow_pickle=True, count=np.int64(len(self._rows)), leaves=len(columns), **flat)
        os.replace(partial, self._filename)

    def _load(self) -> None:
        if not os.path.exists(self._filename):
            return
        with np.load(self._filename, allow_pickle=True) as found:
            count, leaves = int(found["count"]), int(found["leaves"])
            self._rows = [[found[f"{at}_{place}"] for at in range(leaves)] for place in range(count)]
        self._complete = True


@dataclass(frozen=True, eq=False)
class Cached(Machine):
    """The elements of a dataset, which is run once to its end; they are kept, and given again."""

    source: Machine
    store: Any

    def spec(self) -> Any:
        return self.source.spec()

    def length(self) -> Any:
        return self.source.length()

    def start(self, epoch: Tensor) -> Any:
        ready = _native.numpy_function(self.store.begin, [], _BOOL, name="cache")
        return ready, _native.constant(0, _native.int64), self.source.start(epoch)

    def step(self, state: Any) -> Any:
        ready, place, inner = state
        more, element = _native.constant(False), self.nothing()
        if ready:
            more = place < _native.numpy_function(self.store.count, [], _NUMBER, name="cache")
            if more:
                leaves = nest.flatten(self.spec())
                found = _native.numpy_function(self.store.read, [place], leaves, name="cache")
                element = nest.pack_sequence_as(self.spec(), found)
        else:
            more, element, inner = self.source.step(inner)
            if more:
                _native.numpy_function(self.store.put, [place, *nest.flatten(element)], [], name="cache")
            else:
                _native.numpy_function(self.store.finish, [place], [], name="cache")
        return more, element, (ready, place + 1, inner)


def _leaves_up_to(spec: Any, value: Any) -> list[Any]:
    """The parts of a value that stand where a spec has leaves; lists within them are rows of numbers."""
    if isinstance(spec, TensorSpec) or not nest.is_nested(spec):
        return [value]
    if isinstance(spec, dict):
        if not isinstance(value, dict) or set(value) != set(spec):
            raise TypeError(f"the generator yields {value!r}, where its signature has the keys {list(spec)}")
        return [leaf for key in sorted(spec) for leaf in _leaves_up_to(spec[key], value[key])]
    if not isinstance(value, (tuple, list)) or len(value) != len(spec):
        raise TypeError(f"the generator yields {value!r}, where its signature has {len(spec)} parts")
    return [leaf for part, item in zip(spec, value, strict=True) for leaf in _leaves_up_to(part, item)]


def _array(value: Any, leaf: TensorSpec) -> Any:
    """A value as an array of a dtype; `TypeError` where that would change its kind."""
    if type(value) is np.ndarray and value.dtype == leaf.dtype.as_numpy_dtype and value.dtype != object:
        return value
    if isinstance(value, Tensor) and value.dtype == leaf.dtype:
        return value
    if leaf.dtype == _native.string:
        texts = np.array(value.numpy() if isinstance(value, Tensor) else value, dtype=object)
        encoded = [text.encode() if isinstance(text, str) else text for text in texts.ravel()]
        return np.array([*encoded, None], dtype=object)[:-1].reshape(texts.shape)
    array, wanted = np.asarray(value), leaf.dtype.as_numpy_dtype
    if not np.can_cast(array.dtype, wanted, "same_kind"):
        message = f"the generator yields {value!r}, where its signature has the dtype {leaf.dtype.name}"
        raise TypeError(message)
    return array.astype(wanted, copy=False)


def _nothing(leaf: TensorSpec) -> Any:
    lengths = [0 if length is None else length for length in leaf.shape]
    if leaf.dtype == _native.string:
        return np.full(lengths, b"", dtype=object)
    return np.zeros(lengths, leaf.dtype.as_numpy_dtype)

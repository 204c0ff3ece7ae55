"""Elements that Python gives: what generators yield, and what files hold."""

from __future__ import annotations

import itertools
import operator
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _native, nest
from .._native import Tensor, TensorSpec, is_staged
from ._ahead import Ahead
from ._machine import Machine, with_parts

#: The specs of what calls tell beside elements.
BOOL, NUMBER = TensorSpec([], _native.bool), TensorSpec([], _native.int64)


#: Names of calls that read files, and touch nothing else.
FILE_READS = "a block of a file"

#: Blocks have some thousand rows: with more of them ahead nothing is gained, and much memory is lost.
_MOST_AHEAD = 8


class Runs:
    """Python's iterators, which states point to by the number of a run and a place in it.

    A run that is not there, or is elsewhere, is begun anew and goes on to its place: a state that was saved
    has a place, and no iterator of this process. What `seeks` is told the place, and begins there. Where
    elements are `blocks`, places count their rows: a file that is mended has other blocks. Files (`reads`)
    may be read `ahead` by so many elements; in a copy of the process they are opened anew, since
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
        blocks: bool = False,
    ) -> None:
        self._elements, self._spec, self._seeks, self._reads = elements, spec, seeks, reads
        self.blocks = blocks
        self._leaves = nest.flatten(spec)
        self._ahead, self._process = ahead, os.getpid()
        #: Names of its calls, in the user's words.
        self.name = FILE_READS if reads else getattr(elements, "__name__", "the generator")
        self._numbers = itertools.count()
        self._live: dict[int, tuple[int, Iterator[Any]]] = {}

    def __reduce__(self) -> Any:
        return Runs, (self._elements, self._spec, self._seeks, self._reads, self._ahead, self.blocks)

    def spec(self) -> Any:
        """The type of each element."""
        return self._spec

    def ahead(self, count: int) -> Runs:
        """The same, so many elements ahead of who asks, if these come from files."""
        if not self._reads:
            return self
        return Runs(self._elements, self._spec, self._seeks, True, count, self.blocks)

    def begin(self) -> Any:
        """The number of a new run."""
        return np.int64(next(self._numbers))

    def read(self, run: Any, place: Any, *given: Any) -> Any:
        """True if there is an element at a place of a run, and its leaves; zeros, if not."""
        try:
            found = self._element(int(run), int(place), given)
        except StopIteration:
            return [np.bool_(False), *(nothing(leaf) for leaf in self._leaves)]
        values = zip(_leaves_up_to(self._spec, found), self._leaves, strict=True)
        return [np.bool_(True), *(_array(value, leaf) for value, leaf in values)]

    begin._never_raises = read._never_raises = StopIteration  # type: ignore[attr-defined]

    def _element(self, run: int, place: int, given: tuple[Any, ...]) -> Any:
        if self._reads and self._process != os.getpid():
            self._process, self._live = os.getpid(), {}
        at, elements = self._live.pop(run, (-1, iter(())))
        if at != place:
            elements = self._begun(place, given)
            elements = Ahead(elements, self._ahead) if self._ahead else elements
        found = next(elements)
        self._live[run] = place + (_rows(found) if self.blocks else 1), elements
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
        if self.blocks:
            return _behind(elements, place)
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
        run = _native.numpy_function(self.runs.begin, [], NUMBER, name=self.runs.name)
        return run, _native.constant(0, _native.int64)

    def step(self, state: Any) -> Any:
        run, place = state
        promised = [BOOL, *nest.flatten(self.spec())]
        more, *leaves = _native.numpy_function(
            self.runs.read, [run, place, *self.given], promised, name=self.runs.name
        )
        count = _native.cast(_native.shape(leaves[0])[0], _native.int64) if self.runs.blocks else 1
        return more, nest.pack_sequence_as(self.spec(), leaves), (run, place + count)


@dataclass(frozen=True, eq=False)
class Batches(Hosted):
    """Elements that Python gives, each a batch of rows."""


def blocks_ahead(count: Any) -> int:
    """The number of blocks that are read ahead for so many elements; two by default."""
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


def _rows(block: Any) -> int:
    return len(nest.flatten(block)[0])


def _behind(blocks: Iterator[Any], place: int) -> Iterator[Any]:
    """The blocks, or the rest of one, behind so many rows."""
    for block in blocks:
        first, place = min(place, _rows(block)), max(0, place - _rows(block))
        rest = nest.map_structure(operator.itemgetter(slice(first, None)), block)
        if _rows(rest):
            yield rest


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
    if isinstance(value, (list, tuple)) and array.size == 0:
        # A list without numbers is one of any dtype.
        return array.astype(wanted)
    if not np.can_cast(array.dtype, wanted, "same_kind"):
        message = f"the generator yields {value!r}, where its signature has the dtype {leaf.dtype.name}"
        raise TypeError(message)
    return array.astype(wanted, copy=False)


def nothing(leaf: TensorSpec) -> Any:
    """A placeholder of a leaf of an element where there is none."""
    lengths = [0 if length is None else length for length in leaf.shape]
    if leaf.dtype == _native.string:
        return np.full(lengths, b"", dtype=object)
    return np.zeros(lengths, leaf.dtype.as_numpy_dtype)

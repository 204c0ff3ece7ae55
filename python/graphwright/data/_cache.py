"""Elements that are kept when they have been given once to the end: in memory, or in a file."""

from __future__ import annotations

import os
import secrets
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _native, nest
from .._native import Tensor
from ..errors import DataLossError
from ._hosted import BOOL, NUMBER, nothing
from ._machine import Machine

#: The end of the name of an array that holds the lengths of strings.
_LENGTHS = "_lengths"


class Store:
    """Elements of the first round of a dataset, by place; in a file too, if that has a name.

    Several rounds may be under way at once. Elements are kept of the one that began last, and count when that
    has come to its end. A round is known by a number drawn at random, which no other process has.
    """

    def __init__(self, filename: str) -> None:
        self._filename = f"{filename}.npz" if filename else ""
        self._rows: list[list[Any]] = []
        self._complete = False
        self._round = self._epoch = 0

    def __reduce__(self) -> Any:
        return Store, (self._filename.removesuffix(".npz"),)

    def begin(self, epoch: Any) -> Any:
        """True if all elements are there, the number of a new round, and the epoch that it is of."""
        ready = self._is_ready()
        return [np.bool_(ready), _number(), np.int64(self._epoch if ready else epoch)]

    def row(self, place: int) -> tuple[bool, Any]:
        """True if all elements are there, and the leaves of that at a place; `None` behind the last."""
        ready = self._is_ready()
        return ready, self._rows[place] if ready and place < len(self._rows) else None

    def put(self, number: Any, place: Any, *leaves: Any) -> None:
        """Keeps an element of a round, if those before it are there."""
        if self._complete:
            return
        if int(place) == 0:
            self._round, self._rows = int(number), []
        if int(number) == self._round and int(place) == len(self._rows):
            self._rows.append([_array(leaf) for leaf in leaves])

    def finish(self, number: Any, place: Any, epoch: Any) -> None:
        """Notes that there are so many elements, and no more."""
        if self._complete:
            return
        if int(place) == 0:
            self._round, self._rows = int(number), []
        if int(number) == self._round and int(place) == len(self._rows):
            self._epoch = int(epoch)
            if self._filename:
                self._save()
            self._complete = True

    begin._never_raises = put._never_raises = finish._never_raises = StopIteration  # type: ignore[attr-defined]

    def _is_ready(self) -> bool:
        if not self._complete and self._filename and os.path.exists(self._filename):
            self._load()
        return self._complete

    def _save(self) -> None:
        columns = list(zip(*self._rows, strict=True)) if self._rows else []
        flat: dict[str, Any] = {}
        for at, column in enumerate(columns):
            for place, leaf in enumerate(column):
                flat |= _parts(f"{at}_{place}", leaf)
        said: dict[str, Any] = {
            "count": np.int64(len(self._rows)),
            "leaves": len(columns),
            "epoch": np.int64(self._epoch),
        }
        partial = f"{self._filename}.{os.getpid()}.part"
        with open(partial, "wb") as file:
            np.savez(file, allow_pickle=False, **said, **flat)
        os.replace(partial, self._filename)

    def _load(self) -> None:
        try:
            if not zipfile.is_zipfile(self._filename):
                raise ValueError("it is no archive")
            with np.load(self._filename, allow_pickle=False) as found:
                count, leaves = int(found["count"]), int(found["leaves"])
                rows = [[_leaf(found, f"{at}_{place}") for at in range(leaves)] for place in range(count)]
                self._epoch = int(found["epoch"]) if "epoch" in found else 0
        except (EOFError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
            message = f"{self._filename} holds no elements of a dataset, or is damaged: {error}"
            raise DataLossError(message) from None
        self._rows, self._complete = rows, True


def _array(leaf: Any) -> Any:
    """A copy of a leaf; a string is an object, since NumPy's own strings lose zeros at their ends."""
    return np.array(leaf, object) if isinstance(leaf, bytes | str) else np.array(leaf)


def _parts(key: str, leaf: Any) -> dict[str, Any]:
    """A leaf as arrays of numbers: strings are their bytes one after the other, and their lengths.

    A file of numbers alone is read without `pickle`, which would run what a file says.
    """
    if leaf.dtype != object:
        return {key: leaf}
    texts = [text.encode() if isinstance(text, str) else bytes(text) for text in leaf.ravel()]
    lengths = np.array([len(text) for text in texts], np.int64).reshape(leaf.shape)
    return {key: np.frombuffer(b"".join(texts), np.uint8), f"{key}{_LENGTHS}": lengths}


def _leaf(found: Any, key: str) -> Any:
    """The leaf that `_parts` has made arrays of."""
    if f"{key}{_LENGTHS}" not in found:
        return found[key]
    lengths, data, start = found[f"{key}{_LENGTHS}"], found[key].tobytes(), 0
    texts = np.empty(lengths.shape, object)
    for at, length in np.ndenumerate(lengths):
        texts[at] = data[start : start + int(length)]
        start += int(length)
    if start != len(data):
        raise ValueError("lengths of strings do not fit their bytes")
    return texts


def _number() -> Any:
    return np.int64(secrets.randbits(62))


class _Reader:
    """Reads elements of a spec."""

    def __init__(self, store: Store, specs: list[Any]) -> None:
        self._store, self._specs = store, specs

    def read(self, place: Any) -> Any:
        """True if all elements are there, whether there is one at a place, and its leaves; zeros, if not."""
        ready, found = self._store.row(int(place))
        leaves = [nothing(spec) for spec in self._specs] if found is None else found
        return [np.bool_(ready), np.bool_(found is not None), *leaves]

    read._never_raises = StopIteration  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False)
class Cached(Machine):
    """The elements of a dataset, which is run once to its end; they are kept, and given again.

    Whether they are there is asked each time, since a state may come from another process: where they are
    not, the source runs from its beginning to the place of the state, and they are kept on the way.
    """

    source: Machine
    store: Any

    def spec(self) -> Any:
        return self.source.spec()

    def length(self) -> Any:
        return self.source.length()

    def start(self, epoch: Tensor) -> Any:
        ready, number, epoch = _native.numpy_function(
            self.store.begin, [epoch], [BOOL, NUMBER, NUMBER], name="cache"
        )
        return ready, number, epoch, _native.constant(0, _native.int64), self.source.start(epoch)

    def step(self, state: Any) -> Any:
        ready, number, epoch, place, inner = state
        more, element, first = _native.constant(False), self.nothing(), place
        if ready:
            leaves = nest.flatten(self.spec())
            reader = _Reader(self.store, leaves)
            ready, more, *found = _native.numpy_function(
                reader.read, [place], [BOOL, BOOL, *leaves], name="cache"
            )
            element = nest.pack_sequence_as(self.spec(), found)
            first = _native.constant(0, _native.int64)
        if not ready:
            more = _native.constant(True)
            while more and first <= place:
                more, element, inner = self.source.step(inner)
                if more:
                    kept = [number, first, *nest.flatten(element)]
                    _native.numpy_function(self.store.put, kept, [], name="cache")
                else:
                    _native.numpy_function(self.store.finish, [number, first, epoch], [], name="cache")
                first += 1
        return more, element, (ready, number, epoch, place + 1, inner)

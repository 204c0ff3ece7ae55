"""Batches of elements of like length: an element goes into a bucket, and a full bucket is a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _native, nest
from .._native import Tensor, TensorSpec
from . import _batches
from ._machine import Derived, Machine, _unknown, add, apply, empty_rows, pick

Rows = Any


@dataclass(frozen=True, eq=False)
class Buckets(Derived):
    """Elements in batches, each from one bucket; buckets that are not full come last, the shortest first.

    A state is the source's, the number of elements and the rows of each bucket, and whether the source may
    have more. Rows are leaf by leaf, as `Padded` has them.
    """

    length_of: Callable[..., Any]
    boundaries: tuple[int, ...]
    sizes: tuple[int, ...]
    #: For each bucket the lengths that each leaf is filled up to.
    shapes: tuple[Any, ...]
    values: Any
    bounded: bool
    padded: bool
    drop_remainder: bool

    def spec(self) -> Any:
        specs = self.source.spec()
        leaves = []
        for at, leaf in enumerate(nest.flatten(specs)):
            axes = zip(*(shapes[at] for shapes in self.shapes), strict=True)
            shape = [lengths[0] if len(set(lengths)) == 1 else None for lengths in axes]
            leaves.append(TensorSpec([None, *(shape if self.padded else leaf.shape)], leaf.dtype))
        return nest.pack_sequence_as(specs, leaves)

    def start(self, epoch: Tensor) -> Any:
        counts = tuple(_native.constant(0, _native.int64) for _ in self.sizes)
        rows = tuple(self._empty(bucket, _unknown()) for bucket in range(len(self.sizes)))
        return self.source.start(epoch), counts, rows, _native.constant(True)

    def _empty(self, bucket: int, unknown: Any = 0) -> Rows:
        """The room of a bucket; axes as long as the longest element have the length that is given."""
        size = self.sizes[bucket]
        if not self.padded:
            return nest.flatten(empty_rows(self.source.spec(), size))
        pairs = zip(self.shapes[bucket], self.values, strict=True)
        filled = [([unknown if length is None else length for length in shape], v) for shape, v in pairs]
        return [_native.fill([size, *lengths], value) for lengths, value in filled]

    def _with(self, rows: Rows, bucket: int, count: Tensor, leaves: Any) -> Rows:
        """The rows of a bucket with one element more."""
        if not self.padded:
            return add(rows, count, leaves)
        parts = zip(rows, leaves, self.shapes[bucket], self.values, strict=True)
        return [_batches._padded(row, count, leaf, shape, value) for row, leaf, shape, value in parts]

    def _bucket(self, element: Any) -> Tensor:
        length = _native.cast(apply(self.length_of, element), _native.int64)
        bucket = _native.constant(0, _native.int64)
        for boundary in self.boundaries:
            bucket = bucket + _native.cast(length >= boundary, _native.int64)
        if self.bounded and bucket == len(self.boundaries):
            raise ValueError(
                "bucket_by_sequence_length() got an element that is as long as the last of "
                "`bucket_boundaries`, to which nothing is padded"
            )
        return bucket

    def step(self, state: Any) -> Any:
        inner, counts, rows, more = state
        counts, rows = list(counts), list(rows)
        full = _native.constant(-1, _native.int64)
        while more and full < 0:
            more, element, inner = self.source.step(inner)
            if more:
                bucket = self._bucket(element)
                leaves = nest.flatten(element)
                for at in range(len(self.sizes)):
                    if bucket == at:
                        rows[at] = self._with(rows[at], at, counts[at], leaves)
                        counts[at] = counts[at] + 1
                        if counts[at] == self.sizes[at]:
                            full = bucket
        for at in range(len(self.sizes)):
            if full < 0 and counts[at] > 0 and not self.drop_remainder:
                full = _native.constant(at, _native.int64)
        batch = nest.flatten(self.nothing())
        for at in range(len(self.sizes)):
            if full == at:
                batch = pick(rows[at], slice(None, counts[at]))
                rows[at] = self._empty(at)
                counts[at] = _native.constant(0, _native.int64)
        element = nest.pack_sequence_as(self.source.spec(), batch)
        return full >= 0, element, (inner, tuple(counts), tuple(rows), more)


def bucketed(
    source: Machine,
    length_of: Callable[..., Any],
    boundaries: Sequence[int],
    sizes: Sequence[int],
    padding: tuple[Any, Any, bool, bool],
    drop_remainder: bool,
) -> Machine:
    """Elements in batches of like length.

    `padding` is shapes, values, whether it goes up to the boundary, and whether there is none.
    """
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(
            f"bucket_by_sequence_length() takes {len(boundaries) + 1} batch sizes for {len(boundaries)} "
            f"boundaries, not {len(sizes)}"
        )
    if any(size < 1 for size in sizes):
        raise ValueError("bucket_by_sequence_length() needs batch sizes of at least 1")
    if list(boundaries) != sorted(set(boundaries)):
        raise ValueError("bucket_by_sequence_length() needs boundaries that rise")
    given_shapes, given_values, bounded, unpadded = padding
    leaves = nest.flatten(source.spec())
    shapes = _batches._flat_shapes(given_shapes, leaves)
    values = _batches._flat_values(given_values, leaves)
    lengths = [boundary - 1 if bounded else None for boundary in boundaries]
    each = [
        tuple(tuple(length if n is None else n for n in shape) for shape in shapes)
        for length in [*lengths, None]
    ]
    return Buckets(
        source,
        length_of,
        tuple(boundaries),
        tuple(sizes),
        tuple(each),
        values,
        bounded,
        not unpadded,
        drop_remainder,
    )

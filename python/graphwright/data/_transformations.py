"""Transformations of datasets: each makes a dataset whose machine asks that of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .. import _native
from .._native import Tensor
from . import _batches, _buckets, _cache, _cycles, _elements, _hosted, _order, _prefetch, _sources

if TYPE_CHECKING:
    from ._dataset import Dataset

#: As many as the machine is found to bear; accepted where TensorFlow takes it.
AUTOTUNE = -1


class Options:
    """Options of TensorFlow's, which change no element here: any attribute can be set.

    Example:
      >>> options = gw.data.Options()
      >>> options.deterministic = False
      >>> gw.data.Dataset.range(2).with_options(options).cardinality().item()
      2
    """


class Transformations:
    """The part of a dataset that makes other datasets of it."""

    _machine: Any

    def _with(self, machine: Any) -> Dataset:
        """A dataset of the same epochs."""
        raise NotImplementedError

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: Any = None
    ) -> Dataset:
        """Results of a function of each element; the items of a tuple are arguments of their own.

        With `num_parallel_calls` the arguments of the function are prefetched. `deterministic` is accepted;
        elements come in their order.

        Args:
          map_func: function of an element, which is part of the graph.
          num_parallel_calls: accepted as in TensorFlow; has no effect.
          deterministic: accepted as in TensorFlow; has no effect.

        Returns:
          Dataset of the results.

        Example:
          >>> list(gw.data.Dataset.range(3).map(lambda x: x * x).as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(4)]
        """
        several = isinstance(num_parallel_calls, int) and (
            num_parallel_calls > 1 or num_parallel_calls == AUTOTUNE
        )
        given = self.prefetch(num_parallel_calls) if several else self
        return self._with(_elements.mapped(given._machine, map_func))

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """Keeps the elements that pass a test.

        Args:
          predicate: function of an element that returns a bool.

        Returns:
          Dataset.

        Example:
          >>> list(gw.data.Dataset.range(6).filter(lambda x: x % 2 == 0).as_numpy_iterator())
          [np.int64(0), np.int64(2), np.int64(4)]
        """
        return self._with(_elements.Filter(self._machine, predicate))

    def take_while(self, predicate: Callable[..., Any]) -> Dataset:
        """Keeps the elements before the first that fails a test.

        Args:
          predicate: function of an element that returns a bool.

        Returns:
          Dataset.

        Example:
          >>> list(gw.data.Dataset.range(9).take_while(lambda x: x * x < 10).as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(2), np.int64(3)]
        """
        return self._with(_elements.TakeWhile(self._machine, predicate))

    def scan(self, initial_state: Any, scan_func: Callable[..., Any]) -> Dataset:
        """Computes running results with a state.

        Args:
          initial_state: structure of tensors.
          scan_func: function of the state and an element that returns the next state and a result.

        Returns:
          Dataset of results.

        Example:
          >>> sums = gw.data.Dataset.range(4).scan(gw.constant(0, gw.int64), lambda s, x: (s + x, s + x))
          >>> list(sums.as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(3), np.int64(6)]
        """
        return self._with(_elements.Scan(self._machine, as_tensors(initial_state), scan_func))

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """Joins the datasets that a function returns for each element.

        Args:
          map_func: function from an element to a dataset; it must be pure.

        Returns:
          Dataset.

        Example:
          >>> nested = gw.data.Dataset.range(3).flat_map(lambda n: gw.data.Dataset.range(n))
          >>> list(nested.as_numpy_iterator())
          [np.int64(0), np.int64(0), np.int64(1)]
        """
        return self._with(_elements.FlatMap(self._machine, map_func))

    def take(self, count: Any) -> Dataset:
        """Keeps the first elements.

        Args:
          count: greatest number of elements; all if it is negative.

        Returns:
          Dataset.

        Example:
          >>> list(gw.data.Dataset.range(4).take(2).as_numpy_iterator())
          [np.int64(0), np.int64(1)]
        """
        count = _native.cast(count, _native.int64)
        return self._with(_order.Take(self._machine, count))

    def skip(self, count: Any) -> Dataset:
        """Leaves out the first elements.

        Args:
          count: number of elements; all if it is negative.

        Returns:
          Dataset.

        Example:
          >>> list(gw.data.Dataset.range(4).skip(2).as_numpy_iterator())
          [np.int64(2), np.int64(3)]
        """
        count = _native.cast(count, _native.int64)
        return self._with(_order.Skip(self._machine, count))

    def shard(self, num_shards: Any, index: Any) -> Dataset:
        """Keeps every `num_shards`-th element.

        Args:
          num_shards: number of parts.
          index: number of the part.

        Returns:
          Dataset.

        Example:
          >>> list(gw.data.Dataset.range(6).shard(3, 1).as_numpy_iterator())
          [np.int64(1), np.int64(4)]
        """
        if index < 0 or index >= num_shards:
            raise ValueError("shard() needs an index from 0 to below num_shards")
        return self._with(_order.sharded(self._machine, num_shards, index))

    def repeat(self, count: Any = None) -> Dataset:
        """Repeats the elements.

        Args:
          count: number of times; for ever if it is `None` or negative.

        Returns:
          Dataset.

        Example:
          >>> list(gw.data.Dataset.range(2).repeat(2).as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
        """
        return self._with(_order.repeated(self._machine, count))

    def enumerate(self, start: Any = 0) -> Dataset:
        """Numbers the elements.

        Args:
          start: the first number.

        Returns:
          Dataset of pairs of an `int64` number and an element.

        Example:
          >>> [(int(i), int(x)) for i, x in gw.data.Dataset.range(5, 7).enumerate()]
          [(0, 5), (1, 6)]
        """
        start = _native.cast(start, _native.int64)
        one, far = _native.constant(1, _native.int64), _native.constant(2**63 - 1, _native.int64)
        counted = _sources.Range(start, one, far)
        return self._with(_order.zipped((counted, self._machine)))

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
    ) -> Dataset:
        """Stacks consecutive elements.

        Args:
          batch_size: number of elements of a batch, int or tensor.
          drop_remainder: whether to drop a last batch that is shorter.
          num_parallel_calls: accepted as in TensorFlow; has no effect.
          deterministic: accepted as in TensorFlow; has no effect.

        Returns:
          Dataset whose tensors have a new first axis.

        Raises:
          ValueError: the size is less than 1.

        Example:
          >>> [batch.tolist() for batch in gw.data.Dataset.range(5).batch(2)]
          [[0, 1], [2, 3], [4]]
        """
        return self._with(_batches.batched(self._machine, batch_size, drop_remainder))

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
    ) -> Dataset:
        """So many elements at a time, stacked; each filled up to `padded_shapes`, `None` for the longest.

        `padding_values` fills them, zeros if not given; one value serves for all tensors of an element.

        Args:
          batch_size: number of elements of a batch.
          padded_shapes: structure of shapes; `None` stands for the longest of the batch.
          padding_values: structure of the values to fill with; zeros if it is `None`.
          drop_remainder: whether to drop a last batch that is shorter.

        Returns:
          Dataset.

        Example:
          >>> ragged = gw.data.Dataset.range(1, 3).map(lambda n: gw.fill([n], n))
          >>> [batch.tolist() for batch in ragged.padded_batch(2)]
          [[[1, 0], [2, 2]]]
        """
        machine = _batches.padded(self._machine, batch_size, padded_shapes, padding_values, drop_remainder)
        return self._with(machine)

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Makes batches of elements of like length, each filled up to the longest of its batch.

        An element goes into the bucket between the boundaries that its length lies between. A bucket that is
        full is a batch; those that are not full come last, the shortest elements first.

        Args:
          element_length_func: function of an element that returns its length, an integer.
          bucket_boundaries: list of rising lengths; an element as long as one is in the bucket above.
          bucket_batch_sizes: list of the numbers of elements of the batches, one more than boundaries.
          padded_shapes: structure of shapes; `None` stands for the longest of the batch.
          padding_values: structure of the values to fill with; zeros if it is `None`.
          pad_to_bucket_boundary: whether to fill up to one less than the boundary of the bucket.
          no_padding: whether the elements of a bucket have one shape, and are not filled up.
          drop_remainder: whether to drop buckets that are not full.
          name: accepted as in TensorFlow; has no effect.

        Returns:
          Dataset.

        Raises:
          ValueError: boundaries do not rise, there are not as many sizes as buckets, or
            `pad_to_bucket_boundary` is given and an element is as long as the last boundary.

        Example:
          >>> ragged = gw.data.Dataset.from_tensor_slices([1, 4, 2, 3]).map(lambda n: gw.fill([n], n))
          >>> batches = ragged.bucket_by_sequence_length(gw.size, [3], [2, 2])
          >>> [batch.tolist() for batch in batches]
          [[[1, 0], [2, 2]], [[4, 4, 4, 4], [3, 3, 3, 0]]]
        """
        del name
        padding = padded_shapes, padding_values, pad_to_bucket_boundary, no_padding
        sizes = bucket_boundaries, bucket_batch_sizes
        return self._with(
            _buckets.bucketed(self._machine, element_length_func, *sizes, padding, drop_remainder)
        )

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = 1,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
    ) -> Dataset:
        """`block_length` elements in turn of each of `cycle_length` datasets that a function gives.

        The function is to be pure; `num_parallel_calls` and `deterministic` are accepted, elements come in
        their order.

        Args:
          map_func: function from an element to a dataset; it must be pure.
          cycle_length: number of datasets that take turns.
          block_length: number of elements of a turn.
          num_parallel_calls: accepted as in TensorFlow; has no effect.
          deterministic: accepted as in TensorFlow; has no effect.

        Returns:
          Dataset.

        Example:
          >>> twice = lambda n: gw.data.Dataset.from_tensors(n).repeat(2)
          >>> list(gw.data.Dataset.range(2).interleave(twice, 2).as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
        """
        if block_length < 1 or (cycle_length not in (None, AUTOTUNE) and cycle_length < 1):
            raise ValueError("interleave() needs a cycle_length and a block_length of at least 1")
        cycle = 2 if cycle_length in (None, AUTOTUNE) else cycle_length
        block = _native.cast(block_length, _native.int64)
        if isinstance(cycle, Tensor):
            cycle = _native.cast(cycle, _native.int64)
        return self._with(_cycles.Interleave(self._machine, map_func, cycle, block))

    def unbatch(self) -> Dataset:
        """Iterates over the rows of each element.

        Returns:
          Dataset.

        Example:
          >>> list(gw.data.Dataset.range(4).batch(2).unbatch().as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(2), np.int64(3)]
        """
        return self._with(_batches.Unbatch(self._machine))

    def rebatch(self, batch_size: Any, drop_remainder: bool = False) -> Dataset:
        """Makes batches of another size of batches.

        Args:
          batch_size: number of rows of a batch, int or tensor.
          drop_remainder: whether to drop a last batch that is shorter.

        Returns:
          Dataset.

        Raises:
          ValueError: the size is less than 1.

        Example:
          >>> [batch.tolist() for batch in gw.data.Dataset.range(5).batch(2).rebatch(3)]
          [[0, 1, 2], [3, 4]]
        """
        return self.unbatch().batch(batch_size, drop_remainder)

    def with_options(self, options: Any, name: str | None = None) -> Dataset:
        """Accepts options, which change no element.

        Args:
          options: `gw.data.Options`.
          name: accepted as in TensorFlow; has no effect.

        Returns:
          The dataset itself.

        Raises:
          TypeError: it is no `gw.data.Options`.

        Example:
          >>> list(gw.data.Dataset.range(2).with_options(gw.data.Options()).as_numpy_iterator())
          [np.int64(0), np.int64(1)]
        """
        del name
        if not isinstance(options, Options):
            raise TypeError(f"a `gw.data.Options` is wanted, not a `{type(options).__name__}`")
        return self  # type: ignore[return-value]  # the only class with these transformations

    def cache(self, filename: str = "") -> Dataset:
        """The elements, kept when they have been given once to the end: in memory, or in a file.

        The source of the dataset is not asked again then; a file serves other processes too.

        Args:
          filename: name of a file; in memory if it is empty.

        Returns:
          Dataset of the same elements.

        Example:
          >>> list(gw.data.Dataset.range(3).cache().as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(2)]
        """
        return self._with(_cache.Cached(self._machine, _cache.Store(filename)))

    def prefetch(self, buffer_size: Any) -> Dataset:
        """The dataset, with so many elements ahead of who asks; `AUTOTUNE` is two.

        A thread computes elements that are batches made from files, if that depends on no variable or tensor
        from elsewhere and calls nothing of Python's; of rows, the files are read ahead by a thread. Elements
        in memory are computed in the loop that asks for it, with which it is one.

        Args:
          buffer_size: number of elements, or `gw.data.AUTOTUNE`.

        Returns:
          Dataset of the same elements.

        Example:
          >>> list(gw.data.Dataset.range(3).prefetch(2).as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(2)]
        """
        count = _hosted.blocks_ahead(buffer_size)
        ahead = _hosted.read_ahead(self._machine, count)
        return self._with(_prefetch.prefetched(self._machine, ahead, count))


def as_tensors(structure: Any) -> Any:
    """A structure of tensors; lists are taken for tensors, as TensorFlow does."""
    if isinstance(structure, dict):
        return {key: as_tensors(part) for key, part in structure.items()}
    if isinstance(structure, tuple):
        parts = [as_tensors(part) for part in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)
    if isinstance(structure, Transformations):
        return structure
    return _native.convert_to_tensor(structure)

"""`gw.data.Dataset`: elements one after the other, in Python and in graphs, under TensorFlow's names."""

from __future__ import annotations

import glob
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _native, nest, random
from .._function import function
from .._native import DType, Tensor, TensorSpec, Variable
from . import _batches, _cache, _cycles, _elements, _hosted, _iterator, _order, _prefetch, _sources
from ._machine import Indexed, Length, Machine

#: As many as the machine is found to bear; accepted where TensorFlow takes it.
AUTOTUNE = -1
#: The cardinality of what never ends.
INFINITE_CARDINALITY = Length.INFINITE.value
#: The cardinality of what has to be run to know.
UNKNOWN_CARDINALITY = Length.UNKNOWN.value


@dataclass(frozen=True, eq=False)
class Dataset:
    """Elements, one after the other: structures of tensors, of one `element_spec`.

    Nothing is computed before an element is asked for. A `for` over a dataset in a `gw.function` is a loop of
    the graph, with all that the dataset does in it; `iter(dataset)` gives an iterator, which graphs and
    Python may share. As an argument of a `gw.function` a dataset counts by what it is made of, its tensors by
    dtype and shape.
    """

    _machine: Any
    _epochs: Any = None

    @staticmethod
    def range(*args: Any, output_type: DType = _native.int64) -> Dataset:
        """Python's numbers: `range(stop)`, `range(start, stop)`, `range(start, stop, step)`."""
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Dataset.range() takes 1 to 3 numbers, not {len(args)}")
        first, stop, step = ((0, *args, 1) if len(args) == 1 else (*args, 1))[:3]
        dataset = Dataset(_sources.numbers(first, stop, step))
        if output_type == _native.int64:
            return dataset
        return dataset.map(lambda number: _native.cast(number, output_type))

    @staticmethod
    def from_tensors(tensors: Any) -> Dataset:
        """One element: the tensors as they are."""
        return Dataset(_sources.Once(_tensors(tensors)))

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """The rows of tensors, which have as many of them; `ValueError` where they have not."""
        tensors = _tensors(tensors)
        _check_rows(nest.flatten(tensors))
        return Dataset(_sources.Slices(tensors))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = (),
        output_signature: Any = None,
    ) -> Dataset:
        """What a generator function of Python's yields; it is called anew for each iterator.

        Args:
          generator: a function that gives something to iterate over.
          output_types: a structure of dtypes, if there is no `output_signature`; then what is yielded are
            numbers, where `output_shapes` says nothing else.
          output_shapes: a structure of shapes, alike.
          args: tensors that the function is called with, as NumPy arrays.
          output_signature: what each element is: a structure of `gw.TensorSpec`.

        An iterator that is loaded from a saved state runs through the elements before it again.
        """
        if not callable(generator):
            raise TypeError(
                f"from_generator() takes a function, not a value of type {type(generator).__name__}"
            )
        spec = output_signature if output_signature is not None else _signature(output_types, output_shapes)
        given = tuple(_native.convert_to_tensor(value) for value in args or ())
        return Dataset(_hosted.Hosted(_hosted.Runs(generator, spec), given))

    @staticmethod
    def zip(*args: Any, datasets: Any = None) -> Dataset:
        """Elements of several datasets side by side, as far as the shortest goes."""
        given = datasets if datasets is not None else args[0] if len(args) == 1 else args
        return Dataset(_order.zipped(_machines(given)), _shared(given))

    @staticmethod
    def list_files(file_pattern: Any, shuffle: bool | None = None, seed: int | None = None) -> Dataset:
        """The names of the files that fit a pattern, or one of several; shuffled, unless that is false."""
        patterns = [file_pattern] if isinstance(file_pattern, (str, bytes)) else list(file_pattern)
        names = sorted({name for pattern in patterns for name in glob.glob(_text(pattern))})
        if not names:
            raise ValueError(f"no files fit {file_pattern!r}")
        dataset = Dataset.from_tensor_slices(_native.constant(names))
        return dataset if shuffle is False else dataset.shuffle(len(names), seed)

    @property
    def element_spec(self) -> Any:
        """What each element is: a structure of `gw.TensorSpec`."""
        return self._machine.spec()

    def cardinality(self) -> Tensor:
        """How many elements there are, as `int64`; `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`."""
        length = self._machine.length()
        return _native.cast(length.value if isinstance(length, Length) else length, _native.int64)

    def __len__(self) -> int:
        """How many elements there are; `TypeError` if they never end, or have to be run to know."""
        length = self._machine.length()
        if isinstance(length, Length):
            raise TypeError(f"the number of elements is {length.name.lower()}")
        return int(length)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<Dataset element_spec={self.element_spec}>"

    def __iter__(self) -> Any:
        if _native.executing_eagerly():
            return _iterator.Iterator(self._machine, self._epoch())
        return _iterator.GraphIterator(self._machine, self._machine.start(self._epoch()))

    def _each(self) -> Any:
        machine = self._machine
        if isinstance(machine, Indexed):
            for index in _native.range(_native.cast(machine.length(), _native.int64)):
                yield machine.at(index)
        else:
            more, state = True, machine.start(self._epoch())
            while more:
                more, element, state = machine.step(state)
                if more:
                    yield element

    def _epoch(self) -> Any:
        """How often the elements were begun before; only what is shuffled anew each time asks."""
        if self._epochs is None:
            return _native.constant(0, _native.int64)
        self._epochs.assign_add(1)
        return self._epochs.value()

    def as_numpy_iterator(self) -> Any:
        """The elements as NumPy arrays and scalars."""
        for element in self:
            yield nest.map_structure(lambda leaf: leaf.numpy(), element)

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: Any = None
    ) -> Dataset:
        """What a function gives of each element; the items of a tuple are arguments of their own.

        With `num_parallel_calls` what the function is given is prefetched. `deterministic` is accepted;
        elements come in their order.
        """
        several = isinstance(num_parallel_calls, int) and (
            num_parallel_calls > 1 or num_parallel_calls == AUTOTUNE
        )
        given = self.prefetch(num_parallel_calls) if several else self
        return self._with(_elements.mapped(given._machine, map_func))

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """The elements that pass a test."""
        return self._with(_elements.Filter(self._machine, predicate))

    def take_while(self, predicate: Callable[..., Any]) -> Dataset:
        """The elements before the first that fails a test."""
        return self._with(_elements.TakeWhile(self._machine, predicate))

    def scan(self, initial_state: Any, scan_func: Callable[..., Any]) -> Dataset:
        """Results of `state, result = scan_func(state, element)` for each element."""
        return self._with(_elements.Scan(self._machine, _tensors(initial_state), scan_func))

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """The elements of the datasets that a function gives of each element; the function is to be pure."""
        return self._with(_elements.FlatMap(self._machine, map_func))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """The last of `state = reduce_func(state, element)`, in one loop of a graph."""
        if _native.executing_eagerly():
            return _reduced_eagerly(self, _tensors(initial_state), reduce_func)
        return _reduced(self, initial_state, reduce_func)

    def take(self, count: Any) -> Dataset:
        """At most so many elements; all of them, if the number is negative."""
        count = _native.cast(count, _native.int64)
        return self._with(_order.Take(self._machine, count))

    def skip(self, count: Any) -> Dataset:
        """What comes behind so many elements; nothing, if the number is negative."""
        count = _native.cast(count, _native.int64)
        return self._with(_order.Skip(self._machine, count))

    def shard(self, num_shards: Any, index: Any) -> Dataset:
        """Every `num_shards`-th element, from that of number `index` on."""
        if index < 0 or index >= num_shards:
            raise ValueError("shard() needs an index from 0 to below num_shards")
        return self._with(_order.sharded(self._machine, num_shards, index))

    def repeat(self, count: Any = None) -> Dataset:
        """The elements so many times; for ever, if the number is negative or not given."""
        return self._with(_order.repeated(self._machine, count))

    def concatenate(self, dataset: Dataset) -> Dataset:
        """These elements, then those of another dataset of the same spec."""
        machine = _order.Concatenate(self._machine, dataset._machine)
        return Dataset(machine, _shared((self, dataset)))

    def enumerate(self, start: Any = 0) -> Dataset:
        """Pairs of a number, counted from `start`, and an element."""
        start = _native.cast(start, _native.int64)
        one, far = _native.constant(1, _native.int64), _native.constant(2**63 - 1, _native.int64)
        counted = _sources.Range(start, one, far)
        return self._with(_order.zipped((counted, self._machine)))

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = None
    ) -> Dataset:
        """Elements at random from a buffer of so many; in another order each time, if not told otherwise.

        The same seed gives the same orders everywhere; without one they depend on `gw.random.set_seed`.
        """
        if buffer_size < 1:
            raise ValueError("shuffle() needs a buffer_size of at least 1")
        again = reshuffle_each_iteration is not False
        epochs = self._epochs
        if again and epochs is None and _native.executing_eagerly():
            epochs = Variable(_native.constant(-1, _native.int64), trainable=False)
        if seed is None:
            seed = random.uniform([], 0, 2**31 - 1, _native.int64)
        size, seed = (_native.cast(number, _native.int64) for number in (buffer_size, seed))
        return Dataset(_order.shuffled(self._machine, size, seed, again), epochs)

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
    ) -> Dataset:
        """So many elements at a time, stacked; the last may be fewer, if they are not dropped."""
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
        """
        machine = _batches.padded(self._machine, batch_size, padded_shapes, padding_values, drop_remainder)
        return self._with(machine)

    def window(self, size: Any, shift: Any = None, stride: int = 1, drop_remainder: bool = False) -> Dataset:
        """Datasets of so many elements, `stride` apart, one `shift` elements behind the other.

        Of elements that are structures, a structure of datasets.
        """
        if size < 1 or stride < 1 or (shift is not None and shift < 1):
            raise ValueError("window() needs a size, a shift and a stride of at least 1")
        size = _native.cast(size, _native.int64)
        shift = size if shift is None else _native.cast(shift, _native.int64)
        return self._with(_cycles.Window(self._machine, size, shift, stride, drop_remainder)).map(_as_dataset)

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
        """
        if block_length < 1 or (cycle_length not in (None, AUTOTUNE) and cycle_length < 1):
            raise ValueError("interleave() needs a cycle_length and a block_length of at least 1")
        cycle = 2 if cycle_length in (None, AUTOTUNE) else cycle_length
        block = _native.cast(block_length, _native.int64)
        if isinstance(cycle, Tensor):
            cycle = _native.cast(cycle, _native.int64)
        return self._with(_cycles.Interleave(self._machine, map_func, cycle, block))

    def unbatch(self) -> Dataset:
        """The rows of each element, one after the other."""
        return self._with(_batches.Unbatch(self._machine))

    def cache(self, filename: str = "") -> Dataset:
        """The elements, kept when they have been given once to the end: in memory, or in a file.

        What the dataset is made of is not asked again then; a file serves other processes too.
        """
        return self._with(_cache.Cached(self._machine, _cache.Store(filename)))

    def prefetch(self, buffer_size: Any) -> Dataset:
        """The dataset, with so many elements ahead of who asks; `AUTOTUNE` is two.

        A thread computes elements that are batches made from files, if that depends on no variable or tensor
        from elsewhere and calls nothing of Python's; of rows, the files are read ahead by a thread. What is
        in memory is computed in the loop that asks for it, with which it is one.
        """
        count = _hosted.blocks_ahead(buffer_size)
        ahead = _hosted.read_ahead(self._machine, count)
        return self._with(_prefetch.prefetched(self._machine, ahead, count))

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function gives of the dataset."""
        return transformation_func(self)

    def get_single_element(self) -> Any:
        """The only element; `ValueError` if there are none or more."""
        found = list(self.take(2))
        if len(found) != 1:
            raise ValueError(f"the dataset has {'no' if not found else 'more than one'} element")
        return found[0]

    def _with(self, machine: Machine) -> Dataset:
        return Dataset(machine, self._epochs)


Dataset.__iter__._staged = Dataset._each  # type: ignore[attr-defined]


def _reduced(dataset: Dataset, state: Any, reduce_func: Any) -> Any:
    for element in dataset:
        state = reduce_func(state, element)
    return state


_reduced_eagerly = function(_reduced)


def _as_dataset(*tensors: Any) -> Any:
    rows = tensors[0] if len(tensors) == 1 else tensors
    return nest.map_structure(lambda leaf: Dataset(_sources.Slices(leaf)), rows)


def _tensors(structure: Any) -> Any:
    """A structure of tensors; lists are taken for tensors, as TensorFlow does."""
    if isinstance(structure, dict):
        return {key: _tensors(part) for key, part in structure.items()}
    if isinstance(structure, tuple):
        parts = [_tensors(part) for part in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)
    if isinstance(structure, Dataset):
        return structure
    return _native.convert_to_tensor(structure)


def _signature(types: Any, shapes: Any) -> Any:
    if types is None:
        raise TypeError("from_generator() needs `output_signature`, or `output_types`")
    if shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec([], dtype), types)
    if nest.is_nested(types):
        paired = zip(types, shapes, strict=True)
        return tuple(TensorSpec(shape, dtype) for dtype, shape in paired)
    return TensorSpec(shapes, types)


def _check_rows(leaves: list[Any]) -> None:
    if not leaves:
        raise ValueError("from_tensor_slices() needs at least one tensor")
    lengths = []
    for leaf in leaves:
        if not leaf.shape:
            raise ValueError("from_tensor_slices() takes the rows of tensors, and a number has none")
        lengths.append(leaf.shape[0])
    if len({length for length in lengths if length is not None}) > 1:
        raise ValueError(f"from_tensor_slices() takes tensors with as many rows, and these have {lengths}")


def _machines(datasets: Any) -> Any:
    if isinstance(datasets, Dataset):
        return datasets._machine
    if isinstance(datasets, dict):
        return {key: _machines(part) for key, part in datasets.items()}
    if isinstance(datasets, tuple):
        parts = [_machines(part) for part in datasets]
        return type(datasets)(*parts) if hasattr(datasets, "_fields") else tuple(parts)
    raise TypeError(
        f"Dataset.zip() takes datasets, or a tuple or dict of them, not {type(datasets).__name__}"
    )


def _shared(datasets: Any) -> Any:
    """What counts the epochs of the first dataset that has it."""
    if isinstance(datasets, Dataset):
        return datasets._epochs
    parts = datasets.values() if isinstance(datasets, dict) else datasets
    found = [_shared(part) for part in parts]
    return next((epochs for epochs in found if epochs is not None), None)


def _text(pattern: str | bytes) -> str:
    return pattern.decode() if isinstance(pattern, bytes) else pattern

"""`gw.data.Dataset`: elements one after the other, in Python and in graphs, under TensorFlow's names."""

from __future__ import annotations

import glob
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _native, nest, random
from .._function import function
from .._native import DType, Tensor, TensorSpec, Variable
from . import _cycles, _hosted, _iterator, _order, _sources
from ._machine import Indexed, Length, Machine
from ._mixtures import Mixtures
from ._transformations import Transformations, as_tensors

#: The cardinality of what never ends.
INFINITE_CARDINALITY = Length.INFINITE.value
#: The cardinality of what has to be run to know.
UNKNOWN_CARDINALITY = Length.UNKNOWN.value


@dataclass(frozen=True, eq=False)
class Dataset(Transformations, Mixtures):
    """Elements, one after the other: structures of tensors, of one `element_spec`.

    Nothing is computed before an element is asked for. A `for` over a dataset in a `gw.function` is a loop of
    the graph, with all that the dataset does in it; `iter(dataset)` gives an iterator, which graphs and
    Python may share. As an argument of a `gw.function` a dataset counts by its parts, its tensors by
    dtype and shape.

    Example:
      >>> dataset = gw.data.Dataset.range(10).filter(lambda x: x % 2 == 0).batch(3)
      >>> [batch.tolist() for batch in dataset]
      [[0, 2, 4], [6, 8]]
    """

    _machine: Any
    _epochs: Any = None

    def _repr_html_(self) -> str:
        """The components of an element by name, dtype and shape, and how many elements there are."""
        from .. import _html

        return _html.elements(self)

    @staticmethod
    def range(*args: Any, output_type: DType = _native.int64) -> Dataset:
        """Counts as Python's `range`.

        Args:
          args: stop; or start and stop; or start, stop and step.
          output_type: dtype of the numbers.

        Returns:
          Dataset of numbers.

        Example:
          >>> list(gw.data.Dataset.range(1, 7, 2).as_numpy_iterator())
          [np.int64(1), np.int64(3), np.int64(5)]
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Dataset.range() takes 1 to 3 numbers, not {len(args)}")
        first, stop, step = ((0, *args, 1) if len(args) == 1 else (*args, 1))[:3]
        dataset = Dataset(_sources.numbers(first, stop, step))
        if output_type == _native.int64:
            return dataset
        return dataset.map(lambda number: _native.cast(number, output_type))

    @staticmethod
    def from_tensors(tensors: Any) -> Dataset:
        """Makes a dataset of one element.

        Args:
          tensors: structure of tensors.

        Returns:
          Dataset.

        Example:
          >>> [x.tolist() for x in gw.data.Dataset.from_tensors([1, 2])]
          [[1, 2]]
        """
        return Dataset(_sources.Once(as_tensors(tensors)))

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """Iterates over the rows of tensors.

        Args:
          tensors: structure of tensors with one length of their first axes.

        Returns:
          Dataset.

        Raises:
          ValueError: the lengths differ.

        Example:
          >>> [(x.item(), y.item()) for x, y in gw.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))]
          [(1, 3), (2, 4)]
        """
        tensors = as_tensors(tensors)
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
        """The elements that a generator function yields; it is called anew for each iterator.

        Args:
          generator: a function that gives something to iterate over.
          output_types: a structure of dtypes, if there is no `output_signature`; then its items are
            numbers, where `output_shapes` says nothing else.
          output_shapes: a structure of shapes, alike.
          args: tensors that the function is called with, as NumPy arrays.
          output_signature: type of each element: a structure of `gw.TensorSpec`.

        Returns:
          Dataset.

        Example:
          >>> def squares():
          ...     yield from (1, 4, 9)
          >>> spec = gw.TensorSpec([], gw.int64)
          >>> list(gw.data.Dataset.from_generator(squares, output_signature=spec).as_numpy_iterator())
          [np.int64(1), np.int64(4), np.int64(9)]
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
        """Pairs the elements of several datasets, as far as the shortest goes.

        Args:
          args: datasets.
          datasets: structure of datasets, in place of `args`.

        Returns:
          Dataset of tuples.

        Example:
          >>> pairs = gw.data.Dataset.zip(gw.data.Dataset.range(2), gw.data.Dataset.range(5, 9))
          >>> [(int(x), int(y)) for x, y in pairs]
          [(0, 5), (1, 6)]
        """
        given = datasets if datasets is not None else args[0] if len(args) == 1 else args
        return Dataset(_order.zipped(_machines(given)), _shared(given))

    @staticmethod
    def list_files(file_pattern: Any, shuffle: bool | None = None, seed: int | None = None) -> Dataset:
        """Lists the names of files that fit patterns.

        Args:
          file_pattern: pattern with `*` and `?`, or list of patterns.
          shuffle: whether to shuffle the names; true if it is `None`.
          seed: seed of the shuffling.

        Returns:
          Dataset of strings.

        Example:
          >>> import pathlib, tempfile
          >>> folder = pathlib.Path(tempfile.mkdtemp())
          >>> _ = (folder / "a.txt").write_text("")
          >>> len(list(gw.data.Dataset.list_files(str(folder / "*.txt"))))
          1
        """
        patterns = [file_pattern] if isinstance(file_pattern, (str, bytes)) else list(file_pattern)
        names = sorted({name for pattern in patterns for name in glob.glob(_text(pattern))})
        if not names:
            raise ValueError(f"no files fit {file_pattern!r}")
        dataset = Dataset.from_tensor_slices(_native.constant(names))
        return dataset if shuffle is False else dataset.shuffle(len(names), seed)

    @property
    def element_spec(self) -> Any:
        """Type of each element: a structure of `gw.TensorSpec`."""
        return self._machine.spec()

    def cardinality(self) -> Tensor:
        """Returns the number of elements.

        Returns:
          `int64` tensor; `gw.data.INFINITE_CARDINALITY` or `gw.data.UNKNOWN_CARDINALITY` where it is none.

        Example:
          >>> gw.data.Dataset.range(5).batch(2).cardinality().item()
          3
        """
        length = self._machine.length()
        return _native.cast(length.value if isinstance(length, Length) else length, _native.int64)

    def __len__(self) -> int:
        """The number of elements; `TypeError` if they never end, or have to be run to know."""
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
        """The number of earlier rounds; only what is shuffled anew each time asks."""
        if self._epochs is None:
            return _native.constant(0, _native.int64)
        self._epochs.assign_add(1)
        return self._epochs.value()

    def as_numpy_iterator(self) -> Any:
        """Iterates over the elements as NumPy arrays and scalars.

        Returns:
          Iterator.

        Example:
          >>> list(gw.data.Dataset.range(3).map(lambda x: x * x).as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(4)]
        """
        for element in self:
            yield nest.map_structure(lambda leaf: leaf.numpy(), element)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """Folds the elements in one loop of a graph.

        Args:
          initial_state: structure of tensors.
          reduce_func: function of the state and an element that returns the next state.

        Returns:
          The last state.

        Example:
          >>> gw.data.Dataset.range(5).reduce(0, lambda total, x: total + x).item()
          10
        """
        if _native.executing_eagerly():
            return _reduced_eagerly(self, as_tensors(initial_state), reduce_func)
        return _reduced(self, initial_state, reduce_func)

    def concatenate(self, dataset: Dataset) -> Dataset:
        """Appends the elements of another dataset.

        Args:
          dataset: dataset of the same spec.

        Returns:
          Dataset.

        Example:
          >>> list(gw.data.Dataset.range(2).concatenate(gw.data.Dataset.range(2)).as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
        """
        machine = _order.Concatenate(self._machine, dataset._machine)
        return Dataset(machine, _shared((self, dataset)))

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = None
    ) -> Dataset:
        """Elements at random from a buffer of so many; in another order each time, if not told otherwise.

        The same seed gives the same orders everywhere; without one they depend on `gw.random.set_seed`.

        Args:
          buffer_size: number of elements to draw from.
          seed: seed; without one each process has another order.
          reshuffle_each_iteration: whether each iteration has an order of its own; true if it is `None`.

        Returns:
          Dataset.

        Example:
          >>> sorted(gw.data.Dataset.range(4).shuffle(4, seed=1).as_numpy_iterator())
          [np.int64(0), np.int64(1), np.int64(2), np.int64(3)]
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

    def window(self, size: Any, shift: Any = None, stride: int = 1, drop_remainder: bool = False) -> Dataset:
        """Datasets of so many elements, `stride` apart, one `shift` elements behind the other.

        Of elements that are structures, a structure of datasets.

        Args:
          size: number of elements of a window.
          shift: distance between the beginnings of windows; `size` if it is `None`.
          stride: distance between elements of a window.
          drop_remainder: whether to drop windows that are shorter.

        Returns:
          Dataset of datasets.

        Example:
          >>> windows = gw.data.Dataset.range(4).window(2, shift=1, drop_remainder=True)
          >>> [[int(x) for x in window] for window in windows]
          [[0, 1], [1, 2], [2, 3]]
        """
        if size < 1 or stride < 1 or (shift is not None and shift < 1):
            raise ValueError("window() needs a size, a shift and a stride of at least 1")
        size = _native.cast(size, _native.int64)
        shift = size if shift is None else _native.cast(shift, _native.int64)
        return self._with(_cycles.Window(self._machine, size, shift, stride, drop_remainder)).map(_as_dataset)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Applies a function to the dataset.

        Args:
          transformation_func: function from a dataset to a dataset.

        Returns:
          Dataset.

        Example:
          >>> gw.data.Dataset.range(3).apply(lambda d: d.skip(1)).cardinality().item()
          2
        """
        return transformation_func(self)

    def get_single_element(self) -> Any:
        """Returns the only element.

        Returns:
          Structure of tensors.

        Raises:
          ValueError: there are none or more.

        Example:
          >>> gw.data.Dataset.from_tensors(7).get_single_element().item()
          7
        """
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
    """The counter of epochs of the first dataset that has it."""
    if isinstance(datasets, Dataset):
        return datasets._epochs
    parts = datasets.values() if isinstance(datasets, dict) else datasets
    found = [_shared(part) for part in parts]
    return next((epochs for epochs in found if epochs is not None), None)


def _text(pattern: str | bytes) -> str:
    return pattern.decode() if isinstance(pattern, bytes) else pattern

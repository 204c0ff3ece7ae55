"""Datasets of elements of several datasets, of elements that come once, and datasets in files."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import _native, nest, random
from .._native import TensorSpec, Variable
from . import _mixed

if TYPE_CHECKING:
    from ._dataset import Dataset

_ELEMENTS, _SPEC = "elements.tfrecord", "spec.json"


class Mixtures:
    """The part of a dataset that mixes, and is kept in files."""

    _machine: Any
    element_spec: Any

    def _with(self, machine: Any) -> Dataset:
        """A dataset of the same epochs."""
        raise NotImplementedError

    @staticmethod
    def choose_from_datasets(
        datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Takes each element from the dataset whose number another dataset says.

        Args:
          datasets: list of datasets of one `element_spec`.
          choice_dataset: dataset of `int64` numbers of these.
          stop_on_empty_dataset: whether a number of a dataset that has ended ends all, or is passed over.

        Returns:
          Dataset.

        Raises:
          TypeError: the elements of the datasets differ in type.

        Example:
          >>> kinds = [gw.data.Dataset.range(3), gw.data.Dataset.range(10, 13)]
          >>> choices = gw.data.Dataset.from_tensor_slices([0, 1, 1])
          >>> [int(x) for x in gw.data.Dataset.choose_from_datasets(kinds, choices)]
          [0, 10, 11]
        """
        machines = _checked(datasets, "choose_from_datasets")
        chosen = _mixed.Chosen(machines, stop_on_empty_dataset, choice_dataset._machine)
        made: Dataset = datasets[0]._with(chosen)
        return made

    @staticmethod
    def sample_from_datasets(
        datasets: Any,
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """Takes each element from a dataset that is drawn at random.

        Args:
          datasets: list of datasets of one `element_spec`.
          weights: floats, how often each is drawn; all the same if it is `None`.
          seed: seed; without one each process draws others.
          stop_on_empty_dataset: whether the first dataset that ends ends all; the others go on otherwise.
          rerandomize_each_iteration: whether each iteration draws anew; true if there is no seed.

        Returns:
          Dataset.

        Raises:
          TypeError: the elements of the datasets differ in type.
          ValueError: there are not as many weights as datasets.

        Example:
          >>> kinds = [gw.data.Dataset.range(2), gw.data.Dataset.range(10, 12)]
          >>> sorted(int(x) for x in gw.data.Dataset.sample_from_datasets(kinds, seed=1))
          [0, 1, 10, 11]
        """
        from ._dataset import Dataset

        machines = _checked(datasets, "sample_from_datasets")
        given = _native.ones([len(machines)], _native.float64) if weights is None else weights
        shares = _native.cast(_native.convert_to_tensor(given), _native.float64)
        if tuple(shares.shape) != (len(machines),):
            raise ValueError(f"sample_from_datasets() takes {len(machines)} weights, one for each dataset")
        again = rerandomize_each_iteration if rerandomize_each_iteration is not None else seed is None
        epochs = datasets[0]._epochs
        if again and epochs is None and _native.executing_eagerly():
            epochs = Variable(_native.constant(-1, _native.int64), trainable=False)
        if seed is None:
            seed = random.uniform([], 0, 2**31 - 1, _native.int64)
        seed = _native.cast(seed, _native.int64)
        return Dataset(_mixed.Sampled(machines, stop_on_empty_dataset, shares, seed, again), epochs)

    def unique(self, name: str | None = None) -> Dataset:
        """Keeps each element the first time that it comes.

        Args:
          name: accepted as in TensorFlow; has no effect.

        Returns:
          Dataset.

        Raises:
          TypeError: an element is no single integer or string.

        Example:
          >>> [int(x) for x in gw.data.Dataset.from_tensor_slices([1, 2, 1, 3, 2]).unique()]
          [1, 2, 3]
        """
        del name
        _mixed.check_unique(self.element_spec)
        return self._with(_mixed.Unique(self._machine))

    def save(self, path: str, compression: str | None = None) -> None:
        """Writes all elements into a folder, of which `load` makes a dataset.

        Args:
          path: the name of the folder, which is made where there is none.
          compression: `"GZIP"`, or nothing.

        Returns:
          Nothing.

        Example:
          >>> import tempfile
          >>> folder = tempfile.mkdtemp()
          >>> gw.data.Dataset.range(3).save(folder)
          >>> [int(x) for x in gw.data.Dataset.load(folder)]
          [0, 1, 2]
        """
        from ..io import TFRecordWriter, serialize_tensor

        folder = pathlib.Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        with TFRecordWriter(str(folder / _ELEMENTS), compression) as writer:
            for element in self:  # type: ignore[attr-defined]
                for leaf in nest.flatten(element):
                    writer.write(serialize_tensor(leaf).numpy())
        (folder / _SPEC).write_text(json.dumps(_written(self.element_spec)))

    @staticmethod
    def load(path: str, element_spec: Any = None, compression: str | None = None) -> Dataset:
        """Makes a dataset of the elements that `save` wrote.

        Args:
          path: the name of the folder.
          element_spec: structure of `gw.TensorSpec`; the written one if it is `None`.
          compression: `"GZIP"`, or nothing, as they were written.

        Returns:
          Dataset.

        Raises:
          FileNotFoundError: the folder holds no dataset.

        Example:
          >>> import tempfile
          >>> folder = tempfile.mkdtemp()
          >>> gw.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).save(folder)
          >>> [(int(x), y.item()) for x, y in gw.data.Dataset.load(folder)]
          [(1, b'a'), (2, b'b')]
        """
        from ._dataset import Dataset

        folder = pathlib.Path(path)
        spec = _read(json.loads((folder / _SPEC).read_text())) if element_spec is None else element_spec
        return Dataset.from_generator(
            lambda: _elements(str(folder / _ELEMENTS), spec, compression), output_signature=spec
        )


def _checked(datasets: Any, name: str) -> tuple[Any, ...]:
    if not datasets:
        raise ValueError(f"{name}() takes at least one dataset")
    kinds = [[(leaf.dtype, leaf.shape.rank) for leaf in nest.flatten(one.element_spec)] for one in datasets]
    if any(kind != kinds[0] for kind in kinds):
        raise TypeError(f"{name}() takes datasets of one type of elements")
    return tuple(one._machine for one in datasets)


def _elements(path: str, spec: Any, compression: str | None) -> Iterator[Any]:
    from ..io import parse_tensor
    from ._files import TFRecordDataset

    leaves = nest.flatten(spec)
    parts: list[Any] = []
    for record in TFRecordDataset(path, compression).as_numpy_iterator():
        leaf = leaves[len(parts)]
        parts.append(parse_tensor(_native.constant(record), leaf.dtype).numpy())
        if len(parts) == len(leaves):
            yield nest.pack_sequence_as(spec, parts)
            parts = []


def _written(spec: Any) -> Any:
    """A structure of specs as JSON has it."""
    if isinstance(spec, TensorSpec):
        return {"tensor": [None if spec.shape.rank is None else list(spec.shape), spec.dtype.name]}
    if isinstance(spec, dict):
        return {"dict": {key: _written(part) for key, part in spec.items()}}
    return {"tuple": [_written(part) for part in spec]}


def _read(spec: Any) -> Any:
    ((kind, content),) = spec.items()
    if kind == "tensor":
        return TensorSpec(content[0], _native.as_dtype(content[1]))
    if kind == "dict":
        return {key: _read(part) for key, part in content.items()}
    return tuple(map(_read, content))

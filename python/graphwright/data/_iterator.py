"""Iterators over datasets: the state of the machine, in variables, or in a graph in attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native, nest
from .._function import function
from .._native import Variable
from ._machine import Machine


class Iterator:
    """The elements of a dataset that were not asked for yet; graphs and Python share them.

    Threads may share one, too: each element is given once. A graph that asks it has it for itself until its
    call ends, with all the elements that it asks for.

    Example:
      >>> iterator = iter(gw.data.Dataset.range(3))
      >>> int(next(iterator)), [int(x) for x in iterator]
      (0, [1, 2])
    """

    def __init__(self, machine: Machine, epoch: Any) -> None:
        begin = begun.get_concrete_function(machine, epoch)
        specs = nest.flatten(begin.structured_outputs)
        state = begin(machine, epoch)
        cells = [_cell(leaf, spec) for leaf, spec in zip(nest.flatten(state), specs, strict=True)]
        self._machine, self._state = machine, nest.pack_sequence_as(state, cells)
        self._lock = _native.StateLock(self._variables())

    def _variables(self) -> list[Variable]:
        return [cell for cell in nest.flatten(self._state) if cell is not None]

    @property
    def element_spec(self) -> Any:
        """Type of each element: a structure of `gw.TensorSpec`."""
        return self._machine.spec()

    def __iter__(self) -> Iterator:
        return self

    def _each(self) -> Any:
        more = True
        while more:
            more, element = _advance(self._machine, self._state)
            if more:
                yield element

    def __next__(self) -> Any:
        more, element = self._advanced()
        if not more:
            raise StopIteration
        return element

    def _advanced(self) -> Any:
        """True if there is one more, and the element."""
        return _advance(self._machine, self._state)

    def get_next(self) -> Any:
        """Returns the next element.

        Returns:
          Structure of tensors.

        Raises:
          OutOfRangeError: there is no more.

        Example:
          >>> iter(gw.data.Dataset.range(3)).get_next().item()
          0
        """
        more, element = self._advanced()
        if not more:
            raise IndexError("the iterator has no more elements")
        return element

    def state_dict(self) -> dict[str, Any]:
        """Where the iterator is, as NumPy arrays by name, to be saved with `numpy.savez` or pickled.

        `load_state_dict` of an iterator over a dataset built alike, in this process or another, goes on from
        there with the same elements, also of shuffled ones.

        Returns:
          Dict of NumPy arrays.

        Example:
          >>> iterator = iter(gw.data.Dataset.range(5))
          >>> first, state = next(iterator).item(), iterator.state_dict()
          >>> another = iter(gw.data.Dataset.range(5))
          >>> another.load_state_dict(state)
          >>> first, next(another).item()
          (0, 1)
        """
        leaves = self._variables()
        with self._lock:
            return {f"state_{place}": leaf.numpy() for place, leaf in enumerate(leaves)}

    def load_state_dict(self, state_dict: Any) -> None:
        """Goes to the place that was saved.

        Args:
          state_dict: dict of arrays from `state_dict`.

        Returns:
          Nothing.

        Raises:
          ValueError: the state is that of another kind of dataset.

        Example:
          >>> iterator = iter(gw.data.Dataset.range(3))
          >>> state = iterator.state_dict()
          >>> int(next(iterator)), iterator.load_state_dict(state), int(next(iterator))
          (0, None, 0)
        """
        leaves = self._variables()
        if set(state_dict) != {f"state_{place}" for place in range(len(leaves))}:
            raise ValueError(
                f"this iterator has {len(leaves)} parts, and not those of the state: {list(state_dict)}"
            )
        values = [np.asarray(state_dict[f"state_{place}"]) for place in range(len(leaves))]
        for leaf, value in zip(leaves, values, strict=True):
            if value.ndim != len(leaf.shape):
                raise ValueError("the state is that of an iterator over another kind of dataset")
        with self._lock:
            for leaf, value in zip(leaves, values, strict=True):
                leaf.assign(_native.convert_to_tensor(value, leaf.dtype))


Iterator.__iter__._staged = Iterator._each  # type: ignore[attr-defined]


@function(reduce_retracing=False)
def begun(machine: Machine, epoch: Any) -> Any:
    """The state of a machine before the first element."""
    return machine.start(epoch)


@function(reduce_retracing=False)
def _advance(machine: Machine, state: Any) -> Any:
    more, element, after = machine.step(nest.map_structure(_value, state))
    for cell, value in zip(nest.flatten(state), nest.flatten(after), strict=True):
        if cell is not None:
            cell.assign(value)
    return more, element


def _cell(leaf: Any, spec: Any) -> Any:
    """A variable for a part of a state; `None`, which windows hold, stays."""
    return None if spec is None else Variable(leaf, trainable=False, dtype=spec.dtype, shape=spec.shape)


def _value(cell: Any) -> Any:
    return None if cell is None else cell.value()


class GraphIterator:
    """An iterator that a graph makes and that ends with its call."""

    #: Statements of graphs carry its attributes, as those of a user's object.
    _carried = True

    def __init__(self, machine: Machine, state: Any) -> None:
        self._machine, self._state = machine, state

    def _each(self) -> Any:
        more = True
        while more:
            more, element, self._state = self._machine.step(self._state)
            if more:
                yield element

    def __iter__(self) -> GraphIterator:
        return self

    def __next__(self) -> Any:
        more, element, self._state = self._machine.step(self._state)
        if not more:
            raise StopIteration
        return element

    def get_next(self) -> Any:
        """The next element; `gw.errors.OutOfRangeError` if there is none."""
        more, element, self._state = self._machine.step(self._state)
        if not more:
            raise IndexError("the iterator has no more elements")
        return element


GraphIterator.__iter__._staged = GraphIterator._each  # type: ignore[attr-defined]

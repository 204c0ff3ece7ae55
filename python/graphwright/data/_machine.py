"""Machines that give a dataset's elements: a state, and the step from one to the next, both of the graph.

Everything that a dataset can do is plain Python over these: a `for` in a graph runs the step in its loop, an
iterator keeps the state in variables, and a state that is written down goes on in another process.
"""

from __future__ import annotations

import dataclasses
import enum
import queue
from dataclasses import dataclass
from typing import Any, ClassVar

from .. import _native, nest
from .._function import function
from .._native import Tensor, TensorSpec
from ..autograph import do_not_convert


class Length(enum.Enum):
    """Numbers of elements that are no numbers, with what TensorFlow has for them."""

    INFINITE = -1
    UNKNOWN = -2


#: It never ends.
INFINITE = Length.INFINITE
#: It has to be run to know.
UNKNOWN = Length.UNKNOWN

Element = Any
State = Any
Count = Any


class Machine:
    """Gives elements one after the other.

    `start(epoch)` is the state before the first, `step(state)` gives whether there is one more, the element
    and the state behind it; without one, the element is `nothing()`. Both run in a graph.
    """

    #: True if each element is a batch, although no source of it shows that.
    gives_batches: ClassVar[bool] = False

    def spec(self) -> Any:
        """The type of each element: a structure of `TensorSpec`."""
        raise NotImplementedError

    def length(self) -> Count:
        """The number of elements, `INFINITE` or `UNKNOWN`; a number of Python's or of the graph."""
        return UNKNOWN

    def start(self, epoch: Tensor) -> State:
        """The state before the first element; `epoch` says how often the dataset was begun before."""
        raise NotImplementedError

    def step(self, state: State) -> tuple[Any, Element, State]:
        """`(whether there is one more, the element, the state behind it)`."""
        raise NotImplementedError

    def nothing(self) -> Element:
        """A placeholder of an element where there is none."""
        return blank(self.spec())


def with_parts(machine: Any, changed: Any) -> Any:
    """A machine with what a function gives of each of its fields."""
    parts = {field.name: getattr(machine, field.name) for field in dataclasses.fields(machine)}
    return dataclasses.replace(machine, **{name: changed(part) for name, part in parts.items()})


@dataclass(frozen=True, eq=False)
class Derived(Machine):
    """A machine over one source: it has the source's state and elements, where it says nothing else."""

    source: Machine

    def spec(self) -> Any:
        return self.source.spec()

    def start(self, epoch: Tensor) -> State:
        return self.source.start(epoch)


class Indexed(Machine):
    """A machine that gives each element by its number: its length is known, and its state is a counter."""

    def at(self, index: Tensor) -> Element:
        """The element of a number, from 0 on, as `int64`."""
        raise NotImplementedError

    def rows(self, first: Tensor, stop: Tensor) -> Element:
        """The elements from `first` to before `stop`, stacked."""
        rows = empty_rows(self.spec(), stop - first)
        for place in _native.range(stop - first):
            rows = add(rows, place, self.at(first + place))
        return rows

    def start(self, epoch: Tensor) -> State:
        return _native.constant(0, _native.int64)

    def step(self, state: State) -> tuple[Any, Element, State]:
        more = state < self.length()
        element = self.nothing()
        if more:
            element = self.at(state)
            state += 1
        return more, element, state


def blank(spec: Any) -> Element:
    """Zeros of what a spec says; of length 0, but no graph knows, where the spec does not say."""
    return nest.map_structure(_zeros, spec)


def stacked(spec: Any, count: int | None) -> Any:
    """The spec of so many elements of a spec, stacked; `None` where nobody knows how many."""
    return nest.map_structure(lambda leaf: TensorSpec([count, *leaf.shape], leaf.dtype), spec)


def empty_rows(spec: Any, count: Any) -> Element:
    """Room for so many elements of a spec; where lengths are not known, what is added first makes it."""
    return nest.map_structure(lambda leaf: _native.zeros([count, *_lengths(leaf)], leaf.dtype), spec)


def add(rows: Element, place: Tensor, element: Element) -> Element:
    """Rows with an element behind those that are there, which are as many as `place` says."""
    return nest.map_structure(
        lambda row, leaf: _written(_roomy(row, place, leaf), place, leaf), rows, element
    )


def put(rows: Element, place: Tensor, element: Element) -> Element:
    """Rows with an element in the place of another one."""
    return nest.map_structure(lambda row, leaf: _written(row, place, leaf), rows, element)


def overwritten(rows: Element, news: Element) -> Element:
    """Other rows, in the place of as many: they are copied then, and not in each turn of the loop around."""
    return nest.map_structure(_overwritten, rows, news)


def _overwritten(row: Tensor, new: Tensor) -> Tensor:
    count: Any = row.shape[0]
    if None in row.shape or row.dtype == _native.string:
        return new
    places = _native.expand_dims(_native.range(count), 1)
    return _native.tensor_scatter_nd_update(row, places, new)


def _roomy(row: Tensor, place: Tensor, leaf: Tensor) -> Tensor:
    if None in row.shape[1:]:
        if place == 0:
            row = _native.zeros([_native.shape(row)[0], *_native.shape(leaf)], leaf.dtype)
        elif _native.reduce_any(_native.shape(row)[1:] != _native.shape(leaf)):
            raise ValueError(
                "elements of several lengths cannot be stacked, as batch() and shuffle() do: "
                "use padded_batch(), or map them to one length"
            )
    return row


def _written(row: Tensor, place: Tensor, leaf: Tensor) -> Tensor:
    return _native.tensor_scatter_nd_update(row, _native.reshape(place, [1, 1]), _native.expand_dims(leaf, 0))


def pick(rows: Element, place: Any) -> Element:
    """The element at a place of rows, or those of a slice."""
    return nest.map_structure(lambda row: row[place], rows)


def apply(func: Any, element: Element) -> Any:
    """The result of a function for an element; the items of a tuple are arguments of their own."""
    if type(element) is tuple:
        return func(*element)
    return func(element)


@do_not_convert
def spec_of(value: Any) -> Any:
    """The specs of a structure of tensors and numbers."""
    return nest.map_structure(_leaf_spec, value)


def given(func: Any, *specs: Any, read: Any = spec_of) -> Any:
    """The spec of what a function gives of elements of these specs; it is traced for that, never run.

    What `read` says of a result is its spec, or an exception, which is raised.
    """
    if _native.executing_eagerly():
        function(lambda: _probe(func, [blank(spec) for spec in specs], read)).get_concrete_function()
    else:
        _probe(func, [blank(spec) for spec in specs], read)
    return _noted()


def given_of(func: Any, *elements: Any, read: Any = spec_of) -> Any:
    """The spec of what a function gives of elements of the graph, which is traced for that and never run."""
    _probe(func, elements, read)
    return _noted()


def _probe(func: Any, elements: Any, read: Any) -> None:
    if _unknown() > 0:
        _note(read(func(*elements)))


#: Specs that were found out while tracing; a queue, which no graph takes for its own.
_SPECS: queue.SimpleQueue[Any] = queue.SimpleQueue()


@do_not_convert
def _note(spec: Any) -> None:
    _SPECS.put(spec)


@do_not_convert
def _noted() -> Any:
    """The last spec that was noted; a region may be traced more than once. `None` if the function raises."""
    spec = None
    while not _SPECS.empty():
        spec = _SPECS.get()
    if isinstance(spec, Exception):
        raise spec
    return spec


def _leaf_spec(leaf: Any) -> Any:
    if leaf is None:
        return None
    tensor = _native.convert_to_tensor(leaf)
    return TensorSpec(tensor.shape, tensor.dtype)


def _zeros(leaf: Any) -> Any:
    if leaf is None:
        return None
    return _native.zeros(_lengths(leaf), leaf.dtype)


def _lengths(leaf: TensorSpec) -> list[Any]:
    return [_unknown() if length is None else length for length in leaf.shape]


def _unknown() -> Tensor:
    """Zero, but no graph knows."""
    return _native.size(_native.range(_native.constant(0)))

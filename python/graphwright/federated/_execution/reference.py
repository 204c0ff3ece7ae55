"""The reference executor: computations by the book, one client after the other, without graphs of its own.

It is slow and obvious, and the judge of all other executors. Blocks are evaluated strictly, in the order in
which they stand. Values are NumPy's; structs are tuples, functions are Python's, the values of clients are
`Clients`, and what the server has or all clients have alike is the value itself.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import marshal, notes, randomness
from .language import (
    Block,
    Call,
    CompiledComputation,
    Intrinsic,
    Lambda,
    Literal,
    Reference,
    Selection,
    Struct,
    StructType,
    structure,
)
from .layout import Layout, SequenceLayout, StructLayout, layout_of
from .values import at_clients, client_values, elements

Environment = Mapping[str, Any]


@dataclass(eq=False)
class Clients:
    """A value of each client's own."""

    values: list[Any]


class Run:
    """One evaluation: how many clients there are, the key of random numbers, and the step that comes next."""

    def __init__(self, count: int, key: int | None) -> None:
        self.count, self.key = count, key
        self._steps, self._is_inside = 0, False

    def step(self) -> int:
        """Returns the number of a call at the top of the computation."""
        self._steps += 1
        return self._steps

    def each(self, value: Any) -> list[Any]:
        """Returns the value that each client has."""
        return value.values if isinstance(value, Clients) else [value] * self.count

    def at_clients(self, step: int, func: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
        """Returns what a function gives of the value of each client."""
        return [self.at(step, client, func, value) for client, value in enumerate(values)]

    def at(self, step: int, client: int, func: Callable[..., Any], *values: Any) -> Any:
        """Returns what a function gives on a client, with the random numbers of that client."""
        with notes.of_client(client), self.inside():
            self.seed(step, client)
            return func(*values)

    def at_server(self, step: int, func: Callable[..., Any], *values: Any) -> Any:
        """Returns what a function gives on the server."""
        with self.inside():
            self.seed(step, randomness.SERVER_INDEX)
            return func(*values)

    def at_top(self, func: Callable[..., Any], *values: Any) -> Any:
        """Returns what a function gives; it is a step of its own, unless it is called by another function."""
        return func(*values) if self._is_inside else self.at_server(self.step(), func, *values)

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Marks what is evaluated as called by a function that a step applies."""
        before, self._is_inside = self._is_inside, True
        try:
            yield
        finally:
            self._is_inside = before

    def seed(self, step: int, index: int) -> None:
        """Has the random numbers of a step on a client begin, if the computation draws any."""
        if self.key is not None:
            randomness.begin(self.key, step, index)


def execute(block: Any, argument: Any, count: int, key: int | None) -> Any:
    """Returns what a computation gives of an argument, in containers.

    Args:
      block: the building block of a computation, of a function type.
      argument: a value of the parameter's type, or None if it has none.
      count: how many clients there are.
      key: the key of random numbers, or None if nothing draws any.

    Raises:
      NotImplementedError: the computation holds what no executor evaluates.

    Example: `execute(computation.to_building_block(), [1, 2, 3], 3, None)`.
    """
    run, signature = Run(count, key), block.type_signature
    func = evaluate(run, block, {})
    given = () if signature.parameter is None else (ingested(signature.parameter, argument),)
    return restored(signature.result, func(*given))


def evaluate(run: Run, block: Any, environment: Environment) -> Any:
    """Returns the value of a block."""
    for kind, rule in _RULES.items():
        if isinstance(block, kind):
            return rule(run, block, environment)
    raise NotImplementedError(f"{type(block).__name__} is not executed: {block}")


def _reference(run: Run, block: Any, environment: Environment) -> Any:
    return environment[block.name]


def _selection(run: Run, block: Any, environment: Environment) -> Any:
    return evaluate(run, block.source, environment)[position(block)]


def position(selection: Any) -> int:
    """Returns the index of a selection, by name or by index."""
    if selection.index is not None:
        return int(selection.index)
    names = [name for name, _ in selection.source.type_signature.items()]
    return names.index(selection.name)


def _struct(run: Run, block: Any, environment: Environment) -> Any:
    return tuple([evaluate(run, part, environment) for _, part in structure.iter_elements(block)])


def _call(run: Run, block: Any, environment: Environment) -> Any:
    func = evaluate(run, block.function, environment)
    if block.argument is None:
        return func()
    return func(evaluate(run, block.argument, environment))


def _lambda(run: Run, block: Any, environment: Environment) -> Any:
    if block.parameter_name is None:
        return lambda: evaluate(run, block.result, environment)
    return lambda value: evaluate(run, block.result, {**environment, block.parameter_name: value})


def _block(run: Run, block: Any, environment: Environment) -> Any:
    for name, part in block.locals:
        environment = {**environment, name: evaluate(run, part, environment)}
    return evaluate(run, block.result, environment)


def _intrinsic(run: Run, block: Any, environment: Environment) -> Any:
    from .reference_intrinsics import INTRINSICS, VALUES

    if block.uri in VALUES:
        return VALUES[block.uri](block.type_signature)
    if block.uri not in INTRINSICS:
        raise NotImplementedError(f"the reference executor does not have the intrinsic {block.uri}")
    return functools.partial(INTRINSICS[block.uri], run, block.type_signature)


def _compiled(run: Run, block: Any, environment: Environment) -> Any:
    leaf = block.leaf

    def call(*argument: Any) -> Any:
        given = [restore(leaf.parameter, one) for one in argument]
        return plain_value(leaf.result, run.at_top(leaf, *given))

    return call


def _literal(run: Run, block: Any, environment: Environment) -> Any:
    return plain_value(layout_of(block.type_signature), block.value)


_RULES: dict[Any, Callable[[Run, Any, Environment], Any]] = {
    Reference: _reference,
    Selection: _selection,
    Struct: _struct,
    Call: _call,
    Lambda: _lambda,
    Block: _block,
    Intrinsic: _intrinsic,
    CompiledComputation: _compiled,
    Literal: _literal,
}


@functools.lru_cache(maxsize=1024)
def _plain(layout: Layout) -> Layout:
    """Returns a layout whose structs are tuples."""
    if isinstance(layout, StructLayout):
        return StructLayout(layout.names, tuple(map(_plain, layout.items)), tuple)
    return SequenceLayout(_plain(layout.element)) if isinstance(layout, SequenceLayout) else layout


def plain_value(layout: Layout, value: Any, where: str = "the argument") -> Any:
    """Returns a value of the caller's, checked, with tuples in the place of its containers."""
    arrays: list[Any] = []
    marshal.packer(layout)(value, where, arrays)
    return marshal.reader(_plain(layout))(iter([np.array(array) for array in arrays]))


def restore(layout: Layout, value: Any) -> Any:
    """Returns a value in the containers of its layout."""
    arrays: list[Any] = []
    marshal.packer(_plain(layout))(value, "a result", arrays)
    return marshal.reader(layout)(iter(arrays))


def ingested(type_spec: Any, value: Any) -> Any:
    """Returns an argument as this executor has it: `Clients`, tuples and NumPy's values.

    Raises:
      TypeError: it is not of the type; client values name their client.
    """
    if at_clients(type_spec):
        layout, values = layout_of(type_spec), client_values(type_spec, value)
        return Clients([plain_value(layout, one, f"client {client}") for client, one in enumerate(values)])
    if isinstance(type_spec, StructType):
        parts = zip(type_spec.items(), elements(type_spec, value), strict=True)
        return tuple([ingested(part, item) for (_, part), item in parts])
    return plain_value(layout_of(type_spec), value)


def restored(type_spec: Any, value: Any) -> Any:
    """Returns a result as the caller gets it: lists of clients' values, containers, NumPy's scalars."""
    if at_clients(type_spec):
        return [restore(layout_of(type_spec), one) for one in value.values]
    if isinstance(type_spec, StructType):
        from .containers import maker

        names = tuple(name for name, _ in type_spec.items())
        items = [restored(part, one) for (_, part), one in zip(type_spec.items(), value, strict=True)]
        container = getattr(type_spec, "python_container", None)
        return maker(names, container)(items)
    return restore(layout_of(type_spec), value)

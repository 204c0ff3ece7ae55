"""Leaves: functions of the user's as graphs, from the tensors of an argument to those of a result."""

from __future__ import annotations

import functools
import hashlib
import queue
from collections.abc import Callable
from typing import Any

from ... import _native
from ..._function import function
from ...autograph import do_not_convert
from . import lanes, marshal, pickling
from .language import FunctionType
from .layout import GRAPH_DTYPES, Layout, described_dtypes, layout_of, leaves, specs
from .returned import Returned, returned

Unpack = Callable[[Callable[..., Any], Any], Any]


class Leaf:
    """A graph of a function, with the types of its parameter and of its result.

    A call computes at once. A call of `staged` while another graph is traced makes the function part of it.
    """

    def __init__(
        self, name: str, fn: Callable[..., Any], body: Any, parameter: Any, found: Returned, concrete: Any
    ) -> None:
        self.name, self.fn = name, fn
        self.type_signature = FunctionType(parameter, found.type_signature)
        self.digest = hashlib.sha256(str(concrete.graph).encode()).hexdigest()[:8]
        self.function, self.concrete = body, concrete
        self.parameter = None if parameter is None else layout_of(parameter)
        self.result = layout_of(found.type_signature)
        self.draws = any(variable.name.startswith("random_state") for variable in concrete.variables)
        self._read = marshal.reader(self.result)

    def __reduce__(self) -> Any:
        return pickling.restored, (*pickling.packed(self.fn), self.type_signature.parameter, self.name)

    def __repr__(self) -> str:
        return f"<Leaf {self.name} {self.digest} {self.type_signature}>"

    def __call__(self, argument: Any = None) -> Any:
        """Returns the result, in its containers.

        Raises:
          TypeError: the argument is not of the parameter's type.

        Example: `trace(f, TensorType(np.int32), unpack, "f")(10)`.
        """
        arrays: list[Any] = []
        if self.parameter is not None:
            marshal.packer(self.parameter)(argument, self.name, arrays)
        return self._read(iter([tensor.numpy() for tensor in self.concrete(*arrays)]))

    def staged(self, value: Any) -> Any:
        """Returns the value that the function has in the graph which is traced now."""
        tensors = [] if self.parameter is None else lanes.flat(self.parameter, value)
        return lanes.build(self.result, iter(self.function(*tensors)))


def trace(fn: Callable[..., Any], parameter_type: Any, unpack: Unpack, name: str | None) -> Leaf:
    """Returns a function of the user's as a graph, with native control flow where tensors decide.

    Args:
      fn: the user's function.
      parameter_type: the type of its parameter, or None.
      unpack: calls a function with the argument unpacked: `unpack(fn, argument)`.
      name: the name of the function, for messages.

    Raises:
      TypeError: graphs have no such tensors, or a result is no structure of tensors.

    Example: `trace(lambda x: x + 1, TensorType(np.int32), lambda fn, x: fn(x), "add_one")`.
    """
    name = name or str(getattr(fn, "__name__", "computation"))
    parameter = None if parameter_type is None else _checked(layout_of(parameter_type), name, parameter_type)
    found: queue.SimpleQueue[Returned] = queue.SimpleQueue()
    body = _body(fn, parameter, unpack, found)
    concrete = body.get_concrete_function(*([] if parameter is None else specs(parameter)))
    last = _last(found, name)
    _checked(layout_of(last.type_signature), name, last.type_signature)
    return Leaf(name, fn, body, parameter_type, last, concrete)


def _last(found: queue.SimpleQueue[Returned], name: str) -> Returned:
    """Returns what was noted last, since a trace may run the function more than once."""
    last = None
    while not found.empty():
        last = found.get_nowait()
    if last is None:
        raise TypeError(f"`{name}` returns what no graph can give")
    return last


def _body(
    fn: Callable[..., Any], parameter: Layout | None, unpack: Unpack, found: queue.SimpleQueue[Returned]
) -> Any:
    """Returns the function from tensors to tensors; it notes what the user's function returns."""

    @functools.wraps(fn)
    def converted(*args: Any, **kwargs: Any) -> Any:
        return _native.operators.conv(fn)(*args, **kwargs)

    @do_not_convert
    def body(*tensors: Any) -> list[Any]:
        if parameter is None:
            result = unpack(converted, None)
        else:
            own = iter([_own(tensor) for tensor in tensors])
            result = unpack(converted, lanes.as_argument(parameter, lanes.build(parameter, own)))
        made = returned(fn, result)
        found.put(made)
        return lanes.flat(layout_of(made.type_signature), made.value)

    return function(body, autograph=False, denormals="keep")


def _own(tensor: Any) -> Any:
    """Returns a copy of an argument's tensor: what the function stores into it, nobody else sees."""
    return tensor.copy() if tensor.shape.rank else tensor


def _checked(layout: Layout, name: str, type_spec: Any) -> Layout:
    for leaf in leaves(layout):
        if leaf.dtype not in GRAPH_DTYPES:
            raise TypeError(
                f"`{name}`: graphs have tensors of {described_dtypes()}, and none of {leaf.dtype.name}, "
                f"as in {type_spec}"
            )
    return layout

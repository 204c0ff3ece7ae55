"""Inputs of models that are described before there are numbers: layers called with them are recorded."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from .. import _native, nest
from .._function import function
from .._shape import TensorShape


class KerasTensor:
    """The shape and dtype of an input or of a layer's output."""

    def __init__(
        self, shape: Sequence[int | None], dtype: Any, call: Call | None = None, at: int = 0
    ) -> None:
        self.shape, self.dtype = TensorShape(shape), _native.as_dtype(dtype)
        self.call, self.at = call, at

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<KerasTensor shape={tuple(self.shape)}, dtype={self.dtype.name}>"

    def __add__(self, other: Any) -> Any:
        return record(_Joined("add", lambda x, y: x + y), (self, other), {})

    def __radd__(self, other: Any) -> Any:
        return record(_Joined("add", lambda x, y: x + y), (other, self), {})

    def __sub__(self, other: Any) -> Any:
        return record(_Joined("subtract", lambda x, y: x - y), (self, other), {})

    def __mul__(self, other: Any) -> Any:
        return record(_Joined("multiply", lambda x, y: x * y), (self, other), {})

    def __rmul__(self, other: Any) -> Any:
        return record(_Joined("multiply", lambda x, y: x * y), (other, self), {})

    def __truediv__(self, other: Any) -> Any:
        return record(_Joined("divide", lambda x, y: x / y), (self, other), {})


class _Joined:
    """An operator, called as a layer is."""

    def __init__(self, name: str, compute: Callable[..., Any]) -> None:
        self.name, self._compute = name, compute

    def __call__(self, *args: Any) -> Any:
        return self._compute(*args)


class Call:
    """A layer that was called with symbols."""

    def __init__(self, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.layer, self.args, self.kwargs = layer, args, kwargs

    def parents(self) -> list[KerasTensor]:
        """The symbols among its arguments."""
        return [one for one in nest.flatten((self.args, self.kwargs)) if isinstance(one, KerasTensor)]


class _Recorded(threading.local):
    """The layers that are built while a call is recorded, in their order; none while nothing is recorded."""

    layers: list[Any] | None = None


_RECORDED = _Recorded()


def built(layer: Any) -> None:
    """Takes down that a layer was built."""
    if _RECORDED.layers is not None:
        _RECORDED.layers.append(layer)


def holds(value: Any) -> bool:
    """True of a symbol, and of a structure with one."""
    if isinstance(value, (list, tuple)):
        return any(map(holds, value))
    if isinstance(value, dict):
        return any(map(holds, value.values()))
    return isinstance(value, KerasTensor)


def record(layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The symbols of a layer's outputs, found out by a trace."""
    call = Call(layer, args, kwargs)
    given = call.parents()
    specs = [_native.TensorSpec(one.shape, one.dtype) for one in given]

    def traced(*tensors: Any) -> Any:
        known = {id(one): tensor for one, tensor in zip(given, tensors, strict=True)}
        return layer(*replaced(args, known), **replaced(kwargs, known))

    outer, own = _RECORDED.layers, list[Any]()
    _RECORDED.layers = own
    try:
        outputs = function(traced).get_concrete_function(*specs).structured_outputs
    finally:
        _RECORDED.layers = outer
        for one in own:
            one._restore()
    made = [KerasTensor(spec.shape, spec.dtype, call, at) for at, spec in enumerate(nest.flatten(outputs))]
    return nest.pack_sequence_as(outputs, made)


def replaced(structure: Any, known: dict[int, Any]) -> Any:
    """The structure with tensors in place of symbols."""
    if isinstance(structure, KerasTensor):
        return known[id(structure)]
    if isinstance(structure, (list, tuple)):
        return type(structure)([replaced(one, known) for one in structure])
    if isinstance(structure, dict):
        return {name: replaced(one, known) for name, one in structure.items()}
    return structure


def calls_of(outputs: Any) -> list[Call]:
    """The calls behind outputs, each behind those whose results it takes."""
    order: list[Call] = []
    done: set[int] = set()
    waiting = [(one.call, False) for one in reversed(nest.flatten(outputs)) if one.call is not None]
    while waiting:
        call, is_ready = waiting.pop()
        if call is None or id(call) in done:
            continue
        if is_ready:
            done.add(id(call))
            order.append(call)
        else:
            waiting.append((call, True))
            waiting.extend((one.call, False) for one in reversed(call.parents()))
    return order


def Input(  # noqa: N802 - Keras's name
    shape: Sequence[int | None] | None = None,
    batch_size: int | None = None,
    dtype: Any = None,
    name: str | None = None,
    **others: Any,
) -> KerasTensor:
    """Describes the input of a model.

    Args:
      shape: lengths of the axes behind the batch.
      batch_size: number of rows, or `None`.
      dtype: dtype; `float32` if it is `None`.
      name: accepted as in Keras; has no effect.
      others: arguments of Keras's that have no meaning here.

    Returns:
      A symbol, which layers take in place of a tensor.

    Example:
      >>> x = gw.keras.Input((3,))
      >>> gw.keras.Model(x, gw.keras.layers.Dense(2)(x))(gw.ones([4, 3])).shape
      (4, 2)
    """
    del name
    if others.get("batch_shape") is not None:
        batch_size, *shape = others["batch_shape"]
    return KerasTensor([batch_size, *(shape or ())], dtype or _native.float32)

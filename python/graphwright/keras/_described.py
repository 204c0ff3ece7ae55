"""Descriptions of layers and of what they are made with, as JSON has them.

Classes and functions of this package are named; others are looked for in `custom_objects` when a
description is read.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import _native, nest
from .._native import DType, Tensor, Variable
from . import _symbols, activations, initializers, layers, losses, metrics, optimizers, regularizers
from ._composed import Functional, Sequential
from ._layer import Layer
from ._metric import Metric
from ._optimizer import Optimizer

#: The modules whose classes and functions a description names.
_MODULES = {
    module.__name__.rpartition(".")[2]: module
    for module in (activations, initializers, layers, losses, metrics, optimizers, regularizers)
} | {"schedules": optimizers.schedules}

_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
}


def _name_of(thing: Any) -> str | None:
    """The name of a class or function of this package, among those that descriptions have."""
    name = getattr(thing, "__name__", "")
    homes = [home for home, module in _MODULES.items() if vars(module).get(name) is thing]
    return f"{homes[0]}.{name}" if homes else None


class Writer:
    """Describes layers, each once, by their numbers."""

    def __init__(self) -> None:
        self.layers: list[Any] = []
        self._numbers: dict[int, int] = {}
        #: The places of inputs and of calls in their models of symbols.
        self._symbols: dict[int, int] = {}
        self._calls: dict[int, int] = {}

    def layer(self, layer: Any) -> int:
        """The number of a layer."""
        if id(layer) not in self._numbers:
            # Layers within are described first, so that each can be made of those before it.
            described = self._layer(layer)
            self._numbers[id(layer)] = len(self.layers)
            self.layers.append(described)
        return self._numbers[id(layer)]

    def _layer(self, layer: Any) -> dict[str, Any]:
        if isinstance(layer, _symbols._Joined):
            return {"operator": layer.name}
        if type(layer) is Functional:
            return self._functional(layer) | {"name": layer.name}
        if type(layer) is Sequential:
            parts = ([layer._input] if layer._input is not None else []) + layer._layers
            return {"class": "Sequential", "args": [self.value(parts)], "kwargs": {}, "name": layer.name}
        args, kwargs = layer._given.args, layer._given.kwargs
        given = {
            "args": [self.value(one) for one in args],
            "kwargs": {name: self.value(one) for name, one in kwargs.items()},
        }
        return {"class": self._class(type(layer)), "name": layer.name} | given

    def _class(self, cls: type) -> str:
        name = _name_of(cls)
        if name is None and "<locals>" in cls.__qualname__:
            raise ValueError(f"`{cls.__name__}` is a class in a function, which a file cannot name")
        return name or f"custom.{cls.__name__}"

    def _functional(self, model: Any) -> dict[str, Any]:
        inputs = nest.flatten(model.inputs)
        self._symbols |= {id(symbol): at for at, symbol in enumerate(inputs)}
        self._calls |= {id(call): at for at, call in enumerate(model._calls)}
        calls = []
        for call in model._calls:
            args = self.value(list(call.args))
            calls.append([self.layer(call.layer), args, self.value(dict(call.kwargs))])
        shapes = [[self.value(list(one.shape)), one.dtype.name] for one in inputs]
        ends = {"inputs": self.value(model.inputs), "outputs": self.value(model.outputs)}
        return {"functional": {"shapes": shapes, "calls": calls} | ends}

    def value(self, value: Any) -> Any:
        """A value that a layer was made with."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (list, tuple)):
            return {"list" if isinstance(value, list) else "tuple": [self.value(one) for one in value]}
        if isinstance(value, dict):
            return {"dict": [[self.value(key), self.value(one)] for key, one in value.items()]}
        if isinstance(value, DType):
            return {"dtype": value.name}
        if isinstance(value, (np.ndarray, np.generic, Tensor, Variable)):
            array = value.numpy() if isinstance(value, (Tensor, Variable)) else np.asarray(value)
            return {"array": [array.dtype.name, array.tolist()]}
        if isinstance(value, _symbols.KerasTensor):
            return self._symbol(value)
        if isinstance(value, Layer):
            return {"layer": self.layer(value)}
        return self._object(value)

    def _symbol(self, symbol: Any) -> Any:
        if id(symbol) in self._symbols:
            return {"symbol": [None, self._symbols[id(symbol)]]}
        if symbol.call is None:
            return {"input": [self.value(list(symbol.shape)), symbol.dtype.name]}
        return {"symbol": [self._calls[id(symbol.call)], symbol.at]}

    def _object(self, value: Any) -> Any:
        if inspect.isroutine(value) or inspect.isclass(value):
            return {"function": self._function(value)}
        name = self._class(type(value))
        if isinstance(value, Metric):
            args, kwargs = value._given.args, value._given.kwargs
            return {"made": [name, self.value(list(args)), self.value(dict(kwargs))]}
        if isinstance(value, Optimizer):
            return {"made": [name, self.value([]), self.value(value.get_config())]}
        if not hasattr(value, "__dict__"):
            raise ValueError(f"a model with a value of type `{type(value).__name__}` cannot be saved")
        return {"object": [name, self.value(dict(vars(value)))]}

    def _function(self, value: Any) -> str:
        name = _name_of(value)
        if name is None and "<" in getattr(value, "__qualname__", "<"):
            raise ValueError(
                "a lambda or a function in a function has no name in a file: define it in a module"
            )
        return name or f"custom.{value.__name__}"


class Reader:
    """Makes the layers of descriptions, those within others first."""

    def __init__(self, described: list[Any], custom: Mapping[str, Any]) -> None:
        self._custom, self.layers = custom, list[Any]()
        for one in described:
            self.layers.append(self._layer(one))

    def _layer(self, told: dict[str, Any]) -> Any:
        if "operator" in told:
            return _symbols._Joined(told["operator"], _OPERATORS[told["operator"]])
        if "functional" in told:
            made = self._functional(told["functional"])
        else:
            cls = Sequential if told["class"] == "Sequential" else self._named(told["class"])
            args = [self.value(one) for one in told["args"]]
            made = cls(*args, **{name: self.value(one) for name, one in told["kwargs"].items()})
        if made.name != told["name"]:
            made._name = told["name"]
        return made

    def _functional(self, told: dict[str, Any]) -> Any:
        inputs = [_symbols.KerasTensor(self.value(shape), dtype) for shape, dtype in told["shapes"]]
        results: list[Any] = []
        resolve = self._among(inputs, results)
        for layer, args, kwargs in told["calls"]:
            found = self.layers[layer]
            given, options = self.value(args, resolve), self.value(kwargs, resolve)
            results.append(nest.flatten(_symbols.record(found, tuple(given), options)))
        ends = [self.value(told[end], resolve) for end in ("inputs", "outputs")]
        return Functional(inputs=ends[0], outputs=ends[1])

    def _among(self, inputs: list[Any], results: list[Any]) -> Callable[[Any, int], Any]:
        return lambda call, at: inputs[at] if call is None else results[call][at]

    def _named(self, name: str) -> Any:
        home, _, own = name.partition(".")
        if home == "custom":
            if own not in self._custom:
                raise ValueError(f"the file has a `{own}`, which `custom_objects` does not have")
            return self._custom[own]
        module = _MODULES[home]
        if own not in module.__all__:
            raise KeyError(name)
        return getattr(module, own)

    def value(self, told: Any, resolve: Callable[[Any, int], Any] | None = None) -> Any:
        """A value of a description."""
        if not isinstance(told, dict):
            return told
        ((kind, content),) = told.items()
        if kind in ("list", "tuple"):
            parts = [self.value(one, resolve) for one in content]
            return parts if kind == "list" else tuple(parts)
        if kind == "dict":
            return {self.value(key, resolve): self.value(one, resolve) for key, one in content}
        if kind == "symbol" and resolve is not None:
            return resolve(*content)
        return self._leaf(kind, content)

    def _leaf(self, kind: str, content: Any) -> Any:
        if kind == "dtype":
            return _native.as_dtype(content)
        if kind == "array":
            return np.array(content[1], dtype=_native.as_dtype(content[0]).as_numpy_dtype)
        if kind == "input":
            return _symbols.KerasTensor(self.value(content[0]), content[1])
        if kind == "layer":
            return self.layers[content]
        if kind == "function":
            return self._named(content)
        if kind == "made":
            args, options = self.value(content[1]), self.value(content[2])
            return self._named(content[0])(*args, **options)
        if kind == "object":
            cls = self._named(content[0])
            made = cls.__new__(cls)
            vars(made).update(self.value(content[1]))
            return made
        raise KeyError(kind)

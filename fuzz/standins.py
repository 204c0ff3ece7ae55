"""NumPy's and JAX's functions under Graphwright's names, so that a program of `arrays` runs with either.

JAX's arrays cannot be stored into: a `Box` holds one, and a store puts another one into the box.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np


def functions(np: Any, stop: Callable[[Any], Any] = lambda x: x) -> dict[str, Callable[..., Any]]:
    """Graphwright's functions by their names, with a library that has NumPy's."""

    def logsumexp(x: Any) -> Any:
        most = stop(np.max(x))
        return most + np.log(np.sum(np.exp(x - most)))

    return {
        "zeros": lambda shape, dtype: np.zeros(shape, np.float64),
        "constant": lambda value, dtype: np.array(value, np.float64),
        "sin": np.sin,
        "tanh": np.tanh,
        "exp": np.exp,
        "sqrt": np.sqrt,
        "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
        "softplus": lambda x: np.log1p(np.exp(x)),
        "maximum": np.maximum,
        "where": np.where,
        "reduce_sum": np.sum,
        "reduce_mean": np.mean,
        "reduce_max": np.max,
        "reduce_std": np.std,
        "reduce_logsumexp": logsumexp,
        "tensordot": np.tensordot,
        "cumsum": np.cumsum,
        "cumprod": np.cumprod,
        "roll": np.roll,
        "reverse": np.flip,
        "gather": lambda x, places: x[np.asarray(places)],
        "concat": np.concatenate,
        "stack": np.stack,
        "tile": np.tile,
        "repeat": np.repeat,
        "pad": np.pad,
        "l2_normalize": lambda x: x / np.sqrt(np.sum(x * x)),
        "convert_to_tensor": lambda x: x + 0.0,
        "einsum": np.einsum,
        "reshape": np.reshape,
        "matvec": np.matmul,
        "matmul": np.matmul,
        "transpose": np.transpose,
        "expand_dims": np.expand_dims,
    }


def _namespace(named: dict[str, Callable[..., Any]]) -> SimpleNamespace:
    inner = SimpleNamespace(**named)
    return SimpleNamespace(
        **named, math=inner, nn=inner, linalg=inner, float64=np.float64, range=builtins.range
    )


NUMPY = _namespace(functions(np))


class Box:
    """A JAX array that can be stored into, as NumPy's can."""

    def __init__(self, value: Any) -> None:
        """Holds a value."""
        self.value = value

    def __getitem__(self, key: Any) -> Box:
        """A copy of a part."""
        return Box(self.value[_indices(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        """Stores into it."""
        self.value = self.value.at[_indices(key)].set(unboxed(value))

    def __iter__(self) -> Iterator[Box]:
        """Its rows."""
        return (self[at] for at in range(self.value.shape[0]))

    def __bool__(self) -> bool:
        """Whether it is true."""
        return bool(self.value)

    def copy(self) -> Box:
        """Another one that holds the same."""
        return Box(self.value)

    def __iadd__(self, other: Any) -> Box:
        """In place, unless it is one number."""
        total = self.value + unboxed(other)
        if self.value.ndim == 0:
            return Box(total)
        self.value = total
        return self


def _applied(call: Callable[..., Any]) -> Callable[..., Box]:
    return lambda *args: Box(call(*map(unboxed, args)))


def _turned(call: Callable[..., Any]) -> Callable[..., Box]:
    return _applied(lambda x, y: call(y, x))


for _name in ("add", "sub", "mul", "truediv", "matmul", "gt", "lt", "ge", "le"):
    setattr(Box, f"__{_name}__", _applied(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "truediv"):
    setattr(Box, f"__r{_name}__", _turned(getattr(operator, _name)))
for _name in ("neg", "abs"):
    setattr(Box, f"__{_name}__", _applied(getattr(operator, _name)))


def unboxed(value: Any) -> Any:
    """A value without boxes, those in lists too."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(unboxed, value))
    return value.value if isinstance(value, Box) else value


def _indices(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_indices, key))
    return np.array(key) if isinstance(key, list) else unboxed(key)


def of_jax() -> SimpleNamespace:
    """JAX's functions on boxes; JAX is there with the tests alone."""
    import jax
    import jax.numpy as jnp

    return _namespace({name: _boxing(call) for name, call in functions(jnp, jax.lax.stop_gradient).items()})


def _boxing(call: Callable[..., Any]) -> Callable[..., Box]:
    return lambda *args: Box(call(*map(unboxed, args)))

"""Activations by Keras's names: `relu`, `tanh`, `sigmoid`, `softmax`, `gelu`, `linear`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import nn

__all__ = ["gelu", "get", "linear", "relu", "sigmoid", "softmax", "tanh"]

gelu, relu, sigmoid, softmax, tanh = nn.gelu, nn.relu, nn.sigmoid, nn.softmax, nn.tanh


def linear(x: Any) -> Any:
    """The tensor itself."""
    return x


KNOWN: dict[str, Callable[..., Any]] = {
    "gelu": gelu,
    "linear": linear,
    "relu": relu,
    "sigmoid": sigmoid,
    "softmax": softmax,
    "tanh": tanh,
}


def get(identifier: str | Callable[..., Any] | None) -> Callable[..., Any]:
    """The function of a name, a function itself, or `linear` for `None`."""
    if identifier is None:
        return linear
    if isinstance(identifier, str) and identifier in KNOWN:
        return KNOWN[identifier]
    if callable(identifier):
        return identifier
    raise ValueError(f"there is no activation {identifier!r}; those with names are {', '.join(KNOWN)}")

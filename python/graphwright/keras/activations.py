"""Activations by Keras's names: `relu`, `tanh`, `sigmoid`, `softmax`, `gelu`, `linear`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _native, nn

__all__ = [
    "elu",
    "gelu",
    "get",
    "leaky_relu",
    "linear",
    "log_softmax",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "softsign",
    "swish",
    "tanh",
]

gelu, relu, sigmoid, softmax, tanh = nn.gelu, nn.relu, nn.sigmoid, nn.softmax, nn.tanh
elu, selu, silu, softplus, softsign = nn.elu, nn.selu, nn.silu, nn.softplus, nn.softsign
leaky_relu, relu6, log_softmax, swish = nn.leaky_relu, nn.relu6, nn.log_softmax, nn.silu


def linear(x: Any) -> Any:
    """Returns the tensor itself.

    Args:
      x: tensor or array of any shape and dtype.

    Returns:
      The same tensor.

    Example:
      >>> gw.keras.activations.linear(gw.constant(2.0))
      <gw.Tensor: shape=(), dtype=float32, numpy=2.0>
    """
    return x


KNOWN: dict[str, Callable[..., Any]] = {
    "gelu": gelu,
    "linear": linear,
    "relu": relu,
    "sigmoid": sigmoid,
    "softmax": softmax,
    "tanh": tanh,
    "elu": elu,
    "selu": selu,
    "silu": silu,
    "swish": silu,
    "softplus": softplus,
    "softsign": softsign,
    "leaky_relu": leaky_relu,
    "relu6": relu6,
    "log_softmax": log_softmax,
    "exponential": _native.exp,
}


def get(identifier: str | Callable[..., Any] | None) -> Callable[..., Any]:
    """Looks up an activation.

    Args:
      identifier: name, function, or `None` for `linear`.

    Returns:
      Function of a tensor.

    Raises:
      ValueError: there is no such name.

    Example:
      >>> gw.keras.activations.get("relu")(gw.constant([-1.0, 2.0])).numpy().tolist()
      [0.0, 2.0]
    """
    if identifier is None:
        return linear
    if isinstance(identifier, str) and identifier in KNOWN:
        return KNOWN[identifier]
    if callable(identifier):
        return identifier
    raise ValueError(f"there is no activation {identifier!r}; those with names are {', '.join(KNOWN)}")

"""Activations by Keras's names, such as `relu`, `tanh`, `sigmoid`, `softmax`, `gelu` and `linear`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import nn
from ._more_activations import (
    celu,
    elu,
    exponential,
    glu,
    hard_shrink,
    hard_sigmoid,
    hard_silu,
    hard_tanh,
    leaky_relu,
    mish,
    relu,
    soft_shrink,
    sparse_plus,
    sparse_sigmoid,
    sparsemax,
    squareplus,
    tanh_shrink,
    threshold,
)

__all__ = [
    "celu",
    "deserialize",
    "elu",
    "exponential",
    "gelu",
    "get",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "leaky_relu",
    "linear",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "relu",
    "relu6",
    "selu",
    "serialize",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "swish",
    "tanh",
    "tanh_shrink",
    "threshold",
]

gelu, sigmoid, softmax, tanh = nn.gelu, nn.sigmoid, nn.softmax, nn.tanh
selu, silu, softplus, softsign = nn.selu, nn.silu, nn.softplus, nn.softsign
relu6, log_softmax, log_sigmoid = nn.relu6, nn.log_softmax, nn.log_sigmoid
#: Keras's other names.
swish, hard_swish = silu, hard_silu


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
    "swish": swish,
    "softplus": softplus,
    "softsign": softsign,
    "leaky_relu": leaky_relu,
    "relu6": relu6,
    "log_softmax": log_softmax,
    "exponential": exponential,
    "celu": celu,
    "glu": glu,
    "hard_shrink": hard_shrink,
    "hard_sigmoid": hard_sigmoid,
    "hard_silu": hard_silu,
    "hard_swish": hard_swish,
    "hard_tanh": hard_tanh,
    "log_sigmoid": log_sigmoid,
    "mish": mish,
    "soft_shrink": soft_shrink,
    "sparse_plus": sparse_plus,
    "sparse_sigmoid": sparse_sigmoid,
    "sparsemax": sparsemax,
    "squareplus": squareplus,
    "tanh_shrink": tanh_shrink,
    "threshold": threshold,
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


def serialize(activation: Callable[..., Any]) -> str:
    """Names an activation.

    Args:
      activation: function of this module.

    Returns:
      Name.

    Raises:
      ValueError: the function is another one.

    Example:
      >>> gw.keras.activations.serialize(gw.keras.activations.relu)
      'relu'
    """
    for name, function in KNOWN.items():
        if function is activation:
            return name
    raise ValueError(f"`{activation}` is no activation with a name")


deserialize = get

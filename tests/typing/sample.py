"""What the stubs promise a type checker: the decorator keeps a function's parameters, ops give tensors."""

from collections.abc import Callable
from typing import assert_type

import graphwright as gw
from graphwright.typing import Float32


@gw.function
def scaled(x: gw.Tensor, factor: float = 2.0) -> gw.Tensor:
    """A function whose parameters the decorator keeps."""
    return x * factor


x = gw.constant([1.0, 2.0])
assert_type(scaled(x), gw.Tensor)
assert_type(scaled(x, factor=3.0), gw.Tensor)
assert_type(gw.reduce_sum(x), gw.Tensor)
assert_type(x + 1.0, gw.Tensor)
assert_type(x.shape, gw.TensorShape)
assert_type(scaled.get_concrete_function(x).graph.name, str)


@gw.custom_gradient
def clipped(x: gw.Tensor, most: float = 1.0) -> tuple[gw.Tensor, Callable[[gw.Tensor], gw.Tensor]]:
    """A function that says its own derivative: the result is what the decorated function gives."""
    return x, lambda upstream: gw.clip_by_value(upstream, -most, most)


@gw.recompute_grad
def block(x: gw.Tensor) -> gw.Tensor:
    """A function that is computed again on the way back."""
    return gw.tanh(x)


assert_type(clipped(x, most=2.0), gw.Tensor)
assert_type(block(x), gw.Tensor)
clipped(x, "y")  # type: ignore[arg-type]
scaled("x")  # type: ignore[arg-type]
scaled(x, 1.0, 2.0)  # type: ignore[call-arg]


class Recorder(gw.autograph.Backend):
    """A backend that remembers what its values decide."""

    def not_(self, operand: object) -> object:
        """Keeps the operand."""
        return operand


with gw.autograph.register_backend(complex, Recorder()) as registration:
    assert_type(registration.type, type)
gw.autograph.register_backend(complex, 3)  # type: ignore[arg-type]


@gw.function
def summed(values: Float32[gw.Tensor, "batch 784"]) -> gw.Tensor:  # noqa: F722
    """An annotation with the class first is the class for a type checker."""
    assert_type(values, gw.Tensor)
    return gw.reduce_sum(values)

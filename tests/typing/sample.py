"""What the stubs promise a type checker: the decorator keeps a function's parameters, ops give tensors."""

from typing import assert_type

import graphwright as gw


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

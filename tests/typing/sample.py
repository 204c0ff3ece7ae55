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
scaled("x")  # type: ignore[arg-type]
scaled(x, 1.0, 2.0)  # type: ignore[call-arg]

"""What the decorator promises mypy and pyright: parameters and result types stay as the function has them."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple, assert_type

import graphwright as gw
from graphwright.types.experimental import BoundFunction, ConcreteFunction, Function


@dataclasses.dataclass
class State:
    """A structure that goes in and out."""

    position: gw.Tensor
    steps: int = 0


class Extremes(NamedTuple):
    """A structured result."""

    least: gw.Tensor
    greatest: gw.Tensor


@gw.function
def scaled(x: gw.Tensor, factor: float = 2.0, *, shift: float = 0.0) -> gw.Tensor:
    """Without arguments of the decorator."""
    return x * factor + shift


@gw.function(input_signature=[gw.TensorSpec([None], gw.float32)], reduce_retracing=True)
def extremes(values: gw.Tensor) -> Extremes:
    """With arguments of the decorator."""
    return Extremes(gw.reduce_min(values), gw.reduce_max(values))


@gw.function()
def moved(state: State, by: gw.Tensor) -> State:
    """With empty arguments of the decorator."""
    return State(state.position + by, state.steps + 1)


class Model(gw.Module):
    """Methods of each kind."""

    def __init__(self) -> None:
        """A variable."""
        super().__init__()
        self.weight = gw.Variable(2.0)

    @gw.function
    def __call__(self, x: gw.Tensor) -> gw.Tensor:
        """A special method."""
        return x * self.weight

    @gw.function(reduce_retracing=True)
    def loss(self, x: gw.Tensor, wanted: gw.Tensor, scale: float = 1.0) -> tuple[gw.Tensor, int]:
        """A method, with arguments of the decorator."""
        return (self(x) - wanted) * scale, 1

    @staticmethod
    @gw.function
    def halved(x: gw.Tensor) -> gw.Tensor:
        """A static method."""
        return x / 2


x = gw.constant([1.0, 2.0])
model = Model()

assert_type(scaled(x), gw.Tensor)
assert_type(scaled(x, factor=3.0, shift=1.0), gw.Tensor)
assert_type(extremes(x), Extremes)
assert_type(extremes(x).least, gw.Tensor)
assert_type(moved(State(x), x).steps, int)
assert_type(model(x), gw.Tensor)
assert_type(model.loss(x, x, scale=2.0), tuple[gw.Tensor, int])
assert_type(Model.halved(x), gw.Tensor)
assert_type(Model.loss(model, x, x), tuple[gw.Tensor, int])
assert_type(scaled.python_function(x, 1.0), gw.Tensor)
assert_type(scaled.get_concrete_function(x), ConcreteFunction)
assert_type(model.loss.get_concrete_function(x, x), ConcreteFunction)
assert_type(scaled.experimental_get_tracing_count(), int)
assert_type(gw.function(lambda: 1)(), int)


def twice(f: Function[[gw.Tensor], gw.Tensor], g: BoundFunction[[gw.Tensor], gw.Tensor]) -> gw.Tensor:
    """Decorated functions as arguments."""
    return f(g(x))


twice(gw.function(gw.Tensor.copy), model.__call__)

scaled("x")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
scaled(x, 1.0, 2.0)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
scaled(x, shift="a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
extremes()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
moved(State(x))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
model(1, 2)  # type: ignore[call-arg, arg-type]  # pyright: ignore[reportCallIssue]
model.loss(x)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
model.loss(x, x, scale="a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

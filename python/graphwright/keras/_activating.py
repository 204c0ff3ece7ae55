"""Layers that compute each element for itself, and those that call a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _native
from . import activations, initializers, regularizers
from ._layer import Layer
from ._plain import Computed

Initializer = str | initializers.Initializer


def _at_least_zero(value: float | None, name: str, cls: str) -> float:
    if value is None or value < 0:
        raise ValueError(f"`{name}` of `{cls}` is {value!r}, not a number from 0 on")
    return value


class ReLU(Computed):
    """Computes `inputs` from a threshold up to a greatest value, and a line of another slope below.

    Args:
      max_value: greatest value; there is none if it is `None`.
      negative_slope: slope below the threshold.
      threshold: the threshold.
      others: the arguments of `Layer`.

    Raises:
      ValueError: an argument is negative.

    Example:
      >>> gw.keras.layers.ReLU(max_value=6.0)(gw.constant([-1.0, 2.0, 8.0])).numpy().tolist()
      [0.0, 2.0, 6.0]
    """

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.max_value = max_value if max_value is None else _at_least_zero(max_value, "max_value", "ReLU")
        self.negative_slope = _at_least_zero(negative_slope, "negative_slope", "ReLU")
        self.threshold = _at_least_zero(threshold, "threshold", "ReLU")

    def _compute(self, x: Any) -> Any:
        return activations.relu(x, self.negative_slope, self.max_value, self.threshold)


class LeakyReLU(Computed):
    """Computes `inputs` where they are positive, and `negative_slope * inputs` elsewhere.

    Args:
      negative_slope: slope below 0.
      others: the arguments of `Layer`.

    Raises:
      ValueError: the slope is negative.

    Example:
      >>> gw.keras.layers.LeakyReLU(negative_slope=0.5)(gw.constant([-1.0, 2.0])).numpy().tolist()
      [-0.5, 2.0]
    """

    def __init__(self, negative_slope: float = 0.3, **others: Any) -> None:
        # Keras 2's name of the argument.
        negative_slope = others.pop("alpha", negative_slope)
        super().__init__(**others)
        self.negative_slope = _at_least_zero(negative_slope, "negative_slope", "LeakyReLU")

    def _compute(self, x: Any) -> Any:
        return activations.leaky_relu(x, self.negative_slope)


class ELU(Computed):
    """Computes `inputs` where they are positive, and `alpha * (exp(inputs) - 1)` elsewhere.

    Args:
      alpha: factor below 0.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.ELU()(gw.constant([0.0, 2.0])).numpy().tolist()
      [0.0, 2.0]

    Source: Clevert, Unterthiner and Hochreiter, "Fast and Accurate Deep Network Learning by Exponential
      Linear Units", 2016.
    """

    def __init__(self, alpha: float = 1.0, **others: Any) -> None:
        super().__init__(**others)
        self.alpha = alpha

    def _compute(self, x: Any) -> Any:
        return activations.elu(x, self.alpha)


class PReLU(Computed):
    """Computes `inputs` where they are positive, and `alpha * inputs` with weights `alpha` elsewhere.

    Args:
      alpha_initializer: initializer of the slopes, of the shape of an example.
      alpha_regularizer: penalty of the slopes.
      alpha_constraint: `None`.
      shared_axes: axes along which the slopes are the same, counted with the batch as 0.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.PReLU("ones")(gw.constant([[-1.0, 2.0]])).numpy().tolist()
      [[-1.0, 2.0]]

    Source: He et al., "Delving Deep into Rectifiers", 2015.
    """

    def __init__(
        self,
        alpha_initializer: Initializer = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: int | Sequence[int] | None = None,
        **others: Any,
    ) -> None:
        super().__init__(alpha_constraint=alpha_constraint, **others)
        self.alpha_initializer = initializers.get(alpha_initializer)
        self._regularizers["alpha"] = regularizers.get(alpha_regularizer)
        axes = [] if shared_axes is None else shared_axes
        self.shared_axes = [axes] if isinstance(axes, int) else list(axes)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the slopes.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.PReLU(shared_axes=[1])
          >>> layer.build((None, 4, 3))
          >>> tuple(layer.alpha.shape)
          (1, 3)
        """
        shape = [1 if axis in self.shared_axes else n for axis, n in enumerate(input_shape)]
        self.alpha = self.add_weight(shape[1:], self.alpha_initializer, name="alpha")

    def _compute(self, x: Any) -> Any:
        return _native.relu(x) - self.alpha * _native.relu(-x)


class Softmax(Layer):
    """Computes probabilities: exponentials over their sum.

    Args:
      axis: the axis of the classes, or a list of axes.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Softmax()(gw.constant([[1.0, 1.0]])).numpy().tolist()
      [[0.5, 0.5]]
    """

    def __init__(self, axis: int | Sequence[int] = -1, **others: Any) -> None:
        super().__init__(**others)
        self.axis = axis if isinstance(axis, int) else list(axis)

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes probabilities.

        Args:
          inputs: tensor of floats.
          mask: tensor of `bool`, true where an element counts; all count if it is `None`.

        Returns:
          Tensor of the same shape; about 0 where the mask is false.

        Example:
          >>> layer = gw.keras.layers.Softmax()
          >>> layer(gw.constant([[1.0, 1.0, 1.0]]), mask=gw.constant([[True, True, False]])).numpy().tolist()
          [[0.5, 0.5, 0.0]]
        """
        x = inputs
        if mask is not None:
            away = 1.0 - _native.cast(mask, x.dtype)
            x = x + away * (-3e4 if x.dtype == _native.float16 else -1e9)
        if isinstance(self.axis, int):
            return _native.softmax(x, self.axis)
        powers = _native.exp(x - _native.stop_gradient(_native.reduce_max(x, self.axis, keepdims=True)))
        return powers / _native.reduce_sum(powers, self.axis, keepdims=True)


class Identity(Computed):
    """Returns its inputs.

    Args:
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Identity()(gw.constant([1.0])).numpy().tolist()
      [1.0]
    """

    def _compute(self, x: Any) -> Any:
        return x


class Lambda(Layer):
    """Calls a function.

    Args:
      function: function of a tensor or of a structure of tensors.
      output_shape: accepted as in Keras; has no effect.
      mask: `None`.
      arguments: dict of further arguments of the function.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Lambda(lambda x: x * 2.0)(gw.constant([1.0])).numpy().tolist()
      [2.0]
    """

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> None:
        del output_shape
        super().__init__(**others)
        if mask is not None:
            raise ValueError("`Lambda` has no `mask`: give the mask to the function, in `arguments`")
        self.function, self.arguments = function, dict(arguments or {})

    def _ready(self, inputs: Any) -> Any:
        """Tensors of any dtype, alone or in a list."""
        return inputs if isinstance(inputs, (list, tuple, dict)) else super()._ready(inputs)

    def call(self, inputs: Any) -> Any:
        """Calls the function.

        Args:
          inputs: tensor or structure of tensors.

        Returns:
          The result of the function.

        Example:
          >>> gw.keras.layers.Lambda(gw.square).call(gw.constant([3.0])).numpy().tolist()
          [9.0]
        """
        return self.function(inputs, **self.arguments)


class ActivityRegularization(Computed):
    """Returns its inputs, and adds a penalty of them to the losses.

    Args:
      l1: factor of the sum of sizes.
      l2: factor of the sum of squares.
      others: the arguments of `Layer`.

    Example:
      >>> layer = gw.keras.layers.ActivityRegularization(l2=0.5)
      >>> _ = layer(gw.constant([[2.0]]))
      >>> [float(one) for one in layer.losses]
      [2.0]
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **others: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1, l2), **others)
        self.l1, self.l2 = l1, l2

    def _compute(self, x: Any) -> Any:
        return x

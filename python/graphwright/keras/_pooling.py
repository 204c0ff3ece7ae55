"""Layers that pool: windows of one to three axes, and all places at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _native, nn
from ._layer import Layer
from ._plain import back, is_first, last

_Sizes = int | Sequence[int]

_DESCRIPTION = """Pools windows over {axes} of the middle, channel by channel: the {kind} of each.

    Args:
      pool_size: size of the windows.
      strides: distance of the windows; their size if it is `None`.
      padding: `"valid"` or `"same"`.
      data_format: `"channels_last"` or `"channels_first"`.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.{name}(2)(gw.ones([1, {lengths}, 3])).shape
      (1, {pooled}, 3)
"""


class _Pooling(Layer):
    """A layer of windows."""

    _compute: Callable[..., Any]

    def __init__(
        self,
        pool_size: _Sizes = 2,
        strides: _Sizes | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.data_format, self._first = data_format, is_first(data_format)
        if padding.lower() not in ("valid", "same"):
            raise ValueError(f"`padding` is {padding!r}, neither 'valid' nor 'same'")
        self.pool_size, self.padding = pool_size, padding.lower()
        self.strides = pool_size if strides is None else strides

    def call(self, inputs: Any) -> Any:
        """Pools the inputs.

        Args:
          inputs: tensor `(batch, …, channels)`.

        Returns:
          Tensor `(batch, …, channels)`.

        Example:
          >>> gw.keras.layers.MaxPooling2D()(gw.ones([1, 4, 4, 3])).shape
          (1, 2, 2, 3)
        """
        x = last(inputs, self._first)
        return back(type(self)._compute(x, self.pool_size, self.strides, self.padding.upper()), self._first)


class _Global(Layer):
    """A layer of all places."""

    _axes: list[int]
    _reduce: Callable[..., Any]

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **others: Any) -> None:
        super().__init__(**others)
        self.data_format, self.keepdims = data_format, keepdims
        self._first = is_first(data_format)

    def call(self, inputs: Any) -> Any:
        """Pools the inputs.

        Args:
          inputs: tensor `(batch, …, channels)`.

        Returns:
          Tensor `(batch, channels)`.

        Example:
          >>> gw.keras.layers.GlobalMaxPooling2D()(gw.ones([1, 4, 4, 3])).shape
          (1, 3)
        """
        axes = [axis + 1 for axis in self._axes] if self._first else self._axes
        return type(self)._reduce(inputs, axes, self.keepdims)


def _window(name: str, axes: int, compute: Callable[..., Any], kind: str) -> type[_Pooling]:
    plural = "axis" if axes == 1 else "axes"
    doc = _DESCRIPTION.format(
        axes=f"{axes} {plural}",
        kind=kind,
        name=name,
        lengths=", ".join(["4"] * axes),
        pooled=", ".join(["2"] * axes),
    )
    attributes = {"__doc__": doc, "__module__": __name__, "_compute": staticmethod(compute)}
    return type(name, (_Pooling,), attributes)


def _whole(name: str, axes: int, reduce: Callable[..., Any], kind: str) -> type[_Global]:
    lengths = ", ".join(["4"] * axes)
    doc = (
        f"Computes the {kind} of all places, channel by channel.\n\n    Args:\n"
        '      data_format: `"channels_last"` or `"channels_first"`.\n'
        "      keepdims: whether the axes stay, with length 1.\n      others: the arguments of `Layer`.\n\n"
        f"    Example:\n      >>> gw.keras.layers.{name}()(gw.ones([1, {lengths}, 3])).shape\n      (1, 3)\n"
    )
    attributes = {
        "__doc__": doc,
        "__module__": __name__,
        "_axes": list(range(1, axes + 1)),
        "_reduce": staticmethod(reduce),
    }
    return type(name, (_Global,), attributes)


MaxPooling1D = _window("MaxPooling1D", 1, nn.max_pool1d, "greatest element")
MaxPooling2D = _window("MaxPooling2D", 2, nn.max_pool2d, "greatest element")
MaxPooling3D = _window("MaxPooling3D", 3, nn.max_pool3d, "greatest element")
AveragePooling1D = _window("AveragePooling1D", 1, nn.avg_pool1d, "mean")
AveragePooling2D = _window("AveragePooling2D", 2, nn.avg_pool2d, "mean")
AveragePooling3D = _window("AveragePooling3D", 3, nn.avg_pool3d, "mean")
GlobalAveragePooling1D = _whole("GlobalAveragePooling1D", 1, _native.reduce_mean, "mean")
GlobalAveragePooling2D = _whole("GlobalAveragePooling2D", 2, _native.reduce_mean, "mean")
GlobalMaxPooling1D = _whole("GlobalMaxPooling1D", 1, _native.reduce_max, "greatest element")
GlobalMaxPooling2D = _whole("GlobalMaxPooling2D", 2, _native.reduce_max, "greatest element")
GlobalAveragePooling3D = _whole("GlobalAveragePooling3D", 3, _native.reduce_mean, "mean")
GlobalMaxPooling3D = _whole("GlobalMaxPooling3D", 3, _native.reduce_max, "greatest element")

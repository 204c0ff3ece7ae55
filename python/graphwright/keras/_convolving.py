"""Layers that convolve over one to three axes, also transposed, channel by channel and separable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _native
from .._arrays import pad
from .._tensorflow.convolutions import convolution, depthwise_conv2d
from .._tensorflow.transposed import dilated, transposed
from . import activations, initializers
from ._plain import Computed, Sizes, back, checked, is_first, last, one_for_each
from ._recurrent import positive

_Named = str | Callable[..., Any] | None
Initializer = str | initializers.Initializer

_ARGUMENTS = """      strides: distance of the windows.
      padding: {paddings}.
      {further}data_format: `"channels_last"` or `"channels_first"`.
      dilation_rate: distance of the elements of a window."""


class _Convolving(Computed):
    """Shared parts of convolutions: windows, a bias and an activation."""

    _axes: int
    bias: Any
    pointwise_kernel: Any

    def _windows(
        self, kernel_size: Sizes, strides: Sizes, padding: str, data_format: str | None, dilation_rate: Sizes
    ) -> None:
        known = ("valid", "same", "causal") if self._axes == 1 else ("valid", "same")
        if padding.lower() not in known:
            raise ValueError(f"`padding` is {padding!r}: it is {' or '.join(map(repr, known))}")
        self.padding, self.data_format, self._first = padding.lower(), data_format, is_first(data_format)
        self.kernel_size = one_for_each(kernel_size, self._axes, "kernel_size")
        self.strides = one_for_each(strides, self._axes, "strides")
        self.dilation_rate = one_for_each(dilation_rate, self._axes, "dilation_rate")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError("`strides` and `dilation_rate` are not both greater than 1 in Keras")

    def _ends(self, activation: _Named, use_bias: bool, bias_initializer: Initializer) -> None:
        self.activation, self.use_bias = activations.get(activation), use_bias
        self.bias_initializer = initializers.get(bias_initializer)

    def _channels(self, shape: Sequence[int | None]) -> int:
        found = shape[1 if self._first else -1]
        if len(shape) != self._axes + 2 or found is None:
            raise ValueError(
                f"`{self.name}` needs {self._axes + 2} axes and known channels, not {tuple(shape)}"
            )
        return found

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the kernels and the bias.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.Conv2D(1, 3)
          >>> layer.build((None, 8, 8, 2))
          >>> [tuple(weight.shape) for weight in layer.weights]
          [(3, 3, 2, 1), (1,)]
        """
        self._make(self._channels(input_shape))

    def _make(self, channels: int) -> None:
        """Makes the weights; each class has its own."""
        raise NotImplementedError

    def _convolve(self, x: Any) -> Any:
        """Convolves with the weights; each class has its own way."""
        raise NotImplementedError

    def _compute(self, x: Any) -> Any:
        checked(x, self._axes + 2, type(self).__name__)
        found = self._convolve(last(x, self._first))
        if self.bias is not None:
            found = found + self.bias
        return self.activation(back(found, self._first))

    def _at_the_edges(self, x: Any) -> tuple[Any, str]:
        """The tensor, with zeros before it if windows see earlier steps alone, and the padding."""
        if self.padding != "causal":
            return x, self.padding.upper()
        return pad(x, [(0, 0), ((self.kernel_size[0] - 1) * self.dilation_rate[0], 0), (0, 0)]), "VALID"


class _Convolution(_Convolving):
    def __init__(
        self,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Sizes = 1,
        groups: int = 1,
        activation: _Named = None,
        use_bias: bool = True,
        kernel_initializer: Initializer = "glorot_uniform",
        bias_initializer: Initializer = "zeros",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.filters, self.groups = positive(filters, "filters"), positive(groups, "groups")
        if filters % groups:
            raise ValueError(f"`filters` is {filters}, not a multiple of the {groups} `groups`")
        self._windows(kernel_size, strides, padding, data_format, dilation_rate)
        self._ends(activation, use_bias, bias_initializer)
        self.kernel_initializer = initializers.get(kernel_initializer)

    def _make(self, channels: int) -> None:
        if channels % self.groups:
            raise ValueError(f"{channels} channels are not a multiple of the {self.groups} `groups`")
        shape = (*self.kernel_size, channels // self.groups, self.filters)
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        self.bias = self._bias(self.filters, self.bias_initializer, self.use_bias)

    def _convolve(self, x: Any) -> Any:
        x, padding = self._at_the_edges(x)
        if self.groups == 1:
            return self._part(x, self.kernel, padding)
        width, count = x.shape[-1] // self.groups, self.filters // self.groups
        parts = []
        for at in range(self.groups):
            part, kernel = (
                x[..., at * width : (at + 1) * width],
                self.kernel[..., at * count : (at + 1) * count],
            )
            parts.append(self._part(part, kernel, padding))
        return _native.concat(parts, -1)

    def _part(self, x: Any, kernel: Any, padding: str) -> Any:
        if self._axes == 2:
            return _native.conv2d(x, kernel, self.strides, padding, dilations=self.dilation_rate)
        return convolution(x, kernel, self.strides, padding, None, self.dilation_rate)


class _Transposed(_Convolving):
    def __init__(
        self,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        output_padding: Sizes | None = None,
        data_format: str | None = None,
        dilation_rate: Sizes = 1,
        activation: _Named = None,
        use_bias: bool = True,
        kernel_initializer: Initializer = "glorot_uniform",
        bias_initializer: Initializer = "zeros",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.filters = positive(filters, "filters")
        self._windows(kernel_size, strides, padding, data_format, dilation_rate)
        if self.padding == "causal":
            raise ValueError("`padding` of a transposed convolution is 'valid' or 'same'")
        more = (output_padding,) * self._axes if isinstance(output_padding, int) else output_padding
        self.output_padding = None if more is None else tuple(more)
        if self.output_padding is not None and any(
            extra >= step for extra, step in zip(self.output_padding, self.strides, strict=True)
        ):
            raise ValueError(f"`output_padding` {output_padding} is less than `strides` {strides}")
        self._ends(activation, use_bias, bias_initializer)
        self.kernel_initializer = initializers.get(kernel_initializer)

    def _make(self, channels: int) -> None:
        shape = (*self.kernel_size, self.filters, channels)
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        self.bias = self._bias(self.filters, self.bias_initializer, self.use_bias)

    def _length(self, at: int, length: int | None) -> int:
        if length is None:
            raise ValueError(f"`{self.name}` needs the length of each axis: give it by `gw.ensure_shape`")
        step = self.strides[at]
        reach = (self.kernel_size[at] - 1) * self.dilation_rate[at] + 1
        if self.output_padding is None:
            return length * step + (max(reach - step, 0) if self.padding == "valid" else 0)
        cut = reach // 2 if self.padding == "same" else 0
        return (length - 1) * step + reach - 2 * cut + self.output_padding[at]

    def _convolve(self, x: Any) -> Any:
        wanted = [self._length(at, length) for at, length in enumerate(x.shape[1:-1])]
        kernel = dilated(_native.convert_to_tensor(self.kernel), self.dilation_rate)
        return transposed(x, kernel, wanted, self.strides, self.padding.upper())


def _depthwise(x: Any, kernel: Any, strides: Sequence[int], padding: str, apart: Sequence[int]) -> Any:
    """Each channel by itself, over one axis or two."""
    if len(strides) == 2:
        return depthwise_conv2d(x, kernel, list(strides), padding, None, list(apart))
    wide, deep = _native.expand_dims(x, 1), _native.expand_dims(kernel, 0)
    return _native.squeeze(depthwise_conv2d(wide, deep, [1, *strides], padding, None, [1, *apart]), 1)


class _Depthwise(_Convolving):
    def __init__(
        self,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Sizes = 1,
        activation: _Named = None,
        use_bias: bool = True,
        depthwise_initializer: Initializer = "glorot_uniform",
        bias_initializer: Initializer = "zeros",
        **others: Any,
    ) -> None:
        super().__init__(**_penalty(others, "depthwise", "kernel"))
        self.depth_multiplier = positive(depth_multiplier, "depth_multiplier")
        self._windows(kernel_size, strides, padding, data_format, dilation_rate)
        self._ends(activation, use_bias, bias_initializer)
        self.depthwise_initializer = initializers.get(depthwise_initializer)

    def _make(self, channels: int) -> None:
        shape = (*self.kernel_size, channels, self.depth_multiplier)
        self.kernel = self.add_weight(shape, self.depthwise_initializer, name="kernel")
        count = channels * self.depth_multiplier
        self.bias = self._bias(count, self.bias_initializer, self.use_bias)

    def _convolve(self, x: Any) -> Any:
        x, padding = self._at_the_edges(x)
        return _depthwise(x, self.kernel, self.strides, padding, self.dilation_rate)


class _Separable(_Convolving):
    def __init__(
        self,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Sizes = 1,
        depth_multiplier: int = 1,
        activation: _Named = None,
        use_bias: bool = True,
        depthwise_initializer: Initializer = "glorot_uniform",
        pointwise_initializer: Initializer = "glorot_uniform",
        bias_initializer: Initializer = "zeros",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.filters = positive(filters, "filters")
        self.depth_multiplier = positive(depth_multiplier, "depth_multiplier")
        self._windows(kernel_size, strides, padding, data_format, dilation_rate)
        self._ends(activation, use_bias, bias_initializer)
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.pointwise_initializer = initializers.get(pointwise_initializer)

    def _make(self, channels: int) -> None:
        deep = (*self.kernel_size, channels, self.depth_multiplier)
        self.depthwise_kernel = self.add_weight(deep, self.depthwise_initializer, name="depthwise_kernel")
        flat = ((1,) * self._axes) + (channels * self.depth_multiplier, self.filters)
        self.pointwise_kernel = self.add_weight(flat, self.pointwise_initializer, name="pointwise_kernel")
        self.bias = self._bias(self.filters, self.bias_initializer, self.use_bias)

    def _convolve(self, x: Any) -> Any:
        x, padding = self._at_the_edges(x)
        deep = _depthwise(x, self.depthwise_kernel, self.strides, padding, self.dilation_rate)
        rows = self.pointwise_kernel.shape[-2]
        return _native.matmul(deep, _native.reshape(self.pointwise_kernel, [rows, self.filters]))


def _penalty(others: dict[str, Any], name: str, kind: str) -> dict[str, Any]:
    """The arguments with the penalty of a weight under the name that layers know."""
    moved = f"{name}_regularizer"
    return {f"{kind}_regularizer" if one == moved else one: value for one, value in others.items()}


def _class(name: str, base: type[_Convolving], axes: int, summary: str, first: str, example: str) -> Any:
    transpose, separable = base is _Transposed, base in (_Depthwise, _Separable)
    further = {
        _Transposed: "output_padding: further length of each axis, or `None`.\n      ",
        _Depthwise: "depth_multiplier: number of filters for each channel.\n      ",
    }.get(base, "")
    kinds = '`"valid"`, `"same"`' + (' or `"causal"`' if axes == 1 and not transpose else "")
    told = _ARGUMENTS.format(
        paddings=kinds.replace("`, `", "` or `") if "causal" not in kinds else kinds, further=further
    )
    if base is _Convolution:
        told += "\n      groups: number of groups of channels, each with filters of its own."
    if base is _Separable:
        told += "\n      depth_multiplier: number of filters for each channel."
    told += "\n      activation: name, function, or `None`.\n      use_bias: whether there is a `bias`."
    kernels = {_Depthwise: ["depthwise"], _Separable: ["depthwise", "pointwise"]}.get(base, ["kernel"])
    for kernel in kernels:
        told += f"\n      {kernel}_initializer: initializer of the {kernel}{' kernel' if separable else ''}."
    told += "\n      bias_initializer: initializer of the bias.\n      others: the arguments of `Layer`."
    doc = (
        f"{summary}\n\n    Args:\n{first}{told}\n\n    Example:\n      >>> gw.keras.layers.{name}{example}\n"
    )
    return type(name, (base,), {"__doc__": doc, "__module__": __name__, "_axes": axes})


_FILTERS = """      filters: number of channels of the result.
      kernel_size: size of the windows.
"""
_WINDOW = "      kernel_size: size of the windows.\n"

Conv1D = _class(
    "Conv1D",
    _Convolution,
    1,
    "Convolves rows, from `(batch, steps, channels)` to `(batch, …, filters)`.",
    _FILTERS,
    "(4, 3)(gw.ones([1, 8, 2])).shape\n      (1, 6, 4)",
)
Conv2D = _class(
    "Conv2D",
    _Convolution,
    2,
    "Convolves images, from `(batch, height, width, channels)` to `(batch, …, …, filters)`.",
    _FILTERS,
    "(4, 3)(gw.ones([1, 8, 8, 2])).shape\n      (1, 6, 6, 4)",
)
Conv3D = _class(
    "Conv3D",
    _Convolution,
    3,
    "Convolves volumes, from `(batch, depth, height, width, channels)` to `(batch, …, …, …, filters)`.",
    _FILTERS,
    "(4, 3)(gw.ones([1, 5, 5, 5, 2])).shape\n      (1, 3, 3, 3, 4)",
)
Conv1DTranspose = _class(
    "Conv1DTranspose",
    _Transposed,
    1,
    "Computes the transpose of a convolution of rows.",
    _FILTERS,
    "(4, 3, strides=2)(gw.ones([1, 8, 2])).shape\n      (1, 17, 4)",
)
Conv2DTranspose = _class(
    "Conv2DTranspose",
    _Transposed,
    2,
    "Computes the transpose of a convolution of images.",
    _FILTERS,
    '(4, 3, strides=2, padding="same")(gw.ones([1, 8, 8, 2])).shape\n      (1, 16, 16, 4)',
)
Conv3DTranspose = _class(
    "Conv3DTranspose",
    _Transposed,
    3,
    "Computes the transpose of a convolution of volumes.",
    _FILTERS,
    "(4, 2, strides=2)(gw.ones([1, 2, 2, 2, 1])).shape\n      (1, 4, 4, 4, 4)",
)
DepthwiseConv1D = _class(
    "DepthwiseConv1D",
    _Depthwise,
    1,
    "Convolves each channel of rows with filters of its own.",
    _WINDOW,
    "(3, depth_multiplier=2)(gw.ones([1, 8, 2])).shape\n      (1, 6, 4)",
)
DepthwiseConv2D = _class(
    "DepthwiseConv2D",
    _Depthwise,
    2,
    "Convolves each channel of images with filters of its own.",
    _WINDOW,
    "(3)(gw.ones([1, 8, 8, 2])).shape\n      (1, 6, 6, 2)",
)
SeparableConv1D = _class(
    "SeparableConv1D",
    _Separable,
    1,
    "Convolves each channel of rows by itself, then joins channels at each place.",
    _FILTERS,
    "(4, 3)(gw.ones([1, 8, 2])).shape\n      (1, 6, 4)",
)
SeparableConv2D = _class(
    "SeparableConv2D",
    _Separable,
    2,
    "Convolves each channel of images by itself, then joins channels at each place.",
    _FILTERS,
    "(4, 3)(gw.ones([1, 8, 8, 2])).shape\n      (1, 6, 6, 4)",
)

"""Layers that move, repeat, cut off and surround elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native, image
from .._arrays import pad, repeat
from ._plain import Computed, Sizes, back, checked, is_first, last, margins, one_for_each, places


class Permute(Computed):
    """Puts the axes behind the batch in another order.

    Args:
      dims: numbers of the axes from 1 on, in the order that they get.
      others: the arguments of `Layer`.

    Raises:
      ValueError: the numbers are not those of all axes.

    Example:
      >>> gw.keras.layers.Permute((2, 1))(gw.ones([5, 10, 64])).shape
      (5, 64, 10)
    """

    def __init__(self, dims: Sequence[int], **others: Any) -> None:
        super().__init__(**others)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(f"`dims` is {dims!r}: it holds each number from 1 to {len(self.dims)} once")

    def _compute(self, x: Any) -> Any:
        checked(x, len(self.dims) + 1, "Permute")
        return _native.transpose(x, [0, *self.dims])


class RepeatVector(Computed):
    """Repeats each row, from `(batch, features)` to `(batch, n, features)`.

    Args:
      n: number of repetitions.
      others: the arguments of `Layer`.

    Raises:
      TypeError: `n` is no whole number.

    Example:
      >>> gw.keras.layers.RepeatVector(3)(gw.ones([2, 4])).shape
      (2, 3, 4)
    """

    def __init__(self, n: int, **others: Any) -> None:
        super().__init__(**others)
        if not isinstance(n, int):
            raise TypeError(f"`n` is {n!r}, not a whole number")
        self.n = n

    def _compute(self, x: Any) -> Any:
        checked(x, 2, "RepeatVector")
        return repeat(_native.expand_dims(x, 1), self.n, 1)


class _Surrounding(Computed):
    """A layer with a pair of numbers for each axis of the places."""

    _axes: int
    _name: str

    def __init__(self, margin: Any, data_format: str | None, **others: Any) -> None:
        super().__init__(**others)
        self.data_format, self._first = data_format, is_first(data_format)
        self._margins = margins(margin, self._axes, self._name)


class _Cropping(_Surrounding):
    _name = "cropping"

    def _compute(self, x: Any) -> Any:
        checked(x, self._axes + 2, type(self).__name__)
        key: list[Any] = [slice(None)] * x.ndim
        for axis, (before, after) in zip(places(x, self._first), self._margins, strict=True):
            length = x.shape[axis]
            if length is not None and before + after >= length:
                raise ValueError(f"`cropping` {before, after} leaves nothing of an axis of length {length}")
            key[axis] = slice(before, -after if after else None)
        return x[tuple(key)]


class Cropping1D(_Cropping):
    """Cuts steps off both ends of `(batch, steps, features)`.

    Args:
      cropping: number of steps, or a pair of them.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Cropping1D((1, 2))(gw.ones([2, 6, 3])).shape
      (2, 3, 3)
    """

    _axes = 1

    def __init__(self, cropping: Any = (1, 1), **others: Any) -> None:
        super().__init__(cropping, None, **others)


class Cropping2D(_Cropping):
    """Cuts rows and columns off images.

    Args:
      cropping: number, one for rows and one for columns, or a pair for each.
      data_format: `"channels_last"` or `"channels_first"`.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Cropping2D(((1, 1), (0, 2)))(gw.ones([2, 6, 6, 3])).shape
      (2, 4, 4, 3)
    """

    _axes = 2

    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **others: Any
    ) -> None:
        super().__init__(cropping, data_format, **others)


class Cropping3D(_Cropping):
    """Cuts planes off volumes.

    Args:
      cropping: number, one for each axis, or a pair for each.
      data_format: `"channels_last"` or `"channels_first"`.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.Cropping3D(1)(gw.ones([2, 4, 5, 6, 3])).shape
      (2, 2, 3, 4, 3)
    """

    _axes = 3

    def __init__(
        self, cropping: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **others: Any
    ) -> None:
        super().__init__(cropping, data_format, **others)


class _ZeroPadding(_Surrounding):
    _name = "padding"

    def _compute(self, x: Any) -> Any:
        checked(x, self._axes + 2, type(self).__name__)
        pairs = [(0, 0)] * x.ndim
        for axis, pair in zip(places(x, self._first), self._margins, strict=True):
            pairs[axis] = pair
        return pad(x, pairs)


class ZeroPadding1D(_ZeroPadding):
    """Adds steps of zeros to both ends of `(batch, steps, features)`.

    Args:
      padding: number of steps, or a pair of them.
      data_format: `"channels_last"` or `"channels_first"`.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.ZeroPadding1D((1, 2))(gw.ones([2, 3, 3])).shape
      (2, 6, 3)
    """

    _axes = 1

    def __init__(self, padding: Any = 1, data_format: str | None = None, **others: Any) -> None:
        super().__init__(padding, data_format, **others)


class ZeroPadding2D(_ZeroPadding):
    """Adds rows and columns of zeros around images.

    Args:
      padding: number, one for rows and one for columns, or a pair for each.
      data_format: `"channels_last"` or `"channels_first"`.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.ZeroPadding2D(1)(gw.ones([2, 4, 4, 3])).shape
      (2, 6, 6, 3)
    """

    _axes = 2

    def __init__(self, padding: Any = (1, 1), data_format: str | None = None, **others: Any) -> None:
        super().__init__(padding, data_format, **others)


class ZeroPadding3D(_ZeroPadding):
    """Adds planes of zeros around volumes.

    Args:
      padding: number, one for each axis, or a pair for each.
      data_format: `"channels_last"` or `"channels_first"`.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.ZeroPadding3D((0, 1, 2))(gw.ones([2, 2, 2, 2, 3])).shape
      (2, 2, 4, 6, 3)
    """

    _axes = 3

    def __init__(
        self, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **others: Any
    ) -> None:
        super().__init__(padding, data_format, **others)


class _UpSampling(Computed):
    _axes: int

    def __init__(self, size: Sizes, data_format: str | None, **others: Any) -> None:
        super().__init__(**others)
        self.size = one_for_each(size, self._axes, "size")
        self.data_format, self._first = data_format, is_first(data_format)

    def _compute(self, x: Any) -> Any:
        checked(x, self._axes + 2, type(self).__name__)
        for axis, times in zip(places(x, self._first), self.size, strict=True):
            x = repeat(x, times, axis)
        return x


class UpSampling1D(_UpSampling):
    """Repeats each step of `(batch, steps, features)`.

    Args:
      size: number of repetitions.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.UpSampling1D(2)(gw.constant([[[1.0], [2.0]]])).numpy().ravel().tolist()
      [1.0, 1.0, 2.0, 2.0]
    """

    _axes = 1

    def __init__(self, size: Sizes = 2, **others: Any) -> None:
        super().__init__(size, None, **others)


class UpSampling2D(_UpSampling):
    """Enlarges images by whole factors.

    Args:
      size: factors of rows and columns, or one number for both.
      data_format: `"channels_last"` or `"channels_first"`.
      interpolation: `"nearest"`, `"bilinear"`, `"bicubic"`, `"lanczos3"` or `"lanczos5"`.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.UpSampling2D((1, 2))(gw.ones([2, 4, 4, 3])).shape
      (2, 4, 8, 3)
    """

    _axes = 2

    def __init__(
        self,
        size: Sizes = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **others: Any,
    ) -> None:
        super().__init__(size, data_format, **others)
        self.interpolation = interpolation.lower()
        if self.interpolation not in ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"):
            raise ValueError(f"`interpolation` is {interpolation!r}, which is none of Keras's")

    def _compute(self, x: Any) -> Any:
        if self.interpolation == "nearest":
            return super()._compute(x)
        checked(x, 4, "UpSampling2D")
        x = last(x, self._first)
        wanted = [n and n * times for n, times in zip(x.shape[1:3], self.size, strict=True)]
        if None in wanted:
            raise ValueError("images whose height or width is not known are enlarged by 'nearest' alone")
        return back(image.resize(x, wanted, self.interpolation), self._first)


class UpSampling3D(_UpSampling):
    """Repeats each plane of volumes along each axis.

    Args:
      size: numbers of repetitions, or one number for all axes.
      data_format: `"channels_last"` or `"channels_first"`.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.UpSampling3D(2)(gw.ones([1, 2, 3, 4, 1])).shape
      (1, 4, 6, 8, 1)
    """

    _axes = 3

    def __init__(self, size: Sizes = (2, 2, 2), data_format: str | None = None, **others: Any) -> None:
        super().__init__(size, data_format, **others)

"""Images under TensorFlow's names: `(height, width, channels)`, or a batch of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _native
from ._arrays import lengths
from ._arrays import reverse as _reverse
from ._native import Tensor
from ._public import publish as _publish
from ._tensorflow.blocks import extract_patches
from ._tensorflow.colours import (
    _image,
    _size,
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    convert_image_dtype,
    grayscale_to_rgb,
    hsv_to_rgb,
    per_image_standardization,
    rgb_to_grayscale,
    rgb_to_hsv,
    total_variation,
)
from ._tensorflow.image_measures import (
    draw_bounding_boxes,
    image_gradients,
    non_max_suppression,
    psnr,
    rgb_to_yiq,
    rgb_to_yuv,
    sobel_edges,
    yiq_to_rgb,
    yuv_to_rgb,
)
from ._tensorflow.image_random import (
    random_brightness,
    random_contrast,
    random_crop,
    random_hue,
    random_saturation,
    stateless_random_brightness,
    stateless_random_contrast,
    stateless_random_crop,
    stateless_random_hue,
    stateless_random_saturation,
)
from ._tensorflow.pictures import decode_image, decode_jpeg, decode_png, encode_jpeg, encode_png

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "central_crop",
    "convert_image_dtype",
    "crop_to_bounding_box",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "draw_bounding_boxes",
    "encode_jpeg",
    "encode_png",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "non_max_suppression",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_saturation",
    "resize",
    "resize_with_crop_or_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "rot90",
    "sobel_edges",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_hue",
    "stateless_random_saturation",
    "total_variation",
    "transpose",
    "yiq_to_rgb",
    "yuv_to_rgb",
]


def _cubic(x: Any) -> Any:
    """Keys's kernel with `a = -1/2`."""
    size = np.abs(x)
    near = (1.5 * size - 2.5) * size * size + 1.0
    far = ((-0.5 * size + 2.5) * size - 4.0) * size + 2.0
    return np.where(size <= 1, near, np.where(size < 2, far, 0.0))


def _lanczos(radius: int) -> Callable[[Any], Any]:
    return lambda x: np.where(np.abs(x) < radius, np.sinc(x) * np.sinc(x / radius), 0.0)


#: Kernels of the ways to resize, and how far they reach.
_KERNELS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "bilinear": (lambda x: np.maximum(0.0, 1.0 - np.abs(x)), 1.0),
    "bicubic": (_cubic, 2.0),
    "lanczos3": (_lanczos(3), 3.0),
    "lanczos5": (_lanczos(5), 5.0),
    "gaussian": (lambda x: np.where(np.abs(x) < 1.5, np.exp(-2.0 * x * x), 0.0), 1.5),
}


def _places_of_cubic(size: int, wanted: int) -> Any:
    """The middles of the result's rows in an image, to 1024 parts of a row, as TensorFlow's op finds them."""
    scale = np.float32(size) / np.float32(wanted)
    at = (np.arange(wanted, dtype=np.float32) + np.float32(0.5)) * scale - np.float32(0.5)
    whole = np.floor(at)
    return whole + np.rint((at - whole) * np.float32(1024)) / 1024.0 + 0.5


def _weights(method: str, size: int, wanted: int, antialias: bool) -> Any:
    """The share of each row of an image in each row of the result."""
    places = (np.arange(wanted) + 0.5) * size / wanted
    if method == "nearest":
        return np.eye(size)[np.minimum(places.astype(int), size - 1)]
    if method == "area":
        edges = np.arange(wanted + 1) * size / wanted
        low, high = np.arange(size), np.arange(size) + 1
        shares = np.minimum(edges[1:, None], high) - np.maximum(edges[:-1, None], low)
        shares = np.maximum(shares, 0.0)
        return shares / shares.sum(1, keepdims=True)
    if method == "bicubic" and not antialias:
        places = _places_of_cubic(size, wanted)
    kernel, _ = _KERNELS[method]
    scale = max(size / wanted, 1.0) if antialias else 1.0
    shares = kernel((np.arange(size) + 0.5 - places[:, None]) / scale)
    return shares / shares.sum(1, keepdims=True)


def _new_size(size: Any) -> list[int]:
    """Height and width as the user gives them."""
    given = np.asarray(size.numpy() if isinstance(size, Tensor) else size)
    if given.shape != (2,) or given.dtype.kind not in "iu" or (given < 1).any():
        raise ValueError(f"`size` is {given.tolist()}: it is height and width, two whole numbers from 1 on")
    return [int(one) for one in given]


def resize(
    images: Any,
    size: Any,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images.

    Args:
      images: tensor `(…, height, width, channels)` of numbers.
      size: new height and width.
      method: `"bilinear"`, `"nearest"`, `"bicubic"`, `"area"`, `"lanczos3"`, `"lanczos5"` or `"gaussian"`.
      preserve_aspect_ratio: whether height and width keep their ratio, and `size` is the most.
      antialias: whether to average over all elements when images become smaller.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `float32` tensor; with `"nearest"` the dtype of the images.

    Raises:
      ValueError: the method is not known, or `size` is not two whole numbers from 1 on.

    Example:
      >>> gw.image.resize(gw.constant([[[0.0], [1.0]], [[2.0], [3.0]]]), [1, 1]).numpy().tolist()
      [[[1.5]]]
    """
    del name
    x = _image(images)
    if method not in ("nearest", "area", *_KERNELS):
        raise ValueError(f"`method` is {method!r}: it is one of {['nearest', 'area', *_KERNELS]}")
    old, new = _size(x), _new_size(size)
    if 0 in (*old, x.shape[-1]):
        raise _native.InvalidArgumentError(f"the images have no elements: their shape is {tuple(x.shape)}")
    if preserve_aspect_ratio:
        factor = min(new[0] / old[0], new[1] / old[1])
        new = [max(1, round(old[0] * factor)), max(1, round(old[1] * factor))]
    if method == "nearest":
        for axis, (length, wanted) in enumerate(zip(old, new, strict=True)):
            places = np.minimum(((np.arange(wanted) + 0.5) * length / wanted).astype(np.int64), length - 1)
            x = _native.gather(x, _native.constant(places), axis=axis - 3)
        return x
    x = _native.cast(x, x.dtype if x.dtype == _native.float64 else _native.float32)
    rows, columns = (_weights(method, n, m, antialias) for n, m in zip(old, new, strict=True))
    flat = _native.reshape(x, [*lengths(x)[:-3], old[0], old[1] * lengths(x)[-1]])
    down = _native.matmul(_native.constant(rows, x.dtype), flat)
    down = _native.reshape(down, [*lengths(x)[:-3], new[0], old[1], lengths(x)[-1]])
    return _native.matmul(_native.constant(columns, x.dtype), down)


def flip_left_right(image: Any) -> Tensor:
    """Mirrors columns.

    Args:
      image: tensor `(…, height, width, channels)`.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.flip_left_right(gw.constant([[[1], [2]]])).numpy().tolist()
      [[[2], [1]]]
    """
    return _reverse(_image(image), [-2])


def flip_up_down(image: Any) -> Tensor:
    """Mirrors rows.

    Args:
      image: tensor `(…, height, width, channels)`.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.flip_up_down(gw.constant([[[1]], [[2]]])).numpy().tolist()
      [[[2]], [[1]]]
    """
    return _reverse(_image(image), [-3])


def _perhaps(flip: Callable[[Tensor], Tensor], image: Any, drawn: Tensor) -> Tensor:
    x = _image(image)
    chosen = _native.reshape(drawn < 0.5, [-1, 1, 1, 1] if x.ndim == 4 else [])
    return _native.where(chosen, flip(x), x)


def _draws(image: Any) -> list[Any]:
    x = _image(image)
    return lengths(x)[:1] if x.ndim == 4 else []


def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """Mirrors the columns of every other image, at random.

    Args:
      image: tensor `(…, height, width, channels)`.
      seed: seed.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> x = gw.constant([[[1], [2]]])
      >>> gw.image.random_flip_left_right(x, seed=1).numpy().ravel().tolist() in ([1, 2], [2, 1])
      True
    """
    return _perhaps(flip_left_right, image, _native.random_uniform(_draws(image), seed=seed))


def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """Mirrors the rows of every other image, at random.

    Args:
      image: tensor `(…, height, width, channels)`.
      seed: seed.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> x = gw.constant([[[1]], [[2]]])
      >>> gw.image.random_flip_up_down(x, seed=1).numpy().ravel().tolist() in ([1, 2], [2, 1])
      True
    """
    return _perhaps(flip_up_down, image, _native.random_uniform(_draws(image), seed=seed))


def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """Mirrors the columns of every other image, as a seed says.

    Args:
      image: tensor `(…, height, width, channels)`.
      seed: two whole numbers.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> x = gw.constant([[[1], [2]]])
      >>> gw.image.stateless_random_flip_left_right(x, [1, 2]).numpy().ravel().tolist() in ([1, 2], [2, 1])
      True
    """
    return _perhaps(flip_left_right, image, _native.stateless_uniform(_draws(image), seed))


def rot90(image: Any, k: int = 1, name: str | None = None) -> Tensor:
    """Turns images by quarters, against the clock.

    Args:
      image: tensor `(…, height, width, channels)`.
      k: number of quarters.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same dtype.

    Example:
      >>> gw.image.rot90(gw.constant([[[1], [2]]])).numpy().tolist()
      [[[2]], [[1]]]
    """
    del name
    x = _image(image)
    for _ in range(k % 4):
        order = [*range(x.ndim - 3), x.ndim - 2, x.ndim - 3, x.ndim - 1]
        x = _reverse(_native.transpose(x, order), [-3])
    return x


def transpose(image: Any, name: str | None = None) -> Tensor:
    """Exchanges rows and columns.

    Args:
      image: tensor `(…, height, width, channels)`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same dtype.

    Example:
      >>> gw.image.transpose(gw.constant([[[1], [2]]])).shape
      (2, 1, 1)
    """
    del name
    x = _image(image)
    return _native.transpose(x, [*range(x.ndim - 3), x.ndim - 2, x.ndim - 3, x.ndim - 1])


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Takes a rectangle out of images.

    Args:
      image: tensor `(…, height, width, channels)`.
      offset_height: the first row.
      offset_width: the first column.
      target_height: number of rows.
      target_width: number of columns.

    Returns:
      Tensor of the same dtype.

    Raises:
      ValueError: the rectangle reaches beyond the image.

    Example:
      >>> gw.image.crop_to_bounding_box(gw.ones([4, 4, 1]), 1, 1, 2, 3).shape
      (2, 3, 1)
    """
    x = _image(image)
    for first, count, length in (
        (offset_height, target_height, x.shape[-3]),
        (offset_width, target_width, x.shape[-2]),
    ):
        known = isinstance(first, int) and isinstance(count, int) and length is not None
        if known and not 0 <= first <= first + count <= length:
            raise ValueError(
                f"a rectangle from {first} to {first + count} reaches beyond an image of length {length}"
            )
    return x[
        ..., offset_height : offset_height + target_height, offset_width : offset_width + target_width, :
    ]


def pad_to_bounding_box(
    image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Tensor:
    """Puts zeros around images.

    Args:
      image: tensor `(…, height, width, channels)`.
      offset_height: number of rows above.
      offset_width: number of columns at the left.
      target_height: height of the result.
      target_width: width of the result.

    Returns:
      Tensor of the same dtype.

    Raises:
      ValueError: the image does not fit.

    Example:
      >>> gw.image.pad_to_bounding_box(gw.ones([1, 1, 1]), 1, 0, 2, 2).numpy()[..., 0].tolist()
      [[0.0, 0.0], [1.0, 0.0]]
    """
    from ._arrays import pad

    x = _image(image)
    height, width = _size(x)
    below, right = target_height - offset_height - height, target_width - offset_width - width
    if min(below, right, offset_height, offset_width) < 0:
        raise ValueError(
            f"an image of {height} by {width} does not fit into {target_height} by {target_width} there"
        )
    return pad(x, [[0, 0]] * (x.ndim - 3) + [[offset_height, below], [offset_width, right], [0, 0]])


def resize_with_crop_or_pad(image: Any, target_height: int, target_width: int) -> Tensor:
    """Crops images in the middle, or puts zeros around them.

    Args:
      image: tensor `(…, height, width, channels)`.
      target_height: height of the result.
      target_width: width of the result.

    Returns:
      Tensor of the same dtype.

    Example:
      >>> gw.image.resize_with_crop_or_pad(gw.ones([4, 1, 1]), 2, 3).shape
      (2, 3, 1)
    """
    x = _image(image)
    height, width = _size(x)
    down, across = max(height - target_height, 0) // 2, max(width - target_width, 0) // 2
    x = crop_to_bounding_box(x, down, across, min(height, target_height), min(width, target_width))
    above, left = max(target_height - height, 0) // 2, max(target_width - width, 0) // 2
    return pad_to_bounding_box(x, above, left, target_height, target_width)


def central_crop(image: Any, central_fraction: float) -> Tensor:
    """Takes the middle of images.

    Args:
      image: tensor `(…, height, width, channels)`.
      central_fraction: the share of height and width that stays.

    Returns:
      Tensor of the same dtype.

    Example:
      >>> gw.image.central_crop(gw.ones([4, 8, 1]), 0.5).shape
      (2, 4, 1)
    """
    if not 0.0 < central_fraction <= 1.0:
        raise ValueError(f"`central_fraction` is {central_fraction}: it is above 0 and at most 1")
    x = _image(image)
    height, width = _size(x)
    down, across = ((n - int(n * central_fraction)) // 2 for n in (height, width))
    down, across = int((height - height * central_fraction) / 2), int((width - width * central_fraction) / 2)
    return crop_to_bounding_box(x, down, across, height - 2 * down, width - 2 * across)


_publish(__name__)

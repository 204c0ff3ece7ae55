"""Images in files: PNG and JPEG, decoded and encoded eagerly and when a graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from .._native import Tensor

__all__ = ["decode_image", "decode_jpeg", "decode_png", "encode_jpeg", "encode_png"]


def _content(given: Any) -> bytes:
    found = given.item() if hasattr(given, "item") else given
    return found.encode() if isinstance(found, str) else bytes(found)


def _host(compute: Any, operand: Tensor, shape: list[int | None], dtype: Any) -> Tensor:
    """A function of the host, now or when the graph runs."""
    if not _native.is_staged(operand):
        return _native.constant(compute(operand.numpy()), dtype)
    result: Tensor = _native.numpy_function(compute, [operand], _native.TensorSpec(shape, dtype))
    return result


def _decoded(contents: Any, channels: int, dtype: Any, name: str) -> Tensor:
    wanted = _native.as_dtype(dtype)
    if wanted not in (_native.uint8, _native.uint16):
        raise ValueError(f"`dtype` of `{name}` is {wanted.name}: it is uint8 or uint16")
    if channels not in (0, 1, 3, 4):
        raise ValueError(f"`channels` of `{name}` is {channels}: it is 0, for those of the file, 1, 3 or 4")
    deep = wanted == _native.uint16

    def decode(given: Any) -> Any:
        try:
            found, height, width, count = _native.decode_image(_content(given), channels, deep)
        except ValueError as error:
            raise _native.InvalidArgumentError(f"`{name}` does not read the image: {error}") from None
        return np.frombuffer(found, wanted.as_numpy_dtype).reshape(height, width, count).copy()

    return _host(decode, _native.convert_to_tensor(contents), [None, None, channels or None], wanted)


def _encoded(image: Any, quality: int | None, name: str) -> Tensor:
    x = _native.convert_to_tensor(image)
    if x.ndim != 3 or x.dtype not in (_native.uint8, *(() if quality else (_native.uint16,))):
        kinds = "uint8" if quality else "uint8 or uint16"
        raise ValueError(
            f"`{name}` takes an image of three axes of {kinds}, not {x.dtype.name} of {tuple(x.shape)}"
        )
    deep = x.dtype == _native.uint16

    def encode(given: Any) -> Any:
        try:
            file = _native.encode_image(np.ascontiguousarray(given).tobytes(), given.shape, deep, quality)
        except ValueError as error:
            raise _native.InvalidArgumentError(f"`{name}` does not write the image: {error}") from None
        return np.array(file, object)

    if not _native.is_staged(x):
        return _native.constant(encode(np.asarray(x.numpy())).item())
    result: Tensor = _native.numpy_function(encode, [x], _native.TensorSpec([], _native.string))
    return result


def decode_png(
    contents: Any, channels: int = 0, dtype: Any = _native.uint8, name: str | None = None
) -> Tensor:
    """Reads an image from the bytes of a PNG or JPEG file.

    Args:
      contents: scalar string tensor.
      channels: 1, 3 or 4; 0 takes as many as the file has.
      dtype: `uint8` or `uint16`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(height, width, channels)`.

    Raises:
      InvalidArgumentError: the bytes are no image.

    Example:
      >>> file = gw.io.encode_png(gw.constant([[[1], [2]]], gw.uint8))
      >>> gw.io.decode_png(file).numpy().tolist()
      [[[1], [2]]]
    """
    del name
    return _decoded(contents, channels, dtype, "decode_png")


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Reads an image from the bytes of a JPEG or PNG file.

    Args:
      contents: scalar string tensor.
      channels: 1 or 3; 0 takes as many as the file has.
      ratio: 1.
      fancy_upscaling: accepted as in TensorFlow; has no effect.
      try_recover_truncated: `False`.
      acceptable_fraction: accepted as in TensorFlow; has no effect.
      dct_method: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `uint8` tensor `(height, width, channels)`.

    Raises:
      InvalidArgumentError: the bytes are no image.

    Example:
      >>> file = gw.io.encode_jpeg(gw.zeros([8, 8, 3], gw.uint8))
      >>> gw.io.decode_jpeg(file).shape
      (8, 8, 3)
    """
    del fancy_upscaling, acceptable_fraction, dct_method, name
    if ratio != 1 or try_recover_truncated:
        raise ValueError(
            "`decode_jpeg` has `ratio=1` and `try_recover_truncated=False`: resize the image afterwards"
        )
    return _decoded(contents, channels, _native.uint8, "decode_jpeg")


def decode_image(
    contents: Any,
    channels: int = 0,
    dtype: Any = _native.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Reads an image from the bytes of a PNG or JPEG file.

    Args:
      contents: scalar string tensor.
      channels: 1, 3 or 4; 0 takes as many as the file has.
      dtype: `uint8`, `uint16` or `float32`, which is from 0 to 1.
      expand_animations: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(height, width, channels)`.

    Raises:
      InvalidArgumentError: the bytes are no image.

    Example:
      >>> file = gw.io.encode_png(gw.constant([[[0], [255]]], gw.uint8))
      >>> gw.io.decode_image(file, dtype=gw.float32).numpy().tolist()
      [[[0.0], [1.0]]]
    """
    del name, expand_animations
    from ..image import convert_image_dtype

    wanted = _native.as_dtype(dtype)
    if wanted.is_floating:
        return convert_image_dtype(_decoded(contents, channels, _native.uint8, "decode_image"), wanted)
    return _decoded(contents, channels, wanted, "decode_image")


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    r"""Writes an image as the bytes of a PNG file.

    Args:
      image: `uint8` or `uint16` tensor `(height, width, channels)` of 1 to 4 channels.
      compression: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Scalar string tensor.

    Example:
      >>> gw.io.encode_png(gw.zeros([2, 2, 3], gw.uint8)).numpy()[:4]
      b'\x89PNG'
    """
    del compression, name
    return _encoded(image, None, "encode_png")


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    r"""Writes an image as the bytes of a JPEG file.

    Args:
      image: `uint8` tensor `(height, width, channels)` of 1 or 3 channels.
      format: accepted as in TensorFlow; has no effect.
      quality: from 1 to 100.
      progressive: accepted as in TensorFlow; has no effect.
      optimize_size: accepted as in TensorFlow; has no effect.
      chroma_downsampling: accepted as in TensorFlow; has no effect.
      density_unit: accepted as in TensorFlow; has no effect.
      x_density: accepted as in TensorFlow; has no effect.
      y_density: accepted as in TensorFlow; has no effect.
      xmp_metadata: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Scalar string tensor.

    Example:
      >>> gw.io.encode_jpeg(gw.zeros([2, 2, 3], gw.uint8)).numpy()[:2]
      b'\xff\xd8'
    """
    del (
        format,
        progressive,
        optimize_size,
        chroma_downsampling,
        density_unit,
        x_density,
        y_density,
        xmp_metadata,
        name,
    )
    if not 1 <= quality <= 100:
        raise ValueError(f"`quality` is {quality}: it is from 1 to 100")
    return _encoded(image, quality, "encode_jpeg")

"""Windows of signals."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _fft, _native
from .._native import Tensor

__all__ = [
    "hamming_window",
    "hann_window",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "vorbis_window",
]


def _count(window_length: Any) -> int:
    """The number of samples of a window."""
    count = int(window_length)
    if count < 0:
        raise _native.InvalidArgumentError(f"`window_length` is {count}: it is 0 or more")
    return count


def hann_window(
    window_length: int, periodic: bool = True, dtype: Any = _native.float32, name: str | None = None
) -> Tensor:
    """Computes a Hann window.

    Args:
      window_length: number of samples, a Python integer.
      periodic: whether the window goes on; `False` for a symmetric one.
      dtype: floating dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Vector.

    Example:
      >>> gw.signal.hann_window(4).numpy().tolist()
      [0.0, 0.5, 1.0, 0.5]
    """
    del name
    samples = _fft.window(_count(window_length), periodic, [0.5, 0.5])
    return _native.constant(samples, _native.as_dtype(dtype))


def hamming_window(
    window_length: int, periodic: bool = True, dtype: Any = _native.float32, name: str | None = None
) -> Tensor:
    """Computes a Hamming window.

    Args:
      window_length: number of samples, a Python integer.
      periodic: whether the window goes on; `False` for a symmetric one.
      dtype: floating dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Vector.

    Example:
      >>> gw.signal.hamming_window(4).numpy().tolist()
      [0.07999999821186066, 0.5400000214576721, 1.0, 0.5400000214576721]
    """
    del name
    return _native.constant(
        _fft.window(_count(window_length), periodic, [0.54, 0.46]), _native.as_dtype(dtype)
    )


def _bessel(x: Any) -> Any:
    """Modified Bessel functions of order 0, which NumPy has."""
    return np.i0(x)


def _kaiser(length: int, beta: float) -> Any:
    if length <= 1:
        return np.ones(length)
    place = np.arange(length) - (length - 1) / 2
    return _bessel(beta * np.sqrt(np.maximum(0, 1 - (2 * place / (length - 1)) ** 2))) / _bessel(beta)


def kaiser_window(
    window_length: int, beta: float = 12.0, dtype: Any = _native.float32, name: str | None = None
) -> Tensor:
    """Computes a Kaiser window.

    Args:
      window_length: number of samples, a Python integer.
      beta: number that decides how narrow the window is.
      dtype: floating dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Vector.

    Example:
      >>> gw.signal.kaiser_window(3, 0.0).numpy().tolist()
      [1.0, 1.0, 1.0]
    """
    del name
    return _native.constant(_kaiser(_count(window_length), float(beta)), _native.as_dtype(dtype))


def kaiser_bessel_derived_window(
    window_length: int, beta: float = 12.0, dtype: Any = _native.float32, name: str | None = None
) -> Tensor:
    """Computes a Kaiser-Bessel derived window, whose halves overlap to one.

    Args:
      window_length: even number of samples, a Python integer.
      beta: number that decides how narrow the window is.
      dtype: floating dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Vector.

    Example:
      >>> gw.signal.kaiser_bessel_derived_window(2).numpy().round(3).tolist()
      [0.7070000171661377, 0.7070000171661377]
    """
    del name
    half = _count(window_length) // 2
    sums = np.cumsum(_kaiser(half + 1, float(beta)))
    rising = np.sqrt(sums[:-1] / sums[-1])
    return _native.constant(np.concatenate([rising, rising[::-1]]), _native.as_dtype(dtype))


def vorbis_window(window_length: int, dtype: Any = _native.float32, name: str | None = None) -> Tensor:
    """Computes the window of Vorbis, whose halves overlap to one.

    Args:
      window_length: number of samples, a Python integer.
      dtype: floating dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Vector.

    Example:
      >>> gw.signal.vorbis_window(2).numpy().round(3).tolist()
      [0.7070000171661377, 0.7070000171661377]
    """
    del name
    at = np.arange(_count(window_length))
    inner = np.sin(np.pi / window_length * (at + 0.5)) ** 2
    return _native.constant(np.sin(np.pi / 2 * inner), _native.as_dtype(dtype))

"""Cosine transforms, and spectra as ears hear them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native
from .._arrays import axis_of, pad, reverse, tile
from .._arrays import split as _split
from .._native import Tensor
from .signal_windows import hann_window, vorbis_window

__all__ = [
    "dct",
    "idct",
    "inverse_mdct",
    "inverse_stft_window_fn",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
]


def _cosines(kind: int, n: int, norm: str | None) -> Any:
    """The matrix whose columns are the waves of a transform."""
    at, k = np.arange(n)[:, None], np.arange(n)[None, :]
    if kind == 1:
        ends = np.where((at == 0) | (at == n - 1), 1.0, 2.0)
        return ends * np.cos(np.pi * at * k / (n - 1))
    if kind == 2:
        waves = 2.0 * np.cos(np.pi * (2 * at + 1) * k / (2 * n))
        scale = np.where(k == 0, np.sqrt(1 / (4 * n)), np.sqrt(1 / (2 * n)))
        return waves * scale if norm == "ortho" else waves
    if kind == 3:
        waves = np.where(at == 0, 1.0, 2.0) * np.cos(np.pi * (2 * k + 1) * at / (2 * n))
        scale = np.where(at == 0, np.sqrt(1 / n), np.sqrt(1 / (2 * n)))
        return waves * scale if norm == "ortho" else waves
    waves = 2.0 * np.cos(np.pi * (2 * at + 1) * (2 * k + 1) / (4 * n))
    return waves * np.sqrt(1 / (2 * n)) if norm == "ortho" else waves


def _checked(input: Any, kind: int, n: int | None, axis: int, norm: str | None, name: str) -> Tensor:
    x = _native.convert_to_tensor(input)
    if kind not in (1, 2, 3, 4):
        raise ValueError(f"`type` of `{name}` is {kind!r}: it is 1, 2, 3 or 4")
    if norm not in (None, "ortho"):
        raise ValueError(f"`norm` is {norm!r}: it is None or 'ortho'")
    if kind == 1 and norm == "ortho":
        raise ValueError("a transform of type 1 has no `norm='ortho'`")
    if axis_of(x, axis) != x.ndim - 1:
        raise NotImplementedError(f"`axis` of `{name}` is {axis}: it is the last one, as in TensorFlow")
    if not x.dtype.is_floating:
        raise TypeError(f"`{name}` takes floats, not {x.dtype.name}")
    if n is not None:
        if n < 1 or (kind == 1 and n < 2):
            raise ValueError(f"`n` is {n}, less than a transform needs")
        x = _fitted(x, n)
    length = x.shape[-1]
    if length is None:
        raise ValueError(f"`{name}` needs a length that is known: give it by `n`")
    if kind == 1 and length < 2:
        raise ValueError("a transform of type 1 needs a length of 2 or more")
    return x


def _fitted(x: Tensor, n: int) -> Tensor:
    """The first `n` elements, with zeros behind where there are fewer."""
    length = x.shape[-1]
    if length is None or length < n:
        more = n - length if length is not None else n
        x = pad(x, [[0, 0]] * (x.ndim - 1) + [[0, more]])
    return x[..., :n]


def dct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes discrete cosine transforms along the last axis.

    Args:
      input: tensor of floats.
      type: kind of the transform, 1, 2, 3 or 4.
      n: length to cut off or fill up with zeros to.
      axis: the last axis.
      norm: `"ortho"` for orthonormal waves, or `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same dtype.

    Raises:
      ValueError: an argument is none of those.

    Example:
      >>> gw.signal.dct(gw.constant([1.0, 1.0])).numpy().round(4).tolist()
      [4.0, 0.0]
    """
    del name
    x = _checked(input, type, n, axis, norm, "dct")
    waves = _native.constant(_cosines(type, int(x.shape[-1] or 0), norm), x.dtype)
    flat = _native.matmul(_native.expand_dims(x, -2), waves)
    return _native.squeeze(flat, -2)


def idct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes inverse discrete cosine transforms along the last axis, without their factor.

    Args:
      input: tensor of floats.
      type: kind of the transform that is inverted, 1, 2, 3 or 4.
      n: `None`.
      axis: the last axis.
      norm: `"ortho"` for orthonormal waves, or `None`, for which a factor is left: `0.5 / n`, or
        `0.5 / (n - 1)` of type 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Raises:
      ValueError: an argument is none of those.

    Example:
      >>> x = gw.constant([1.0, 3.0])
      >>> gw.signal.idct(gw.signal.dct(x, norm="ortho"), norm="ortho").numpy().round(4).tolist()
      [1.0, 3.0]
    """
    del name
    if n is not None:
        raise ValueError("`n` of `idct` is None in TensorFlow too")
    inverse = {1: 1, 2: 3, 3: 2, 4: 4}
    x = _checked(input, type, None, axis, norm, "idct")
    return dct(x, inverse[type], norm=norm)


def _windowed(frames: Tensor, window_fn: Callable[..., Any] | None, length: int) -> Tensor:
    if window_fn is None:
        return frames * math.sqrt(0.5)
    found: Tensor = frames * window_fn(length, dtype=frames.dtype)
    return found


def mdct(
    signals: Any,
    frame_length: int,
    window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes modified discrete cosine transforms of overlapping frames.

    Args:
      signals: tensor `(…, samples)` of floats.
      frame_length: length of a frame, a multiple of 4.
      window_fn: function of a length and a dtype; a constant window if it is `None`.
      pad_end: whether the end is filled up with zeros.
      norm: `"ortho"` or `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, frames, frame_length // 2)`.

    Raises:
      ValueError: the length is no multiple of 4.

    Example:
      >>> gw.signal.mdct(gw.ones([16]), 8).shape
      (3, 4)
    """
    from ..signal import frame

    del name
    if int(frame_length) % 4:
        raise ValueError(f"`frame_length` is {frame_length}, not a multiple of 4")
    frames = frame(signals, frame_length, frame_length // 2, pad_end=pad_end)
    a, b, c, d = _split(_windowed(frames, window_fn, frame_length), 4, axis=-1)
    folded = _native.concat([-reverse(c, [-1]) - d, a - reverse(b, [-1])], -1)
    return dct(folded, 4, norm=norm)


def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Puts a signal together from its modified discrete cosine transforms.

    Args:
      mdcts: tensor `(…, frames, n)`.
      window_fn: the window of `mdct`.
      norm: the `norm` of `mdct`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, samples)`, whose first and last half frame are not those of the signal.

    Example:
      >>> gw.signal.inverse_mdct(gw.signal.mdct(gw.ones([16]), 8)).shape
      (16,)
    """
    from ..signal import overlap_and_add

    del name
    x = _native.convert_to_tensor(mdcts)
    half = x.shape[-1]
    if half is None:
        raise ValueError("`inverse_mdct` needs a length of frames that is known")
    found = dct(x, 4, norm=norm)
    found = found if norm == "ortho" else found * (0.5 / half)
    first, second = _split(found, 2, axis=-1)
    frames = [second, -reverse(second, [-1]), -reverse(first, [-1]), -first]
    return overlap_and_add(_windowed(_native.concat(frames, -1), window_fn, 2 * half), half)


def inverse_stft_window_fn(
    frame_step: int, forward_window_fn: Callable[..., Any] | None = None, name: str | None = None
) -> Callable[..., Tensor]:
    """Makes the window with which `inverse_stft` gives the signal back.

    Args:
      frame_step: distance of the frames.
      forward_window_fn: the window of `stft`; Hann's if it is `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Function of a length and a dtype.

    Example:
      >>> gw.signal.inverse_stft_window_fn(2)(4).numpy().round(4).tolist()
      [0.0, 1.0, 1.0, 1.0]
    """
    del name
    forward = hann_window if forward_window_fn is None else forward_window_fn

    def window(frame_length: int, dtype: Any = _native.float32) -> Tensor:
        found = forward(frame_length, dtype=dtype)
        overlaps = -(-int(frame_length) // int(frame_step))
        squares = pad(_native.square(found), [[0, overlaps * int(frame_step) - int(frame_length)]])
        sums = _native.reduce_sum(_native.reshape(squares, [overlaps, int(frame_step)]), 0)
        return found / tile(sums, [overlaps])[: int(frame_length)]

    return window


def _mels(hertz: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: int = 129,
    sample_rate: float = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = _native.float32,
    name: str | None = None,
) -> Tensor:
    """Computes the matrix that turns spectra of equal steps into ones of steps on the mel scale.

    Args:
      num_mel_bins: number of bins of the result.
      num_spectrogram_bins: number of bins of a spectrum.
      sample_rate: samples in a second.
      lower_edge_hertz: least frequency.
      upper_edge_hertz: greatest frequency.
      dtype: floating dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(num_spectrogram_bins, num_mel_bins)`.

    Raises:
      ValueError: an argument has no meaning.

    Example:
      >>> gw.signal.linear_to_mel_weight_matrix().shape
      (129, 20)
    """
    del name
    if num_mel_bins <= 0:
        raise ValueError(f"`num_mel_bins` is {num_mel_bins}, not positive")
    if not 0.0 <= lower_edge_hertz < upper_edge_hertz <= sample_rate / 2:
        raise ValueError(
            f"the edges {lower_edge_hertz} and {upper_edge_hertz} do not rise from 0 to half of {sample_rate}"
        )
    # The bin of frequency 0 is in no band.
    lines = np.linspace(0.0, sample_rate / 2.0, num_spectrogram_bins)[1:, None]
    edges = np.linspace(_mels(lower_edge_hertz), _mels(upper_edge_hertz), num_mel_bins + 2)
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    rising = (_mels(lines) - low) / (middle - low)
    falling = (high - _mels(lines)) / (high - middle)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return _native.constant(np.pad(weights, [[1, 0], [0, 0]]), _native.as_dtype(dtype))


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Computes mel-frequency cepstral coefficients.

    Args:
      log_mel_spectrograms: tensor `(…, bins)` of logarithms.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.signal.mfccs_from_log_mel_spectrograms(gw.ones([2, 4])).shape
      (2, 4)
    """
    del name
    x = _native.convert_to_tensor(log_mel_spectrograms)
    if not x.shape[-1]:
        raise ValueError(f"there are no bins: the shape is {tuple(x.shape)}")
    return dct(x, 2) * (1.0 / math.sqrt(2.0 * x.shape[-1]))

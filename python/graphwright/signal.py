"""Fourier transforms and windows, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _arrays, _fft, _native
from ._native import Tensor
from ._public import publish as _publish
from ._tensorflow.cosines import (
    dct,
    idct,
    inverse_mdct,
    inverse_stft_window_fn,
    linear_to_mel_weight_matrix,
    mdct,
    mfccs_from_log_mel_spectrograms,
)
from ._tensorflow.signal_windows import (
    hamming_window,
    hann_window,
    kaiser_bessel_derived_window,
    kaiser_window,
    vorbis_window,
)

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftshift",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "rfft2d",
    "rfft3d",
    "stft",
    "vorbis_window",
]


def fft(input: Any, name: str | None = None) -> Tensor:
    """Computes Fourier transforms along the last axis.

    Args:
      input: tensor of complex numbers, of as many axes or more; real ones become complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor of the same shape.

    Example:
      >>> gw.signal.fft(gw.constant([1 + 0j, 2.0])).numpy().tolist()
      [(3+0j), (-1+0j)]
    """
    del name
    return _fft.transform(input, None, -1, None, False)


def ifft(input: Any, name: str | None = None) -> Tensor:
    """Computes inverse Fourier transforms along the last axis.

    Args:
      input: tensor of complex numbers, of as many axes or more; real ones become complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor of the same shape.

    Example:
      >>> gw.signal.ifft(gw.constant([1 + 0j, 2.0])).numpy().tolist()
      [(1.5+0j), (-0.5+0j)]
    """
    del name
    return _fft.transform(input, None, -1, None, True)


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """Computes Fourier transforms along the last two axes.

    Args:
      input: tensor of complex numbers, of as many axes or more; real ones become complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor of the same shape.

    Example:
      >>> gw.signal.fft2d(gw.constant([[1 + 0j, 2.0]])).numpy().tolist()
      [[(3+0j), (-1+0j)]]
    """
    del name
    return _fft.transforms(input, None, (-2, -1), None, False)


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """Computes inverse Fourier transforms along the last two axes.

    Args:
      input: tensor of complex numbers, of as many axes or more; real ones become complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor of the same shape.

    Example:
      >>> gw.signal.ifft2d(gw.constant([[1 + 0j, 2.0]])).numpy().tolist()
      [[(1.5+0j), (-0.5+0j)]]
    """
    del name
    return _fft.transforms(input, None, (-2, -1), None, True)


def fft3d(input: Any, name: str | None = None) -> Tensor:
    """Computes Fourier transforms along the last three axes.

    Args:
      input: tensor of complex numbers, of as many axes or more; real ones become complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor of the same shape.

    Example:
      >>> gw.signal.fft3d(gw.constant([[[1 + 0j, 2.0]]])).numpy().tolist()
      [[[(3+0j), (-1+0j)]]]
    """
    del name
    return _fft.transforms(input, None, (-3, -2, -1), None, False)


def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """Computes inverse Fourier transforms along the last three axes.

    Args:
      input: tensor of complex numbers, of as many axes or more; real ones become complex.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor of the same shape.

    Example:
      >>> gw.signal.ifft3d(gw.constant([[[1 + 0j, 2.0]]])).numpy().tolist()
      [[[(1.5+0j), (-0.5+0j)]]]
    """
    del name
    return _fft.transforms(input, None, (-3, -2, -1), None, True)


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes Fourier transforms of real numbers along the last axis, of which the last is halved.

    Args:
      input_tensor: tensor of real numbers, of as many axes or more.
      fft_length: lengths along the axes; those there are for `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor; the last axis has `length // 2 + 1` elements.

    Raises:
      TypeError: the numbers are complex.

    Example:
      >>> tuple(gw.signal.rfft(gw.constant([1.0, 2.0, 3.0, 4.0])).shape)
      (3,)
    """
    del name
    lengths = _fft.lengths_of(fft_length)
    return _fft.real_transforms(input_tensor, lengths, (-1,), None)


def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes Fourier transforms of real numbers along the last two axes, of which the last is halved.

    Args:
      input_tensor: tensor of real numbers, of as many axes or more.
      fft_length: lengths along the axes; those there are for `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor; the last axis has `length // 2 + 1` elements.

    Raises:
      TypeError: the numbers are complex.

    Example:
      >>> tuple(gw.signal.rfft2d(gw.ones([2, 4])).shape)
      (2, 3)
    """
    del name
    lengths = _fft.lengths_of(fft_length)
    return _fft.real_transforms(input_tensor, lengths, (-2, -1), None)


def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes Fourier transforms of real numbers along the last three axes, of which the last is halved.

    Args:
      input_tensor: tensor of real numbers, of as many axes or more.
      fft_length: lengths along the axes; those there are for `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor; the last axis has `length // 2 + 1` elements.

    Raises:
      TypeError: the numbers are complex.

    Example:
      >>> tuple(gw.signal.rfft3d(gw.ones([2, 2, 4])).shape)
      (2, 2, 3)
    """
    del name
    lengths = _fft.lengths_of(fft_length)
    return _fft.real_transforms(input_tensor, lengths, (-3, -2, -1), None)


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes the real numbers of which these are the transforms along the last axis.

    Args:
      input_tensor: tensor of complex numbers, of as many axes or more.
      fft_length: lengths along the axes; those there are for `None`, and `2 * (length - 1)` along the last.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of real numbers.

    Example:
      >>> gw.signal.irfft(gw.constant([3 + 0j, -1.0])).numpy().tolist()
      [1.0, 2.0]
    """
    del name
    lengths = _fft.lengths_of(fft_length)
    return _fft.inverse_real_transforms(input_tensor, lengths, (-1,), None)


def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes the real numbers of which these are the transforms along the last two axes.

    Args:
      input_tensor: tensor of complex numbers, of as many axes or more.
      fft_length: lengths along the axes; those there are for `None`, and `2 * (length - 1)` along the last.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of real numbers.

    Example:
      >>> tuple(gw.signal.irfft2d(gw.signal.rfft2d(gw.ones([2, 4]))).shape)
      (2, 4)
    """
    del name
    lengths = _fft.lengths_of(fft_length)
    return _fft.inverse_real_transforms(input_tensor, lengths, (-2, -1), None)


def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes the real numbers of which these are the transforms along the last three axes.

    Args:
      input_tensor: tensor of complex numbers, of as many axes or more.
      fft_length: lengths along the axes; those there are for `None`, and `2 * (length - 1)` along the last.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of real numbers.

    Example:
      >>> tuple(gw.signal.irfft3d(gw.signal.rfft3d(gw.ones([2, 2, 4]))).shape)
      (2, 2, 4)
    """
    del name
    lengths = _fft.lengths_of(fft_length)
    return _fft.inverse_real_transforms(input_tensor, lengths, (-3, -2, -1), None)


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Moves the element of frequency zero to the middle.

    Args:
      x: tensor.
      axes: axis or axes; all for `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.signal.fftshift(gw.constant([0.0, 1.0, -1.0])).numpy().tolist()
      [-1.0, 0.0, 1.0]
    """
    del name
    return _fft.shifted(x, axes, False)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Moves the element of frequency zero to the front again.

    Args:
      x: tensor.
      axes: axis or axes; all for `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.signal.ifftshift(gw.constant([-1.0, 0.0, 1.0])).numpy().tolist()
      [0.0, 1.0, -1.0]
    """
    del name
    return _fft.shifted(x, axes, True)


def frame(
    signal: Any,
    frame_length: int,
    frame_step: int,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Cuts the last axis into frames that may overlap.

    Args:
      signal: tensor `(…, samples)` whose last length is known.
      frame_length: number of samples in a frame, a Python integer.
      frame_step: number of samples from one frame to the next.
      pad_end: whether frames that reach over the end are filled up.
      pad_value: number with which they are.
      axis: axis that is cut.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, frames, frame_length)`.

    Example:
      >>> gw.signal.frame(gw.constant([1, 2, 3, 4]), 2, 1).numpy().tolist()
      [[1, 2], [2, 3], [3, 4]]
    """
    del name
    if frame_length < 0 or frame_step < 1:
        raise _native.InvalidArgumentError(
            f"`frame_length` is {frame_length} and `frame_step` {frame_step}: "
            "the one is 0 or more, the other 1 or more"
        )
    x = _native.convert_to_tensor(signal)
    at = axis % x.ndim
    samples = x.shape[at]
    if samples is None:
        raise ValueError("the number of samples is known only when the graph runs: give `signal` a length")
    if pad_end:
        count = -(-samples // frame_step)
        missing = max((count - 1) * frame_step + frame_length - samples, 0)
        x = _arrays.pad(
            x, [(0, missing) if one == at else (0, 0) for one in range(x.ndim)], constant_values=pad_value
        )
    else:
        count = max((samples - frame_length) // frame_step + 1, 0)
    places = [[start * frame_step + k for k in range(frame_length)] for start in range(count)]
    places_of = _native.reshape(_native.constant(places, _native.int64), [count, frame_length])
    return _native.gather(x, places_of, axis=at)


def overlap_and_add(signal: Any, frame_step: int, name: str | None = None) -> Tensor:
    """Adds frames where they overlap.

    Args:
      signal: tensor `(…, frames, frame_length)` whose last lengths are known.
      frame_step: number of samples from one frame to the next, a Python integer.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, samples)`.

    Example:
      >>> gw.signal.overlap_and_add(gw.constant([[1, 2], [3, 4]]), 1).numpy().tolist()
      [1, 5, 4]
    """
    del name
    x = _native.convert_to_tensor(signal)
    count, length = x.shape[-2], x.shape[-1]
    if count is None or length is None:
        raise ValueError("the lengths of frames are known only when the graph runs: give `signal` lengths")
    samples = (count - 1) * frame_step + length if count else 0
    places = [start * frame_step + k for start in range(count) for k in range(length)]
    batch = _arrays.lengths(x)[:-2]
    rows = _native.transpose(_native.reshape(x, [-1, count * length]))
    empty = _native.zeros([samples, _native.shape(rows)[1]], x.dtype)
    found = _native.tensor_scatter_nd_add(
        empty, _native.reshape(_native.constant(places, _native.int64), [-1, 1]), rows
    )
    return _native.reshape(_native.transpose(found), [*batch, samples])


def stft(
    signals: Any,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Callable[..., Any] | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes Fourier transforms of frames that move over the last axis.

    Args:
      signals: tensor `(…, samples)` of real numbers, whose last length is known.
      frame_length: number of samples in a frame.
      frame_step: number of samples from one frame to the next.
      fft_length: length of the transforms; the least power of 2 that holds a frame for `None`.
      window_fn: function of a length and a dtype by whose result frames are multiplied; `None` for none.
      pad_end: whether frames that reach over the end are filled up with zeros.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Complex tensor `(…, frames, fft_length // 2 + 1)`.

    Example:
      >>> tuple(gw.signal.stft(gw.ones([20]), 8, 4).shape)
      (4, 5)
    """
    del name
    frames = frame(signals, frame_length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return rfft(frames, [fft_length or _fft.power_of_2(frame_length)])


def inverse_stft(
    stfts: Any,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Callable[..., Any] | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Computes the samples of which these are the transforms of frames.

    Args:
      stfts: complex tensor `(…, frames, fft_length // 2 + 1)` whose last lengths are known.
      frame_length: number of samples in a frame.
      frame_step: number of samples from one frame to the next.
      fft_length: length of the transforms; the least power of 2 that holds a frame for `None`.
      window_fn: function of a length and a dtype by whose result frames are multiplied; `None` for none.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, samples)` of real numbers.

    Example:
      >>> tuple(gw.signal.inverse_stft(gw.signal.stft(gw.ones([20]), 8, 4), 8, 4).shape)
      (20,)
    """
    del name
    frames = irfft(stfts, [fft_length or _fft.power_of_2(frame_length)])[..., :frame_length]
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


_publish(__name__)

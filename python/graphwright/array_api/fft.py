"""Fourier transforms of the standard's extension `fft`."""

from __future__ import annotations

from typing import Any

from .. import _fft, _native
from .._native import Tensor
from ._operands import default_float, dtype_or, on_device, operand

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]


def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Computes Fourier transforms along an axis."""
    return _fft.transform(operand(x), n, axis, norm, False)


def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Computes inverse Fourier transforms along an axis."""
    return _fft.transform(operand(x), n, axis, norm, True)


def fftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Tensor:
    """Computes Fourier transforms along several axes."""
    return _fft.transforms(operand(x), s, axes, norm, False)


def ifftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Tensor:
    """Computes inverse Fourier transforms along several axes."""
    return _fft.transforms(operand(x), s, axes, norm, True)


def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Computes the first halves of Fourier transforms of real numbers along an axis."""
    return _fft.real_transform(operand(x), n, axis, norm)


def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Computes the real numbers of which these are the first halves of transforms along an axis."""
    return _fft.inverse_real_transform(operand(x), n, axis, norm)


def rfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Tensor:
    """Computes Fourier transforms of real numbers along several axes, of which the last is halved."""
    return _fft.real_transforms(operand(x), s, axes, norm)


def irfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Tensor:
    """Computes the real numbers of which these are transforms along several axes."""
    return _fft.inverse_real_transforms(operand(x), s, axes, norm)


def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Computes the real transforms of numbers whose mirror is their conjugate."""
    return _fft.hermitian(operand(x), n, axis, norm)


def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Computes the first halves of the numbers whose transforms are real."""
    return _fft.inverse_hermitian(operand(x), n, axis, norm)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """Computes the frequencies of a transform of samples at equal distances."""
    on_device(device)
    return _native.constant(_fft.frequencies(n, d, False), dtype_or(dtype, default_float))


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """Computes the frequencies of the first half of a transform."""
    on_device(device)
    return _native.constant(_fft.frequencies(n, d, True), dtype_or(dtype, default_float))


def fftshift(x: Any, /, *, axes: Any = None) -> Tensor:
    """Moves the element of frequency zero to the middle."""
    return _fft.shifted(operand(x), axes, False)


def ifftshift(x: Any, /, *, axes: Any = None) -> Tensor:
    """Moves the element of frequency zero to the front again."""
    return _fft.shifted(operand(x), axes, True)

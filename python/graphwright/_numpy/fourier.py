"""NumPy's Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _fft
from .meant import Meaning, rows, unset


def of_one(transform: Meaning, *options: Any) -> Meaning:
    """A transform along one axis."""

    def meaning(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
        unset(out=out)
        return transform(a, n, axis, norm, *options)

    return meaning


def of_two(transform: Meaning, *options: Any) -> Meaning:
    """A transform along two axes, the last ones unless others are named."""

    def meaning(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
        unset(out=out)
        return transform(a, s, axes, norm, *options)

    return meaning


def of_several(transform: Meaning, *options: Any) -> Meaning:
    """A transform along all axes, or those that are named."""

    def meaning(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
        unset(out=out)
        return transform(a, s, axes, norm, *options)

    return meaning


FOURIER = rows(
    np.fft,
    {
        "fft": of_one(_fft.transform, False),
        "ifft": of_one(_fft.transform, True),
        "rfft": of_one(_fft.real_transform),
        "irfft": of_one(_fft.inverse_real_transform),
        "hfft": of_one(_fft.hermitian),
        "ihfft": of_one(_fft.inverse_hermitian),
        "fft2": of_two(_fft.transforms, False),
        "ifft2": of_two(_fft.transforms, True),
        "rfft2": of_two(_fft.real_transforms),
        "irfft2": of_two(_fft.inverse_real_transforms),
        "fftn": of_several(_fft.transforms, False),
        "ifftn": of_several(_fft.transforms, True),
        "rfftn": of_several(_fft.real_transforms),
        "irfftn": of_several(_fft.inverse_real_transforms),
        "fftshift": lambda x, axes=None: _fft.shifted(x, axes, False),
        "ifftshift": lambda x, axes=None: _fft.shifted(x, axes, True),
    },
)

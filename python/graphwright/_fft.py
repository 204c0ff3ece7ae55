"""Fourier transforms along axes, with the arguments that NumPy's have: lengths, axes and norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _arrays, _native
from ._native import Tensor

#: The power of the number of elements by which a transform is divided, there and back, by the norm's name.
_NORMS: dict[str | None, tuple[float, float]] = {
    None: (0.0, 1.0),
    "backward": (0.0, 1.0),
    "ortho": (0.5, 0.5),
    "forward": (1.0, 0.0),
}


def _scale(norm: str | None, inverse: bool, count: Any) -> Any:
    """The number by which a transform is divided."""
    if norm not in _NORMS:
        raise ValueError(f"`norm` is {norm!r}: it may be 'backward', 'ortho' or 'forward'")
    power = _NORMS[norm][inverse]
    if isinstance(count, int):
        return float(count) ** power
    return _native.pow(_native.cast(count, _native.float64), power)


def _axis(axis: Any, ndim: int) -> int:
    at = int(axis)
    if not -ndim <= at < ndim:
        raise IndexError(f"axis {at} is out of bounds for an array of {ndim} axes")
    return at % ndim


def resized(x: Tensor, length: int, axis: int) -> Tensor:
    """The first elements along an axis, with zeros behind them where there are fewer."""
    if length < 1:
        raise ValueError(f"invalid number of data points ({length}) specified")
    have = x.shape[axis]
    if have == length:
        return x
    if have is None:
        known = _arrays.lengths(x)
        more = _native.zeros([*known[:axis], length, *known[axis + 1 :]], x.dtype)
        x = _native.concat([x, more], axis)
    elif have < length:
        paddings = [(0, length - have) if at == axis else (0, 0) for at in range(x.ndim)]
        return _arrays.pad(x, paddings)
    found: Tensor = x[(slice(None),) * axis + (slice(0, length),)]
    if have is None:
        found = _native.reshape(found, [*known[:axis], length, *known[axis + 1 :]])
    return found


def _complex(x: Any) -> Tensor:
    """The numbers in the complex dtype of their precision."""
    x = _native.convert_to_tensor(x)
    if x.dtype.is_complex:
        found: Tensor = x
        return found
    narrow = x.dtype.is_floating and x.dtype.size <= 4
    return _native.cast(x, _native.complex64 if narrow else _native.complex128)


def transform(x: Any, n: int | None, axis: int, norm: str | None, inverse: bool) -> Tensor:
    """The transform of complex numbers along one axis."""
    x = _complex(x)
    at = _axis(axis, x.ndim)
    x = x if n is None else resized(x, int(n), at)
    count = _arrays.lengths(x)[at]
    from ._numpy.meant import fails

    fails(count != 0, "ValueError", "invalid number of data points (0) specified")
    found = _native.fourier(_arrays.moved(x, at, x.ndim - 1), inverse)
    found = _arrays.moved(found, x.ndim - 1, at)
    scale = _scale(norm, inverse, count)
    if isinstance(scale, float):
        return found if scale == 1.0 else scaled(found, 1.0 / scale)
    return scaled(found, 1.0 / scale)


def scaled(z: Any, factor: Any) -> Tensor:
    """The parts of complex numbers, times a real number."""
    factor = _native.cast(factor, z.dtype.real_dtype)
    return _native.complex(_native.real(z) * factor, _native.imag(z) * factor)


def _real(x: Any) -> Tensor:
    x = _native.convert_to_tensor(x)
    if x.dtype.is_complex:
        raise TypeError("a transform of real numbers takes no complex ones: use `fft`, or their real parts")
    found: Tensor = x
    return found


def real_transform(x: Any, n: int | None, axis: int, norm: str | None) -> Tensor:
    """The first half of the transform of real numbers, of which the other half is the mirror."""
    found = transform(_real(x), n, axis, norm, False)
    at = _axis(axis, found.ndim)
    count = _arrays.lengths(found)[at]
    half: Tensor = found[(slice(None),) * at + (slice(0, count // 2 + 1),)]
    return half


def inverse_real_transform(z: Any, n: int | None, axis: int, norm: str | None) -> Tensor:
    """The real numbers of which this is the first half of the transform."""
    z = _complex(z)
    at = _axis(axis, z.ndim)
    given = z.shape[at]
    if n is None:
        if given is None:
            raise ValueError("`n` is needed where the number of elements is known only when the graph runs")
        n = 2 * (given - 1)
    if n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified")
    half = resized(z, n // 2 + 1, at)
    before = (slice(None),) * at
    # The mirror of all but the first element, and the middle one where their number is even.
    mirror = _native.conj(half[(*before, slice(1, (n + 1) // 2))])
    whole = _native.concat([half, _arrays.reverse(mirror, [at])], at)
    # The parts that have no mirror are taken as real.
    return _native.real(transform(_with_real_ends(whole, n, at), None, at, norm, True))


def _with_real_ends(whole: Tensor, n: int, axis: int) -> Tensor:
    """The elements whose mirror is themselves without imaginary parts."""
    ends = np.zeros(n, np.bool_)
    ends[0] = True
    if n % 2 == 0:
        ends[n // 2] = True
    mask = _native.constant(ends.reshape([n if at == axis else 1 for at in range(whole.ndim)]))
    im = _native.imag(whole)
    return _native.complex(_native.real(whole), _native.where(mask, _native.zeros_like(im), im))


def axes_and_lengths(x: Tensor, s: Any, axes: Any, last: int | None) -> list[tuple[int, int | None]]:
    """The axes of a transform of several, each with its length."""
    if axes is None:
        count = len(s) if s is not None else last or x.ndim
        axes = range(-count, 0)
    axes = [_axis(axis, x.ndim) for axis in axes]
    lengths = [None] * len(axes) if s is None else [None if n in (None, -1) else int(n) for n in s]
    if len(lengths) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return list(zip(axes, lengths, strict=True))


def transforms(x: Any, s: Any, axes: Any, norm: str | None, inverse: bool, last: int | None = None) -> Tensor:
    """The transform of complex numbers along several axes."""
    x = _complex(x)
    for axis, n in reversed(axes_and_lengths(x, s, axes, last)):
        x = transform(x, n, axis, norm, inverse)
    found: Tensor = x
    return found


def real_transforms(x: Any, s: Any, axes: Any, norm: str | None, last: int | None = None) -> Tensor:
    """The transform of real numbers along several axes, of which the last one is halved."""
    x = _real(x)
    *others, (axis, n) = axes_and_lengths(x, s, axes, last)
    found = real_transform(x, n, axis, norm)
    for axis, n in reversed(others):
        found = transform(found, n, axis, norm, False)
    return found


def inverse_real_transforms(z: Any, s: Any, axes: Any, norm: str | None, last: int | None = None) -> Tensor:
    """The real numbers of which this is the transform along several axes."""
    z = _complex(z)
    *others, (axis, n) = axes_and_lengths(z, s, axes, last)
    for other, length in others:
        z = transform(z, length, other, norm, True)
    return inverse_real_transform(z, n, axis, norm)


def hermitian(z: Any, n: int | None, axis: int, norm: str | None) -> Tensor:
    """The transform of numbers whose mirror is their conjugate, which is real."""
    other = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}
    if norm not in other:
        raise ValueError(f"`norm` is {norm!r}: it may be 'backward', 'ortho' or 'forward'")
    return inverse_real_transform(_native.conj(_complex(z)), n, axis, other[norm])


def inverse_hermitian(x: Any, n: int | None, axis: int, norm: str | None) -> Tensor:
    """The first half of the numbers whose transform these real ones are."""
    other = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}
    if norm not in other:
        raise ValueError(f"`norm` is {norm!r}: it may be 'backward', 'ortho' or 'forward'")
    return _native.conj(real_transform(x, n, axis, other[norm]))


def shifted(x: Any, axes: Any, back: bool) -> Tensor:
    """The elements turned so that the one of frequency zero is in the middle, or in front again."""
    x = _native.convert_to_tensor(x)
    if axes is None:
        axes = range(x.ndim)
    elif isinstance(axes, int):
        axes = [axes]
    lengths = _arrays.lengths(x)
    places = [_axis(axis, x.ndim) for axis in axes]
    shifts = [-(lengths[at] // 2) if back else lengths[at] // 2 for at in places]
    for at, shift in zip(places, shifts, strict=True):
        x = _arrays.roll(x, shift, at)
    found: Tensor = x
    return found


def frequencies(n: int, d: float, half: bool) -> Any:
    """The frequencies of a transform of samples at equal distances, as NumPy gives them."""
    return np.fft.rfftfreq(n, d) if half else np.fft.fftfreq(n, d)


def window(length: int, periodic: bool, weights: list[float]) -> Any:
    """A sum of cosines over so many samples."""
    if length < 2:
        return np.ones(length)
    turns = np.arange(length) * (2.0 * math.pi / (length if periodic and length % 2 == 0 else length - 1))
    return sum(weight * (-1) ** k * np.cos(k * turns) for k, weight in enumerate(weights))


def lengths_of(given: Any) -> list[int] | None:
    """Lengths along axes as Python's integers."""
    if given is None:
        return None
    known = given.numpy() if isinstance(given, Tensor) else given
    return [int(n) for n in (known if hasattr(known, "__len__") else [known])]


def power_of_2(n: int) -> int:
    """The least power of 2 that is not below."""
    return int(2 ** math.ceil(math.log2(max(n, 1))))

"""First values of weights, by Keras's names. Each is called with a shape and a dtype."""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _native
from ._more_initializers import (
    GlorotNormal,
    HeNormal,
    Identity,
    LecunNormal,
    LecunUniform,
    TruncatedNormal,
    VarianceScaling,
    fans,
)

__all__ = [
    "Constant",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "Identity",
    "IdentityInitializer",
    "LecunNormal",
    "LecunUniform",
    "Ones",
    "Orthogonal",
    "OrthogonalInitializer",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "VarianceScaling",
    "Zeros",
    "constant",
    "deserialize",
    "get",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "serialize",
    "truncated_normal",
    "variance_scaling",
    "zeros",
]

#: A maker of the first value of a variable of a shape and a dtype.
Initializer = Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class Constant:
    """Fills with one number.

    Args:
      value: the number.

    Example:
      >>> gw.keras.initializers.Constant(2.0)([2]).numpy().tolist()
      [2.0, 2.0]
    """

    value: float = 0.0

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """A tensor of that shape."""
        return _native.fill(shape, _native.cast(self.value, dtype or _native.float32))


class Zeros(Constant):
    """Fills with zeros.

    Example:
      >>> gw.keras.initializers.Zeros()([2]).numpy().tolist()
      [0.0, 0.0]
    """

    def __init__(self) -> None:
        super().__init__(0.0)


class Ones(Constant):
    """Fills with ones.

    Example:
      >>> gw.keras.initializers.Ones()([2]).numpy().tolist()
      [1.0, 1.0]
    """

    def __init__(self) -> None:
        super().__init__(1.0)


@dataclasses.dataclass(frozen=True)
class RandomUniform:
    """Draws uniformly from `[minval, maxval)`.

    Args:
      minval: least value.
      maxval: bound that is not reached.
      seed: seed of the numbers.

    Example:
      >>> gw.keras.initializers.RandomUniform(seed=1)([2, 3]).shape
      (2, 3)
    """

    minval: float = -0.05
    maxval: float = 0.05
    seed: int | None = None

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """A tensor of that shape."""
        return _uniform(shape, self.minval, self.maxval, dtype, self.seed)


@dataclasses.dataclass(frozen=True)
class RandomNormal:
    """Draws from a normal distribution.

    Args:
      mean: mean.
      stddev: standard deviation.
      seed: seed of the numbers.

    Example:
      >>> gw.keras.initializers.RandomNormal(seed=1)([2, 3]).shape
      (2, 3)
    """

    mean: float = 0.0
    stddev: float = 0.05
    seed: int | None = None

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """A tensor of that shape."""
        return _normal(shape, self.mean, self.stddev, dtype, self.seed)


@dataclasses.dataclass(frozen=True)
class GlorotUniform:
    """Draws uniformly within `sqrt(6 / (fan_in + fan_out))` of zero.

    Args:
      seed: seed of the numbers.

    Example:
      >>> gw.keras.initializers.GlorotUniform(seed=1)([2, 3]).shape
      (2, 3)

    Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks",
      2010.
    """

    seed: int | None = None

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """A tensor of that shape."""
        limit = math.sqrt(6.0 / max(1, builtins.sum(fans(shape))))
        return _uniform(shape, -limit, limit, dtype, self.seed)


@dataclasses.dataclass(frozen=True)
class HeUniform:
    """Draws uniformly within `sqrt(6 / fan_in)` of zero.

    Args:
      seed: seed of the numbers.

    Example:
      >>> gw.keras.initializers.HeUniform(seed=1)([2, 3]).shape
      (2, 3)

    Source: He et al., "Delving Deep into Rectifiers", 2015.
    """

    seed: int | None = None

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """A tensor of that shape."""
        limit = math.sqrt(6.0 / max(1, fans(shape)[0]))
        return _uniform(shape, -limit, limit, dtype, self.seed)


@dataclasses.dataclass(frozen=True)
class Orthogonal:
    """A matrix whose rows or columns are orthonormal, times `gain` (Saxe et al., 2014).

    Of more than two axes all but the last are the rows.

    Args:
      gain: factor of the matrix.
      seed: seed of the numbers.

    Example:
      >>> matrix = gw.keras.initializers.Orthogonal(seed=1)([2, 2])
      >>> bool(gw.reduce_all(abs(matrix @ gw.transpose(matrix) - gw.eye(2)) < 1e-5))
      True

    Source: Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural
      networks", 2014.
    """

    gain: float = 1.0
    seed: int | None = None

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """A tensor of that shape."""
        if len(shape) < 2:
            raise ValueError(f"an orthogonal matrix has two axes or more, not the shape {tuple(shape)}")
        rows, columns = math.prod(shape[:-1]), shape[-1]
        tall = max(rows, columns), min(rows, columns)
        q, r = np.linalg.qr(_normal(tall, 0.0, 1.0, _native.float64, self.seed).numpy())
        q = q * np.sign(np.diag(r))
        found = (q if rows >= columns else q.T).reshape(shape)
        return _native.constant(self.gain * found, dtype or _native.float32)


def _uniform(shape: Sequence[int], low: float, high: float, dtype: Any, seed: int | None) -> Any:
    dtype = dtype or _native.float32
    if seed is None:
        return _native.random_uniform(shape, low, high, dtype)
    return _native.stateless_uniform(shape, [seed, 0], low, high, dtype)


def _normal(shape: Sequence[int], mean: float, deviation: float, dtype: Any, seed: int | None) -> Any:
    dtype = dtype or _native.float32
    if seed is None:
        return _native.random_normal(shape, mean, deviation, dtype)
    return _native.stateless_normal(shape, [seed, 0], mean, deviation, dtype)


#: Keras's other names.
IdentityInitializer = Identity
OrthogonalInitializer = Orthogonal
constant = Constant
glorot_normal = GlorotNormal
glorot_uniform = GlorotUniform
he_normal = HeNormal
he_uniform = HeUniform
identity = Identity
lecun_normal = LecunNormal
lecun_uniform = LecunUniform
ones = Ones
orthogonal = Orthogonal
random_normal = RandomNormal
random_uniform = RandomUniform
truncated_normal = TruncatedNormal
variance_scaling = VarianceScaling
zeros = Zeros

_CLASSES: list[Callable[..., Initializer]] = [
    Constant,
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    Identity,
    LecunNormal,
    LecunUniform,
    Ones,
    Orthogonal,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    VarianceScaling,
    Zeros,
]
KNOWN: dict[str, Callable[..., Initializer]] = {
    "normal": RandomNormal,
    "one": Ones,
    "uniform": RandomUniform,
    "zero": Zeros,
}
KNOWN |= {name: globals()[name] for name in __all__ if globals().get(name) in _CLASSES}


def get(identifier: str | Initializer) -> Initializer:
    """Looks up an initializer.

    Args:
      identifier: name, initializer, or a dict that `serialize` has made.

    Returns:
      Initializer.

    Raises:
      ValueError: there is no such name.

    Example:
      >>> gw.keras.initializers.get("ones")([2]).numpy().tolist()
      [1.0, 1.0]
    """
    if isinstance(identifier, str) and identifier in KNOWN:
        return KNOWN[identifier]()
    if isinstance(identifier, dict):
        return KNOWN[identifier["class_name"]](**identifier.get("config", {}))
    if callable(identifier):
        return identifier
    raise ValueError(f"there is no initializer {identifier!r}; those with names are {', '.join(KNOWN)}")


def serialize(initializer: Initializer) -> dict[str, Any]:
    """Describes an initializer of this module.

    Args:
      initializer: the initializer.

    Returns:
      Dict of `class_name` and `config`.

    Raises:
      ValueError: the initializer is another one.

    Example:
      >>> told = gw.keras.initializers.serialize(gw.keras.initializers.Constant(2.0))
      >>> gw.keras.initializers.deserialize(told)([1]).numpy().tolist()
      [2.0]
    """
    name = type(initializer).__name__
    if type(initializer) not in _CLASSES:
        raise ValueError(f"`{initializer}` is no initializer with a name")
    taken = inspect.signature(type(initializer)).parameters
    config = {part: value for part, value in vars(initializer).items() if part in taken}
    return {"class_name": name, "config": config}


deserialize = get

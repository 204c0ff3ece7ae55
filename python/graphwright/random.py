"""Random numbers, under TensorFlow's names; the same seed gives the same ones everywhere."""

from types import SimpleNamespace as _SimpleNamespace

from ._native import RandomGenerator as Generator
from ._native import random_normal as normal
from ._native import random_uniform as uniform
from ._native import set_seed, shuffle, stateless_normal, stateless_uniform
from ._tensorflow.harmless import get_global_generator, set_global_generator
from ._tensorflow.random import (
    categorical,
    fold_in,
    gamma,
    poisson,
    split,
    stateless_categorical,
    stateless_gamma,
    stateless_poisson,
    stateless_shuffle,
    stateless_truncated_normal,
    truncated_normal,
)

#: TensorFlow's namespace of the same name.
experimental = _SimpleNamespace(
    stateless_shuffle=stateless_shuffle, stateless_split=split, stateless_fold_in=fold_in, Generator=Generator
)

__all__ = [
    "Generator",
    "categorical",
    "experimental",
    "fold_in",
    "gamma",
    "get_global_generator",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]

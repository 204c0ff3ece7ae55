"""Random numbers, under TensorFlow's names; the same seed gives the same ones everywhere."""

from ._native import RandomGenerator as Generator
from ._native import random_normal as normal
from ._native import random_uniform as uniform
from ._native import set_seed, shuffle, stateless_normal, stateless_uniform

__all__ = [
    "Generator",
    "normal",
    "set_seed",
    "shuffle",
    "stateless_normal",
    "stateless_uniform",
    "uniform",
]

"""What the tests of derivatives share: numbers to derive at, and JAX as wide as they are."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import graphwright as gw

RANDOM = np.random.default_rng(7)


@pytest.fixture(scope="module")
def in_double_precision():
    """JAX computes as wide as its arguments are, in one file alone."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def numbers(*shape):
    """Numbers between 0.3 and 1.7, none of them twice."""
    return RANDOM.uniform(0.3, 1.7, shape)


def wide(args):
    """Tensors in double precision."""
    return [gw.constant(arg, gw.float64) for arg in args]

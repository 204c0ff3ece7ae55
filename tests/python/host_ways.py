"""Functions that call the host, in three ways."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

NUMBER = gw.TensorSpec([], gw.float32)
ROW = gw.TensorSpec([None], gw.float32)


def plainly(f, *args):
    return f(*args)


def converted(f, *args):
    return gw.autograph.to_graph(f)(*args)


def staged(f, *args):
    return gw.function(f)(*args)


three_ways = pytest.mark.parametrize("way", [plainly, converted, staged])


def values(structure):
    if isinstance(structure, (list, tuple)):
        return type(structure)(values(one) for one in structure)
    if isinstance(structure, dict):
        return {key: values(one) for key, one in structure.items()}
    return np.asarray(structure).tolist() if isinstance(structure, gw.Tensor) else structure

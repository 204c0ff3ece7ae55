"""einops rearranges, reduces and repeats tensors, by itself and by its module of the Array API."""

import subprocess
import sys

import numpy as np
import pytest

import graphwright as gw


def test_einops():
    einops = pytest.importorskip("einops.array_api")
    x = gw.constant(np.arange(24.0).reshape(2, 3, 4))

    def turned(x):
        return einops.rearrange(x, "a b c -> c (a b)")

    def pooled(x):
        return einops.reduce(x, "a (b two) c -> a b c", "mean", two=3)

    def spread(x):
        return einops.repeat(x, "a b c -> a b c d", d=2)

    for function in (turned, pooled, spread):
        wanted = function(np.asarray(x))
        assert np.array_equal(function(x).numpy(), wanted), function


PATTERNS = {
    "rearrange": lambda e, x: e.rearrange(x, "a b c -> c (a b)"),
    "of a list": lambda e, x: e.rearrange([x, x], "k a b c -> a b c k"),
    "split": lambda e, x: e.rearrange(x, "a (b two) c -> two a b c", two=3),
    "mean": lambda e, x: e.reduce(x, "a b c -> a c", "mean"),
    "max": lambda e, x: e.reduce(x, "(a q) b c -> a b", "max", q=2),
    "repeat": lambda e, x: e.repeat(x, "a b c -> a b c k", k=2),
    "einsum": lambda e, x: e.einsum(x, x, "a b c, a b d -> c d"),
    "pack": lambda e, x: e.pack([x, x], "a b *")[0],
    "length": lambda e, x: np.ones(3) * e.parse_shape(x, "a b c")["b"],
}


@pytest.mark.parametrize("name", PATTERNS)
def test_einops_itself(name):
    einops, pattern = pytest.importorskip("einops"), PATTERNS[name]
    array = np.arange(24.0).reshape(2, 3, 4)
    wanted = pattern(einops, array)
    staged = gw.function(lambda x: pattern(einops, x))
    of_any = gw.function(lambda x: pattern(einops, x), [gw.TensorSpec([None, 3, None], gw.float64)])
    for found in (pattern(einops, gw.constant(array)), staged(array), of_any(gw.constant(array))):
        assert isinstance(found, gw.Tensor | np.ndarray) and np.array_equal(np.asarray(found), wanted)


@pytest.mark.parametrize("first", ["graphwright", "einops"])
def test_einops_is_imported_before_or_after(first):
    pytest.importorskip("einops")
    second = "einops" if first == "graphwright" else "graphwright"
    program = f"""
import {first}
import {second}
import sys
from einops import rearrange
assert rearrange(graphwright.ones([2, 3]), "a b -> b a").shape == (3, 2)
assert not any(type(finder).__module__ == "graphwright._einops" for finder in sys.meta_path)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

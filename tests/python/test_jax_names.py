"""The page of the names of `jax.numpy`."""

from __future__ import annotations

import re

import jax
import pytest

import graphwright as gw
import jax_names


def is_of_the_page():
    found = re.search(r"JAX (\S+) offers", jax_names.PAGE.read_text(encoding="utf-8"))
    return found is not None and found.group(1) == jax.__version__


@pytest.mark.skipif(not is_of_the_page(), reason="the page tells the names of another version of JAX")
def test_the_page_shows_the_table():
    assert jax_names.PAGE.read_text(encoding="utf-8") == jax_names.page(), (
        "write it by `python tests/python/jax_names.py`"
    )


def test_nine_of_ten_names_are_there():
    found = [jax_names.same(name) for name in jax_names.names()]
    assert sum(one is not None for one in found) >= 0.9 * len(found)


def test_each_name_here_exists():
    for name in jax_names.names():
        if (path := jax_names.same(name)) is not None:
            value = jax_names._value(path)
            assert value is not None or path.endswith("newaxis"), path


def test_remedies_exist():
    for instead in jax_names.ABSENT.values():
        for path in re.findall(r"`(gw(?:\.\w+)+)", instead):
            assert jax_names._value(path) is not None, path


@pytest.mark.parametrize("name", ["sinc", "logaddexp2", "linalg.pinv", "fft.rfft"])
def test_functions_take_tensors(name):
    function = jax_names._value(f"np.{name}")
    given = [gw.ones([3, 3])] * (2 if name == "logaddexp2" else 1)
    staged = gw.function(lambda *given: function(*given))
    for found in (function(*given), staged(*given)):
        assert isinstance(found, gw.Tensor)

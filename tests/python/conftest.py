"""No test reads code that another run of the tests kept on the disk."""

import os

os.environ["GRAPHWRIGHT_CACHE"] = "0"  # read once, when the first function is compiled

import pytest

import graphwright as gw


@pytest.fixture
def strict_promotion():
    """Tensors of different dtypes do not meet."""
    gw.config.set_dtype_promotion("strict")
    yield
    gw.config.set_dtype_promotion("standard")

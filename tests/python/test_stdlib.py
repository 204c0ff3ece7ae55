"""Every function of the standard library converts, and CPython's own tests pass on the converted ones."""

import importlib.util

import pytest

import stdlib


def test_every_function_converts():
    found = stdlib.in_process_of_its_own()
    assert found["refused"] == []
    assert len(found["converted"]) > 5000


@pytest.mark.parametrize("suite", stdlib.QUICK)
def test_suite(suite):
    # Debian and others pack `test` apart from the interpreter.
    if importlib.util.find_spec("test") is None or importlib.util.find_spec(f"test.{suite}") is None:
        pytest.skip("this Python comes without its tests")
    found = stdlib.in_process_of_its_own(suite)
    assert found["bad"] == [], found["said"]
    assert found["ran"] > 0
    assert found["converted"] > 0

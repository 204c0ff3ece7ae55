"""Stores into an array whose elements share memory: refused at the line of the store, never lost."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import graphwright as gw


@gw.function
def _store(a):
    a[0, 1] = 9.0
    return a * 1


def _arrays():
    line = np.arange(24.0)
    yield "windows", as_strided(line, (3, 2), (8, 8)), True
    yield "rows that are the same", as_strided(line, (3, 2), (0, 8)), True
    yield "a step less than a row", as_strided(line, (2, 3), (16, 8)), True
    yield "every other column", line.reshape(4, 6)[:, ::2], False
    yield "transposed", line.reshape(4, 6).T, False
    yield "reversed", line.reshape(4, 6)[::-1, ::-1], False
    yield "one row", as_strided(line, (1, 3), (0, 8)), False


@pytest.mark.parametrize(
    ("name", "array", "is_folded"), [*_arrays()], ids=lambda value: value if isinstance(value, str) else ""
)
def test_stores_are_seen_or_refused(name, array, is_folded):
    for _ in range(2):
        before = array.copy()
        if is_folded:
            with pytest.raises(Exception, match="share memory") as found:
                _store(array)
            assert "a[0, 1] = 9.0" in str(found.value) and (array == before).all()
        else:
            before[0, 1] = 9.0
            assert (_store(array).numpy() == before).all() and (array == before).all()

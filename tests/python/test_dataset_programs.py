"""Random pipelines of `gw.data` give what the same steps give of a list: in Python, in graphs, and gone on with."""

from __future__ import annotations

import pytest

from random_pipelines import run


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
@pytest.mark.parametrize("seed", range(40))
def test_random_pipelines(seed: int) -> None:
    run(seed)

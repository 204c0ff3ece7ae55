"""The pages of `docs/python/`: each block runs natively, converted and staged, and the three agree."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from pages import ROOT, blocks
from three_ways import check

PAGES = sorted((ROOT / "docs" / "python").glob("*.md"))
BLOCKS = [block for page in PAGES for block in blocks(page) if block.language == "py"]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"{block.page.stem}-{block.heading}")
def test_page(block):
    calls = []

    def counted(function, *args):
        calls.append(function)
        check(function, *args)

    block.run({"__name__": "page", "gw": gw, "np": np, "check": counted})
    assert calls, f"{block.page}:{block.line}: the block checks nothing"


def test_there_are_pages():
    names = {page.stem for page in PAGES}
    assert names >= {"if", "while", "for", "break-continue", "return", "logic", "calls", "state"}

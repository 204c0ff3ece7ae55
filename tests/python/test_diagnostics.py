"""Each page of `docs/diagnostics/`: its example raises exactly its diagnostic, the repaired one nothing."""

from __future__ import annotations

import builtins
import re

import numpy as np
import pytest

import graphwright as gw
from pages import ROOT, blocks

TABLE = (ROOT / "crates" / "base" / "src" / "diagnostic.rs").read_text(encoding="utf-8")
RAISES = dict(re.findall(r'^\s*"(GW\d{3})"\s+\w+\s+(\w+)', TABLE, re.MULTILINE))
PAGES = {page.stem: page for page in sorted((ROOT / "docs" / "diagnostics").glob("GW*.md"))}

#: The exceptions of the table that are not Python's own.
OURS = {
    "OperatorNotAllowed": ("OperatorNotAllowedInGraphError", TypeError),
    "Conversion": ("ConversionError", ValueError),
    "UnboundLocal": ("UnboundLocalError", UnboundLocalError),
    "Index": ("IndexError", IndexError),
    "InvalidArgument": ("InvalidArgumentError", TypeError),
    "Leaked": ("LeakedTensorError", AttributeError),
    "ImplicitCopy": ("ImplicitCopyError", TypeError),
}


def exception_of(row):
    """The name and the built-in type of the exception that a row of the table is raised as."""
    return OURS.get(row) or (row, getattr(builtins, row))


def block_under(code, heading):
    """The only `py` block under a heading of a diagnostic's page."""
    (found,) = [b for b in blocks(PAGES[code]) if b.heading == heading and b.language == "py"]
    return found


def names():
    return {"__name__": "page", "gw": gw, "np": np}


def test_every_row_has_its_page():
    assert sorted(RAISES) == sorted(PAGES)


@pytest.mark.parametrize("code", sorted(PAGES))
def test_example_raises_it(code):
    name, base = exception_of(RAISES[code])
    with pytest.raises(base) as caught:
        block_under(code, "Example").run(names())
    message = str(caught.value)
    codes = set(re.findall(r"GW\d{3}", message))
    assert codes == {code}, f"the message says {codes or 'no code'}: {message}"
    assert name in {kind.__name__ for kind in type(caught.value).__mro__}


@pytest.mark.parametrize("code", sorted(PAGES))
def test_repaired_example_does_not(code):
    block_under(code, "Instead").run(names())


@pytest.mark.parametrize("code", sorted(PAGES))
def test_a_failure_leaves_everything_usable(code):
    """After the example has failed it fails again the same way, and the repaired one works."""
    for _ in range(2):
        with pytest.raises(exception_of(RAISES[code])[1], match=code):
            block_under(code, "Example").run(names())
    block_under(code, "Instead").run(names())


@pytest.mark.parametrize("code", sorted(PAGES))
def test_page_begins_with_its_code_and_title(code):
    title = re.search(rf'"{code}"[^"]*"([^"]*)"', TABLE)[1]
    first = PAGES[code].read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# {code}: {title}"

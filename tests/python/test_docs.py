"""The pages of `docs/python/`: each block runs natively, converted and staged, and the three agree.

A block calls `check(function, *arguments)`, or `refuses(code, function, *arguments)` where staging is refused by a
located diagnostic. What a block shows has to be in a graph; a block whose construct is Python's in all three ways is
marked `py python`, and one that needs Python 3.12 `py since312`.
"""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

import graphwright as gw
from pages import ROOT, blocks
from three_ways import check, printed, tensor

pytestmark = pytest.mark.usefixtures("same_graphs")

PAGES = sorted((ROOT / "docs" / "python").rglob("*.md"))
BLOCKS = [block for page in PAGES for block in blocks(page) if block.language == "py"]

#: What a graph says in words of its own, by Python's, and why.
OWN_WORDS = {
    r"maximum recursion depth exceeded": "Python adds what it was doing when its stack ended",
    r"NoneType": "what may be `None` is one kind of value in the graph, whatever is done with it",
    r"broadcast|mismatch in its core dimension": "a graph names the lengths that do not fit, not whole shapes",
    r"cannot convert float infinity": "one check is for all floats that no integer of 64 bits is",
    r"-3": "an exception of the user's own holds a tensor",
}

#: What the graphs of a page hold; of the other pages they hold any operation.
BRANCH = {"cond", "select"}
HOLDS = {
    "if": BRANCH,
    "conditional-expressions": BRANCH,
    "match": BRANCH,
    "while": {"while"},
    "for": {"while"},
    "break-continue": {"while"},
    "stores": {"put", "select"},
}


def operations(function, args):
    """The names of the operations in a function's graph; none if there is no graph."""
    try:
        graph = gw.function(function).get_concrete_function(*map(tensor, args)).graph
    except Exception:
        return set()
    return set(re.findall(r"^ *(?:%[\w, %]+ = )?(\w+)", str(graph), re.MULTILINE)) - {
        "func",
        "const",
        "return",
        "yield",
    }


def is_said_alike(ours, native):
    """Whether two messages are one, but for a diagnostic's code and for words that are the graph's own."""
    code = re.match(r"GW\d{3}: ", ours)
    is_located = code is not None and "\n" in ours
    own = any(re.search(words, native) for words in OWN_WORDS)
    return own or is_located or ours.removeprefix(code[0] if code else "") == native


class Ways:
    """What a block may call, and what the block was seen to do."""

    def __init__(self, block):
        self.block = block
        self.called = 0
        self.refused = 0
        self.operations = set()

    def check(self, function, *args):
        """The three ways agree."""
        self.called += 1
        check(function, *args, messages=is_said_alike)
        self.operations |= printed(lambda: operations(function, args))[0]

    def refuses(self, code, function, *args):
        """Plain and converted Python agree, and staging is refused on a line of the block."""
        self.called += 1
        self.refused += 1
        message = check(function, *args, refusal=True)
        assert message is not None, f"{function.__name__}{args} is staged"
        assert message.startswith(code), message
        assert f"--> {self.block.file}:" in message, message

    def unread(self, code, function):
        """The function is not converted at all: its source cannot be read."""
        self.called += 1
        self.refused += 1
        with pytest.raises(gw.errors.ConversionError, match=code):
            gw.autograph.to_graph(function)


#: The marks of blocks that need a newer Python than the oldest.
SINCE = {"since311": (3, 11), "since312": (3, 12), "since314": (3, 14)}
RUNNABLE = [
    block for block in BLOCKS if all(sys.version_info >= SINCE.get(mark, (3,)) for mark in block.marks)
]


@pytest.mark.parametrize(
    "block", RUNNABLE, ids=lambda block: f"{block.page.parent.name}-{block.page.stem}-{block.heading}"
)
def test_page(block):
    ways = Ways(block)
    names = {"__name__": "page", "gw": gw, "np": np, "check": ways.check, "refuses": ways.refuses}
    names["unread"] = ways.unread
    block.run(names)
    assert ways.called, f"{block.page}:{block.line}: the block checks nothing"
    assert block.marks <= {"python", *SINCE}
    if "python" not in block.marks and not ways.refused:
        wanted = HOLDS.get(block.page.stem, ways.operations)
        assert ways.operations & wanted, f"{block.page}:{block.line}: only {ways.operations} in the graph"


def test_there_are_enough_blocks():
    assert len(BLOCKS) >= 150


def test_the_index_has_every_page():
    index = (ROOT / "docs" / "python" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([\w/-]+)\.md\)", index)
    pages = [page.relative_to(ROOT / "docs" / "python").with_suffix("").as_posix() for page in PAGES]
    assert sorted(listed) == sorted(page for page in pages if page != "README")


def test_every_row_of_exactness_has_its_block():
    headings = {block.heading for block in BLOCKS if block.page.stem == "exactness"}
    assert {int(heading.split(".")[0]) for heading in headings} == set(range(1, 13))

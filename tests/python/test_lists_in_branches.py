"""Lists that one branch empties, and of which another one that raises deletes an item."""

from __future__ import annotations

import pytest

import graphwright as gw
from array_programs import function_of

RAISES = [
    "if late:\n            {change}",
    "print(late)\n        {change}",
    "raise KeyError\n        {change}",
]
CHANGES = ["del xs[0]", "xs.pop(0)", "xs[0] = n"]
OTHERS = ["xs.clear()", "del xs[:]", "xs[0] = 9", "xs.pop()"]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("other", OTHERS)
def test_the_branch_that_is_taken_decides(change, other):
    for raises in RAISES:
        body = raises.format(change=change)
        text = (
            f"def f(n):\n    xs = [4]\n    if n > 5:\n        {body}\n    else:\n        {other}\n"
            "    if n > 100:\n        late = 1\n    return n\n"
        )
        function, _ = function_of(text, f"{raises} {change} {other}")
        try:
            ours = gw.function(function)(gw.constant(1))
        except ValueError as error:
            assert str(error).startswith("GW103"), text  # noqa: PT017
            continue
        assert ours == function(1), text

"""Lists that an index of the graph chose among others, written over these.

The graph runs this, converted as the user's functions are.
"""

from __future__ import annotations

from typing import Any


def put(lists: Any, index: Any, chosen: Any) -> None:
    """Gives the list at an index what the list holds that was chosen there."""
    for at, one in enumerate(lists):
        if index == at:
            one[:] = chosen

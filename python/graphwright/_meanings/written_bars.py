"""`tqdm` as Python writes it; the graph runs this, converted as the user's functions are."""

from __future__ import annotations

from typing import Any


def ticked(items: Any, total: Any, bar: Any) -> Any:
    """`tqdm(items)`"""
    bar.open(total)
    done = 0
    due = 0
    for item in items:
        if done >= due:
            due = bar.tick(done)
        yield item
        done = done + 1
    bar.close(done)

"""The functions of `heapq` as Python writes them; the graph runs these, converted."""

from __future__ import annotations

from typing import Any

from .. import _native


def less(a: Any, b: Any) -> Any:
    """`a < b`, of tuples in the order of their parts."""
    if not isinstance(a, tuple):
        return a < b
    result: Any = False
    for x, y in zip(a[::-1], b[::-1], strict=False):
        result = less(x, y) or (x == y and result)
    return result


def sift_down(heap: Any, first: Any, at: Any) -> None:
    """Moves the item at a place up to where it is no less than its parent."""
    item = heap[at]
    while at > first:
        parent = heap[(at - 1) >> 1]
        if not less(item, parent):
            break
        heap[at] = parent
        at = (at - 1) >> 1
    heap[at] = item


def sift_up(heap: Any, at: Any) -> None:
    """Moves the least child of a place up until there is none, and the item to where it belongs."""
    first, end, item = at, len(heap), heap[at]
    child = 2 * at + 1
    while child < end:
        if child + 1 < end and not less(heap[child], heap[child + 1]):
            child = child + 1
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    sift_down(heap, first, at)


def push(heap: Any, item: Any) -> None:
    """`heapq.heappush(heap, item)`"""
    heap.append(item)
    sift_down(heap, 0, len(heap) - 1)


def pop(heap: Any) -> Any:
    """`heapq.heappop(heap)`"""
    last = _native.take_last(heap, "index out of range")
    if len(heap) > 0:
        least = heap[0]
        heap[0] = last
        sift_up(heap, 0)
        last = least
    return last


def push_pop(heap: Any, item: Any) -> Any:
    """`heapq.heappushpop(heap, item)`"""
    if len(heap) > 0 and less(heap[0], item):
        item, heap[0] = heap[0], item
        sift_up(heap, 0)
    return item


def replace(heap: Any, item: Any) -> Any:
    """`heapq.heapreplace(heap, item)`"""
    least = heap[0]
    heap[0] = item
    sift_up(heap, 0)
    return least


def heapify(heap: Any) -> None:
    """`heapq.heapify(heap)`"""
    at = len(heap) // 2 - 1
    while at >= 0:
        sift_up(heap, at)
        at = at - 1

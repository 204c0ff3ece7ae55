"""Methods of dicts and sets of the graph, written over the lists that hold their pairs or elements.

`pairs` are those of a dict in the order in which their keys came, `items` the elements of a set. The graph
runs these, converted as the user's functions are.
"""

from __future__ import annotations

from typing import Any

from .. import _native

place = _native.key_place
found = _native.key_found


def store(pairs: Any, key: Any, value: Any) -> None:
    """`d[key] = value`"""
    at = place(pairs, key, True)
    if at >= 0:
        pairs[at] = (pairs[at][0], value)
    else:
        pairs.append((key, value))


def get(pairs: Any, key: Any, default: Any = None) -> Any:
    """`d.get(key, default)`"""
    at = place(pairs, key, True)
    if at >= 0:
        return pairs[at][1]
    return default


def set_default(pairs: Any, key: Any, default: Any = None) -> Any:
    """`d.setdefault(key, default)`"""
    at = place(pairs, key, True)
    if at >= 0:
        return pairs[at][1]
    pairs.append((key, default))
    return default


def pop(pairs: Any, key: Any) -> Any:
    """`d.pop(key)`, and `del d[key]`"""
    return pairs.pop(found(pairs, key, True))[1]


def pop_or(pairs: Any, key: Any, default: Any) -> Any:
    """`d.pop(key, default)`"""
    at = place(pairs, key, True)
    if at >= 0:
        return pairs.pop(at)[1]
    return default


def update(pairs: Any, others: Any) -> None:
    """`d.update(others)`"""
    for key, value in others:
        store(pairs, key, value)


def equal_dicts(pairs: Any, others: Any) -> Any:
    """`d == e`"""
    equal = len(pairs) == len(others)
    if equal:
        for key, value in pairs:
            at = place(others, key, True)
            if at < 0 or others[at][1] != value:
                equal = False
                break
    return equal


def add(items: Any, item: Any) -> None:
    """`s.add(item)`"""
    if place(items, item, False) < 0:
        items.append(item)


def remove(items: Any, item: Any) -> None:
    """`s.remove(item)`"""
    items.pop(found(items, item, False))


def discard(items: Any, item: Any) -> None:
    """`s.discard(item)`"""
    at = place(items, item, False)
    if at >= 0:
        items.pop(at)


def add_all(items: Any, others: Any) -> None:
    """`s.update(others)`"""
    for item in others:
        add(items, item)


def union(items: Any, others: Any) -> Any:
    """`s | t`"""
    both = items.copy()
    add_all(both, others)
    return both


def intersection(items: Any, others: Any) -> Any:
    """`s & t`"""
    kept: Any = []
    for item in items:
        if place(others, item, False) >= 0:
            kept.append(item)
    return kept


def difference(items: Any, others: Any) -> Any:
    """`s - t`"""
    kept: Any = []
    for item in items:
        if place(others, item, False) < 0:
            kept.append(item)
    return kept


def symmetric_difference(items: Any, others: Any) -> Any:
    """`s ^ t`"""
    return difference(items, others) + difference(others, items)


def is_subset(items: Any, others: Any) -> Any:
    """`s <= t`"""
    inside = True
    for item in items:
        if place(others, item, False) < 0:
            inside = False
            break
    return inside


def is_less(items: Any, others: Any) -> Any:
    """`s < t`"""
    return len(items) < len(others) and is_subset(items, others)


def equal_sets(items: Any, others: Any) -> Any:
    """`s == t`"""
    return len(items) == len(others) and is_subset(items, others)


def is_disjoint(items: Any, others: Any) -> Any:
    """`s.isdisjoint(t)`"""
    apart = True
    for item in items:
        if place(others, item, False) >= 0:
            apart = False
            break
    return apart


def ranked(items: Any, key: Any) -> Any:
    """Results of `key` for each item, for `sorted(items, key=key)`."""
    ranks = []
    for item in items:
        ranks.append(key(item))
    return ranks

"""Functions of `itertools`, and `dict.fromkeys`, as Python writes them, for what the graph iterates.

Where items are left out before one is yielded, `iter` refuses a list of the graph that Python iterates.
"""

from __future__ import annotations

import operator
from typing import Any


def accumulate(iterable: Any, func: Any = None, *, initial: Any = None) -> Any:
    """`itertools.accumulate(iterable, func, initial=initial)`"""
    join = operator.add if func is None else func
    is_first = initial is None
    if not is_first:
        total = initial
        yield total
    for item in iterable:
        if is_first:
            total = item
            is_first = False
        else:
            total = join(total, item)
        yield total


def chain(*iterables: Any) -> Any:
    """`itertools.chain(*iterables)`"""
    for iterable in iterables:
        yield from iterable


def from_iterable(iterables: Any) -> Any:
    """`itertools.chain.from_iterable(iterables)`"""
    for iterable in iterables:
        yield from iterable


def fromkeys(keys: Any, value: Any) -> Any:
    """`dict.fromkeys(keys, value)`"""
    found = {}
    for key in keys:
        found[key] = value
    return found


def dropwhile(predicate: Any, iterable: Any, /) -> Any:
    """`itertools.dropwhile(predicate, iterable)`"""
    drops = True
    for item in iter(iterable):
        if drops and not predicate(item):
            drops = False
        if not drops:
            yield item


def filterfalse(predicate: Any, iterable: Any, /) -> Any:
    """`itertools.filterfalse(predicate, iterable)`"""
    for item in iter(iterable):
        if not (item if predicate is None else predicate(item)):
            yield item


def between(iterable: Any, start: Any, stop: Any, step: Any) -> Any:
    """`itertools.islice(iterable, start, stop, step)`: no item behind the last is taken"""
    at, wanted = 0, start
    if stop is None or stop > 0:
        for item in iter(iterable):
            if at == wanted:
                yield item
                wanted = wanted + step
            at = at + 1
            if stop is not None and at >= stop:
                break


def pairwise(iterable: Any, /) -> Any:
    """`itertools.pairwise(iterable)`"""
    before: list[Any] = []
    for item in iter(iterable):
        for one in before:
            yield one, item
        before = [item]


def starmap(function: Any, iterable: Any, /) -> Any:
    """`itertools.starmap(function, iterable)`"""
    for items in iterable:
        yield function(*items)


def takewhile(predicate: Any, iterable: Any, /) -> Any:
    """`itertools.takewhile(predicate, iterable)`"""
    for item in iterable:
        if not predicate(item):
            break
        yield item

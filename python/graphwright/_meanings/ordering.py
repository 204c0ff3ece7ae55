"""Order of values of the graph: comparisons of tuples, and sorting by numbers and by tuples of them."""

from __future__ import annotations

from typing import Any

from .. import _native
from .refused import refuse

operators = _native.operators


def is_greater(a: Any, b: Any) -> Any:
    """`a > b`, of tuples part by part"""
    return operators.compare(a, (">", lambda: b))


def is_less(a: Any, b: Any) -> Any:
    """`a < b`, of tuples part by part"""
    return operators.compare(a, ("<", lambda: b))


def holds_staged(x: Any) -> bool:
    """True if `x` is a value of the graph, or holds one"""
    return _native.reaches_graph(x)


def check_comparable(x: Any) -> None:
    """Fails for more than one element, where a comparison has no truth of its own."""
    if isinstance(x, _native.Tensor) and x.ndim > 0:
        operators.not_(x < x)


NAN = "GW130: NaN has no order among the numbers that are sorted; `gw.sort` puts it last"


def check_order(x: Any) -> None:
    """Fails for NaN, which Python leaves where its comparisons happen to find it."""
    if x.dtype.is_floating:
        _native.check_limit(_native.reduce_all(x == x), "ValueError", NAN)


def is_number(x: Any) -> bool:
    """True if `x` is a tensor or a Python number."""
    return isinstance(x, _native.Tensor | int | float)


def is_plain(x: Any) -> bool:
    """True if `x` is a number or tensor, or a tuple of such"""
    return all(map(is_plain, x)) if type(x) is tuple else is_number(x)


def direction(reverse: Any) -> str:
    """The word of `gw.sort` for a direction."""
    if _native.is_staged(reverse):
        refuse("whether `sorted` sorts backwards must be known while tracing", "give a Python `bool`")
    return "DESCENDING" if reverse else "ASCENDING"


def items_of(x: Any) -> Any:
    """A list of the rows where their number is known."""
    return list(x) if x.shape[0] is not None else _native.rows(x)


def sorted_parts(items: list[Any], ranks: list[Any], reverse: Any) -> list[Any]:
    """Numbers, or tuples of them, by numbers or tuples: by the last parts first, then by those before."""
    rows, orders = columns(items), columns(ranks)
    places: Any = None
    for column in orders[::-1]:
        check_order(column)
        seen = column if places is None else _native.gather(column, places)
        found = _native.argsort(seen, direction=direction(reverse), stable=True)
        places = found if places is None else _native.gather(places, found)
    parts = [list(_native.gather(column, places)) for column in rows]
    parts = [[_native.as_number(x) for x in part] for part in parts]
    if not isinstance(items[0], tuple):
        return parts[0]
    return [tuple_of(type(items[0]), row) for row in zip(*parts, strict=True)]


def tuple_of(kind: type, parts: Any) -> Any:
    """A tuple of a class; named tuples are made by `_make`, which does not ask a `__new__` of the user's."""
    if kind is tuple:
        return parts
    make = getattr(kind, "_make", None)
    return tuple.__new__(kind, parts) if make is None else make(parts)


def columns(values: list[Any]) -> list[Any]:
    """Numbers as one tensor, tuples of numbers as one for each part."""
    rows = [x if isinstance(x, tuple) else (x,) for x in values]
    alike = (
        len(
            {
                (type(x) if isinstance(x, tuple) else None, len(row))
                for x, row in zip(values, rows, strict=True)
            }
        )
        == 1
    )
    if not alike or not all(
        is_number(x) and not (isinstance(x, _native.Tensor) and x.ndim) for row in rows for x in row
    ):
        refuse("only numbers, and tuples of as many of them, are sorted in the graph", "sort by a number")
    return [_native.stack(list(column)) for column in zip(*rows, strict=True)]

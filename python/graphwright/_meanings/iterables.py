"""Python's functions of iterables: for tensors, for iterators over them, for lists with tensors in them."""

from __future__ import annotations

import builtins
import functools
import inspect
import math
import sys
import types
from collections.abc import Callable
from typing import Any

from .. import _bytecode, _native
from . import impure, ordering, scalars, written
from .refused import refuse

operators = _native.operators
conv = operators.conv

MISSING: Any = object()

#: Python's message for `max(())`.
EMPTY = "iterable argument is empty" if sys.version_info >= (3, 12) else "arg is an empty sequence"


def vector(x: Any) -> builtins.bool:
    """True if `x` is a tensor with one axis."""
    return isinstance(x, _native.Tensor) and x.ndim == 1


def matrix(x: Any) -> builtins.bool:
    """True if `x` is a tensor whose items are tensors with axes."""
    return isinstance(x, _native.Tensor) and x.ndim > 1


def staged_iterator(x: Any) -> Any:
    """The iterator over `x` if the graph iterates it, otherwise `None`."""
    return x if isinstance(x, _native.StagedIterator) else _native.rows(x)


def left_of(x: Any) -> Any:
    """The rest of an iterator of the graph as a list, if Python has taken some of it; `x` otherwise."""
    return builtins.list(x) if isinstance(x, _native.StagedIterator) and x.is_advanced() else x


def sum(iterable: Any, /, start: Any = 0) -> Any:
    """`sum(iterable, start)`"""
    iterable = left_of(iterable)
    if isinstance(iterable, _native.Tensor) and iterable.ndim:
        numbers = iterable
        if numbers.dtype == _native.bool:
            numbers = _native.cast(numbers, _native.int64)
        elif numbers.ndim == 1 and numbers.dtype.is_integer:
            # Each sum of two integers may leave their type.
            return conv(written.total)(numbers, start)
        total = _native.as_array(_native.reduce_sum(numbers, axis=0), iterable)
        return start + _native.like_items(total, iterable)
    if isinstance(iterable, _native.StagedIterator):
        return conv(written.total)(_native.mapped(as_number, iterable), start)
    if (items := _native.asked_last(iterable)) is not None:
        return conv(written.total)(conv(written.mapped)(as_number, items), start)
    if isinstance(iterable, _native.Comprehension):
        known = builtins.sum(builtins.map(as_number, iterable.until_decided()), start)
        rest = iterable.rest()
        return known if rest is None else conv(written.total)(conv(written.mapped)(as_number, rest), known)
    return builtins.sum(builtins.map(as_number, iterable), start)


def gathered(kept: Any) -> Any:
    """The list of the items that the tests of a comprehension keep."""
    found = builtins.list(kept.until_decided())
    rest = kept.rest()
    return found if rest is None else conv(written.extended)(found, rest)


def collected(items: Any) -> Any:
    """The list of what the graph iterates."""
    return conv(written.collected)(items)


def repeated(items: Any, count: Any) -> Any:
    """`items * count` of a list, or `items *= count`, with a count that the graph knows."""
    made = written.repeated_in_place if _bytecode.is_in_place(sys._getframe(1)) else written.repeated
    return conv(made)(items, count)


def as_number(x: Any) -> Any:
    """`x`, a bool of the graph as the integer that it is to Python."""
    is_bool = isinstance(x, _native.Tensor) and x.dtype == _native.bool
    return _native.as_number(_native.cast(x, _native.int64)) if is_bool else x


def prod(iterable: Any, /, *, start: Any = 1) -> Any:
    """`math.prod(iterable, start=start)`"""
    if isinstance(iterable, _native.Comprehension):
        known = math.prod(iterable.until_decided(), start=start)
        rest = iterable.rest()
        return known if rest is None else conv(written.product)(rest, known)
    return conv(written.product)(iterable, start)


def any(iterable: Any, /) -> Any:
    """`any(iterable)`"""
    if vector(iterable):
        return _native.as_number(_native.reduce_any(iterable != 0))
    if (items := _native.asked_last(iterable)) is not None:
        return conv(written.any_true)(items)
    if isinstance(iterable, _native.Comprehension) and iterable.is_flat:
        return conv(written.any_true)(iterable.rest())
    items = staged_iterator(iterable)
    return _native.any_of(builtins.iter(iterable)) if items is None else conv(written.any_true)(items)


def all(iterable: Any, /) -> Any:
    """`all(iterable)`"""
    if vector(iterable):
        return _native.as_number(_native.reduce_all(iterable != 0))
    if (items := _native.asked_last(iterable)) is not None:
        return conv(written.all_true)(items)
    if isinstance(iterable, _native.Comprehension) and iterable.is_flat:
        return conv(written.all_true)(iterable.rest())
    items = staged_iterator(iterable)
    return _native.all_of(builtins.iter(iterable)) if items is None else conv(written.all_true)(items)


def max(*values: Any, key: Any = None, default: Any = MISSING) -> Any:
    """`max(…)`: the first of the greatest."""
    return extreme("max", builtins.max, ordering.is_greater, values, key, default)


def min(*values: Any, key: Any = None, default: Any = MISSING) -> Any:
    """`min(…)`: the first of the least."""
    return extreme("min", builtins.min, ordering.is_less, values, key, default)


def extreme(
    name: str,
    plain: Callable[..., Any],
    better: Callable[[Any, Any], Any],
    values: builtins.tuple[Any, ...],
    key: Any,
    default: Any,
) -> Any:
    """The value that is better than those before it and no worse than those behind it."""
    rank = (lambda x: x) if key is None else conv(key)
    if len(values) == 1:
        values = (left_of(values[0]),)
    if len(values) == 1 and (items := _native.asked_last(values[0])) is not None:
        values = (conv(written.collected)(items),)
    elif len(values) == 1 and isinstance(values[0], _native.Comprehension):
        values = (gathered(values[0]),)
    if len(values) == 1:
        if key is None and default is MISSING and vector(values[0]):
            return extreme_of_vector(name, values[0])
        if default is MISSING and (matrix(values[0]) or _native.is_of_objects(values[0])):
            return extreme_of_rows(name, values[0], rank, better)
        items = staged_iterator(values[0])
        if items is not None:
            return extreme_of_iterator(name, items, rank, better, default)
        values = builtins.tuple(values[0])
    elif default is not MISSING or not values:
        return plain(*values, **({} if default is MISSING else {"default": default}))
    if not values:
        return plain(values, **({} if default is MISSING else {"default": default}))
    found = [(rank(value), value) for value in values]
    if not builtins.any(ordering.holds_staged(ranked) for ranked, _ in found):
        return plain(found, key=lambda pair: pair[0])[1]
    return functools.reduce(lambda best, pair: chosen(better, best, pair), found)[1]


def chosen(better: Callable[[Any, Any], Any], best: Any, other: Any) -> Any:
    """One of two pairs of rank and value."""
    return operators.if_exp(better(other[0], best[0]), lambda: other, lambda: best)


def extreme_of_iterator(name: str, items: Any, rank: Any, better: Any, default: Any) -> Any:
    """The best item; `default`, or a `ValueError` when the graph runs, if there is none."""
    ranked = _native.mapped(lambda item: (rank(item), item), items)
    bound, pair = _native.fold(ranked, lambda best, other: chosen(better, best, other))
    if default is not MISSING:
        return operators.if_exp(bound, lambda: pair[1], lambda: default)
    check_some(name, bound)
    return pair[1]


def extreme_of_rows(name: str, x: Any, rank: Any, better: Any) -> Any:
    """The best row of an array, a part of it, or the best object of a list, as each of them is."""
    count = _native.length(x) if isinstance(x, _native.Tensor) else conv(builtins.len)(x)
    items = operators.items(x)
    best = extreme_of_iterator(
        name, staged_iterator(_native.range(count)), lambda place: rank(items[place]), better, MISSING
    )
    return items[best]


def check_some(name: str, bound: Any) -> None:
    """Raises `ValueError`, now or when the graph runs, unless there is an item."""
    if bound is False:
        raise ValueError(f"{name}() {EMPTY}")
    if bound is not True:
        _native.check(bound, "ValueError", f"{name}() {EMPTY}")


def extreme_of_vector(name: str, x: Any) -> Any:
    """As comparing one after the other finds it: NaN only if it is the first element."""
    return _native.like_items(extreme_element(name, x), x)


def extreme_element(name: str, x: Any) -> Any:
    """The greatest or least element of a vector."""
    length = _native.length(x)
    check_some(name, length > 0)
    least = name == "min"
    fold = _native.reduce_min if least else _native.reduce_max
    if not x.dtype.is_floating:
        if x.dtype == _native.bool:
            return (_native.reduce_all if least else _native.reduce_any)(x)
        return fold(x)
    worst = float("inf") if least else -float("inf")
    first = x[0]
    best = fold(_native.where(_native.is_nan(x), worst, x))
    return _native.where(_native.is_nan(first), first, best)


def enumerate(iterable: Any, start: Any = 0) -> Any:
    """`enumerate(iterable, start)`"""
    if isinstance(iterable, _native.Generator):
        return conv(written.numbered)(iterable, start)
    if is_dataset(iterable):
        return iterable.enumerate(start)
    if isinstance(start, _native.Tensor):
        # Python counts in its own numbers.
        start = scalars.bound(start, "enumerate")
    found = _native.counted(iterable, start)
    return builtins.enumerate(iterable, start) if found is None else found


def is_dataset(object: Any) -> builtins.bool:
    """True if an object is a `gw.data.Dataset`, of which there is none before its module is imported."""
    return isinstance(object, getattr(sys.modules.get("graphwright.data._dataset"), "Dataset", ()))


def datasets_side_by_side(iterables: Any) -> Any:
    """Datasets and tensors side by side, as a dataset."""
    from ..data import Dataset

    if not builtins.all(is_dataset(one) or isinstance(one, _native.Tensor) for one in iterables):
        refuse("`zip` of a dataset takes other datasets and tensors", "make datasets of all, or tensors")
    parts = [one if is_dataset(one) else Dataset.from_tensor_slices(one) for one in iterables]
    return Dataset.zip(builtins.tuple(parts))


def zip(*iterables: Any, strict: Any = False) -> Any:
    """`zip(*iterables, strict=strict)`"""
    if not strict and builtins.any(is_dataset(one) for one in iterables):
        return datasets_side_by_side(iterables)
    found = None if strict else _native.zipped(*iterables)
    if found is not None:
        return found
    if not strict or not builtins.any(_native.is_staged(x) for x in iterables):
        return builtins.zip(*iterables, strict=strict)
    lengths = [_native.length(x) if isinstance(x, _native.Tensor) else len(x) for x in iterables]
    if builtins.any(_native.is_staged(n) or n != lengths[0] for n in lengths):
        refuse(
            "`zip(strict=True)` takes tensors whose lengths are known to be equal",
            "assert that the lengths are equal, and zip without `strict`",
        )
    return zip(*iterables)


def map(function: Any, *iterables: Any) -> Any:
    """`map(function, *iterables)`"""
    if len(iterables) == 1 and isinstance(iterables[0], _native.Generator):
        return conv(written.mapped)(function, *iterables)
    if len(iterables) == 1 and isinstance(iterables[0], _native.Comprehension):
        each = conv(function)
        return operators.kept_first(iterables[0], lambda items: (True, lambda: each(*items)), False)
    found = _native.mapped(function, *iterables) if iterables else None
    return builtins.map(conv(function), *iterables) if found is None else found


def filter(function: Any, iterable: Any, /) -> Any:
    """`filter(function, iterable)`"""
    if isinstance(iterable, _native.Generator):
        return conv(written.filtered)(function, iterable)
    found = _native.filtered(function, iterable)
    if found is not None:
        return found
    if not _native.is_tracing():
        return builtins.filter(function and conv(function), iterable)
    test = conv(function) if function else None

    def parts(items: Any) -> Any:
        (item,) = items
        return item if test is None else test(item), lambda: item

    return operators.kept_first(iterable, parts, False)


def reversed(sequence: Any, /) -> Any:
    """`reversed(sequence)`"""
    found = _native.backwards(sequence)
    return builtins.reversed(sequence) if found is None else found


def iter(iterable: Any, /, *sentinel: Any) -> Any:
    """`iter(iterable)`"""
    if sentinel:
        return builtins.iter(conv(iterable), *sentinel)
    found = staged_iterator(iterable)
    if found is not None:
        return found
    own = written_by_users(iterable, "__iter__")
    return builtins.iter(iterable) if own is None else conv(own)(iterable)


def next(iterator: Any, /, *default: Any) -> Any:
    """`next(iterator, default)`"""
    if isinstance(iterator, _native.Comprehension):
        return first_kept(iterator, *default)
    own = written_by_users(iterator, "__next__")
    if own is None and _native.asked_for_next(iterator) == "later":
        return impure.next_item(iterator, *default)
    if own is None:
        return builtins.next(iterator, *default)
    return conv(written.next_or)(own, iterator, *default) if default else conv(own)(iterator)


def first_kept(kept: Any, *default: Any) -> Any:
    """`next(kept, default)` of a comprehension that nobody asks again."""
    for found in kept.until_decided():
        return found
    rest = kept.rest()
    if rest is None:
        return builtins.next(builtins.iter(()), *default)
    found = conv(written.first_or)(rest, *default) if default else conv(written.first)(rest)
    kept.leave()
    return found


def written_by_users(object: Any, name: str) -> Any:
    """A method of Python's protocols, if it is a function written in Python, and no generator function."""
    own = builtins.getattr(builtins.type(object), name, None)
    is_plain = isinstance(own, types.FunctionType) and not own.__code__.co_flags & inspect.CO_GENERATOR
    return own if is_plain else None


def reduce(function: Any, iterable: Any, /, *initial: Any) -> Any:
    """`functools.reduce(function, iterable, initial)`"""
    iterable = left_of(iterable)
    if initial and (asked := _native.asked_last(iterable)) is not None:
        return conv(written.reduced)(function, asked, *initial)
    items = staged_iterator(iterable)
    if items is None:
        return functools.reduce(conv(function), iterable, *initial)
    if initial:
        return conv(written.reduced)(function, items, *initial)
    bound, result = _native.fold(items, conv(function))
    if bound is False:
        raise TypeError("reduce() of empty iterable with no initial value")
    if bound is not True:
        _native.check(bound, "TypeError", "reduce() of empty iterable with no initial value")
    return result


def sorted(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    """`sorted(iterable, key=key, reverse=reverse)`: a list."""
    options = {"reverse": reverse} if key is None else {"reverse": reverse, "key": key}
    if isinstance(iterable, _native.Comprehension):
        return conv(builtins.sorted)(gathered(iterable), **options)
    if (asked := _native.asked_last(iterable)) is not None:
        return conv(builtins.sorted)(conv(written.collected)(asked), **options)
    if isinstance(iterable, _native.StagedIterator) and is_uncounted(iterable):
        return conv(builtins.sorted)(conv(written.collected)(iterable), **options)
    rank = (lambda x: x) if key is None else conv(key)
    if vector(iterable) and key is None:
        ordering.check_order(iterable)
        found = ordering.items_of(_native.sort(iterable, direction=ordering.direction(reverse)))
        # Items of which the graph knows the number when it runs are a list of the graph.
        return found if isinstance(found, builtins.list) else conv(written.collected)(found)
    items = builtins.list(iterable)
    ranks = [rank(item) for item in items]
    if not builtins.any(ordering.holds_staged(x) for x in ranks):
        order = builtins.sorted(builtins.range(len(items)), key=lambda i: ranks[i], reverse=reverse)
        return [items[i] for i in order]
    if key is not None and not builtins.all(ordering.is_plain(x) for x in items):
        return _native.in_order_of(items, ranks, ordering.direction(reverse) == "DESCENDING")
    if builtins.any(isinstance(x, builtins.tuple) for x in ranks + items):
        return ordering.sorted_parts(items, ranks, reverse)
    if not builtins.all(ordering.is_number(x) for x in ranks + items):
        refuse("only numbers are sorted in the graph", "sort tensors of numbers by tensors of numbers")
    for x in ranks if len(items) > 1 else ():
        ordering.check_comparable(x)
    stacked = _native.stack(ranks)
    if stacked.ndim > 1:
        return items
    ordering.check_order(stacked)
    places = _native.argsort(stacked, direction=ordering.direction(reverse), stable=True)
    if matrix(iterable):
        return [iterable[place] for place in builtins.list(places)]
    rows = _native.stack(items)
    found = ordering.items_of(_native.gather(rows, places))
    if isinstance(found, builtins.list):
        _native.were_items(rows, found)
    if isinstance(items[0], _native.Tensor) and items[0].ndim > 0:
        _native.may_be_parts(found, items)
    return [_native.as_number(x) for x in found] if builtins.all(map(_native.is_number, items)) else found


def list(*iterable: Any) -> Any:
    """`list(iterable)`"""
    if len(iterable) == 1 and (items := _native.asked_last(iterable[0])) is not None:
        return conv(written.collected)(items)
    if len(iterable) == 1 and isinstance(iterable[0], _native.Comprehension):
        return gathered(iterable[0])
    if len(iterable) == 1 and is_uncounted(iterable[0]):
        return conv(written.collected)(iterable[0])
    return builtins.list(*iterable)


def is_uncounted(x: Any) -> builtins.bool:
    """True if the graph iterates `x` and only its run tells how often."""
    if isinstance(x, _native.StagedIterator):
        return not x.is_counted()
    return isinstance(x, _native.Tensor) and x.ndim > 0 and x.shape[0] is None


def tuple(*iterable: Any) -> Any:
    """`tuple(iterable)`"""
    if len(iterable) == 1 and (items := _native.asked_last(iterable[0])) is not None:
        return conv(builtins.tuple)(conv(written.collected)(items))
    if len(iterable) == 1 and isinstance(iterable[0], _native.Comprehension):
        return conv(builtins.tuple)(gathered(iterable[0]))
    items = staged_iterator(iterable[0]) if len(iterable) == 1 else None
    if items is not None and not items.is_counted():
        message = "`tuple` makes a tuple of as many items as only the running graph knows"
        raise _native.diagnosed(
            "GW130", message, "keep the list, and make a tuple of it outside the function"
        )
    return builtins.tuple(*iterable)

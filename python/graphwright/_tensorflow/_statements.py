"""Statements behind TensorFlow's functions of control flow, converted before their first call.

Conditions on tensors of a graph stage them, others leave them Python's; so one text serves both.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from .. import _native, nest
from .._arrays import reverse as backwards


def branch(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """The value of one of two functions."""
    return true_fn() if pred else false_fn()


def loop(cond: Callable[..., Any], body: Callable[..., Any], values: tuple[Any, ...], most: Any) -> Any:
    """Values after the last iteration, of which there are at most so many."""
    count = 0
    while cond(*values) and (most is None or count < most):
        values = _as_before(body(*values), len(values))
        count += 1
    return values


def _as_before(values: Any, count: int) -> tuple[Any, ...]:
    """Results of a body as a tuple; one value alone is one of them."""
    found = tuple(values) if isinstance(values, (list, tuple)) else (values,)
    if len(found) != count:
        raise ValueError(f"the body of `while_loop` returns {len(found)} values for {count} loop variables")
    return found


def mapped(fn: Callable[[Any], Any], elems: Any, count: Any) -> Any:
    """Values of a function of each slice, as lists in the structure of a value."""
    first = fn(at(elems, 0))
    stores = [[leaf] for leaf in nest.flatten(first)]
    for turn in _native.range(1, count):
        value = nest.flatten(fn(at(elems, turn)))
        for store, leaf in builtins.zip(stores, value, strict=True):
            store.append(leaf)
    return nest.pack_sequence_as(first, [_native.stack(store) for store in stores])


def folded(
    fn: Callable[[Any, Any], Any], state: Any, elems: Any, first: Any, count: Any, reverse: Any
) -> Any:
    """The last state of a function of the state and each slice."""
    for turn in _native.range(first, count):
        place = count - 1 - turn if reverse else turn
        state = fn(state, at(elems, place))
    return state


def scanned(
    fn: Callable[[Any, Any], Any], state: Any, elems: Any, first: Any, count: Any, reverse: Any
) -> Any:
    """All states of it, stacked in the order of the slices."""
    stores = [[leaf] if first > 0 else [] for leaf in nest.flatten(state)]
    for turn in _native.range(first, count):
        state = fn(state, at(elems, count - 1 - turn if reverse else turn))
        for store, leaf in builtins.zip(stores, nest.flatten(state), strict=True):
            store.append(leaf)
    found = [_native.stack(store) for store in stores]
    return nest.pack_sequence_as(state, [backwards(one, 0) if reverse else one for one in found])


def at(elems: Any, place: Any) -> Any:
    """The slices of a structure at a place."""
    return nest.map_structure(lambda leaf: leaf[place], elems)

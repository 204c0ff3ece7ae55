"""Loops over clients: what each computes is put into rows, and folded group by group into partial results.

The partial result of each group of clients is merged with those before it as soon as both are whole branches
of the tree that `numeric.merged` describes; those that wait for a partner are kept in rows, the latest last.
"""

from __future__ import annotations

from typing import Any

from .... import _native
from ....autograph import do_not_convert
from ..numeric import CLIENTS_PER_GROUP
from .rows import put


def mapped(each: Any, outputs: Any, count: Any) -> Any:
    """Returns rows of what a function gives of each client's index."""
    client = _native.constant(0, _native.int64)
    while client < count:
        values = each(client)
        outputs = put(outputs, client, values)
        client += 1
    return outputs


def folded(each: Any, merge: Any, zero: Any, outputs: Any, waiting: Any, count: Any, first: Any) -> Any:
    """Returns the rows, the partial results that wait, and how many do.

    Args:
      each: gives the state behind a client and what the client computes, of its index and the state before.
      merge: gives the merged state of two.
      zero: the state that each group begins with.
      outputs: room for what the clients compute.
      waiting: room for the partial results.
      count: how many clients there are here.
      first: the number of the first group here among all groups.
    """
    client, depth, group = _zero(), _zero(), first
    while client < count:
        state = zero
        stop = _native.minimum(client + CLIENTS_PER_GROUP, count)
        while client < stop:
            state, values = each(client, state)
            outputs = put(outputs, client, values)
            client += 1
        branch, width = group, _native.constant(1, _native.int64)
        while branch % 2 == 1 and (branch - 1) * width >= first:
            depth -= 1
            state = merge(pick(waiting, depth), state)
            branch, width = branch // 2, width * 2
        waiting = put(waiting, depth, state)
        depth += 1
        group += 1
    return outputs, waiting, depth


def completed(merge: Any, zero: Any, waiting: Any, depth: Any) -> Any:
    """Returns the merged state of all that wait, the latest first; zero if nothing does."""
    state = zero
    if depth > 0:
        depth -= 1
        state = pick(waiting, depth)
        while depth > 0:
            depth -= 1
            state = merge(pick(waiting, depth), state)
    return state


@do_not_convert
def pick(waiting: Any, place: Any) -> Any:
    """Returns the state at a place of rows."""
    return tuple([row[place] for row in waiting])


@do_not_convert
def _zero() -> Any:
    return _native.constant(0, _native.int64)

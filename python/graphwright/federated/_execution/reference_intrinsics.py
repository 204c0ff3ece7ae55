"""Intrinsics of the reference executor: one function each, of a run, the intrinsic's type and argument."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import numeric
from .layout import layout_of
from .randomness import MERGE_INDEX
from .reference import Clients, Run


def federated_aggregate(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the report of what the clients' values were accumulated to, group by group, and merged."""
    value, zero, accumulate, merge, report = argument
    step = run.step()

    def accumulated(state: Any, client: int, one: Any) -> Any:
        return run.at(step, client, lambda: accumulate((state, one)))

    def merging(left: Any, right: Any) -> Any:
        run.seed(step, MERGE_INDEX)
        return merge((left, right))

    with run.inside():
        state = _folded(run, value, zero, accumulated, merging)
    return run.at_server(step, report, state)


def _folded(
    run: Run,
    value: Any,
    zero: Any,
    accumulate: Callable[[Any, int, Any], Any],
    merge: Callable[[Any, Any], Any],
) -> Any:
    values, states, size = run.each(value), [], numeric.CLIENTS_PER_GROUP
    for first in range(0, len(values), size):
        state = zero
        for client in range(first, min(first + size, len(values))):
            state = accumulate(state, client, values[client])
        states.append(state)
    return numeric.merged(states, merge) if states else zero


def federated_sum(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the sum of the clients' values; zero without clients."""
    return _summed(run, layout_of(signature.result), argument)


def _summed(run: Run, layout: Any, value: Any) -> Any:
    zero = numeric.filled(layout, numeric.zero)
    return _folded(run, value, zero, lambda state, _, one: numeric.plus(state, one), numeric.plus)


def federated_mean(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the mean of the clients' values; NaN without clients."""
    return numeric.shared_out(_summed(run, layout_of(signature.result), argument), np.int64(run.count))


def federated_weighted_mean(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the weighted mean of the clients' values; NaN where the weights are all zero."""
    value, weight = argument
    pairs = zip(run.each(value), run.each(weight), strict=True)
    products = Clients([numeric.scaled(one, factor) for one, factor in pairs])
    total = _summed(run, layout_of(signature.result), products)
    return numeric.shared_out(total, _summed(run, layout_of(signature.parameter[1]), weight))


def _extreme(
    number: Callable[[Any], Any], operator: Callable[[Any, Any], Any], run: Run, signature: Any, argument: Any
) -> Any:
    start = numeric.filled(layout_of(signature.result), number)

    def better(left: Any, right: Any) -> Any:
        return numeric.pairwise(operator, left, right)

    return _folded(run, argument, start, lambda state, _, one: better(state, one), better)


def federated_secure_sum(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the sum of integers that are not negative and at most so great."""
    value, bound = argument
    return _secure(run, signature, value, bound)


def federated_secure_sum_bitwidth(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the sum of integers that are not negative and have at most so many bits."""
    value, width = argument
    return _secure(run, signature, value, _limits(width))


def _limits(width: Any) -> Any:
    if isinstance(width, tuple):
        return tuple([_limits(part) for part in width])
    return np.int64(min((1 << min(int(width), 63)) - 1, 2**63 - 1))


def _secure(run: Run, signature: Any, value: Any, bound: Any) -> Any:
    step = run.step()
    run.at_clients(step, lambda one: _check_bound(one, bound), run.each(value))
    return _summed(run, layout_of(signature.result), value)


def _check_bound(value: Any, bound: Any) -> None:
    if isinstance(value, tuple):
        bounds = bound if isinstance(bound, tuple) else (bound,) * len(value)
        for one, most in zip(value, bounds, strict=True):
            _check_bound(one, most)
        return
    for number in np.asarray(value).reshape(-1):
        if number < 0 or number > bound:
            raise ValueError(f"a secure sum takes integers from 0 to {bound}, not {number}")


def federated_map(run: Run, signature: Any, argument: Any) -> Any:
    """Returns what a function gives of each client's value."""
    func, value = argument
    return Clients(run.at_clients(run.step(), func, run.each(value)))


def federated_map_all_equal(run: Run, signature: Any, argument: Any) -> Any:
    """Returns what a function gives of the value that all clients have alike; it is asked once."""
    func, value = argument
    return run.at_server(run.step(), func, value)


def federated_apply(run: Run, signature: Any, argument: Any) -> Any:
    """Returns what a function gives of the server's value."""
    func, value = argument
    return run.at_server(run.step(), func, value)


def federated_eval_at_clients(run: Run, signature: Any, argument: Any) -> Any:
    """Returns what a function without a parameter gives on each client."""
    return Clients(run.at_clients(run.step(), lambda _: argument(), range(run.count)))


def federated_eval_at_server(run: Run, signature: Any, argument: Any) -> Any:
    """Returns what a function without a parameter gives on the server."""
    return run.at_server(run.step(), argument)


def same(run: Run, signature: Any, argument: Any) -> Any:
    """Returns a value as it is: at another place, all clients have it alike."""
    return argument


def federated_zip_at_clients(run: Run, signature: Any, argument: Any) -> Any:
    """Returns for each client the struct of its values."""
    if signature.result.all_equal:
        return argument
    return Clients([_picked(argument, client) for client in range(run.count)])


def _picked(value: Any, client: int) -> Any:
    if isinstance(value, tuple):
        return tuple([_picked(part, client) for part in value])
    return value.values[client] if isinstance(value, Clients) else value


def federated_select(run: Run, signature: Any, argument: Any) -> Any:
    """Returns for each client the sequence of what a function gives of the server's value and each key."""
    keys, most, held, func = argument

    def selected(wanted: Any) -> list[Any]:
        for key in wanted:
            if key < 0 or key >= most:
                raise ValueError(f"federated_select takes keys from 0 to below {most}, not {key}")
        return [func((held, key)) for key in wanted]

    return Clients(run.at_clients(run.step(), selected, run.each(keys)))


def sequence_map(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the sequence of what a function gives of each element."""
    func, value = argument
    return run.at_top(lambda: [func(one) for one in value])


def sequence_reduce(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the last state of a function of a state and an element."""
    value, zero, func = argument
    return run.at_top(lambda: functools.reduce(lambda state, one: func((state, one)), value, zero))


def sequence_sum(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the sum of the elements, one after the other; zero without elements."""
    zero = numeric.filled(layout_of(signature.result), numeric.zero)
    return functools.reduce(numeric.plus, argument, zero)


def generic_plus(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the sums of two values."""
    return numeric.plus(*argument)


def generic_multiply(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the products of two values."""
    return numeric.times(*argument)


def generic_divide(run: Run, signature: Any, argument: Any) -> Any:
    """Returns the quotients of two values."""
    left, right = argument
    return numeric.divided(left, right, layout_of(signature.result))


#: Intrinsics by URI.
INTRINSICS: dict[str, Callable[[Run, Any, Any], Any]] = {
    "federated_aggregate": federated_aggregate,
    "federated_apply": federated_apply,
    "federated_broadcast": same,
    "federated_eval_at_clients": federated_eval_at_clients,
    "federated_eval_at_server": federated_eval_at_server,
    "federated_map": federated_map,
    "federated_map_all_equal": federated_map_all_equal,
    "federated_max": functools.partial(_extreme, numeric.least, numeric.maximum),
    "federated_mean": federated_mean,
    "federated_min": functools.partial(_extreme, numeric.greatest, numeric.minimum),
    "federated_secure_select": federated_select,
    "federated_secure_sum": federated_secure_sum,
    "federated_secure_sum_bitwidth": federated_secure_sum_bitwidth,
    "federated_select": federated_select,
    "federated_sum": federated_sum,
    "federated_value_at_clients": same,
    "federated_value_at_server": same,
    "federated_weighted_mean": federated_weighted_mean,
    "federated_zip_at_clients": federated_zip_at_clients,
    "federated_zip_at_server": same,
    "generic_divide": generic_divide,
    "generic_multiply": generic_multiply,
    "generic_plus": generic_plus,
    "sequence_map": sequence_map,
    "sequence_reduce": sequence_reduce,
    "sequence_sum": sequence_sum,
}

#: Intrinsics that are values, by URI.
VALUES: dict[str, Callable[[Any], Any]] = {
    "generic_zero": lambda type_spec: numeric.filled(layout_of(type_spec), numeric.zero),
}

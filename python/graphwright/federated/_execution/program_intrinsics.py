"""The intrinsics at the top of a program: the nodes that each becomes.

Moves between places move nothing here: a value that all clients have alike is the server's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _native
from . import inside, lanes, numeric
from .inside import settled
from .layout import Layout, layout_of
from .masks import masked
from .operands import Fold, Node, Operand, Place, Primitive, Read
from .program import Program
from .staged import rows


def _map(program: Program, signature: Any, argument: Any) -> Operand:
    func, value = argument
    return program.applied(Place.CLIENTS, signature.result, func, value)


def _apply(program: Program, signature: Any, argument: Any) -> Operand:
    func, value = argument
    return program.applied(Place.SERVER, signature.result, func, value)


def _eval_at_clients(program: Program, signature: Any, argument: Any) -> Operand:
    return program.applied(Place.CLIENTS, signature.result, argument, None)


def _eval_at_server(program: Program, signature: Any, argument: Any) -> Operand:
    return program.applied(Place.SERVER, signature.result, argument, None)


def _same(program: Program, signature: Any, argument: Any) -> Operand:
    return argument


def _select(program: Program, signature: Any, argument: Any) -> Operand:
    keys, most, held, func = argument
    element = layout_of(signature.result).element  # type: ignore[union-attr]

    def selected(read: Read) -> Any:
        wanted, limit, value = settled(keys, read), settled(most, read), settled(held, read)

        def pick(key: Any) -> Any:
            return tuple(lanes.flat(element, inside.apply(func, (value, key), read)))

        columns = _native.operators.conv(rows.selected)(pick, wanted, limit, inside.row_specs(element))
        return lanes.Rows(element, _native.cast(_native.size(wanted), _native.int64), tuple(columns))

    return program.node(Place.CLIENTS, signature.result, argument, selected, step=program.step())


def _fold(program: Program, type_spec: Any, operand: Operand, fold: Fold, step: int = 0) -> Node:
    return program.node(Place.SERVER, type_spec, operand, None, fold, step)


def _sum(program: Program, signature: Any, argument: Any) -> Operand:
    layout = layout_of(signature.result)
    return _fold(program, signature.result, argument, _adding("federated_sum", layout, argument))


def _adding(uri: str, layout: Layout, operand: Operand, contribution: Any = None) -> Fold:
    """Returns the fold that adds up values, or what a function makes of each."""
    return Fold(
        uri,
        layout,
        contribution or (lambda read: settled(operand, read)),
        layout,
        lambda read: inside.filled(layout, numeric.zero),
        lambda read, state, value: inside.plus(state, value),
        lambda read, left, right: inside.plus(left, right),
        lambda read, state: state,
    )


def _extreme(uri: str, number: Callable[[Any], Any], operator: Callable[[Any, Any], Any]) -> Any:
    def fold(program: Program, signature: Any, argument: Any) -> Operand:
        layout = layout_of(signature.result)
        made = Fold(
            uri,
            layout,
            lambda read: settled(argument, read),
            layout,
            lambda read: inside.filled(layout, number),
            lambda read, state, value: inside.pairwise(operator, state, value),
            lambda read, left, right: inside.pairwise(operator, left, right),
            lambda read, state: state,
        )
        return _fold(program, signature.result, argument, made)

    return fold


def _mean(program: Program, signature: Any, argument: Any) -> Operand:
    layout = layout_of(signature.result)
    total = _fold(program, signature.result, argument, _adding("federated_mean", layout, argument))
    return _quotient(program, signature, total, program.count())


def _weighted_mean(program: Program, signature: Any, argument: Any) -> Operand:
    value, weight = argument
    uri = "federated_weighted_mean"
    layout, of_weight = layout_of(signature.result), layout_of(signature.parameter[1])
    products = _adding(
        uri, layout, value, lambda read: inside.scaled(settled(value, read), settled(weight, read))
    )
    total = _fold(program, signature.result, argument, products)
    weights = _fold(program, signature.parameter[1], weight, _adding(uri, of_weight, weight))
    return _quotient(program, signature, total, weights)


def _quotient(program: Program, signature: Any, total: Node, parts: Node) -> Node:
    return program.node(
        Place.SERVER,
        signature.result,
        (total, parts),
        lambda read: inside.shared_out(read(total), read(parts)),
    )


def _aggregate(program: Program, signature: Any, argument: Any) -> Operand:
    value, zero, accumulate, merge, report = argument
    made = Fold(
        "federated_aggregate",
        layout_of(signature.parameter[0]),
        lambda read: settled(value, read),
        layout_of(signature.parameter[1]),
        lambda read: settled(zero, read),
        lambda read, state, one: inside.apply(accumulate, (state, one), read),
        lambda read, left, right: inside.apply(merge, (left, right), read),
        lambda read, state: inside.apply(report, state, read),
    )
    return _fold(program, signature.result, argument, made, program.step())


def _secure_sum(program: Program, signature: Any, argument: Any) -> Operand:
    bound = argument[1]
    return _secure("federated_secure_sum", program, signature, argument, lambda read: settled(bound, read))


def _secure_sum_bitwidth(program: Program, signature: Any, argument: Any) -> Operand:
    width = argument[1]
    uri = "federated_secure_sum_bitwidth"
    return _secure(uri, program, signature, argument, lambda read: _limits(settled(width, read)))


def _limits(width: Any) -> Any:
    """Returns the greatest integers of so many bits; of 63 and more, the greatest of all."""
    if isinstance(width, tuple):
        return tuple([_limits(part) for part in width])
    bits = _native.minimum(_native.cast(width, _native.int64), 62)
    power = _native.constant(1, _native.int64) << bits
    greatest = _native.constant(2**63 - 1, _native.int64)
    return _native.where(_native.cast(width, _native.int64) > 62, greatest, power - 1)


def _secure(
    uri: str, program: Program, signature: Any, argument: Any, bound: Callable[[Read], Any]
) -> Operand:
    value, layout = argument[0], layout_of(signature.result)
    ring = secret, index, count = program.secret(), program.index(), program.count()

    def contribution(read: Read) -> Any:
        own = settled(value, read)
        _check(_native.operators.conv(rows.check_bound), own, bound(read))
        return masked(own, read(secret), read(index), read(count))

    made = _adding(uri, layout, value, contribution)
    return _fold(program, signature.result, (argument, ring), made, program.step())


def _check(check: Any, value: Any, bound: Any) -> None:
    if isinstance(value, tuple):
        bounds = bound if isinstance(bound, tuple) else (bound,) * len(value)
        for one, most in zip(value, bounds, strict=True):
            _check(check, one, most)
    else:
        check(_native.reshape(value, [-1]), bound)


def _in_one_graph(uri: str, stepped: bool) -> Any:
    """Returns the rule of an intrinsic of unplaced values, which a graph of the server's computes."""

    def rule(program: Program, signature: Any, argument: Any) -> Operand:
        step = program.step() if stepped else 0
        func = Primitive(uri, signature)
        return program.node(
            Place.SERVER,
            signature.result,
            argument,
            lambda read: inside.apply(func, settled(argument, read), read),
            step=step,
        )

    return rule


#: Intrinsics by URI, beside `generic_zero`.
INTRINSICS: dict[str, Callable[[Program, Any, Any], Operand]] = {
    "federated_aggregate": _aggregate,
    "federated_apply": _apply,
    "federated_broadcast": _same,
    "federated_eval_at_clients": _eval_at_clients,
    "federated_eval_at_server": _eval_at_server,
    "federated_map": _map,
    "federated_map_all_equal": _apply,
    "federated_max": _extreme("federated_max", numeric.least, _native.maximum),
    "federated_mean": _mean,
    "federated_min": _extreme("federated_min", numeric.greatest, _native.minimum),
    "federated_secure_select": _select,
    "federated_secure_sum": _secure_sum,
    "federated_secure_sum_bitwidth": _secure_sum_bitwidth,
    "federated_select": _select,
    "federated_sum": _sum,
    "federated_value_at_clients": _same,
    "federated_value_at_server": _same,
    "federated_weighted_mean": _weighted_mean,
    "federated_zip_at_clients": _same,
    "federated_zip_at_server": _same,
    "generic_divide": _in_one_graph("generic_divide", False),
    "generic_multiply": _in_one_graph("generic_multiply", False),
    "generic_plus": _in_one_graph("generic_plus", False),
    "sequence_map": _in_one_graph("sequence_map", True),
    "sequence_reduce": _in_one_graph("sequence_reduce", True),
    "sequence_sum": _in_one_graph("sequence_sum", False),
}

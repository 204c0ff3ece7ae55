"""Random federated computations with arguments for them: types, intrinsics, maps of maps, selections and zips."""

from __future__ import annotations

import collections
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

import graphwright as gw
import graphwright.federated as tff

NUMBERS = (np.int32, np.int64, np.float32, np.float64)
Pair = collections.namedtuple("Pair", "left right")


@dataclass
class Value:
    """A value of a program, with its type."""

    value: Any
    type: Any


@dataclass
class Program:
    """A computation, an argument for it, and how it came about."""

    computation: Any
    argument: Any
    clients: int
    steps: list[str]


def program(seed):
    """The program of a seed, which is the same each time."""
    return _Writer(random.Random(seed)).program()


class _Writer:
    def __init__(self, choose):
        self.choose = choose
        self.steps = []

    def program(self):
        choose = self.choose
        count = choose.choice([0, 1, 2, 3, 7, 8, 9, 16, 17, 25, 41, 70])
        types = [self.parameter() for _ in range(choose.randint(1, 3))]
        argument = [self.argument(type_, count) for type_ in types]
        length = choose.randint(1, 6)

        @tff.federated_computation(types)
        def computation(arguments):
            self.values = [Value(arguments[at], type_) for at, type_ in enumerate(types)]
            for _ in range(length):
                choose.choice(MOVES)(self)
            kept = [value for value in self.values if not _holds_function(value.type)]
            picked = choose.sample(kept, min(len(kept), choose.randint(1, 3)))
            return [value.value for value in picked] if len(picked) > 1 else picked[0].value

        has_clients = any(_is_at_clients(type_) for type_ in types)
        return Program(computation, argument, count if has_clients else 3, self.steps)

    # Types and arguments of them.

    def parameter(self):
        kind = self.choose.random()
        member = self.member(2)
        if kind < 0.08:
            return tff.FederatedType(self.ragged(), tff.CLIENTS)
        if kind < 0.6:
            return tff.FederatedType(self.sequence_or(member), tff.CLIENTS)
        if kind < 0.85:
            return tff.FederatedType(self.sequence_or(member), tff.SERVER)
        if kind < 0.92:
            return tff.FederatedType(member, tff.CLIENTS, True)
        return member

    def sequence_or(self, member):
        return tff.SequenceType(member) if self.choose.random() < 0.2 else member

    def ragged(self):
        """A tensor of any length, alone, in a struct, or in batches."""
        dtype = self.choose.choice(NUMBERS)
        tensor = tff.TensorType(dtype, self.choice([(None,), (None, 2), (2, None)]))
        kind = self.choose.randrange(3)
        if kind == 0:
            return tensor
        if kind == 1:
            return tff.StructWithPythonType([("a", tensor), ("b", self.number())], dict)
        return tff.SequenceType(tensor)

    def number(self):
        dtype = self.choose.choice(NUMBERS)
        shape = self.choice([(), (), (), (2,), (3,), (2, 2)])
        return tff.TensorType(dtype, shape)

    def choice(self, items):
        return self.choose.choice(items)

    def member(self, depth):
        kind = self.choose.random()
        if depth == 0 or kind < 0.6:
            return self.number() if kind < 0.9 else tff.TensorType(np.bool_)
        parts = [self.member(depth - 1) for _ in range(self.choose.randint(1, 3))]
        names = "abc"[: len(parts)]
        if kind < 0.7:
            return tff.StructWithPythonType(list(zip(names, parts)), collections.OrderedDict)
        if kind < 0.8:
            return tff.StructWithPythonType(list(zip(names, parts)), dict)
        if kind < 0.9:
            return tff.StructWithPythonType(parts, tuple)
        if kind < 0.95 and len(parts) == 2:
            return tff.StructWithPythonType([("left", parts[0]), ("right", parts[1])], Pair)
        return tff.StructType(list(zip(names, parts)))

    def argument(self, type_, count):
        if _is_at_clients(type_):
            return [self.value_of(type_.member) for _ in range(count)]
        return self.value_of(type_.member if isinstance(type_, tff.FederatedType) else type_)

    def value_of(self, type_):
        choose = self.choose
        if isinstance(type_, tff.SequenceType):
            return [self.value_of(type_.element) for _ in range(choose.randint(0, 4))]
        if isinstance(type_, tff.StructType):
            items = [self.value_of(part) for _, part in type_.items()]
            container = getattr(type_, "python_container", None)
            if container is Pair:
                return Pair(*items)
            if container is tuple:
                return tuple(items)
            return dict(zip((name for name, _ in type_.items()), items))
        dtype = np.dtype(type_.dtype)
        shape = [choose.randint(0, 4) if length is None else length for length in type_.shape]
        size = int(np.prod(shape))
        if dtype.kind == "b":
            found = [choose.random() < 0.5 for _ in range(size)]
        elif dtype.kind == "i":
            found = [choose.randint(-50, 50) for _ in range(size)]
        else:
            found = [choose.uniform(-3, 3) for _ in range(size)]
        return np.array(found, dtype).reshape(shape)[()]

    # Picking values.

    def values_where(self, test):
        return [value for value in self.values if test(value.type)]

    def pick(self, test):
        found = self.values_where(test)
        return self.choose.choice(found) if found else None

    def add(self, step, value):
        self.steps.append(step)
        self.values.append(Value(value, value.type_signature))


def _is_at_clients(type_):
    return _is_placed_at(type_, tff.CLIENTS) and not type_.all_equal


def _is_placed_at(type_, placement):
    return isinstance(type_, tff.FederatedType) and type_.placement is placement


def _is_at(type_):
    return isinstance(type_, tff.FederatedType)


def _holds_function(type_):
    return isinstance(type_, tff.FunctionType)


def _leaves(type_):
    if isinstance(type_, tff.StructType):
        return [leaf for _, part in type_.items() for leaf in _leaves(part)]
    return [type_]


def _are_all(kinds):
    def test(type_):
        if not _is_placed_at(type_, tff.CLIENTS):
            return False
        leaves = _leaves(type_.member)
        return bool(leaves) and all(
            isinstance(leaf, tff.TensorType) and np.dtype(leaf.dtype).kind in kinds and None not in leaf.shape
            for leaf in leaves
        )

    return test


# Functions of members, as graphs.


def _changed(leaf):
    """Another number of the dtype and about the size."""
    if leaf.dtype == gw.bool:
        return gw.logical_not(leaf)
    if leaf.dtype.is_floating:
        return leaf * 0.5 + 1.0
    return leaf % 97 + 3


def _halved(leaf):
    """An integer halved until it is small, in a loop of the graph."""
    while leaf > 10:
        leaf = leaf // 2
    return leaf


def _first(value):
    while not isinstance(value, gw.Tensor):
        value = value[0] if isinstance(value, (list, tuple)) else next(iter(value.values()))
    return value


def _map_leaves(func, value):
    if isinstance(value, gw.Tensor):
        return func(value)
    if isinstance(value, dict):
        return type(value)((name, _map_leaves(func, part)) for name, part in value.items())
    if isinstance(value, tff.structure.Struct):
        parts = tff.structure.iter_elements(value)
        return tff.structure.Struct([(name, _map_leaves(func, part)) for name, part in parts])
    if hasattr(value, "_fields"):
        return type(value)(*[_map_leaves(func, part) for part in value])
    return type(value)(_map_leaves(func, part) for part in value)


def _flat(value):
    found = []
    _map_leaves(lambda leaf: found.append(leaf) or leaf, value)
    return found


def _is_sequence(type_):
    return isinstance(type_, tff.SequenceType)


def _graph(writer, type_):
    """A graph computation of one parameter of a type."""
    kind = writer.choose.randint(0, 4)
    if _is_sequence(type_):
        return _of_sequence(writer, type_)
    if kind == 0:
        return tff.graph_computation(lambda x: _map_leaves(_changed, x), type_)
    if kind == 1:
        return tff.graph_computation(lambda x: (x, _flat(x)[0]), type_)
    if kind == 2:
        return tff.graph_computation(lambda x: {"n": gw.reduce_sum(gw.cast(_flat(x)[0], gw.float32))}, type_)
    leaf = _leaves(type_)[0]
    if np.dtype(leaf.dtype).kind == "i" and leaf.shape == ():

        def looped(x):
            return _halved(_flat(x)[0])

        return tff.graph_computation(looped, type_)

    def branched(x):
        y = gw.reduce_sum(gw.cast(_flat(x)[-1], gw.float64))
        if y > 1.0:
            y = y * 0.25
        return y

    return tff.graph_computation(branched, type_)


def _are_numbers(type_):
    return all(np.dtype(leaf.dtype).kind in "if" and None not in leaf.shape for leaf in _leaves(type_))


def _of_sequence(writer, type_):
    """A function of a sequence: a loop over a dataset, or a reduction of the language's."""
    element = type_.element
    kind = writer.choose.randint(0, 3)
    if kind == 0 and _are_numbers(element):
        return tff.federated_computation(lambda s: tff.sequence_sum(s), type_)
    if kind == 1:
        each = _graph(writer, element)
        if _are_numbers(each.type_signature.result):
            return tff.federated_computation(lambda s: tff.sequence_sum(tff.sequence_map(each, s)), type_)
    if kind == 2:
        count = tff.graph_computation(lambda n, x: n + 1, np.int32, element)
        return tff.federated_computation(lambda s: tff.sequence_reduce(s, 0, count), type_)

    def summed(elements):
        total = gw.constant(0.0, gw.float64)
        for element in elements:
            total += gw.reduce_sum(gw.cast(_flat(element)[0], gw.float64))
        return total

    return tff.graph_computation(summed, type_)


# Steps of a program.


def _is_plain(type_):
    """True if a type is a sequence, or has none in it."""
    return _is_sequence(type_) or not any(_is_sequence(leaf) for leaf in _leaves(type_))


def _has_sequence(type_):
    return any(_is_sequence(leaf) for leaf in _leaves(type_))


def _is_mapped(type_):
    return _is_at(type_) and _is_plain(type_.member)


def _map(writer):
    value = writer.pick(_is_mapped)
    if value is not None:
        func = _graph(writer, value.type.member)
        writer.add(f"map {func.type_signature}", tff.federated_map(func, value.value))


def _map_lambda(writer):
    value = writer.pick(_is_mapped)
    if value is not None:
        inner = _graph(writer, value.type.member)
        if _is_sequence(inner.type_signature.result):
            return
        outer = _graph(writer, inner.type_signature.result)
        both = tff.federated_computation(lambda x: (outer(inner(x)), x), value.type.member)
        writer.add(f"map lambda {both.type_signature}", tff.federated_map(both, value.value))


def _zip(writer):
    for placement in writer.choose.sample([tff.CLIENTS, tff.SERVER], 2):
        found = writer.values_where(lambda type_: _is_placed_at(type_, placement))
        if len(found) >= 2:
            one, other = writer.choose.sample(found, 2)
            writer.add("zip", tff.federated_zip((one.value, other.value)))
            return


def _select_part(writer):
    value = writer.pick(lambda type_: _is_at(type_) and isinstance(type_.member, tff.StructType))
    if value is not None and len(value.type.member):
        at = writer.choose.randrange(len(value.type.member))
        writer.add(f"part {at}", value.value[at])


def _broadcast(writer):
    value = writer.pick(lambda type_: _is_placed_at(type_, tff.SERVER))
    if value is not None:
        writer.add("broadcast", tff.federated_broadcast(value.value))


def _fold(kinds, intrinsic, name):
    def move(writer):
        value = writer.pick(_are_all(kinds))
        if value is not None:
            writer.add(name, intrinsic(value.value))

    return move


def _plus(writer):
    value = writer.pick(_are_all("if"))
    if value is not None:
        others = writer.values_where(lambda type_: type_ is value.type)
        other = writer.choose.choice(others)
        try:
            writer.add("plus", value.value + other.value)
        except TypeError:
            pass  # what all clients have alike and lengths that are not known


def _weighted(writer):
    value = writer.pick(_are_all("f"))
    weight = writer.pick(
        lambda type_: (
            _are_all("if")(type_)
            and isinstance(type_.member, tff.TensorType)
            and tuple(type_.member.shape) == ()
        )
    )
    if value is not None and weight is not None:
        writer.add("weighted mean", tff.federated_mean(value.value, weight.value))


def _aggregate(writer):
    value = writer.pick(lambda type_: _is_placed_at(type_, tff.CLIENTS) and not _has_sequence(type_.member))
    if value is None:
        return
    member = value.type.member
    state = tff.to_type((np.float64, np.int64))
    zero = tff.graph_computation(lambda: (gw.constant(0.0, gw.float64), gw.constant(0, gw.int64)))

    def accumulated(state, x):
        y = gw.reduce_sum(gw.cast(_flat(x)[0], gw.float64))
        return (state[0] * 0.5 + y if y > 0 else state[0] + y, state[1] + 1)

    accumulate = tff.graph_computation(accumulated, state, member)
    merge = tff.graph_computation(lambda a, b: (a[0] * 0.75 + b[0], a[1] + b[1]), state, state)
    report = tff.graph_computation(lambda s: {"mean": s[0], "count": s[1]}, state)
    writer.add("aggregate", tff.federated_aggregate(value.value, zero(), accumulate, merge, report))


def _eval(writer):
    placement = writer.choose.choice([tff.CLIENTS, tff.SERVER])
    drawn = tff.graph_computation(lambda: (gw.random.uniform([]), gw.random.normal([2])))
    writer.add("eval", tff.federated_eval(drawn, placement))


def _constant(writer):
    placement = writer.choose.choice([tff.CLIENTS, tff.SERVER])
    writer.add("value", tff.federated_value(writer.choose.randint(-5, 5), placement))


def _noise(writer):
    value = writer.pick(
        lambda type_: _is_placed_at(type_, tff.CLIENTS) and isinstance(type_.member, tff.TensorType)
    )
    if value is not None:

        def noisy(x):
            n = 0.0
            for _ in range(2):
                n += gw.random.uniform([])
            return gw.cast(x, gw.float32) + n

        writer.add("noise", tff.federated_map(tff.graph_computation(noisy, value.type.member), value.value))


def _select(writer):
    held = writer.pick(
        lambda type_: _is_placed_at(type_, tff.SERVER) and isinstance(type_.member, tff.TensorType)
    )
    if held is not None:
        keys = tff.graph_computation(lambda: gw.constant([2, 0], gw.int32))
        rows = tff.graph_computation(lambda x, k: (x, k + 1), held.type.member, np.int32)
        selected = tff.federated_select(
            tff.federated_eval(keys, tff.CLIENTS), tff.federated_value(4, tff.SERVER), held.value, rows
        )
        writer.add("select", selected)


def _secure(writer):
    value = writer.pick(_are_all("i"))
    if value is not None:
        bounded = tff.graph_computation(lambda x: _map_leaves(lambda leaf: leaf % 100, x), value.type.member)
        small = tff.federated_map(bounded, value.value)
        if writer.choose.random() < 0.5:
            writer.add("secure sum", tff.federated_secure_sum(small, 100))
        else:
            writer.add("secure sum of bits", tff.federated_secure_sum_bitwidth(small, 7))


def _call(writer):
    value = writer.pick(lambda type_: not _is_at(type_) and not _holds_function(type_))
    if value is not None:
        func = _graph(writer, value.type)
        writer.add(f"call {func.type_signature}", func(value.value))


MOVES = [
    *[_map] * 4,
    _map_lambda,
    _map_lambda,
    _zip,
    _zip,
    _select_part,
    _select_part,
    _broadcast,
    _fold("if", tff.federated_sum, "sum"),
    _fold("if", tff.federated_min, "min"),
    _fold("if", tff.federated_max, "max"),
    _fold("f", tff.federated_mean, "mean"),
    _weighted,
    _aggregate,
    _eval,
    _constant,
    _plus,
    _plus,
    _noise,
    _select,
    _secure,
    _call,
]

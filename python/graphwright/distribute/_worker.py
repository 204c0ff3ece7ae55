"""The process of a replica: an actor of Ray's that keeps variables, functions, iterators, and runs graphs."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import ray
from ray import cloudpickle

from .. import _native, nest
from .._native import TensorSpec, Variable
from ..autograph import do_not_convert
from ..data import Dataset
from ..data._iterator import Iterator
from ..data._parts import part
from . import _errors, _exchange
from ._pickling import Packed, array_of, leaf_sent, pack, unpack
from ._strategy import InputContext, ReduceOp, ReplicaContext, Scope, Strategy, along

#: So many functions, datasets and iterators are kept; those that were used longest ago go first.
KEPT = 64


class Value(NamedTuple):
    """The value of a variable, and all that it takes to make it."""

    version: int
    array: Any
    dtype: str
    shape: list[int | None]
    trainable: bool
    name: str


class Source(NamedTuple):
    """The origin of a worker's part of a dataset: the whole, or a function."""

    kind: str
    packed: Packed


class Task(NamedTuple):
    """A call on a replica, of a function that Ray keeps; `values` are variables that others have changed."""

    attempt: int
    replicas: list[int]
    digest: str
    function: Any
    call: Packed
    values: dict[int, Value]
    leads: bool


class Report(NamedTuple):
    """The outcome of a task, but for its results."""

    structure: Any = None
    changed: dict[int, bytes] = {}  # noqa: RUF012 - a named tuple is never changed
    raised: Any = None
    stopped: bool = False


class Worker:
    """One replica; `rank` is its number."""

    def __init__(self, rank: int, count: int, exchange: Any) -> None:
        self._rank = rank
        self._strategy = WorkerStrategy(count)
        self._context = WorkerContext(self._strategy, rank, exchange)
        self._variables: dict[int, Variable] = {}
        self._kept: OrderedDict[Any, Any] = OrderedDict()

    def pid(self) -> int:
        """The number of its process."""
        return os.getpid()

    def run(self, task: Task, picks: list[Any]) -> tuple[Report, Any, Any]:
        """The report, the leaves of what the function gives, and what the variables hold that it changed."""
        self._context.begin(task)
        try:
            before = self._take(task.values)
            function, is_new = self._function(task)
            args, kwargs = unpack(task.call, lambda name: self._found(name, picks))
            with Scope(self._strategy, self._context):
                result = function(*args, **kwargs)
            if is_new:
                self._check_variables(function)
            structure, leaves = _taken_apart(result)
            return self._reported(before, task.leads, structure, leaves)
        except BaseException as error:
            return Report(raised=_errors.packed(error), stopped=self._context.stopped), [], {}

    def _reported(
        self, before: dict[int, bytes], leads: bool, structure: Any, leaves: Any
    ) -> tuple[Report, Any, Any]:
        values = {number: array_of(variable) for number, variable in self._variables.items()}
        digests = {number: _digest(value) for number, value in values.items()}
        changed = {number: digest for number, digest in digests.items() if before.get(number) != digest}
        state = {number: values[number] for number in changed} if leads else {}
        return Report(structure, changed), leaves, state

    def next(self, values: dict[int, Value], number: int, place: int, epoch: int, source: list[Any]) -> Any:
        """True if an iterator has an element at a place, and its leaves; elsewhere it begins anew."""
        try:
            self._take(values)
            at, iterator = self._kept.pop(("iterator", number), (-1, None))
            if at != place:
                iterator = Iterator(self._dataset(source[0])._machine, _native.constant(epoch, _native.int64))
                for _ in range(place):
                    iterator._advanced()
            more, element = iterator._advanced()
            self._keep(("iterator", number), (place + 1, iterator))
            return Report(structure=bool(more)), [leaf_sent(leaf) for leaf in nest.flatten(element)]
        except BaseException as error:
            return Report(raised=_errors.packed(error)), []

    def _take(self, values: dict[int, Value]) -> dict[int, bytes]:
        """Brings variables up to date; gives digests of what all of them hold."""
        for number, value in values.items():
            tensor = _native.convert_to_tensor(np.array(value.array), _native.as_dtype(value.dtype))
            if number in self._variables:
                self._variables[number].assign(tensor)
            else:
                self._variables[number] = Variable(
                    tensor, trainable=value.trainable, name=value.name, shape=value.shape
                )
        return {number: _digest(array_of(variable)) for number, variable in self._variables.items()}

    def _function(self, task: Task) -> tuple[Any, bool]:
        """The function, and whether it is met for the first time."""
        found = self._kept.pop(("function", task.digest), None)
        is_new = found is None
        if found is None:
            found = unpack(ray.get(task.function), lambda name: self._found(name, []))
        self._keep(("function", task.digest), found)
        return found, is_new

    def _found(self, name: Any, picks: list[Any]) -> Any:
        """The object of a name: a variable, the strategy, the part of a value or of a dataset."""
        kind, which = name
        if kind == "variable":
            return self._variables[which]
        if kind == "strategy":
            return self._strategy
        if kind == "dataset":
            return self._dataset(picks[which])
        place, leaf = which
        return _received(ray.get(picks[place])[leaf])

    def _dataset(self, reference: Any) -> Dataset:
        key = ("dataset", reference.hex())
        found: Dataset | None = self._kept.pop(key, None)
        if found is None:
            kind, packed = ray.get(reference)
            whole = unpack(packed, lambda name: self._found(name, []))
            count = self._strategy.num_replicas_in_sync
            if kind == "function":
                found = whole(InputContext(count, self._rank, count))
            else:
                found = Dataset(part(whole._machine, count, self._rank), whole._epochs)
        self._keep(key, found)
        return found

    def _keep(self, key: Any, value: Any) -> None:
        self._kept[key] = value
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def _check_variables(self, function: Any) -> None:
        """`ValueError` if the function has made variables here, which no other process knows of."""
        known = {id(variable) for variable in self._variables.values()}
        made: list[str] = []

        def named(value: Any) -> Any:
            if isinstance(value, Variable):
                made.extend([] if id(value) in known else [value.name])
                return "variable", 0
            return ("strategy", 0) if isinstance(value, Strategy) else None

        try:
            pack(function, named)
        except Exception:
            return
        if made:
            raise ValueError(
                f"`{made[0]}` is made by a function that runs on workers: make variables before, in the "
                "strategy's scope; layers and optimizers make theirs in `build`"
            )


class WorkerStrategy(Strategy):
    """The strategy, as functions find it on a worker."""

    def __init__(self, count: int) -> None:
        self._count = count

    @property
    def num_replicas_in_sync(self) -> int:
        """Number of replicas that compute together."""
        return self._count


class StoppedError(Exception):
    """The run is over: another replica is lost, or has failed."""


class WorkerContext(ReplicaContext):
    """Where a function is that runs on a worker; graphs that are made there know it, so it stays the same."""

    def __init__(self, strategy: Strategy, rank: int, exchange: Any) -> None:
        super().__init__(strategy, rank)
        self._exchange = exchange
        self._task: Any = None
        self._turns = 0
        self.stopped = False

    def begin(self, task: Task) -> None:
        """Another task begins."""
        self._task, self._turns, self.stopped = task, 0, False

    @do_not_convert
    def all_reduce(self, reduce_op: ReduceOp | str, value: Any) -> Any:
        """One structure of the same on all replicas, of what each has of it."""
        op = ReduceOp.from_name(reduce_op)
        tensors = [along(op, leaf, None) for leaf in nest.flatten(value)]
        for tensor in tensors:
            if tensor.dtype in (_native.bool, _native.string):
                raise TypeError(f"all_reduce() takes numbers, not {tensor.dtype.name}")

        def meet(*arrays: Any) -> Any:
            return self._met(op, arrays)

        if _native.executing_eagerly():
            found = [_native.convert_to_tensor(array) for array in meet(*[array_of(one) for one in tensors])]
        else:
            specs = [TensorSpec(tensor.shape, tensor.dtype) for tensor in tensors]
            found = _native.numpy_function(meet, tensors, specs, name="all_reduce") if tensors else []
        return nest.pack_sequence_as(value, found)

    def _met(self, op: ReduceOp, arrays: Any) -> list[Any]:
        kind = [op.value, *[(str(array.dtype), array.shape) for array in arrays]]
        turn, self._turns = self._turns, self._turns + 1
        replicas = self._task.replicas
        meeting = self._exchange.meet.remote(
            self._task.attempt, turn, self._replica, replicas, kind, list(arrays)
        )
        what, found = ray.get(meeting)
        if what == _exchange.STOPPED:
            self.stopped = True
            raise StoppedError("another replica is lost, or has failed")
        if what == _exchange.UNEVEN:
            raise RuntimeError(f"all_reduce() takes all replicas at once, and {found}")
        parts = len(replicas) if op is ReduceOp.MEAN else 1
        return [np.array(total if parts == 1 else total / total.dtype.type(parts)) for total in found]


def _digest(value: Any) -> bytes:
    content = pickle.dumps(value) if value.dtype == object else np.ascontiguousarray(value).tobytes()
    return hashlib.blake2b(content + repr(value.shape).encode(), digest_size=16).digest()


def _taken_apart(result: Any) -> tuple[Any, list[Any]]:
    """A structure with numbers for its leaves, and the leaves; an error if they cannot leave the process."""
    if result is None:
        return None, []
    leaves = nest.flatten(result)
    sent = [leaf_sent(leaf) for leaf in leaves]
    cloudpickle.dumps([leaf for leaf in sent if not isinstance(leaf, np.ndarray)])
    return nest.pack_sequence_as(result, range(len(leaves))), sent


def _received(leaf: Any) -> Any:
    return _native.convert_to_tensor(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf

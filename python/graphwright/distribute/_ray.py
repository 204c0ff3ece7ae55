"""`RayStrategy`: replicas in processes of Ray's, on this machine or others."""

from __future__ import annotations

import builtins
import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _native, nest
from ..autograph import do_not_convert
from ..data import Dataset
from ._strategy import InputContext, ReduceOp, Strategy, along, check_outside


class RayStrategy(Strategy):
    """One replica in each of so many processes of Ray's, `pip install 'graphwright[ray]'`.

    Functions that `run` calls are compiled and run in each process. Variables that it reads or assigns to
    hold the same in all of them and here; a process that is lost is replaced, and does its work again.

    Args:
      num_workers: how many replicas there are.
      address: that of a cluster of Ray's; without it one is started on this machine, if none is there.
      init_options: further arguments of `ray.init` then.

    Example:
      >>> strategy = gw.distribute.RayStrategy(2)
      >>> strategy, strategy.num_replicas_in_sync
      (RayStrategy(num_workers=2), 2)
    """

    @do_not_convert
    def __init__(
        self, num_workers: int = 2, address: str | None = None, init_options: Mapping[str, Any] | None = None
    ) -> None:
        if num_workers < 1:
            raise ValueError(f"RayStrategy needs at least 1 worker, not {num_workers}")
        ray = _ray()
        _keep_print()
        self._started = not ray.is_initialized()
        if self._started:
            ray.init(address=address, **{"include_dashboard": False, **(init_options or {})})
        from . import _crew

        self._crew = _crew.Crew(num_workers)
        self._lock = threading.RLock()
        self._ended = False

    def __repr__(self) -> str:
        return f"RayStrategy(num_workers={self._crew.count})"

    @property
    def num_replicas_in_sync(self) -> int:
        """Number of replicas that compute together."""
        return self._crew.count

    @do_not_convert
    def shutdown(self) -> None:
        """Ends the processes of the replicas, and Ray if the strategy has started it.

        Returns:
          Nothing.

        Example:
          >>> strategy = gw.distribute.RayStrategy(2)
          >>> strategy.shutdown()
        """
        if _ray().is_initialized() and not self._ended:
            self._crew.end()
        if self._started:
            _ray().shutdown()
        self._started, self._ended = False, True

    @do_not_convert
    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Results of a function on each replica: a structure of `PerReplica`.

        Where it raises on one, that is raised here, and variables hold their former values.

        Args:
          fn: function.
          args: its arguments.
          kwargs: its arguments by name.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          Structure of `PerReplica`.

        Example:
          >>> strategy = gw.distribute.RayStrategy(2)
          >>> result = strategy.run(lambda x: x + 1, (gw.constant(1),))
          >>> [int(value) for value in strategy.experimental_local_results(result)]
          [2, 2]
        """
        from . import _replicas

        check_outside("run")
        _check_eager("run")
        with self._lock:
            picks = _Picks(self)
            arguments = picks.packed((tuple(args), dict(kwargs or {})))
            call = self._crew.call(self._packed(fn), arguments, picks.of_ranks())
            structure, leaves = self._crew.run(call)
        return None if structure is None else _replicas.per_replica(structure, leaves)

    @do_not_convert
    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: Any = None) -> Any:
        """Combines the values of the replicas in their order.

        Args:
          reduce_op: `ReduceOp`, or its name.
          value: result of `run`.
          axis: axis of each value to reduce along too, or `None`.

        Returns:
          Tensor.

        Example:
          >>> strategy = gw.distribute.RayStrategy(2)
          >>> result = strategy.run(lambda x: x + 1, (gw.constant(1),))
          >>> int(strategy.reduce("SUM", result))
          4
        """
        check_outside("reduce")
        op = ReduceOp.from_name(reduce_op)
        return nest.map_structure(lambda leaf: self._reduced(op, leaf, axis), value)

    def _reduced(self, op: ReduceOp, leaf: Any, axis: Any) -> Any:
        values = [_native.convert_to_tensor(value) for value in self._values(leaf)]
        total = along(ReduceOp.SUM, values[0], axis)
        for value in values[1:]:
            total = total + along(ReduceOp.SUM, value, axis)
        if op is ReduceOp.SUM:
            return total
        return total / _native.cast(sum(_count(value, axis) for value in values), total.dtype)

    @do_not_convert
    def gather(self, value: Any, axis: int) -> Any:
        """Joins the values of the replicas along an axis.

        Args:
          value: result of `run`.
          axis: axis to join along.

        Returns:
          Tensor.

        Example:
          >>> strategy = gw.distribute.RayStrategy(2)
          >>> result = strategy.run(lambda: gw.ones([2]))
          >>> strategy.gather(result, axis=0).shape
          (4,)
        """
        check_outside("gather")
        return nest.map_structure(lambda leaf: _native.concat(list(self._values(leaf)), axis), value)

    @do_not_convert
    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Lists the values of the replicas.

        Args:
          value: result of `run`.

        Returns:
          Tuple.

        Example:
          >>> strategy = gw.distribute.RayStrategy(2)
          >>> result = strategy.run(lambda: gw.constant(7))
          >>> [int(value) for value in strategy.experimental_local_results(result)]
          [7, 7]
        """
        from . import _replicas

        return value.values if isinstance(value, _replicas.PerReplica) else (value,)

    def _values(self, leaf: Any) -> tuple[Any, ...]:
        """The values of the replicas; what is no value of theirs, each of them has."""
        from . import _replicas

        return leaf.values if isinstance(leaf, _replicas.PerReplica) else (leaf,) * self._crew.count

    @do_not_convert
    def experimental_distribute_dataset(self, dataset: Dataset, options: Any = None) -> Any:
        """Distributes a dataset: batches by rows, unbatched elements round-robin.

        Args:
          dataset: dataset.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          Dataset.

        Example:
          >>> strategy = gw.distribute.RayStrategy(2)
          >>> batches = strategy.experimental_distribute_dataset(gw.data.Dataset.range(4).batch(4))
          >>> [batch] = batches
          >>> [value.numpy().tolist() for value in strategy.experimental_local_results(batch)]
          [[0, 1], [2, 3]]
        """
        from . import _replicas

        return _replicas.distributed(self, dataset)

    @do_not_convert
    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Dataset], options: Any = None
    ) -> Any:
        """Makes a dataset in each process by a function.

        Args:
          dataset_fn: function of an `InputContext`.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          Dataset.

        Example:
          >>> strategy = gw.distribute.RayStrategy(2)
          >>> def rows(context):
          ...     return gw.data.Dataset.range(4).batch(2).shard(2, context.input_pipeline_id)
          >>> [batch] = strategy.distribute_datasets_from_function(rows)
          >>> [value.numpy().tolist() for value in strategy.experimental_local_results(batch)]
          [[0, 1], [2, 3]]
        """
        from . import _replicas

        spec = dataset_fn(InputContext(self._crew.count, 0, self._crew.count)).element_spec
        return _replicas.DistributedDataset(self, "function", dataset_fn, spec)

    def _packed(self, value: Any) -> Any:
        """An object as workers can have it."""
        from . import _pickling

        if self._ended:
            raise RuntimeError("the strategy was shut down")

        return _pickling.pack(value, self._named)

    def _named(self, value: Any) -> Any:
        """The name of a variable, or of the strategy."""
        from . import _replicas

        if isinstance(value, _replicas.OF_REPLICAS):
            raise TypeError(
                f"a {type(value).__name__} gets to workers as an argument of run(), and no other way"
            )
        if isinstance(value, _native.Variable):
            return "variable", self._crew.mirrors.number(value)
        return ("strategy", 0) if value is self else None

    def _elements(self, number: int, place: int, epoch: int, source: Any) -> dict[int, Any]:
        """Elements of the replicas in a place of an iterator, where they have one."""
        from . import _errors

        if self._ended:
            raise RuntimeError("the strategy was shut down")

        def asked(member: Any) -> Any:
            news = self._crew.mirrors.news(member)
            ask = member.actor.next.options(num_returns=2)
            pair = ask.remote(news, number, place, epoch, [source])
            references[member.actor] = pair[1]
            return pair[0]

        references: dict[Any, Any] = {}
        with self._lock:
            reports = self._crew.ask(range(self._crew.count), asked)
            leaves = [references[actor] for actor in self._crew.actors()]
        for rank, report in enumerate(reports):
            if report.raised is not None:
                raise _errors.restored(report.raised, rank)
        return {rank: leaves[rank] for rank, report in enumerate(reports) if report.structure}


class _Picks:
    """The arguments of a call that are others on each replica: parts of values and of datasets."""

    def __init__(self, strategy: RayStrategy) -> None:
        self._strategy = strategy
        self._found: list[Any] = []
        self._places: dict[int, int] = {}

    def packed(self, call: Any) -> Any:
        """The call, in which they have names."""
        from . import _pickling

        return _pickling.pack(call, self._named)

    def _named(self, value: Any) -> Any:
        from . import _replicas

        if isinstance(value, _replicas.PerReplica):
            return "value", (self._place(value.references), value.leaf)
        if isinstance(value, _replicas.DistributedIterator):
            raise TypeError("an iterator is not given to run(): give what it gives, or the dataset")
        if isinstance(value, _replicas.DistributedDataset):
            return "dataset", self._place(
                dict.fromkeys(range(self._strategy.num_replicas_in_sync), value.source())
            )
        return self._strategy._named(value)

    def _place(self, references: dict[int, Any]) -> int:
        if id(references) not in self._places:
            self._places[id(references)] = len(self._found)
            self._found.append(references)
        return self._places[id(references)]

    def _ranks(self) -> list[int]:
        everyone = list(range(self._strategy.num_replicas_in_sync))
        ranks = sorted(self._found[0]) if self._found else everyone
        if any(sorted(references) != ranks for references in self._found):
            raise ValueError("some arguments of run() are there on other replicas than the rest")
        return ranks

    def of_ranks(self) -> dict[int, list[Any]]:
        """For each replica that has them where it finds them."""
        return {rank: [references[rank] for references in self._found] for rank in self._ranks()}


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "RayStrategy needs the package `ray`: pip install 'graphwright[ray]'", name="ray"
        ) from error
    return ray


def _keep_print() -> None:
    """Has Ray put its own in the place of `print` now, and puts Python's back, which graphs know."""
    kept = builtins.print
    with contextlib.suppress(ImportError, AttributeError):
        from ray.experimental import tqdm_ray

        tqdm_ray.instance()
    builtins.print = kept


def _check_eager(what: str) -> None:
    if not _native.executing_eagerly():
        raise ValueError(
            f"{what}() of a RayStrategy starts work in other processes, and is not called in a graph: loop "
            "outside, or loop in the function that it runs, which may be given the distributed dataset"
        )


def _count(value: Any, axis: Any) -> int:
    """The number of values that become one."""
    if axis is None:
        return 1
    count = 1
    for one in axis if isinstance(axis, (list, tuple)) else [axis]:
        count *= int(value.shape[one])
    return count

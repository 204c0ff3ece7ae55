"""The base of strategies: their scopes, and the surroundings of a function that one of them runs."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple

from .. import _native, nest
from ..autograph import do_not_convert
from ..data import Dataset


class ReduceOp(enum.Enum):
    """Reduction that makes one value of those of several replicas.

    Example:
      >>> strategy = gw.distribute.OneDeviceStrategy()
      >>> losses = strategy.run(lambda: gw.constant([1.0, 3.0]))
      >>> strategy.reduce(gw.distribute.ReduceOp.MEAN, losses, axis=0).item()
      2.0
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_name(name: ReduceOp | str) -> ReduceOp:
        """Returns the operation of a name.

        Args:
          name: `"sum"` or `"mean"`.

        Returns:
          `ReduceOp`.

        Example:
          >>> strategy = gw.distribute.OneDeviceStrategy()
          >>> losses = strategy.run(lambda: gw.constant([1.0, 3.0]))
          >>> strategy.reduce(gw.distribute.ReduceOp.from_name("sum"), losses, axis=0).item()
          4.0
        """
        if isinstance(name, ReduceOp):
            return name
        try:
            return ReduceOp[name.upper()]
        except (KeyError, AttributeError):
            raise ValueError(f'values are reduced by "SUM" or "MEAN", not by {name!r}') from None


class InputContext(NamedTuple):
    """Position of a worker, which `distribute_datasets_from_function` gives to its function.

    Args:
      num_input_pipelines: number of pipelines.
      input_pipeline_id: number of this one.
      num_replicas_in_sync: number of replicas.

    Example:
      >>> gw.distribute.InputContext(2, 1, 2).input_pipeline_id
      1
    """

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Divides a batch size among the replicas.

        Args:
          global_batch_size: number of elements of all replicas together.

        Returns:
          int.

        Raises:
          ValueError: it cannot be divided evenly.

        Example:
          >>> gw.distribute.InputContext(2, 1, 2).get_per_replica_batch_size(8)
          4
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"batches of {global_batch_size} are not the same number of elements for each of "
                f"{self.num_replicas_in_sync} replicas"
            )
        return global_batch_size // self.num_replicas_in_sync


class Strategy:
    """Distribution of a computation; this one, which is there where no other is, does not distribute.

    Example:
      >>> gw.distribute.get_strategy().num_replicas_in_sync
      1
    """

    @property
    def num_replicas_in_sync(self) -> int:
        """Number of replicas that compute together."""
        return 1

    @do_not_convert
    def scope(self) -> Scope:
        """Makes this the strategy inside of a `with`.

        Returns:
          Context manager.

        Example:
          >>> with gw.distribute.OneDeviceStrategy().scope():
          ...     print(gw.distribute.has_strategy())
          True
        """
        return Scope(self)

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Calls a function on each replica.

        Args:
          fn: function.
          args: its arguments.
          kwargs: its arguments by name.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          Structure of the results.

        Example:
          >>> gw.distribute.OneDeviceStrategy().run(lambda x: x + 1, (gw.constant(1),))
          <gw.Tensor: shape=(), dtype=int32, numpy=2>
        """
        with Scope(self, ReplicaContext(self)):
            called = fn if _native.executing_eagerly() else _native.operators.conv(fn)
            return called(*args, **(kwargs or {}))

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: Any = None) -> Any:
        """Combines the values of the replicas.

        Args:
          reduce_op: `ReduceOp`, or its name.
          value: result of `run`.
          axis: axis of each value to reduce along too, or `None`.

        Returns:
          Tensor.

        Example:
          >>> strategy = gw.distribute.OneDeviceStrategy()
          >>> strategy.reduce("sum", strategy.run(lambda: gw.constant([1, 2])), axis=0).item()
          3
        """
        check_outside("reduce")
        op = ReduceOp.from_name(reduce_op)
        return nest.map_structure(lambda leaf: along(op, leaf, axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """Joins the values of the replicas along an axis.

        Args:
          value: result of `run`.
          axis: axis to join along.

        Returns:
          Tensor.

        Example:
          >>> strategy = gw.distribute.OneDeviceStrategy()
          >>> strategy.gather(strategy.run(lambda: gw.constant([1, 2])), 0).tolist()
          [1, 2]
        """
        check_outside("gather")
        return nest.map_structure(_native.convert_to_tensor, value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Lists the values of the replicas.

        Args:
          value: result of `run`.

        Returns:
          Tuple.

        Example:
          >>> strategy = gw.distribute.OneDeviceStrategy()
          >>> len(strategy.experimental_local_results(strategy.run(lambda: gw.constant(1))))
          1
        """
        return (value,)

    def experimental_distribute_dataset(self, dataset: Dataset, options: Any = None) -> Any:
        """Gives each replica its part of each element.

        Args:
          dataset: dataset of batches.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          Dataset.

        Example:
          >>> strategy = gw.distribute.OneDeviceStrategy()
          >>> [int(x) for x in strategy.experimental_distribute_dataset(gw.data.Dataset.range(2))]
          [0, 1]
        """
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Dataset], options: Any = None
    ) -> Any:
        """Makes a dataset for each replica by a function.

        Args:
          dataset_fn: function of an `InputContext`.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          Dataset.

        Example:
          >>> strategy = gw.distribute.OneDeviceStrategy()
          >>> dataset = strategy.distribute_datasets_from_function(lambda context: gw.data.Dataset.range(2))
          >>> [int(x) for x in dataset]
          [0, 1]
        """
        return dataset_fn(InputContext())

    def experimental_distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Dataset], options: Any = None
    ) -> Any:
        """Calls `distribute_datasets_from_function` by its older name.

        Args:
          dataset_fn: function of an `InputContext`.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          Dataset.

        Example:
          >>> strategy = gw.distribute.OneDeviceStrategy()
          >>> make = strategy.experimental_distribute_datasets_from_function
          >>> [int(x) for x in make(lambda context: gw.data.Dataset.range(2))]
          [0, 1]
        """
        return self.distribute_datasets_from_function(dataset_fn, options)


class ReplicaContext:
    """Position of a function that a strategy runs: on a replica, with others beside it.

    Args:
      strategy: the strategy.
      replica_id_in_sync_group: number of the replica.

    Example:
      >>> strategy = gw.distribute.OneDeviceStrategy()
      >>> strategy.run(lambda: gw.distribute.get_replica_context().replica_id_in_sync_group)
      0
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: int = 0) -> None:
        self._strategy, self._replica = strategy, replica_id_in_sync_group

    @property
    def strategy(self) -> Strategy:
        """The strategy that runs the function."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """Number of replicas that compute together."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """The number of this replica, from 0 on."""
        return self._replica

    def all_reduce(self, reduce_op: ReduceOp | str, value: Any) -> Any:
        """Combines the values of all replicas and gives the result to each of them.

        Args:
          reduce_op: `ReduceOp`, or its name.
          value: structure of tensors.

        Returns:
          Structure of tensors; means of integers are floats.

        Example:
          >>> strategy = gw.distribute.OneDeviceStrategy()
          >>> strategy.run(lambda: gw.distribute.get_replica_context().all_reduce("sum", gw.constant(2)))
          <gw.Tensor: shape=(), dtype=int32, numpy=2>
        """
        op = ReduceOp.from_name(reduce_op)
        return nest.map_structure(lambda leaf: along(op, leaf, None), value)


class OneDeviceStrategy(Strategy):
    """Everything on one device, which is the processor.

    Args:
      device: `"cpu"`, or as TensorFlow has it, `"/cpu:0"`.

    Example:
      >>> strategy = gw.distribute.OneDeviceStrategy("cpu")
      >>> strategy.run(lambda x: x + 1, (gw.constant(1),))
      <gw.Tensor: shape=(), dtype=int32, numpy=2>
    """

    def __init__(self, device: str = "cpu") -> None:
        parts = device.lower().replace("/", ":").split(":")
        if [part for part in parts if part not in ("", "device", "0", "job", "localhost")] != ["cpu"]:
            raise ValueError(f"there is no device {device!r}: graphs run on the processor, `cpu`")
        self._device = device

    def __repr__(self) -> str:
        return f"OneDeviceStrategy({self._device!r})"


class Scope:
    """A `with` in which a strategy is the one; with a context, in a function that it runs."""

    def __init__(self, strategy: Strategy, context: ReplicaContext | None = None) -> None:
        self._strategy, self._context = strategy, context

    def __enter__(self) -> Strategy:
        here = _around.places[-1] if _around.places else None
        if here is not None and here[0] is not self._strategy:
            raise RuntimeError("a strategy's scope is not entered in that of another one")
        if here is not None and here[1] is not None:
            what = "run() is not called" if self._context is not None else "scope() is not entered"
            raise RuntimeError(f"{what} in a function that a strategy runs")
        _around.places.append((self._strategy, self._context))
        return self._strategy

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _around.places.pop()


class _Around(threading.local):
    """The scopes that a thread is in, the innermost last."""

    def __init__(self) -> None:
        self.places: list[tuple[Strategy, ReplicaContext | None]] = []


_around = _Around()
_DEFAULT = Strategy()
_ALONE = ReplicaContext(_DEFAULT)


@do_not_convert
def get_strategy() -> Strategy:
    """Returns the strategy of the scope around, or one that distributes nothing.

    Returns:
      `Strategy`.

    Example:
      >>> gw.distribute.get_strategy().num_replicas_in_sync
      1
    """
    return _around.places[-1][0] if _around.places else _DEFAULT


@do_not_convert
def has_strategy() -> bool:
    """Tells whether there is a scope around.

    Returns:
      bool.

    Example:
      >>> with gw.distribute.OneDeviceStrategy().scope():
      ...     print(gw.distribute.has_strategy())
      True
      >>> gw.distribute.has_strategy()
      False
    """
    return bool(_around.places)


@do_not_convert
def get_replica_context() -> ReplicaContext | None:
    """Returns the context of the replica that runs this code.

    Returns:
      `ReplicaContext`; `None` in a scope outside of `run`.

    Example:
      >>> gw.distribute.get_replica_context().replica_id_in_sync_group
      0
    """
    return _around.places[-1][1] if _around.places else _ALONE


@do_not_convert
def in_cross_replica_context() -> bool:
    """Tells whether there is a scope around, outside of functions that its strategy runs.

    Returns:
      bool.

    Example:
      >>> strategy = gw.distribute.OneDeviceStrategy()
      >>> with strategy.scope():
      ...     print(gw.distribute.in_cross_replica_context())
      True
      >>> strategy.run(lambda: gw.distribute.in_cross_replica_context())
      False
    """
    return get_replica_context() is None


def along(op: ReduceOp, value: Any, axis: Any) -> Any:
    """A value reduced along an axis, or as it is; means of integers are floats."""
    value = _native.convert_to_tensor(value)
    if axis is None:
        is_whole = op is ReduceOp.MEAN and value.dtype.is_integer
        return _native.cast(value, _native.float64) if is_whole else value
    return (_native.reduce_sum if op is ReduceOp.SUM else _native.reduce_mean)(value, axis)


def check_outside(what: str) -> None:
    """`RuntimeError` in a function that a strategy runs."""
    if has_strategy() and get_replica_context() is not None:
        raise RuntimeError(
            f"{what}() is not called in a function that a strategy runs; there is "
            "get_replica_context().all_reduce()"
        )

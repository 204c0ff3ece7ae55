"""Data of clients that programs select from."""

from __future__ import annotations

import abc
import random
from collections.abc import Sequence
from typing import Any

from ...data import Dataset
from .._execution.returned import _element_type
from ..framework import CLIENTS, FederatedType, SequenceType


class FederatedDataSourceIterator(abc.ABC):
    """Selects clients, round for round.

    Example:
      >>> import graphwright.federated as tff
      >>> source = tff.program.DatasetDataSource([gw.data.Dataset.range(2)])
      >>> isinstance(source.iterator(), tff.program.FederatedDataSourceIterator)
      True
    """

    @property
    @abc.abstractmethod
    def federated_type(self) -> Any:
        """The type of a selection."""

    @abc.abstractmethod
    def select(self, k: int | None = None) -> Any:
        """Returns the data of a number of clients.

        Args:
          k: number of clients.

        Returns:
          List of datasets.

        Example:
          >>> import graphwright.federated as tff
          >>> len(tff.program.DatasetDataSource([gw.data.Dataset.range(2)]).iterator().select(1))
          1
        """


class FederatedDataSource(abc.ABC):
    """Data of clients.

    Example:
      >>> import graphwright.federated as tff
      >>> clients = [gw.data.Dataset.range(n) for n in (2, 3)]
      >>> source = tff.program.DatasetDataSource(clients)
      >>> isinstance(source, tff.program.FederatedDataSource), len(source.iterator().select(2))
      (True, 2)
    """

    @property
    @abc.abstractmethod
    def federated_type(self) -> Any:
        """The type of a selection."""

    @abc.abstractmethod
    def iterator(self) -> FederatedDataSourceIterator:
        """Returns an iterator, which selects anew.

        Returns:
          `FederatedDataSourceIterator`.

        Example:
          >>> import graphwright.federated as tff
          >>> len(tff.program.DatasetDataSource([gw.data.Dataset.range(2)]).iterator().select(1))
          1
        """


class DatasetDataSource(FederatedDataSource):
    """A dataset for each client.

    Args:
      datasets: the datasets, all of one `element_spec`.
      seed: seed of the selection of clients; without one, chance.

    Raises:
      ValueError: there are none.
      TypeError: one is no dataset, or its elements are of another type.

    Example:
      >>> import graphwright.federated as tff
      >>> source = tff.program.DatasetDataSource([gw.data.Dataset.range(n) for n in (2, 3)], seed=1)
      >>> len(source.iterator().select(1))
      1
    """

    def __init__(self, datasets: Sequence[Dataset], seed: int | None = None) -> None:
        if not datasets:
            raise ValueError("a DatasetDataSource needs at least one dataset")
        for at, dataset in enumerate(datasets):
            if not isinstance(dataset, Dataset):
                raise TypeError(f"client {at} has no dataset, but a value of type {type(dataset).__name__}")
        types = [_element_type(dataset.element_spec) for dataset in datasets]
        for at, found in enumerate(types):
            if found != types[0]:
                raise TypeError(f"the elements of client {at} are {found}, those of client 0 {types[0]}")
        self._datasets, self._seed = list(datasets), seed
        self._type = FederatedType(SequenceType(types[0]), CLIENTS)

    @property
    def federated_type(self) -> Any:
        """The type of a selection."""
        return self._type

    def iterator(self) -> FederatedDataSourceIterator:
        """Returns an iterator, which selects anew.

        Returns:
          `FederatedDataSourceIterator`.

        Example:
          >>> import graphwright.federated as tff
          >>> source = tff.program.DatasetDataSource([gw.data.Dataset.range(2)])
          >>> len(source.iterator().select(1))
          1
        """
        return _DatasetIterator(self._datasets, self._type, random.Random(self._seed))


class _DatasetIterator(FederatedDataSourceIterator):
    def __init__(self, datasets: list[Dataset], type_spec: Any, chance: random.Random) -> None:
        self._datasets, self._type, self._random = datasets, type_spec, chance

    @property
    def federated_type(self) -> Any:
        """The type of a selection."""
        return self._type

    def select(self, k: int | None = None) -> list[Dataset]:
        """Returns the datasets of so many clients, none twice; of all, in their order, without a number.

        Raises:
          ValueError: the number is negative, or greater than that of clients.
        """
        if k is None:
            return list(self._datasets)
        if not 0 <= k <= len(self._datasets):
            raise ValueError(f"select() takes a number from 0 to {len(self._datasets)}, not {k}")
        return self._random.sample(self._datasets, k)

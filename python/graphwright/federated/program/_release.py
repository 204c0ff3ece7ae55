"""Release managers: where a program's values go, and which of them."""

from __future__ import annotations

import abc
import asyncio
import collections
import datetime
import logging
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from . import _structures
from ._values import materialize_value

_LOG = logging.getLogger("graphwright.federated.program")


class ReleasedValueNotFoundError(Exception):
    """There is no released value of a key.

    Args:
      key: the key.

    Example:
      >>> import graphwright.federated as tff
      >>> raise tff.program.ReleasedValueNotFoundError("round 3")
      Traceback (most recent call last):
      ReleasedValueNotFoundError: No released value found for key: round 3.
    """

    def __init__(self, key: object) -> None:
        super().__init__(f"No released value found for key: {key}.")


class NotFilterableError(Exception):
    """A field of a named tuple, a dataclass or an attrs class is to be left out.

    Example:
      >>> import graphwright.federated as tff
      >>> import asyncio, collections
      >>> Point = collections.namedtuple("Point", ["x", "y"])
      >>> memory = tff.program.MemoryReleaseManager()
      >>> manager = tff.program.FilteringReleaseManager(memory, lambda path: path == ("x",))
      >>> asyncio.run(manager.release(Point(1, 2), "point"))
      Traceback (most recent call last):
          ...
      graphwright.federated.program.NotFilterableError: a Point cannot be without its fields `y`
    """


class ReleaseManager(abc.ABC):
    """Takes values out of a program.

    Example:
      >>> import graphwright.federated as tff
      >>> import asyncio
      >>> class Printed(tff.program.ReleaseManager):
      ...     async def release(self, value, key):
      ...         print(key, await tff.program.materialize_value(value))
      >>> asyncio.run(Printed().release({"loss": 0.5}, key=3))
      3 {'loss': 0.5}
    """

    @abc.abstractmethod
    async def release(self, value: Any, key: Any) -> None:
        """Releases a structure of values and references under a key.

        Args:
          value: structure of values and references.
          key: hashable key.

        Returns:
          Nothing.

        Example:
          >>> import graphwright.federated as tff
          >>> import asyncio
          >>> manager = tff.program.MemoryReleaseManager()
          >>> asyncio.run(manager.release(3, "loss"))
          >>> dict(manager.values())
          {'loss': 3}
        """


class MemoryReleaseManager(ReleaseManager):
    """Keeps values in memory.

    Example:
      >>> import asyncio
      >>> import graphwright.federated as tff
      >>> manager = tff.program.MemoryReleaseManager()
      >>> asyncio.run(manager.release(3, "loss"))
      >>> dict(manager.values())
      {'loss': 3}
    """

    def __init__(self) -> None:
        self._values: collections.OrderedDict[Hashable, Any] = collections.OrderedDict()

    async def release(self, value: Any, key: Hashable) -> None:
        """Keeps a value under a key, in the place of the former one.

        Args:
          value: structure of values and references.
          key: hashable key.

        Returns:
          Nothing.

        Example:
          >>> import graphwright.federated as tff
          >>> import asyncio
          >>> manager = tff.program.MemoryReleaseManager()
          >>> asyncio.run(manager.release(3, "loss"))
          >>> dict(manager.values())
          {'loss': 3}
        """
        self._values[key] = await materialize_value(value)

    def values(self) -> collections.OrderedDict[Hashable, Any]:
        """Returns the values by key, in the order in which keys came first.

        Returns:
          Mapping.

        Example:
          >>> import graphwright.federated as tff
          >>> dict(tff.program.MemoryReleaseManager().values())
          {}
        """
        return self._values.copy()

    def remove_all(self) -> None:
        """Drops all values.

        Returns:
          Nothing.

        Example:
          >>> import graphwright.federated as tff
          >>> import asyncio
          >>> manager = tff.program.MemoryReleaseManager()
          >>> asyncio.run(manager.release(5, "round 1"))
          >>> manager.remove_all()
          >>> manager.values()
          OrderedDict()
        """
        self._values.clear()


class LoggingReleaseManager(ReleaseManager):
    """Logs values by `logging`, as the logger `graphwright.federated.program`.

    Example:
      >>> import asyncio, logging, sys
      >>> import graphwright.federated as tff
      >>> log = logging.getLogger("graphwright.federated.program")
      >>> handler = logging.StreamHandler(sys.stdout)
      >>> log.setLevel(logging.INFO)
      >>> log.addHandler(handler)
      >>> asyncio.run(tff.program.LoggingReleaseManager().release(3, "loss"))
      Releasing: value 3, key loss
      >>> log.removeHandler(handler)
    """

    async def release(self, value: Any, key: Any = None) -> None:
        """Logs a value and its key.

        Args:
          value: structure of values and references.
          key: hashable key.

        Returns:
          Nothing.

        Example:
          >>> import asyncio, logging, sys
          >>> import graphwright.federated as tff
          >>> log = logging.getLogger("graphwright.federated.program")
          >>> handler = logging.StreamHandler(sys.stdout)
          >>> log.setLevel(logging.INFO)
          >>> log.addHandler(handler)
          >>> asyncio.run(tff.program.LoggingReleaseManager().release(3, "loss"))
          Releasing: value 3, key loss
          >>> log.removeHandler(handler)
        """
        found = await materialize_value(value)
        _LOG.info("Releasing: value %s, key %s", found, key)


class FilteringReleaseManager(ReleaseManager):
    """Releases the leaves whose path passes a test; containers without any are left out.

    Args:
      release_manager: gets the rest.
      filter_fn: the test of a path, such as `("train", "loss")` or `(0,)`.

    Raises:
      NotFilterableError: `release` finds a field that is to be left out.

    Example:
      >>> import asyncio
      >>> import graphwright.federated as tff
      >>> kept = tff.program.MemoryReleaseManager()
      >>> manager = tff.program.FilteringReleaseManager(kept, lambda path: "loss" in path)
      >>> asyncio.run(manager.release({"loss": 1, "other": 2}, "round"))
      >>> dict(kept.values())
      {'round': {'loss': 1}}
    """

    def __init__(
        self, release_manager: ReleaseManager, filter_fn: Callable[[_structures.Path], bool]
    ) -> None:
        self._manager, self._filter = release_manager, filter_fn

    async def release(self, value: Any, key: Any) -> None:
        """Releases the fields that pass.

        Args:
          value: structure of values and references.
          key: hashable key.

        Returns:
          Nothing.

        Example:
          >>> import asyncio
          >>> import graphwright.federated as tff
          >>> kept = tff.program.MemoryReleaseManager()
          >>> manager = tff.program.FilteringReleaseManager(kept, lambda path: True)
          >>> asyncio.run(manager.release({"loss": 1}, "round"))
        """
        kept = self._kept(value, ())
        if kept:
            await self._manager.release(kept[0], key)

    def _kept(self, value: Any, path: _structures.Path) -> list[Any]:
        """Returns what is left of a value in a list, which is empty if nothing is."""
        parts = _structures.parts_of(value)
        if parts is None:
            return [value] if self._filter(path) else []
        kept = [(key, self._kept(part, (*path, key))) for key, part in parts]
        left = {key: found[0] for key, found in kept if found}
        if not left:
            return []
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return [type(value)(left.values())]
        if isinstance(value, dict):
            return [type(value)((name, left[name]) for name in value if name in left)]
        if len(left) < len(parts):
            missing = ", ".join(f"`{key}`" for key, found in kept if not found)
            raise NotFilterableError(f"a {type(value).__name__} cannot be without its fields {missing}")
        return [_structures.with_parts(value, list(left.values()))]


class GroupingReleaseManager(ReleaseManager):
    """Releases to several managers at once.

    Args:
      release_managers: list of managers.

    Raises:
      ValueError: there are none.

    Example:
      >>> import asyncio
      >>> import graphwright.federated as tff
      >>> first, second = tff.program.MemoryReleaseManager(), tff.program.MemoryReleaseManager()
      >>> asyncio.run(tff.program.GroupingReleaseManager([first, second]).release(3, "loss"))
      >>> dict(second.values())
      {'loss': 3}
    """

    def __init__(self, release_managers: Sequence[ReleaseManager]) -> None:
        if not release_managers:
            raise ValueError("a GroupingReleaseManager needs at least one release manager")
        self._managers = list(release_managers)

    async def release(self, value: Any, key: Any) -> None:
        """Releases a value to all.

        Args:
          value: structure of values and references.
          key: hashable key.

        Returns:
          Nothing.

        Example:
          >>> import asyncio
          >>> import graphwright.federated as tff
          >>> manager = tff.program.GroupingReleaseManager([tff.program.MemoryReleaseManager()])
          >>> asyncio.run(manager.release(3, "loss"))
        """
        await asyncio.gather(*[manager.release(value, key) for manager in self._managers])


class PeriodicReleaseManager(ReleaseManager):
    """Releases every so-many-th value, or one whenever so much time has gone by.

    Args:
      release_manager: gets these values.
      periodicity: a number from 1 on, or a `datetime.timedelta`.

    Raises:
      ValueError: the number is below 1, or the time is not longer than nothing.

    Example:
      >>> import asyncio
      >>> import graphwright.federated as tff
      >>> kept = tff.program.MemoryReleaseManager()
      >>> asyncio.run(tff.program.PeriodicReleaseManager(kept, 1).release(3, "loss"))
      >>> dict(kept.values())
      {'loss': 3}
    """

    def __init__(self, release_manager: ReleaseManager, periodicity: int | datetime.timedelta) -> None:
        least: Any = 1 if isinstance(periodicity, int) else datetime.timedelta(microseconds=1)
        if periodicity < least:
            raise ValueError(f"periodicity is a number from 1 on or a time, not {periodicity}")
        self._manager, self._periodicity = release_manager, periodicity
        self._count, self._last = 0, datetime.datetime.now()

    async def release(self, value: Any, key: Any) -> None:
        """Releases a value if it is its turn.

        Args:
          value: structure of values and references.
          key: hashable key.

        Returns:
          Nothing.

        Example:
          >>> import asyncio
          >>> import graphwright.federated as tff
          >>> manager = tff.program.PeriodicReleaseManager(tff.program.MemoryReleaseManager(), 1)
          >>> asyncio.run(manager.release(3, "loss"))
        """
        if self._is_due():
            await self._manager.release(value, key)

    def _is_due(self) -> bool:
        if isinstance(self._periodicity, int):
            self._count += 1
            return self._count % self._periodicity == 0
        now = datetime.datetime.now()
        is_due = now >= self._last + self._periodicity
        self._last = now if is_due else self._last
        return is_due


class DelayedReleaseManager(ReleaseManager):
    """Releases values from the so-many-th on.

    Args:
      release_manager: manager that gets the values.
      delay: number of the first value that is released.

    Raises:
      ValueError: the number is below 1.

    Example:
      >>> import asyncio
      >>> import graphwright.federated as tff
      >>> kept = tff.program.MemoryReleaseManager()
      >>> asyncio.run(tff.program.DelayedReleaseManager(kept, 2).release(3, "loss"))
      >>> dict(kept.values())
      {}
    """

    def __init__(self, release_manager: ReleaseManager, delay: int) -> None:
        if delay < 1:
            raise ValueError(f"delay is at least 1, not {delay}")
        self._manager, self._delay, self._count = release_manager, delay, 0

    async def release(self, value: Any, key: Any) -> None:
        """Releases a value if enough have come before.

        Args:
          value: structure of values and references.
          key: hashable key.

        Returns:
          Nothing.

        Example:
          >>> import asyncio
          >>> import graphwright.federated as tff
          >>> manager = tff.program.DelayedReleaseManager(tff.program.MemoryReleaseManager(), 2)
          >>> asyncio.run(manager.release(3, "loss"))
        """
        self._count += 1
        if self._count >= self._delay:
            await self._manager.release(value, key)

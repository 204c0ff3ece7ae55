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

    Example: `raise ReleasedValueNotFoundError(key)` in a manager of your own.
    """

    def __init__(self, key: object) -> None:
        super().__init__(f"No released value found for key: {key}.")


class NotFilterableError(Exception):
    """A field of a named tuple, a dataclass or an attrs class is to be left out.

    Example: `FilteringReleaseManager(manager, lambda path: path == ("a",))` raises it for `Point(a, b)`.
    """


class ReleaseManager(abc.ABC):
    """Takes values out of a program.

    Example: `class Printing(ReleaseManager)` with an `async def release(self, value, key)`.
    """

    @abc.abstractmethod
    async def release(self, value: Any, key: Any) -> None:
        """Releases a structure of values and references under a key."""


class MemoryReleaseManager(ReleaseManager):
    """Keeps values in memory.

    Example: `await memory.release({"loss": 0.5}, key=1)`, then `memory.values()[1]`.
    """

    def __init__(self) -> None:
        self._values: collections.OrderedDict[Hashable, Any] = collections.OrderedDict()

    async def release(self, value: Any, key: Hashable) -> None:
        """Keeps a value under a key, in the place of what was there."""
        self._values[key] = await materialize_value(value)

    def values(self) -> collections.OrderedDict[Hashable, Any]:
        """Returns the values by key, in the order in which keys came first."""
        return self._values.copy()

    def remove_all(self) -> None:
        """Drops all values."""
        self._values.clear()


class LoggingReleaseManager(ReleaseManager):
    """Logs values by `logging`, as the logger `graphwright.federated.program`.

    Example: `await LoggingReleaseManager().release({"loss": 0.5}, key=1)`.
    """

    async def release(self, value: Any, key: Any = None) -> None:
        """Logs a value and its key."""
        found = await materialize_value(value)
        _LOG.info("Releasing: value %s, key %s", found, key)


class FilteringReleaseManager(ReleaseManager):
    """Releases the leaves whose path passes a test; containers without any are left out.

    Args:
      release_manager: gets what is left.
      filter_fn: the test of a path, such as `("train", "loss")` or `(0,)`.

    Raises:
      NotFilterableError: `release` finds a field that is to be left out.

    Example: `FilteringReleaseManager(manager, lambda path: path == ("loss",))`.
    """

    def __init__(
        self, release_manager: ReleaseManager, filter_fn: Callable[[_structures.Path], bool]
    ) -> None:
        self._manager, self._filter = release_manager, filter_fn

    async def release(self, value: Any, key: Any) -> None:
        """Releases what passes."""
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

    Raises:
      ValueError: there are none.

    Example: `GroupingReleaseManager([memory, LoggingReleaseManager()])`.
    """

    def __init__(self, release_managers: Sequence[ReleaseManager]) -> None:
        if not release_managers:
            raise ValueError("a GroupingReleaseManager needs at least one release manager")
        self._managers = list(release_managers)

    async def release(self, value: Any, key: Any) -> None:
        """Releases a value to all."""
        await asyncio.gather(*[manager.release(value, key) for manager in self._managers])


class PeriodicReleaseManager(ReleaseManager):
    """Releases every so-many-th value, or one whenever so much time has gone by.

    Args:
      release_manager: gets these values.
      periodicity: a number from 1 on, or a `datetime.timedelta`.

    Raises:
      ValueError: the number is below 1, or the time is not longer than nothing.

    Example: `PeriodicReleaseManager(manager, datetime.timedelta(minutes=5))`.
    """

    def __init__(self, release_manager: ReleaseManager, periodicity: int | datetime.timedelta) -> None:
        least: Any = 1 if isinstance(periodicity, int) else datetime.timedelta(microseconds=1)
        if periodicity < least:
            raise ValueError(f"periodicity is a number from 1 on or a time, not {periodicity}")
        self._manager, self._periodicity = release_manager, periodicity
        self._count, self._last = 0, datetime.datetime.now()

    async def release(self, value: Any, key: Any) -> None:
        """Releases a value if it is its turn."""
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

    Raises:
      ValueError: the number is below 1.

    Example: `DelayedReleaseManager(manager, delay=100)`.
    """

    def __init__(self, release_manager: ReleaseManager, delay: int) -> None:
        if delay < 1:
            raise ValueError(f"delay is at least 1, not {delay}")
        self._manager, self._delay, self._count = release_manager, delay, 0

    async def release(self, value: Any, key: Any) -> None:
        """Releases a value if enough have come before."""
        self._count += 1
        if self._count >= self._delay:
            await self._manager.release(value, key)

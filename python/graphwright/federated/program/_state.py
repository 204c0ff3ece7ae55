"""Program states in files, by version, so that a program goes on where another one has ended."""

from __future__ import annotations

import abc
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from . import _structures
from ._values import materialize_value

_FILE = "leaves.npz"


class ProgramStateExistsError(Exception):
    """There is a state of a version already.

    Args:
      version: number of the version.
      path: folder of the state.

    Example:
      >>> import graphwright.federated as tff
      >>> str(tff.program.ProgramStateExistsError(version=1, path="states"))
      "Program state already exists for version 1 at 'states'."
    """

    def __init__(self, *, version: int, path: str) -> None:
        super().__init__(f"Program state already exists for version {version} at '{path}'.")


class ProgramStateNotFoundError(Exception):
    """There is no state of a version.

    Args:
      version: number of the version.

    Example:
      >>> import graphwright.federated as tff
      >>> str(tff.program.ProgramStateNotFoundError(7))
      'No program state found for version: 7.'
    """

    def __init__(self, version: int) -> None:
        super().__init__(f"No program state found for version: {version}.")


class ProgramStateManager(abc.ABC):
    """Keeps states of a program by version.

    Example:
      >>> import graphwright.federated as tff
      >>> import asyncio, tempfile
      >>> manager = tff.program.FileProgramStateManager(tempfile.mkdtemp())
      >>> asyncio.run(manager.save(np.float32(2.5), version=1))
      >>> isinstance(manager, tff.program.ProgramStateManager), asyncio.run(manager.get_versions())
      (True, [1])
    """

    @abc.abstractmethod
    async def get_versions(self) -> list[int] | None:
        """Lists the versions that are there, in order.

        Returns:
          List of ints, or `None`.

        Example:
          >>> import asyncio, tempfile
          >>> import graphwright.federated as tff
          >>> print(asyncio.run(tff.program.FileProgramStateManager(tempfile.mkdtemp()).get_versions()))
          None
        """

    @abc.abstractmethod
    async def load(self, version: int, structure: Any) -> Any:
        """Returns the state of a version, in the containers of a structure.

        Args:
          version: number of the version.
          structure: structure whose containers are taken.

        Returns:
          The state.

        Raises:
          ProgramStateNotFoundError: there is none.

        Example:
          >>> import asyncio, tempfile
          >>> import graphwright.federated as tff
          >>> manager = tff.program.FileProgramStateManager(tempfile.mkdtemp())
          >>> asyncio.run(manager.save(np.float32(2.5), 1))
          >>> float(asyncio.run(manager.load(1, np.float32(0))))
          2.5
        """

    async def load_latest(self, structure: Any) -> tuple[Any, int]:
        """Returns the latest state and its version.

        Args:
          structure: structure whose containers are taken, and which is returned where there is no state.

        Returns:
          Pair of the state and its version, which is 0 where there is none.

        Example:
          >>> import asyncio, tempfile
          >>> import graphwright.federated as tff
          >>> manager = tff.program.FileProgramStateManager(tempfile.mkdtemp())
          >>> asyncio.run(manager.load_latest(7))
          (7, 0)
        """
        versions = await self.get_versions()
        if not versions:
            return structure, 0
        return await self.load(max(versions), structure), max(versions)

    @abc.abstractmethod
    async def save(self, program_state: Any, version: int) -> None:
        """Keeps a state under a version.

        Args:
          program_state: structure of arrays.
          version: number of the version.

        Returns:
          Nothing.

        Raises:
          ProgramStateExistsError: there is one.

        Example:
          >>> import graphwright.federated as tff
          >>> import asyncio, tempfile
          >>> manager = tff.program.FileProgramStateManager(tempfile.mkdtemp())
          >>> asyncio.run(manager.save(np.float32(2.5), version=1))
          >>> float(asyncio.run(manager.load(1, np.float32(0))))
          2.5
        """


class FileProgramStateManager(ProgramStateManager):
    """Keeps states in folders, one per version; a folder is there as a whole or not at all.

    Args:
      root_dir: the folder of all.
      prefix: beginning of the name of each folder; the version follows.
      keep_total: so many states are kept, the oldest go first; all of them, if it is not above zero.
      keep_first: True if the first one stays in any case.
      keep_every_k: states between the first and the latest stay if their version is a multiple.

    Raises:
      ValueError: the name of the folder is empty, or `keep_every_k` is below 1.

    Example:
      >>> import asyncio, tempfile
      >>> import graphwright.federated as tff
      >>> manager = tff.program.FileProgramStateManager(tempfile.mkdtemp())
      >>> asyncio.run(manager.save(np.float32(2.5), 1))
      >>> float(asyncio.run(manager.load(1, np.float32(0))))
      2.5
    """

    def __init__(
        self,
        root_dir: str | os.PathLike[str],
        prefix: str = "program_state_",
        keep_total: int = 5,
        keep_first: bool = True,
        keep_every_k: int = 1,
    ) -> None:
        if not str(root_dir):
            raise ValueError("root_dir is not empty")
        if keep_every_k < 1:
            raise ValueError(f"keep_every_k is at least 1, not {keep_every_k}")
        self._root, self._prefix = Path(root_dir), prefix
        self._total, self._first, self._every = keep_total, keep_first, keep_every_k
        self._root.mkdir(parents=True, exist_ok=True)

    async def get_versions(self) -> list[int] | None:
        """Lists the versions that are there, in order.

        Returns:
          List of ints, or `None`.

        Example:
          >>> import asyncio, tempfile
          >>> import graphwright.federated as tff
          >>> print(asyncio.run(tff.program.FileProgramStateManager(tempfile.mkdtemp()).get_versions()))
          None
        """
        return self._versions() or None

    async def load(self, version: int, structure: Any) -> Any:
        """Returns the state of a version, in the containers of a structure.

        Args:
          version: number of the version.
          structure: structure whose containers are taken.

        Returns:
          The state.

        Raises:
          ProgramStateNotFoundError: there is none.
          ValueError: the state has other leaves than the structure.

        Example:
          >>> import asyncio, tempfile
          >>> import graphwright.federated as tff
          >>> manager = tff.program.FileProgramStateManager(tempfile.mkdtemp())
          >>> asyncio.run(manager.save(np.float32(2.5), 1))
          >>> float(asyncio.run(manager.load(1, np.float32(0))))
          2.5
        """
        file = self._path(version) / _FILE
        if not file.exists():
            raise ProgramStateNotFoundError(version)
        with np.load(file) as found:
            names = [str(name) for name in found["names"]]
            arrays = [found[f"leaf_{at}"] for at in range(len(names))]
        wanted = [name for name, _ in _structures.named(structure)]
        if names != wanted:
            raise ValueError(f"the state of version {version} has the leaves {names}, and not {wanted}")
        values = iter(arrays)
        return _structures.mapped(lambda leaf: _restored(leaf, next(values)), structure)

    async def save(self, program_state: Any, version: int) -> None:
        """Keeps a state under a version, and drops older ones.

        Args:
          program_state: structure of arrays.
          version: number of the version.

        Returns:
          Nothing.

        Raises:
          ProgramStateExistsError: there is one of this version.
          TypeError: a leaf is no number, text, or array of these.

        Example:
          >>> import graphwright.federated as tff
          >>> import asyncio, tempfile
          >>> manager = tff.program.FileProgramStateManager(tempfile.mkdtemp())
          >>> asyncio.run(manager.save(np.float32(2.5), version=1))
          >>> float(asyncio.run(manager.load(1, np.float32(0))))
          2.5
        """
        state = await materialize_value(program_state)
        path = self._path(version)
        if path.exists():
            raise ProgramStateExistsError(version=version, path=str(path))
        named = _structures.named(state)
        arrays = {f"leaf_{at}": _array(name, leaf) for at, (name, leaf) in enumerate(named)}
        names = np.array([name for name, _ in named], dtype=np.str_)
        made = tempfile.mkdtemp(dir=self._root, prefix=f".{path.name}")
        np.savez(os.path.join(made, _FILE), allow_pickle=False, names=names, **arrays)
        os.replace(made, path)
        self._drop()

    def _path(self, version: int) -> Path:
        return self._root / f"{self._prefix}{int(version)}"

    def _versions(self) -> list[int]:
        found = (path.name for path in self._root.glob(f"{self._prefix}*") if path.is_dir())
        tails = (name[len(self._prefix) :] for name in found)
        return sorted(int(tail) for tail in tails if tail.isdigit())

    def _drop(self) -> None:
        versions = self._versions()
        first = versions[:1] if self._first else []
        between = [one for one in versions[len(first) : -1] if one % self._every == 0]
        kept = [*first, *between, versions[-1]]
        if self._total > 0:
            places = max(self._total - len(first), 1)
            kept = [*first, *kept[len(first) :][-places:]]
        for version in set(versions) - set(kept):
            shutil.rmtree(self._path(version))


def _array(name: str, leaf: Any) -> Any:
    array = np.asarray(leaf.numpy() if hasattr(leaf, "numpy") else leaf)
    if array.dtype.kind not in "biufcSU":
        raise TypeError(f"`{name}` of a program state is a {type(leaf).__name__}, no number, text or array")
    return array


def _restored(leaf: Any, array: Any) -> Any:
    """Returns what was saved, of Python's type where the leaf of the structure is of one."""
    if isinstance(leaf, (bool, int, float, complex, str, bytes)):
        return type(leaf)(array[()])
    return array[()]

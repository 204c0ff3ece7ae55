"""Release managers that write files: tables of numbers, and summaries for TensorBoard."""

from __future__ import annotations

import csv
import enum
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ... import summary
from . import _structures
from ._release import ReleaseManager
from ._values import materialize_value


class CSVSaveMode(enum.Enum):
    """Ways in which a table gets another row: it is added to the file, or the file is written anew.

    Example:
      >>> import graphwright.federated as tff
      >>> [mode.name for mode in tff.program.CSVSaveMode]
      ['APPEND', 'WRITE']
    """

    APPEND = "append"
    WRITE = "write"


class CSVFileReleaseManager(ReleaseManager):
    """Writes values as rows of a CSV file, a column for each leaf and one for the key.

    A key that is there already replaces its row and drops those behind it, so that a program which goes on
    from an earlier state leaves one row for each round.

    Args:
      file_path: the file; its folder is made if it is not there.
      save_mode: accepted; either way a file is whole at any time.
      key_fieldname: the name of the column of keys.

    Raises:
      ValueError: the file has no such column, or it is empty.

    Example:
      >>> import asyncio, pathlib, tempfile
      >>> import graphwright.federated as tff
      >>> file = pathlib.Path(tempfile.mkdtemp()) / "losses.csv"
      >>> asyncio.run(tff.program.CSVFileReleaseManager(str(file)).release({"loss": 0.5}, 1))
      >>> file.read_text().splitlines()
      ['key,loss', '1,0.5']
    """

    def __init__(
        self,
        file_path: str | os.PathLike[str],
        save_mode: CSVSaveMode = CSVSaveMode.APPEND,
        key_fieldname: str = "key",
    ) -> None:
        if not key_fieldname:
            raise ValueError("key_fieldname is not empty")
        self._path, self._key, self._mode = Path(file_path), key_fieldname, CSVSaveMode(save_mode)
        fields, self._latest = self._read()[0], None
        if fields and key_fieldname not in fields:
            raise ValueError(f"{self._path} has no column `{key_fieldname}`")

    async def release(self, value: Any, key: int) -> None:
        """Writes the leaves of a value as the row of a key, a number.

        Args:
          value: structure of values and references.
          key: number of the row.

        Returns:
          Nothing.

        Example:
          >>> import asyncio, pathlib, tempfile
          >>> import graphwright.federated as tff
          >>> file = pathlib.Path(tempfile.mkdtemp()) / "losses.csv"
          >>> asyncio.run(tff.program.CSVFileReleaseManager(str(file)).release({"loss": 0.5}, 1))
        """
        found = await materialize_value(value)
        row = {self._key: str(int(key))}
        row |= {name or "value": _text(leaf) for name, leaf in _structures.named(found)}
        fields, rows = self._read()
        rows = [one for one in rows if int(one[self._key]) < int(key)]
        self._write(list(dict.fromkeys([*(fields or [self._key]), *row])), [*rows, row])

    def _read(self) -> tuple[list[str], list[dict[str, str]]]:
        if not self._path.exists():
            return [], []
        with self._path.open(newline="") as file:
            reader = csv.DictReader(file)
            return list(reader.fieldnames or []), list(reader)

    def _write(self, fields: list[str], rows: list[dict[str, str]]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}")
        with os.fdopen(handle, "w", newline="") as file:
            writer = csv.DictWriter(file, fields, restval="")
            writer.writeheader()
            writer.writerows(rows)
        os.replace(name, self._path)


def _text(leaf: Any) -> str:
    value = leaf.numpy() if hasattr(leaf, "numpy") else leaf
    return str(value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value)


class TensorBoardReleaseManager(ReleaseManager):
    """Writes values as summaries for TensorBoard by `gw.summary`: numbers as scalars, arrays as histograms.

    Args:
      summary_dir: the folder of the files.

    Raises:
      ValueError: the name is empty.

    Example:
      >>> import asyncio, tempfile
      >>> import graphwright.federated as tff
      >>> manager = tff.program.TensorBoardReleaseManager(tempfile.mkdtemp())
      >>> asyncio.run(manager.release({"loss": 0.5}, 1))
    """

    def __init__(self, summary_dir: str | os.PathLike[str]) -> None:
        if not str(summary_dir):
            raise ValueError("summary_dir is not empty")
        self._writer = summary.create_file_writer(str(summary_dir))

    async def release(self, value: Any, key: int) -> None:
        """Writes the leaves of a value; the key is the step.

        Args:
          value: structure of values and references.
          key: number of the step.

        Returns:
          Nothing.

        Example:
          >>> import graphwright.federated as tff
          >>> import asyncio, pathlib, tempfile
          >>> folder = tempfile.mkdtemp()
          >>> asyncio.run(tff.program.TensorBoardReleaseManager(folder).release({"loss": 0.5}, 1))
          >>> len(list(pathlib.Path(folder).iterdir()))
          1
        """
        found = await materialize_value(value)
        with self._writer.as_default():
            for name, leaf in _structures.named(found):
                array = np.asarray(leaf.numpy() if hasattr(leaf, "numpy") else leaf)
                write = summary.scalar if array.ndim == 0 else summary.histogram
                write(name or "value", array, step=int(key))
        self._writer.flush()

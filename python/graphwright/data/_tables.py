"""Datasets of what tables in files hold: rows of Parquet and Arrow files."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._native import Tensor, TensorSpec, diagnosed, is_staged
from ..autograph import do_not_convert
from . import _columns, _formats
from ._blocks import Rows
from ._dataset import Dataset
from ._files import names_of, texts_of
from ._hosted import Batches, Hosted, Runs

#: So many rows are read at a time, where no batches are asked for.
_BLOCK = 1024


class _OfTables(Dataset):
    """The construction that datasets of each format share."""

    _format: Any

    def __new__(  # type: ignore[misc]
        cls,
        filenames: Any,
        columns: Any = None,
        batch_size: int | None = None,
        drop_remainder: bool = False,
        default_values: dict[str, Any] | None = None,
    ) -> Dataset:
        return _made(cls._format, filenames, columns, batch_size, drop_remainder, default_values or {})


class ParquetDataset(_OfTables):
    """The rows of Parquet files: dicts of the columns' values by name. They are read by `pyarrow`.

    Numbers, truth values and strings are such tensors, times the numbers that stand in the file; lists of
    fixed lengths are vectors, other lists vectors of several lengths, structures dicts.

    Args:
      filenames: a name, or several, of which one is read after the other.
      columns: the names of the columns that are read; all, if not given. Or a dict from names to a dtype or
        `gw.TensorSpec` of a row's value, into which the column is turned.
      batch_size: how many rows an element has; one, without an axis for it, if not given.
      drop_remainder: whether the last rows are left out if they are fewer.
      default_values: by name of a column the value in place of a missing one, which else is a `ValueError`.

    Example:
      >>> import pathlib, pyarrow, pyarrow.parquet, tempfile
      >>> path = pathlib.Path(tempfile.mkdtemp()) / "points.parquet"
      >>> pyarrow.parquet.write_table(pyarrow.table({"x": [1.0, 2.0], "n": [3, 4]}), path)
      >>> [(row["x"].item(), row["n"].item()) for row in gw.data.ParquetDataset(path, columns=["x", "n"])]
      [(1.0, 3), (2.0, 4)]
    """

    _format = _formats.PARQUET


class ArrowDataset(_OfTables):
    """Reads the rows of Arrow files, also called Feather, and of Arrow streams.

    Args:
      filenames: name of a file, or list of names.
      columns: names of the columns to read; all if it is `None`.
      batch_size: number of rows of an element; one row without a batch axis if it is `None`.
      drop_remainder: whether to drop a last batch that is shorter.
      default_values: dict of the values of missing fields by column.

    Example:
      >>> import pathlib, pyarrow, tempfile
      >>> table = pyarrow.table({"n": [3, 4]})
      >>> path = pathlib.Path(tempfile.mkdtemp()) / "points.arrow"
      >>> with pyarrow.ipc.new_file(str(path), table.schema) as file:
      ...     file.write_table(table)
      >>> [row["n"].item() for row in gw.data.ArrowDataset(path)]
      [3, 4]
    """

    _format = _formats.ARROW


@do_not_convert
def _made(
    form: _formats.Format, filenames: Any, columns: Any, batch_size: int | None, drop: bool, defaults: Any
) -> Dataset:
    _formats.library()
    if batch_size is not None and batch_size < 1:
        raise ValueError("a batch needs a batch_size of at least 1")
    names = names_of(filenames)
    wanted = _wanted(form, names, columns, defaults)
    if batch_size is None:
        spec = TensorSpec([], _native.int64), _block_spec(wanted, _BLOCK)
        return Dataset(Rows(Hosted(_runs(_columns.blocks, form, wanted, spec, _BLOCK), (names,))))
    spec = _block_spec(wanted, batch_size if drop else None)
    _judge_stacked(spec)
    return Dataset(Batches(_runs(_columns.batches, form, wanted, spec, batch_size, not drop), (names,)))


def _runs(read: Any, form: _formats.Format, columns: Any, spec: Any, size: int, *options: Any) -> Runs:
    """Runs of what is read, so many rows at a time."""

    def elements(place: int, names: Any) -> Any:
        return read(form, texts_of(names), columns, size, *options, first=place * size)

    return Runs(elements, spec, seeks=True, reads=True)


def _wanted(form: _formats.Format, names: Tensor, columns: Any, defaults: dict[str, Any]) -> Any:
    """The columns by name, of which the first file tells the types, if nobody says them."""
    if isinstance(columns, dict):
        wanted = _columns.declared(columns, defaults)
    elif is_staged(names):
        raise diagnosed(
            "GW108",
            "the columns of files are asked for whose names only the running graph knows",
            "give `columns` as a dict of dtypes by name: the `element_spec` of the dataset of one such file",
        )
    else:
        files = texts_of(names.numpy())
        if not files:
            raise ValueError("there are no files, so nobody knows their columns")
        columns = [columns] if isinstance(columns, str) else columns
        chosen = None if columns is None else [str(name) for name in columns]
        wanted = _columns.found(form, files[0], chosen, defaults)
    if not set(defaults) <= set(wanted):
        raise ValueError(f"default_values has {sorted(set(defaults) - set(wanted))}, which are no columns")
    if not wanted:
        raise ValueError("a row needs at least one column")
    return wanted


def _block_spec(column: Any, count: int | None) -> Any:
    """The type of a block of rows: see `_columns.blocks`."""
    if isinstance(column, dict):
        return {name: _block_spec(part, count) for name, part in column.items()}
    if column.is_ragged:
        places = TensorSpec([count], _native.int64)
        return TensorSpec([None, *column.shape[1:]], column.dtype), places, places
    return TensorSpec([count, *column.shape], column.dtype)


def _judge_stacked(spec: Any) -> None:
    for name, part in spec.items():
        if isinstance(part, dict):
            _judge_stacked(part)
        elif isinstance(part, tuple):
            raise ValueError(
                f"the column {name!r} has lists of several lengths, which cannot be stacked: give no "
                "batch_size, but use padded_batch(), or give their length in `columns`"
            )

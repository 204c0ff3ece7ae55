"""Files of records, under TensorFlow's names."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import IO, Any

from . import _native
from ._tensorflow.examples import FixedLenFeature, VarLenFeature, parse_example, parse_single_example
from ._tensorflow.files import (
    decode_base64,
    decode_compressed,
    decode_csv,
    decode_raw,
    encode_base64,
    matching_files,
    parse_tensor,
    read_file,
    serialize_tensor,
    write_file,
)
from ._tensorflow.pictures import decode_image, decode_jpeg, decode_png, encode_jpeg, encode_png
from .errors import DataLossError

__all__ = [
    "FixedLenFeature",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_base64",
    "decode_compressed",
    "decode_csv",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_raw",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "matching_files",
    "parse_example",
    "parse_single_example",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "write_file",
]


class TFRecordWriter:
    """Writes records of bytes to a TFRecord file; a context manager.

    Args:
      path: the name of the file, which is written anew.
      options: `"GZIP"`, or nothing.

    Example:
      >>> import pathlib, tempfile
      >>> path = str(pathlib.Path(tempfile.mkdtemp()) / "a.tfrecord")
      >>> with gw.io.TFRecordWriter(path) as writer:
      ...     writer.write(b"first")
      >>> [record.item() for record in gw.data.TFRecordDataset(path)]
      [b'first']
    """

    def __init__(self, path: str, options: str | None = None) -> None:
        if options not in (None, "", "GZIP"):
            raise ValueError(f'options is "GZIP" or nothing, not {options!r}')
        self._file: Any = gzip.open(path, "wb") if options else open(path, "wb")  # noqa: SIM115

    def write(self, record: bytes) -> None:
        """Writes one record.

        Args:
          record: bytes.

        Returns:
          Nothing.

        Example:
          >>> import pathlib, tempfile
          >>> with gw.io.TFRecordWriter(str(pathlib.Path(tempfile.mkdtemp()) / "a")) as writer:
          ...     writer.write(b"one")
        """
        length = struct.pack("<Q", len(record))
        self._file.write(length + _checked(length) + record + _checked(record))

    def flush(self) -> None:
        """Hands the records written so far to the system.

        Returns:
          Nothing.

        Example:
          >>> import pathlib, tempfile
          >>> with gw.io.TFRecordWriter(str(pathlib.Path(tempfile.mkdtemp()) / "a")) as writer:
          ...     writer.write(b"one")
          ...     writer.flush()
        """
        self._file.flush()

    def close(self) -> None:
        """Closes the file.

        Returns:
          Nothing.

        Example:
          >>> import pathlib, tempfile
          >>> writer = gw.io.TFRecordWriter(str(pathlib.Path(tempfile.mkdtemp()) / "a"))
          >>> writer.close()
        """
        self._file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def records(name: str, opened: Callable[[str], IO[bytes]]) -> Iterator[bytes]:
    """The records of a TFRecord file, one by one; `gw.errors.DataLossError` where one is damaged.

    A record is its length in 8 bytes, their check sum, its bytes, and their check sum; all little endian.
    """
    with opened(name) as file:
        number = 0
        while head := file.read(12):
            length = _sound(head[:8], head[8:], 8, name, number)
            count = struct.unpack("<Q", length)[0]
            yield _sound(_read(file, count), file.read(4), count, name, number)
            number += 1


#: So many bytes are read at a time: no more memory is asked for than the file fills.
_CHUNK = 1 << 24


def _read(file: IO[bytes], count: int) -> bytes:
    """So many bytes, or those that there are."""
    if count <= _CHUNK:
        return file.read(count)
    chunks = []
    while count > 0 and (chunk := file.read(min(count, _CHUNK))):
        chunks.append(chunk)
        count -= len(chunk)
    return b"".join(chunks)


def _sound(content: bytes, checksum: bytes, count: int, name: str, number: int) -> bytes:
    if len(content) != count or len(checksum) != 4:
        raise DataLossError(f"{name} ends within record {number}")
    if _checked(content) != checksum:
        raise DataLossError(f"record {number} of {name} is damaged: its check sum is another")
    return content


def _checked(content: bytes) -> bytes:
    return struct.pack("<I", _native.masked_crc32c(content))

"""Files and serialized tensors under TensorFlow's names, eagerly and when a graph runs."""

from __future__ import annotations

import csv
import io
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from .. import _native
from .._native import Tensor
from .strings import mapped

__all__ = [
    "decode_base64",
    "decode_compressed",
    "decode_csv",
    "decode_raw",
    "encode_base64",
    "matching_files",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "write_file",
]


def _path(given: bytes) -> Path:
    return Path(os.fsdecode(given))


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """Reads the bytes of a file.

    Args:
      filename: scalar string tensor.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Scalar string tensor.

    Raises:
      FileNotFoundError: there is no such file.

    Example:
      >>> import pathlib, tempfile
      >>> path = pathlib.Path(tempfile.mkdtemp()) / "a"
      >>> gw.io.write_file(str(path), "text")
      >>> gw.io.read_file(str(path)).numpy()
      b'text'
    """
    del name
    return mapped(lambda given: _path(given).read_bytes(), _native.string, filename, is_pure=False)


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Writes the bytes of a file, and makes the folders above it.

    Args:
      filename: scalar string tensor.
      contents: scalar string tensor.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Example:
      >>> import pathlib, tempfile
      >>> path = pathlib.Path(tempfile.mkdtemp()) / "inner" / "a"
      >>> gw.io.write_file(str(path), "text")
      >>> path.read_text()
      'text'
    """
    del name

    def write(given: bytes, content: bytes) -> bool:
        path = _path(given)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return True

    done = mapped(write, _native.bool, filename, contents, is_pure=False)
    _native.require(_native.reduce_all(done), ("a file is not written",))


def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Takes the bytes of strings as numbers.

    Args:
      input_bytes: string tensor; all strings are equally long.
      out_type: dtype of the numbers.
      little_endian: whether the least byte is the first.
      fixed_length: number of bytes that count, filled up with zeros.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with one axis more.

    Raises:
      InvalidArgumentError: the length is no multiple of the size of a number.

    Example:
      >>> gw.io.decode_raw(gw.constant(bytes([1, 0, 2, 0])), gw.int16).numpy().tolist()
      [1, 2]
    """
    x, dtype = _native.convert_to_tensor(input_bytes), _native.as_dtype(out_type)
    kind = np.dtype(dtype.as_numpy_dtype)

    def decode(given: Any) -> Any:
        texts = np.asarray(given, object)
        rows = [one.encode() if isinstance(one, str) else one for one in texts.ravel().tolist()]
        if fixed_length is not None:
            rows = [one[:fixed_length].ljust(fixed_length, b"\0") for one in rows]
        if len({len(one) for one in rows}) > 1 or any(len(one) % kind.itemsize for one in rows):
            raise _native.InvalidArgumentError(
                f"strings of {sorted({len(one) for one in rows})} bytes are no {kind.name}s"
            )
        found = np.frombuffer(b"".join(rows), kind.newbyteorder("<" if little_endian else ">"))
        return found.astype(kind).reshape(*texts.shape, -1)

    if not _native.is_staged(x):
        return _native.constant(decode(x.numpy()), dtype)
    result: Tensor = _native.numpy_function(decode, [x], _native.TensorSpec([*x.shape, None], dtype))
    return result


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Expands compressed strings.

    Args:
      bytes: string tensor.
      compression_type: `""`, `"ZLIB"` or `"GZIP"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      String tensor of the same shape.

    Example:
      >>> import zlib
      >>> gw.io.decode_compressed(gw.constant(zlib.compress(b"text")), "ZLIB").numpy()
      b'text'
    """
    del name
    if compression_type not in ("", "ZLIB", "GZIP"):
        raise ValueError(f"`compression_type` is {compression_type!r}: it is '', 'ZLIB' or 'GZIP'")

    def expand(text: Any) -> Any:
        try:
            return zlib.decompress(text, 47) if compression_type else text
        except zlib.error as error:
            raise _native.InvalidArgumentError(
                f"the bytes are not compressed by {compression_type}: {error}"
            ) from None

    return mapped(expand, _native.string, bytes)


#: TensorFlow's numbers of dtypes in serialized tensors.
_NUMBERS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "int64": 9,
    "bool": 10,
    "bfloat16": 14, "uint16": 17, "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip


def _varint(number: int) -> bytes:
    found = bytearray()
    while number >= 128:
        found.append(number % 128 + 128)
        number //= 128
    return bytes([*found, number])


def _field(number: int, content: bytes) -> bytes:
    return _varint(number * 8 + 2) + _varint(len(content)) + content


def _read_varint(content: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        if at == len(content):
            raise ValueError("it ends within a number")
        if shift > 63:
            raise ValueError("a number has more than ten bytes")
        byte = content[at]
        number, at, shift = number | (byte & 127) << shift, at + 1, shift + 7
        if byte < 128:
            return number, at


def _fields(content: bytes) -> list[tuple[int, Any]]:
    """Numbers and contents of the fields of a message: integers, or bytes."""
    if not isinstance(content, bytes):
        raise ValueError("a number stands in the place of a list or record")
    found: list[tuple[int, Any]] = []
    at = 0
    while at < len(content):
        key, at = _read_varint(content, at)
        if key % 8 == 0:
            value, at = _read_varint(content, at)
            found.append((key // 8, value))
            continue
        if key % 8 not in (1, 2, 5):
            raise ValueError(f"a field is of the kind {key % 8}, which there is none of")
        length, at = _read_varint(content, at) if key % 8 == 2 else (8 if key % 8 == 1 else 4, at)
        if at + length > len(content):
            raise ValueError("a field reaches beyond the end")
        found.append((key // 8, content[at : at + length]))
        at += length
    return found


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """Writes a tensor as bytes, in TensorFlow's format.

    Args:
      tensor: tensor of any dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Scalar string tensor.

    Example:
      >>> file = gw.io.serialize_tensor(gw.constant([1, 2]))
      >>> gw.io.parse_tensor(file, gw.int32).numpy().tolist()
      [1, 2]
    """
    x = _native.convert_to_tensor(tensor)

    def write(given: Any) -> Any:
        array = np.asarray(given)
        sizes = b"".join(
            _field(2, _varint(8) + _varint(length)) if length else _field(2, b"") for length in array.shape
        )
        head = _varint(8) + _varint(_NUMBERS[x.dtype.name]) + _field(2, sizes)
        if x.dtype == _native.string:
            texts = [
                one.encode() if isinstance(one, str) else one
                for one in np.asarray(array, object).ravel().tolist()
            ]
            return np.array(head + b"".join(_field(8, text) for text in texts), object)
        return np.array(head + _field(4, np.ascontiguousarray(array).tobytes()), object)

    if not _native.is_staged(x):
        return _native.constant(write(x.numpy()).item())
    result: Tensor = _native.numpy_function(write, [x], _native.TensorSpec([], _native.string))
    return result


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None, *, shape: Any = None) -> Tensor:
    """Reads a tensor that `serialize_tensor` wrote, here or in TensorFlow.

    Args:
      serialized: scalar string tensor.
      out_type: dtype of the tensor.
      name: accepted as in TensorFlow; has no effect.
      shape: lengths of its axes, `None` for any. A graph has to know how many axes there are; eagerly the
        bytes say it.

    Returns:
      Tensor of the shape that the bytes say.

    Raises:
      InvalidArgumentError: the bytes are no tensor of that dtype and shape.

    Example:
      >>> gw.io.parse_tensor(gw.io.serialize_tensor(gw.constant(["a"])), gw.string).numpy().tolist()
      [b'a']
      >>> parsed = gw.function(lambda text: gw.io.parse_tensor(text, gw.int32, shape=[None, 2]))
      >>> parsed(gw.io.serialize_tensor(gw.constant([[1, 2]]))).shape
      (1, 2)
    """
    x, dtype = _native.convert_to_tensor(serialized), _native.as_dtype(out_type)
    wanted = None if shape is None else list(_native.TensorSpec(shape, dtype).shape)

    def read(given: Any) -> Any:
        text = given.item() if hasattr(given, "item") else given
        try:
            found = _parsed(text.encode() if isinstance(text, str) else text, dtype)
        except (ValueError, IndexError) as error:
            raise _native.InvalidArgumentError(f"the bytes are no tensor of {dtype.name}: {error}") from None
        if wanted is not None and not _fits(found.shape, wanted):
            raise _native.InvalidArgumentError(f"the tensor has the shape {list(found.shape)}, not {wanted}")
        return found

    if not _native.is_staged(x):
        return _native.constant(read(x.numpy()), dtype)
    if wanted is None:
        raise _native.diagnosed(
            "GW120",
            "the bytes say how many axes the tensor has, and a graph has to know it before it runs",
            "give the shape, with `None` for lengths that vary: "
            f"`gw.io.parse_tensor(serialized, gw.{dtype.name}, shape=[None, 2])`",
        )
    result: Tensor = _native.numpy_function(read, [x], _native.TensorSpec(wanted, dtype))
    return result


def _fits(shape: Any, wanted: list[int | None]) -> bool:
    return len(shape) == len(wanted) and all(
        most in (None, length) for length, most in zip(shape, wanted, strict=True)
    )


def _parsed(content: bytes, dtype: Any) -> Any:
    fields = _fields(content)
    kind = next((value for number, value in fields if number == 1), None)
    if kind != _NUMBERS[dtype.name]:
        raise ValueError(f"it has the dtype number {kind}, not {_NUMBERS[dtype.name]}")
    axes = next((value for number, value in fields if number == 2), b"")
    shape = [dict(_fields(axis)).get(1, 0) for number, axis in _fields(axes) if number == 2]
    if dtype == _native.string:
        texts = np.empty(sum(number == 8 for number, _ in fields), object)
        texts[:] = [value for number, value in fields if number == 8]
        return texts.reshape(shape)
    elements = next((value for number, value in fields if number == 4), b"")
    return np.frombuffer(elements, dtype.as_numpy_dtype).reshape(shape).copy()


def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    """Reads lines of comma-separated values.

    Args:
      records: string tensor, a line each.
      record_defaults: for each column the value where it is empty; a dtype or an empty list where it must
        not be.
      field_delim: text between values.
      use_quote_delim: whether quotes protect it.
      na_value: text that counts as empty.
      select_cols: numbers of the columns that are read; all if it is `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      List with a tensor for each column.

    Raises:
      InvalidArgumentError: a line has another number of values, or a value is missing or no number.

    Example:
      >>> [column.numpy().tolist() for column in gw.io.decode_csv(gw.constant(["1,a", "2,b"]), [[0], [""]])]
      [[1, 2], [b'a', b'b']]
    """
    del name
    wanted = []
    for default in record_defaults:
        if isinstance(default, _native.DType):
            wanted.append((default, None))
            continue
        given = _native.convert_to_tensor(default)
        value = given.numpy().ravel().tolist()
        wanted.append((given.dtype, value[0] if value else None))

    def column(place: int, dtype: Any, usual: Any) -> Tensor:
        def read(line: bytes) -> Any:
            quoting: Any = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE
            values = next(csv.reader(io.StringIO(line.decode()), delimiter=field_delim, quoting=quoting), [])
            if select_cols is None and len(values) != len(wanted):
                raise _native.InvalidArgumentError(
                    f"a line has {len(values)} values, not {len(wanted)}: {line.decode()!r}"
                )
            text = values[place] if place < len(values) else na_value
            if text in ("", na_value):
                if usual is None:
                    raise _native.InvalidArgumentError(f"the value {place} of {line.decode()!r} is missing")
                return usual
            if dtype == _native.string:
                return text.encode()
            try:
                return float(text) if dtype.is_floating else int(text)
            except ValueError:
                raise _native.InvalidArgumentError(f"the value {place} is no number: {text!r}") from None

        return mapped(read, dtype, records)

    places = range(len(wanted)) if select_cols is None else select_cols
    return [column(place, *one) for place, one in zip(places, wanted, strict=True)]


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Writes bytes as letters that are safe in addresses.

    Args:
      input: string tensor.
      pad: whether to fill up with `=`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      String tensor of the same shape.

    Example:
      >>> gw.io.encode_base64(gw.constant("a?>")).numpy()
      b'YT8-'
    """
    del name
    import base64

    def encode(text: bytes) -> bytes:
        found = base64.urlsafe_b64encode(text)
        return found if pad else found.rstrip(b"=")

    return mapped(encode, _native.string, input)


def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """Reads bytes that `encode_base64` wrote.

    Args:
      input: string tensor.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      String tensor of the same shape.

    Raises:
      InvalidArgumentError: a string has other letters, or another length.

    Example:
      >>> gw.io.decode_base64(gw.constant("YT8-")).numpy()
      b'a?>'
    """
    del name
    import base64

    def decode(text: bytes) -> bytes:
        letters = text[:-2] if text.endswith(b"==") else text.removesuffix(b"=")
        if len(letters) % 4 == 1 or (len(letters) < len(text) and len(text) % 4):
            raise _native.InvalidArgumentError(f"{text!r} is no base64: its length is {len(text)}")
        if other := letters.translate(None, _LETTERS):
            raise _native.InvalidArgumentError(f"{text!r} is no base64: there is {other[:1]!r} in it")
        return base64.urlsafe_b64decode(letters + b"=" * (-len(letters) % 4))

    return mapped(decode, _native.string, input)


#: The letters of base64 that are safe in addresses.
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """Lists files whose names match a pattern, sorted.

    Args:
      pattern: text, or a list of texts, with `*`, `?` and `[…]`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      String tensor with one axis.

    Example:
      >>> import pathlib, tempfile
      >>> folder = pathlib.Path(tempfile.mkdtemp())
      >>> (folder / "a.txt").touch()
      >>> [pathlib.Path(name.decode()).name for name in gw.io.matching_files(str(folder / "*.txt")).numpy()]
      ['a.txt']
    """
    import glob

    given = np.atleast_1d(np.asarray(_native.convert_to_tensor(pattern).numpy(), object)).ravel().tolist()
    texts = [one.decode() if isinstance(one, bytes) else one for one in given]
    return _native.constant(sorted({name for text in texts for name in glob.glob(text)}), _native.string)

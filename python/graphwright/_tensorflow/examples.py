"""`Example`, TensorFlow's record of named lists, and what reads it."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _native
from .._native import Tensor
from .files import _field, _fields, _read_varint, _varint

__all__ = ["parse_example", "parse_single_example"]


class BytesList:
    """A list of bytes.

    Args:
      value: the bytes.

    Example:
      >>> gw.train.BytesList(value=[b"a"]).value
      [b'a']
    """

    def __init__(self, value: Sequence[Any] = ()) -> None:
        self.value = [one.encode() if isinstance(one, str) else bytes(one) for one in value]


class FloatList:
    """A list of floats of single precision.

    Args:
      value: the numbers.

    Example:
      >>> gw.train.FloatList(value=[0.5]).value
      [0.5]
    """

    def __init__(self, value: Sequence[Any] = ()) -> None:
        self.value = [float(one) for one in value]


class Int64List:
    """A list of whole numbers.

    Args:
      value: the numbers.

    Example:
      >>> gw.train.Int64List(value=[3]).value
      [3]
    """

    def __init__(self, value: Sequence[Any] = ()) -> None:
        self.value = [int(one) for one in value]


class Feature:
    """One of three kinds of lists.

    Args:
      bytes_list: `BytesList`, or `None`.
      float_list: `FloatList`, or `None`.
      int64_list: `Int64List`, or `None`.

    Example:
      >>> gw.train.Feature(int64_list=gw.train.Int64List(value=[3])).int64_list.value
      [3]
    """

    def __init__(self, bytes_list: Any = None, float_list: Any = None, int64_list: Any = None) -> None:
        if sum(one is not None for one in (bytes_list, float_list, int64_list)) > 1:
            raise ValueError("a feature has one list")
        self.bytes_list, self.float_list, self.int64_list = bytes_list, float_list, int64_list

    def _content(self) -> bytes:
        if self.bytes_list is not None:
            return _field(1, b"".join(_field(1, one) for one in self.bytes_list.value))
        if self.float_list is not None:
            numbers = self.float_list.value
            return _field(2, _field(1, struct.pack(f"<{len(numbers)}f", *numbers)) if numbers else b"")
        if self.int64_list is not None:
            packed = b"".join(_varint(one % 2**64) for one in self.int64_list.value)
            return _field(3, _field(1, packed) if packed else b"")
        return b""


class Features:
    """Features by name.

    Args:
      feature: dict of `Feature`.

    Example:
      >>> sorted(gw.train.Features(feature={"a": gw.train.Feature()}).feature)
      ['a']
    """

    def __init__(self, feature: Mapping[str, Feature] | None = None) -> None:
        self.feature = dict(feature or {})


class Example:
    """A record of named lists.

    Args:
      features: `Features`.

    Example:
      >>> numbers = gw.train.Feature(int64_list=gw.train.Int64List(value=[3, 4]))
      >>> record = gw.train.Example(features=gw.train.Features(feature={"a": numbers}))
      >>> features = {"a": gw.io.FixedLenFeature([2], gw.int64)}
      >>> gw.io.parse_single_example(record.SerializeToString(), features)["a"].numpy().tolist()
      [3, 4]
    """

    def __init__(self, features: Features | None = None) -> None:
        self.features = features or Features()

    def SerializeToString(self) -> bytes:  # noqa: N802 - the name of protocol buffers
        r"""Writes the record.

        Returns:
          bytes.

        Example:
          >>> gw.train.Example().SerializeToString()
          b'\n\x00'
        """
        entries = sorted(self.features.feature.items())
        return _field(
            1, b"".join(_field(1, _field(1, k.encode()) + _field(2, v._content())) for k, v in entries)
        )

    @staticmethod
    def FromString(serialized: bytes) -> Example:  # noqa: N802
        """Reads a record.

        Args:
          serialized: bytes that `SerializeToString` wrote, here or in TensorFlow.

        Returns:
          `Example`.

        Raises:
          InvalidArgumentError: the bytes are no record.

        Example:
          >>> gw.train.Example.FromString(gw.train.Example().SerializeToString()).features.feature
          {}
        """
        try:
            return Example(Features(_parsed(serialized)))
        except ValueError as error:
            raise _native.InvalidArgumentError(f"the bytes are no `Example`: {error}") from None


def _parsed(content: bytes) -> dict[str, Feature]:
    found: dict[str, Feature] = {}
    for _, features in _fields(content):
        for _, entry in _fields(features):
            pair = dict(_fields(entry))
            found[_name(pair.get(1, b""))] = _feature(pair.get(2, b""))
    return found


def _name(content: Any) -> str:
    try:
        return str(content.decode())
    except (AttributeError, UnicodeDecodeError):
        raise ValueError("the name of a feature is no text in UTF-8") from None


def _feature(content: bytes) -> Feature:
    for kind, inner in _fields(content):
        if kind not in (1, 2, 3):
            continue
        items = [one for _, one in _fields(inner)]
        if kind < 3 and not all(isinstance(one, bytes) for one in items):
            raise ValueError("an integer stands in a list of bytes or floats")
        if kind == 1:
            return Feature(bytes_list=BytesList(items))
        if kind == 2:
            parts = b"".join(items)
            if len(parts) % 4:
                raise ValueError("a list of floats ends within a float")
            return Feature(float_list=FloatList(struct.unpack(f"<{len(parts) // 4}f", parts)))
        numbers: list[int] = []
        for part in items:
            at = 0
            while isinstance(part, bytes) and at < len(part):
                number, at = _read_varint(part, at)
                numbers.append(number)
            numbers += [part] if isinstance(part, int) else []
        return Feature(int64_list=Int64List([(n + 2**63) % 2**64 - 2**63 for n in numbers]))
    return Feature()


class FixedLenFeature:
    """A feature of a shape.

    Args:
      shape: lengths of the axes.
      dtype: `int64`, `float32` or `string`.
      default_value: value of records without the feature; without it they are an error.

    Example:
      >>> gw.io.FixedLenFeature([2], gw.float32).shape
      [2]
    """

    def __init__(self, shape: Any, dtype: Any, default_value: Any = None) -> None:
        self.shape = [shape] if isinstance(shape, int) else list(shape)
        self.dtype, self.default_value = _native.as_dtype(dtype), default_value


class VarLenFeature:
    """A feature whose length varies.

    Args:
      dtype: `int64`, `float32` or `string`.

    Example:
      >>> gw.io.VarLenFeature(gw.int64).dtype
      gw.int64
    """

    def __init__(self, dtype: Any) -> None:
        self.dtype = _native.as_dtype(dtype)


def _values(record: Any, name: str, dtype: Any) -> list[Any] | None:
    """The list of a feature; `None` where there is none."""
    content = record.item() if hasattr(record, "item") else record
    feature = Example.FromString(
        content.encode() if isinstance(content, str) else content
    ).features.feature.get(name)
    kinds = {_native.string: "bytes_list", _native.float32: "float_list", _native.int64: "int64_list"}
    if dtype not in kinds:
        raise ValueError(f"a feature has int64, float32 or string, not {dtype.name}")
    if feature is None or all(getattr(feature, kind) is None for kind in kinds.values()):
        return None
    found = getattr(feature, kinds[dtype])
    if found is None:
        raise _native.InvalidArgumentError(f"the feature `{name}` holds no {dtype.name}")
    return list(found.value)


def _array(values: list[Any], shape: Any, dtype: Any) -> Any:
    found = np.empty(len(values), object if dtype == _native.string else dtype.as_numpy_dtype)
    found[:] = values
    return found.reshape(shape)


def _fixed(records: Tensor, name: str, feature: FixedLenFeature) -> Tensor:
    """A feature of a shape, of one record or of a row of them."""
    count, shape, dtype = int(np.prod(feature.shape)), feature.shape, feature.dtype

    def read(given: Any) -> Any:
        rows = []
        for record in np.atleast_1d(np.asarray(given, object)).ravel():
            values = _values(record, name, dtype)
            if values is None and feature.default_value is not None:
                values = np.broadcast_to(np.asarray(feature.default_value), shape).ravel().tolist()
            if values is None or len(values) != count:
                have = "is missing" if values is None else f"has {len(values)} values, not {count}"
                raise _native.InvalidArgumentError(f"the feature `{name}` {have}")
            rows.append(
                _array([one.encode() if isinstance(one, str) else one for one in values], shape, dtype)
            )
        whole = np.stack(rows) if rows else np.empty([0, *shape], object)
        return whole if records.ndim else whole[0]

    if not _native.is_staged(records):
        return _native.constant(read(records.numpy()), dtype)
    result: Tensor = _native.numpy_function(
        read, [records], _native.TensorSpec([*records.shape, *shape], dtype)
    )
    return result


def _varying(records: Tensor, name: str, feature: VarLenFeature) -> Any:
    from ..sparse import SparseTensor

    if _native.is_staged(records):
        raise _native.diagnosed(
            "GW120",
            "features whose length varies are read eagerly, and these records are a tensor of the graph",
            "read them before the graph, or give the features a shape, `FixedLenFeature`",
        )
    rows = [
        _values(one, name, feature.dtype) or [] for one in np.atleast_1d(np.asarray(records.numpy(), object))
    ]
    places = [[at, k] if records.ndim else [k] for at, row in enumerate(rows) for k in range(len(row))]
    most = max(map(len, rows), default=0)
    flat = [one for row in rows for one in row]
    axes = 2 if records.ndim else 1
    return SparseTensor(
        _native.reshape(_native.constant(places, _native.int64), [-1, axes])
        if places
        else _native.zeros([0, axes], _native.int64),
        _native.constant(_array(flat, [len(flat)], feature.dtype), feature.dtype),
        _native.constant([len(rows), most][2 - axes :], _native.int64),
    )


def parse_single_example(
    serialized: Any, features: Mapping[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Reads the features of a record.

    Args:
      serialized: scalar string tensor, of `gw.train.Example`.
      features: dict of `FixedLenFeature` and `VarLenFeature`.
      example_names: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      dict of tensors; `gw.SparseTensor` of features whose length varies.

    Raises:
      InvalidArgumentError: a feature is missing, or the bytes are no record.

    Example:
      >>> word = gw.train.Feature(bytes_list=gw.train.BytesList(value=["hi"]))
      >>> record = gw.train.Example(features=gw.train.Features(feature={"word": word})).SerializeToString()
      >>> gw.io.parse_single_example(record, {"word": gw.io.FixedLenFeature([], gw.string)})["word"].numpy()
      b'hi'
    """
    del example_names, name
    return parse_example(serialized, features)


def parse_example(
    serialized: Any, features: Mapping[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Reads the features of a row of records.

    Args:
      serialized: string tensor with one axis, of `gw.train.Example`.
      features: dict of `FixedLenFeature` and `VarLenFeature`.
      example_names: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      dict of tensors with the axis of the records in front.

    Raises:
      InvalidArgumentError: a feature is missing, or the bytes are no record.

    Example:
      >>> number = gw.train.Feature(int64_list=gw.train.Int64List(value=[3]))
      >>> record = gw.train.Example(features=gw.train.Features(feature={"n": number})).SerializeToString()
      >>> features = {"n": gw.io.FixedLenFeature([], gw.int64)}
      >>> gw.io.parse_example([record, record], features)["n"].numpy().tolist()
      [3, 3]
    """
    del example_names, name
    records = _native.convert_to_tensor(serialized)
    found: dict[str, Any] = {}
    for feature_name, feature in features.items():
        if isinstance(feature, FixedLenFeature):
            found[feature_name] = _fixed(records, feature_name, feature)
        elif isinstance(feature, VarLenFeature):
            found[feature_name] = _varying(records, feature_name, feature)
        else:
            raise TypeError(
                f"`{feature_name}` is a `{type(feature).__name__}`: give `FixedLenFeature` or `VarLenFeature`"
            )
    return found

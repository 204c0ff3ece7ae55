"""Events as TensorBoard reads them: `tensorflow.Event` of protocol buffers, which stand in a file as records.

A message is a row of fields: a key, which is the field's number and the kind of what follows, and that: a
number of as many bytes as it needs, 8 bytes of a float, or a length and so many bytes.
Source: the files `event.proto`, `summary.proto`, `tensor.proto`, `graph.proto` and `node_def.proto` of
TensorBoard's folder `compat/proto`.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

_NUMBER, _DOUBLE, _BYTES = 0, 1, 2
_FLOAT32, _FLOAT64, _STRING = 1, 2, 7


def opening(wall_time: float) -> bytes:
    """The first event of a file, which says that events follow."""
    return _double(1, wall_time) + _bytes(3, b"brain.Event:2")


def summary(wall_time: float, step: int, tag: str, value: Any, plugin: str, description: str) -> bytes:
    """The event of one array, which a plugin of TensorBoard's shows under a tag."""
    shown = _bytes(1, tag.encode()) + _bytes(9, _metadata(plugin, description)) + _bytes(8, _tensor(value))
    return _double(1, wall_time) + _number(2, step) + _bytes(5, _bytes(1, shown))


def graph(wall_time: float, step: int, nodes: list[Any]) -> bytes:
    """The event of a graph, whose nodes have a `name`, an `op` and the names of what they take as `input`."""
    definition = b"".join(_bytes(1, _node(node)) for node in nodes)
    return _double(1, wall_time) + _number(2, step) + _bytes(4, definition)


def _node(node: Any) -> bytes:
    taken = b"".join(_bytes(3, name.encode()) for name in node.input)
    return _bytes(1, node.name.encode()) + _bytes(2, node.op.encode()) + taken


def _metadata(plugin: str, description: str) -> bytes:
    kind = 1 if plugin == "scalars" else 2
    text = _bytes(3, description.encode()) if description else b""
    return _bytes(1, _bytes(1, plugin.encode())) + text + _number(4, kind)


def _tensor(value: Any) -> bytes:
    shape = _bytes(2, b"".join(_bytes(2, _number(1, length)) for length in value.shape))
    if value.dtype == object:
        texts = b"".join(_bytes(8, text) for text in value.ravel())
        return _number(1, _STRING) + shape + texts
    dtype = _FLOAT32 if value.dtype == np.float32 else _FLOAT64
    return _number(1, dtype) + shape + _bytes(4, value.astype(value.dtype.newbyteorder("<")).tobytes())


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _NUMBER) + _varint(value & (2**64 - 1))


def _double(field: int, value: float) -> bytes:
    return _varint(field << 3 | _DOUBLE) + struct.pack("<d", value)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; all but the last have their highest bit set."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)

"""Reads event files, with TensorBoard's own reader where it is installed: `{tag: [(step, value), …]}`."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

import numpy as np

import graphwright as gw

HAS_TENSORBOARD = importlib.util.find_spec("tensorboard") is not None


def summaries(folder):
    """What the only event file of a folder holds; two readers agree where there are two."""
    [file] = Path(folder).iterdir()
    found = _plainly(file)
    if HAS_TENSORBOARD:
        assert _by_tensorboard(file) == found
    return {tag: [(step, value) for step, value, _ in rows] for tag, rows in found.items()}


def plugins(folder):
    """Which plugin shows each tag."""
    [file] = Path(folder).iterdir()
    return {tag: rows[0][2] for tag, rows in _plainly(file).items()}


def _by_tensorboard(file):
    from tensorboard.backend.event_processing.event_accumulator import TENSORS, EventAccumulator
    from tensorboard.util.tensor_util import make_ndarray

    events = EventAccumulator(str(file), size_guidance={TENSORS: 0}).Reload()
    return {
        tag: [
            (
                one.step,
                make_ndarray(one.tensor_proto).tolist(),
                events.SummaryMetadata(tag).plugin_data.plugin_name,
            )
            for one in events.Tensors(tag)
        ]
        for tag in events.Tags()["tensors"]
    }


def _plainly(file):
    opening, *records = gw.data.TFRecordDataset(str(file)).as_numpy_iterator()
    assert fields(opening)[3] == [b"brain.Event:2"]
    found = {}
    for record in records:
        event = fields(record)
        [step], [value] = event[2], fields(event[5][0])[1]
        value = fields(value)
        [plugin] = fields(fields(value[9][0])[1][0])[1]
        row = (step - (step >> 63 << 64), _array(fields(value[8][0])), plugin.decode())
        found.setdefault(value[1][0].decode(), []).append(row)
    return found


def _array(tensor):
    lengths = [fields(axis).get(1, [0])[0] for axis in fields(tensor[2][0]).get(2, [])]
    if tensor[1] == [7]:
        return np.array([*tensor[8], None], object)[:-1].reshape(lengths).tolist()
    dtype = {1: "<f4", 2: "<f8"}[tensor[1][0]]
    return np.frombuffer(tensor.get(4, [b""])[0], dtype).reshape(lengths).tolist()


def fields(message):
    """The values of each field of a message of protocol buffers."""
    found, at = {}, 0
    while at < len(message):
        key, at = _varint(message, at)
        if key & 7 == 0:
            value, at = _varint(message, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<d", message, at)[0], at + 8
        else:
            length, at = _varint(message, at)
            value, at = message[at : at + length], at + length
        found.setdefault(key >> 3, []).append(value)
    return found


def _varint(message, at):
    value = shift = 0
    while True:
        value |= (message[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if message[at - 1] < 128:
            return value, at

"""Batches of arrays and datasets, which models are trained with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _native, nest
from ..data import Dataset


def _numbers(found: dict[str, Any]) -> dict[str, Any]:
    return {name: float(value) for name, value in found.items()}


def _unpacked(data: Any) -> tuple[Any, Any, Any]:
    """Inputs, labels and weights; what is not there is `None`."""
    parts = tuple(data) if isinstance(data, (tuple, list)) else (data,)
    return (*parts, None, None)[:3]


def _split(x: Any, y: Any, weight: Any, share: float) -> tuple[Any, Any]:
    """Arrays without their ends, and the ends."""
    if isinstance(x, Dataset):
        raise ValueError("`validation_split` cuts arrays: give a dataset as `validation_data`")
    count = len(nest.flatten(x)[0])
    at = int(count * (1.0 - share))
    if not 0 < at < count:
        raise ValueError(f"`validation_split` is {share}, which leaves no rows of {count}")

    def cut(part: slice) -> Any:
        return nest.map_structure(lambda one: None if one is None else np.asarray(one)[part], (x, y, weight))

    return cut(slice(None, at)), cut(slice(at, None))


class _Batches:
    """Batches of arrays or of a dataset, again in each epoch."""

    def __init__(
        self,
        x: Any,
        y: Any,
        weight: Any,
        size: int | None,
        shuffle: bool,
        steps: int | None,
        class_weight: Any = None,
    ) -> None:
        if size is not None and size < 1:
            raise ValueError(f"`batch_size` is {size}: a batch has 1 row or more, and 32 if it is `None`")
        self._dataset = x if isinstance(x, Dataset) else None
        self._class_weight = None if class_weight is None else dict(class_weight)
        self._steps, self._size, self._shuffle = steps, size or 32, shuffle
        self._parts = tuple(one for one in (x, y, weight) if one is not None)
        self.count = steps
        if self._dataset is None:
            self._parts = nest.map_structure(np.asarray, self._parts)
            lengths = {len(one) for one in nest.flatten(self._parts)}
            if len(lengths) != 1:
                raise ValueError(f"the arrays have {sorted(lengths)} rows: one number is needed")
            self._rows = lengths.pop()
            self.count = steps or -(-self._rows // self._size)

    def __iter__(self) -> Iterator[Any]:
        batches = self._of_arrays() if self._dataset is None else iter(self._dataset)
        for at, batch in enumerate(batches):
            if self._steps is not None and at >= self._steps:
                return
            parts = batch if isinstance(batch, tuple) else (batch,)
            yield parts if self._class_weight is None else _weighted_by_class(parts, self._class_weight)

    def _of_arrays(self) -> Iterator[Any]:
        order = np.arange(self._rows)
        if self._shuffle:
            order = _native.shuffle(_native.constant(order)).numpy()
        for at in range(0, self._rows, self._size):
            rows = order[at : at + self._size]
            yield nest.map_structure(lambda one: _native.constant(_narrow(one[rows])), self._parts)  # noqa: B023


def _weighted_by_class(batch: Any, weights: dict[int, float]) -> Any:
    """A batch with the weight of each label's class, besides the weights that it has."""
    x, y, given = _unpacked(batch)
    if y is None or nest.is_nested(y):
        raise ValueError("`class_weight` is of the classes of one tensor of labels")
    labels = y.numpy()
    labels = labels.argmax(-1) if labels.ndim > 1 and labels.shape[-1] > 1 else labels
    found = np.array([weights.get(int(label), 1.0) for label in labels.ravel()], np.float32)
    found = found.reshape(labels.shape[:1] + labels.shape[1:-1] if labels.ndim > 1 else labels.shape)
    made = _native.constant(found)
    return x, y, made if given is None else made * _native.cast(given, made.dtype)


def _narrow(array: Any) -> Any:
    return array.astype(np.float32) if array.dtype == np.float64 else array

"""Data that flows: datasets and iterators over them, under TensorFlow's names."""

from types import SimpleNamespace

from .._public import publish as _publish
from ._dataset import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from ._files import CsvDataset, TextLineDataset, TFRecordDataset
from ._iterator import Iterator
from ._tables import ArrowDataset, ParquetDataset
from ._transformations import AUTOTUNE, Options

#: TensorFlow's namespace of the same name.
experimental = SimpleNamespace(
    AUTOTUNE=AUTOTUNE,
    INFINITE_CARDINALITY=INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY=UNKNOWN_CARDINALITY,
    CsvDataset=CsvDataset,
)

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "ArrowDataset",
    "CsvDataset",
    "Dataset",
    "Iterator",
    "Options",
    "ParquetDataset",
    "TFRecordDataset",
    "TextLineDataset",
    "experimental",
]

_publish(__name__)

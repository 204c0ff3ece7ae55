"""The namespace of the Python Array API standard, version 2025.12, for tensors and for graphs of them."""

import sys as _sys

from .._native import (
    bool,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .._public import publish as _publish
from . import (
    _creation,
    _data_types,
    _documentation,
    _elementwise,
    _manipulation,
    _searching,
    _statistics,
    fft,
    linalg,
)
from ._creation import *  # noqa: F403
from ._data_types import *  # noqa: F403
from ._data_types import array_namespace_info as __array_namespace_info__
from ._elementwise import *  # noqa: F403
from ._manipulation import *  # noqa: F403
from ._searching import *  # noqa: F403
from ._statistics import *  # noqa: F403
from .linalg import matmul, matrix_transpose, tensordot, vecdot

__array_api_version__ = "2025.12"

e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "bool",
    "complex64",
    "complex128",
    "e",
    "fft",
    "float32",
    "float64",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "linalg",
    "matmul",
    "matrix_transpose",
    "nan",
    "newaxis",
    "pi",
    "tensordot",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "vecdot",
]
__all__ += _creation.__all__
__all__ += _data_types.__all__
__all__ += _elementwise.__all__
__all__ += _manipulation.__all__
__all__ += _searching.__all__
__all__ += _statistics.__all__

_documentation.document(linalg, linalg.__all__)
_documentation.document(fft, fft.__all__)
_documentation.document(_sys.modules[__name__], __all__)

_publish(__name__)

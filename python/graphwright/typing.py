"""Annotations that say dtype and shape: `Float32["batch 784"]`.

A text names the lengths of the axes: a number, a name, which is any length, `_`, which is any length too,
or `...` for any number of axes. `Int32[""]` has no axes. Names are for readers and for `graphwright check`,
which takes equal names in one function for equal lengths.

`gw.function` uses these annotations and `gw.TensorSpec` ones as its `input_signature` where none is given
and each parameter has one. For type checkers, write the class of the value first, as in jaxtyping:
`Float32[gw.Tensor, "batch 784"]`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _native
from ._public import publish as _publish

__all__ = [
    "Annotation",
    "BFloat16",
    "Bool",
    "Float16",
    "Float32",
    "Float64",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "String",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
]


class Annotation:
    """A dtype and a shape, as an annotation says them.

    Args:
      name: name of the dtype.
      text: shape as it is written.
      spec: the `gw.TensorSpec` that it means.

    Example:
      >>> from graphwright.typing import Float32
      >>> @gw.function
      ... def total(x: Float32["n"]) -> Float32[""]:
      ...     return gw.reduce_sum(x)
      >>> float(total([1.0, 2.0]))
      3.0
    """

    def __init__(self, name: str, text: str, spec: _native.TensorSpec) -> None:
        self._name = name
        self._text = text
        self._spec = spec

    @property
    def spec(self) -> _native.TensorSpec:
        """The dtype and shape as a `gw.TensorSpec`."""
        return self._spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Annotation) and (self._name, self._text) == (other._name, other._text)

    def __hash__(self) -> int:
        return hash((self._name, self._text))

    def __repr__(self) -> str:
        return f"{self._name}[{self._text!r}]"


class _Maker:
    """The dtype of an annotation, which `[…]` gives a shape."""

    def __init__(self, name: str, dtype: _native.DType) -> None:
        self._name = name
        self._dtype = dtype

    def __getitem__(self, key: Any) -> Annotation:
        text = key[1] if isinstance(key, tuple) and len(key) == 2 else key
        if not isinstance(text, str):
            raise TypeError(f'`{self._name}[…]` takes a text such as "batch 784", not {text!r}')
        words = text.split()
        dims = None if "..." in words else [_length(self._name, word) for word in words]
        return Annotation(self._name, text, _native.TensorSpec(dims, self._dtype))

    def __repr__(self) -> str:
        return f"graphwright.typing.{self._name}"


def _length(name: str, word: str) -> int | None:
    if word.isdecimal():
        return int(word)
    if word.isidentifier():
        return None
    raise ValueError(f"`{name}[…]`: `{word}` is neither a number nor a name nor `...`")


if TYPE_CHECKING:
    from typing import Annotated as BFloat16
    from typing import Annotated as Bool
    from typing import Annotated as Float16
    from typing import Annotated as Float32
    from typing import Annotated as Float64
    from typing import Annotated as Int8
    from typing import Annotated as Int16
    from typing import Annotated as Int32
    from typing import Annotated as Int64
    from typing import Annotated as String
    from typing import Annotated as UInt8
    from typing import Annotated as UInt16
    from typing import Annotated as UInt32
    from typing import Annotated as UInt64
else:
    Bool = _Maker("Bool", _native.bool)
    BFloat16 = _Maker("BFloat16", _native.bfloat16)
    Float16 = _Maker("Float16", _native.float16)
    Int8 = _Maker("Int8", _native.int8)
    Int16 = _Maker("Int16", _native.int16)
    UInt8 = _Maker("UInt8", _native.uint8)
    UInt16 = _Maker("UInt16", _native.uint16)
    UInt32 = _Maker("UInt32", _native.uint32)
    UInt64 = _Maker("UInt64", _native.uint64)
    Float32 = _Maker("Float32", _native.float32)
    Float64 = _Maker("Float64", _native.float64)
    Int32 = _Maker("Int32", _native.int32)
    Int64 = _Maker("Int64", _native.int64)
    String = _Maker("String", _native.string)


def signature_of(function: Callable[..., Any]) -> list[_native.TensorSpec] | None:
    """The input signature that a function's annotations make; `None` if a parameter has none.

    An annotation that cannot be evaluated is none: it is for type checkers then.
    """
    try:
        if not getattr(function, "__annotations__", None):
            return None
        params = list(inspect.signature(function, eval_str=True).parameters.values())
    except Exception:
        return None
    if params and params[0].name == "self":
        del params[0]
    specs = []
    for param in params:
        spec = _spec(param.annotation)
        if spec is None or param.kind not in (param.POSITIONAL_ONLY, param.POSITIONAL_OR_KEYWORD):
            return None
        specs.append(spec)
    return specs or None


def _spec(annotation: Any) -> _native.TensorSpec | None:
    found = annotation.spec if isinstance(annotation, Annotation) else annotation
    return found if isinstance(found, _native.TensorSpec) else None


_publish(__name__)

"""Plain values: how they are written down, copied, turned into tensors and compared."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

import graphwright as gw

from .alike import bare

WIDE = {bool: gw.bool, int: gw.int64, float: gw.float64}
MOST = 60
"""Items of an iterator that are looked at."""
nan, inf = math.nan, math.inf
NAMES = {"nan": nan, "inf": inf, "set": set, "frozenset": frozenset, "__builtins__": {}}


def is_plain(value: object, room: int = 3) -> bool:
    """A number, a text, or a container of such that is not too long or deep."""
    if value is None or type(value) in (bool, float, complex):
        return True
    if type(value) is int:
        return abs(value) < 1 << 63
    if type(value) in (str, bytes):
        return len(value) <= 200  # type: ignore[arg-type]
    if room and type(value) in (list, tuple, set, frozenset):
        return len(value) <= 40 and all(is_plain(item, room - 1) for item in value)  # type: ignore[arg-type, attr-defined]
    if room and type(value) is dict:
        return len(value) <= 40 and all(is_plain(k, 0) and is_plain(v, room - 1) for k, v in value.items())
    return False


def written(value: object) -> str:
    """The text of plain values."""
    return repr(value)


def read(text: str) -> Any:
    """The plain values of a text."""
    return eval(text, dict(NAMES))


def scalar(value: object) -> bool:
    """A number that a tensor of the widest dtype holds."""
    return type(value) in WIDE


def tensor(value: Any) -> Any:
    """A number as a tensor as wide as Python computes, anything else as it is."""
    return gw.constant(value, WIDE[type(value)]) if scalar(value) else value


def uniform(value: object) -> bool:
    """A list that is an array: of numbers of one type, or of such lists of one length."""
    if type(value) is not list or not value:
        return False
    if all(map(uniform, value)):
        return (
            len({np.shape(row) for row in value}) == 1 and len({np.asarray(row).dtype for row in value}) == 1
        )
    return scalar(value[0]) and len(set(map(type, value))) == 1


def scalars(value: Any) -> Any:
    """Lists of numbers, and lists of those, with a tensor for each number."""
    if type(value) is list:
        return [scalars(item) if type(item) is list else tensor(item) for item in value]
    return value


def plain(value: Any) -> Any:
    """A result without NumPy's or Graphwright's types."""
    value = bare(value)
    if isinstance(value, (gw.Tensor, gw.Variable)):
        value = value.numpy()
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value] if value.ndim else plain(value[()])
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(plain(item) for item in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple(plain(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {type(value).__name__: parts}
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, Iterator):
        return [plain(item) for item in islice(value, MOST)]
    return value


def same(ours: Any, native: Any, *, types: bool = True) -> bool:
    """The same structure and numbers, and types if they are asked for; a staged text comes back as bytes."""
    if isinstance(native, (list, tuple)):
        alike = isinstance(ours, (list, tuple)) and len(ours) == len(native)
        return alike and all(same(o, n, types=types) for o, n in zip(ours, native, strict=True))
    if isinstance(native, dict):
        return isinstance(ours, dict) and same(_sorted(ours), _sorted(native), types=types)
    if not types and isinstance(native, (bool, int, float)):
        return isinstance(ours, (bool, int, float)) and (ours == _like(ours, native) or _near(ours, native))
    if isinstance(native, float):
        return type(ours) is float and (ours == native or _near(ours, native))
    if isinstance(native, str) and isinstance(ours, bytes):
        return ours == native.encode()
    if isinstance(native, complex):
        return isinstance(ours, complex) and same([ours.real, ours.imag], [native.real, native.imag])
    try:
        named = type(ours).__name__ == type(native).__name__
        return named and (bool(ours == native) or repr(ours) == repr(native))
    except Exception:
        return False


def _like(ours: float, native: float) -> float:
    """An integer as the float that another branch makes of it, rounded past 2**53."""
    is_rounded = isinstance(ours, float) and isinstance(native, int) and abs(native) < 2**64
    return float(native) if is_rounded else native


def _near(ours: float, native: float) -> bool:
    """NaN both, or floats apart by what the order of a library's operations makes."""
    if not (isinstance(ours, float) and isinstance(native, float)):
        return False
    if math.isnan(ours) or math.isnan(native):
        return math.isnan(ours) and math.isnan(native)
    return math.isclose(ours, native, rel_tol=1e-12)


def _sorted(value: dict[Any, Any]) -> list[Any]:
    return sorted(value.items(), key=lambda item: repr(item[0]))


WAYS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "converted": lambda arguments: arguments,
    "scalars": lambda arguments: [tensor(a) for a in arguments],
    "arrays": lambda arguments: [gw.constant(np.asarray(a)) if uniform(a) else a for a in arguments],
    "lists": lambda arguments: [scalars(a) for a in arguments],
    "texts": lambda arguments: [gw.constant(a) if type(a) is str else a for a in arguments],
}
"""Ways to give arguments: as they are; or staged: numbers, whole lists, the numbers in lists, texts."""


def ways(arguments: list[Any]) -> list[str]:
    """The ways that stage anything of these arguments."""
    found = ["converted"]
    if any(map(scalar, arguments)):
        found.append("scalars")
    if any(map(uniform, arguments)):
        found.append("arrays")
    if any(type(a) is list and any(scalar(b) or type(b) is list for b in a) for a in arguments):
        found.append("lists")
    if any(type(a) is str for a in arguments):
        found.append("texts")
    return found

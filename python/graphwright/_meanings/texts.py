"""Numbers that texts are, which Python reads each time that the graph comes there."""

from __future__ import annotations

import builtins
from typing import Any

from .. import _native

_KNOWN = _native.TensorSpec([], _native.bool)


def integer(text: Any, base: Any = 10) -> Any:
    """`int(text, base)`"""
    promised = [_KNOWN, _KNOWN, _native.TensorSpec([], _native.int64)]
    known, fits, number = _native.numpy_function(_integer, [text, base], promised, name="int")
    _native.check(known, "ValueError", "invalid literal for int() with base ", base, ": '", text, "'")
    _native.check_limit(fits, "OverflowError", "GW306: this integer is too large for 64 bits")
    return _native.as_number(number)


def float(text: Any) -> Any:
    """`float(text)`"""
    promised = [_KNOWN, _native.TensorSpec([], _native.float64)]
    known, number = _native.numpy_function(_float, [text], promised, name="float")
    _native.check(known, "ValueError", "could not convert string to float: '", text, "'")
    return _native.as_number(number)


def _integer(text: bytes, base: Any) -> tuple[bool, bool, int]:
    """An integer that a text is: true if it is one, true if it has 64 bits, and the number."""
    try:
        number = int(_decoded(text), int(base))
    except ValueError:
        return False, True, 0
    fits = -(2**63) <= number < 2**63
    return True, fits, number if fits else 0


def _float(text: bytes) -> tuple[bool, builtins.float]:
    """A float that a text is: true if it is one, and the number."""
    try:
        return True, builtins.float(_decoded(text))
    except ValueError:
        return False, 0.0


# Where they find no number they say so.
_integer._never_raises = _float._never_raises = Exception  # type: ignore[attr-defined]


def _decoded(text: Any) -> str:
    """A text, which comes as the bytes that it is or in an array without axes."""
    raw = text.item() if hasattr(text, "item") else text
    return raw.decode() if isinstance(raw, bytes) else raw

"""Texts of tensors, as TensorFlow puts them into strings."""

from __future__ import annotations

from typing import Any

import numpy as np


def written(array: Any, most: int, depth: int = 0) -> bytes:
    """An array as TensorFlow writes it: the first and last `most` elements along each axis, or all."""
    if array.ndim == 0:
        return _number(array[()])
    apart = b" "
    if array.ndim > 1:
        apart = b"\n" * (array.ndim - 1) + b" " * (depth + 1)
    count = len(array)
    is_whole = most < 0 or count <= 2 * most
    places = [*range(count)] if is_whole else [*range(most), None, *range(count - most, count)]
    texts = [b"..." if at is None else written(array[at, ...], most, depth + 1) for at in places]
    return b"[" + apart.join(texts) + b"]"


#: Bytes that C writes otherwise within quotes.
_ESCAPES = {
    **{code: b"\\%03o" % code for code in (*range(32), 127)},
    **{ord(one): b"\\" + other for one, other in ((b"\n", b"n"), (b"\r", b"r"), (b"\t", b"t"))},
    **{ord(one): b"\\" + one for one in (b'"', b"'", b"\\")},
}


def _number(value: Any) -> bytes:
    """An element as TensorFlow writes it: a float with 6 or 15 digits if these tell it, else with all."""
    if isinstance(value, (str, bytes)):
        text = value.encode() if isinstance(value, str) else value
        return b'"' + b"".join(_ESCAPES.get(one, bytes([one])) for one in text) + b'"'
    if isinstance(value, np.bool_):
        return b"1" if value else b"0"
    if not isinstance(value, np.floating):
        return str(value).encode()
    few, many = (15, 17) if isinstance(value, np.float64) else (6, 9)
    short = f"{value:.{few}g}"
    return (short if type(value)(short) == value or value != value else f"{value:.{many}g}").encode()

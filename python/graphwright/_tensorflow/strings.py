"""TensorFlow's functions of strings that the host computes: eagerly, and when a graph runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _native
from .._native import Tensor
from ..ragged import RaggedTensor
from .texts import written

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket_fast",
    "to_number",
    "unicode_decode",
    "unicode_split",
]


def _bytes(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _array(given: Any) -> Any:
    """An operand of the host as an array; strings are objects, which keep zeros at their ends."""
    is_text = isinstance(given, (str, bytes)) or getattr(given, "dtype", np.dtype(int)).kind in "SUO"
    return np.asarray(given, object if is_text else None)


def mapped(compute: Callable[..., Any], dtype: Any, *operands: Any, is_pure: bool = True) -> Tensor:
    """A function of the host of each element; operands broadcast. If not pure, it runs with the graph."""
    tensors = [_native.convert_to_tensor(one) for one in operands]
    shape = np.broadcast_shapes(*[tuple(1 if n is None else n for n in one.shape) for one in tensors])
    known = [None if any(None in one.shape for one in tensors) else n for n in shape]

    def run(*arrays: Any) -> Any:
        parts = np.broadcast_arrays(*map(_array, arrays))
        rows = zip(*[part.ravel().tolist() for part in parts], strict=True)
        found = [compute(*map(_bytes, row)) for row in rows]
        result = np.empty(len(found), object if dtype == _native.string else dtype.as_numpy_dtype)
        result[:] = found
        return result.reshape(parts[0].shape)

    is_known = is_pure and not any(map(_native.is_staged, tensors))
    if is_known or _native.executing_eagerly():
        return _native.constant(run(*[one.numpy() for one in tensors]), dtype)
    result: Tensor = _native.numpy_function(run, tensors, _native.TensorSpec(known, dtype))
    return result


_pattern = functools.lru_cache(maxsize=256)(_native.Pattern)


def strip(input: Any, name: str | None = None) -> Tensor:
    """Removes white space at both ends.

    Args:
      input: string tensor.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      String tensor of the same shape.

    Example:
      >>> gw.strings.strip(gw.constant([" a ", "b"])).numpy().tolist()
      [b'a', b'b']
    """
    del name
    return mapped(bytes.strip, _native.string, input)


def regex_replace(
    input: Any, pattern: str, rewrite: str, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""Replaces the matches of a regular expression.

    Args:
      input: string tensor.
      pattern: regular expression in RE2's language; a search takes time in proportion to the text.
      rewrite: the text in their place; `\1` is the first group.
      replace_global: whether to replace all matches, not the first alone.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      String tensor of the same shape.

    Example:
      >>> gw.strings.regex_replace(gw.constant("a1b22"), "[0-9]+", "#").numpy()
      b'a#b#'
    """
    del name
    found, other = _pattern(pattern), rewrite.encode()
    found.check_rewrite(other)
    return mapped(lambda text: found.replaced(text, other, replace_global), _native.string, input)


def regex_full_match(input: Any, pattern: str, name: str | None = None) -> Tensor:
    """Tells which strings a regular expression matches as a whole.

    Args:
      input: string tensor.
      pattern: regular expression in RE2's language; a search takes time in proportion to the text.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `bool` tensor of the same shape.

    Example:
      >>> gw.strings.regex_full_match(gw.constant(["ab1", "b"]), "[a-z]+").numpy().tolist()
      [False, True]
    """
    del name
    found = _pattern(pattern)
    return mapped(found.is_whole, _native.bool, input)


def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Takes parts of strings.

    Args:
      input: string tensor.
      pos: the first place; from the end if it is negative.
      len: the number of bytes or characters; a negative number of bytes is all up to the end.
      unit: `"BYTE"` or `"UTF8_CHAR"`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      String tensor.

    Raises:
      InvalidArgumentError: a place is beyond the string.

    Example:
      >>> gw.strings.substr(gw.constant(["hello", "world"]), 1, 3).numpy().tolist()
      [b'ell', b'orl']
    """
    del name
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise ValueError(f"`unit` is {unit!r}, neither 'BYTE' nor 'UTF8_CHAR'")

    def part(text: bytes, first: int, count: int) -> bytes:
        whole: Any = text if unit == "BYTE" else text.decode(errors="surrogateescape")
        size = whole.__len__()
        if not -size <= first <= size:
            raise _native.InvalidArgumentError(f"the place {first} is beyond a string of length {size}")
        start = first + size if first < 0 else first
        if count < 0:
            # TensorFlow takes the number for one without a sign where it counts bytes alone.
            return text[start:] if unit == "BYTE" else b""
        found: Any = whole[start : start + count]
        return found if unit == "BYTE" else found.encode(errors="surrogateescape")  # type: ignore[no-any-return]

    return mapped(part, _native.string, input, pos, len)


def to_number(input: Any, out_type: Any = _native.float32, name: str | None = None) -> Tensor:
    """Reads numbers.

    Args:
      input: string tensor.
      out_type: dtype of the numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape.

    Raises:
      InvalidArgumentError: a string is no number.

    Example:
      >>> gw.strings.to_number(gw.constant(["1.5", "-2"])).numpy().tolist()
      [1.5, -2.0]
    """
    del name
    dtype = _native.as_dtype(out_type)

    def read(text: bytes) -> Any:
        # Python's numbers may have underscores between their digits.
        try:
            if b"_" not in text:
                return fitting(text)
        except (ValueError, OverflowError):
            pass
        raise _native.InvalidArgumentError(f"{text.decode(errors='replace')!r} is no number of {dtype.name}")

    def fitting(text: bytes) -> Any:
        if not dtype.is_floating:
            return np.asarray(int(text), dtype.as_numpy_dtype)
        return float.fromhex(text.decode()) if b"x" in text.lower() else float(text)

    return mapped(read, dtype, input)


def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Writes numbers as strings.

    Args:
      input: tensor of numbers or truth values.
      precision: number of digits behind the point; 6 if it is -1.
      scientific: whether to write exponents.
      shortest: whether to write the shorter of both.
      width: the least length.
      fill: `"0"` or `" "`, the letter in front; `"-"` puts it behind.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      String tensor of the same shape.

    Example:
      >>> gw.strings.as_string(gw.constant([1, 25]), width=3, fill="0").numpy().tolist()
      [b'001', b'025']
    """
    del name
    x = _native.convert_to_tensor(input)
    if scientific and shortest:
        raise ValueError("`scientific` and `shortest` exclude each other")
    if fill not in ("", " ", "0", "-"):
        raise _native.InvalidArgumentError(f"`fill` is {fill!r}: it is '0', ' ', '-' or empty")
    for given, about in ((width, "width"), (precision, "precision")):
        if not -1 <= given < 2**31:
            raise _native.InvalidArgumentError(f"`{about}` is {given}: it is below 2**31")
    if x.dtype.is_floating:
        kind = "e" if scientific else "g" if shortest else "f"
        form = f"%{fill}{width if width > -1 else ''}{f'.{precision}' if precision > -1 else ''}{kind}"
    elif x.dtype == _native.bool:
        return mapped(lambda value: b"true" if value else b"false", _native.string, x)
    else:
        form = f"%{fill}{width if width > -1 else ''}d"
    return mapped(lambda value: (form % value).encode(), _native.string, x)


def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """Computes a bucket for each string, the same everywhere.

    Args:
      input: string tensor.
      num_buckets: number of buckets.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `int64` tensor of the same shape: the rest of FarmHash's fingerprint, as in TensorFlow.

    Example:
      >>> gw.strings.to_hash_bucket_fast(gw.constant(["a", "b", "a", "c"]), 10).numpy().tolist()
      [9, 2, 9, 2]
    """
    del name
    if num_buckets < 1:
        raise ValueError(f"`num_buckets` is {num_buckets}: there is one at least")
    return mapped(lambda text: _native.fingerprint(text) % num_buckets, _native.int64, input)


def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """Puts tensors into a text.

    Args:
      template: text with placeholders.
      inputs: tensor, or a list of one for each placeholder.
      placeholder: text that a tensor replaces.
      summarize: number of first and last elements that are shown.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Scalar string tensor.

    Raises:
      ValueError: there are fewer or more tensors than placeholders.

    Example:
      >>> gw.strings.format("x: {}, y: {}", [gw.constant([1, 2]), gw.constant(3)]).numpy()
      b'x: [1 2], y: 3'
    """
    del name
    tensors = [
        _native.convert_to_tensor(one) for one in (inputs if isinstance(inputs, (list, tuple)) else [inputs])
    ]
    parts = template.split(placeholder)
    if parts.__len__() != tensors.__len__() + 1:
        raise ValueError(
            f"{template!r} has {parts.__len__() - 1} placeholders for {tensors.__len__()} tensors"
        )

    def filled(*arrays: Any) -> Any:
        texts = [written(_array(one), summarize) for one in arrays] + [b""]
        found = b"".join(part.encode() + text for part, text in zip(parts, texts, strict=True))
        return np.array(found, object)

    if all(not _native.is_staged(one) for one in tensors):
        return _native.constant(filled(*[one.numpy() for one in tensors]).item())
    result: Tensor = _native.numpy_function(filled, tensors, _native.TensorSpec([], _native.string))
    return result


def split(
    input: Any, sep: str | None = None, maxsplit: int = -1, name: str | None = None
) -> RaggedTensor | Tensor:
    """Splits strings into parts.

    Args:
      input: string tensor, a scalar or one axis.
      sep: text between parts; white space if it is `None`.
      maxsplit: the most splits; -1 for all.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.RaggedTensor` with a row for each string, of a scalar a tensor with one axis.

    Example:
      >>> gw.strings.split(gw.constant(["a b", "c"])).to_list()
      [[b'a', b'b'], [b'c']]
    """
    del name
    x = _native.convert_to_tensor(input)
    if _native.is_staged(x):
        raise _cannot_split()
    rows = [
        _bytes(text).split(None if sep is None else sep.encode(), maxsplit)
        for text in np.atleast_1d(np.asarray(x.numpy(), object)).ravel()
    ]
    if x.ndim == 0:
        return _native.constant(rows[0], _native.string)
    from ..ragged import constant

    result: RaggedTensor | Tensor = constant(rows, dtype=_native.string)
    return result


def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Tensor:
    """Joins strings along axes.

    Args:
      inputs: string tensor.
      axis: axis, or `None` for all elements.
      keepdims: whether the axis stays, with length 1.
      separator: text between the parts.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      String tensor without the axis.

    Example:
      >>> gw.strings.reduce_join(gw.constant([["a", "b"]]), axis=1, separator="-").numpy().tolist()
      [b'a-b']
    """
    del name
    x = _native.convert_to_tensor(inputs)

    def joined(array: Any) -> Any:
        whole = np.asarray(array, object)
        moved = whole.reshape(1, -1) if axis is None else np.moveaxis(whole, axis, -1)
        rows = moved.reshape(-1, moved.shape[-1])
        found = np.array([separator.encode().join(map(_bytes, row)) for row in rows.tolist()], object)
        if axis is None:
            return found.reshape([1] * whole.ndim if keepdims else [])
        found = found.reshape(moved.shape[:-1])
        return np.expand_dims(found, axis) if keepdims else found

    if not _native.is_staged(x):
        return _native.constant(joined(x.numpy()), _native.string)
    count = x.ndim if keepdims else 0 if axis is None else x.ndim - 1
    result: Tensor = _native.numpy_function(joined, [x], _native.TensorSpec([None] * count, _native.string))
    return result


def bytes_split(input: Any, name: str | None = None) -> RaggedTensor | Tensor:
    """Splits strings into bytes.

    Args:
      input: string tensor, a scalar or one axis.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.RaggedTensor` with a row for each string, of a scalar a tensor with one axis.

    Example:
      >>> gw.strings.bytes_split(gw.constant("ab")).numpy().tolist()
      [b'a', b'b']
    """
    del name
    result: RaggedTensor | Tensor = _cut(
        input, lambda text: [text[at : at + 1] for at in range(text.__len__())]
    )
    return result


def unicode_split(
    input: Any, input_encoding: str = "UTF-8", errors: str = "replace", name: str | None = None
) -> RaggedTensor | Tensor:
    r"""Splits strings into characters.

    Args:
      input: string tensor, a scalar or one axis.
      input_encoding: `"UTF-8"`.
      errors: `"replace"`, `"ignore"` or `"strict"`, for bytes that are no text.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.RaggedTensor` with a row for each string, of a scalar a tensor with one axis.

    Raises:
      InvalidArgumentError: `errors` is `"strict"`, and a string is no text.

    Example:
      >>> gw.strings.unicode_split(gw.constant("aé"), "UTF-8").numpy().tolist()
      [b'a', b'\xc3\xa9']
    """
    del name
    result: RaggedTensor | Tensor = _cut(
        input, lambda text: [one.encode() for one in _decoded(text, input_encoding, errors)]
    )
    return result


def unicode_decode(
    input: Any, input_encoding: str = "UTF-8", errors: str = "replace", name: str | None = None
) -> RaggedTensor | Tensor:
    """Gives the code points of characters.

    Args:
      input: string tensor, a scalar or one axis.
      input_encoding: `"UTF-8"`.
      errors: `"replace"`, `"ignore"` or `"strict"`, for bytes that are no text.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `gw.RaggedTensor` of `int32` with a row for each string, of a scalar a tensor with one axis.

    Example:
      >>> gw.strings.unicode_decode(gw.constant(["ab", "c"]), "UTF-8").to_list()
      [[97, 98], [99]]
    """
    del name
    result: RaggedTensor | Tensor = _cut(
        input, lambda text: [ord(one) for one in _decoded(text, input_encoding, errors)], _native.int32
    )
    return result


def _decoded(text: bytes, encoding: str, errors: str) -> str:
    if errors not in ("replace", "ignore", "strict"):
        raise ValueError(f"`errors` is {errors!r}: it is 'replace', 'ignore' or 'strict'")
    try:
        return text.decode(encoding, errors)
    except UnicodeDecodeError as error:
        raise _native.InvalidArgumentError(f"{text!r} is no text in {encoding}: {error.reason}") from None
    except LookupError:
        raise _native.InvalidArgumentError(f"there is no encoding {encoding!r}") from None


def _cannot_split() -> BaseException:
    """The refusal of a graph, which has no rows of different lengths."""
    message = "strings are split eagerly, and these are a tensor of the graph"
    return _native.diagnosed("GW120", message, "split them before the graph, or in a dataset's host code")


def _cut(input: Any, parts: Callable[[bytes], Sequence[Any]], dtype: Any = _native.string) -> Any:
    from ..ragged import constant

    x = _native.convert_to_tensor(input)
    if _native.is_staged(x):
        raise _cannot_split()
    if x.ndim == 0:
        return _native.constant(parts(_bytes(x.numpy())), dtype)
    return constant([parts(_bytes(text)) for text in np.asarray(x.numpy(), object)], dtype=dtype)

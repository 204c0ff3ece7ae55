"""Einstein's sums: each axis has a letter, and where the letters stand says what is multiplied and added."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from . import _native
from ._arrays import lengths, moved
from ._native import Tensor

#: Letters for the axes of an ellipsis, the last axis first.
_BATCH = "ΩΨΧΦΥΤΣΡΠΟΞΝΜΛΚΙΘΗΖΕΔΓΒΑ"


def einsum(equation: str, *inputs: Any, name: str | None = None) -> Tensor:
    """Evaluates an Einstein summation.

    `"ij,jk->ik"` multiplies matrices, `"ii->"` is a trace, `"...ij->...ji"` turns matrices. Without `->` the
    result has the letters that stand once, by the alphabet. Two inputs at a time are one product of matrices.

    Args:
      equation: letters for the axes of each input and of the result, such as `"ij,jk->ik"`.
      inputs: one tensor of numbers for each group of letters.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with the axes behind `->`; letters that are not there are summed over.

    Raises:
      ValueError: If the letters do not fit the inputs.

    Example:
      >>> gw.einsum("ij,j->i", gw.constant([[1.0, 2.0], [3.0, 4.0]]), gw.constant([1.0, 1.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([3., 7.], dtype=float32)>
    """
    del name
    found = [_native.convert_to_tensor(one) for one in inputs]
    terms, result = _read(equation.replace(" ", ""), [one.ndim for one in found])
    pairs = [_diagonals(term, one) for term, one in zip(terms, found, strict=True)]
    term, total = pairs[0]
    for at, (other, factor) in enumerate(pairs[1:], start=2):
        later = set(result).union(*(term for term, _ in pairs[at:]))
        term, total = _product((term, total), (other, factor), later)
    total = _native.reduce_sum(total, [at for at, letter in enumerate(term) if letter not in result])
    left = [letter for letter in term if letter in result]
    return _native.transpose(total, [left.index(letter) for letter in result])


def _read(equation: str, ranks: list[int]) -> tuple[list[str], str]:
    """The letters of the inputs and of the result."""
    inputs, arrow, result = equation.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"the equation {equation!r} is of {len(terms)} tensors, and {len(ranks)} are given")
    terms = [_without_dots(term, rank, equation) for term, rank in zip(terms, ranks, strict=True)]
    batch = max((_letters(term, _BATCH) for term in terms), key=len)
    if not arrow:
        once = {letter for letter in "".join(terms) if "".join(terms).count(letter) == 1}
        result = "..." * bool(batch) + "".join(sorted(once.difference(_BATCH)))
    result = result.replace("...", batch)
    unknown = set(result) - set("".join(terms))
    if unknown or len(set(result)) < len(result):
        raise ValueError(
            f"the result of the equation {equation!r} wants each of its letters once, and in an input"
        )
    return terms, result


def _without_dots(term: str, rank: int, equation: str) -> str:
    named = term.replace("...", "")
    rest = rank - len(named)
    if rest < 0 or (rest > 0 and "..." not in term):
        raise ValueError(f"{term!r} in the equation {equation!r} is given a tensor of {rank} axes")
    return term.replace("...", _BATCH[:rest][::-1])


def _letters(term: str, among: Iterable[str]) -> str:
    return "".join(letter for letter in term if letter in among)


def _diagonals(term: str, x: Tensor) -> tuple[str, Tensor]:
    """With each letter once: of axes with the same letter the diagonal is left."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            x = moved(moved(x, second, 0), first + 1, 0)
            term = letter + term.replace(letter, "", 2)
            count, _, *others = lengths(x)
            flat = _native.reshape(x, [count * count, *others])
            x = _native.gather(flat, _native.range(count) * (count + 1))
    return term, x


def _product(left: tuple[str, Tensor], right: tuple[str, Tensor], later: set[str]) -> tuple[str, Tensor]:
    """The product of two, summed over the letters that nobody reads later."""
    (ours, x), (theirs, y) = _summed(left, later | set(right[0])), _summed(right, later | set(left[0]))
    both = [letter for letter in ours if letter in theirs]
    batch, inner = [one for one in both if one in later], [one for one in both if one not in later]
    rows = [letter for letter in ours if letter not in both]
    columns = [letter for letter in theirs if letter not in both]
    x = _native.transpose(x, [ours.index(letter) for letter in batch + rows + inner])
    y = _native.transpose(y, [theirs.index(letter) for letter in batch + inner + columns])
    known = dict(zip(batch + inner + columns, lengths(y), strict=True))
    for letter, length in zip(batch + rows + inner, lengths(x), strict=True):
        known[letter] = _met(letter, length, known.get(letter, length))
    x = _stretched(x, [known[letter] for letter in batch + rows + inner])
    y = _stretched(y, [known[letter] for letter in batch + inner + columns])
    sizes = [[known[letter] for letter in letters] for letters in (batch, rows, inner, columns)]
    of_batch, of_rows, of_inner, of_columns = (math.prod(size) for size in sizes)
    x = _native.reshape(x, [of_batch, of_rows, of_inner])
    y = _native.reshape(y, [of_batch, of_inner, of_columns])
    product = _native.reshape(_native.matmul(x, y), [*sizes[0], *sizes[1], *sizes[3]])
    return "".join(batch + rows + columns), product


def _summed(pair: tuple[str, Tensor], kept: set[str]) -> tuple[str, Tensor]:
    term, x = pair
    gone = [at for at, letter in enumerate(term) if letter not in kept]
    return _letters(term, kept), _native.reduce_sum(x, gone) if gone else x


def _met(letter: str, length: Any, other: Any) -> Any:
    """The length of an axis of two factors; where it is known only when the graph runs, that of the first."""
    if not (isinstance(length, int) and isinstance(other, int)):
        return length
    if length != other and 1 not in (length, other):
        raise ValueError(f"axes with the letter {letter!r} have lengths {length} and {other}")
    return other if length == 1 else length


def _stretched(x: Tensor, shape: list[Any]) -> Tensor:
    """With axes of these lengths, which the graph compares if it has to."""
    return x if list(x.shape) == shape else _native.broadcast_to(x, shape)

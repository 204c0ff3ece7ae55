"""Connectionist temporal classification: probabilities of labels whose places in time are not known."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._function import function
from .._native import Tensor

__all__ = ["ctc_loss"]

#: The logarithm of what cannot be: a number whose differences are numbers, for derivatives.
_NEVER = -1e30


def _log_sum(*terms: Tensor) -> Tensor:
    most = terms[0]
    for term in terms[1:]:
        most = _native.maximum(most, term)
    most = _native.stop_gradient(most)
    total = _native.exp(terms[0] - most)
    for term in terms[1:]:
        total = total + _native.exp(term - most)
    return most + _native.log(total)


@function
def _ways(emissions: Tensor, skips: Tensor, begin: Tensor, frames: Tensor) -> Tensor:
    """The logarithms of the probabilities of all ways that end in each state with the last frame."""
    before = _native.where(begin, emissions[0], _NEVER)
    none = _native.zeros_like(before[:, :1]) + _NEVER
    for time in _native.range(1, len(emissions)):
        one = _native.concat([none, before[:, :-1]], 1)
        two = _native.where(skips, _native.concat([none, one[:, :-1]], 1), _NEVER)
        after = _native.maximum(_log_sum(before, one, two) + emissions[time], _NEVER)
        before = _native.where(_native.expand_dims(time < frames, 1), after, before)
    return before


def _checked(labels: Any, logits: Any, time_major: bool, blank: Any) -> tuple[Tensor, Tensor, int]:
    labels = _native.cast(_native.convert_to_tensor(labels), _native.int32)
    logits = _native.convert_to_tensor(logits)
    if logits.ndim != 3 or labels.ndim != 2:
        raise ValueError("`ctc_loss` takes labels of 2 axes and logits of 3 axes")
    if not logits.dtype.is_floating:
        raise TypeError(f"`ctc_loss` takes logits of floats, not {logits.dtype.name}")
    logits = logits if time_major else _native.transpose(logits, [1, 0, 2])
    classes = logits.shape[2]
    blank = 0 if blank is None else int(blank)
    blank = blank + classes if blank < 0 else blank
    if not 0 <= blank < classes:
        raise ValueError(f"`blank_index` {blank} is none of the {classes} classes")
    return labels, logits, blank


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes negative logarithms of the probabilities of labels whose places in time are not known.

    Args:
      labels: integers of the shape (batch, labels), padded behind `label_length`.
      logits: floats of the shape (frames, batch, classes).
      label_length: integers of the shape (batch,).
      logit_length: integers of the shape (batch,).
      logits_time_major: whether the frames are the first axis of `logits`; the second one otherwise.
      unique: accepted as in TensorFlow; has no effect.
      blank_index: the class that stands for no label, from the back if it is negative; 0 if it is left out.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the shape (batch,) and of the dtype of `logits`; infinite where no way gives the labels.

    Raises:
      TypeError: `logits` are no floats.
      ValueError: the operands have other axes, or `blank_index` is no class.

    Example:
      >>> loss = gw.nn.ctc_loss([[1, 2]], gw.zeros([3, 1, 3]), [2], [3])
      >>> [round(float(one), 3) for one in loss]
      [1.686]
    """
    del unique, name
    labels, logits, blank = _checked(labels, logits, logits_time_major, blank_index)
    lengths = map(_native.convert_to_tensor, (label_length, logit_length))
    sizes, frames = (_native.cast(one, _native.int32) for one in lengths)
    dtype = logits.dtype
    wide = logits if dtype == _native.float64 else _native.cast(logits, _native.float32)
    wide = wide - _native.stop_gradient(_native.reduce_max(wide, 2, keepdims=True))
    scores = wide - _native.log(_native.reduce_sum(_native.exp(wide), 2, keepdims=True))
    blanks = _native.zeros_like(labels) + blank
    # A blank stands around each label: state 2 i + 1 is label i.
    states = _native.reshape(_native.stack([blanks, labels], 2), [_native.shape(labels)[0], -1])
    states = _native.concat([states, _native.zeros_like(states[:, :1]) + blank], 1)
    ones = _native.one_hot(states, logits.shape[2], dtype=scores.dtype)
    emissions = _native.matmul(_native.transpose(scores, [1, 0, 2]), ones, transpose_b=True)
    earlier = _native.concat([_native.zeros_like(states[:, :2]) + blank, states[:, :-2]], 1)
    skips = _native.logical_and(states != blank, states != earlier)
    place = _native.expand_dims(_native.range(_native.shape(states)[1]), 0)
    begin = _native.logical_and(place < 2, place <= 2 * _native.expand_dims(sizes, 1))
    found = _ways(_native.transpose(emissions, [1, 0, 2]), skips, begin, frames)
    last = 2 * _native.expand_dims(sizes, 1)
    ends = [_native.reduce_max(_native.where(place == last - at, found, _NEVER), 1) for at in (0, 1)]
    loss = -_log_sum(*ends)
    return _native.cast(_native.where(loss > -0.5 * _NEVER, float("inf"), loss), dtype)

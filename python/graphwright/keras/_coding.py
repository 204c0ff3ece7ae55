"""Layers that turn numbers into numbers of classes and rows of ones, and products under a formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _native
from .._einsum import einsum
from .._tensorflow.sets import searchsorted
from . import activations, initializers
from ._layer import Layer
from ._normalizing import _batches
from ._plain import Computed

_MODES = ("int", "one_hot", "multi_hot", "count")


def encoded(numbers: Any, mode: str, depth: int, dtype: Any, weights: Any = None) -> Any:
    """Numbers of classes as they are, or as rows of ones, of any of them, or of counts."""
    if mode == "int":
        return _native.cast(numbers, dtype)
    x = _native.cast(numbers, _native.int32)
    if mode == "one_hot":
        if x.ndim > 1 and x.shape[-1] == 1:
            x = _native.squeeze(x, -1)
        return _native.one_hot(x, depth, dtype=dtype)
    rows = _native.one_hot(x, depth, dtype=dtype)
    if weights is not None:
        rows = rows * _native.expand_dims(_native.cast(weights, dtype), -1)
    if x.ndim == 0:
        return rows
    return _native.reduce_max(rows, -2) if mode == "multi_hot" else _native.reduce_sum(rows, -2)


class CategoryEncoding(Layer):
    """Turns whole numbers into rows: a one at each of them, or counts.

    Args:
      num_tokens: number of classes.
      output_mode: `"multi_hot"`, `"one_hot"` or `"count"`.
      sparse: `False`.
      others: the arguments of `Layer`.

    Raises:
      ValueError: `output_mode` is another one.

    Example:
      >>> gw.keras.layers.CategoryEncoding(num_tokens=4)(gw.constant([[0, 1], [2, 2]])).numpy().tolist()
      [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    """

    def __init__(
        self,
        num_tokens: int | None = None,
        output_mode: str = "multi_hot",
        sparse: bool = False,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        if output_mode not in _MODES[1:]:
            raise ValueError(f"`output_mode` is {output_mode!r}: it is one of {', '.join(_MODES[1:])}")
        if num_tokens is None or num_tokens < 1:
            raise ValueError(f"`num_tokens` is {num_tokens!r}, not a number from 1 on")
        if sparse:
            raise ValueError("`sparse=True` is absent: rows are dense")
        self.num_tokens, self.output_mode = num_tokens, output_mode

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        """Encodes numbers.

        Args:
          inputs: tensor of whole numbers below `num_tokens`.
          count_weights: numbers to add in place of ones, if counts are asked for.

        Returns:
          Tensor of floats.

        Example:
          >>> layer = gw.keras.layers.CategoryEncoding(3, "count")
          >>> layer(gw.constant([2, 2]), count_weights=gw.constant([0.5, 1.0])).numpy().tolist()
          [0.0, 0.0, 1.5]
        """
        if count_weights is not None and self.output_mode != "count":
            raise ValueError("`count_weights` needs `output_mode='count'`")
        return encoded(inputs, self.output_mode, self.num_tokens, self.dtype, count_weights)


class Discretization(Computed):
    """Turns numbers into numbers of bins.

    Args:
      bin_boundaries: rising list of boundaries; a bin holds its lower one.
      num_bins: number of bins that `adapt` finds.
      epsilon: accepted as in Keras; boundaries are computed from all values.
      output_mode: `"int"`, `"one_hot"`, `"multi_hot"` or `"count"`.
      sparse: `False`.
      others: the arguments of `Layer`.

    Raises:
      ValueError: both or none of `bin_boundaries` and `num_bins` are given.

    Example:
      >>> layer = gw.keras.layers.Discretization(bin_boundaries=[0.0, 1.0, 2.0])
      >>> layer(gw.constant([[-1.5, 1.0, 3.4, 0.5]])).numpy().tolist()
      [[0, 2, 3, 1]]
    """

    def __init__(
        self,
        bin_boundaries: Sequence[float] | None = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        if (bin_boundaries is None) == (num_bins is None):
            raise ValueError("one of `bin_boundaries` and `num_bins` is given")
        if output_mode not in _MODES:
            raise ValueError(f"`output_mode` is {output_mode!r}: it is one of {', '.join(_MODES)}")
        if sparse:
            raise ValueError("`sparse=True` is absent: rows are dense")
        self.bin_boundaries = None if bin_boundaries is None else [float(one) for one in bin_boundaries]
        self.num_bins, self.epsilon, self.output_mode = num_bins, epsilon, output_mode

    def adapt(self, data: Any) -> None:
        """Finds boundaries between equally many values.

        Args:
          data: array, tensor, `gw.data.Dataset` of batches, or iterable of batches.

        Returns:
          Nothing.

        Raises:
          ValueError: the boundaries were given.

        Example:
          >>> layer = gw.keras.layers.Discretization(num_bins=2)
          >>> layer.adapt(np.array([1.0, 2.0, 3.0, 4.0]))
          >>> layer(gw.constant([1.5, 3.5])).numpy().tolist()
          [0, 1]
        """
        if self.num_bins is None:
            raise ValueError("the boundaries were given: a layer with `num_bins` finds them")
        values = np.sort(np.concatenate([np.ravel(batch).astype(np.float32) for batch in _batches(data)]))
        below = np.arange(1, len(values) + 1) / len(values)
        shares = np.arange(1, self.num_bins) / self.num_bins
        found = values if len(values) < self.num_bins else np.interp(shares, below, values)
        self.bin_boundaries = np.asarray(found, np.float32).tolist()

    def _compute(self, x: Any) -> Any:
        if self.bin_boundaries is None:
            raise ValueError(f"`{self.name}` has no boundaries: call `adapt` first")
        edges = _native.constant(self.bin_boundaries, self.dtype)
        numbers = _native.cast(x, self.dtype)
        flat = searchsorted(edges, _native.reshape(numbers, [-1]), side="right")
        found = _native.reshape(flat, _native.shape(numbers)) if x.ndim != 1 else flat
        dtype = _native.int32 if self.output_mode == "int" else self.dtype
        return encoded(found, self.output_mode, len(self.bin_boundaries) + 1, dtype)


class EinsumDense(Computed):
    """Multiplies with a kernel under a formula, adds a bias, and calls an activation.

    Args:
      equation: formula of the input and the kernel, `"btn,nu->btu"`; `...` stands for any axes.
      output_shape: lengths of the result without the batch, `None` where they are those of the input.
      activation: name, function, or `None`.
      bias_axes: letters of the result along which the bias varies; there is none if it is `None`.
      kernel_initializer: initializer of the kernel.
      bias_initializer: initializer of the bias.
      others: the arguments of `Layer`.

    Raises:
      ValueError: the formula has no input, kernel and result.

    Example:
      >>> layer = gw.keras.layers.EinsumDense("btn,nu->btu", output_shape=(None, 64), bias_axes="u")
      >>> layer(gw.ones([2, 32, 128])).shape
      (2, 32, 64)
    """

    def __init__(
        self,
        equation: str,
        output_shape: int | Sequence[int | None],
        activation: str | Callable[..., Any] | None = None,
        bias_axes: str | None = None,
        kernel_initializer: str | initializers.Initializer = "glorot_uniform",
        bias_initializer: str | initializers.Initializer = "zeros",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        left, _, self._result = equation.replace(" ", "").partition("->")
        self._input, _, self._kernel_term = left.partition(",")
        if not (self._input and self._kernel_term and self._result):
            raise ValueError(f"`equation` is {equation!r}, not of the form 'ab,bc->ac'")
        self.equation, self.bias_axes = equation, bias_axes
        self.output_shape = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the kernel and the bias.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.EinsumDense("...x,xy->...y", output_shape=4, bias_axes="y")
          >>> layer.build((None, 3))
          >>> [tuple(weight.shape) for weight in layer.weights]
          [(3, 4), (4,)]
        """
        lengths = self._lengths_of(self._input, input_shape)
        results = self._result_lengths(lengths)
        both = lengths | {letter: n for letter, n in results.items() if n is not None}
        unknown = [letter for letter in self._kernel_term if both.get(letter) is None]
        if unknown:
            raise ValueError(f"`output_shape` gives no length of {unknown[0]!r} of `{self.equation}`")
        shape = tuple(both[letter] for letter in self._kernel_term)
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        self.bias = None
        if self.bias_axes is not None:
            plain = self._result.replace("...", "")
            wrong = [letter for letter in self.bias_axes if letter not in plain]
            if wrong:
                raise ValueError(
                    f"`bias_axes` has {wrong[0]!r}, which `{self.equation}` has not in its result"
                )
            first = min(plain.index(letter) for letter in self.bias_axes)
            if "..." in self._result and first < self._result.index("..."):
                raise ValueError(f"`bias_axes` stand in front of the dots of `{self.equation}`")
            wide = tuple(both[one] if one in self.bias_axes else 1 for one in plain[first:])
            self.bias = self.add_weight(wide, self.bias_initializer, name="bias")

    def _lengths_of(self, term: str, shape: Sequence[int | None]) -> dict[str, int | None]:
        """The length of each letter of the input."""
        front, dots, behind = term.partition("...")
        if not dots:
            if len(term) != len(shape):
                raise ValueError(f"`{self.equation}` takes {len(term)} axes, not the shape {tuple(shape)}")
            return dict(zip(term, shape, strict=True))
        ends = shape[len(shape) - len(behind) :]
        return dict(zip(front, shape, strict=False)) | dict(zip(behind, ends, strict=True))

    def _result_lengths(self, lengths: dict[str, int | None]) -> dict[str, int | None]:
        """The length of each letter of the result, of which `output_shape` gives the last."""
        plain = self._result.replace("...", "")
        letters = plain[len(plain) - len(self.output_shape) :]
        found = dict(zip(letters, self.output_shape, strict=True))
        for letter, n in found.items():
            if n is not None and lengths.get(letter) not in (None, n):
                raise ValueError(f"`output_shape` has {n} for {letter!r}, the input {lengths[letter]}")
        return {letter: found.get(letter) or lengths.get(letter) for letter in plain}

    def _compute(self, x: Any) -> Any:
        found = einsum(self.equation, x, self.kernel)
        return self.activation(found if self.bias is None else found + self.bias)

"""Attention of one head, by products and by sums of queries and keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native, random
from .._module import init_scope
from ..autograph import do_not_convert
from ._layer import Layer
from ._recurrent import _kept, _lengths


class Attention(Layer):
    """Weighs values by the products of queries and keys.

    Args:
      use_scale: whether a weight scales the scores.
      score_mode: `"dot"` for products, `"concat"` for sums of `tanh(query + key)`.
      dropout: while training, the share of weights that becomes zero.
      seed: seed of the dropout.
      others: the arguments of `Layer`.

    Example:
      >>> query, value = gw.ones([1, 3, 4]), gw.ones([1, 5, 4])
      >>> gw.keras.layers.Attention()([query, value]).shape
      (1, 3, 4)

    Source: Luong, Pham and Manning, "Effective Approaches to Attention-based Neural Machine Translation",
      2015.
    """

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        seed: int | None = None,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        if score_mode not in ("dot", "concat"):
            raise ValueError(f"`score_mode` is {score_mode!r}, neither 'dot' nor 'concat'")
        self.use_scale, self.score_mode, self.dropout, self.seed = use_scale, score_mode, dropout, seed
        self._random = None if seed is None else random.Generator.from_seed(seed)

    @do_not_convert
    def _ready(self, inputs: Any) -> Any:
        """The queries, values and keys, each of its own shape."""
        if not isinstance(inputs, (list, tuple)) or len(inputs) not in (2, 3):
            raise ValueError(f"`{self.name}` takes a list: query, value, and perhaps key")
        tensors = [_native.cast(_native.convert_to_tensor(one), self.dtype) for one in inputs]
        if not self.built:
            with init_scope():
                self.build([tuple(one.shape) for one in tensors])
            self.built = True
        self._restore()
        return tensors

    def build(self, input_shape: Sequence[Any]) -> None:
        """Makes the weights.

        Args:
          input_shape: shapes of the query and the value.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.Attention(use_scale=True)
          >>> layer.build([(None, 3, 4), (None, 5, 4)])
          >>> len(layer.weights)
          1
        """
        self.scale = self.add_weight((), "ones", name="scale") if self.use_scale else None
        is_sum = self.score_mode == "concat"
        self.concat_score_weight = self.add_weight((), "ones", name="concat_score_weight") if is_sum else None

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = False,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        """Weighs the values.

        Args:
          inputs: list of the query `(batch, times, n)`, the value `(batch, others, m)`, and the key, which is
            the value if it is left out.
          mask: list of two masks, `(batch, times)` of queries whose result is kept and `(batch, others)` of
            values that are seen; each may be `None`.
          training: whether it is a step of training.
          return_attention_scores: whether to give the weights too.
          use_causal_mask: whether a query sees earlier values alone.

        Returns:
          Tensor `(batch, times, m)`, and the weights if they were asked for.

        Example:
          >>> x = gw.ones([1, 3, 4])
          >>> gw.keras.layers.Attention()([x, x], use_causal_mask=True).shape
          (1, 3, 4)
        """
        query, value = inputs[0], inputs[1]
        scores = self._scores(query, inputs[2] if len(inputs) > 2 else value)
        seen, kept = (None, None) if mask is None else (mask[1], mask[0])
        if seen is not None:
            seen = _native.expand_dims(_native.cast(seen, _native.bool), 1)
        if use_causal_mask:
            times, others = (_native.range(n) for n in _lengths(scores)[1:])
            causal = _native.expand_dims(times, 1) >= others
            seen = causal if seen is None else _native.logical_and(seen, causal)
        if seen is not None:
            far = 65504.0 if scores.dtype == _native.float16 else 1e9
            scores = _native.where(seen, scores, scores - far)
        weights = _native.softmax(scores)
        if training and self.dropout > 0:
            weights = weights * _kept(self._random, _lengths(weights), self.dropout, weights.dtype)
        found = _native.matmul(weights, value)
        if kept is not None:
            found = found * _native.expand_dims(_native.cast(kept, found.dtype), -1)
        return (found, weights) if return_attention_scores else found

    def _scores(self, query: Any, key: Any) -> Any:
        """A number for each query and key."""
        if self.score_mode == "dot":
            scores = _native.matmul(query, key, transpose_b=True)
            return scores if self.scale is None else scores * self.scale
        both = _native.expand_dims(query, 2) + _native.expand_dims(key, 1)
        both = both if self.scale is None else both * self.scale
        weight: Any = self.concat_score_weight
        return weight * _native.reduce_sum(_native.tanh(both), -1)


class AdditiveAttention(Attention):
    """Weighs values by sums of `scale * tanh(query + key)`.

    Args:
      use_scale: whether there are weights `scale`, one for each feature.
      dropout: while training, the share of weights that becomes zero.
      others: the arguments of `Layer`.

    Example:
      >>> query, value = gw.ones([1, 3, 4]), gw.ones([1, 5, 4])
      >>> gw.keras.layers.AdditiveAttention()([query, value]).shape
      (1, 3, 4)

    Source: Bahdanau, Cho and Bengio, "Neural Machine Translation by Jointly Learning to Align and Translate",
      2015.
    """

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **others: Any) -> None:
        super().__init__(use_scale, dropout=dropout, **others)

    def build(self, input_shape: Sequence[Any]) -> None:
        """Makes the weights.

        Args:
          input_shape: shapes of the query and the value.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.AdditiveAttention()
          >>> layer.build([(None, 3, 4), (None, 5, 4)])
          >>> [tuple(weight.shape) for weight in layer.weights]
          [(4,)]
        """
        length = input_shape[0][-1]
        self.scale = self.add_weight((length,), "glorot_uniform", name="scale") if self.use_scale else None

    def _scores(self, query: Any, key: Any) -> Any:
        both = _native.tanh(_native.expand_dims(query, 2) + _native.expand_dims(key, 1))
        return _native.reduce_sum(both if self.scale is None else both * self.scale, -1)

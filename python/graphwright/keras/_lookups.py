"""Layers that turn texts and whole numbers into their numbers in a vocabulary, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _native
from .._module import init_scope
from ..autograph import do_not_convert
from ..lookup import KeyValueTensorInitializer, StaticHashTable
from ._coding import encoded
from ._layer import Layer

_MODES = ("int", "one_hot", "multi_hot", "count")


class _Lookup(Layer):
    """A layer with a vocabulary."""

    _dtype: Any

    def __init__(
        self,
        max_tokens: int | None,
        num_oov_indices: int,
        mask_token: Any,
        oov_token: Any,
        vocabulary: Any,
        invert: bool,
        output_mode: str,
        others: dict[str, Any],
    ) -> None:
        super().__init__(**others)
        self._rows = others.get("dtype")
        if num_oov_indices not in (0, 1):
            raise ValueError(
                f"`num_oov_indices` is {num_oov_indices}: it is 0 or 1; or `gw.strings.to_hash_bucket_fast`"
            )
        if output_mode not in _MODES:
            raise ValueError(f"`output_mode` is {output_mode!r}: it is one of {', '.join(_MODES)}")
        if invert and output_mode != "int":
            raise ValueError("`invert=True` needs `output_mode='int'`")
        if max_tokens is not None and max_tokens <= 1:
            raise ValueError(f"`max_tokens` is {max_tokens}: it is greater than 1")
        self.max_tokens, self.num_oov_indices, self.mask_token = max_tokens, num_oov_indices, mask_token
        self.oov_token, self.invert, self.output_mode = oov_token, invert, output_mode
        self._tokens: list[Any] | None = None
        if vocabulary is not None:
            self.set_vocabulary(vocabulary)

    def _front(self) -> list[Any]:
        """The tokens that stand before the vocabulary: the mask of numbers, and that of unknown ones."""
        masked = [self.mask_token] if self.mask_token is not None and self.output_mode == "int" else []
        return [*masked, *[self.oov_token] * self.num_oov_indices]

    @do_not_convert
    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Sets the vocabulary.

        Args:
          vocabulary: list or array of tokens, or the path of a file with one in each line.
          idf_weights: `None`.

        Returns:
          Nothing.

        Raises:
          ValueError: a token is there twice, or there are more than `max_tokens`.

        Example:
          >>> layer = gw.keras.layers.StringLookup()
          >>> layer.set_vocabulary(["a", "b"])
          >>> layer(gw.constant(["b", "z"])).numpy().tolist()
          [2, 0]
        """
        if idf_weights is not None:
            raise ValueError("`idf_weights` are absent: multiply the counts with them")
        if isinstance(vocabulary, (str, Path)):
            vocabulary = Path(vocabulary).read_text(encoding="utf-8").splitlines()
        given = [self._plain(one) for one in np.asarray(vocabulary).tolist()]
        front = self._front()
        own = given[len(front) :] if front and given[: len(front)] == front else given
        if len(set(own)) < len(own) or any(one in front for one in own):
            twice = [one for one, count in Counter([*front, *own]).items() if count > 1]
            raise ValueError(f"the vocabulary has {twice[:3]} more than once")
        if self.max_tokens is not None and len(front) + len(own) > self.max_tokens:
            raise ValueError(
                f"the vocabulary has {len(front) + len(own)} tokens, more than {self.max_tokens}"
            )
        self._tokens = own
        with init_scope():
            self._table = self._tabled(front, own)

    def _tabled(self, front: list[Any], own: list[Any]) -> StaticHashTable:
        numbers = list(range(len(front), len(front) + len(own)))
        if self.invert:
            named = dict(enumerate([*front, *own]))
            keys, values = list(named), [named[one] for one in named]
            entries = KeyValueTensorInitializer(keys, values, _native.int64, self._dtype)
            return StaticHashTable(entries, self.oov_token)
        known = dict(zip(own, numbers, strict=True))
        if front and self.mask_token is not None and front[0] == self.mask_token:
            known[self.mask_token] = 0
        if self.num_oov_indices:
            known[self.oov_token] = len(front) - 1
        entries = KeyValueTensorInitializer(list(known), list(known.values()), self._dtype, _native.int64)
        return StaticHashTable(entries, len(front) - 1 if self.num_oov_indices else -1)

    def _plain(self, token: Any) -> Any:
        return token.decode() if isinstance(token, bytes) else token

    def adapt(self, data: Any) -> None:
        """Takes the vocabulary from data, the most frequent tokens first.

        Args:
          data: array, tensor, `gw.data.Dataset` of batches, or iterable of batches.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.StringLookup()
          >>> layer.adapt(np.array(["a", "b", "b"]))
          >>> layer.get_vocabulary()
          ['[UNK]', 'b', 'a']
        """
        counted: Counter[Any] = Counter()
        is_one = hasattr(data, "__array__") or hasattr(data, "numpy")
        for batch in (
            [data] if is_one or (isinstance(data, list) and not hasattr(data[0], "__array__")) else data
        ):
            counted.update(self._plain(one) for one in np.ravel(np.asarray(batch)).tolist())
        for one in (self.mask_token, self.oov_token, ""):
            counted.pop(one, None)
        order = sorted(counted, key=lambda one: (counted[one], one), reverse=True)
        room = None if self.max_tokens is None else self.max_tokens - len(self._front())
        self.set_vocabulary(order[:room])

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """Gives the tokens in the order of their numbers.

        Args:
          include_special_tokens: whether to give those of masks and of unknown ones too.

        Returns:
          List of tokens.

        Example:
          >>> gw.keras.layers.IntegerLookup(vocabulary=[12, 36]).get_vocabulary()
          [-1, 12, 36]
        """
        front = self._front() if include_special_tokens else []
        return [*front, *(self._tokens or [])]

    def vocabulary_size(self) -> int:
        """Counts the tokens, with those of masks and of unknown ones.

        Returns:
          int.

        Example:
          >>> gw.keras.layers.StringLookup(vocabulary=["a", "b"]).vocabulary_size()
          3
        """
        return len(self.get_vocabulary())

    def call(self, inputs: Any) -> Any:
        """Looks tokens up.

        Args:
          inputs: tensor of tokens, or of numbers if the layer inverts.

        Returns:
          Tensor of numbers, or of tokens; rows where another `output_mode` was asked for.

        Raises:
          ValueError: there is no vocabulary, or a token is unknown and there is no number for such ones.

        Example:
          >>> layer = gw.keras.layers.StringLookup(vocabulary=["a", "b"], output_mode="multi_hot")
          >>> layer(gw.constant([["a", "z"]])).numpy().tolist()
          [[1, 1, 0]]
        """
        if self._tokens is None:
            raise ValueError(f"`{self.name}` has no vocabulary: give one, or call `adapt`")
        given = _native.convert_to_tensor(inputs)
        wanted = _native.int64 if self.invert else self._dtype
        found = self._table.lookup(given if given.dtype == wanted else _native.cast(given, wanted))
        if self.invert:
            return found
        if not self.num_oov_indices:
            from .._numpy.meant import fails

            fails(_native.reduce_all(found >= 0), "ValueError", "a token is not in the vocabulary")
        dtype = _native.int64 if self._rows is None else _native.as_dtype(self._rows)
        size = max(self.vocabulary_size(), 1)
        return encoded(found, self.output_mode, size, dtype)


class StringLookup(_Lookup):
    """Turns texts into their numbers in a vocabulary, or numbers into texts.

    Args:
      max_tokens: greatest size of the vocabulary, with the tokens before it.
      num_oov_indices: 1 for a number of unknown texts, 0 for an error.
      mask_token: text with the number 0, or `None`.
      oov_token: text of unknown ones.
      vocabulary: list of texts, or the path of a file with one in each line.
      invert: whether to turn numbers into texts.
      output_mode: `"int"`, `"one_hot"`, `"multi_hot"` or `"count"`.
      others: the arguments of `Layer`.

    Raises:
      ValueError: an argument is none of those.

    Example:
      >>> layer = gw.keras.layers.StringLookup(vocabulary=["a", "b", "c"])
      >>> layer(gw.constant([["a", "c"], ["d", "b"]])).numpy().tolist()
      [[1, 3], [0, 2]]
    """

    _dtype = _native.string

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: str | None = None,
        oov_token: str = "[UNK]",
        vocabulary: Sequence[str] | str | None = None,
        *,
        invert: bool = False,
        output_mode: str = "int",
        **others: Any,
    ) -> None:
        super().__init__(
            max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, invert, output_mode, others
        )


class IntegerLookup(_Lookup):
    """Turns whole numbers into their numbers in a vocabulary, or back.

    Args:
      max_tokens: greatest size of the vocabulary, with the tokens before it.
      num_oov_indices: 1 for a number of unknown ones, 0 for an error.
      mask_token: whole number with the number 0, or `None`.
      oov_token: whole number of unknown ones.
      vocabulary: list of whole numbers.
      invert: whether to turn numbers in the vocabulary into whole numbers.
      output_mode: `"int"`, `"one_hot"`, `"multi_hot"` or `"count"`.
      others: the arguments of `Layer`.

    Raises:
      ValueError: an argument is none of those.

    Example:
      >>> layer = gw.keras.layers.IntegerLookup(vocabulary=[12, 36, 1138, 42])
      >>> layer(gw.constant([[12, 1138], [42, 1000]])).numpy().tolist()
      [[1, 3], [4, 0]]
    """

    _dtype = _native.int64

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: int | None = None,
        oov_token: int = -1,
        vocabulary: Sequence[int] | None = None,
        *,
        invert: bool = False,
        output_mode: str = "int",
        **others: Any,
    ) -> None:
        super().__init__(
            max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, invert, output_mode, others
        )

"""Tables that give values for keys, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from . import _native
from ._native import Tensor
from ._public import publish as _publish
from ._tensorflow.strings import mapped, to_hash_bucket_fast

__all__ = ["KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable"]


def _plain(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


class KeyValueTensorInitializer:
    """Keys and values of a table.

    Args:
      keys: tensor with one axis.
      values: tensor of the same length.
      key_dtype: dtype of the keys; that of the tensor if it is `None`.
      value_dtype: dtype of the values; that of the tensor if it is `None`.
      name: accepted as in TensorFlow; has no effect.

    Example:
      >>> entries = gw.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
      >>> gw.lookup.StaticHashTable(entries, -1).lookup(gw.constant(["b", "c"])).numpy().tolist()
      [2, -1]
    """

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None
    ) -> None:
        del name
        self.keys = _native.convert_to_tensor(keys, key_dtype)
        self.values = _native.convert_to_tensor(values, value_dtype)
        if self.keys.ndim != 1 or tuple(self.keys.shape) != tuple(self.values.shape):
            raise ValueError(
                f"{tuple(self.keys.shape)} keys have {tuple(self.values.shape)} values: both have one axis"
            )


class StaticHashTable:
    """A table that does not change. Graphs ask the host for its values.

    Args:
      initializer: `gw.lookup.KeyValueTensorInitializer`.
      default_value: value of keys that are not there.
      name: accepted as in TensorFlow; has no effect.

    Raises:
      InvalidArgumentError: a key has two values.

    Example:
      >>> table = gw.lookup.StaticHashTable(gw.lookup.KeyValueTensorInitializer([1, 2], [10.0, 20.0]), 0.0)
      >>> table[gw.constant([2, 3])].numpy().tolist(), table.size().item()
      ([20.0, 0.0], 2)
    """

    def __init__(
        self, initializer: KeyValueTensorInitializer, default_value: Any, name: str | None = None
    ) -> None:
        self.name = name or "hash_table"
        keys, values = initializer.keys, initializer.values
        self.key_dtype, self.value_dtype = keys.dtype, values.dtype
        self.default_value = _native.convert_to_tensor(default_value, self.value_dtype)
        self._default = _plain(
            self.default_value.numpy().item()
            if hasattr(self.default_value.numpy(), "item")
            else self.default_value.numpy()
        )
        self._values: dict[Any, Any] = {}
        for key, value in zip(
            map(_plain, keys.numpy().tolist()), map(_plain, values.numpy().tolist()), strict=True
        ):
            if self._values.setdefault(key, value) != value:
                raise _native.InvalidArgumentError(
                    f"the key {key!r} has the values {self._values[key]!r} and {value!r}"
                )

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """Gives the values of keys.

        Args:
          keys: tensor of keys, of any shape.
          name: accepted as in TensorFlow; has no effect.

        Returns:
          Tensor of the same shape.

        Raises:
          TypeError: the keys have another dtype.

        Example:
          >>> table = gw.lookup.StaticHashTable(gw.lookup.KeyValueTensorInitializer([1, 2], ["x", "y"]), "?")
          >>> table.lookup(gw.constant([2, 5])).numpy().tolist()
          [b'y', b'?']
        """
        del name
        given = _native.convert_to_tensor(keys)
        if given.dtype != self.key_dtype:
            wanted = self.key_dtype.name
            message = f"keys of the table are {wanted}, not {given.dtype.name}"
            is_text = _native.string in (given.dtype, self.key_dtype)
            remedy = f"give keys of `gw.{wanted}`" if is_text else f"cast them: `gw.cast(keys, gw.{wanted})`"
            raise _native.diagnosed("GW201", message, remedy)
        values, default = self._values, self._default
        return mapped(lambda key: values.get(key, default), self.value_dtype, given)

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    def size(self, name: str | None = None) -> Tensor:
        """Counts the keys.

        Args:
          name: accepted as in TensorFlow; has no effect.

        Returns:
          `int64` scalar.

        Example:
          >>> gw.lookup.StaticHashTable(gw.lookup.KeyValueTensorInitializer([1], [2]), 0).size().item()
          1
        """
        del name
        return _native.constant(len(self._values), _native.int64)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Gives all keys and values.

        Args:
          name: accepted as in TensorFlow; has no effect.

        Returns:
          Pair of tensors.

        Example:
          >>> table = gw.lookup.StaticHashTable(gw.lookup.KeyValueTensorInitializer([1], [2]), 0)
          >>> [part.numpy().tolist() for part in table.export()]
          [[1], [2]]
        """
        del name
        keys, values = list(self._values), list(self._values.values())
        return _native.constant(keys, self.key_dtype), _native.constant(values, self.value_dtype)


class StaticVocabularyTable:
    """A table of numbers, with buckets for words that are not there.

    Args:
      initializer: words, and their numbers from 0 on.
      num_oov_buckets: number of buckets, whose numbers follow.
      lookup_key_dtype: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Example:
      >>> words = gw.lookup.KeyValueTensorInitializer(["a", "b"], gw.constant([0, 1], gw.int64))
      >>> table = gw.lookup.StaticVocabularyTable(words, 1)
      >>> table.lookup(gw.constant(["b", "z"])).numpy().tolist()
      [1, 2]
    """

    def __init__(
        self,
        initializer: KeyValueTensorInitializer,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        del lookup_key_dtype
        if num_oov_buckets < 1:
            raise ValueError(f"`num_oov_buckets` is {num_oov_buckets}: there is one at least")
        self._table = StaticHashTable(initializer, -1, name)
        self._buckets = num_oov_buckets

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """Gives the numbers of words.

        Args:
          keys: string tensor, of any shape.
          name: accepted as in TensorFlow; has no effect.

        Returns:
          `int64` tensor of the same shape.

        Example:
          >>> words = gw.lookup.KeyValueTensorInitializer(["a"], gw.constant([0], gw.int64))
          >>> gw.lookup.StaticVocabularyTable(words, 1).lookup(gw.constant(["a", "z"])).numpy().tolist()
          [0, 1]
        """
        del name
        found = _native.cast(self._table.lookup(keys), _native.int64)
        bucket = to_hash_bucket_fast(keys, self._buckets) + self._table.size()
        return _native.where(found < 0, bucket, found)

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    def size(self, name: str | None = None) -> Tensor:
        """Counts the words and the buckets.

        Args:
          name: accepted as in TensorFlow; has no effect.

        Returns:
          `int64` scalar.

        Example:
          >>> words = gw.lookup.KeyValueTensorInitializer(["a"], gw.constant([0], gw.int64))
          >>> gw.lookup.StaticVocabularyTable(words, 2).size().item()
          3
        """
        del name
        return self._table.size() + self._buckets


_publish(__name__)

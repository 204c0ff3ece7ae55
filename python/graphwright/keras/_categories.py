"""Class numbers as rows of zeros and ones, by Keras's name."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["to_categorical"]


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Marks the place of each class number in a row of its own.

    Args:
      x: array of class numbers.
      num_classes: number of classes; one more than the greatest number if it is `None`.

    Returns:
      NumPy array with one axis more.

    Raises:
      ValueError: a number is negative or too great.

    Example:
      >>> gw.keras.utils.to_categorical([1, 0], 3).tolist()
      [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    numbers = np.asarray(x, np.int64)
    if numbers.ndim > 1 and numbers.shape[-1] == 1:
        numbers = numbers[..., 0]
    count = int(numbers.max(initial=-1)) + 1 if num_classes is None else num_classes
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise ValueError(f"class numbers are from 0 to {count - 1}, not {numbers.min()} to {numbers.max()}")
    return np.eye(count)[numbers]

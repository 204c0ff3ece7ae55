"""Functions of strings, under TensorFlow's names."""

from ._native import string_join as join
from ._native import string_length as length
from ._native import string_lower as lower
from ._native import string_upper as upper

__all__ = ["join", "length", "lower", "upper"]

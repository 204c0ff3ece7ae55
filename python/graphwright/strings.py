"""Functions of strings, under TensorFlow's names."""

from ._native import string_join as join
from ._native import string_length as length
from ._native import string_lower as lower
from ._native import string_upper as upper
from ._tensorflow.strings import (
    as_string,
    bytes_split,
    format,
    reduce_join,
    regex_full_match,
    regex_replace,
    split,
    strip,
    substr,
    to_hash_bucket_fast,
    to_number,
    unicode_decode,
    unicode_split,
)

to_hash_bucket = to_hash_bucket_fast

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_number",
    "unicode_decode",
    "unicode_split",
    "upper",
]

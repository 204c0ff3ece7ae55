"""The native half of functions that are several calls; only type checkers read this."""

from collections.abc import Sequence
from typing import Any

from ._native import Tensor

def einsum(equation: str, inputs: Sequence[Any]) -> Tensor: ...

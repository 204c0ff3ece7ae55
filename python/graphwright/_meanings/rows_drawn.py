"""Rows of random numbers whose length the graph knows when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native

#: The places of `size` among the arguments of methods of NumPy's generators, and what these draw.
_SIZES: dict[str, tuple[int, Any]] = {
    **dict.fromkeys(("random", "random_sample", "standard_normal"), (0, np.float64)),
    **dict.fromkeys(("normal", "uniform", "beta", "gamma", "laplace", "logistic"), (2, np.float64)),
    **dict.fromkeys(("exponential", "standard_gamma", "chisquare", "rayleigh"), (1, np.float64)),
    **dict.fromkeys(("integers", "randint", "binomial"), (2, np.int64)),
    **dict.fromkeys(("poisson", "geometric"), (1, np.int64)),
}


def row_of_numbers(owner: Any, name: str, args: Any, kwargs: Any) -> Any:
    """The type of a row whose length the graph decides; none if something else is asked for."""
    is_numpys = isinstance(owner, np.random.Generator | np.random.RandomState)
    if not is_numpys or name not in _SIZES or "dtype" in kwargs:
        return None
    at, dtype = _SIZES[name]
    size = args[at] if len(args) > at else kwargs.get("size")
    if not isinstance(size, _native.Tensor) or not _native.is_staged(size) or size.ndim:
        return None
    others = [one for place, one in enumerate(args) if place != at]
    if not size.dtype.is_integer or any(getattr(one, "ndim", 0) for one in others):
        return None
    return _native.TensorSpec([None], dtype)


def of_plain_length(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A method that draws, given its size as a number of Python's."""
    at, _ = _SIZES[name]

    def meaning(*args: Any, **kwargs: Any) -> Any:
        plain = [int(one) if place == at else one for place, one in enumerate(args)]
        if "size" in kwargs:
            kwargs["size"] = int(kwargs["size"])
        return function(*plain, **kwargs)

    return meaning

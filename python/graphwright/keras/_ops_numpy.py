"""Functions of `keras.ops` that are NumPy's on tensors, with Keras's arguments and dtypes, from a table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native
from ..array_api._documentation import PARAMETERS
from ..autograph import do_not_convert
from ._ops_examples import EXAMPLES
from ._ops_table import PARAMETERS_OF

#: Parameters that are tensors, or lists of them.
_TENSORS = {"x", "x1", "x2", "y", "a", "b", "array", "xs", "condition", "condlist", "choicelist"}
_TENSORS |= {"sorted_sequence", "values", "indices", "weights", "operands", "q"}
#: Parameters that NumPy has under the same name, where they are not in the same place.
_NAMED = {"axis", "keepdims", "dtype", "initial", "endpoint", "num", "base", "indexing", "side", "mode"}
_NAMED |= {"method", "offset", "axis1", "axis2", "k", "axes", "weights", "minlength", "rtol", "atol"}
_NAMED |= {"equal_nan", "nan", "posinf", "neginf", "invert", "assume_unique", "range", "bins"}
#: Functions of whole numbers whose results are `float32` in Keras.
_INEXACT = {
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "average",
    "bartlett",
    "blackman",
    "cbrt",
    "corrcoef",
    "cos",
    "cosh",
    "deg2rad",
    "divide",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "hamming",
    "hanning",
    "heaviside",
    "hypot",
    "i0",
    "kaiser",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "mean",
    "median",
    "nanmean",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "nanstd",
    "nanvar",
    "nextafter",
    "percentile",
    "quantile",
    "rad2deg",
    "reciprocal",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "std",
    "tan",
    "tanh",
    "trapezoid",
    "true_divide",
    "var",
}
#: Functions whose results are numbers of places, `int32` in Keras.
_PLACES = {
    "argmax",
    "argmin",
    "argsort",
    "bincount",
    "count_nonzero",
    "digitize",
    "nanargmax",
    "nanargmin",
    "nonzero",
}
_PLACES |= {"searchsorted", "unravel_index", "matrix_rank"}
#: Functions that keep the dtype of whole numbers, which NumPy makes longer.
_KEPT = {"cumprod", "cumsum", "nancumprod", "nancumsum", "nanprod", "nansum", "prod", "sum", "trace"}
#: Functions of a length.
_WINDOWS = {"bartlett", "blackman", "hamming", "hanning", "kaiser"}
_MATRICES = {"norm", "inv", "det", "pinv", "matrix_rank", "solve", "slogdet", "eigh", "qr"}
#: Names that NumPy 1 has no functions of, and those that it has.
_OLDER = {
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "trapezoid": "trapz",
}
_MEANINGS = {
    "bins": "number of bins, or their rising edges.",
    "choicelist": "tensors to choose from.",
    "condlist": "tensors of bools.",
    "indices_or_sections": "number of parts, or places where they begin.",
    "values": "values to place.",
    "sorted_sequence": "sorted tensor of one axis.",
    "xs": "tensors.",
    "y": "tensor.",
    "a": "tensor.",
    "b": "right sides: vectors, or matrices.",
    "ord": "order of the norm.",
    "array": "tensor.",
    "q": "share, or tensor of them.",
    "N": "number of rows.",
    "M": "number of columns; that of rows if it is `None`.",
    "base": "base of the powers.",
    "beta": "number that decides how narrow the window is.",
    "decimals": "number of digits behind the point.",
    "dx": "distance of two samples.",
    "initial": "number to begin with.",
    "method": "way between two elements, as NumPy has it.",
    "weights": "weight of each element.",
    "subscripts": "formula of the axes.",
    "operands": "tensors.",
    "kwargs": "accepted as in Keras; has no effect.",
    "pad_width": "number of places at each end, or pairs of them.",
    "mode": "way to fill up or to overlap, as NumPy has it.",
    "constant_values": "number to fill up with.",
    "newshape": "lengths of the result.",
    "shape": "lengths.",
    "x_min": "least value.",
    "x_max": "greatest value.",
    "minlength": "least number of counts.",
    "sparse": "`False`.",
    "sorted": "accepted as in Keras.",
    "default": "value where no condition is true.",
    "increasing": "whether powers rise.",
    "range": "least and greatest value that count.",
    "retstep": "whether to give the distance too.",
    "equal_nan": "whether NaN is equal to NaN.",
    "atol": "difference below which numbers count as equal.",
    "assume_unique": "accepted as in NumPy.",
    "axisa": "axis of the vectors of the first.",
    "axisb": "axis of the vectors of the second.",
    "axisc": "axis of the vectors of the result.",
    "axis1": "one axis.",
    "axis2": "another axis.",
    "nan": "number in place of NaN.",
    "posinf": "number in place of infinity.",
    "neginf": "number in place of minus infinity.",
}


def _tensor(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and any(isinstance(one, _native.Tensor) for one in value):
        return [_tensor(one) for one in value]
    return _native.convert_to_tensor(value)


def _floats(value: Any) -> Any:
    if isinstance(value, list):
        return [_floats(one) for one in value]
    is_whole = value.dtype.is_integer or value.dtype == _native.bool
    return _native.cast(value, _native.float32) if is_whole else value


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)([_cast(one, dtype) for one in value])
    return _native.cast(value, dtype)


def _listed(name: str, value: Any) -> Any:
    """Tensors of a list, each for itself."""
    return [_tensor(one) for one in value] if name in ("xs", "condlist", "choicelist") else _tensor(value)


def _of_numpy(name: str, told: str) -> Callable[..., Any]:
    signature = inspect.signature(eval(f"lambda {told}: 0"))
    home = np.linalg if name in _MATRICES else np
    compute = getattr(home, name if hasattr(home, name) else _OLDER[name])

    @do_not_convert
    def function(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        given, options = [], {}
        for part, value in bound.arguments.items():
            if signature.parameters[part].kind is inspect.Parameter.VAR_POSITIONAL:
                given += [_tensor(one) for one in value]
                continue
            if part in _TENSORS and value is not None and name not in _WINDOWS:
                value = _listed(part, value)
                value = _floats(value) if name in _INEXACT else value
            if part in _NAMED and part not in ("k", "axes", "mode", "bins") and value is not None:
                options[part] = value
            elif value is not None or part not in _NAMED:
                given.append(value)
        found = compute(*given, **options)
        if name == "histogram":
            found = (_native.cast(found[0], given[0].dtype), found[1])
        return _finished(name, found, given, options)

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__module__ = __name__
    function.__doc__ = _told(name, signature)
    return function


def _finished(name: str, found: Any, given: list[Any], options: dict[str, Any]) -> Any:
    """The result as tensors of Keras's dtypes."""
    if isinstance(found, tuple | list):
        parts = [_finished(name, one, given, options) for one in found]
        return parts if isinstance(found, list) else tuple(parts)
    found = _native.convert_to_tensor(found)
    if name in _PLACES and found.dtype == _native.int64:
        return _native.cast(found, _native.int32)
    if name in _KEPT and "dtype" not in options and isinstance(given[0], _native.Tensor):
        if given[0].dtype == _native.bool or (given[0].dtype.is_integer and given[0].dtype.size < 4):
            return _native.cast(found, _native.int32)
        return _native.cast(found, given[0].dtype)
    is_wide = any(isinstance(one, _native.Tensor) and one.dtype == _native.float64 for one in _flat(given))
    if found.dtype == _native.float64 and not is_wide and options.get("dtype") is None:
        return _native.cast(found, _native.float32)
    return found


def _flat(given: list[Any]) -> list[Any]:
    return [leaf for one in given for leaf in (one if isinstance(one, list) else [one])]


def _told(name: str, signature: inspect.Signature) -> str:
    """The docstring of a function."""
    call, shown = EXAMPLES[name]
    arguments = [f"  {part}: {_MEANINGS.get(part) or PARAMETERS.get(part)}" for part in signature.parameters]
    return "\n".join(
        [
            f"Computes `np.{'linalg.' if name in _MATRICES else ''}{name}` of tensors.",
            "",
            "Args:",
            *arguments,
            "",
            "Returns:",
            "  Tensor, or several of them, as NumPy's function gives arrays.",
            "",
            "Example:",
            f"  >>> {call}",
            f"  {shown}",
        ]
    )


FUNCTIONS = {name: _of_numpy(name, told) for name, told in PARAMETERS_OF.items()}

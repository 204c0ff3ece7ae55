"""Docstrings of the namespace: each sentence gets its arguments, its result and an example, from tables."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from ._examples import EXAMPLES

#: Parameters, which mean one thing in all functions but for those of `SPECIAL`.
PARAMETERS = {
    "append": "tensor to join behind `x` first.",
    "arrays": "tensors.",
    "arrays_and_dtypes": "tensors, dtypes and Python numbers.",
    "axes": "axes, in the order wanted.",
    "axis": "axis, counted from the end if it is negative; a tuple where elements are taken together.",
    "condition": "tensor of bools.",
    "copy": "`True` for elements of its own, `False` to fail where they are needed, `None` for as needed.",
    "correction": "number by which the count of elements is lessened.",
    "d": "distance of two samples.",
    "descending": "whether the greatest element comes first.",
    "destination": "the axis' new place, or a tuple of them.",
    "device": '`"cpu"` or `None`.',
    "dtype": "dtype of the result; `None` for the default.",
    "endpoint": "whether `stop` is the last number.",
    "fill_value": "value of each element.",
    "from_": "dtype, or tensor of one.",
    "full_matrices": "whether the vectors form square matrices.",
    "include_initial": "whether 0 or 1, of no elements, comes first.",
    "indexing": '`"xy"` for rows of the second vector and columns of the first, or `"ij"`.',
    "indices": "tensor of integers.",
    "invert": "whether to tell what is not there.",
    "k": "number of the diagonal: 0 for the main one, greater above it.",
    "keepdims": "whether the axes stay, with length 1.",
    "kind": "a dtype, a kind's name, or a tuple of these.",
    "max": "greatest value, or tensor of them.",
    "min": "least value, or tensor of them.",
    "mode": '`"reduced"` or `"complete"`.',
    "n": "number of times.",
    "n_cols": "number of columns; that of rows if it is `None`.",
    "n_rows": "number of rows.",
    "norm": '`"backward"`, `"ortho"` or `"forward"`: which way is divided by the number of elements.',
    "num": "number of values.",
    "obj": "number, nested sequence, array, buffer or tensor.",
    "offset": "number of the diagonal: 0 for the main one, greater above it.",
    "ord": "order of the norm.",
    "prepend": "tensor to join before `x` first.",
    "repeats": "number of copies, or a tensor with one for each place.",
    "repetitions": "numbers of copies along the last axes.",
    "rtol": "part of the greatest singular value below which others count as zero.",
    "s": "lengths along the axes; `None` for those there are.",
    "shape": "tuple of lengths, or one length.",
    "shapes": "tuples of lengths.",
    "shift": "number of places, or one for each axis.",
    "side": '`"left"` for the first place that keeps order, `"right"` for the last.',
    "sorter": "places of `x1` in sorted order, where it is not sorted itself.",
    "source": "axis, or a tuple of them.",
    "stable": "accepted as in the standard; equal elements stay in their order.",
    "start": "first number.",
    "step": "distance of two numbers.",
    "stop": "number behind the last one, or the last one.",
    "to": "dtype of the result.",
    "type": "dtype, or tensor of one.",
    "upper": "whether the triangular matrices are upper ones.",
    "x": "tensor.",
    "x1": "tensor, or number beside a tensor.",
    "x2": "tensor that broadcasts against `x1`, or number.",
}

_TRANSFORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")

#: Parameters with a meaning of their own, by function.
SPECIAL = {
    ("arange", "start"): "first number, or the one behind the last where `stop` is `None`.",
    ("from_dlpack", "x"): "array of any library that offers `__dlpack__`.",
    ("expand_dims", "axis"): "place of the new axis, or a tuple of them, in the result.",
    ("isdtype", "dtype"): "the dtype.",
    ("isin", "x2"): "tensor, or number, to look in.",
    ("astype", "dtype"): "dtype of the result.",
    ("matrix_power", "n"): "the power.",
    **{(name, "n"): "number of elements; `None` for those there are." for name in _TRANSFORMS},
    **{(name, "n"): "number of samples." for name in ("fftfreq", "rfftfreq")},
    ("searchsorted", "x1"): "sorted tensor of one axis.",
    ("searchsorted", "x2"): "values to place.",
    ("solve", "x1"): "square matrices.",
    ("solve", "x2"): "right sides: a vector, or matrices.",
    ("tensordot", "axes"): "number of last axes of `x1` and first axes of `x2`, or a pair of tuples.",
    ("vector_norm", "axis"): "axis or tuple of axes; all elements form one vector for `None`.",
}

#: Results that are not a tensor, or of which there is more to say.
RESULTS = {
    "__array_namespace_info__": "Object with the functions that the standard names.",
    "broadcast_arrays": "Tuple of tensors of one shape.",
    "broadcast_shapes": "Tuple of lengths.",
    "can_cast": "`True` if a cast loses nothing.",
    "finfo": "Object with `bits`, `eps`, `max`, `min`, `smallest_normal` and `dtype`.",
    "iinfo": "Object with `bits`, `max`, `min` and `dtype`.",
    "isdtype": "`True` if the dtype is of the kind.",
    "meshgrid": "Tuple of tensors with one axis for each vector.",
    "nonzero": "Tuple of tensors, one for each axis.",
    "result_type": "The dtype.",
    "eig": "Named tuple `(eigenvalues, eigenvectors)`.",
    "eigh": "Named tuple `(eigenvalues, eigenvectors)`.",
    "qr": "Named tuple `(Q, R)`.",
    "slogdet": "Named tuple `(sign, logabsdet)`.",
    "svd": "Named tuple `(U, S, Vh)`.",
    "unique_all": "Named tuple `(values, indices, inverse_indices, counts)`.",
    "unique_counts": "Named tuple `(values, counts)`.",
    "unique_inverse": "Named tuple `(values, inverse_indices)`.",
    "unstack": "Tuple of tensors without the axis.",
}


def document(module: ModuleType, names: Iterable[str]) -> None:
    """Adds to the sentences of a module's functions what the tables say of them."""
    for name in names:
        function = getattr(module, name)
        if inspect.isfunction(function) and "Example:" not in (function.__doc__ or ""):
            function.__doc__ = "\n\n".join(_sections(name, function))


def _sections(name: str, function: Any) -> list[str]:
    """The sentence of a function, its arguments, its result and an example."""
    parameters = inspect.signature(function).parameters
    arguments = [f"  {one}: {SPECIAL.get((name, one), PARAMETERS[one])}" for one in parameters]
    call, shown = EXAMPLES[name]
    return [
        str(function.__doc__),
        *(["\n".join(["Args:", *arguments])] if arguments else []),
        f"Returns:\n  {RESULTS.get(name, 'Tensor.')}",
        f"Example:\n  >>> xp = gw.array_api\n  >>> {call}\n  {shown}",
    ]

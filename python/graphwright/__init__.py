"""Ordinary Python functions, loops and branches included, become one typed graph, the graph native code."""

from types import SimpleNamespace as _SimpleNamespace
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import _einops as _einops
from . import _elementwise as _elementwise
from . import _html as _html
from . import _meanings as _meanings  # before converted code is run, which may be an import of NumPy
from . import _numpy as _numpy  # its tables, which the first call of a function would make
from . import _on_demand as _on_demand
from . import _pickles as _pickles
from . import _second_tier as _second_tier
from . import (
    autograph,
    config,
    debugging,
    errors,
    io,
    linalg,
    math,
    nest,
    nn,
    ragged,
    random,
    sparse,
    strings,
    types,
)
from ._arrays import (
    ensure_shape,
    eye,
    identity,
    linspace,
    meshgrid,
    pad,
    repeat,
    reverse,
    roll,
    split,
    tile,
    unstack,
)
from ._custom_op import custom_op
from ._dtype_info import can_cast, finfo, iinfo, isdtype, result_type
from ._einsum import einsum
from ._elementwise import *  # noqa: F403
from ._exchange import from_dlpack
from ._function import function
from ._gradients import (
    GradientTape,
    custom_gradient,
    grad,
    hessian,
    jacobian,
    jvp,
    recompute_grad,
    value_and_grad,
    vjp,
)
from ._host import host
from ._indexed_slices import IndexedSlices
from ._masks import boolean_mask
from ._module import Module, init_scope
from ._name_scope import name_scope
from ._native import (
    DType,
    Graph,
    Tensor,
    TensorArray,
    TensorSpec,
    Variable,
    __version__,
    argsort,
    as_dtype,
    bfloat16,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    bool,
    broadcast_to,
    cast,
    clip_by_value,
    complex,
    complex64,
    complex128,
    concat,
    constant,
    convert_to_tensor,
    executing_eagerly,
    expand_dims,
    fill,
    float16,
    float32,
    float64,
    gather_nd,
    int8,
    int16,
    int32,
    int64,
    invert,
    left_shift,
    matmul,
    numpy_function,
    ones,
    ones_like,
    print,
    py_function,
    range,
    rank,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    reshape,
    right_shift,
    shape,
    size,
    softmax,
    sort,
    squeeze,
    stack,
    stop_gradient,
    string,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    transpose,
    uint8,
    uint16,
    uint32,
    uint64,
    where,
    zeros,
    zeros_like,
)
from ._partition import ImplicitCopyWarning, Partition, Transfer, to_accelerator, to_host
from ._public import publish as _publish
from ._reductions import reduce_logsumexp
from ._report import Report
from ._running import cumsum
from ._shape import TensorShape
from ._target import Target
from ._tensorflow import top_level as _top_level
from ._tensorflow.top_level import *  # noqa: F403
from ._vectorized import vectorized_map, vmap
from .debugging import Assert, assert_equal, assert_greater, assert_less, assert_rank
from .linalg import norm, tensordot
from .math import squared_difference
from .ragged import RaggedTensor
from .sparse import SparseTensor

if _TYPE_CHECKING:
    from . import (
        array_api,
        data,
        distribute,
        image,
        keras,
        lookup,
        profiler,
        signal,
        stablehlo,
        summary,
        train,
    )
    from . import federated as federated
    from ._tensorflow.initializers import (
        constant_initializer,
        ones_initializer,
        random_normal_initializer,
        random_uniform_initializer,
        zeros_initializer,
    )
    from .keras import initializers as initializers
    from .keras import losses as losses
    from .keras import metrics as metrics
    from .keras import optimizers as optimizers

newaxis = None

#: TensorFlow's other names of dtypes.
half, double = float16, float64
_DTYPES = """DType as_dtype bfloat16 bool cast complex complex128 complex64 double float16 float32 float64
    half int16 int32 int64 int8 saturate_cast string uint16 uint32 uint64 uint8"""
dtypes = _SimpleNamespace(**{name: globals()[name] for name in _DTYPES.split()})
bitwise = _SimpleNamespace(
    bitwise_and=bitwise_and,
    bitwise_or=bitwise_or,
    bitwise_xor=bitwise_xor,
    invert=invert,
    left_shift=left_shift,
    right_shift=right_shift,
)

#: Values of `unconnected_gradients`.
UnconnectedGradients = _SimpleNamespace(NONE="none", ZERO="zero")
_html.attach()


def is_tensor(x: object) -> bool:  # type: ignore[valid-type]
    """Tells whether an object is a tensor.

    Args:
      x: any object.

    Returns:
      `True` for a `gw.Tensor`; `False` for arrays, numbers and variables.

    Example:
      >>> gw.is_tensor(gw.constant(1)), gw.is_tensor(1.0)
      (True, False)
    """
    return isinstance(x, Tensor)


def __getattr__(name: str) -> _Any:
    """Imports what a program asks for first, and says what to write instead of a name that is absent."""
    return _on_demand.find(name)


__all__ = [
    "Assert",
    "DType",
    "GradientTape",
    "Graph",
    "ImplicitCopyWarning",
    "IndexedSlices",
    "Module",
    "Partition",
    "RaggedTensor",
    "Report",
    "SparseTensor",
    "Target",
    "Tensor",
    "TensorArray",
    "TensorShape",
    "TensorSpec",
    "Transfer",
    "UnconnectedGradients",
    "Variable",
    "__version__",
    "argsort",
    "array_api",
    "as_dtype",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "autograph",
    "bfloat16",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bool",
    "boolean_mask",
    "broadcast_to",
    "can_cast",
    "cast",
    "clip_by_value",
    "complex",
    "complex64",
    "complex128",
    "concat",
    "config",
    "constant",
    "constant_initializer",
    "convert_to_tensor",
    "cumsum",
    "custom_gradient",
    "custom_op",
    "data",
    "debugging",
    "distribute",
    "einsum",
    "ensure_shape",
    "errors",
    "executing_eagerly",
    "expand_dims",
    "eye",
    "fill",
    "finfo",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "function",
    "gather_nd",
    "grad",
    "hessian",
    "host",
    "identity",
    "iinfo",
    "image",
    "init_scope",
    "int8",
    "int16",
    "int32",
    "int64",
    "invert",
    "io",
    "is_tensor",
    "isdtype",
    "jacobian",
    "jvp",
    "keras",
    "left_shift",
    "linalg",
    "linspace",
    "lookup",
    "math",
    "matmul",
    "meshgrid",
    "name_scope",
    "nest",
    "newaxis",
    "nn",
    "norm",
    "numpy_function",
    "ones",
    "ones_initializer",
    "ones_like",
    "pad",
    "print",
    "profiler",
    "py_function",
    "ragged",
    "random",
    "random_normal_initializer",
    "random_uniform_initializer",
    "range",
    "rank",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "repeat",
    "reshape",
    "result_type",
    "reverse",
    "right_shift",
    "roll",
    "shape",
    "signal",
    "size",
    "softmax",
    "sort",
    "sparse",
    "split",
    "squared_difference",
    "squeeze",
    "stablehlo",
    "stack",
    "stop_gradient",
    "string",
    "strings",
    "summary",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "tile",
    "to_accelerator",
    "to_host",
    "train",
    "transpose",
    "types",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unstack",
    "value_and_grad",
    "vectorized_map",
    "vjp",
    "vmap",
    "where",
    "zeros",
    "zeros_initializer",
    "zeros_like",
]
__all__ += _elementwise.__all__
__all__ += _top_level.__all__

_publish(__name__)

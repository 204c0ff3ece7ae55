"""Operations by Keras 3's names: functions of NumPy's with Keras's dtypes, activations, and others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .._gradients import custom_gradient
from .._native import cast, rsqrt, stop_gradient, top_k
from .._tensorflow.clipping import saturate_cast
from .._tensorflow.control import cond
from .._tensorflow.elementwise import divide_no_nan
from .._tensorflow.sets import in_top_k
from .._tensorflow.special import erfc, erfinv
from .._vectorized import vectorized_map
from ._entropies import categorical_crossentropy, sparse_categorical_crossentropy
from ._ops_networks import (
    batch_normalization,
    dot_product_attention,
    gelu,
    layer_normalization,
    logsumexp,
    moments,
    normalize,
    rms_normalization,
)
from ._ops_numpy import FUNCTIONS
from ._ops_places import (
    arange,
    array,
    convert_to_numpy,
    convert_to_tensor,
    dtype,
    erf,
    fori_loop,
    map,
    multi_hot,
    one_hot,
    scatter,
    scatter_update,
    segment_max,
    segment_min,
    segment_prod,
    segment_sum,
    shape,
    slice,
    slice_update,
    switch,
    unstack,
    view,
    while_loop,
)
from .activations import (
    celu,
    elu,
    glu,
    hard_shrink,
    hard_sigmoid,
    hard_silu,
    hard_swish,
    hard_tanh,
    leaky_relu,
    log_sigmoid,
    log_softmax,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    soft_shrink,
    softmax,
    softplus,
    softsign,
    sparse_plus,
    sparse_sigmoid,
    sparsemax,
    squareplus,
    swish,
    tanh_shrink,
    threshold,
)

__all__ = [
    "arange",
    "array",
    "batch_normalization",
    "cast",
    "categorical_crossentropy",
    "celu",
    "cond",
    "convert_to_numpy",
    "convert_to_tensor",
    "custom_gradient",
    "divide_no_nan",
    "dot_product_attention",
    "dtype",
    "elu",
    "erf",
    "erfc",
    "erfinv",
    "fori_loop",
    "gelu",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "in_top_k",
    "layer_normalization",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "logsumexp",
    "map",
    "moments",
    "multi_hot",
    "normalize",
    "one_hot",
    "relu",
    "relu6",
    "rms_normalization",
    "rsqrt",
    "saturate_cast",
    "scatter",
    "scatter_update",
    "segment_max",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "selu",
    "shape",
    "sigmoid",
    "silu",
    "slice",
    "slice_update",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "sparse_categorical_crossentropy",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "stop_gradient",
    "swish",
    "switch",
    "tanh_shrink",
    "threshold",
    "top_k",
    "unstack",
    "vectorized_map",
    "view",
    "while_loop",
]
__all__ += list(FUNCTIONS)

globals().update(FUNCTIONS)

#: Keras's namespaces of the same functions.
nn = SimpleNamespace(
    **{
        name: globals()[name]
        for name in (
            "batch_normalization",
            "celu",
            "dot_product_attention",
            "elu",
            "gelu",
            "glu",
            "hard_shrink",
            "hard_sigmoid",
            "hard_silu",
            "hard_swish",
            "hard_tanh",
            "layer_normalization",
            "leaky_relu",
            "log_sigmoid",
            "log_softmax",
            "logsumexp",
            "moments",
            "normalize",
            "relu",
            "relu6",
            "rms_normalization",
            "selu",
            "sigmoid",
            "silu",
            "soft_shrink",
            "softmax",
            "softplus",
            "softsign",
            "sparse_plus",
            "sparse_sigmoid",
            "sparsemax",
            "squareplus",
            "swish",
            "tanh_shrink",
            "threshold",
        )
    }
)
linalg = SimpleNamespace(
    **{name: FUNCTIONS[name] for name in ("norm", "inv", "det", "pinv", "qr", "eigh", "solve", "matrix_rank")}
)
numpy = SimpleNamespace(**FUNCTIONS)


def __getattr__(name: str) -> Any:
    """Says what to write instead of a name that is absent."""
    from .._tensorflow.absent import refuse

    refuse(__name__, name)

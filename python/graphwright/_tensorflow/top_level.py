"""TensorFlow's functions of the top level that are rooms of this package."""

from __future__ import annotations

from .bits import (
    bitcast,
)
from .choices import (
    argmax,
    argmin,
    gather,
    one_hot,
)
from .clipping import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    clip_by_global_norm,
    clip_by_norm,
    identity_n,
    parallel_stack,
    saturate_cast,
    shape_n,
)
from .control import (
    case,
    cond,
    foldl,
    foldr,
    map_fn,
    scan,
    switch_case,
    while_loop,
)
from .elementwise import (
    acos,
    acosh,
    add_n,
    asin,
    atanh,
    cosh,
    sinh,
    truncatediv,
    truncatemod,
)
from .graphs import (
    control_dependencies,
    device,
    get_static_value,
    group,
    is_symbolic_tensor,
    no_op,
    timestamp,
    tuple,
)
from .initializers import (
    constant_initializer,
    ones_initializer,
    random_normal_initializer,
    random_uniform_initializer,
    zeros_initializer,
)
from .moves import (
    reverse_sequence,
    scatter_nd,
    sequence_mask,
    slice,
    strided_slice,
    unravel_index,
)
from .segments import (
    dynamic_partition,
    dynamic_stitch,
)
from .sets import (
    histogram_fixed_width,
    histogram_fixed_width_bins,
    searchsorted,
    unique,
    unique_with_counts,
)

__all__ = [
    "acos",
    "acosh",
    "add_n",
    "argmax",
    "argmin",
    "asin",
    "atanh",
    "bitcast",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "case",
    "clip_by_global_norm",
    "clip_by_norm",
    "cond",
    "constant_initializer",
    "control_dependencies",
    "cosh",
    "device",
    "dynamic_partition",
    "dynamic_stitch",
    "foldl",
    "foldr",
    "gather",
    "get_static_value",
    "group",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity_n",
    "is_symbolic_tensor",
    "map_fn",
    "no_op",
    "one_hot",
    "ones_initializer",
    "parallel_stack",
    "random_normal_initializer",
    "random_uniform_initializer",
    "reverse_sequence",
    "saturate_cast",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "shape_n",
    "sinh",
    "slice",
    "strided_slice",
    "switch_case",
    "timestamp",
    "truncatediv",
    "truncatemod",
    "tuple",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "while_loop",
    "zeros_initializer",
]

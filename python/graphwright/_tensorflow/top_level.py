"""TensorFlow's functions of the top level that are rooms of this package."""

from __future__ import annotations

from .bits import (
    bitcast,
)
from .blocks import (
    batch_to_space,
    extract_volume_patches,
    required_space_to_batch_paddings,
    space_to_batch,
    space_to_batch_nd,
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
from .further import (
    grad_pass_through,
    inside_function,
    realdiv,
    scalar_mul,
    truediv,
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
from .linalg import eig, eigvals
from .matrix_functions import sqrtm as matrix_square_root
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
from .strings import as_string

__all__ = [
    "acos",
    "acosh",
    "add_n",
    "argmax",
    "argmin",
    "as_string",
    "asin",
    "atanh",
    "batch_to_space",
    "bitcast",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "case",
    "clip_by_global_norm",
    "clip_by_norm",
    "cond",
    "control_dependencies",
    "cosh",
    "device",
    "dynamic_partition",
    "dynamic_stitch",
    "eig",
    "eigvals",
    "extract_volume_patches",
    "foldl",
    "foldr",
    "gather",
    "get_static_value",
    "grad_pass_through",
    "group",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity_n",
    "inside_function",
    "is_symbolic_tensor",
    "map_fn",
    "matrix_square_root",
    "no_op",
    "one_hot",
    "parallel_stack",
    "realdiv",
    "required_space_to_batch_paddings",
    "reverse_sequence",
    "saturate_cast",
    "scalar_mul",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "shape_n",
    "sinh",
    "slice",
    "space_to_batch",
    "space_to_batch_nd",
    "strided_slice",
    "switch_case",
    "timestamp",
    "truediv",
    "truncatediv",
    "truncatemod",
    "tuple",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "while_loop",
]

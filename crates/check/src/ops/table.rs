//! The operations by their names: one row each.

use std::sync::LazyLock;

use gw_ir::{Op, Takes};
use gw_types::DType;
use rustc_hash::FxHashMap;

use super::elementwise::{Arithmetic, chosen, one, two};
use super::reduce::Fold;
use super::{Call, Judged, make, matrices, moves, reduce};

/// An operation: what it makes of a call.
pub(super) type Operation = fn(&Call) -> Judged;

/// The operation of a path below the library.
pub(super) fn operation(path: &str) -> Option<Operation> {
    static BY_NAME: LazyLock<FxHashMap<&str, Operation>> = LazyLock::new(|| TABLE.iter().copied().collect());
    let name = path.strip_prefix("math.").unwrap_or(path);
    BY_NAME.get(name).copied().or_else(|| of_reals(name))
}

/// The operation of a function of one real number, which has the name of its op.
fn of_reals(name: &str) -> Option<Operation> {
    let takes_reals =
        Op::from_text(name).is_some_and(|op| [Takes::Reals, Takes::Analytic].contains(&op.takes()));
    takes_reals.then_some(|c| one(c, "x", floats))
}

fn floats(dtype: DType) -> Option<DType> {
    Some(dtype).filter(|dtype| dtype.is_float())
}

fn numbers(dtype: DType) -> Option<DType> {
    Some(dtype).filter(|dtype| dtype.is_float() || dtype.is_int())
}

const TABLE: &[(&str, Operation)] = &[
    ("abs", |c| one(c, "x", numbers)),
    ("add", |c| two(Arithmetic::Same, c, ("x", "y"))),
    ("argmax", reduce::place),
    ("argmin", reduce::place),
    ("atan2", |c| two(Arithmetic::Power, c, ("y", "x"))),
    ("broadcast_to", moves::broadcast_to),
    ("cast", make::cast),
    ("ceil", |c| one(c, "x", floats)),
    ("clip_by_value", make::any),
    ("concat", moves::concat),
    ("constant", make::constant),
    ("convert_to_tensor", make::converted),
    ("divide", |c| two(Arithmetic::Divide, c, ("x", "y"))),
    ("equal", |c| two(Arithmetic::Compare, c, ("x", "y"))),
    ("expand_dims", moves::expand_dims),
    ("eye", make::eye),
    ("fill", make::fill),
    ("floor", |c| one(c, "x", floats)),
    ("floordiv", |c| two(Arithmetic::Same, c, ("x", "y"))),
    ("floormod", |c| two(Arithmetic::Same, c, ("x", "y"))),
    ("gather", moves::gather),
    ("greater", |c| two(Arithmetic::Compare, c, ("x", "y"))),
    ("greater_equal", |c| two(Arithmetic::Compare, c, ("x", "y"))),
    ("is_finite", |c| one(c, "x", |_| Some(DType::Bool))),
    ("is_nan", |c| one(c, "x", |_| Some(DType::Bool))),
    ("less", |c| two(Arithmetic::Compare, c, ("x", "y"))),
    ("less_equal", |c| two(Arithmetic::Compare, c, ("x", "y"))),
    ("matmul", matrices::matmul_call),
    ("maximum", |c| two(Arithmetic::Same, c, ("x", "y"))),
    ("minimum", |c| two(Arithmetic::Same, c, ("x", "y"))),
    ("multiply", |c| two(Arithmetic::Same, c, ("x", "y"))),
    ("negative", |c| one(c, "x", numbers)),
    ("nn.relu", |c| one(c, "x", floats)),
    ("nn.sigmoid", |c| one(c, "x", floats)),
    ("nn.softmax", |c| reduce::along(c, "logits")),
    ("nn.tanh", |c| one(c, "x", floats)),
    ("not_equal", |c| two(Arithmetic::Compare, c, ("x", "y"))),
    ("ones", make::filled),
    ("ones_like", make::like),
    ("pow", |c| two(Arithmetic::Power, c, ("x", "y"))),
    ("random.normal", make::any),
    ("random.uniform", make::any),
    ("range", make::range),
    ("rank", make::single),
    ("reduce_all", |c| reduce::fold(Fold::Truth, c)),
    ("reduce_any", |c| reduce::fold(Fold::Truth, c)),
    ("reduce_max", |c| reduce::fold(Fold::Least, c)),
    ("reduce_mean", |c| reduce::fold(Fold::Mean, c)),
    ("reduce_min", |c| reduce::fold(Fold::Least, c)),
    ("reduce_prod", |c| reduce::fold(Fold::Sum, c)),
    ("reduce_sum", |c| reduce::fold(Fold::Sum, c)),
    ("reshape", moves::reshape),
    ("round", |c| one(c, "x", floats)),
    ("shape", make::any),
    ("sigmoid", |c| one(c, "x", floats)),
    ("sign", |c| one(c, "x", floats)),
    ("size", make::single),
    ("softmax", |c| reduce::along(c, "logits")),
    ("sort", |c| reduce::along(c, "values")),
    ("square", |c| one(c, "x", numbers)),
    ("squeeze", moves::squeeze),
    ("stack", moves::stack),
    ("stop_gradient", |c| one(c, "x", Some)),
    ("subtract", |c| two(Arithmetic::Same, c, ("x", "y"))),
    ("TensorSpec", make::spec),
    ("transpose", moves::transpose),
    ("Variable", make::variable),
    ("where", chosen),
    ("zeros", make::filled),
    ("zeros_like", make::like),
];

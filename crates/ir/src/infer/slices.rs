//! Python's slices on each axis.

use gw_types::{Dim, Shape, TensorType};

use super::context::{Ctx, Unfit, one};
use crate::{Attr, AxisSlice, Bound};

/// One `start:stop:step` per axis.
pub(super) fn slice(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Slices(slices) = attr else { return Err(ctx.wrong_attr()) };
    let x = &ctx.args[0];
    if slices.len() != x.rank() {
        return Err(ctx.bad(1, format!("{} slices for shape {}", slices.len(), x.shape)));
    }
    for slice in slices {
        judge(ctx, [1, 2], slice)?;
    }
    let axes = x.shape.0.iter().zip(slices);
    let dims = axes.map(|(&dim, slice)| sliced(ctx, dim, slice)).collect();
    one(x.dtype, Shape(dims))
}

/// Bounds are numbers, and the step is not zero; the clauses that say so.
pub(super) fn judge(ctx: &Ctx, [bounds, steps]: [usize; 2], slice: &AxisSlice) -> Result<(), Unfit> {
    for bound in [slice.start, slice.stop] {
        if let Bound::Arg(at) = bound {
            ctx.judge_length_operand(bounds, at)?;
        }
    }
    if slice.step == 0 { Err(ctx.bad(steps, "the step of a slice cannot be zero")) } else { Ok(()) }
}

/// The length of an axis of which a slice is taken.
pub(super) fn sliced(ctx: &mut Ctx, dim: Dim, slice: &AxisSlice) -> Dim {
    let whole = slice.start == Bound::Open && slice.stop == Bound::Open && slice.step.unsigned_abs() == 1;
    match (dim, fixed(slice.start), fixed(slice.stop)) {
        _ if whole => dim,
        (Dim::Fixed(length), Some(start), Some(stop)) => {
            Dim::Fixed(AxisSlice::span(length, start, stop, slice.step).1)
        }
        (Dim::Fixed(_) | Dim::Var(_), _, _) => ctx.fresh(),
    }
}

fn fixed(bound: Bound) -> Option<Option<i64>> {
    match bound {
        Bound::Open => Some(None),
        Bound::Fixed(at) => Some(Some(at)),
        Bound::Arg(_) => None,
    }
}

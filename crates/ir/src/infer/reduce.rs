//! Reductions: axes go away or stay with length 1.

use gw_types::{DType, Dim, Shape, TensorType};

use super::context::{Ctx, Unfit, one};
use crate::Attr;

/// Folds axes; the dtype stays.
pub(super) fn reduce(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Axes { axes, keep } = attr else { return Err(ctx.wrong_attr()) };
    let x = &ctx.args[0];
    axes.iter().try_for_each(|&axis| ctx.judge_axis(1, axis, x))?;
    if !axes.is_sorted_by(|a, b| a < b) {
        return Err(ctx.bad(1, "an axis is named twice, or axes are out of order"));
    }
    ctx.judge_dtype(2, x.dtype, ctx.op.takes())?;
    one(x.dtype, reduced(&x.shape, axes, *keep))
}

/// Position on one axis, as i64.
pub(super) fn arg_reduce(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Axis(axis) = attr else { return Err(ctx.wrong_attr()) };
    let x = &ctx.args[0];
    ctx.judge_axis(1, *axis, x)?;
    ctx.judge_dtype(2, x.dtype, ctx.op.takes())?;
    if x.shape.0[*axis] == Dim::Fixed(0) {
        return Err(
            ctx.wrong_shape(3, format!("axis {axis} of shape {} has no elements to choose from", x.shape))
        );
    }
    one(DType::I64, reduced(&x.shape, &[*axis], false))
}

/// Positions along the last axis, as i64.
pub(super) fn arg_sort(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::None = attr else { return Err(ctx.wrong_attr()) };
    judge_row(ctx)?;
    one(DType::I64, ctx.args[0].shape.clone())
}

/// The elements of the last axis in another order.
pub(super) fn sort(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::None = attr else { return Err(ctx.wrong_attr()) };
    judge_row(ctx)?;
    one(ctx.args[0].dtype, ctx.args[0].shape.clone())
}

/// So many positions along the last axis, as i64.
pub(super) fn arg_top(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Count(count) = attr else { return Err(ctx.wrong_attr()) };
    let length = judge_row(ctx)?;
    if length.fixed().is_some_and(|length| length < *count) {
        let shape = &ctx.args[0].shape;
        return Err(
            ctx.wrong_shape(3, format!("the last axis of shape {shape} has no {count} greatest elements"))
        );
    }
    let mut shape = ctx.args[0].shape.clone();
    shape.0.pop();
    shape.0.push(Dim::Fixed(*count));
    one(DType::I64, shape)
}

/// The length of the last axis, along which numbers are put in order.
fn judge_row(ctx: &Ctx) -> Result<Dim, Unfit> {
    let x = &ctx.args[0];
    let Some(&length) = x.shape.0.last() else {
        return Err(ctx.wrong_shape(1, "a single element has no axis to sort along".to_owned()));
    };
    ctx.judge_dtype(2, x.dtype, ctx.op.takes())?;
    Ok(length)
}

fn reduced(shape: &Shape, axes: &[usize], keep: bool) -> Shape {
    let dims = shape.0.iter().enumerate();
    let kept = dims.filter_map(|(axis, &dim)| match axes.contains(&axis) {
        false => Some(dim),
        true => keep.then_some(Dim::Fixed(1)),
    });
    Shape(kept.collect())
}

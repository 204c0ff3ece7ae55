//! Ops that make elements out of scalars or nothing.

use gw_types::{DType, Shape, TensorType};

use super::context::{Ctx, Unfit, one};
use crate::{Attr, Takes};

/// The literal's own type.
pub(super) fn constant(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Literal(literal) = attr else { return Err(ctx.wrong_attr()) };
    Ok(vec![literal.tensor_type()])
}

/// Three scalars of one integer type give an axis of unknown length.
pub(super) fn range(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_plain(attr)?;
    let [start, stop, step] = [&ctx.args[0], &ctx.args[1], &ctx.args[2]];
    ctx.judge_same_dtype(1, start, stop)?;
    ctx.judge_same_dtype(1, start, step)?;
    ctx.judge_dtype(1, start.dtype, Takes::Ints)?;
    if let Some(array) = ctx.args.iter().find(|ty| !ty.is_scalar()) {
        return Err(
            ctx.wrong_shape(2, format!("the ends of a range must be scalars, not shape {}", array.shape))
        );
    }
    let length = ctx.fresh();
    one(ctx.args[0].dtype, Shape(vec![length]))
}

/// An i64 scalar.
pub(super) fn dim(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Axis(axis) = attr else { return Err(ctx.wrong_attr()) };
    ctx.judge_axis(1, *axis, &ctx.args[0])?;
    one(DType::I64, Shape::scalar())
}

//! The matrix product: the last two axes multiply, those before broadcast.

use gw_types::{Dim, Shape, TensorType};

use super::context::{Ctx, Unfit, one};
use crate::{Attr, Takes};

/// `[…, m, k] × […, k, n] → […, m, n]`
pub(super) fn matmul(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Matmul { transpose_x, transpose_y } = attr else { return Err(ctx.wrong_attr()) };
    let [x, y] = [&ctx.args[0], &ctx.args[1]];
    ctx.judge_same_dtype(1, x, y)?;
    ctx.judge_dtype(2, x.dtype, Takes::AnyNumbers)?;
    let (Some((x_batch, [m, k])), Some((y_batch, [l, n]))) =
        (matrix(&x.shape, *transpose_x), matrix(&y.shape, *transpose_y))
    else {
        let (x, y) = (&x.shape, &y.shape);
        return Err(ctx.wrong_shape(3, format!("matrices need two axes or more, not shapes {x} and {y}")));
    };
    if let (Dim::Fixed(k), Dim::Fixed(l)) = (k, l)
        && k != l
    {
        let (x, y) = (&x.shape, &y.shape);
        return Err(
            ctx.wrong_shape(4, format!("cannot multiply shapes {x} and {y}: {k} columns, but {l} rows"))
        );
    }
    let mut shape = ctx.broadcast(5, &x_batch, &y_batch)?;
    shape.0.extend([m, n]);
    one(x.dtype, shape)
}

/// The axes before the matrix, and rows and columns.
fn matrix(shape: &Shape, transpose: bool) -> Option<(Shape, [Dim; 2])> {
    let (batch, &[rows, columns]) = shape.0.split_last_chunk::<2>()?;
    let lengths = if transpose { [columns, rows] } else { [rows, columns] };
    Some((Shape(batch.to_vec()), lengths))
}

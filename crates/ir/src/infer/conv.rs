//! The convolution: windows of x meet the filter, channel by channel.

use gw_types::{Dim, Shape, TensorType};

use super::context::{Ctx, Unfit, one};
use crate::{Attr, Takes, Windows};

/// `[n, h, w, c] × [a, b, c, o] → [n, h′, w′, o]`
pub(super) fn conv2d(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Windows(windows) = attr else { return Err(ctx.wrong_attr()) };
    let [x, filter] = [&ctx.args[0], &ctx.args[1]];
    ctx.judge_same_dtype(1, x, filter)?;
    ctx.judge_dtype(2, x.dtype, Takes::Floats)?;
    let (&[images, height, width, channels], &[rows, columns, taken, made]) =
        (&x.shape.0[..], &filter.shape.0[..])
    else {
        let (x, filter) = (&x.shape, &filter.shape);
        let message = format!("images and filters have four axes, not shapes {x} and {filter}");
        return Err(ctx.wrong_shape(3, message));
    };
    if let (Dim::Fixed(c), Dim::Fixed(d)) = (channels, taken)
        && c != d
    {
        let (x, filter) = (&x.shape, &filter.shape);
        let message =
            format!("images of shape {x} have {c} channels, but filters of shape {filter} take {d}");
        return Err(ctx.wrong_shape(4, message));
    }
    if !windows.are_sound() {
        let message =
            format!("strides and dilations are 1 or more, and no number is above {}", Windows::GREATEST);
        return Err(ctx.bad(5, message));
    }
    let [height, width] =
        [(0, height, rows), (1, width, columns)].map(|(axis, length, size)| match (length, size) {
            (Dim::Fixed(length), Dim::Fixed(size)) => Dim::Fixed(windows.count(axis, length, size)),
            (Dim::Fixed(_) | Dim::Var(_), _) => ctx.fresh(),
        });
    one(x.dtype, Shape(vec![images, height, width, made]))
}

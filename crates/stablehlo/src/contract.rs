//! The matrix product and the convolution.

use gw_ir::{Attr, Node};

use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};

/// `x @ y`; the axes before the last two broadcast.
pub(crate) fn matmul(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let Attr::Matmul { transpose_x, transpose_y } = node.attr else {
        return Err(Refused::new("it does not say which matrices are turned"));
    };
    let [(x_batch, x_own), (y_batch, y_own)] = [split(&args[0])?, split(&args[1])?];
    let batch = crate::elementwise::common(&[x_batch, y_batch])?;
    let wide = |own: [usize; 2]| batch.iter().copied().chain(own).collect::<Vec<_>>();
    let [x, y] = [to.text.stretch(&args[0], &wide(x_own)), to.text.stretch(&args[1], &wide(y_own))];
    let rank = batch.len();
    let [x_inner, y_inner] = [usize::from(!transpose_x), usize::from(transpose_y)];
    if x_own[x_inner] != y_own[y_inner] {
        let (columns, rows) = (x_own[x_inner], y_own[y_inner]);
        return Err(Refused::new(format!("{columns} columns cannot be multiplied with {rows} rows")));
    }
    let axes: Vec<usize> = (0..rank).collect();
    let attrs = format!(
        "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {axes:?}, rhs_batching_dimensions = \
         {axes:?}, lhs_contracting_dimensions = [{}], rhs_contracting_dimensions = [{}]>",
        rank + x_inner,
        rank + y_inner
    );
    let lengths = wide([x_own[1 - x_inner], y_own[1 - y_inner]]);
    Ok(to.text.op("stablehlo.dot_general", &[&x, &y], &attrs, Ty::new(x.dtype(), lengths)))
}

/// The axes before the matrix, as an item of their own, and the matrix's lengths.
fn split(x: &Item) -> Made<(Item, [usize; 2])> {
    let Some((batch, own)) = x.lengths().split_last_chunk::<2>() else {
        return Err(Refused::new("a matrix has two axes"));
    };
    Ok((Item::new(String::new(), Ty::new(x.dtype(), batch.to_vec())), *own))
}

/// Windows of images meet filters.
pub(crate) fn conv2d(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let (Attr::Windows(windows), [x, filter]) = (&node.attr, args) else {
        return Err(Refused::new("it names no windows"));
    };
    let (&[images, height, width, channels], &[rows, columns, taken, made]) = (x.lengths(), filter.lengths())
    else {
        return Err(Refused::new("images and filters have four axes"));
    };
    if channels != taken {
        return Err(Refused::new(format!("images of {channels} channels meet filters of {taken}")));
    }
    let lengths = vec![images, windows.count(0, height, rows), windows.count(1, width, columns), made];
    let ty = Ty::new(x.dtype(), lengths);
    if ty.is_empty() || x.ty.is_empty() || filter.ty.is_empty() {
        return Ok(to.text.float(0.0, ty));
    }
    let [[top, bottom], [left, right]] = windows.padding;
    let ([down, across], [d, e]) = (windows.strides, windows.dilations);
    let attrs = format!(
        "batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, \
         feature_group_count = 1 : i64, padding = dense<[[{top}, {bottom}], [{left}, {right}]]> : tensor<2x2xi64>, \
         rhs_dilation = array<i64: {d}, {e}>, window_strides = array<i64: {down}, {across}>"
    );
    Ok(to.text.op("stablehlo.convolution", &[x, filter], &attrs, ty))
}

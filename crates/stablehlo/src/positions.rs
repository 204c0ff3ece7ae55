//! `x[i]` and `x[indices]`: a negative index counts from the end, and one that is out of range fails.

use gw_ir::{Attr, Node};
use gw_types::DType;

use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::reduce::require_all;
use crate::refused::{Made, Refused};
use crate::writer::numbers;

/// Positions from the start, as i64, none of them outside: what is, fails, and becomes the nearest.
pub(crate) fn inside(to: &mut Lowering<'_>, indices: &Item, length: usize) -> Item {
    let ty = indices.ty.with(DType::I64);
    let indices = to.text.convert(indices, DType::I64);
    let [zero, end, last] =
        [0, length as i64, (length as i64 - 1).max(0)].map(|value| to.text.integer(value, ty.clone()));
    let is_negative = to.text.compare("LT", &indices, &zero);
    let turned = to.text.same("stablehlo.add", &[&indices, &end]);
    let places = to.text.select(&is_negative, &turned, &indices);
    let low = to.text.compare("GE", &places, &zero);
    let high = to.text.compare("LT", &places, &end);
    let ok = to.text.same("stablehlo.and", &[&low, &high]);
    require_all(to, &ok);
    to.text.op("stablehlo.clamp", &[&zero, &places, &last], "", ty)
}

/// `x[i]` on one axis, which goes away.
pub(crate) fn index(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let Attr::Axis(axis) = node.attr else { return Err(Refused::new("it names no axis")) };
    let x = &args[0];
    let place = inside(to, &args[1], x.lengths()[axis]);
    let mut sizes = x.lengths().to_vec();
    let kept: Vec<usize> = without(&sizes, axis);
    if x.ty.is_empty() {
        return Ok(Item { known: None, ..to.text.integer(0, Ty::new(x.dtype(), kept)) });
    }
    sizes[axis] = 1;
    let zero = to.text.integer(0, Ty::scalar(DType::I64));
    let mut operands = vec![x];
    operands.extend((0..sizes.len()).map(|at| if at == axis { &place } else { &zero }));
    let attrs = format!("slice_sizes = {}", numbers(&sizes));
    let cut = to.text.op("stablehlo.dynamic_slice", &operands, &attrs, Ty::new(x.dtype(), sizes));
    Ok(to.text.reshape(&cut, &kept))
}

fn without(lengths: &[usize], axis: usize) -> Vec<usize> {
    lengths.iter().enumerate().filter(|(at, _)| *at != axis).map(|(_, &n)| n).collect()
}

/// `x[…, indices[j], …]`
pub(crate) fn gather(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let Attr::Axis(axis) = node.attr else { return Err(Refused::new("it names no axis")) };
    let x = &args[0];
    let rank = args[1].ty.rank();
    let places = inside(to, &args[1], x.lengths()[axis]);
    let mut lengths = x.lengths().to_vec();
    lengths.splice(axis..=axis, places.lengths().iter().copied());
    let ty = Ty::new(x.dtype(), lengths);
    if ty.is_empty() || x.ty.is_empty() {
        return Ok(Item { known: None, ..to.text.integer(0, ty) });
    }
    let offsets: Vec<usize> = (0..axis).chain(axis + rank..ty.rank()).collect();
    let mut sizes = x.lengths().to_vec();
    sizes[axis] = 1;
    let attrs = format!(
        "dimension_numbers = #stablehlo.gather<offset_dims = {offsets:?}, collapsed_slice_dims = [{axis}], \
         start_index_map = [{axis}], index_vector_dim = {rank}>, indices_are_sorted = false, slice_sizes = {}",
        numbers(&sizes)
    );
    Ok(to.text.op("stablehlo.gather", &[x, &places], &attrs, ty))
}

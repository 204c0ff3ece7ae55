//! Elements in order, and positions.

use gw_ir::{Attr, Node};
use gw_types::DType;

use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};
use crate::writer::numbers;

/// Positions along the last axis in ascending order; equal elements keep theirs, NaN comes last.
pub(crate) fn arg_sort(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    Ok(sorted(to, &args[0], false)[1].clone())
}

/// Elements of the last axis in ascending order; equal elements keep theirs, NaN comes last.
pub(crate) fn sort(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    Ok(sorted(to, &args[0], false)[0].clone())
}

/// Positions of the greatest elements; equal elements keep theirs, NaN is first.
pub(crate) fn arg_top(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let &Attr::Count(count) = &node.attr else { return Err(Refused::new("it names no count")) };
    let found = sorted(to, &args[0], true)[1].clone();
    let mut ends = found.lengths().to_vec();
    match ends.last_mut() {
        Some(length) if *length >= count => *length = count,
        _ => return Err(Refused::new(format!("an axis has no {count} greatest elements"))),
    }
    let [zeros, ones] = [0, 1].map(|value| vec![value; ends.len()]);
    let attrs = format!(
        "limit_indices = {}, start_indices = {}, strides = {}",
        numbers(&ends),
        numbers(&zeros),
        numbers(&ones)
    );
    Ok(to.text.op("stablehlo.slice", &[&found], &attrs, Ty::new(DType::I64, ends)))
}

/// Elements in order, and their positions.
fn sorted(to: &mut Lowering<'_>, x: &Item, descends: bool) -> Vec<Item> {
    let axis = x.ty.rank() - 1;
    let places = to.text.iota(axis, x.lengths());
    let args = [x, &places];
    let attrs = format!("dimension = {axis} : i64, is_stable = true");
    let results = to.text.open("stablehlo.sort", &args, &attrs, &[x.ty.clone(), places.ty.clone()]);
    let [value, place] = [Ty::scalar(x.dtype()), Ty::scalar(DType::I64)];
    let params = [&value, &value, &place, &place].map(|ty| to.text.item(ty.clone()));
    to.text.block(&params);
    let [left, right] = if descends { [&params[1], &params[0]] } else { [&params[0], &params[1]] };
    let is_less = to.text.compare("LT", left, right);
    let [left_nan, right_nan] = [left, right].map(|side| to.text.compare("NE", side, side));
    let is_number = to.text.same("stablehlo.not", &[&left_nan]);
    let before_nan = to.text.same("stablehlo.and", &[&right_nan, &is_number]);
    let is_before = to.text.same("stablehlo.or", &[&is_less, &before_nan]);
    to.text.give(&[is_before]);
    to.text.close(&args, &results);
    results
}

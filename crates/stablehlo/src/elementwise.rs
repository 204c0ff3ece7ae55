//! Elementwise ops that are not one op of StableHLO on equal types.

use gw_ir::Node;
use gw_types::{DType, Scalar};

use crate::items::Item;
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};

/// The lengths to which operands broadcast.
pub(crate) fn common(args: &[Item]) -> Made<Vec<usize>> {
    let rank = args.iter().map(|item| item.ty.rank()).max().unwrap_or(0);
    let mut lengths = vec![1; rank];
    for item in args {
        let added = rank - item.ty.rank();
        for (to, &n) in lengths[added..].iter_mut().zip(item.lengths()) {
            if *to != n && *to != 1 && n != 1 {
                return Err(Refused::new(format!("lengths {to} and {n} do not broadcast")));
            }
            *to = if *to == 1 { n } else { *to };
        }
    }
    Ok(lengths)
}

/// The operands with the shape to which they broadcast.
pub(crate) fn meet(to: &mut Lowering<'_>, args: &[Item]) -> Made<Vec<Item>> {
    let lengths = common(args)?;
    Ok(args.iter().map(|item| to.text.stretch(item, &lengths)).collect())
}

/// The operand.
pub(crate) fn same(_: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    Ok(args[0].clone())
}

/// `ln x / ln 2`
pub(crate) fn log2(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    let natural = to.text.same("stablehlo.log", &[&args[0]]);
    let ln_2 = to.text.float(std::f64::consts::LN_2, natural.ty.clone());
    Ok(to.text.same("stablehlo.divide", &[&natural, &ln_2]))
}

/// The angle of `(x, 1)`.
pub(crate) fn atan(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    let one = to.text.float(1.0, args[0].ty.clone());
    Ok(to.text.same("stablehlo.atan2", &[&args[0], &one]))
}

/// NaN alone differs from itself.
pub(crate) fn is_nan(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    Ok(to.text.compare("NE", &args[0], &args[0]))
}

/// Neither NaN nor infinite.
pub(crate) fn is_finite(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    Ok(to.text.op("stablehlo.is_finite", &[&args[0]], "", args[0].ty.with(DType::Bool)))
}

/// `x if c else y`
pub(crate) fn select(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    let met = meet(to, args)?;
    Ok(to.text.select(&met[0], &met[1], &met[2]))
}

/// The least and the greatest integer of a type.
pub(crate) fn ends(dtype: DType) -> (i64, i64) {
    let word = |end: i128| Scalar::wrapped(DType::I64, end).to_i64();
    dtype.ends().map_or((i64::MIN, i64::MAX), |(least, most)| (word(least), word(most)))
}

/// One past the greatest integer of a type.
pub(crate) fn end(dtype: DType) -> f64 {
    if dtype == DType::I32 { 2f64.powi(31) } else { 2f64.powi(63) }
}

//! Elementwise ops that are not one op of StableHLO on equal types.

use gw_ir::{Attr, Node};
use gw_types::DType;

use crate::arithmetic;
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

/// The nearest element of another type: floats are cut toward zero and saturate, integers wrap.
pub(crate) fn cast(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let x = &args[0];
    let (Attr::To(dtype) | Attr::ToChecked(dtype)) = node.attr else {
        return Err(Refused::new("it has no type"));
    };
    let found = if dtype == DType::Bool && x.dtype() != DType::Bool {
        let zero = to.text.integer(0, x.ty.clone());
        to.text.compare("NE", x, &zero)
    } else if dtype.is_int() && x.dtype().is_float() {
        saturated(to, x, dtype)
    } else {
        to.text.convert(x, dtype)
    };
    if node.attr == Attr::ToChecked(dtype) {
        arithmetic::require_held(to, x, &found);
    }
    Ok(found)
}

/// An integer of a float. What StableHLO's conversion gives past the ends is the compiler's choice, so the ends are written
/// down.
fn saturated(to: &mut Lowering<'_>, x: &Item, dtype: DType) -> Item {
    let (least, greatest) = ends(dtype);
    let end = arithmetic::end(dtype);
    let mut found = to.text.convert(x, dtype);
    for (direction, bound, value) in [("GE", end, greatest), ("LT", -end, least)] {
        let bound = to.text.float(bound, x.ty.clone());
        let value = to.text.integer(value, found.ty.clone());
        let is_past = to.text.compare(direction, x, &bound);
        found = to.text.select(&is_past, &value, &found);
    }
    let is_nan = to.text.compare("NE", x, x);
    let zero = to.text.integer(0, found.ty.clone());
    to.text.select(&is_nan, &zero, &found)
}

/// The least and the greatest integer of a type.
pub(crate) fn ends(dtype: DType) -> (i64, i64) {
    if dtype == DType::I32 { (i32::MIN.into(), i32::MAX.into()) } else { (i64::MIN, i64::MAX) }
}

//! Elements of one type as those of another.

use gw_ir::{Attr, Node};
use gw_types::DType;

use crate::elementwise::{end, ends};
use crate::items::Item;
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};

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
        require_held(to, x, &found);
    }
    Ok(found)
}

/// An integer of a float. What StableHLO's conversion gives past the ends is the compiler's choice, so the ends are written
/// down.
fn saturated(to: &mut Lowering<'_>, x: &Item, dtype: DType) -> Item {
    let (least, greatest) = ends(dtype);
    let end = end(dtype);
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

/// Fails unless an integer, made of `x`, is what was meant.
fn require_held(to: &mut Lowering<'_>, x: &Item, found: &Item) {
    let ok = if x.dtype().is_float() {
        let [floor, ceil] = ["stablehlo.floor", "stablehlo.ceil"].map(|name| to.text.same(name, &[x]));
        let zero = to.text.float(0.0, x.ty.clone());
        let is_negative = to.text.compare("LT", x, &zero);
        let cut = to.text.select(&is_negative, &ceil, &floor);
        let end = end(found.dtype());
        let [low, high] = [-end, end].map(|end| to.text.float(end, x.ty.clone()));
        let [low, high] = [to.text.compare("GE", &cut, &low), to.text.compare("LT", &cut, &high)];
        to.text.same("stablehlo.and", &[&low, &high])
    } else if found.dtype() == DType::I32 && x.dtype() == DType::I64 {
        let back = to.text.convert(found, DType::I64);
        to.text.compare("EQ", &back, x)
    } else {
        return;
    };
    to.require(&ok);
}

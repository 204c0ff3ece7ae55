//! Integers of which the result is to fit their type: truth values that say so.

use gw_types::DType;

use crate::elementwise::ends;
use crate::items::Item;
use crate::lowering::Lowering;

/// A sum leaves the type where both operands have the sign that the sum has not.
pub(crate) fn sum(to: &mut Lowering<'_>, x: &Item, y: &Item, found: &Item) -> Item {
    let [left, right] = [x, y].map(|side| to.text.same("stablehlo.xor", &[side, found]));
    both_negative(to, &left, &right)
}

/// A difference leaves it where the operands have different signs, and the result not that of the first.
pub(crate) fn difference(to: &mut Lowering<'_>, x: &Item, y: &Item, found: &Item) -> Item {
    let [left, right] = [y, found].map(|side| to.text.same("stablehlo.xor", &[x, side]));
    both_negative(to, &left, &right)
}

/// True unless both are negative.
fn both_negative(to: &mut Lowering<'_>, left: &Item, right: &Item) -> Item {
    let both = to.text.same("stablehlo.and", &[left, right]);
    let zero = to.text.integer(0, both.ty.clone());
    to.text.compare("GE", &both, &zero)
}

/// A product of narrow integers is compared with the wide one; one of wide integers is divided again.
pub(crate) fn product(to: &mut Lowering<'_>, x: &Item, y: &Item, found: &Item) -> Item {
    if x.dtype() == DType::I32 {
        let [a, b, narrow] = [x, y, found].map(|item| to.text.convert(item, DType::I64));
        let wide = to.text.same("stablehlo.multiply", &[&a, &b]);
        return to.text.compare("EQ", &wide, &narrow);
    }
    let [zero, one, minus] = [0, 1, -1].map(|value| to.text.integer(value, x.ty.clone()));
    let least = to.text.integer(ends(x.dtype()).0, x.ty.clone());
    let is_zero = to.text.compare("EQ", x, &zero);
    let divisor = to.text.select(&is_zero, &one, x);
    let quotient = to.text.same("stablehlo.divide", &[found, &divisor]);
    let same = to.text.compare("EQ", &quotient, y);
    let back = to.text.same("stablehlo.or", &[&is_zero, &same]);
    let [opposite, not_least] = [to.text.compare("NE", x, &minus), to.text.compare("NE", y, &least)];
    let fits = to.text.same("stablehlo.or", &[&opposite, &not_least]);
    to.text.same("stablehlo.and", &[&back, &fits])
}

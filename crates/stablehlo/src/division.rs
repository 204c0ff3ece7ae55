//! `//` and `%` as in Python: the remainder has the divisor's sign.

use gw_ir::{Attr, Node};
use gw_types::DType;

use crate::elementwise::{ends, meet};
use crate::items::Item;
use crate::lowering::Lowering;
use crate::reduce::require_all;
use crate::refused::Made;

/// `x // y`
pub(crate) fn floor_div(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    if args[0].dtype().is_float() {
        return of_floats(to, args, quotient_of_floats);
    }
    let met = divided(to, args)?;
    let [x, y] = [&met[0], &met[1]];
    let quotient = to.text.same("stablehlo.divide", &[x, y]);
    if node.attr == Attr::Checked && args[1].known.is_none_or(|divisor| divisor == -1) {
        let least = to.text.integer(ends(x.dtype()).0, x.ty.clone());
        let minus = to.text.integer(-1, x.ty.clone());
        let [fits, is_other] = [to.text.compare("NE", x, &least), to.text.compare("NE", y, &minus)];
        let ok = to.text.same("stablehlo.or", &[&fits, &is_other]);
        to.require(&ok);
    }
    let rest = to.text.same("stablehlo.remainder", &[x, y]);
    let differs = has_other_sign(to, &rest, y);
    let one = to.text.integer(1, x.ty.clone());
    let less = to.text.same("stablehlo.subtract", &[&quotient, &one]);
    Ok(to.text.select(&differs, &less, &quotient))
}

/// `x % y`
pub(crate) fn modulo(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    if args[0].dtype().is_float() {
        return of_floats(to, args, rest_of_floats);
    }
    let met = divided(to, args)?;
    let [x, y] = [&met[0], &met[1]];
    let rest = to.text.same("stablehlo.remainder", &[x, y]);
    Ok(turned(to, &rest, y))
}

/// Operands whose divisors are not zero, or the node fails.
fn divided(to: &mut Lowering<'_>, args: &[Item]) -> Made<Vec<Item>> {
    if args[1].known.is_some_and(|divisor| divisor != 0) {
        return meet(to, args);
    }
    let zero = to.text.integer(0, args[1].ty.clone());
    let ok = to.text.compare("NE", &args[1], &zero);
    require_all(to, &ok);
    let one = to.text.integer(1, args[1].ty.clone());
    let divisor = to.text.select(&ok, &args[1], &one);
    meet(to, &[args[0].clone(), divisor])
}

/// True where a remainder is not zero and has not the divisor's sign.
fn has_other_sign(to: &mut Lowering<'_>, rest: &Item, y: &Item) -> Item {
    let zero = to.text.integer(0, rest.ty.clone());
    let is_some = to.text.compare("NE", rest, &zero);
    let [left, right] = [rest, y].map(|side| to.text.compare("LT", side, &zero));
    let differ = to.text.same("stablehlo.xor", &[&left, &right]);
    to.text.same("stablehlo.and", &[&is_some, &differ])
}

/// A remainder with the divisor's sign.
fn turned(to: &mut Lowering<'_>, rest: &Item, y: &Item) -> Item {
    let differs = has_other_sign(to, rest, y);
    let more = to.text.same("stablehlo.add", &[rest, y]);
    to.text.select(&differs, &more, rest)
}

/// Floats are divided in double precision and rounded once.
fn of_floats(
    to: &mut Lowering<'_>,
    args: &[Item],
    f: fn(&mut Lowering<'_>, &Item, &Item) -> Item,
) -> Made<Item> {
    let met = meet(to, args)?;
    let [x, y] = [0, 1].map(|at| to.text.convert(&met[at], DType::F64));
    let found = f(to, &x, &y);
    Ok(to.text.convert(&found, args[0].dtype()))
}

fn rest_of_floats(to: &mut Lowering<'_>, x: &Item, y: &Item) -> Item {
    let rest = to.text.same("stablehlo.remainder", &[x, y]);
    let turned = turned(to, &rest, y);
    let [zero, minus] = [0.0, -0.0].map(|value| to.text.float(value, x.ty.clone()));
    let is_negative = to.text.compare("LT", y, &zero);
    let none = to.text.select(&is_negative, &minus, &zero);
    let is_none = to.text.compare("EQ", &rest, &zero);
    to.text.select(&is_none, &none, &turned)
}

/// `(x - rest) / y`, less one where the remainder has not the divisor's sign, to the nearest integer; a zero has the sign of
/// `x / y`, and by zero it is `x / y`.
fn quotient_of_floats(to: &mut Lowering<'_>, x: &Item, y: &Item) -> Item {
    let [zero, half, one] = [0.0, 0.5, 1.0].map(|value| to.text.float(value, x.ty.clone()));
    let plain = to.text.same("stablehlo.divide", &[x, y]);
    let rest = to.text.same("stablehlo.remainder", &[x, y]);
    let even = to.text.same("stablehlo.subtract", &[x, &rest]);
    let whole = to.text.same("stablehlo.divide", &[&even, y]);
    let differs = has_other_sign(to, &rest, y);
    let less = to.text.same("stablehlo.subtract", &[&whole, &one]);
    let whole = to.text.select(&differs, &less, &whole);
    let floor = to.text.same("stablehlo.floor", &[&whole]);
    let above = to.text.same("stablehlo.subtract", &[&whole, &floor]);
    let is_far = to.text.compare("GT", &above, &half);
    let next = to.text.same("stablehlo.add", &[&floor, &one]);
    let nearest = to.text.select(&is_far, &next, &floor);
    let none = to.text.same("stablehlo.multiply", &[&plain, &zero]);
    let is_none = to.text.compare("EQ", &whole, &zero);
    let found = to.text.select(&is_none, &none, &nearest);
    let by_zero = to.text.compare("EQ", y, &zero);
    to.text.select(&by_zero, &plain, &found)
}

//! Sums, products, powers and shifts; those of checked integers fail where the result leaves the type.

use gw_ir::{Attr, Node};

use crate::checked;
use crate::elementwise::{ends, meet};
use crate::items::Item;
use crate::lowering::Lowering;
use crate::power;
use crate::reduce::require_all;
use crate::refused::Made;

/// `-x`
pub(crate) fn neg(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    one_sided(to, node, &args[0], "stablehlo.negate")
}

/// `|x|`
pub(crate) fn abs(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    one_sided(to, node, &args[0], "stablehlo.abs")
}

/// The least integer has no opposite.
fn one_sided(to: &mut Lowering<'_>, node: &Node, x: &Item, name: &str) -> Made<Item> {
    if node.attr == Attr::Checked {
        let least = to.text.integer(ends(x.dtype()).0, x.ty.clone());
        let ok = to.text.compare("NE", x, &least);
        to.require(&ok);
    }
    Ok(to.text.same(name, &[x]))
}

/// `x + y`
pub(crate) fn add(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    plain(to, node, args, "stablehlo.add", checked::sum)
}

/// `x - y`
pub(crate) fn sub(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    plain(to, node, args, "stablehlo.subtract", checked::difference)
}

/// `x * y`
pub(crate) fn mul(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    plain(to, node, args, "stablehlo.multiply", checked::product)
}

type Fits = fn(&mut Lowering<'_>, &Item, &Item, &Item) -> Item;

fn plain(to: &mut Lowering<'_>, node: &Node, args: &[Item], name: &str, fits: Fits) -> Made<Item> {
    let met = meet(to, args)?;
    let found = to.text.same(name, &[&met[0], &met[1]]);
    if node.attr == Attr::Checked {
        let ok = fits(to, &met[0], &met[1], &found);
        to.require(&ok);
    }
    Ok(found)
}

/// `x ** y`; the square of a float is its product with itself.
pub(crate) fn pow(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    if node.attr == Attr::Checked {
        return Ok(checked_power(to, &args[0], &args[1]));
    }
    let exponent = args[1].clone();
    let met = meet(to, args)?;
    let [x, y] = [&met[0], &met[1]];
    if x.dtype().is_int() {
        not_negative(to, &exponent);
        return Ok(power::wrapping(to, x, y));
    }
    let power = to.text.same("stablehlo.power", &[x, y]);
    let square = to.text.same("stablehlo.multiply", &[x, x]);
    let two = to.text.float(2.0, x.ty.clone());
    let is_square = to.text.compare("EQ", y, &two);
    Ok(to.text.select(&is_square, &square, &power))
}

/// A power of integer scalars that fails where it does not fit.
fn checked_power(to: &mut Lowering<'_>, x: &Item, y: &Item) -> Item {
    not_negative(to, y);
    let (power, fits) = power::checked(to, x, y);
    to.require(&fits);
    power
}

/// `x << y`; amounts from the width on give 0.
pub(crate) fn shift_left(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    shift(to, node, args, "stablehlo.shift_left")
}

/// `x >> y`; amounts from the width on act as the width less one.
pub(crate) fn shift_right(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    shift(to, node, args, "stablehlo.shift_right_arithmetic")
}

fn shift(to: &mut Lowering<'_>, node: &Node, args: &[Item], name: &str) -> Made<Item> {
    not_negative(to, &args[1]);
    let met = meet(to, args)?;
    let found = to.text.same(name, &[&met[0], &met[1]]);
    if node.attr == Attr::Checked {
        let back = to.text.same("stablehlo.shift_right_arithmetic", &[&found, &met[1]]);
        let ok = to.text.compare("EQ", &back, &met[0]);
        to.require(&ok);
    }
    Ok(found)
}

fn not_negative(to: &mut Lowering<'_>, x: &Item) {
    if x.known.is_some_and(|x| x >= 0) {
        return;
    }
    let zero = to.text.integer(0, x.ty.clone());
    let ok = to.text.compare("GE", x, &zero);
    require_all(to, &ok);
}

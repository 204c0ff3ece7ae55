//! Powers of integers, by squaring: the compiler's own are of exponents below the width alone.

use gw_types::DType;

use crate::checked::product;
use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::reduce;

/// `x ** y` of equal shapes, which wraps.
pub(crate) fn wrapping(to: &mut Lowering<'_>, x: &Item, y: &Item) -> Item {
    repeated(to, x, y, false).0
}

/// `x ** y` of scalars, and true if it fits.
pub(crate) fn checked(to: &mut Lowering<'_>, x: &Item, y: &Item) -> (Item, Item) {
    repeated(to, x, y, true)
}

/// A loop over the exponents' bits: the power so far, the base's square, what is left of the exponent, and whether all fits.
fn repeated(to: &mut Lowering<'_>, x: &Item, y: &Item, checks: bool) -> (Item, Item) {
    let one = to.text.integer(1, x.ty.clone());
    let fits = to.text.integer(1, x.ty.with(DType::Bool));
    let start = [&one, x, y, &fits];
    let types: Vec<Ty> = start.iter().map(|item| item.ty.clone()).collect();
    let results = to.text.open("stablehlo.while", &start, "", &types);
    let params = carries(to, &types);
    let zero = to.text.integer(0, x.ty.clone());
    let is_left = to.text.compare("GT", &params[2], &zero);
    let again = reduce::any(to, &is_left);
    to.text.give(&[again]);
    to.text.next_region();
    let params = carries(to, &types);
    let next = step(to, &params, checks);
    to.text.give(&next);
    to.text.close(&start, &results);
    (results[0].clone(), results[3].clone())
}

fn carries(to: &mut Lowering<'_>, types: &[Ty]) -> Vec<Item> {
    let params: Vec<Item> = types.iter().map(|ty| to.text.item(ty.clone())).collect();
    to.text.block(&params);
    params
}

fn step(to: &mut Lowering<'_>, carries: &[Item], checks: bool) -> [Item; 4] {
    let [power, base, left, fits] = [0, 1, 2, 3].map(|at| &carries[at]);
    let [zero, one] = [0, 1].map(|value| to.text.integer(value, left.ty.clone()));
    let bit = to.text.same("stablehlo.and", &[left, &one]);
    let takes = to.text.compare("EQ", &bit, &one);
    let more = to.text.same("stablehlo.multiply", &[power, base]);
    let square = to.text.same("stablehlo.multiply", &[base, base]);
    let rest = to.text.same("stablehlo.shift_right_arithmetic", &[left, &one]);
    let mut still = fits.clone();
    if checks {
        let goes_on = to.text.compare("GT", &rest, &zero);
        for (counts, x, found) in [(&takes, power, &more), (&goes_on, base, &square)] {
            let ok = product(to, x, base, found);
            let idle = to.text.same("stablehlo.not", &[counts]);
            let ok = to.text.same("stablehlo.or", &[&idle, &ok]);
            still = to.text.same("stablehlo.and", &[&still, &ok]);
        }
    }
    let power = to.text.select(&takes, &more, power);
    [power, square, rest, still]
}

//! Random bits, as Threefry-2x32 defines them: twenty rounds on two words.

use gw_ir::Node;
use gw_types::DType;

use crate::elementwise::meet;
use crate::items::Item;
use crate::lowering::Lowering;
use crate::refused::Made;

/// The bits that belong to a counter under a key; the first word of each is the lower half.
pub(crate) fn bits(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    let met = meet(to, args)?;
    let [k0, k1] = words(to, &met[0]);
    let both = to.text.same("stablehlo.xor", &[&k0, &k1]);
    let parity = to.text.integer(0x1BD1_1BDA, both.ty.clone());
    let keys = [k0, k1, to.text.same("stablehlo.xor", &[&both, &parity])];
    let [mut x, mut y] = words(to, &met[1]);
    x = to.text.same("stablehlo.add", &[&x, &keys[0]]);
    y = to.text.same("stablehlo.add", &[&y, &keys[1]]);
    for round in 1..=20usize {
        x = to.text.same("stablehlo.add", &[&x, &y]);
        let turned = rotated(to, &y, [24, 13, 15, 26, 6, 17, 29, 16][round % 8]);
        y = to.text.same("stablehlo.xor", &[&turned, &x]);
        if round % 4 == 0 {
            let group = round / 4;
            x = to.text.same("stablehlo.add", &[&x, &keys[group % 3]]);
            y = to.text.same("stablehlo.add", &[&y, &keys[(group + 1) % 3]]);
            let number = to.text.integer(group as i64, y.ty.clone());
            y = to.text.same("stablehlo.add", &[&y, &number]);
        }
    }
    Ok(joined(to, &x, &y))
}

/// The lower and the upper half, as integers of 32 bits.
fn words(to: &mut Lowering<'_>, x: &Item) -> [Item; 2] {
    let half = to.text.integer(32, x.ty.clone());
    let upper = to.text.same("stablehlo.shift_right_logical", &[x, &half]);
    [x, &upper].map(|part| to.text.convert(part, DType::I32))
}

fn rotated(to: &mut Lowering<'_>, x: &Item, by: i64) -> Item {
    let [left, right] = [by, 32 - by].map(|amount| to.text.integer(amount, x.ty.clone()));
    let left = to.text.same("stablehlo.shift_left", &[x, &left]);
    let right = to.text.same("stablehlo.shift_right_logical", &[x, &right]);
    to.text.same("stablehlo.or", &[&left, &right])
}

fn joined(to: &mut Lowering<'_>, lower: &Item, upper: &Item) -> Item {
    let [lower, upper] = [lower, upper].map(|part| to.text.convert(part, DType::I64));
    let [half, mask] = [32, 0xFFFF_FFFF].map(|value| to.text.integer(value, lower.ty.clone()));
    let lower = to.text.same("stablehlo.and", &[&lower, &mask]);
    let upper = to.text.same("stablehlo.shift_left", &[&upper, &half]);
    to.text.same("stablehlo.or", &[&lower, &upper])
}

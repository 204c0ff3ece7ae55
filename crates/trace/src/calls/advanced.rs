//! Reads with several tensors of indices, which NumPy reads together: elements by their numbers along all these axes
//! at once. The axes of the indices stand where the first one stood, or in front if another entry stands between them.

use gw_ir::{Attr, BinaryOp, Builder, DimArg, Op, Unfit, ValueId};
use gw_types::{DType, Scalar};

use super::entries::{End, Item, are_neighbours, in_range};
use super::steps::{lengths_of, reshape, scalar};
use super::subscript::subscript;
use super::{elementwise, movement};
use crate::Staged;

/// Entries taken apart: those that are read as they stand, and the numbers along the axes that are read together.
struct Apart {
    plain: Vec<Item>,
    bounds: Vec<Staged>,
    /// Axes of what the plain entries give, each with its numbers.
    numbers: Vec<(usize, ValueId)>,
}

/// True if entries have to be read together: several tensors with axes, or one apart from another index.
pub(super) fn is_together(b: &Builder, items: &[Item], given: &[ValueId]) -> bool {
    let mut given = given.iter();
    let mut arrays = 0;
    for item in items {
        if let Item::Slice(start, stop, _) = item {
            let bounds = [start, stop].into_iter().filter(|end| **end == End::Given).count();
            given = given.as_slice()[bounds..].iter();
        }
        let index = if *item == Item::Given { given.next() } else { None };
        arrays += index.map_or(0, |&index| usize::from(b.ty(index).rank() > 0));
    }
    arrays > 1 || (arrays == 1 && !are_neighbours(items))
}

/// `x[items]`; `written` are the entries as the program has them, `items` the same without `...`.
pub(super) fn read(
    b: &mut Builder,
    written: &[Item],
    items: &[Item],
    x: ValueId,
    given: &[ValueId],
) -> Result<ValueId, Unfit> {
    let apart = apart(b, items, x, given)?;
    let operands: Vec<Staged> = std::iter::once(Staged::strong(x)).chain(apart.bounds).collect();
    let plain = subscript(b, &apart.plain, &operands)?.value;
    let rank = b.ty(plain).rank();
    let indexed: Vec<usize> = apart.numbers.iter().map(|(axis, _)| *axis).collect();
    let others = (0..rank).filter(|axis| !indexed.contains(axis));
    let in_front = permuted(b, plain, indexed.iter().copied().chain(others).collect())?;
    let numbers = apart.numbers.into_iter().map(|(_, numbers)| numbers).collect();
    let found = at_numbers(b, in_front, numbers)?;
    let group = b.ty(found).rank() - (rank - indexed.len());
    if !are_neighbours(written) {
        return Ok(found);
    }
    let (before, all) = (indexed[0], b.ty(found).rank());
    let axes = (group..group + before).chain(0..group).chain(group + before..all);
    permuted(b, found, axes.collect())
}

fn apart(b: &mut Builder, items: &[Item], x: ValueId, given: &[ValueId]) -> Result<Apart, Unfit> {
    let mut apart = Apart { plain: Vec::new(), bounds: Vec::new(), numbers: Vec::new() };
    let mut given = given.iter().copied();
    let (mut axis, mut made) = (0, 0);
    for &item in items {
        let number = match item {
            Item::At(i) => {
                in_range(b, x, axis, axis, i)?;
                Some(scalar(b, DType::I64, Scalar::Int(i)))
            }
            Item::Given => given.next(),
            Item::Slice(start, stop, _) => {
                let bounds = [start, stop].into_iter().filter(|end| *end == End::Given).count();
                apart.bounds.extend(given.by_ref().take(bounds).map(Staged::strong));
                None
            }
            Item::NewAxis | Item::Ellipsis => None,
        };
        apart.numbers.extend(number.map(|number| (made, number)));
        apart.plain.push(if number.is_some() { Item::Slice(End::Open, End::Open, 1) } else { item });
        axis += usize::from(item != Item::NewAxis);
        made += 1;
    }
    Ok(apart)
}

fn permuted(b: &mut Builder, x: ValueId, axes: Vec<usize>) -> Result<ValueId, Unfit> {
    let stays = axes.iter().enumerate().all(|(at, &axis)| at == axis);
    if stays { Ok(x) } else { b.op(Op::Transpose, Attr::Perm(axes), &[x]) }
}

/// The slices at numbers along the first axes: these become one, along which the slices are gathered. The numbers
/// along each axis are looked up in `0, 1, …`, which counts from the end and judges as every index is judged.
pub(super) fn at_numbers(b: &mut Builder, x: ValueId, numbers: Vec<ValueId>) -> Result<ValueId, Unfit> {
    let (mut dims, mut operands) = lengths_of(b, x, 1)?;
    let depth = numbers.len();
    let [zero, one] = [0, 1].map(|n| scalar(b, DType::I64, Scalar::Int(n)));
    let (mut flat, mut count) = (zero, one);
    for (axis, number) in numbers.into_iter().enumerate() {
        let length = b.op(Op::Dim, Attr::Axis(axis), &[x])?;
        let positions = b.op(Op::Range, Attr::None, &[zero, length, one])?;
        let position = movement::gather(b, positions, number, 0)?.value;
        let before = elementwise::binary(b, BinaryOp::Mul, Staged::strong(flat), Staged::strong(length))?;
        flat = elementwise::binary(b, BinaryOp::Add, before, Staged::strong(position))?.value;
        count = b.op(BinaryOp::Mul, Attr::None, &[count, length])?;
    }
    operands.push(count);
    dims.splice(..depth, [DimArg::Arg(operands.len())]);
    let (dims, operands) = movement::renumber(dims.into_iter(), &operands);
    let rows = reshape(b, x, dims, &operands)?;
    movement::gather(b, rows, flat, 0).map(|found| found.value)
}

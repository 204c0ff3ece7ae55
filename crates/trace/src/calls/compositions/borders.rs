//! Elements around an array, and elements that leave it at one end and come in at the other.

use gw_ir::{BinaryOp, Builder, CompareOp, Unfit, ValueId};
use gw_types::DType;

use super::layouts::Border;
use super::sizes::{Size, broadcast, counted, size_of, sizes_of};
use crate::Staged;
use crate::calls::elementwise::{binary, select};
use crate::calls::entries::{End, Item};
use crate::calls::movement::{concat, gather};
use crate::calls::source::range;
use crate::calls::steps::{Length, axis_of, cast, integer};
use crate::calls::subscript::subscript;

/// All of an axis.
const WHOLE: Item = Item::Slice(End::Open, End::Open, 1);

pub(super) fn reverse(b: &mut Builder, x: ValueId, axes: &[i64]) -> Result<ValueId, Unfit> {
    let mut items = vec![WHOLE; b.ty(x).rank()];
    for &axis in axes {
        items[axis_of(axis, b.ty(x).rank())?] = Item::Slice(End::Open, End::Open, -1);
    }
    part(b, x, &items)
}

fn part(b: &mut Builder, x: ValueId, items: &[Item]) -> Result<ValueId, Unfit> {
    subscript(b, items, &[Staged::strong(x)]).map(|found| found.value)
}

pub(super) fn roll(
    b: &mut Builder,
    x: ValueId,
    axes: &[i64],
    places: &[Length],
    given: &mut impl Iterator<Item = Staged>,
) -> Result<ValueId, Unfit> {
    let mut x = x;
    for (&axis, &by) in axes.iter().zip(places) {
        let axis = axis_of(axis, b.ty(x).rank())?;
        let (length, by) = (size_of(b, x, axis)?, Size::given(b, by, given)?);
        x = match (length, by) {
            (Size::Known(0), _) => x,
            (Size::Known(length), Size::Known(by)) => {
                turned(b, x, axis, (length - by.rem_euclid(length)) % length)?
            }
            (length, by) => shifted(b, x, axis, length, by)?,
        };
    }
    Ok(x)
}

/// The elements of an axis from this place on, and behind them those before it.
fn turned(b: &mut Builder, x: ValueId, axis: usize, first: i64) -> Result<ValueId, Unfit> {
    if first == 0 {
        return Ok(x);
    }
    let mut items = vec![WHOLE; axis + 1];
    items[axis] = Item::Slice(End::At(first), End::Open, 1);
    let behind = part(b, x, &items)?;
    items[axis] = Item::Slice(End::Open, End::At(first), 1);
    let before = part(b, x, &items)?;
    concat(b, &[behind, before].map(Staged::strong), axis as i64).map(|found| found.value)
}

/// The same by places that the graph computes.
fn shifted(b: &mut Builder, x: ValueId, axis: usize, length: Size, by: Size) -> Result<ValueId, Unfit> {
    let period = length.at_least(b, Size::Known(1))?.operand(b);
    let by = by.operand(b);
    let by = Staged::strong(cast(b, by.value, DType::I64)?);
    let by = binary(b, BinaryOp::Mod, by, period)?;
    let numbers = counted(b, length, Some(DType::I64))?;
    let away = binary(b, BinaryOp::Sub, numbers, by)?;
    let places = binary(b, BinaryOp::Mod, away, period)?;
    gather(b, x, places.value, axis as i64).map(|found| found.value)
}

/// Operands `x, number` and one scalar for each given number of places.
pub(super) fn pad(
    b: &mut Builder,
    args: &[Staged],
    border: Border,
    places: &[[Length; 2]],
) -> Result<ValueId, Unfit> {
    let (mut x, dtype) = (args[0].value, b.ty(args[0].value).dtype);
    let number = if border == Border::Constant { Some(cast(b, args[1].value, dtype)?) } else { None };
    let mut given = args[2..].iter().copied();
    for (axis, &[before, behind]) in places.iter().enumerate() {
        let (before, behind) = (Size::given(b, before, &mut given)?, Size::given(b, behind, &mut given)?);
        let counts = [before, behind];
        if counts == [Size::Known(0); 2] {
            continue;
        }
        x = match number {
            Some(number) => framed(b, x, axis, counts, number)?,
            None => mirrored(b, x, axis, counts, border == Border::Symmetric)?,
        };
    }
    Ok(x)
}

/// With the number so many times before and behind an axis.
fn framed(
    b: &mut Builder,
    x: ValueId,
    axis: usize,
    counts: [Size; 2],
    number: ValueId,
) -> Result<ValueId, Unfit> {
    let mut lengths = sizes_of(b, x)?;
    let mut side = |b: &mut Builder, count| {
        lengths[axis] = count;
        broadcast(b, number, &lengths)
    };
    let [before, behind] = [side(b, counts[0])?, side(b, counts[1])?];
    concat(b, &[before, x, behind].map(Staged::strong), axis as i64).map(|found| found.value)
}

/// With the elements as far inside as they are outside; the edge itself is repeated or not.
fn mirrored(
    b: &mut Builder,
    x: ValueId,
    axis: usize,
    [before, behind]: [Size; 2],
    edge: bool,
) -> Result<ValueId, Unfit> {
    let (length, more) = (size_of(b, x, axis)?, Size::Known(i64::from(edge)));
    let last = length.minus(b, Size::Known(1))?.plus(b, more)?;
    let period = Size::Known(2).times(b, last)?.at_least(b, Size::Known(1))?;
    let first = Size::Known(0).minus(b, before)?.operand(b);
    let (end, step) = (length.plus(b, behind)?.operand(b), integer(b, 1));
    let numbers = range(b, &[first, end, step], None)?;
    let turn = period.operand(b);
    let places = binary(b, BinaryOp::Mod, numbers, turn)?;
    let count = length.operand(b);
    let is_outside = binary(b, CompareOp::Ge, places, count)?;
    let back = period.minus(b, more)?.operand(b);
    let back = binary(b, BinaryOp::Sub, back, places)?;
    let places = select(b, is_outside, back, places)?;
    gather(b, x, places.value, axis as i64).map(|found| found.value)
}

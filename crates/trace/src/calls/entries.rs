//! The entries between the brackets of `x[…]`.

use gw_ir::{Builder, Unfit, ValueId};
use gw_types::Dim;

use super::steps::bad;

/// One entry between the brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item {
    /// A number.
    At(i64),
    /// The next of the operands: a single integer, or a tensor of them.
    Given,
    /// `start:stop:step`
    Slice(End, End, i64),
    /// `None`: a new axis of length 1
    NewAxis,
    /// `...`: all axes that the other entries leave
    Ellipsis,
}

/// One end of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// Left out.
    Open,
    /// A number.
    At(i64),
    /// The next of the operands, a single integer.
    Given,
}

/// The entries with `...` replaced by as many `:` as there are axes left.
pub(super) fn spelled_out(items: &[Item], rank: usize) -> Result<Vec<Item>, Unfit> {
    let used = items.iter().filter(|i| !matches!(i, Item::NewAxis | Item::Ellipsis)).count();
    let Some(left) = rank.checked_sub(used) else {
        let message = format!("{used} indices for a tensor of {rank} axes");
        return Err(Unfit { clause: "call.subscript", code: gw_base::Code::IndexPastEnd, message });
    };
    if items.iter().filter(|i| matches!(i, Item::Ellipsis)).count() > 1 {
        return Err(bad("call.subscript", "`...` stands more than once between the brackets".to_owned()));
    }
    let whole = std::iter::repeat_n(Item::Slice(End::Open, End::Open, 1), left);
    let at = items.iter().position(|i| matches!(i, Item::Ellipsis));
    let (head, tail) = at.map_or((items, &[][..]), |at| (&items[..at], &items[at + 1..]));
    Ok(head.iter().copied().chain(whole).chain(tail.iter().copied()).collect())
}

/// True if nothing stands between the first and the last index.
pub(super) fn are_neighbours(items: &[Item]) -> bool {
    let is_index = |item: &Item| matches!(item, Item::Given | Item::At(_));
    let first = items.iter().position(is_index).unwrap_or(0);
    let end = items.iter().rposition(is_index).map_or(0, |last| last + 1);
    items[first..end].iter().all(is_index)
}

/// A number that is out of a known range is wrong before anything runs; `named` is the axis as the program counts it.
pub(super) fn in_range(b: &Builder, x: ValueId, axis: usize, named: usize, i: i64) -> Result<(), Unfit> {
    match b.ty(x).shape.0[axis] {
        Dim::Fixed(n) if i >= n as i64 || i < -(n as i64) => Err(Unfit {
            clause: "call.index",
            code: gw_base::Code::IndexPastEnd,
            message: format!("index {i} is out of bounds for axis {named} with size {n}"),
        }),
        Dim::Fixed(_) | Dim::Var(_) => Ok(()),
    }
}

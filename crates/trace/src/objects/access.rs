//! Indices, positions and changes of lists in the graph: an index is checked when the graph runs.

use gw_ir::{ArgOp, BinaryOp, CheckKind, CompareOp, Op, Piece as Text, ReduceOp, ValueId};
use gw_types::{DType, Number};

use super::elements::{elements, fit, settled};
use super::equality::found;
use super::heap::Heap;
use super::held::{Elements, arithmetic, number};
use super::operand::Operand;
use super::rows::taken;
use crate::calls::{Call, End, Item};
use crate::{Staged, Trace};

/// The leaves of an element that are wanted.
type Leaves<H> = Vec<Option<<H as crate::Host>::Value>>;

type Held<H> = Elements<<H as crate::Host>::Skeleton>;

/// An index.
#[derive(Debug, Clone, Copy)]
pub enum Index {
    /// A number of the host's.
    Known(i64),
    /// A value of the graph.
    Given(Staged),
}

impl Index {
    /// As a value of the graph.
    pub fn value(&self, trace: &Trace) -> ValueId {
        match *self {
            Index::Known(i) => number(trace, i),
            Index::Given(staged) => staged.value,
        }
    }

    fn operand<C>(&self, trace: &Trace) -> Operand<C> {
        Operand::Staged(Staged::strong(self.value(trace)))
    }
}

impl<S> Elements<S> {
    /// Fails with an error of the index when the graph runs, unless there is an element at it.
    pub fn judge<H: Heap<Skeleton = S>>(&self, host: &H, index: &Index, text: &str) -> Result<(), H::Error> {
        let trace = host.trace();
        if let (Index::Known(i), Some(n)) = (*index, self.count(trace))
            && (-(n as i64)..n as i64).contains(&i)
        {
            return Ok(());
        }
        let n = self.length(trace);
        let ok = match *index {
            Index::Known(i) if i >= 0 => {
                arithmetic(trace, Op::Compare(CompareOp::Lt), &[number(trace, i), n])
            }
            Index::Known(i) => {
                arithmetic(trace, Op::Compare(CompareOp::Ge), &[n, number(trace, i.saturating_neg())])
            }
            Index::Given(staged) => {
                let below = arithmetic(trace, Op::Compare(CompareOp::Lt), &[staged.value, n]);
                let first = arithmetic(trace, Op::Binary(BinaryOp::Sub), &[number(trace, 0), n]);
                let above = arithmetic(trace, Op::Compare(CompareOp::Ge), &[staged.value, first]);
                arithmetic(trace, Op::Binary(BinaryOp::And), &[below, above])
            }
        };
        host.check(&[ok], CheckKind::Index, vec![Text::Text(text.to_owned())], false)
    }

    /// The element at an index, which there is; it stays in its list.
    pub fn at<H: Heap<Skeleton = S>>(&self, host: &H, index: &Index) -> Result<H::Value, H::Error> {
        let made = self.made(host, index)?;
        host.is_listed(&made)?;
        host.is_copied(&made)?;
        Ok(made)
    }

    /// The element at an index, which there is; the list no longer has it.
    pub(super) fn moved<H: Heap<Skeleton = S>>(
        &self,
        host: &H,
        of: &H::Object,
        index: &Index,
    ) -> Result<H::Value, H::Error> {
        let made = self.made(host, index)?;
        host.is_moved(&made, of)?;
        Ok(made)
    }

    fn made<H: Heap<Skeleton = S>>(&self, host: &H, index: &Index) -> Result<H::Value, H::Error> {
        let trace = host.trace();
        let index = index.operand(trace);
        let item = || self.map(host, &Call::Subscript(vec![Item::Given]), &[index]);
        let leaves = trace.with_checked_index(item)?.leaves;
        for (rows, item) in self.leaves.iter().zip(&leaves) {
            taken(trace, rows.value, item.value);
        }
        self.one(host, &leaves)
    }

    /// The `wanted` leaves of the element at a position that there is.
    fn leaves_at<H: Heap<Skeleton = S>>(
        &self,
        host: &H,
        at: ValueId,
        wanted: &[bool],
    ) -> Result<Leaves<H>, H::Error> {
        let read = |(&rows, &is_wanted): (&Staged, &bool)| {
            if !is_wanted {
                return Ok(None);
            }
            let operands = [rows, Staged::strong(at)].map(Operand::Staged).to_vec();
            let call = Call::Subscript(vec![Item::Given]);
            let leaf = host.trace().with_checked_index(|| host.apply(&call, operands))?;
            taken(host.trace(), rows.value, leaf.value);
            host.part(Staged { value: leaf.value, weak: rows.weak }).map(Some)
        };
        self.leaves.iter().zip(wanted).map(read).collect()
    }

    /// An index as counted from the start.
    fn counted_up(&self, trace: &Trace, index: &Index) -> ValueId {
        match *index {
            Index::Known(i) if i >= 0 => number(trace, i),
            Index::Known(i) => {
                let length = self.length(trace);
                arithmetic(trace, Op::Binary(BinaryOp::Add), &[length, number(trace, i)])
            }
            Index::Given(staged) => {
                let zero = number(trace, 0);
                let negative = arithmetic(trace, Op::Compare(CompareOp::Lt), &[staged.value, zero]);
                let turned =
                    arithmetic(trace, Op::Binary(BinaryOp::Add), &[staged.value, self.length(trace)]);
                arithmetic(trace, Op::Select, &[negative, turned, staged.value])
            }
        }
    }
}

/// The elements, which a list that is empty while tracing has not: the host's exception, as it raises it at once.
pub fn some<H: Heap>(
    host: &H,
    of: &H::Object,
    held: Option<Held<H>>,
    (kind, text): (CheckKind, &str),
) -> Result<Held<H>, H::Error> {
    if let Some(held) = held {
        return Ok(held);
    }
    host.lists().miss(of);
    Err(host.raise(kind, &host.message(text)))
}

/// `xs[index]`; a list of the host's own stays as it is.
pub fn get<H: Heap>(host: &H, of: &H::Object, index: &Index) -> Result<H::Value, H::Error> {
    let held = if host.holds_rows(of) { settled(host, of)? } else { elements(host, of)? };
    at(host, of, held, index)
}

/// `xs[index]` of these elements of a list.
pub fn at<H: Heap>(
    host: &H,
    of: &H::Object,
    held: Option<Held<H>>,
    index: &Index,
) -> Result<H::Value, H::Error> {
    let text = "list index out of range";
    let held = some(host, of, held, (CheckKind::Index, text))?;
    held.judge(host, index, text)?;
    let value = held.at(host, index)?;
    host.stands_for(&value, of, &|| held.counted_up(host.trace(), index))?;
    Ok(value)
}

/// `xs[index] = value`
pub fn set<H: Heap>(host: &H, of: &H::Object, index: &Index, value: &H::Value) -> Result<(), H::Error> {
    let text = "list assignment index out of range";
    let held = some(host, of, settled(host, of)?, (CheckKind::Index, text))?;
    held.judge(host, index, text)?;
    let (held, leaves) = fit(host, &held, value)?;
    host.enters(value)?;
    let index = index.operand(host.trace());
    let stored = || held.zip(host, &leaves, &Call::Store(vec![Item::Given]), &[index]);
    host.trace().with_checked_index(stored)?.put(host, of)
}

/// Stores the `changed` leaves of a value into the element at a position that there is.
pub fn store_leaves<H: Heap>(
    host: &H,
    of: &H::Object,
    at: ValueId,
    value: &H::Value,
    changed: &[bool],
) -> Result<(), H::Error> {
    let Some(held) = settled(host, of)? else { return Ok(()) };
    host.part_with(value)?;
    stored(host, held, at, value, changed)?.put(host, of)
}

/// Elements, of which the one at a position has the `changed` leaves of a value.
fn stored<H: Heap>(
    host: &H,
    held: Held<H>,
    at: ValueId,
    value: &H::Value,
    changed: &[bool],
) -> Result<Held<H>, H::Error> {
    let (mut held, leaves) = fit(host, &held, value)?;
    for ((rows, value), _) in held.leaves.iter_mut().zip(leaves).zip(changed).filter(|(_, changed)| **changed)
    {
        let operands = [*rows, Staged::strong(value.value), Staged::strong(at)].map(Operand::Staged).to_vec();
        let call = Call::Store(vec![Item::Given]);
        let stored = host.trace().with_checked_index(|| host.apply(&call, operands))?;
        *rows = Staged { value: stored.value, weak: rows.weak };
    }
    Ok(held)
}

/// The `wanted` leaves of the element at a position that there is; nothing for the others.
pub fn read_leaves<H: Heap>(
    host: &H,
    of: &H::Object,
    at: ValueId,
    wanted: &[bool],
) -> Result<Leaves<H>, H::Error> {
    match elements(host, of)? {
        Some(held) => held.leaves_at(host, at, wanted),
        None => Ok(Vec::new()),
    }
}

/// True if two positions are the same.
pub fn is_at(trace: &Trace, positions: [ValueId; 2]) -> Staged {
    Staged::strong(arithmetic(trace, Op::Compare(CompareOp::Eq), &positions))
}

/// The leaves of each item of a list of the host's, of which the one at a position has the `changed` leaves of a value from now
/// on; nothing for the others.
pub fn change_items<H: Heap>(
    host: &H,
    of: &H::Object,
    at: ValueId,
    value: &H::Value,
    changed: &[bool],
) -> Result<Vec<Leaves<H>>, H::Error> {
    let Some(held) = elements(host, of)? else { return Ok(Vec::new()) };
    let held = stored(host, held, at, value, changed)?;
    let item = |at: usize| held.leaves_at(host, number(host.trace(), at as i64), changed);
    (0..host.items(of).len()).map(item).collect()
}

/// `del xs[index]`
pub fn delete<H: Heap>(host: &H, of: &H::Object, index: &Index) -> Result<(), H::Error> {
    remove_at(host, of, index, "list assignment index out of range").map(drop)
}

/// Takes the element at an index out of a list, and gives it.
pub fn remove_at<H: Heap>(host: &H, of: &H::Object, index: &Index, text: &str) -> Result<H::Value, H::Error> {
    let trace = host.trace();
    let held = some(host, of, settled(host, of)?, (CheckKind::Index, text))?;
    held.judge(host, index, text)?;
    let element = held.moved(host, of, index)?;
    let part = |start, stop| held.map(host, &Call::Subscript(vec![Item::Slice(start, stop, 1)]), &[]);
    let rest = match index {
        Index::Known(-1) => part(End::Open, End::At(-1))?,
        Index::Known(0) => part(End::At(1), End::Open)?,
        Index::Known(_) | Index::Given(_) => {
            let at = held.counted_up(trace, index);
            let next = arithmetic(trace, Op::Binary(BinaryOp::Add), &[at, number(trace, 1)]);
            let front = held.cut(host, None, Some(at))?;
            front.joined(host, &held.cut(host, Some(next), None)?)?
        }
    };
    host.is_resized(of)?;
    rest.put(host, of)?;
    Ok(element)
}

/// Takes the last element out of a list; the run fails with an error of this kind if there is none.
pub fn pop<H: Heap>(host: &H, of: &H::Object, kind: CheckKind, text: &str) -> Result<H::Value, H::Error> {
    let held = some(host, of, settled(host, of)?, (kind, text))?;
    let any = held.is_some(host.trace());
    host.check(&[any], kind, vec![Text::Text(text.to_owned())], false)?;
    remove_at(host, of, &Index::Known(-1), text)
}

/// `xs.insert(index, value)`
pub fn insert<H: Heap>(host: &H, of: &H::Object, index: &Index, value: &H::Value) -> Result<(), H::Error> {
    let mut items = match settled(host, of)? {
        None => host.items(of),
        Some(held) => {
            let at = index.value(host.trace());
            let front = host.row_item(held.cut(host, None, Some(at))?)?;
            let back = host.row_item(held.cut(host, Some(at), None)?)?;
            host.fill(of, vec![front, value.clone(), back])?;
            return settled(host, of).map(drop);
        }
    };
    items.push(value.clone());
    host.fill(of, items)
}

/// `xs.reverse()`
pub fn reverse<H: Heap>(host: &H, of: &H::Object) -> Result<(), H::Error> {
    let held = if host.holds_rows(of) { settled(host, of)? } else { elements(host, of)? };
    let Some(held) = held else { return host.fill(of, Vec::new()) };
    held.map(host, &Call::Subscript(vec![Item::Slice(End::Open, End::Open, -1)]), &[])?.put(host, of)
}

/// The first position of a value; the run fails with `text` if it is nowhere.
pub fn find<H: Heap>(
    host: &H,
    of: &H::Object,
    value: &H::Value,
    text: &H::Message,
) -> Result<Index, H::Error> {
    let equal = match found(host, of, value)? {
        Some((held, equal)) if held.count(host.trace()) != Some(0) => equal,
        Some(_) | None => return Err(host.raise(CheckKind::Value, text)),
    };
    let ok = host.apply(&any(), vec![equal.clone()])?.value;
    let (pieces, shown) = host.pieces(text, 1)?;
    let values: Vec<_> =
        std::iter::once(ok).chain(shown.iter().map(|operand| host.stage(operand).value)).collect();
    host.check(&values, CheckKind::Value, pieces, false)?;
    let cast = |dtype, value| host.apply(&Call::Cast(dtype), vec![value]);
    let marks = cast(DType::I32, equal)?;
    let first = host.apply(&Call::Arg { op: ArgOp::Max, axis: 0 }, vec![Operand::Staged(marks)])?;
    Ok(Index::Given(cast(DType::I64, Operand::Staged(first))?))
}

/// `xs.count(value)`; nothing if no element can equal it.
pub fn count<H: Heap>(host: &H, of: &H::Object, value: &H::Value) -> Result<Option<Staged>, H::Error> {
    let Some((_, equal)) = found(host, of, value)? else { return Ok(None) };
    let ones = host.apply(&Call::Cast(DType::I64), vec![equal])?;
    let sum = Call::Reduce { op: ReduceOp::Sum, axes: None, keep: false };
    let sum = host.apply(&sum, vec![Operand::Staged(ones)])?;
    Ok(Some(Staged { value: sum.value, weak: Some(Number::Int) }))
}

pub(super) fn any() -> Call {
    Call::Reduce { op: ReduceOp::Any, axes: None, keep: false }
}

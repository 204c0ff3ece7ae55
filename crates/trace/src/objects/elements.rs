//! Elements of lists in the graph, as the rows of tensors.

use std::sync::Arc;

use gw_base::{Code, Diagnostic};
use gw_ir::ValueId;

use super::heap::Heap;
use super::held::Elements;
use super::operand::Operand;
use super::rows::{Misfit, Piece, meet, rows};
use crate::Staged;
use crate::calls::{Call, End, Item};

/// The structure and the leaves of one item: an element, or rows.
pub type Pieces<S> = (Arc<S>, Vec<Piece>);

type Held<H> = Elements<<H as crate::Host>::Skeleton>;

/// The diagnostic where the host alone would look at the elements.
pub fn elements_unknown() -> Diagnostic {
    let message =
        "this list grows in the graph, so how many elements it has is known only when the graph runs";
    let help = "use its methods, an index, `len`, `in` or a `for` loop; `gw.stack` makes a tensor of it";
    Diagnostic::new(Code::ListInGraph, message).help(help)
}

/// The diagnostic of a list that the graph cannot hold.
pub fn list_refusal(message: impl Into<String>) -> Diagnostic {
    let help = "a list that a branch or loop of the graph changes holds tensors and numbers of one dtype and shape, or \
                tuples of them; for rows of numbers use a tensor, `gw.zeros((n, m))` and `x[i, j] = v`";
    Diagnostic::new(Code::ListInGraph, message).help(help)
}

pub(super) fn refused<H: Heap>(host: &H, message: impl Into<String>) -> H::Error {
    host.refuse(list_refusal(message))
}

fn differ<H: Heap>(host: &H, Misfit(a, b): &Misfit) -> H::Error {
    refused(host, format!("a list in the graph would hold {a} and {b}"))
}

fn structures_differ<H: Heap>(host: &H) -> H::Error {
    refused(host, "the elements of a list in the graph differ in their structure")
}

/// A list's elements; nothing if it has none, for then they have no type.
pub fn elements<H: Heap>(host: &H, list: &H::Object) -> Result<Option<Held<H>>, H::Error> {
    host.is_read(list)?;
    let mut known: Option<Arc<H::Skeleton>> = None;
    let mut columns: Vec<Vec<Piece>> = Vec::new();
    for item in host.items(list) {
        let (skeleton, pieces) = parts(host, &item)?;
        match &known {
            None => {
                columns = pieces.iter().map(|_| Vec::new()).collect();
                known = Some(skeleton);
            }
            Some(known) if host.same_skeleton(known, &skeleton) => {}
            Some(_) => return Err(structures_differ(host)),
        }
        columns.iter_mut().zip(pieces).for_each(|(column, piece)| column.push(piece));
    }
    let Some(element) = known else { return Ok(host.lists().nothing(host.trace(), list)) };
    host.locate();
    let leaf = |column: Vec<Piece>| match rows(host.trace(), &column) {
        Ok(rows) => Ok(rows.expect("a list with elements has rows")),
        Err(misfit) => Err(differ(host, &misfit)),
    };
    let leaves = columns.into_iter().map(leaf).collect::<Result<_, _>>()?;
    if host.lists().begin() {
        host.first_list()?;
    }
    let elements = Elements { element, leaves, bound: None };
    host.lists().learn(host.trace(), list, &elements);
    Ok(Some(elements))
}

/// The structure and the leaves of one item.
pub fn parts<H: Heap>(host: &H, item: &H::Value) -> Result<Pieces<H::Skeleton>, H::Error> {
    if let Some(held) = host.row_elements(item) {
        let leaves = host.read_rows(item, &held)?;
        return Ok((held.element, leaves.into_iter().map(Piece::Rows).collect()));
    }
    let (skeleton, leaves) = host.open(item)?;
    let cannot = |value: &H::Value| match host.type_name(value) {
        Ok(kind) => refused(host, format!("a list in the graph would hold a `{kind}`")),
        Err(error) => error,
    };
    if !host.is_value(&skeleton) || leaves.is_empty() {
        return Err(cannot(item));
    }
    let piece = |leaf: H::Value| match host.piece(&leaf)? {
        Some(seen) => Ok(Piece::One(seen)),
        None => Err(cannot(&leaf)),
    };
    let pieces = leaves.into_iter().map(piece).collect::<Result<_, H::Error>>()?;
    host.is_listed(item)?;
    Ok((Arc::new(skeleton), pieces))
}

/// True if a list of the graph can hold a value.
pub fn is_element<H: Heap>(host: &H, value: &H::Value) -> Result<bool, H::Error> {
    let (skeleton, leaves) = host.open(value)?;
    for leaf in &leaves {
        if host.operand(leaf)?.is_none() {
            return Ok(false);
        }
    }
    Ok(host.is_value(&skeleton) && !leaves.is_empty())
}

/// The elements of a list, which from now on stand in it as rows; nothing if it has none.
pub fn settled<H: Heap>(host: &H, list: &H::Object) -> Result<Option<Held<H>>, H::Error> {
    let Some(elements) = elements(host, list)? else { return Ok(None) };
    let items = host.items(list);
    let is_done = items.len() == 1 && host.is_rows(&items[0]);
    if !is_done {
        for item in items.iter().filter(|item| !host.is_rows(item)) {
            host.part_with(item)?;
            host.enters(item)?;
        }
        host.is_resized(list)?;
        host.reshape(list, vec![host.row_item(elements.clone())?])?;
        if let Some(rows) = items.first().filter(|first| host.is_rows(first)) {
            host.is_longer(list, rows)?;
        }
    }
    Ok(Some(elements))
}

/// True if a list still has the items that it held.
pub fn is_unchanged<H: Heap>(host: &H, list: &H::Object, held: &[H::Value]) -> bool {
    same_items(host, &host.items(list), held)
}

/// True if items are the same. Rows that flow through a statement stand in the list anew: they are the same if their tensors are.
pub(super) fn same_items<H: Heap>(host: &H, now: &[H::Value], held: &[H::Value]) -> bool {
    let same_rows = |now: &H::Value, was: &H::Value| match (host.row_elements(now), host.row_elements(was)) {
        (Some(now), Some(was)) => now.leaves == was.leaves && now.bound == was.bound,
        (Some(_), None) | (None, Some(_)) | (None, None) => false,
    };
    now.len() == held.len()
        && now.iter().zip(held).all(|(now, was)| host.is_object(now, was) || same_rows(now, was))
}

/// As [`settled`], for a list that flows: one whose name may be without it is not read.
pub(super) fn flowing<H: Heap>(host: &H, list: &H::Object) -> Result<Option<Held<H>>, H::Error> {
    let Some((bound, lack, sure)) = host.doubt(list)? else { return settled(host, list) };
    let Some(sure) = elements(host, &sure)? else { return Ok(None) };
    let held = Elements { bound: Some((bound, lack)), ..sure };
    host.lists().learn(host.trace(), list, &held);
    held.put(host, list)?;
    Ok(Some(held))
}

/// Elements and one more value, in the types in which they meet; the leaves of the value.
pub fn fit<H: Heap>(host: &H, held: &Held<H>, value: &H::Value) -> Result<(Held<H>, Vec<Staged>), H::Error> {
    let (skeleton, pieces) = parts(host, value)?;
    if !host.same_skeleton(&held.element, &skeleton) {
        return Err(structures_differ(host));
    }
    let (mut leaves, mut values) = (Vec::new(), Vec::new());
    for (&rows, piece) in held.leaves.iter().zip(pieces) {
        let met = meet(host.trace(), &[Piece::Rows(rows), piece]).map_err(|misfit| differ(host, &misfit))?;
        leaves.push(met[0]);
        values.push(met[1]);
    }
    Ok((Elements { leaves, ..held.clone() }, values))
}

impl<S> Elements<S> {
    /// Gives a list these elements.
    pub fn put<H: Heap<Skeleton = S>>(&self, host: &H, list: &H::Object) -> Result<(), H::Error> {
        host.fill(list, vec![host.row_item(self.clone())?])
    }

    /// A new list of these elements.
    pub fn to_list<H: Heap<Skeleton = S>>(&self, host: &H) -> Result<H::Object, H::Error> {
        host.new_list(vec![host.row_item(self.clone())?])
    }

    /// An element of these leaves.
    pub fn one<H: Heap<Skeleton = S>>(&self, host: &H, leaves: &[Staged]) -> Result<H::Value, H::Error> {
        let leaves = leaves.iter().map(|&leaf| host.part(leaf)).collect::<Result<_, _>>()?;
        host.rebuild(&self.element, leaves)
    }

    /// The result of a call on the rows of each leaf.
    pub fn map<H: Heap<Skeleton = S>>(
        &self,
        host: &H,
        call: &Call,
        others: &[Operand<H::Constant>],
    ) -> Result<Self, H::Error> {
        let leaf = |&leaf: &Staged| {
            let operands = std::iter::once(Operand::Staged(leaf)).chain(others.iter().cloned()).collect();
            Ok(Staged { value: host.apply(call, operands)?.value, weak: leaf.weak })
        };
        Ok(Self { leaves: self.leaves.iter().map(leaf).collect::<Result<_, H::Error>>()?, ..self.clone() })
    }

    /// The result of a call on the rows of each leaf and a value beside them.
    pub(super) fn zip<H: Heap<Skeleton = S>>(
        &self,
        host: &H,
        values: &[Staged],
        call: &Call,
        others: &[Operand<H::Constant>],
    ) -> Result<Self, H::Error> {
        let leaf = |(&rows, value): (&Staged, &Staged)| {
            let both = [rows, Staged::strong(value.value)].map(Operand::Staged);
            let operands = both.into_iter().chain(others.iter().cloned()).collect();
            Ok(Staged { value: host.apply(call, operands)?.value, weak: rows.weak })
        };
        let leaves = self.leaves.iter().zip(values).map(leaf).collect::<Result<_, H::Error>>()?;
        Ok(Self { leaves, ..self.clone() })
    }

    /// The elements from one position to another.
    pub fn cut<H: Heap<Skeleton = S>>(
        &self,
        host: &H,
        start: Option<ValueId>,
        stop: Option<ValueId>,
    ) -> Result<Self, H::Error> {
        let end = |end: Option<ValueId>| if end.is_some() { End::Given } else { End::Open };
        let given: Vec<_> =
            start.into_iter().chain(stop).map(|v| Operand::Staged(Staged::strong(v))).collect();
        self.map(host, &Call::Subscript(vec![Item::Slice(end(start), end(stop), 1)]), &given)
    }

    /// These elements, and behind them others.
    pub(super) fn joined<H: Heap<Skeleton = S>>(&self, host: &H, other: &Self) -> Result<Self, H::Error> {
        self.zip(host, &other.leaves, &Call::Concat { axis: 0 }, &[])
    }
}

//! A list in the graph: its elements are the rows of a tensor, whose first axis is as long as the list.

use gw_ir::{Attr, Literal, Op, ValueId};
use gw_types::{Dim, Shape, TensorType};

use crate::calls::{Call, emit};
use crate::carried::Loop;
use crate::join::{LeafType, cast, describe, variable_of};
use crate::merge::Merge;
use crate::region::at_end_of;
use crate::roles::Role;
use crate::{Host, Parts, Seen, Shown, Staged, Trace};

/// A part of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Piece {
    /// Rows of a tensor.
    Rows(Staged),
    /// One element: a value of the graph, or a number.
    One(Seen),
}

/// Two elements that no list of the graph can hold both, in the user's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit(pub String, pub String);

/// The pieces in the one type that they meet in, as branches meet; single elements stay single.
///
/// # Errors
/// If they do not meet.
pub fn meet(trace: &Trace, pieces: &[Piece]) -> Result<Vec<Staged>, Misfit> {
    let mut types = pieces.iter().filter_map(|&piece| element_type(trace, piece));
    let Some(first) = types.next() else { return Ok(Vec::new()) };
    let mut common = first;
    for found in types {
        let misfit = Misfit(describe(&common.ty, common.weak), describe(&found.ty, found.weak));
        common = match common.join(&found, trace) {
            Ok(joined) if alike(&common.ty.shape, &found.ty.shape) => joined,
            Ok(_) | Err(_) => return Err(misfit),
        };
    }
    pieces.iter().map(|&piece| in_type(trace, piece, &common)).collect()
}

/// All pieces as the rows of one tensor.
///
/// # Errors
/// If they do not meet in one type.
pub fn rows(trace: &Trace, pieces: &[Piece]) -> Result<Option<Staged>, Misfit> {
    let met = meet(trace, pieces)?;
    let Some(first) = met.first() else { return Ok(None) };
    let (dtype, weak) = (trace.ty(first.value).dtype, first.weak);
    let mut parts: Vec<ValueId> = Vec::new();
    let mut numbers = Vec::new();
    let constant = |numbers: &mut Vec<_>, parts: &mut Vec<ValueId>| {
        if !numbers.is_empty() {
            let literal = Literal::from_scalars(dtype, vec![numbers.len()], numbers);
            parts.push(trace.build(|b| b.constant(literal)));
            numbers.clear();
        }
    };
    for (&piece, &one) in pieces.iter().zip(&met) {
        if let Piece::One(Seen::Number(number)) = piece {
            numbers.push(number);
            continue;
        }
        constant(&mut numbers, &mut parts);
        parts.push(match piece {
            Piece::Rows(_) => one.value,
            Piece::One(_) => row(trace, one),
        });
    }
    constant(&mut numbers, &mut parts);
    let value = match parts[..] {
        [only] => only,
        [..] => trace
            .build(|b| b.op(Op::Concat, Attr::Axis(0), &parts))
            .expect("rows of one type and shape are joined"),
    };
    Ok(Some(Staged { value, weak }))
}

/// Says of a value that it is an item of a list of Python's, for which `rows` stand: a number of Python's, unless what was put
/// into the list was none.
pub fn taken(trace: &Trace, rows: ValueId, item: ValueId) {
    trace.build(|b| b.set_item(item, rows));
}

/// An element as the only row of a tensor.
fn row(trace: &Trace, one: Staged) -> ValueId {
    let made = trace.build(|b| emit(&Call::ExpandDims(0), b, &[one]));
    made.expect("every tensor takes an axis in front").value
}

fn element_type(trace: &Trace, piece: Piece) -> Option<LeafType> {
    match piece {
        Piece::One(seen) => LeafType::of(trace, seen),
        Piece::Rows(staged) => {
            let TensorType { dtype, shape } = trace.ty(staged.value);
            let shape = Shape(shape.0.into_iter().skip(1).collect());
            Some(LeafType { weak: staged.weak, ..LeafType::strong(TensorType::new(dtype, shape)) })
        }
    }
}

/// True if no axis is known to be longer in one than in the other.
fn alike(a: &Shape, b: &Shape) -> bool {
    let fits = |(a, b): (&Dim, &Dim)| a.fixed().is_none() || b.fixed().is_none() || a == b;
    a.rank() == b.rank() && a.0.iter().zip(&b.0).all(fits)
}

fn in_type(trace: &Trace, piece: Piece, common: &LeafType) -> Result<Staged, Misfit> {
    let dtype = common.ty.dtype;
    let value = match piece {
        Piece::Rows(staged) | Piece::One(Seen::Staged(staged)) => cast(trace, staged, dtype),
        Piece::One(seen @ Seen::Number(number)) => {
            if !common.holds(seen) {
                let large = format!("the number {}, which is too large for it", number.to_i64());
                return Err(Misfit(describe(&common.ty, common.weak), large));
            }
            trace.build(|b| b.constant(Literal::scalar(dtype, number)))
        }
        Piece::One(
            seen @ (Seen::Text(_)
            | Seen::Maybe(..)
            | Seen::Unbound
            | Seen::Nothing
            | Seen::Empty
            | Seen::Unclear
            | Seen::Object),
        ) => crate::join::fit(trace, seen, common),
    };
    Ok(Staged { value, weak: common.weak })
}

impl<H: Host> Merge<'_, H> {
    /// Both sides of a name; where they leave lists of which one is the graph's, or which differ in length, the elements of those that
    /// are the host's become rows at the end of their branches.
    pub(crate) fn with_rows(&self, parts: [Parts<H>; 2]) -> Result<[Parts<H>; 2], H::Error> {
        let lists = [&parts[0].0, &parts[1].0];
        let (Some((then, counts)), Some((orelse, _))) = (self.host.as_rows(lists), self.host.as_rows(lists))
        else {
            return Ok(parts);
        };
        let leaves = [&parts[0].1, &parts[1].1];
        let width =
            |side: usize| counts[side].map_or(leaves[side].len(), |count| leaves[side].len() / count.max(1));
        let width = width(0).max(width(1));
        let columns = |side: usize| match counts[side] {
            None => Ok(Some(leaves[side].clone())),
            Some(count) => {
                let column = |at: usize| leaves[side].iter().skip(at).step_by(width);
                (0..width).map(|at| self.column_of_rows(side, column(at), count)).collect()
            }
        };
        match (columns(0)?, columns(1)?) {
            (Some(a), Some(b)) => {
                self.host.has_lists()?;
                Ok([(then, a), (orelse, b)])
            }
            (None | Some(_), _) => Ok(parts),
        }
    }

    fn column_of_rows<'v>(
        &self,
        side: usize,
        leaves: impl Iterator<Item = &'v H::Value>,
        count: usize,
    ) -> Result<Option<H::Value>, H::Error>
    where
        H::Value: 'v,
    {
        if count == 0 {
            return self.host.leaf_without_elements().transpose();
        }
        let mut pieces = Vec::with_capacity(count);
        for leaf in leaves {
            match self.see(side, leaf)? {
                seen @ (Seen::Number(_) | Seen::Staged(_)) => pieces.push(Piece::One(seen)),
                Seen::Maybe(..) | Seen::Unbound | Seen::Nothing | Seen::Empty => return Ok(None),
                Seen::Text(_) | Seen::Unclear | Seen::Object => return Ok(None),
            }
        }
        let trace = self.host.trace();
        at_end_of(trace, self.regions[side], || match rows(trace, &pieces) {
            Ok(Some(made)) => self.host.show(Shown::Staged(made)).map(Some),
            Ok(None) | Err(_) => Ok(None),
        })
    }
}

impl<H: Host> Loop<'_, H> {
    /// Next role of a list's elements in the loop where there are none before or after an iteration.
    pub(crate) fn next_list(&mut self, role: &Role, seen: Seen) -> Option<Role> {
        match (role, seen) {
            (Role::Empty, Seen::Empty) => Some(Role::Empty),
            (Role::Empty, Seen::Staged(_)) => self.any_count(&self.type_of(seen)).map(Role::Carry),
            (Role::Carry(t), Seen::Empty) => self.any_count(t).map(Role::Carry),
            (Role::Empty | Role::Kept | Role::Absent | Role::Carry(_) | Role::Optional(..), _) => None,
        }
    }

    /// True if these are the leaves of a list without elements.
    pub(crate) fn is_empty(&self, leaves: &[H::Value]) -> Result<bool, H::Error> {
        let [leaf] = leaves else { return Ok(false) };
        Ok(self.host.see(leaf)? == Seen::Empty)
    }

    /// The type of a list's elements, any number of them.
    pub(crate) fn any_count(&mut self, t: &LeafType) -> Option<LeafType> {
        if t.ty.shape.0.first().and_then(variable_of).is_some_and(|v| self.own.contains(&v)) {
            return Some(t.clone());
        }
        let t = t.of_any_count(self.host.trace())?;
        self.own.extend(t.ty.shape.0.iter().filter_map(variable_of));
        Some(t)
    }
}

//! Representations of values of the graph: numbers, arrays in memory, or rules by which elements are computed.

use gw_ir::{NodeId, ValueId};

use crate::loops::{Ty, Var};

/// The place of a value of the graph.
#[derive(Debug, Clone)]
pub(super) enum Held {
    /// A number, in a variable.
    Scalar(Var),
    /// An array in memory.
    View(View),
    /// An array that is computed where it is read.
    Delayed(Delayed),
}

/// An array in memory.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// Address of its first element.
    pub(super) ptr: Var,
    /// The type of its elements.
    pub(super) ty: Ty,
    /// The lengths of its axes, i64s.
    pub(super) dims: Vec<Var>,
    /// From one position of an axis to the next, in elements.
    pub(super) strides: Vec<Var>,
    /// True if the strides are those of a row-major array without gaps.
    pub(super) dense: bool,
}

/// An array that is computed where it is read.
#[derive(Debug, Clone)]
pub(super) struct Delayed {
    pub(super) rule: Rule,
    /// The type of its elements.
    pub(super) ty: Ty,
    /// The lengths of its axes, i64s.
    pub(super) dims: Vec<Var>,
}

/// The computation of an element of a delayed array.
#[derive(Debug, Clone)]
pub(super) enum Rule {
    /// By an elementwise op from those of its operands.
    Elementwise(NodeId),
    /// It is an element of another array: one entry for each axis of that one.
    Moved(ValueId, Vec<Axis>),
    /// `start + i * step` of the i-th element in row-major order.
    Range(Var, Var),
    /// A piece of it is in memory, at this address, from the element with this number on.
    Piece(Var, Var),
}

/// Position of an element on an axis of the source: `start + step * position`, the position being that on an
/// axis of the result, if there is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub(super) start: Var,
    pub(super) from: Option<(usize, Var)>,
}

/// Element that is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum At<'a> {
    /// By its position on each axis.
    Index(&'a [Var]),
    /// By its number in row-major order; all arrays that are read have the same lengths, or are numbers.
    Flat(Var),
}

/// Location of the next value of a carry.
#[derive(Debug, Clone, Copy)]
pub(super) enum Home {
    /// Memory of the right size.
    Fixed(Var),
    /// A slot, by its address.
    Growing(Var),
}

//! The roles of the variables of a loop's state, and of the leaves of each.

use crate::join::LeafType;
use crate::{Host, Lack};

/// Role of one leaf in the loop.
#[derive(Clone, PartialEq)]
pub(crate) enum Role {
    /// A carry of this type.
    Carry(LeafType),
    /// A carry with a bool that says whether the name has it, and what it has otherwise.
    Optional(LeafType, Lack),
    /// A name without a value, so far.
    Absent,
    /// A list without elements, so far.
    Empty,
    /// Not for the graph; it stays as it is.
    Kept,
}

/// A leaf of a variable.
pub(crate) struct Leaf<V> {
    /// Value before the loop.
    pub before: V,
    pub role: Role,
    /// The body leaves it as it finds it.
    pub unchanged: bool,
}

/// A variable, taken apart.
pub(crate) struct Variable<H: Host> {
    pub before: H::Value,
    pub skeleton: H::Skeleton,
    pub leaves: Vec<Leaf<H::Value>>,
    /// The body leaves another object than it finds, though with the same leaves.
    pub replaced: bool,
}

impl<H: Host> Variable<H> {
    /// True if it has no value, so far.
    pub fn is_absent(&self) -> bool {
        matches!(self.leaves.as_slice(), [Leaf { role: Role::Absent, .. }])
    }
}

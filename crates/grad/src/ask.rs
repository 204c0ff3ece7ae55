//! The request for a derivative: of what, by what, and through which nodes.

use gw_ir::{NodeId, ValueId};

/// A request for a derivative.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The values that change, each with its cotangent, of the same type.
    pub targets: &'a [(ValueId, ValueId)],
    /// By what.
    pub sources: &'a [Source],
    /// Test for the nodes that count; a result of any other does not change.
    pub recorded: &'a dyn Fn(NodeId) -> bool,
}

/// A value by which something is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Value to derive by.
    pub value: ValueId,
    /// The first node whose use of it counts.
    pub since: NodeId,
}

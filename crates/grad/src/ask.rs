//! The request for a derivative: of what, by what, and through which nodes.

use gw_ir::{NodeId, ValueId};

/// What a derivative is asked of.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// What changes, each with its cotangent, of the same type.
    pub targets: &'a [(ValueId, ValueId)],
    /// By what.
    pub sources: &'a [Source],
    /// Which nodes count; a result of any other does not change.
    pub recorded: &'a dyn Fn(NodeId) -> bool,
}

/// A value by which something is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Which.
    pub value: ValueId,
    /// What used it before this node does not count.
    pub since: NodeId,
}

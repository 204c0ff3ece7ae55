//! One application of an op, which a rule goes back through.

use gw_ir::{NodeId, ValueId};

/// One application of an op, on the way back.
#[derive(Clone)]
pub(crate) struct Step {
    pub id: NodeId,
    pub args: Vec<ValueId>,
    /// What it gave.
    pub out: ValueId,
    /// What flows back to that.
    pub g: ValueId,
}

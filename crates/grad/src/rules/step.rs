//! One application of an op, which a rule goes back through.

use gw_ir::{NodeId, ValueId};

/// One application of an op, in the backward pass.
#[derive(Clone)]
pub(crate) struct Step {
    pub id: NodeId,
    pub args: Vec<ValueId>,
    /// Its result.
    pub out: ValueId,
    /// The cotangent of the result.
    pub g: ValueId,
}

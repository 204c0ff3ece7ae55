//! Operands of the operations on containers.

use gw_types::Scalar;

use crate::Staged;

/// A value as operations take it; what the host holds comes into the graph where an operation uses it.
#[derive(Debug, Clone)]
pub enum Operand<C> {
    /// A value of the graph.
    Staged(Staged),
    /// A number of the host's.
    Number(Scalar),
    /// Elements that the host holds.
    Constant(C),
}

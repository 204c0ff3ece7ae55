//! Operators of two operands of which the graph, or a branch of it, may have a part in the answer.

pub mod powers;
pub mod unions;

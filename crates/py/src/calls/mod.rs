//! Calls of functions that come again.

pub mod call_node;
pub mod callable;
pub mod callee_memo;
pub mod growing;
pub mod outlining;
pub mod recursion;

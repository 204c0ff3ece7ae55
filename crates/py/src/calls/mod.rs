//! Calls of functions that come again.

pub mod arguments;
pub mod by_python;
pub mod by_vector;
pub mod call_node;
pub mod callable;
pub mod context;
pub mod recursion;

//! A host of Rust's own: functions with the attribute of `gw_macros` are staged by it, through the rules that Python's are.
//!
//! Terms. A *frame* is the variables of one call of a function. A *place* is the number of a variable in its frame. The
//! *plain* function is the one that the user wrote, which stays as it is and judges the graph.

mod arithmetic;
mod attempt;
mod check;
mod fallible;
mod frame;
mod host;
mod value;
mod vectors;

pub use gw_base::Diagnostic;
pub use gw_ir::Graph;
pub use gw_types::DType;

pub use gw_eval::Array;

pub use check::{Plain, Ran, ran};
pub use fallible::{Fallible, Whole, ensure, whole};
pub use frame::Frame;
pub use host::{Rust, traced};
pub use value::{Type, Value, float, int, truth};

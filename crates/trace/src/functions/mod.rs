//! Functions of the graph: which calls become one, what one takes and gives, and how often it is traced until that is known.

mod callee;

pub use callee::{Argument, Body, Callee};

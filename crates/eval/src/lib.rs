//! The slow reference interpreter: what each op means. Every backend, rewrite and gradient is compared with it.
//!
//! Elements are f64 or i64 and each result is rounded to its dtype; no cleverness. Aspects are one file per class of
//! ops; one table has a row per op.

mod array;
mod complex;
mod contract;
mod effect;
mod elementwise;
mod fault;
mod machine;
mod matrices;
mod moves;
mod put;
mod random;
mod reduce;
mod rows;
mod source;

pub use array::Array;
pub use effect::format;
pub use fault::{EvalError, Failure};
pub use machine::{Host, Outcome, run, run_with};
pub use rows::apply;

#[cfg(test)]
mod tests;

//! Functions that machine code calls: of one number, and matrix products. Knows no graph and allocates nothing.
#![allow(unsafe_code, reason = "is called from machine code, with raw addresses")]

mod function;
mod math;
mod matmul;
mod single;

pub use function::{Function, Word};
pub use math::{Math, MathFloat, pow_i32, pow_i64};
pub use matmul::{MATMUL_F32, MATMUL_F64, MATMUL_I32, MATMUL_I64, Matrix};

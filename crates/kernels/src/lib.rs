//! Functions that machine code calls: of one number or two, matrix products, convolutions, matrices taken apart, sorting, and random bits. Knows no graph and allocates nothing.
#![allow(unsafe_code, reason = "is called from machine code, with raw addresses")]

mod angle;
mod arc;
mod arcsine;
mod columns;
mod division;
mod double;
mod extremes;
mod flags;
mod formula;
mod function;
mod half;
mod hyperbolic;
mod math;
mod matrices;
mod names;
mod one;
mod pow;
mod power_tables;
mod products;
mod random;
mod rest;
mod single;
mod sort;
mod steps;
mod strided;
mod transpose;
mod wide;

pub use angle::{Angle, NEAR, QUARTER};
pub use columns::{ADD_ROWS_F32, ADD_ROWS_F64, ALL_ROWS, ANY_ROWS};
pub use double::Double;
pub use extremes::{ARG_COLUMNS_F32, ARG_COLUMNS_F64, ARG_COLUMNS_I32, ARG_COLUMNS_I64};
pub use extremes::{ARG_ROW_F32, ARG_ROW_F64, ARG_ROW_I32, ARG_ROW_I64};
pub use flags::FIND_FLAG;
pub use formula::{DoublePair, Formula, SinglePair};
pub use function::{Function, Word};
pub use half::Half;
pub use math::{Math, MathFloat, pow_fits, pow_i32, pow_i64};
pub use matrices::{How, Matrices, fft_work};
pub use names::named;
pub use products::{
    CONV2D_F32, CONV2D_F64, Geometry, MATMUL_F32, MATMUL_F64, MATMUL_I32, MATMUL_I64, Matrix,
};
pub use random::{RANDOM_ROW, RANDOM_SINGLES, random_bits};
pub use single::Single;
pub use sort::{ARG_SORT_F32, ARG_SORT_F64, ARG_SORT_I32, ARG_SORT_I64};
pub use sort::{ARG_TOP_F32, ARG_TOP_F64, ARG_TOP_I32, ARG_TOP_I64};
pub use sort::{SORT_F32, SORT_F64, SORT_I32, SORT_I64};
pub use steps::{Limit, Precision, Steps, limited, odd, scaled, small_number};
pub use strided::{CopiedAxis, copy_strided};
pub use transpose::TRANSPOSE;

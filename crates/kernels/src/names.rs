//! The functions by their names.

use crate::{
    ADD_ROWS_F32, ADD_ROWS_F64, ALL_ROWS, ANY_ROWS, ARG_COLUMNS_F32, ARG_COLUMNS_F64, ARG_COLUMNS_I32,
    ARG_COLUMNS_I64, ARG_ROW_F32, ARG_ROW_F64, ARG_ROW_I32, ARG_ROW_I64, ARG_SORT_F32, ARG_SORT_F64,
    ARG_SORT_I32, ARG_SORT_I64, ARG_TOP_F32, ARG_TOP_F64, ARG_TOP_I32, ARG_TOP_I64, CONV2D_F32, CONV2D_F64,
    FIND_FLAG, Function, Half, MATMUL_F32, MATMUL_F64, MATMUL_I32, MATMUL_I64, Math, MathFloat, Matrices,
    RANDOM_ROW, RANDOM_SINGLES, SORT_F32, SORT_F64, SORT_I32, SORT_I64, TRANSPOSE, pow_fits, pow_i32,
    pow_i64, random_bits,
};

const OF_ARRAYS: [Function; 34] = [
    ADD_ROWS_F32,
    ADD_ROWS_F64,
    ALL_ROWS,
    ANY_ROWS,
    MATMUL_F32,
    MATMUL_F64,
    MATMUL_I32,
    MATMUL_I64,
    CONV2D_F32,
    CONV2D_F64,
    ARG_SORT_F32,
    ARG_SORT_F64,
    ARG_SORT_I32,
    ARG_SORT_I64,
    ARG_ROW_F32,
    ARG_ROW_F64,
    ARG_ROW_I32,
    ARG_ROW_I64,
    ARG_COLUMNS_F32,
    ARG_COLUMNS_F64,
    ARG_COLUMNS_I32,
    ARG_COLUMNS_I64,
    ARG_TOP_F32,
    ARG_TOP_F64,
    ARG_TOP_I32,
    ARG_TOP_I64,
    SORT_F32,
    SORT_F64,
    SORT_I32,
    SORT_I64,
    FIND_FLAG,
    RANDOM_ROW,
    RANDOM_SINGLES,
    TRANSPOSE,
];

/// The function that is shown by this name.
pub fn named(name: &str) -> Option<Function> {
    let of_floats =
        Math::ALL.iter().flat_map(|math| [MathFloat::F32, MathFloat::F64].map(|f| math.function(f)));
    let of_numbers = [pow_i32(), pow_i64(), pow_fits(), random_bits()].into_iter().chain(of_floats);
    let of_halves = Half::ALL.into_iter().flat_map(|of| [of.to_single(), of.from_single(), of.from_double()]);
    let of_matrices =
        Matrices::ALL.into_iter().flat_map(|of| [false, true].map(|double| of.function(double)));
    OF_ARRAYS
        .into_iter()
        .chain(of_matrices)
        .chain(of_numbers)
        .chain(of_halves)
        .find(|function| function.name == name)
}

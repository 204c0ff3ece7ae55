//! Arrays whose rows become columns are copied in tiles, from wherever they are and however many threads share it.

use gw_eval::Array;
use gw_ir::text::parse;
use gw_types::{DType, Kind, Scalar};

use crate::support;

fn numbers(dtype: DType, lengths: &[usize]) -> Array {
    let count: usize = lengths.iter().product();
    let element = |at: usize| match dtype.kind() {
        Kind::Bool => Scalar::Bool(at * at % 7 == 2),
        Kind::Float => Scalar::Float((at % 251) as f64 - 100.0),
        Kind::Int | Kind::Complex | Kind::Text => Scalar::Int((at % 101) as i64 - 40),
    };
    Array::new(dtype, lengths.to_vec(), (0..count).map(element).collect::<Vec<_>>())
}

/// An array in another order of its axes, alone and in what is computed of it, its lengths known or not.
fn check(dtype: DType, lengths: &[usize], perm: &[usize]) {
    for known in [true, false] {
        let length = |axis: usize| if known { lengths[axis].to_string() } else { format!("?{axis}") };
        let of = |axes: &[usize]| {
            let lengths: Vec<String> = axes.iter().map(|&axis| length(axis)).collect();
            format!("{}[{}]", dtype.text(), lengths.join(","))
        };
        let all: Vec<usize> = (0..lengths.len()).collect();
        let order: Vec<String> = perm.iter().map(usize::to_string).collect();
        let text = format!(
            "func @f(%x: {0}, %y: {1}) -> ({1}, {1}) {{
               %1 = transpose %x perm=[{2}] : {1}
               %2 = {3} %1, %y : {1}
               %3 = {3} %2, %1 : {1}
               return %1, %3
             }}",
            of(&all),
            of(perm),
            order.join(","),
            if dtype == DType::Bool { "xor" } else { "sub" },
        );
        let graph = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let turned: Vec<usize> = perm.iter().map(|&axis| lengths[axis]).collect();
        let inputs = [numbers(dtype, lengths), numbers(dtype, &turned)];
        support::compare(&graph, &inputs).unwrap_or_else(|differ| panic!("{lengths:?} {perm:?}: {differ}"));
    }
}

#[test]
fn matrices_of_every_width_are_transposed() {
    for dtype in [DType::Bool, DType::I8, DType::F16, DType::I32, DType::F32, DType::F64] {
        for lengths in [[1, 300], [4, 4], [17, 33], [128, 64], [70, 301], [600, 40], [300, 5]] {
            check(dtype, &lengths, &[1, 0]);
        }
    }
}

#[test]
fn matrices_among_other_axes_are_transposed() {
    for perm in [[0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
        check(DType::F32, &[3, 40, 33], &perm);
        check(DType::F64, &[20, 3, 130], &perm);
    }
}

#[test]
fn parts_are_transposed() {
    let text = "func @f(%x: f64[60,80]) -> (f64[40,30]) {
          %1 = slice %x at=[::2,40:0:-1] : f64[30,40]
          %2 = transpose %1 perm=[1,0] : f64[40,30]
          return %2
        }";
    let graph = parse(text).unwrap_or_else(|error| panic!("{error}"));
    support::compare(&graph, &[numbers(DType::F64, &[60, 80])]).unwrap_or_else(|differ| panic!("{differ}"));
    let straight = parse(&text.replace("40:0:-1", "40:")).unwrap_or_else(|error| panic!("{error}"));
    support::compare(&straight, &[numbers(DType::F64, &[60, 80])])
        .unwrap_or_else(|differ| panic!("{differ}"));
}

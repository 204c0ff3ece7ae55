//! Calls that are several ops: the graphs that they make, and the numbers that these give, against plain Rust.

use gw_eval::Array;
use gw_trace::Trace;
use gw_trace::calls::{Call, emit};
use gw_types::{DType, Scalar};

const ROWS: [[f64; 3]; 2] = [[1.0, 5.0, 0.0], [-2.0, 0.0, 3.5]];

/// The numbers that a call gives of the rows.
fn given(call: &Call) -> Vec<f64> {
    let trace = Trace::new("f");
    let x = trace.parameter(DType::F64, &[Some(2), Some(3)], "x");
    let made = trace.build(|b| emit(call, b, &[x])).expect("the call takes a matrix");
    let graph = trace.finish(vec![made.value]);
    gw_ir::verify(&graph, "trace").expect("calls make legal graphs");
    let rows = Array::new(DType::F64, vec![2, 3], ROWS.concat().into_iter().map(Scalar::Float));
    let outcome = gw_eval::run(&graph, &[rows]).expect("nothing fails");
    outcome.results[0].elements.iter().map(|number| number.to_f64()).collect()
}

fn mean(row: &[f64]) -> f64 {
    row.iter().sum::<f64>() / row.len() as f64
}

fn variance(row: &[f64]) -> f64 {
    let middle = mean(row);
    mean(&row.iter().map(|x| (x - middle) * (x - middle)).collect::<Vec<_>>())
}

#[test]
fn variances_are_those_of_plain_rust() {
    let of_rows = given(&Call::Variance { axes: Some(vec![-1]), keep: true });
    assert_eq!(of_rows, ROWS.map(|row| variance(&row)));
    let all = given(&Call::Variance { axes: None, keep: false });
    assert_eq!(all, [variance(&ROWS.concat())]);
    let roots = given(&Call::Deviation { axes: Some(vec![1]), keep: false });
    assert_eq!(roots, ROWS.map(|row| variance(&row).sqrt()));
}

#[test]
fn what_is_not_zero_is_counted() {
    let counts = given(&Call::CountNonzero { axes: Some(vec![0]), keep: false, dtype: DType::I64 });
    assert_eq!(counts, [2.0, 1.0, 1.0]);
}

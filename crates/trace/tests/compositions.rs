//! Calls that are several ops: the graphs that they make, and the numbers that these give, against plain Rust.

use gw_eval::Array;
use gw_trace::Trace;
use gw_trace::calls::{Call, Network, emit};
use gw_types::{DType, Scalar};

const ROWS: [[f64; 3]; 2] = [[1.0, 5.0, 0.0], [-2.0, 0.0, 3.5]];

/// The numbers that a call gives of the rows.
fn given(call: &Call) -> Vec<f64> {
    of_rows(call, &[], ROWS)
}

/// The numbers that a call gives of rows and of numbers behind them.
fn of_rows(call: &Call, others: &[f64], rows: [[f64; 3]; 2]) -> Vec<f64> {
    let trace = Trace::new("f");
    let mut operands = vec![trace.parameter(DType::F64, &[Some(2), Some(3)], "x")];
    operands.extend(others.iter().map(|&number| trace.number(Scalar::Float(number))));
    let made = trace.build(|b| emit(call, b, &operands)).expect("the call takes a matrix");
    let graph = trace.finish(vec![made.value]);
    gw_ir::verify(&graph, "trace").expect("calls make legal graphs");
    let rows = Array::new(DType::F64, vec![2, 3], rows.concat().into_iter().map(Scalar::Float));
    let outcome = gw_eval::run(&graph, &[rows]).expect("nothing fails");
    outcome.results[0].elements.iter().map(|number| number.to_f64()).collect()
}

#[track_caller]
fn close(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        let same = found == wanted || (found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0);
        assert!(same, "{found} is not {wanted}");
    }
}

fn log_sum_exp(row: &[f64]) -> f64 {
    row.iter().map(|x| x.exp()).sum::<f64>().ln()
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

#[test]
fn functions_of_each_element_are_those_of_plain_rust() {
    let each = |network: Network| given(&Call::composed(network));
    let plain = |f: fn(f64) -> f64| ROWS.concat().into_iter().map(f).collect::<Vec<_>>();
    close(&each(Network::Softplus), &plain(|x| x.exp().ln_1p()));
    close(&each(Network::Reciprocal), &plain(|x| 1.0 / x));
    let by_tanh =
        |x: f64| 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x)).tanh());
    close(&each(Network::Gelu { approximate: true }), &plain(by_tanh));
    for (exact, by_tanh) in each(Network::Gelu { approximate: false }).into_iter().zip(plain(by_tanh)) {
        assert!((exact - by_tanh).abs() < 1e-3, "{exact} is far from {by_tanh}");
    }
    let away = of_rows(&Call::composed(Network::SquaredDifference), &[2.0], ROWS);
    close(&away, &plain(|x| (x - 2.0) * (x - 2.0)));
}

#[test]
fn functions_along_axes_are_those_of_plain_rust() {
    let sums = given(&Call::composed(Network::LogSumExp { axes: Some(vec![1]), keep: false }));
    close(&sums, &ROWS.map(|row| log_sum_exp(&row)));
    let all = given(&Call::composed(Network::LogSumExp { axes: None, keep: true }));
    close(&all, &[log_sum_exp(&ROWS.concat())]);
    let logs = given(&Call::composed(Network::LogSoftmax { axis: -1 }));
    close(&logs, &ROWS.map(|row| row.map(|x| x - log_sum_exp(&row))).concat());
    let unit = of_rows(&Call::composed(Network::L2Normalize { axes: Some(vec![1]) }), &[1e-12], ROWS);
    let norm = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
    close(&unit, &ROWS.map(|row| row.map(|x| x / norm(&row))).concat());
}

#[test]
fn the_cross_entropy_is_the_mean_of_logarithms() {
    let trace = Trace::new("f");
    let both = ["labels", "logits"].map(|name| trace.parameter(DType::F64, &[Some(3)], name));
    let call = Call::composed(Network::CrossEntropy { axis: 0 });
    let made = trace.build(|b| emit(&call, b, &both)).expect("the call takes vectors");
    let graph = trace.finish(vec![made.value]);
    let labels = [0.25, 0.5, 0.25];
    let vector = |row: [f64; 3]| Array::new(DType::F64, vec![3], row.into_iter().map(Scalar::Float));
    let outcome = gw_eval::run(&graph, &[vector(labels), vector(ROWS[0])]).expect("nothing fails");
    let all = log_sum_exp(&ROWS[0]);
    let wanted: f64 = labels.iter().zip(ROWS[0]).map(|(label, x)| label * (all - x)).sum();
    close(&[outcome.results[0].first().to_f64()], &[wanted]);
}

#[test]
fn long_rows_of_a_table_are_scaled_down() {
    let trace = Trace::new("f");
    let table = trace.parameter(DType::F64, &[None, Some(3)], "table");
    let operands = [table, trace.parameter(DType::I32, &[Some(2)], "ids"), trace.number(Scalar::Float(1.0))];
    let call = Call::composed(Network::Embedding);
    let made = trace.build(|b| emit(&call, b, &operands)).expect("the call takes a table and numbers");
    let graph = trace.finish(vec![made.value]);
    let rows = Array::new(DType::F64, vec![2, 3], ROWS.concat().into_iter().map(Scalar::Float));
    let ids = Array::new(DType::I32, vec![2], [1, 0].map(Scalar::Int));
    let outcome = gw_eval::run(&graph, &[rows, ids]).expect("both are rows");
    let found: Vec<_> = outcome.results[0].elements.iter().map(|number| number.to_f64()).collect();
    let norm = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
    close(&found, &[ROWS[1], ROWS[0]].map(|row| row.map(|x| x / norm(&row))).concat());
}

#[test]
fn great_numbers_do_not_overflow() {
    let great = [[1000.0, 1000.0, -1000.0], [f64::NEG_INFINITY; 3]];
    let softplus = of_rows(&Call::composed(Network::Softplus), &[], great);
    close(&softplus, &[1000.0, 1000.0, 0.0, 0.0, 0.0, 0.0]);
    let sums = of_rows(&Call::composed(Network::LogSumExp { axes: Some(vec![1]), keep: false }), &[], great);
    close(&sums, &[1000.0 + 2.0_f64.ln(), f64::NEG_INFINITY]);
    let logs = of_rows(&Call::composed(Network::LogSoftmax { axis: 1 }), &[], [great[0]; 2]);
    close(&logs[..2], &[-(2.0_f64.ln()); 2]);
}

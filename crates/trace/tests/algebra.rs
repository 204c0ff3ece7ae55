//! Linear algebra that is several calls, on matrices whose results are known by heart, where lengths are known and where the
//! graph finds them.

use gw_eval::Array;
use gw_trace::Trace;
use gw_trace::calls::{Algebra, Call, Norm, emit};
use gw_types::{DType, Scalar};

/// An operand: its lengths and elements.
type Operand<'a> = (&'a [usize], &'a [f64]);

/// A symmetric, positive definite matrix, of determinant 8.
const SQUARE: Operand<'static> = (&[2, 2], &[4.0, 2.0, 2.0, 3.0]);
const WIDE: Operand<'static> = (&[2, 3], &[1.0, -2.0, 3.0, -4.0, 5.0, -6.0]);

/// The lengths and elements of the result.
fn given(
    algebra: &Algebra,
    operands: &[Operand<'_>],
    numbers: &[i64],
    is_known: bool,
) -> (Vec<usize>, Vec<f64>) {
    let trace = Trace::new("f");
    let parameter = |(lengths, _): &Operand<'_>| {
        let lengths: Vec<_> = lengths.iter().map(|&length| is_known.then_some(length)).collect();
        trace.parameter(DType::F64, &lengths, "x")
    };
    let mut parameters: Vec<_> = operands.iter().map(parameter).collect();
    parameters.extend(numbers.iter().map(|&number| trace.number(Scalar::Int(number))));
    let call = Call::composed(algebra.clone());
    let made = trace.build(|b| emit(&call, b, &parameters)).expect("the call takes these operands");
    let graph = trace.finish(vec![made.value]);
    gw_ir::verify(&graph, "trace").expect("calls make legal graphs");
    let array = |(lengths, elements): &Operand<'_>| {
        Array::new(DType::F64, lengths.to_vec(), elements.iter().copied().map(Scalar::Float))
    };
    let inputs: Vec<_> = operands.iter().map(array).collect();
    let outcome = gw_eval::run(&graph, &inputs).expect("nothing fails");
    let found = &outcome.results[0];
    (found.lengths.clone(), found.elements.iter().map(|number| number.to_f64()).collect())
}

#[track_caller]
fn check(algebra: Algebra, operands: &[Operand<'_>], numbers: &[i64], wanted: Operand<'_>) {
    for is_known in [true, false] {
        let (lengths, elements) = given(&algebra, operands, numbers, is_known);
        assert_eq!(lengths, wanted.0, "{algebra:?}, {is_known}");
        for (found, wanted) in elements.iter().zip(wanted.1) {
            assert!((found - wanted).abs() < 1e-9, "{algebra:?}, {is_known}: {elements:?}");
        }
    }
}

#[test]
fn systems_are_solved() {
    let triangle: Operand<'_> = (&[2, 2], &[2.0, 0.0, 1.0, 2.0_f64.sqrt()]);
    let right: Operand<'_> = (&[2, 1], &[8.0, 8.0]);
    check(Algebra::CholeskySolve, &[triangle, right], &[], (&[2, 1], &[1.0, 2.0]));
    check(Algebra::Inverse { adjoint: false }, &[SQUARE], &[], (&[2, 2], &[0.375, -0.25, -0.25, 0.5]));
    let turned: Operand<'_> = (&[2, 2], &[1.0, 2.0, 0.0, 1.0]);
    check(Algebra::Inverse { adjoint: true }, &[turned], &[], (&[2, 2], &[1.0, 0.0, -2.0, 1.0]));
}

#[test]
fn determinants_and_diagonals_are_numbers() {
    check(Algebra::Determinant, &[SQUARE], &[], (&[], &[8.0]));
    check(Algebra::LogDeterminant, &[SQUARE], &[], (&[], &[8.0_f64.ln()]));
    check(Algebra::Trace, &[SQUARE], &[], (&[], &[7.0]));
    check(Algebra::Trace, &[WIDE], &[], (&[], &[6.0]));
}

#[test]
fn bands_keep_diagonals() {
    check(Algebra::Band, &[WIDE], &[0, 0], (&[2, 3], &[1.0, 0.0, 0.0, 0.0, 5.0, 0.0]));
    check(Algebra::Band, &[WIDE], &[-1, 1], (&[2, 3], &[1.0, -2.0, 0.0, -4.0, 5.0, -6.0]));
}

#[test]
fn products_are_summed() {
    let vector: Operand<'_> = (&[3], &[1.0, 0.0, 2.0]);
    check(Algebra::MatVec { transpose: false }, &[WIDE, vector], &[], (&[2], &[7.0, -16.0]));
    let pair: Operand<'_> = (&[2], &[1.0, 1.0]);
    check(Algebra::MatVec { transpose: true }, &[WIDE, pair], &[], (&[3], &[-3.0, 3.0, -3.0]));
    let dot =
        |ours: &[i64], theirs: &[i64]| Algebra::TensorDot { ours: ours.to_vec(), theirs: theirs.to_vec() };
    check(dot(&[0, 1], &[0, 1]), &[WIDE, WIDE], &[], (&[], &[91.0]));
    check(dot(&[-1], &[1]), &[WIDE, WIDE], &[], (&[2, 2], &[14.0, -32.0, -32.0, 77.0]));
    let (x, y): (Operand<'_>, Operand<'_>) = ((&[3], &[1.0, 2.0, 3.0]), (&[3], &[0.0, 1.0, -1.0]));
    check(Algebra::Cross, &[x, y], &[], (&[3], &[-5.0, 1.0, 1.0]));
}

#[test]
fn norms_are_of_vectors_and_matrices() {
    let check = |norm, numbers: &[i64], wanted| check(Algebra::Norm(norm), &[WIDE], numbers, wanted);
    let length = [91.0_f64.sqrt()];
    check(Norm::Euclidean { axes: None, keep: true }, &[], (&[1, 1], &length));
    check(Norm::Greatest { axes: Some(vec![0]), keep: false }, &[], (&[3], &[4.0, 5.0, 6.0]));
    check(Norm::Power { axes: Some(vec![-1]), keep: false }, &[2, 1], (&[2], &[14.0, 77.0]));
    check(Norm::GreatestSum { summed: 0, greatest: 1, keep: false }, &[], (&[], &[9.0]));
    check(Norm::GreatestSum { summed: -1, greatest: -2, keep: true }, &[], (&[1, 1], &[15.0]));
}

#[test]
fn operands_without_matrices_are_refused() {
    let trace = Trace::new("f");
    let vector = trace.parameter(DType::F64, &[Some(2)], "x");
    for algebra in [Algebra::Trace, Algebra::Inverse { adjoint: false }] {
        assert!(trace.build(|b| emit(&Call::composed(algebra), b, &[vector])).is_err());
    }
}

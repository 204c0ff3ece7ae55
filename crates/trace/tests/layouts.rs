//! Calls that repeat, turn and frame elements, and those that make grids: the numbers that they give, where lengths are known
//! and where the graph finds them.

use gw_eval::Array;
use gw_trace::calls::{Border, Call, Grid, Layout, Length, emit};
use gw_trace::{Staged, Trace};
use gw_types::{DType, Scalar};

/// The elements and lengths of a call on `[[1, 2, 3], [4, 5, 6]]` and on scalars, which are written or arguments.
fn given(call: &Call, scalars: &[i64], is_known: bool) -> (Vec<usize>, Vec<f64>) {
    let trace = Trace::new("f");
    let lengths = [2, 3].map(|length| is_known.then_some(length));
    let mut operands = vec![trace.parameter(DType::F64, &lengths, "x")];
    let number = |&number: &i64| {
        if is_known { trace.number(Scalar::Int(number)) } else { trace.parameter(DType::I32, &[], "n") }
    };
    operands.extend(scalars.iter().map(number));
    let mut inputs = vec![Array::new(DType::F64, vec![2, 3], (1..7).map(|n| Scalar::Float(f64::from(n))))];
    if !is_known {
        inputs.extend(scalars.iter().map(|&n| Array::new(DType::I32, vec![], [Scalar::Int(n)])));
    }
    ran(&trace, call, &operands, &inputs)
}

fn ran(trace: &Trace, call: &Call, operands: &[Staged], inputs: &[Array]) -> (Vec<usize>, Vec<f64>) {
    let made = trace.build(|b| emit(call, b, operands)).expect("the call takes a matrix");
    let graph = trace.finish(vec![made.value]);
    gw_ir::verify(&graph, "trace").expect("calls make legal graphs");
    let outcome = gw_eval::run(&graph, inputs).expect("nothing fails");
    let found = &outcome.results[0];
    (found.lengths.clone(), found.elements.iter().map(|number| number.to_f64()).collect())
}

/// Compares a layout, whose lengths `scalars` are given as operands.
#[track_caller]
fn check(layout: Layout, scalars: &[i64], rows: &[&[i32]]) {
    let wanted: Vec<_> = rows.concat().into_iter().map(f64::from).collect();
    let call = Call::composed(layout);
    for is_known in [true, false] {
        let found = given(&call, scalars, is_known);
        assert_eq!(found, (vec![rows.len(), rows[0].len()], wanted.clone()), "{call:?}, {is_known}");
    }
}

#[test]
fn copies_are_side_by_side_or_in_a_row() {
    let twice = Length::Known(2);
    check(Layout::Tile(vec![Length::Known(1), twice]), &[], &[&[1, 2, 3, 1, 2, 3], &[4, 5, 6, 4, 5, 6]]);
    let rows: [&[i32]; 4] = [&[1, 2, 3], &[4, 5, 6], &[1, 2, 3], &[4, 5, 6]];
    check(Layout::Tile(vec![Length::Given, Length::Given]), &[2, 1], &rows);
    check(Layout::Repeat { axis: -1, times: twice }, &[], &[&[1, 1, 2, 2, 3, 3], &[4, 4, 5, 5, 6, 6]]);
    let rows: [&[i32]; 4] = [&[1, 2, 3], &[1, 2, 3], &[4, 5, 6], &[4, 5, 6]];
    check(Layout::Repeat { axis: 0, times: Length::Given }, &[2], &rows);
}

#[test]
fn elements_turn_and_come_in_at_the_other_end() {
    check(Layout::Reverse(vec![-1]), &[], &[&[3, 2, 1], &[6, 5, 4]]);
    check(Layout::Reverse(vec![1, 0]), &[], &[&[6, 5, 4], &[3, 2, 1]]);
    let roll = |places, axes: &[i64]| Layout::Roll { axes: axes.to_vec(), places };
    check(roll(vec![Length::Known(1)], &[1]), &[], &[&[3, 1, 2], &[6, 4, 5]]);
    check(roll(vec![Length::Known(-7)], &[1]), &[], &[&[2, 3, 1], &[5, 6, 4]]);
    check(roll(vec![Length::Given], &[-1]), &[-4], &[&[2, 3, 1], &[5, 6, 4]]);
    check(roll(vec![Length::Known(1), Length::Known(1)], &[0, 1]), &[], &[&[6, 4, 5], &[3, 1, 2]]);
}

#[test]
fn borders_are_numbers_or_the_elements_inside() {
    let pad = |border, places: [[Length; 2]; 2]| Layout::Pad { border, places: places.to_vec() };
    let [none, one, two] = [0, 1, 2].map(Length::Known);
    let rows: [&[i32]; 3] = [&[1, 2, 3, 9, 9], &[4, 5, 6, 9, 9], &[9, 9, 9, 9, 9]];
    check(pad(Border::Constant, [[none, one], [none, two]]), &[9], &rows);
    check(pad(Border::Constant, [[none, one], [none, Length::Given]]), &[9, 2], &rows);
    let rows: [&[i32]; 2] = [&[3, 2, 1, 2, 3], &[6, 5, 4, 5, 6]];
    check(pad(Border::Reflect, [[none, none], [two, none]]), &[0], &rows);
    let rows: [&[i32]; 3] = [&[2, 1, 1, 2, 3], &[5, 4, 4, 5, 6], &[5, 4, 4, 5, 6]];
    check(pad(Border::Symmetric, [[none, one], [Length::Given, none]]), &[0, 2], &rows);
}

#[test]
fn numbers_for_other_axes_are_refused() {
    let message = |layout: Layout| {
        let lengths = [vec![Some(2), None]];
        Call::composed(layout).check(&lengths).expect_err("the numbers are too few").message
    };
    let one = Length::Known(1);
    assert_eq!(message(Layout::Tile(vec![one])), "`multiples` has 1 numbers for 2 axes");
    let pad = Layout::Pad { border: Border::Reflect, places: vec![[one, one]] };
    assert_eq!(message(pad), "`paddings` has 1 rows for 2 axes");
    let roll = Layout::Roll { axes: vec![0, 1], places: vec![one] };
    assert_eq!(message(roll), "`shift` has 1 numbers for 2 axes");
}

#[test]
fn grids_are_identities_and_equal_distances() {
    let trace = Trace::new("f");
    let eye = Grid::Eye { rows: Length::Known(2), columns: Length::Known(3), dtype: DType::F64 };
    let found = ran(&trace, &Call::composed(eye), &[], &[]);
    assert_eq!(found, (vec![2, 3], vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    let trace = Trace::new("f");
    let ends = [0.0, 3.0].map(|end| trace.number(Scalar::Float(end)));
    let line = Grid::Linspace { count: Length::Known(4), axis: 0 };
    let found = ran(&trace, &Call::composed(line), &ends, &[]);
    assert_eq!(found, (vec![4], vec![0.0, 1.0, 2.0, 3.0]));
}

#[test]
fn grids_have_lengths_that_the_graph_finds() {
    let trace = Trace::new("f");
    let count = trace.parameter(DType::I32, &[], "n");
    let eye = Grid::Eye { rows: Length::Given, columns: Length::Known(2), dtype: DType::F64 };
    let two = Array::new(DType::I32, vec![], [Scalar::Int(2)]);
    let found = ran(&trace, &Call::composed(eye), &[count], std::slice::from_ref(&two));
    assert_eq!(found, (vec![2, 2], vec![1.0, 0.0, 0.0, 1.0]));
    let trace = Trace::new("f");
    let ends = [1.0, 5.0].map(|end| trace.number(Scalar::Float(end)));
    let operands = [ends[0], ends[1], trace.parameter(DType::I32, &[], "n")];
    let line = Grid::Linspace { count: Length::Given, axis: -1 };
    assert_eq!(ran(&trace, &Call::composed(line), &operands, &[two]), (vec![2], vec![1.0, 5.0]));
}

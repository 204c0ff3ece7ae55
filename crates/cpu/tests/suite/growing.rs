//! Rows added behind an array and taken from its end in loops: in the array's own memory where nobody reads the old array
//! afterwards, and right always.

use crate::support;
use gw_eval::Array;
use gw_ir::Graph;
use gw_types::{DType, Scalar};

/// Runs a loop over `%j` below `%n` with the carry `%x` of as many rows as there are, whose next value `body` leaves in
/// `%u`, `f64[?9,…]`. Machine code and interpreter agree; `grows` says whether the loop's memory is extended in place.
#[track_caller]
fn check(inner: &[usize], body: &str, grows: bool) {
    let axes: String = inner.iter().map(|n| format!(",{n}")).collect();
    let row: String = inner.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let text = format!(
        "func @f(%a: f64[2{axes}], %v: f64[1{axes}], %w: f64[{row}], %n: i64[]) -> (f64[?1{axes}], f64[2{axes}]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %i, %p = while (%j = %zero, %x = %a) : (i64[], f64[?1{axes}]) {{
    %more = lt %j, %n : bool[]
    yield %more
  }} do {{
    %next = add %j, %one : i64[]
{body}
    yield %next, %u
  }}
  return %p, %a
}}"
    );
    let graph: Graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let dumped = gw_cpu::dump_loops(&graph);
    let numbers = |count: usize, lengths: &[usize]| {
        let elements: Vec<_> = (0..count).map(|i| Scalar::Float(i as f64 + 0.5)).collect();
        Array::new(DType::F64, lengths.to_vec(), elements)
    };
    let size: usize = inner.iter().product();
    let shaped = |rows: usize| [&[rows], inner].concat();
    for n in [0, 1, 2, 5, 100] {
        let count = Array::scalar(DType::I64, Scalar::Int(n));
        let inputs = [numbers(2 * size, &shaped(2)), numbers(size, &shaped(1)), numbers(size, inner), count];
        support::compare(&graph, &inputs).unwrap_or_else(|e| panic!("{n}: {e}\n{dumped}"));
    }
    assert_eq!(dumped.contains("extend"), grows, "{dumped}");
}

#[test]
fn rows_are_added_in_place() {
    check(&[], "    %u = concat %x, %v axis=0 : f64[?9]", true);
    check(&[3], "    %u = concat %x, %v axis=0 : f64[?9,3]", true);
    check(&[], "    %u = concat %x, %v, %v axis=0 : f64[?9]", true);
}

#[test]
fn rows_are_taken_and_added_in_branches() {
    let body = "    %last = const -1 : i64[]
    %two = const 2 : i64[]
    %k = dim %x axis=0 : i64[]
    %many = gt %k, %two : bool[]
    %s = slice %x at=[:-1] : f64[?5]
    %t = concat %s, %v axis=0 : f64[?6]
    %u = cond %many : (f64[?7]) {
      %m = concat %t, %v axis=0 : f64[?8]
      yield %m
    } else {
      yield %t
    }";
    check(&[], body, true);
}

#[test]
fn what_is_read_late_is_not_overwritten() {
    let body = "    %d = add %x, %x : f64[?1]
    %c = concat %x, %v axis=0 : f64[?5]
    %m = reduce_sum %d axes=[0] : f64[]
    %r = reshape %m dims=[1] : f64[1]
    %u = concat %c, %r axis=0 : f64[?9]";
    check(&[], body, false);
}

#[test]
fn rows_of_itself_are_added_to_a_copy() {
    check(
        &[],
        "    %one_row = slice %x at=[:1] : f64[?5]\n    %u = concat %x, %one_row axis=0 : f64[?9]",
        false,
    );
}

#[test]
fn inner_lengths_change_with_the_first_turn() {
    // A batch of batches: the first one says how long the others are.
    let body = "    %row = slice %t, %j, %next at=[@1:@2,:] : f64[?5,3]
    %first = eq %j, %zero : bool[]
    %y = cond %first : (f64[?6,?7,3]) {
      %c = dim %x axis=0 : i64[]
      %r = dim %row axis=0 : i64[]
      %new = broadcast %fill, %c, %r dims=[@1,@2,3] : f64[?8,?9,3]
      yield %new
    } else {
      yield %x
    }
    %s = reshape %row dims=[1,-1,3] : f64[1,?10,3]
    %at = reshape %j dims=[1] : i64[1]
    %u = put %y, %s, %at at=[@2,:,:] : f64[?6,?7,3]";
    check_inner("[@1,0,3]", ["?0,0,3", "?3,?4,3", "?1,?2,3"], body);
}

#[test]
fn inner_lengths_grow() {
    let body = "    %u = concat %x, %x, %x axis=1 : f64[?6,?7,3]";
    check_inner("[@1,1,3]", ["?0,1,3", "?3,?4,3", "?1,?2,3"], body);
    let body = "    %v = transpose %x perm=[1,0,2] : f64[?4,?3,?5]
    %w = concat %v, %v axis=2 : f64[?4,?3,?7]
    %u = concat %w, %w axis=0 : f64[?8,?3,?7]";
    check_inner("[@1,1,3]", ["?0,1,3", "?3,?4,?5", "?1,?2,?6"], body);
}

/// Runs a loop over `%j` below `%n` whose carry `%x` begins as a broadcast of `dims` and has other lengths behind its first axis
/// from one iteration to the next; `types` are those before, in, and after it, and `body` leaves the next one in `%u`.
#[track_caller]
fn check_inner(dims: &str, [before, inside, after]: [&str; 3], body: &str) {
    let text = format!(
        "func @f(%t: f64[8,3], %n: i64[]) -> (f64[{after}]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %fill = const 0.5 : f64[]
  %a = broadcast %fill, %n dims={dims} : f64[{before}]
  %i, %p = while (%j = %zero, %x: f64[{inside}] = %a) : (i64[], f64[{after}]) {{
    %many = dim %x axis=1 : i64[]
    %limit = add %n, %many : i64[]
    %few = lt %many, %limit : bool[]
    %going = lt %j, %n : bool[]
    %more = and %few, %going : bool[]
    yield %more
  }} do {{
    %next = add %j, %one : i64[]
{body}
    yield %next, %u
  }}
  return %p
}}"
    );
    let graph: Graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let t = Array::new(DType::F64, vec![8, 3], (0..24).map(|i| Scalar::Float(f64::from(i))));
    for n in [0, 1, 2, 3] {
        let count = Array::scalar(DType::I64, Scalar::Int(n));
        support::compare(&graph, &[t.clone(), count]).unwrap_or_else(|e| panic!("{n}: {e}\n{text}"));
    }
}

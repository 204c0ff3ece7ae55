//! Stores in loops: in place where nobody reads the old elements afterwards, into a copy elsewhere, and right always.

use crate::support;
use gw_eval::Array;
use gw_ir::Graph;
use gw_types::{DType, Scalar};

/// Runs a loop with the carries `%x` and `%y`, whose next values `body` leaves in `%u` and `%v`: see [`check_next`].
#[track_caller]
fn check(body: &str, loops: usize) {
    let dumped = check_next(body, "%u, %v");
    let found = dumped.lines().filter(|line| line.trim_start().starts_with("for ")).count();
    assert_eq!(found, loops, "{dumped}");
}

/// Runs a loop over `%i` below 5 with the carries `%x` and `%y`, both `f64[5]`, whose next values are `next`. Its machine code and the interpreter agree; gives its loops.
#[track_caller]
fn check_next(body: &str, next: &str) -> String {
    let text = format!(
        "func @f(%a: f64[5], %b: f64[5], %n: i64[]) -> (f64[5], f64[5], f64[5]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %five = const 5.0 : f64[]
  %i, %p, %q = while (%j = %zero, %x = %a, %y = %b) : (i64[], f64[5], f64[5]) {{
    %more = lt %j, %n : bool[]
    yield %more
  }} do {{
    %next = add %j, %one : i64[]
{body}
    yield %next, {next}
  }}
  return %p, %q, %a
}}"
    );
    let graph: Graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let dumped = gw_cpu::dump_loops(&graph);
    let numbers = |first: i64| {
        let elements = (first..first + 5).map(|i| Scalar::Float(i as f64));
        Array::new(DType::F64, vec![5], elements.collect::<Vec<_>>())
    };
    for n in [0, 1, 2, 5, 6] {
        let count = Array::scalar(DType::I64, Scalar::Int(n));
        support::compare(&graph, &[numbers(1), numbers(10), count])
            .unwrap_or_else(|e| panic!("{n}: {e}\n{dumped}"));
    }
    dumped
}

/// The copies of arrays that the turns of a loop make.
fn copies_in_turns(dumped: &str) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let around = dumped.lines().find(|line| line.trim_start().starts_with("while ")).map_or(0, indent);
    let is_copy = |line: &&str| line.contains("copy(") && indent(line) > around;
    dumped.lines().filter(is_copy).count()
}

#[test]
fn arrays_that_swap_places_are_not_copied() {
    let body = "    %e = index %x, %j axis=0 : f64[]
    %d = add %e, %five : f64[]
    %w = put %y, %d, %j at=[@2] : f64[5]";
    let dumped = check_next(body, "%w, %x");
    assert_eq!(copies_in_turns(&dumped), 0, "{dumped}");
    let both = format!("{body}\n    %z = put %x, %five, %j at=[@2] : f64[5]");
    let dumped = check_next(&both, "%w, %z");
    assert_eq!(copies_in_turns(&dumped), 0, "{dumped}");
}

#[test]
fn arrays_that_swap_places_are_read_before_they_are_stored_into() {
    let body = "    %e = slice %y at=[::-1] : f64[5]
    %w = put %y, %five, %j at=[@2] : f64[5]
    %d = reduce_sum %e axes=[0] : f64[]
    %z = put %x, %d, %j at=[@2] : f64[5]";
    check_next(body, "%w, %z");
    check_next("    %w = put %y, %five, %j at=[@2] : f64[5]", "%w, %y");
    check_next("    %w = put %y, %five, %j at=[@2] : f64[5]", "%y, %w");
    check_next("    %w = put %x, %five, %j at=[@2] : f64[5]\n    %z = mul %y, %five : f64[5]", "%z, %w");
}

#[test]
fn a_store_in_a_loop_is_made_in_place() {
    check("    %u = put %x, %five, %j at=[@2] : f64[5]\n    %v = put %y, %five at=[1:3] : f64[5]", 2);
}

#[test]
fn what_is_read_before_the_store_is_read_in_time() {
    let body = "    %e = index %x, %j axis=0 : f64[]
    %m = reduce_sum %x axes=[0] : f64[]
    %d = add %e, %m : f64[]
    %u = put %x, %d, %j at=[@2] : f64[5]
    %v = put %y, %d, %j at=[@2] : f64[5]";
    check(body, 2);
}

#[test]
fn what_is_read_late_is_not_overwritten() {
    let body = "    %e = mul %x, %five : f64[5]
    %u = put %x, %five, %j at=[@2] : f64[5]
    %v = add %e, %y : f64[5]";
    check(body, 2);
    let body = "    %e = slice %x at=[::-1] : f64[5]
    %u = put %x, %five, %j at=[@2] : f64[5]
    %w = reduce_sum %e axes=[0] : f64[]
    %v = put %y, %w, %j at=[@2] : f64[5]";
    check(body, 2);
}

#[test]
fn a_part_of_the_array_is_stored_into_another_part() {
    let body = "    %e = slice %x at=[:-1] : f64[4]
    %u = put %x, %e at=[1:] : f64[5]
    %v = put %y, %five at=[::2] : f64[5]";
    check(body, 4);
}

#[test]
fn a_carry_that_keeps_the_array_of_before_is_another_array() {
    check("    %u = put %x, %five, %j at=[@2] : f64[5]\n    %v = mul %x, %five : f64[5]", 2);
    let body = "    %u = put %x, %five, %j at=[@2] : f64[5]
    %v = reshape %x dims=[5] : f64[5]";
    check(body, 1);
    let body = "    %u = put %y, %five, %j at=[@2] : f64[5]
    %v = put %x, %five, %j at=[@2] : f64[5]";
    check(body, 2);
}

#[test]
fn stores_in_branches_and_loops_inside_are_made_in_place() {
    let body = "    %even = lt %j, %one : bool[]
    %c = cond %even : (f64[5]) {
      %c1 = put %x, %five, %j at=[@2] : f64[5]
      yield %c1
    } else {
      yield %x
    }
    %l, %u = while (%l1 = %zero, %l2 = %c) : (i64[], f64[5]) {
      %lm = lt %l1, %j : bool[]
      yield %lm
    } do {
      %le = index %l2, %l1 axis=0 : f64[]
      %lf = add %le, %five : f64[]
      %lp = put %l2, %lf, %l1 at=[@2] : f64[5]
      %ln = add %l1, %one : i64[]
      yield %ln, %lp
    }
    %v = put %y, %five, %j at=[@2] keep=sum : f64[5]";
    check(body, 1);
}

#[test]
fn a_branch_that_gives_another_array_is_not_in_place() {
    let body = "    %even = lt %j, %one : bool[]
    %u = cond %even : (f64[5]) {
      %c1 = put %x, %five, %j at=[@2] : f64[5]
      yield %c1
    } else {
      yield %y
    }
    %v = put %y, %five, %j at=[@2] : f64[5]";
    check(body, 2);
}

/// Runs a loop whose carry `%x`, `f64[3,2]`, and `%y`, `f64[2]`, become `%u` and `%v`; `copies` is how many rows or arrays are
/// copied, in loops over elements.
#[track_caller]
fn check_rows(body: &str, loops: usize) {
    let text = format!(
        "func @f(%a: f64[3,2], %b: f64[2], %n: i64[]) -> (f64[3,2], f64[2]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %three = const 3 : i64[]
  %i, %p, %q = while (%j = %zero, %x = %a, %y = %b) : (i64[], f64[3,2], f64[2]) {{
    %more = lt %j, %n : bool[]
    yield %more
  }} do {{
    %next = add %j, %one : i64[]
    %k = mod %j, %three : i64[]
    %e = index %x, %k axis=0 : f64[2]
{body}
    yield %next, %u, %v
  }}
  return %p, %q
}}"
    );
    let graph: Graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let dumped = gw_cpu::dump_loops(&graph);
    let found = dumped.lines().filter(|line| line.trim_start().starts_with("for ")).count();
    let numbers = |dims: Vec<usize>| {
        let elements = (1..).map(|i| Scalar::Float(f64::from(i))).take(dims.iter().product());
        Array::new(DType::F64, dims, elements.collect::<Vec<_>>())
    };
    for n in [0, 1, 2, 5] {
        let inputs = [numbers(vec![3, 2]), numbers(vec![2]), Array::scalar(DType::I64, Scalar::Int(n))];
        support::compare(&graph, &inputs).unwrap_or_else(|e| panic!("{n}: {e}\n{dumped}"));
    }
    assert_eq!(found, loops, "{dumped}");
}

#[test]
fn a_row_that_is_read_late_is_copied_where_it_is_taken() {
    let store = "    %u = put %x, %y, %k at=[@2,:] : f64[3,2]";
    check_rows(&format!("{store}\n    %v = add %y, %e : f64[2]"), 3);
    check_rows(&format!("{store}\n    %v = reshape %e dims=[2] : f64[2]"), 2);
    let branch = "    %even = lt %j, %one : bool[]
    %u, %v = cond %even : (f64[3,2], f64[2]) {
      %c = index %x, %one axis=0 : f64[2]
      %c1 = put %x, %y, %k at=[@2,:] : f64[3,2]
      yield %c1, %c
    } else {
      yield %x, %e
    }";
    check_rows(branch, 2);
}

/// A loop of five turns that stores into an array of zeros; the body leaves the next one in `%y`. Says how many loops over elements it is
/// made of.
#[track_caller]
fn loops_of_store(first: i64, last: i64, yielded: &str, body: &str) -> usize {
    let text = format!(
        "func @f(%a: f64[5]) -> (f64[5], f64[]) {{
  %first = const {first} : i64[]
  %one = const 1 : i64[]
  %last = const {last} : i64[]
  %on = const true : bool[]
  %none = const 0.5 : f64[]
  %nones = broadcast %none dims=[5] : f64[5]
  %i, %sum, %out, %no = while (%j = %first, %s = %none, %x = %nones, %more = %on) : (i64[], f64[], f64[5], bool[]) {{
    yield %more
  }} do {{
    %at = cast %j to=i32 : i32[]
    %back = cast %at to=i64 : i64[]
    %e = index %a, %back axis=0 : f64[]
    %t = add %s, %e : f64[]
    %next = add %j, %one : i64[]
{body}
    %go = lt %next, %last : bool[]
    yield %next, {yielded}, %y, %go
  }}
  return %out, %sum
}}"
    );
    let graph: Graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let elements: Vec<Scalar> = (0..5).map(|i| Scalar::Float(f64::from(i) + 0.25)).collect();
    support::compare(&graph, &[Array::new(DType::F64, vec![5], elements)])
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    let dumped = gw_cpu::dump_loops(&graph);
    dumped.lines().filter(|line| line.trim_start().starts_with("for ")).count()
}

#[test]
fn an_array_that_a_loop_writes_is_not_filled_before() {
    let store = "    %y = put %x, %t, %at at=[@2] : f64[5]";
    let whole = loops_of_store(0, 5, "%t", store);
    let of_part = loops_of_store(0, 4, "%t", store);
    assert_eq!(whole + 1, of_part, "the zeros");
    assert_eq!(loops_of_store(1, 5, "%t", store), of_part);
    let behind = format!("{store}\n    %w = index %y, %one axis=0 : f64[]");
    assert_eq!(loops_of_store(0, 5, "%w", &behind), of_part);
    let before = format!("    %w = index %x, %one axis=0 : f64[]\n{store}");
    assert_eq!(loops_of_store(0, 5, "%w", &before), of_part);
    let added = store.replace("at=[@2]", "at=[@2] keep=sum");
    assert_eq!(loops_of_store(0, 5, "%t", &added), of_part);
    let once = store.replace("%at at", "%one at");
    assert_eq!(loops_of_store(0, 5, "%t", &once), of_part);
}

/// A loop over five indices that stores into an array where an index is none below zero; a wrong one leaves with an array of zeros, from
/// two places.
#[test]
fn an_array_that_a_leave_gives_is_made_where_it_is_given() {
    let graph: Graph = gw_ir::text::parse(
        "func @f(%h: i64[7], %at: i64[5]) -> (i64[7], i64[7], i64[]) {
  %ended, %stored, %given = try : (i64[], i64[7], i64[7]) {
    %zero = const 0 : i64[]
    %one = const 1 : i64[]
    %five = const 5 : i64[]
    %i, %x = while (%j = %zero, %y = %h) : (i64[], i64[7]) {
      %more = lt %j, %five : bool[]
      yield %more
    } do {
      %k = index %at, %j axis=0 : i64[]
      %is = ge %k, %zero : bool[]
      %z = cond %is : (i64[7]) {
        %seven = const 7 : i64[]
        %ok = lt %k, %seven : bool[]
        %none = broadcast %zero dims=[7] : i64[7]
        leave %ok, %one, %y, %none
        %e = index %y, %k axis=0 : i64[]
        %fits = lt %e, %seven : bool[]
        leave %fits, %k, %y, %none
        %more = add %e, %one : i64[]
        %new = put %y, %more, %k at=[@2] : i64[7]
        yield %new
      } else {
        yield %y
      }
      %next = add %j, %one : i64[]
      yield %next, %z
    }
    yield %zero, %x, %x
  }
  return %stored, %given, %ended
}",
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let dumped = gw_cpu::dump_loops(&graph);
    let turn = dumped.split("while ").nth(1).unwrap_or("");
    for part in turn.split("if cold").next().iter().chain(turn.split("leave unless").last().iter()) {
        assert!(!part.contains("for "), "{dumped}");
    }
    let integers = |numbers: &[i64]| {
        let elements = numbers.iter().map(|&i| Scalar::Int(i)).collect::<Vec<_>>();
        Array::new(DType::I64, vec![numbers.len()], elements)
    };
    for at in [[0, 3, -1, 3, 6], [1, 9, 2, 2, 2], [5, 5, 5, 5, 5]] {
        support::compare(&graph, &[integers(&[0, 1, 2, 3, 4, 5, 6]), integers(&at)])
            .unwrap_or_else(|e| panic!("{at:?}: {e}\n{dumped}"));
    }
}

#[test]
fn a_row_that_is_read_before_the_store_of_a_branch_is_read_in_time() {
    let body = "    %e = slice %x at=[1:4] : f64[3]
    %h = index %e, %zero axis=0 : f64[]
    %more = gt %h, %five : bool[]
    %u = cond %more : (f64[5]) {
      %g = index %e, %one axis=0 : f64[]
      %w = put %x, %g, %j at=[@2] : f64[5]
      yield %w
    } else {
      yield %x
    }
    %v = put %y, %h, %j at=[@2] : f64[5]";
    check(body, 1);
    let late = "    %e = slice %x at=[1:4] : f64[3]
    %h = index %e, %zero axis=0 : f64[]
    %more = lt %h, %five : bool[]
    %u, %v = cond %more : (f64[5], f64[5]) {
      %w = put %x, %five, %one at=[@2] : f64[5]
      %g = index %e, %zero axis=0 : f64[]
      %z = put %y, %g, %j at=[@2] : f64[5]
      yield %w, %z
    } else {
      yield %x, %y
    }";
    check(late, 1);
}

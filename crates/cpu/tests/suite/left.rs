//! Loops with checks of data are left before the turn that does not pass one, and go on there with all checks.

use crate::support;
use gw_eval::Array;
use gw_ir::Graph;
use gw_types::{DType, Scalar};

/// Length of the arrays.
const LENGTH: i64 = 43;

/// Runs a loop over `%i` from `%from` below `%to`, whose body leaves what it makes of `%x`, `i64[43]`, in `%u`, and what it makes of a
/// number `%c`, if that is one, in `%d`. Machine code and interpreter agree wherever one element is a great one; `loops` says which loops there
/// are: in lanes, with carries, with tests.
#[track_caller]
fn check(body: &str, loops: &str) {
    let parts = [(", %q", ", %c = %c0", ", i64[]", ", %d"), ("", "", "", "")];
    let (out, carry, ty, next) = parts[usize::from(!body.contains("%d = "))];
    let text = format!(
        "func @f(%a: i64[43], %b: i64[43], %from: i64[], %to: i64[], %c0: i64[]) -> (i64[43], i64[]{ty}) {{
  %one = const 1 : i64[]
  %two = const 2 : i64[]
  %begins = lt %from, %to : bool[]
  %i, %p, %o{out} = while (%j = %from, %x = %a, %on = %begins{carry}) : (i64[], i64[43], bool[]{ty}) {{
    yield %on
  }} do {{
    %next = add %j, %one : i64[]
{body}
    %more = lt %next, %to : bool[]
    yield %next, %u, %more{next}
  }}
  return %p, %i{out}
}}"
    );
    let graph: Graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let dumped = gw_cpu::dump_loops(&graph);
    let kind = |line: &str| match line.trim_start() {
        word if word.starts_with("for ") => Some(if word.contains(" carry ") { 'f' } else { 'l' }),
        word => word.starts_with("while ").then_some('w'),
    };
    assert_eq!(dumped.lines().filter_map(kind).collect::<String>(), loops, "{dumped}");
    let number = |n: i64| Array::scalar(DType::I64, Scalar::Int(n));
    let numbers = |great: Option<(i64, i64)>| {
        let element = |i: i64| match great {
            Some((at, value)) if at == i => value,
            Some(_) | None => i * 7 % 43 - 5,
        };
        Array::new(
            DType::I64,
            vec![LENGTH as usize],
            (0..LENGTH).map(element).map(Scalar::Int).collect::<Vec<_>>(),
        )
    };
    for great in [i64::MAX, i64::MIN, 1 << 33, -41] {
        for at in [0, 7, 21, 42] {
            for (from, to) in [(0, LENGTH), (1, LENGTH - 1), (3, 3), (20, LENGTH + 1)] {
                let inputs =
                    [numbers(Some((at, great))), numbers(None), number(from), number(to), number(great / 2)];
                support::compare(&graph, &inputs)
                    .unwrap_or_else(|e| panic!("{great} at {at}, {from} {to}: {e}\n{dumped}"));
            }
        }
    }
}

#[test]
fn sums_that_may_overflow_run_in_lanes() {
    for step in ["add %e, %f checked", "sub %e, %f checked", "sub %f, %e checked"] {
        let body = format!(
            "    %e = index %x, %j axis=0 : i64[]
    %f = index %b, %j axis=0 : i64[]
    %s = {step} : i64[]
    %t = add %s, %one checked : i64[]
    %u = put %x, %t, %j at=[@2] : i64[43]
"
        );
        check(&body, "lw");
    }
}

#[test]
fn sums_from_turn_to_turn_run_in_order() {
    let body = "    %e = index %x, %j axis=0 : i64[]
    %d = add %c, %e checked : i64[]
    %u = put %x, %d, %j at=[@2] : i64[43]
";
    check(body, "fw");
}

#[test]
fn products_that_may_overflow_run_in_order() {
    let body = "    %e = index %x, %j axis=0 : i64[]
    %d1 = index %b, %j axis=0 : i64[]
    %s = mul %e, %d1 checked : i64[]
    %u = put %x, %s, %j at=[@2] : i64[43]
    %d = add %c, %e checked : i64[]
";
    check(body, "fw");
}

#[test]
fn indices_that_are_data_are_checked_in_each_turn() {
    let body = "    %e = index %b, %j axis=0 : i64[]
    %d1 = index %x, %e axis=0 : i64[]
    %s = add %d1, %one checked : i64[]
    %u = put %x, %s, %e at=[@2] : i64[43]
    %d = add %c, %d1 checked : i64[]
";
    check(body, "fw");
    let swapped =
        body.replace("%b,", "%y,").replace("%x,", "%b,").replace("%y,", "%x,").replace("put %b", "put %x");
    check(&swapped, "fw");
}

#[test]
fn stores_wait_for_checks_unless_they_are_read() {
    let body = "    %e = index %x, %j axis=0 : i64[]
    %v = put %x, %one, %j at=[@2] : i64[43]
    %r = index %b, %j axis=0 : i64[]
    %s = add %e, %r checked : i64[]
    %u = put %v, %s, %j at=[@2] : i64[43]
    %d = add %c, %one : i64[]
";
    check(body, "fw");
    check(&body.replace("index %b, %j", "index %v, %two"), "w");
}

#[test]
fn branches_are_choices_of_lanes() {
    let body = "    %e = index %x, %j axis=0 : i64[]
    %f = index %b, %j axis=0 : i64[]
    %s = add %e, %f checked : i64[]
    %t = eq %s, %two : bool[]
    %v = cond %t : (bool[]) {
      yield %t
    } else {
      %g = gt %s, %f : bool[]
      %w = cond %g : (bool[]) {
        %h = index %b, %j axis=0 : i64[]
        %k = lt %h, %e : bool[]
        yield %k
      } else {
        yield %g
      }
      yield %w
    }
    %u = cond %v : (i64[43]) {
      %m = put %x, %f, %j at=[@2] : i64[43]
      yield %m
    } else {
      %n = put %x, %one, %j at=[@2] : i64[43]
      yield %n
    }
";
    check(body, "lw");
    check(&body.replace("%n = put %x, %one, %j at=[@2] : i64[43]\n      yield %n", "yield %x"), "lw");
    let beyond =
        body.replace("index %b, %j axis=0 : i64[]\n        %k", "index %b, %next axis=0 : i64[]\n        %k");
    check(&beyond, "fw");
}

#[test]
fn elements_between_others_are_there_for_both_arms() {
    let body = "    %before = sub %j, %one : i64[]
    %e = index %b, %before axis=0 : i64[]
    %f = index %b, %next axis=0 : i64[]
    %t = lt %e, %f : bool[]
    %v = cond %t : (i64[]) {
      %h = index %b, %j axis=0 : i64[]
      yield %h
    } else {
      yield %e
    }
    %u = put %x, %v, %j at=[@2] : i64[43]
";
    check(body, "lw");
    let swapped = "    %e = index %x, %j axis=0 : i64[]
    %f = index %x, %next axis=0 : i64[]
    %t = gt %e, %f : bool[]
    %u = cond %t : (i64[43]) {
      %v = put %x, %f, %j at=[@2] : i64[43]
      %w = put %v, %e, %next at=[@2] : i64[43]
      yield %w
    } else {
      yield %x
    }
";
    check(swapped, "fw");
}

#[test]
fn an_element_that_the_turn_before_has_stored_is_carried() {
    let body = "    %e = index %x, %j axis=0 : i64[]
    %f = index %x, %next axis=0 : i64[]
    %s = sub %f, %e checked : i64[]
    %v = put %x, %two, %j at=[@2] : i64[43]
    %u = put %v, %s, %next at=[@2] : i64[43]
    %d = sub %s, %c checked : i64[]
";
    check(body, "fw");
    check(&body.replace("put %v, %s, %next", "put %v, %s, %one"), "fw");
    check(&body.replace("put %x, %two, %j", "put %x, %two, %next"), "fw");
    check(
        &body
            .replace("put %v, %s, %next", "put %v, %s, %j")
            .replace("put %x, %two, %j", "put %x, %two, %next"),
        "fw",
    );
}

#[test]
fn a_check_of_one_arm_is_made_for_both() {
    let body = "    %e = index %x, %j axis=0 : i64[]
    %f = index %b, %j axis=0 : i64[]
    %t = eq %f, %two : bool[]
    %d = cond %t : (i64[]) {
      yield %c
    } else {
      %g = add %c, %one checked : i64[]
      yield %g
    }
    %k = cond %t : (i64[]) {
      %h = sub %e, %two checked : i64[]
      yield %h
    } else {
      yield %d
    }
    %u = put %x, %k, %j at=[@2] : i64[43]
";
    check(body, "fw");
    check(&body.replace("sub %e, %two", "sub %e, %f").replace("add %c, %one", "add %one, %c"), "fw");
}

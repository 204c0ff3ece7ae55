//! Graphs before and after, and programs that must not change their meaning.

use expect_test::{Expect, expect};
use gw_ir::text::{parse, print};

use super::*;

/// One pass.
#[track_caller]
pub(crate) fn check(name: &str, before: &str, after: Expect) {
    let mut graph = parse(before).unwrap_or_else(|error| panic!("{error}"));
    let pass = PASSES.iter().find(|pass| pass.name == name).expect("a pass");
    (pass.run)(&mut graph);
    verify(&graph, pass.name).expect("legal");
    after.assert_eq(&print(&graph));
}

/// All passes.
#[track_caller]
pub(crate) fn check_all(before: &str, after: Expect) {
    let graph = parse(before).unwrap_or_else(|error| panic!("{error}"));
    after.assert_eq(&print(&optimize(graph).expect("no bug")));
}

#[test]
fn constants_are_folded() {
    check(
        "fold",
        "func @f(%x: f32[2,?]) -> (i32[], i64[], i32[]) {
          %1 = const 7 : i32[]
          %2 = const 2 : i32[]
          %3 = floor_div %1, %2 : i32[]
          %4 = dim %x axis=0 : i64[]
          %0 = const 0 : i32[]
          %5 = floor_div %1, %0 : i32[]
          return %3, %4, %5
        }",
        expect![[r#"
            func @f(%x: f32[2,?0]) -> (i32[], i64[], i32[]) {
              %1 = const 7 : i32[]
              %2 = const 2 : i32[]
              %3 = const 3 : i32[]
              %4 = const 2 : i64[]
              %5 = const 0 : i32[]
              %6 = floor_div %1, %5 : i32[]
              return %3, %4, %6
            }
        "#]],
    );
}

#[test]
fn functions_that_do_the_same_are_one() {
    check(
        "functions",
        "func @f(%x: i64[]) -> (i64[]) {
          %1 = call @g %x : i64[]
          %2 = call @h %1 : i64[]
          %3 = call @k %2 : i64[]
          return %3
        }
        func @g(%x: i64[]) -> (i64[]) { %1 = neg %x : i64[] %2 = call @g %1 : i64[] return %2 }
        func @h(%x: i64[]) -> (i64[]) { %1 = neg %x : i64[] %2 = call @h %1 : i64[] return %2 }
        func @k(%x: i64[]) -> (i64[]) { %1 = abs %x : i64[] %2 = call @k %1 : i64[] return %2 }",
        expect![[r#"
            func @f(%x: i64[]) -> (i64[]) {
              %1 = call @g %x : i64[]
              %2 = call @g %1 : i64[]
              %3 = call @k %2 : i64[]
              return %3
            }
            func @g(%x: i64[]) -> (i64[]) {
              %1 = neg %x : i64[]
              %2 = call @g %1 : i64[]
              return %2
            }
            func @k(%x: i64[]) -> (i64[]) {
              %1 = abs %x : i64[]
              %2 = call @k %1 : i64[]
              return %2
            }
        "#]],
    );
}

#[test]
fn functions_are_simplified_and_dead_ones_go() {
    check_all(
        "func @f(%x: i64[], %c: bool[]) -> (i64[]) {
          %no = const false : bool[]
          %1 = cond %no : (i64[]) {
            %2 = call @dead %x : i64[]
            yield %2
          } else {
            %3 = call @g %x, %c : i64[]
            yield %3
          }
          return %1
        }
        func @dead(%x: i64[]) -> (i64[]) { return %x }
        func @g(%x: i64[], %c: bool[]) -> (i64[]) {
          %1 = const 2 : i64[]
          %2 = const 3 : i64[]
          %3 = add %1, %2 : i64[]
          return %3
        }",
        expect![[r#"
            func @f(%x: i64[], %c: bool[]) -> (i64[]) {
              %1 = const 5 : i64[]
              return %1
            }
        "#]],
    );
}

#[test]
fn approximations_are_left_to_the_machine() {
    check(
        "fold",
        "func @f() -> (f32[]) { %1 = const 1.0 : f32[] %2 = exp %1 : f32[] return %2 }",
        expect![[r#"
            func @f() -> (f32[]) {
              %1 = const 1.0 : f32[]
              %2 = exp %1 : f32[]
              return %2
            }
        "#]],
    );
}

#[test]
fn loops_lose_what_they_do_not_need() {
    check_all(
        "func @f(%x: f32[], %n: i64[]) -> (f32[]) {
          %zero = const 0 : i64[]
          %i.9, %y.9, %s.9, %unused = while (%i = %zero, %y = %x, %s = %x, %u = %x) : (i64[], f32[], f32[], f32[]) {
            %more = lt %i, %n : bool[]
            yield %more
          } do {
            %one = const 1 : i64[]
            %next = add %i, %one : i64[]
            %square = mul %y, %y : f32[]
            %root = sqrt %square : f32[]
            %sum = add %s, %root : f32[]
            %v = exp %u : f32[]
            yield %next, %y, %sum, %v
          }
          return %s.9
        }",
        expect![[r#"
            func @f(%x: f32[], %n: i64[]) -> (f32[]) {
              %zero = const 0 : i64[]
              %one = const 1 : i64[]
              %square = mul %x, %x : f32[]
              %root = sqrt %square : f32[]
              %i, %s = while (%i.2 = %zero, %s.2 = %x) : (i64[], f32[]) {
                %more = lt %i.2, %n : bool[]
                yield %more
              } do {
                %next = add %i.2, %one : i64[]
                %sum = add %s.2, %root : f32[]
                yield %next, %sum
              }
              return %s
            }
        "#]],
    );
}

#[test]
fn failures_and_effects_stay_in_their_loops() {
    check_all(
        "func @f(%x: i64[], %n: i64[]) -> () {
          %1 = while (%i = %n) : (i64[]) {
            %zero = const 0 : i64[]
            %more = gt %i, %zero : bool[]
            yield %more
          } do {
            %q = floor_div %x, %n : i64[]
            print %x text=\"{0}\" to=stdout
            %one = const 1 : i64[]
            %next = sub %i, %one : i64[]
            yield %next
          }
          return
        }",
        expect![[r#"
            func @f(%x: i64[], %n: i64[]) -> () {
              %zero = const 0 : i64[]
              %1 = const -1 : i64[]
              %2 = while (%i = %n) : (i64[]) {
                %more = gt %i, %zero : bool[]
                yield %more
              } do {
                %q = floor_div %x, %n : i64[]
                print %x text="{0}" to=stdout
                %next = add %i, %1 : i64[]
                yield %next
              }
              return
            }
        "#]],
    );
}

#[test]
fn equal_ops_are_shared_with_inner_regions_but_not_out_of_them() {
    check(
        "cse",
        "func @f(%x: f32[], %t: bool[]) -> (f32[], f32[]) {
          %1 = exp %x : f32[]
          %2 = cond %t : (f32[]) { %3 = exp %x : f32[] %4 = sin %x : f32[] yield %3 } else { yield %x }
          %5 = sin %x : f32[]
          return %2, %5
        }",
        expect![[r#"
            func @f(%x: f32[], %t: bool[]) -> (f32[], f32[]) {
              %1 = exp %x : f32[]
              %2 = cond %t : (f32[]) {
                %3 = sin %x : f32[]
                yield %1
              } else {
                yield %x
              }
              %4 = sin %x : f32[]
              return %2, %4
            }
        "#]],
    );
}

#[test]
fn variables_of_shared_values_become_one() {
    check(
        "cse",
        "func @f(%x: f32[?], %i: i64[]) -> (f32[?2]) {
          %1 = slice %x, %i at=[@1:] : f32[?1]
          %2 = slice %x, %i at=[@1:] : f32[?2]
          %3 = exp %2 : f32[?2]
          %4 = add %3, %1 : f32[?2]
          return %4
        }",
        expect![[r#"
            func @f(%x: f32[?0], %i: i64[]) -> (f32[?1]) {
              %1 = slice %x, %i at=[@1:] : f32[?1]
              %2 = exp %1 : f32[?1]
              %3 = add %2, %1 : f32[?1]
              return %3
            }
        "#]],
    );
}

#[test]
fn a_test_that_fails_at_once_runs_once() {
    check_all(
        "func @f(%x: f32[]) -> (f32[]) {
          %r = while (%y = %x) : (f32[]) {
            print text=\"tested\" to=stdout
            %no = const false : bool[]
            yield %no
          } do {
            %z = exp %y : f32[]
            yield %z
          }
          return %r
        }",
        expect![[r#"
            func @f(%x: f32[]) -> (f32[]) {
              print text="tested" to=stdout
              return %x
            }
        "#]],
    );
}

#[test]
fn inner_loops_are_left_by_what_is_steady() {
    check_all(
        "func @f(%x: f32[], %n: i64[]) -> (f32[]) {
          %zero = const 0 : i64[]
          %i.9, %s.9 = while (%i = %zero, %s = %x) : (i64[], f32[]) {
            %more = lt %i, %n : bool[]
            yield %more
          } do {
            %j.9, %t.9 = while (%j = %zero, %t = %s) : (i64[], f32[]) {
              %more = lt %j, %i : bool[]
              yield %more
            } do {
              %one = const 1 : i64[]
              %next = add %j, %one : i64[]
              %e = exp %x : f32[]
              %sum = add %t, %e : f32[]
              yield %next, %sum
            }
            %one = const 1 : i64[]
            %next = add %i, %one : i64[]
            yield %next, %t.9
          }
          return %s.9
        }",
        expect![[r#"
            func @f(%x: f32[], %n: i64[]) -> (f32[]) {
              %zero = const 0 : i64[]
              %one = const 1 : i64[]
              %e = exp %x : f32[]
              %i, %s = while (%i.2 = %zero, %s.2 = %x) : (i64[], f32[]) {
                %more = lt %i.2, %n : bool[]
                yield %more
              } do {
                %j, %t = while (%j.2 = %zero, %t.2 = %s.2) : (i64[], f32[]) {
                  %more.2 = lt %j.2, %i.2 : bool[]
                  yield %more.2
                } do {
                  %next = add %j.2, %one : i64[]
                  %sum = add %t.2, %e : f32[]
                  yield %next, %sum
                }
                %next.2 = add %i.2, %one : i64[]
                yield %next.2, %t
              }
              return %s
            }
        "#]],
    );
}

#[test]
fn a_graph_that_comes_in_broken_is_not_blamed_on_a_pass() {
    let text = "func @f(%x: f32[]) -> (f32[]) { %1 = exp %x : f32[] return %1 }";
    let mut graph = parse(text).expect("a graph");
    let result = graph.results()[0];
    graph.values[result].ty.dtype = gw_types::DType::I32;
    let (name, broken) = optimize(graph).expect_err("broken before the first pass");
    assert_eq!((name, broken.blame), ("trace", "trace"));
}

/// The rest that `dce` leaves of a dead loop.
#[track_caller]
fn check_unused_loop(test: &str, next: &str, stays: bool) {
    let before = format!(
        "func @f(%n: i64[], %c: bool[]) -> (i64[]) {{
          %zero = const 0 : i64[]
          %one = const 1 : i64[]
          %two = const 2 : i64[]
          %no = const false : bool[]
          %r = while (%i = %zero) : (i64[]) {{
            {test}
            yield %t
          }} do {{
            {next}
            yield %j
          }}
          return %n
        }}"
    );
    let mut graph = parse(&before).unwrap_or_else(|error| panic!("{error}"));
    dce::run(&mut graph);
    verify(&graph, "dce").expect("legal");
    assert_eq!(print(&graph).contains("while"), stays, "{before}");
}

#[test]
fn loops_that_may_not_end_stay() {
    let up = "%j = add %i, %one : i64[]";
    for (test, next, stays) in [
        ("%t = lt %i, %n : bool[]", up, false),
        ("%t = ge %n, %i : bool[]", "%j = add %two, %i : i64[]", false),
        ("%t = gt %i, %n : bool[]", "%j = sub %i, %one : i64[]", false),
        ("%t = lt %i, %n : bool[]", "%j = select %c, %one, %two : i64[]", true),
        ("%t = lt %i, %n : bool[]", "%s = select %c, %one, %two : i64[]\n%j = add %i, %s : i64[]", false),
        ("%u = lt %i, %n : bool[]\n%t = and %c, %u : bool[]", up, false),
        ("%m = mul %n, %two : i64[]\n%t = lt %i, %m : bool[]", up, false),
        ("%m = mul %i, %two : i64[]\n%t = lt %i, %m : bool[]", up, true),
        ("%t = ne %i, %n : bool[]", up, true),
        ("%t = gt %i, %n : bool[]", up, true),
        ("%t = lt %i, %n : bool[]", "%j = mul %i, %two : i64[]", true),
        ("%t = lt %i, %n : bool[]", "%j = add %i, %zero : i64[]", true),
        ("%t = lt %i, %n : bool[]", "%j = add %i, %n : i64[]", true),
        ("%t = gt %n, %zero : bool[]", up, true),
        ("%t = and %no, %c : bool[]", up, false),
    ] {
        check_unused_loop(test, next, stays);
    }
}

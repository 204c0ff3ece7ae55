//! Functions before and after the pass, and those that it leaves alone.

use expect_test::{Expect, expect};
use gw_ir::text::{parse, print};
use gw_ir::verify;

/// The pass alone, without what it leaves dead.
#[track_caller]
pub(super) fn check(before: &str, after: Expect) {
    let mut graph = parse(before).unwrap_or_else(|error| panic!("{error}"));
    super::run(&mut graph);
    verify(&graph, "tail-calls").expect("legal");
    after.assert_eq(&print(&graph.compact()));
}

/// All passes.
#[track_caller]
pub(super) fn check_all(before: &str, after: Expect) {
    let graph = parse(before).unwrap_or_else(|error| panic!("{error}"));
    after.assert_eq(&print(&crate::optimize(graph).expect("no bug")));
}

/// A function that the pass leaves as it is.
#[track_caller]
fn stays(function: &str) {
    let call = "func @main(%x: i64[], %y: i64[]) -> (i64[], i64[]) {
        %a, %b = call @f %x, %y : i64[], i64[]
        return %a, %b
      }";
    let mut graph = parse(&format!("{call}\n{function}")).unwrap_or_else(|error| panic!("{error}"));
    let before = print(&graph);
    super::run(&mut graph);
    assert_eq!(print(&graph), before);
}

#[test]
fn a_call_that_stands_last_is_the_next_turn() {
    let before = "
        func @main(%n: i64[], %k: i64[]) -> (i64[]) {
          %zero = const 0 : i64[]
          %sum = call @f %n, %zero, %k : i64[]
          return %sum
        }
        func @f(%n: i64[], %sum: i64[], %k: i64[]) -> (i64[]) {
          %zero = const 0 : i64[]
          %end = eq %n, %zero : bool[]
          %r = cond %end : (i64[]) {
            yield %sum
          } else {
            %one = const 1 : i64[]
            %less = sub %n, %one : i64[]
            %more = add %sum, %k : i64[]
            %rest = call @f %less, %more, %k : i64[]
            yield %rest
          }
          return %r
        }";
    check(
        before,
        expect![[r#"
            func @main(%n: i64[], %k: i64[]) -> (i64[]) {
              %zero = const 0 : i64[]
              %sum = call @f %n, %zero, %k : i64[]
              return %sum
            }
            func @f(%n: i64[], %sum: i64[], %k: i64[]) -> (i64[]) {
              %1 = const 0 : i64[]
              %2 = const 1 : i64[]
              %3 = const 10485759 : i64[]
              %4 = const false : bool[]
              %5 = const true : bool[]
              %6 = const 0 : i64[]
              %7 = eq %n, %6 : bool[]
              %8 = not %7 : bool[]
              %9, %10, %11, %12, %13 = while (%n.2 = %n, %sum.2 = %sum, %k.2 = %k, %14 = %1, %15 = %8) : (i64[], i64[], i64[], i64[], bool[]) {
                yield %15
              } do {
                %zero = const 0 : i64[]
                %end = eq %n.2, %zero : bool[]
                %one = const 1 : i64[]
                %less = sub %n.2, %one : i64[]
                %more = add %sum.2, %k.2 : i64[]
                %16 = lt %14, %3 : bool[]
                check %16 kind=RecursionError text="maximum recursion depth exceeded" to=stderr
                %17 = add %14, %2 : i64[]
                %18 = const 0 : i64[]
                %19 = eq %less, %18 : bool[]
                %20 = not %19 : bool[]
                yield %less, %more, %k.2, %17, %20
              }
              %21 = const 0 : i64[]
              %22 = eq %9, %21 : bool[]
              return %10
            }
        "#]],
    );
    check_all(
        before,
        expect![[r#"
            func @main(%n: i64[], %k: i64[]) -> (i64[]) {
              %zero = const 0 : i64[]
              %1 = const 1 : i64[]
              %2 = const 10485759 : i64[]
              %3 = ne %n, %zero : bool[]
              %4 = const -1 : i64[]
              %5, %sum, %6, %7 = while (%n.2 = %n, %sum.2 = %zero, %8 = %zero, %9 = %3) : (i64[], i64[], i64[], bool[]) {
                yield %9
              } do {
                %less = add %n.2, %4 : i64[]
                %more = add %sum.2, %k : i64[]
                %10 = lt %8, %2 : bool[]
                check %10 kind=RecursionError text="maximum recursion depth exceeded" to=stderr
                %11 = add %8, %1 : i64[]
                %12 = ne %less, %zero : bool[]
                yield %less, %more, %11, %12
              }
              return %sum
            }
        "#]],
    );
}

#[test]
fn each_branch_ends_by_itself() {
    let before = "
        func @main(%a: i64[], %b: i64[]) -> (i64[], i64[]) {
          %x, %y = call @f %a, %b : i64[], i64[]
          return %x, %y
        }
        func @f(%a: i64[], %b: i64[]) -> (i64[], i64[]) {
          %smaller = lt %a, %b : bool[]
          %y, %x = cond %smaller : (i64[], i64[]) {
            %x, %y = call @f %b, %a : i64[], i64[]
            yield %y, %x
          } else {
            %zero = const 0 : i64[]
            %end = eq %b, %zero : bool[]
            %x, %y = cond %end : (i64[], i64[]) {
              %twice = add %a, %a : i64[]
              yield %a, %twice
            } else {
              print %b text=\"{0}\" to=stdout
              %rest = mod %a, %b : i64[]
              %x, %y = call @f %b, %rest : i64[], i64[]
              yield %x, %y
            }
            yield %y, %x
          }
          return %x, %y
        }";
    check(
        before,
        expect![[r#"
            func @main(%a: i64[], %b: i64[]) -> (i64[], i64[]) {
              %x, %y = call @f %a, %b : i64[], i64[]
              return %x, %y
            }
            func @f(%a: i64[], %b: i64[]) -> (i64[], i64[]) {
              %1 = const 0 : i64[]
              %2 = const 1 : i64[]
              %3 = const 10485759 : i64[]
              %4 = const false : bool[]
              %5 = const true : bool[]
              %6, %7, %8, %9 = while (%a.2 = %a, %b.2 = %b, %10 = %1, %11 = %5) : (i64[], i64[], i64[], bool[]) {
                yield %11
              } do {
                %smaller = lt %a.2, %b.2 : bool[]
                %12, %13, %14 = cond %smaller : (i64[], i64[], bool[]) {
                  %15 = lt %10, %3 : bool[]
                  check %15 kind=RecursionError text="maximum recursion depth exceeded" to=stderr
                  yield %b.2, %a.2, %5
                } else {
                  %zero = const 0 : i64[]
                  %end = eq %b.2, %zero : bool[]
                  %16, %17, %18 = cond %end : (i64[], i64[], bool[]) {
                    %twice = add %a.2, %a.2 : i64[]
                    yield %a.2, %twice, %4
                  } else {
                    print %b.2 text="{0}" to=stdout
                    %rest = mod %a.2, %b.2 : i64[]
                    %19 = lt %10, %3 : bool[]
                    check %19 kind=RecursionError text="maximum recursion depth exceeded" to=stderr
                    yield %b.2, %rest, %5
                  }
                  yield %16, %17, %18
                }
                %20 = add %10, %2 : i64[]
                yield %12, %13, %20, %14
              }
              return %6, %7
            }
        "#]],
    );
}

#[test]
fn other_calls_of_the_function_stay() {
    let before = "
        func @main(%m: i64[], %n: i64[]) -> (i64[]) {
          %r = call @ackermann %m, %n : i64[]
          return %r
        }
        func @ackermann(%m: i64[], %n: i64[]) -> (i64[]) {
          %zero = const 0 : i64[]
          %one = const 1 : i64[]
          %end = eq %m, %zero : bool[]
          %r = cond %end : (i64[]) {
            %next = add %n, %one : i64[]
            yield %next
          } else {
            %less = sub %m, %one : i64[]
            %fewer = sub %n, %one : i64[]
            %inner = call @ackermann %m, %fewer : i64[]
            %outer = call @ackermann %less, %inner : i64[]
            yield %outer
          }
          return %r
        }";
    check(
        before,
        expect![[r#"
            func @main(%m: i64[], %n: i64[]) -> (i64[]) {
              %r = call @ackermann %m, %n : i64[]
              return %r
            }
            func @ackermann(%m: i64[], %n: i64[]) -> (i64[]) {
              %1 = const 0 : i64[]
              %2 = const 1 : i64[]
              %3 = const 10485759 : i64[]
              %4 = const false : bool[]
              %5 = const true : bool[]
              %6 = const 0 : i64[]
              %7 = const 1 : i64[]
              %8 = eq %m, %6 : bool[]
              %9 = not %8 : bool[]
              %10, %11, %12, %13 = while (%m.2 = %m, %n.2 = %n, %14 = %1, %15 = %9) : (i64[], i64[], i64[], bool[]) {
                yield %15
              } do {
                %zero = const 0 : i64[]
                %one = const 1 : i64[]
                %end = eq %m.2, %zero : bool[]
                %less = sub %m.2, %one : i64[]
                %fewer = sub %n.2, %one : i64[]
                %inner = call @ackermann %m.2, %fewer : i64[]
                %16 = lt %14, %3 : bool[]
                check %16 kind=RecursionError text="maximum recursion depth exceeded" to=stderr
                %17 = add %14, %2 : i64[]
                %18 = const 0 : i64[]
                %19 = const 1 : i64[]
                %20 = eq %less, %18 : bool[]
                %21 = not %20 : bool[]
                yield %less, %inner, %17, %21
              }
              %22 = const 0 : i64[]
              %23 = const 1 : i64[]
              %24 = eq %10, %22 : bool[]
              %next = add %11, %23 : i64[]
              return %next
            }
        "#]],
    );
}

#[test]
fn lengths_may_change_from_turn_to_turn() {
    let before = "
        func @main(%x: f32[?0], %y: f32[?1], %n: i64[]) -> (f32[?2]) {
          %r = call @f %x, %y, %n : f32[?2]
          return %r
        }
        func @f(%x: f32[?4], %y: f32[?5], %n: i64[]) -> (f32[?6]) {
          %zero = const 0 : i64[]
          %end = eq %n, %zero : bool[]
          %r = cond %end : (f32[?6]) {
            %xy = concat %x, %y axis=0 : f32[?7]
            yield %xy
          } else {
            %one = const 1 : i64[]
            %less = sub %n, %one : i64[]
            %half = slice %x at=[::2] : f32[?8]
            %twice = add %y, %y : f32[?5]
            %rest = call @f %half, %twice, %less : f32[?9]
            yield %rest
          }
          return %r
        }";
    check(
        before,
        expect![[r#"
            func @main(%x: f32[?0], %y: f32[?1], %n: i64[]) -> (f32[?2]) {
              %r = call @f %x, %y, %n : f32[?2]
              return %r
            }
            func @f(%x: f32[?3], %y: f32[?4], %n: i64[]) -> (f32[?6]) {
              %1 = const 0.0 : f32[]
              %2 = broadcast %1 dims=[0] : f32[0]
              %3 = const 0 : i64[]
              %4 = const 1 : i64[]
              %5 = const 10485759 : i64[]
              %6 = const false : bool[]
              %7 = const true : bool[]
              %8, %9, %10, %11, %12, %13 = while (%x.2: f32[?7] = %x, %y.2 = %y, %n.2 = %n, %14: f32[?8] = %2, %15 = %3, %16 = %7) : (f32[?5], f32[?4], i64[], f32[?6], i64[], bool[]) {
                yield %16
              } do {
                %zero = const 0 : i64[]
                %end = eq %n.2, %zero : bool[]
                %17, %18, %19, %20, %21 = cond %end : (f32[?9], f32[?4], i64[], f32[?10], bool[]) {
                  %xy = concat %x.2, %y.2 axis=0 : f32[?11]
                  yield %x.2, %y.2, %n.2, %xy, %6
                } else {
                  %one = const 1 : i64[]
                  %less = sub %n.2, %one : i64[]
                  %half = slice %x.2 at=[::2] : f32[?12]
                  %twice = add %y.2, %y.2 : f32[?4]
                  %22 = lt %15, %5 : bool[]
                  check %22 kind=RecursionError text="maximum recursion depth exceeded" to=stderr
                  yield %half, %twice, %less, %14, %7
                }
                %23 = add %15, %4 : i64[]
                yield %17, %18, %19, %20, %23, %21
              }
              return %11
            }
        "#]],
    );
}

#[test]
fn recursion_without_end_is_counted() {
    check(
        "func @main(%x: i64[]) -> () {
          call @f %x
          return
        }
        func @f(%x: i64[]) -> () {
          print %x text=\"{0}\" to=stdout
          call @f %x
          return
        }",
        expect![[r#"
            func @main(%x: i64[]) -> () {
              call @f %x
              return
            }
            func @f(%x: i64[]) -> () {
              %1 = const 0 : i64[]
              %2 = const 1 : i64[]
              %3 = const 10485759 : i64[]
              %4 = const false : bool[]
              %5 = const true : bool[]
              %6, %7, %8 = while (%x.2 = %x, %9 = %1, %10 = %5) : (i64[], i64[], bool[]) {
                yield %10
              } do {
                print %x.2 text="{0}" to=stdout
                %11 = lt %9, %3 : bool[]
                check %11 kind=RecursionError text="maximum recursion depth exceeded" to=stderr
                %12 = add %9, %2 : i64[]
                yield %x.2, %12, %5
              }
              return
            }
        "#]],
    );
}

#[test]
fn what_something_is_done_behind_is_no_turn() {
    let before_the_end = |end: &str| {
        format!(
            "func @f(%x: i64[], %y: i64[]) -> (i64[], i64[]) {{
              %more = lt %x, %y : bool[]
              %r, %s = cond %more : (i64[], i64[]) {{
                {end}
              }} else {{
                yield %x, %y
              }}
              return %r, %s
            }}"
        )
    };
    let call = "%a, %b = call @f %y, %x : i64[], i64[]";
    stays(&before_the_end(&format!("{call} yield %b, %a")));
    stays(&before_the_end(&format!("{call} yield %a, %a")));
    stays(&before_the_end(&format!("{call} yield %a, %x")));
    stays(&before_the_end(&format!("{call} print %x text=\"{{0}}\" to=stdout yield %a, %b")));
    stays(&before_the_end(&format!("%a, %b = try : (i64[], i64[]) {{ {call} yield %a, %b }} yield %a, %b")));
    stays(&before_the_end(&format!(
        "%a, %b = while (%a = %x, %b = %y) : (i64[], i64[]) {{ %go = lt %a, %b : bool[] yield %go }} do {{ {call} yield %a, %b }}
         yield %a, %b"
    )));
}

#[test]
fn a_function_with_a_way_back_of_its_own_stays() {
    stays(
        "func @f(%x: i64[], %y: i64[]) -> (i64[], i64[]) back @back {
          %a, %b = call @f %y, %x : i64[], i64[]
          return %a, %b
        }
        func @back(%x: i64[], %y: i64[]) -> () { return }",
    );
}

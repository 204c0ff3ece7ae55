//! Functions whose tests come first, before and after.

use expect_test::expect;

use crate::tail_calls::tests::check_all;

/// Tests behind each other, each of which returns something of its own.
const TESTS: &str = "
    func @main(%n: i64[], %x: f32[3]) -> (f32[3]) {
      %r = call @f %n, %x : f32[3]
      return %r
    }
    func @f(%n: i64[], %x: f32[3]) -> (f32[3]) {
      %zero = const 0 : i64[]
      %end = eq %n, %zero : bool[]
      %r = cond %end : (f32[3]) {
        print %n text=\"{0}\" to=stdout
        %y = exp %x : f32[3]
        yield %y
      } else {
        %one = const 1 : i64[]
        %less = sub %n, %one : i64[]
        %sum = reduce_sum %x axes=[0] : f32[]
        %ten = const 10.0 : f32[]
        %small = lt %sum, %ten : bool[]
        %s = cond %small : (f32[3]) {
          %twice = add %x, %x : f32[3]
          %rest = call @f %less, %twice : f32[3]
          yield %rest
        } else {
          %k = cast %less to=f32 : f32[]
          %z = mul %x, %k : f32[3]
          yield %z
        }
        yield %s
      }
      return %r
    }";

#[test]
fn tests_that_come_first_say_whether_there_is_a_turn() {
    check_all(
        TESTS,
        expect![[r#"
        func @main(%n: i64[], %x: f32[3]) -> (f32[3]) {
          %1 = const 0 : i64[]
          %2 = const 1 : i64[]
          %3 = const 10485759 : i64[]
          %4 = ne %n, %1 : bool[]
          %5 = const -1 : i64[]
          %6 = reduce_sum %x axes=[0] : f32[]
          %7 = const 10.0 : f32[]
          %8 = lt %6, %7 : bool[]
          %9 = and %4, %8 : bool[]
          %10, %11, %12, %13 = while (%n.2 = %n, %x.2 = %x, %14 = %1, %15 = %9) : (i64[], f32[3], i64[], bool[]) {
            yield %15
          } do {
            %less = add %n.2, %5 : i64[]
            %twice = add %x.2, %x.2 : f32[3]
            %16 = lt %14, %3 : bool[]
            check %16 kind=RecursionError text="maximum recursion depth exceeded" to=stderr
            %17 = add %14, %2 : i64[]
            %18 = ne %less, %1 : bool[]
            %19 = reduce_sum %twice axes=[0] : f32[]
            %20 = lt %19, %7 : bool[]
            %21 = and %18, %20 : bool[]
            yield %less, %twice, %17, %21
          }
          %22 = eq %10, %1 : bool[]
          %r = cond %22 : (f32[3]) {
            print %10 text="{0}" to=stdout
            %y = exp %11 : f32[3]
            yield %y
          } else {
            %23 = add %10, %5 : i64[]
            %k = cast %23 to=f32 : f32[]
            %z = mul %11, %k : f32[3]
            yield %z
          }
          return %r
        }
    "#]],
    );
}

#[test]
fn branches_choose_a_few_numbers() {
    check_all(
        "func @main(%n: i32[], %s: i32[]) -> (i32[]) {
          %r = call @f %n, %s : i32[]
          return %r
        }
        func @f(%n: i32[], %s: i32[]) -> (i32[]) {
          %zero = const 0 : i32[]
          %end = eq %n, %zero : bool[]
          %r = cond %end : (i32[]) {
            yield %s
          } else {
            %much = gt %s, %n : bool[]
            %t = cond %much : (i32[]) {
              yield %n
            } else {
              %one = const 1 : i32[]
              %less = sub %n, %one : i32[]
              %more = add %s, %n : i32[]
              %rest = call @f %less, %more : i32[]
              yield %rest
            }
            yield %t
          }
          return %r
        }",
        expect![[r#"
            func @main(%n: i32[], %s: i32[]) -> (i32[]) {
              %1 = const 0 : i64[]
              %2 = const 1 : i64[]
              %3 = const 10485759 : i64[]
              %4 = const false : bool[]
              %5 = const true : bool[]
              %zero = const 0 : i32[]
              %r, %6, %7, %8 = while (%n.2 = %n, %s.2 = %s, %9 = %1, %10 = %5) : (i32[], i32[], i64[], bool[]) {
                yield %10
              } do {
                %end = eq %n.2, %zero : bool[]
                %11, %12, %13 = cond %end : (i32[], i32[], bool[]) {
                  yield %s.2, %s.2, %4
                } else {
                  %much = gt %s.2, %n.2 : bool[]
                  %14, %15, %16 = cond %much : (i32[], i32[], bool[]) {
                    yield %n.2, %s.2, %4
                  } else {
                    %17 = const -1 : i32[]
                    %less = add %n.2, %17 : i32[]
                    %more = add %s.2, %n.2 : i32[]
                    %18 = lt %9, %3 : bool[]
                    check %18 kind=RecursionError text="maximum recursion depth exceeded" to=stderr
                    yield %less, %more, %5
                  }
                  yield %14, %15, %16
                }
                %19 = add %9, %2 : i64[]
                yield %11, %12, %19, %13
              }
              return %r
            }
        "#]],
    );
}

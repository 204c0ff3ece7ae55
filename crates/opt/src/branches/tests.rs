//! Branches before and after.

use expect_test::expect;

use crate::tests::{check, check_all};

#[test]
fn a_known_branch_is_taken() {
    check_all(
        "func @f(%x: f32[]) -> (f32[]) {
          %1 = const true : bool[]
          %2 = cond %1 : (f32[]) { %3 = exp %x : f32[] yield %3 } else { %4 = sin %x : f32[] yield %4 }
          return %2
        }",
        expect![[r#"
            func @f(%x: f32[]) -> (f32[]) {
              %1 = exp %x : f32[]
              return %1
            }
        "#]],
    );
}

#[test]
fn short_branches_become_a_choice() {
    check_all(
        "func @f(%n: i64[]) -> (i64[]) {
          %two = const 2 : i64[]
          %zero = const 0 : i64[]
          %rest = mod %n, %two : i64[]
          %even = eq %rest, %zero : bool[]
          %r = cond %even : (i64[]) {
            %half = floor_div %n, %two : i64[]
            yield %half
          } else {
            %three = const 3 : i64[]
            %one = const 1 : i64[]
            %triple = mul %n, %three : i64[]
            %next = add %triple, %one : i64[]
            yield %next
          }
          return %r
        }",
        expect![[r#"
            func @f(%n: i64[]) -> (i64[]) {
              %two = const 2 : i64[]
              %zero = const 0 : i64[]
              %rest = mod %n, %two : i64[]
              %even = eq %rest, %zero : bool[]
              %half = floor_div %n, %two : i64[]
              %three = const 3 : i64[]
              %one = const 1 : i64[]
              %triple = mul %n, %three : i64[]
              %next = add %triple, %one : i64[]
              %r = select %even, %half, %next : i64[]
              return %r
            }
        "#]],
    );
}

#[test]
fn integers_that_grow_in_a_branch_grow_by_a_choice() {
    check(
        "branches",
        "func @f(%c: bool[], %n: i64[], %m: u8[]) -> (i64[], u8[]) {
          %1, %2 = cond %c : (i64[], u8[]) {
            %3 = const 1 : i64[]
            %4 = add %3, %n checked : i64[]
            yield %4, %m
          } else {
            %5 = const 2 : u8[]
            %6 = sub %m, %5 checked : u8[]
            yield %n, %6
          }
          return %1, %2
        }",
        expect![[r#"
            func @f(%c: bool[], %n: i64[], %m: u8[]) -> (i64[], u8[]) {
              %1 = const 1 : i64[]
              %2 = const 2 : u8[]
              %3 = const 0 : i64[]
              %4 = select %c, %1, %3 : i64[]
              %5 = add %4, %n checked : i64[]
              %6 = const 0 : u8[]
              %7 = select %c, %6, %2 : u8[]
              %8 = sub %m, %7 checked : u8[]
              return %5, %8
            }
        "#]],
    );
}

#[test]
fn sums_that_a_branch_reads_stay_in_it() {
    check(
        "branches",
        "func @f(%c: bool[], %n: i64[]) -> (i64[], i64[]) {
          %1, %2 = cond %c : (i64[], i64[]) {
            %3 = const 1 : i64[]
            %4 = add %n, %3 checked : i64[]
            %5 = neg %4 : i64[]
            yield %4, %5
          } else {
            yield %n, %n
          }
          return %1, %2
        }",
        expect![[r#"
            func @f(%c: bool[], %n: i64[]) -> (i64[], i64[]) {
              %1, %2 = cond %c : (i64[], i64[]) {
                %3 = const 1 : i64[]
                %4 = add %n, %3 checked : i64[]
                %5 = neg %4 : i64[]
                yield %4, %5
              } else {
                yield %n, %n
              }
              return %1, %2
            }
        "#]],
    );
}

#[test]
fn branches_that_may_fail_stay() {
    check_all(
        "func @f(%n: i64[], %d: i64[], %t: bool[]) -> (i64[]) {
          %r = cond %t : (i64[]) { %q = floor_div %n, %d : i64[] yield %q } else { yield %n }
          return %r
        }",
        expect![[r#"
            func @f(%n: i64[], %d: i64[], %t: bool[]) -> (i64[]) {
              %r = cond %t : (i64[]) {
                %q = floor_div %n, %d : i64[]
                yield %q
              } else {
                yield %n
              }
              return %r
            }
        "#]],
    );
}

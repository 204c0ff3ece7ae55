//! Graphs before and after work is taken out of them.

use expect_test::{Expect, expect};
use gw_ir::text::{parse, print};
use gw_ir::verify;

use super::overlap;

/// The graph without the work, and the work; the graph as it was if there is none.
#[track_caller]
fn check(before: &str, after: Expect) {
    let graph = parse(before).unwrap_or_else(|error| panic!("{error}"));
    let (rest, overlapped) = overlap(&graph).unwrap_or((graph, Vec::new()));
    let all: Vec<_> = std::iter::once(&rest).chain(&overlapped).collect();
    all.iter().for_each(|graph| verify(graph, "beside").expect("legal"));
    let texts = all.iter().map(|graph| print(graph).replace(&gw_base::FIRST_OVERLAP.to_string(), "begin"));
    let texts = texts.map(|text| text.replace(&(gw_base::FIRST_OVERLAP + 1).to_string(), "finish"));
    after.assert_eq(&texts.collect::<Vec<_>>().join("\n"));
}

#[test]
fn products_before_and_behind_a_call_are_taken_out() {
    check(
        "func @f(%x: f64[], %m: f64[200,200]) -> (f64[], f64[200,200], f64[200,200]) {
          %1 = matmul %m, %m : f64[200,200]
          %2 = host_call %x name=\"g\" number=0 gives=[f64[]] : f64[]
          %3 = matmul %1, %m : f64[200,200]
          %4 = mul %3, %2 : f64[200,200]
          return %2, %1, %4
        }",
        expect![[r#"
            func @f(%x: f64[], %m: f64[200,200]) -> (f64[], f64[200,200], f64[200,200]) {
              host_call %m name="g" number=begin gives=[]
              %1 = host_call %x name="g" number=0 gives=[f64[]] : f64[]
              %2, %3 = host_call name="g" number=finish gives=[f64[200,200],f64[200,200]] : f64[200,200], f64[200,200]
              %4 = mul %3, %1 : f64[200,200]
              return %1, %2, %4
            }

            func @f(%1: f64[200,200]) -> (f64[200,200], f64[200,200]) {
              %2 = matmul %1, %1 : f64[200,200]
              %3 = matmul %2, %1 : f64[200,200]
              return %2, %3
            }
        "#]],
    );
}

#[test]
fn what_the_call_waits_for_stays() {
    check(
        "func @f(%m: f64[200,200]) -> (f64[200,200]) {
          %1 = matmul %m, %m : f64[200,200]
          %2 = host_call %1 name=\"g\" number=0 gives=[f64[200,200]] : f64[200,200]
          %3 = matmul %2, %m : f64[200,200]
          return %3
        }",
        expect![[r#"
            func @f(%m: f64[200,200]) -> (f64[200,200]) {
              %1 = matmul %m, %m : f64[200,200]
              %2 = host_call %1 name="g" number=0 gives=[f64[200,200]] : f64[200,200]
              %3 = matmul %2, %m : f64[200,200]
              return %3
            }
        "#]],
    );
}

#[test]
fn nothing_moves_over_effects_and_nothing_that_fails_moves() {
    check(
        "func @f(%x: f64[], %m: f64[200,200], %n: i64[200,200]) -> (f64[], f64[200,200], i64[200,200]) {
          %1 = matmul %m, %m : f64[200,200]
          %2 = host_call %x name=\"g\" number=0 gives=[f64[]] : f64[]
          %3 = floor_div %n, %n : i64[200,200]
          %4 = host_call %2 name=\"g\" number=0 gives=[f64[]] : f64[]
          return %4, %1, %3
        }",
        expect![[r#"
            func @f(%x: f64[], %m: f64[200,200], %n: i64[200,200]) -> (f64[], f64[200,200], i64[200,200]) {
              host_call %m name="g" number=begin gives=[]
              %1 = host_call %x name="g" number=0 gives=[f64[]] : f64[]
              %2 = host_call name="g" number=finish gives=[f64[200,200]] : f64[200,200]
              %3 = floor_div %n, %n : i64[200,200]
              %4 = host_call %1 name="g" number=0 gives=[f64[]] : f64[]
              return %4, %2, %3
            }

            func @f(%1: f64[200,200]) -> (f64[200,200]) {
              %2 = matmul %1, %1 : f64[200,200]
              return %2
            }
        "#]],
    );
}

#[test]
fn loops_are_taken_out_with_the_literals_that_they_read() {
    check(
        "func @f(%x: f64[], %v: f64[640], %n: i64[]) -> (f64[], f64[640]) {
          %zero = const 0 : i64[]
          %1 = host_call %x name=\"g\" number=0 gives=[f64[]] : f64[]
          %2, %3 = while (%i = %zero, %y: f64[640] = %v) : (i64[], f64[640]) {
            %3 = lt %i, %n : bool[]
            yield %3
          } do {
            %4 = mul %y, %v : f64[640]
            %one = const 1 : i64[]
            %5 = add %i, %one : i64[]
            yield %5, %4
          }
          return %1, %3
        }",
        expect![[r#"
            func @f(%x: f64[], %v: f64[640], %n: i64[]) -> (f64[], f64[640]) {
              %zero = const 0 : i64[]
              host_call %v, %n name="g" number=begin gives=[]
              %1 = host_call %x name="g" number=0 gives=[f64[]] : f64[]
              %2 = host_call name="g" number=finish gives=[f64[640]] : f64[640]
              return %1, %2
            }

            func @f(%1: f64[640], %2: i64[]) -> (f64[640]) {
              %zero = const 0 : i64[]
              %3, %4 = while (%i = %zero, %y = %1) : (i64[], f64[640]) {
                %5 = lt %i, %2 : bool[]
                yield %5
              } do {
                %6 = mul %y, %1 : f64[640]
                %one = const 1 : i64[]
                %7 = add %i, %one : i64[]
                yield %7, %6
              }
              return %4
            }
        "#]],
    );
}

#[test]
fn what_is_little_stays() {
    check(
        "func @f(%x: f64[], %v: f64[64]) -> (f64[], f64[64]) {
          %1 = host_call %x name=\"g\" number=0 gives=[f64[]] : f64[]
          %2 = mul %v, %v : f64[64]
          return %1, %2
        }",
        expect![[r#"
            func @f(%x: f64[], %v: f64[64]) -> (f64[], f64[64]) {
              %1 = host_call %x name="g" number=0 gives=[f64[]] : f64[]
              %2 = mul %v, %v : f64[64]
              return %1, %2
            }
        "#]],
    );
}

//! Fusion: the loops that a graph becomes.

use expect_test::{Expect, expect};

/// Compares the loops of a graph, but for the lines that define constants.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let graph = gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let loops = gw_cpu::dump_loops(&graph);
    let constant =
        |line: &&str| line.rsplit_once(" = ").is_some_and(|(_, value)| value.parse::<f64>().is_ok());
    let lines: Vec<&str> = loops.lines().filter(|line| !constant(line)).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn a_chain_and_its_sum_are_one_loop() {
    let text = "func @f(%x: f64[4,5]) -> (f64[]) {
  %1 = mul %x, %x : f64[4,5]
  %2 = sqrt %1 : f64[4,5]
  %3 = reduce_sum %2 axes=[0,1] : f64[]
  return %3
}";
    check(
        text,
        expect![[r#"
            func f
              %0: ptr = args
              %2: ptr = load %0[%1]
              for %10 < %3 carry %8 = %6
                for %13 < %4 carry %11 = %8
                  %15: i64 = mul %10, %4
                  %16: i64 = add %15, %13
                  %17: f64 = load %2[%16]
                  %18: f64 = mul %17, %17
                  %19: f64 = sqrt %18
                  %20: f64 = add %11, %19
                  next %20
                => %12
                next %12
              => %9
              %21: ptr = outs
              store %21[%1] = %9
        "#]],
    );
}

#[test]
fn what_one_loop_reads_several_times_is_no_array() {
    let text = "func @f(%x: f64[9], %y: f64[9]) -> (f64[9]) {
  %1 = mul %x, %y : f64[9]
  %2 = mul %1, %y : f64[9]
  %3 = sqrt %1 : f64[9]
  %4 = sub %2, %3 : f64[9]
  return %4
}";
    check(
        text,
        expect![[r#"
            func f
              %0: ptr = args
              %2: ptr = load %0[%1]
              %6: ptr = load %0[%5]
              %7: ptr = outs
              %8: ptr = slots
              %10: ptr = offset %8[%9] of ptr
              %11: ptr = load %10[%1]
              for %12 < %3
                %13: f64 = load %2[%12]
                %14: f64 = load %6[%12]
                %15: f64 = mul %13, %14
                %16: f64 = mul %15, %14
                %17: f64 = sqrt %15
                %18: f64 = sub %16, %17
                store %11[%12] = %18
              store %7[%1] = %11
              %19: ptr = offset %7[%4] of i64
              store %19[%1] = %3
        "#]],
    );
}

#[test]
fn what_two_loops_read_is_an_array() {
    let text = "func @f(%x: f64[9]) -> (f64[9], f64[]) {
  %1 = sqrt %x : f64[9]
  %2 = mul %1, %x : f64[9]
  %3 = add %1, %x : f64[9]
  %4 = reduce_sum %3 axes=[0] : f64[]
  return %2, %4
}";
    check(
        text,
        expect![[r#"
            func f
              %0: ptr = args
              %2: ptr = load %0[%1]
              %5: ptr = slots
              %7: ptr = offset %5[%6] of ptr
              %8: ptr = load %7[%1]
              for %9 < %3
                %10: f64 = load %2[%9]
                %11: f64 = sqrt %10
                store %8[%9] = %11
              for %15 < %3 carry %13 = %12
                %17: f64 = load %8[%15]
                %18: f64 = load %2[%15]
                %19: f64 = add %17, %18
                %20: f64 = add %13, %19
                next %20
              => %14
              %21: ptr = outs
              %23: ptr = offset %5[%22] of ptr
              %24: ptr = load %23[%1]
              for %25 < %3
                %26: f64 = load %8[%25]
                %27: f64 = load %2[%25]
                %28: f64 = mul %26, %27
                store %24[%25] = %28
              store %21[%1] = %24
              %29: ptr = offset %21[%4] of i64
              store %29[%1] = %3
              %31: ptr = offset %21[%30] of i64
              store %31[%1] = %14
        "#]],
    );
}

#[test]
fn a_cheap_branch_on_numbers_is_a_choice() {
    let text = "func @f(%n: i64[]) -> (i64[]) {
  %2 = const 2 : i64[]
  %0 = const 0 : i64[]
  %3 = mod %n, %2 : i64[]
  %4 = eq %3, %0 : bool[]
  %5 = cond %4 : (i64[]) {
    %6 = floor_div %n, %2 : i64[]
    yield %6
  } else {
    %7 = mul %n, %n : i64[]
    yield %7
  }
  return %5
}";
    check(
        text,
        expect![[r#"
            func f
              %0: ptr = args
              %2: ptr = load %0[%1]
              %3: i64 = load %2[%1]
              %6: i64 = and %3, %5
              %7: bool = eq %6, %1
              %9: i64 = sar %3, %8
              %10: i64 = mul %3, %3
              %11: i64 = select %7, %9, %10
              %12: ptr = outs
              store %12[%1] = %11
        "#]],
    );
}

#[test]
fn a_carry_is_computed_right_into_its_slot() {
    let text = "func @f(%n: i64[], %x: f64[9]) -> (f64[9]) {
  %0 = const 0 : i64[]
  %1 = const 1 : i64[]
  %2, %3 = while (%i = %0, %y = %x) : (i64[], f64[9]) {
    %4 = lt %i, %n : bool[]
    yield %4
  } do {
    %5 = add %i, %1 : i64[]
    %6 = add %y, %y : f64[9]
    yield %5, %6
  }
  return %3
}";
    check(
        text,
        expect![[r#"
            func f
              %0: ptr = args
              %2: ptr = load %0[%1]
              %3: i64 = load %2[%1]
              %5: ptr = load %0[%4]
              %11: ptr = slots
              %13: ptr = offset %11[%12] of ptr
              %14: ptr = load %13[%1]
              %16: ptr = offset %11[%15] of ptr
              %17: ptr = load %16[%1]
              %22: ptr = ticks
              %23: i64 = load %22[%1]
              while carry %7 = %1, %9 = %5, %18 = %14, %20 = %17, %24 = %23
                %26: bool = lt %7, %3
                test %26
                %27: i64 = add %7, %4
                for %30 < %29
                  %31: f64 = load %9[%30]
                  %32: f64 = add %31, %31
                  store %18[%30] = %32
                %35: ptr = ticks
                %36: bool = ge %24, %34
                if cold %36
                  %37: ptr = context
                  %38: bool = poll(%37)
                  guard %38 else #0
                  give %39
                else
                  give %24
                => %40
                %41: i64 = add %40, %28
                next %27, %18, %20, %18, %41
              => %8, %10, %19, %21, %25
              store %22[%1] = %25
              %42: ptr = outs
              store %42[%1] = %10
              %43: ptr = offset %42[%4] of i64
              store %43[%1] = %6
        "#]],
    );
}

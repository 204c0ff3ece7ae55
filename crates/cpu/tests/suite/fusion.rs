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
              for %14 < %3 carry %12 = %8
                for %17 < %4 carry %15 = %12
                  %19: i64 = mul %14, %7
                  %20: i64 = add %19, %17
                  %21: f64 = load %2[%20]
                  %22: f64 = mul %21, %21
                  %23: f64 = sqrt %22
                  %24: f64 = add %15, %23
                  next %24
                => %16
                next %16
              => %13
              %25: ptr = outs
              store %25[%27] = %13
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
              %7: ptr = load %0[%6]
              %10: ptr = outs
              %11: ptr = slots
              %13: ptr = offset %11[%12] of ptr
              %15: ptr = load %13[%14]
              for %23 < %18
                %24: f64 = load %2[%23]
                %25: f64 = load %7[%23]
                %26: f64 = mul %24, %25
                %27: f64 = mul %26, %25
                %28: f64 = sqrt %26
                %29: f64 = sub %27, %28
                store %15[%23] = %29
              store %10[%31] = %15
              %34: ptr = offset %10[%32] of i64
              store %34[%33] = %3
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
              %6: ptr = slots
              %8: ptr = offset %6[%7] of ptr
              %10: ptr = load %8[%9]
              for %18 < %13
                %19: f64 = load %2[%18]
                %20: f64 = sqrt %19
                store %10[%18] = %20
              for %26 < %3 carry %24 = %21
                %28: f64 = load %10[%26]
                %30: f64 = load %2[%26]
                %31: f64 = add %28, %30
                %32: f64 = add %24, %31
                next %32
              => %25
              %33: ptr = outs
              %34: ptr = slots
              %36: ptr = offset %34[%35] of ptr
              %38: ptr = load %36[%37]
              for %46 < %41
                %47: f64 = load %10[%46]
                %48: f64 = load %2[%46]
                %49: f64 = mul %47, %48
                store %38[%46] = %49
              store %33[%51] = %38
              %54: ptr = offset %33[%52] of i64
              store %54[%53] = %3
              %57: ptr = offset %33[%55] of i64
              store %57[%56] = %25
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
          %4: i64 = load %2[%3]
          %8: i64 = and %4, %7
          %9: bool = eq %8, %6
          %11: i64 = sar %4, %10
          %12: i64 = mul %4, %4
          %13: i64 = select %9, %11, %12
          %14: ptr = outs
          store %14[%16] = %13
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
              %4: i64 = load %2[%3]
              %6: ptr = load %0[%5]
              %16: ptr = slots
              %18: ptr = offset %16[%17] of ptr
              %20: ptr = load %18[%19]
              %21: ptr = slots
              %23: ptr = offset %21[%22] of ptr
              %25: ptr = load %23[%24]
              %31: ptr = ticks
              %33: i64 = load %31[%32]
              while carry %12 = %10, %14 = %6, %26 = %20, %28 = %25, %34 = %33
                %36: bool = lt %12, %4
                test %36
                %37: i64 = add %12, %11
                for %45 < %40
                  %46: f64 = load %14[%45]
                  %47: f64 = add %46, %46
                  store %26[%45] = %47
                %51: ptr = ticks
                %52: bool = ge %34, %50
                if cold %52
                  %53: ptr = context
                  %54: bool = poll(%53)
                  guard %54 else #0
                  give %55
                else
                  give %34
                => %56
                %57: i64 = add %56, %49
                next %37, %26, %28, %26, %57
              => %13, %15, %27, %29, %35
              store %31[%32] = %35
              %59: ptr = outs
              store %59[%61] = %15
              %64: ptr = offset %59[%62] of i64
              store %64[%63] = %7
        "#]],
    );
}

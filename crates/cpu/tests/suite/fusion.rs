//! Which loops a graph becomes.

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
              %14: ptr = load %11[%13]
              for %22 < %17
                %23: f64 = load %2[%22]
                %24: f64 = load %7[%22]
                %25: f64 = mul %23, %24
                %26: f64 = mul %25, %24
                %27: f64 = sqrt %25
                %28: f64 = sub %26, %27
                store %14[%22] = %28
              store %10[%30] = %14
              %33: ptr = offset %10[%31] of i64
              store %33[%32] = %3
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
              %9: ptr = load %6[%8]
              for %17 < %12
                %18: f64 = load %2[%17]
                %19: f64 = sqrt %18
                store %9[%17] = %19
              for %25 < %3 carry %23 = %20
                %27: f64 = load %9[%25]
                %29: f64 = load %2[%25]
                %30: f64 = add %27, %29
                %31: f64 = add %23, %30
                next %31
              => %24
              %32: ptr = outs
              %33: ptr = slots
              %35: ptr = offset %33[%34] of ptr
              %37: ptr = load %35[%36]
              for %45 < %40
                %46: f64 = load %9[%45]
                %47: f64 = load %2[%45]
                %48: f64 = mul %46, %47
                store %37[%45] = %48
              store %32[%50] = %37
              %53: ptr = offset %32[%51] of i64
              store %53[%52] = %3
              %56: ptr = offset %32[%54] of i64
              store %56[%55] = %24
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
              %19: ptr = load %16[%18]
              %20: ptr = slots
              %22: ptr = offset %20[%21] of ptr
              %24: ptr = load %22[%23]
              %30: ptr = ticks
              %32: i64 = load %30[%31]
              while carry %12 = %10, %14 = %6, %25 = %19, %27 = %24, %33 = %32
                %35: bool = lt %12, %4
                test %35
                %36: i64 = add %12, %11
                for %44 < %39
                  %45: f64 = load %14[%44]
                  %46: f64 = add %45, %45
                  store %25[%44] = %46
                %50: ptr = ticks
                %51: i64 = add %33, %48
                %52: bool = ge %51, %49
                if cold %52
                  %53: ptr = context
                  %54: bool = poll(%53)
                  guard %54 else #0
                  give %55
                else
                  give %51
                => %56
                next %36, %25, %27, %25, %56
              => %13, %15, %26, %28, %34
              store %30[%31] = %34
              %58: ptr = outs
              store %58[%60] = %15
              %63: ptr = offset %58[%61] of i64
              store %63[%62] = %7
        "#]],
    );
}

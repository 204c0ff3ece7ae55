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
          for %18 < %17
            %19: f64 = load %2[%18]
            %20: f64 = load %7[%18]
            %21: f64 = mul %19, %20
            %22: f64 = mul %21, %20
            %23: f64 = sqrt %21
            %24: f64 = sub %22, %23
            store %14[%18] = %24
          store %10[%26] = %14
          %29: ptr = offset %10[%27] of i64
          store %29[%28] = %3
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
          for %13 < %12
            %14: f64 = load %2[%13]
            %15: f64 = sqrt %14
            store %9[%13] = %15
          for %21 < %3 carry %19 = %16
            %23: f64 = load %9[%21]
            %25: f64 = load %2[%21]
            %26: f64 = add %23, %25
            %27: f64 = add %19, %26
            next %27
          => %20
          %28: ptr = outs
          %29: ptr = slots
          %31: ptr = offset %29[%30] of ptr
          %33: ptr = load %31[%32]
          for %37 < %36
            %38: f64 = load %9[%37]
            %39: f64 = load %2[%37]
            %40: f64 = mul %38, %39
            store %33[%37] = %40
          store %28[%42] = %33
          %45: ptr = offset %28[%43] of i64
          store %45[%44] = %3
          %48: ptr = offset %28[%46] of i64
          store %48[%47] = %20
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
                for %40 < %39
                  %41: f64 = load %14[%40]
                  %42: f64 = add %41, %41
                  store %25[%40] = %42
                %46: ptr = ticks
                %47: i64 = add %33, %44
                %48: bool = ge %47, %45
                if cold %48
                  %49: ptr = context
                  %50: bool = poll(%49)
                  guard %50 else #0
                  give %51
                else
                  give %47
                => %52
                next %36, %25, %27, %25, %52
              => %13, %15, %26, %28, %34
              store %30[%31] = %34
              %54: ptr = outs
              store %54[%56] = %15
              %59: ptr = offset %54[%57] of i64
              store %59[%58] = %7
        "#]],
    );
}

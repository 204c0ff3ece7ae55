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
          for %12 < %3 carry %10 = %9
            for %15 < %4 carry %13 = %10
              %17: i64 = mul %12, %7
              %18: i64 = add %17, %15
              %19: f64 = load %2[%18]
              %20: f64 = mul %19, %19
              %21: f64 = sqrt %20
              %22: f64 = add %13, %21
              next %22
            => %14
            next %14
          => %11
          %23: ptr = outs
          store %23[%25] = %11
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
          %17: ptr = slots
          %20: ptr = load %17[%19]
          %21: ptr = slots
          %23: ptr = offset %21[%22] of ptr
          %25: ptr = load %23[%24]
          %32: ptr = ticks
          %34: i64 = load %32[%33]
          while carry %13 = %11, %15 = %6, %26 = %20, %28 = %25, %35 = %34
            %37: bool = lt %13, %4
            test %37
            %38: i64 = add %13, %12
            for %43 < %42
              %44: f64 = load %15[%43]
              %45: f64 = add %44, %44
              store %26[%43] = %45
            %49: ptr = ticks
            %50: i64 = add %35, %47
            %51: bool = ge %50, %48
            if cold %51
              %52: ptr = context
              %53: bool = poll(%52)
              guard %53 else #0
              give %54
            else
              give %50
            => %55
            next %38, %26, %28, %26, %55
          => %14, %16, %27, %29, %36
          store %32[%33] = %36
          %58: ptr = outs
          store %58[%60] = %16
          %63: ptr = offset %58[%61] of i64
          store %63[%62] = %7
    "#]],
    );
}

//! Numbers of the upper random bits of counters are the same where kernels make them piece by piece in the loop that reads them, for
//! who reads them otherwise, and one by one.

use gw_eval::Array;
use gw_ir::text::parse;
use gw_types::{DType, Scalar};

use crate::support;

/// Draws `%u` and `%v` for `count` counters each, and then what `lines` say, which compute a `%r` of type `result`.
fn program(count: usize, lines: &str, result: &str) -> String {
    let mut text = format!("func @f(%key: i64[], %x: f32[{count}]) -> ({result}) {{\n");
    text += &format!(
        "  %zero = const 0 : i64[]\n  %n = const {count} : i64[]\n  %one = const 1 : i64[]\n  %two = const 2 : i64[]
  %by = const 40 : i64[]\n  %mask = const 16777215 : i64[]\n  %all = range %zero, %n, %one : i64[?0]
  %at = reshape %all dims=[{count}] : i64[{count}]
  %even = mul %at, %two : i64[{count}]\n  %odd = add %even, %one : i64[{count}]\n"
    );
    for (name, counters) in [("u", "even"), ("v", "odd")] {
        text += &format!(
            "  %{name}0 = random_bits %key, %{counters} : i64[{count}]\n  %{name}1 = shr %{name}0, %by : i64[{count}]
  %{name}2 = and %{name}1, %mask : i64[{count}]\n  %{name} = cast %{name}2 to=f32 : f32[{count}]\n"
        );
    }
    format!("{text}{lines}  return %r\n}}\n")
}

#[track_caller]
fn check(count: usize, lines: &str, result: &str) {
    let text = program(count, lines, result);
    let graph = parse(&text).unwrap_or_else(|said| panic!("{said:?}: {text}"));
    let numbers: Vec<Scalar> = (0..count).map(|i| Scalar::Float(i as f64 * 0.75 - 9.0)).collect();
    let inputs = [
        Array::scalar(DType::I64, Scalar::Int(0x5eed_1234_5678)),
        Array::new(DType::F32, vec![count], numbers),
    ];
    support::compare(&graph, &inputs).unwrap_or_else(|said| panic!("{said}\n{text}"));
}

const COUNTS: [usize; 5] = [53, 64, 1024, 1100, 4096];

#[test]
fn numbers_are_drawn_in_the_loop_that_reads_them() {
    for count in COUNTS {
        let ty = format!("f32[{count}]");
        let lines = format!(
            "  %s = sqrt %u : {ty}\n  %t = mul %s, %v : {ty}\n  %c = lt %t, %x : bool[{count}]
  %r = select %c, %t, %u : {ty}\n"
        );
        check(count, &lines, &ty);
        check(count, &format!("  %s = mul %v, %x : {ty}\n  %r = add %s, %x : {ty}\n"), &ty);
    }
}

#[test]
fn numbers_are_drawn_for_who_reads_them_otherwise() {
    for count in COUNTS {
        let ty = format!("f32[{count}]");
        check(count, "  %r = reduce_sum %u axes=[0] : f32[]\n", "f32[]");
        check(count, &format!("  %r = slice %u at=[::-1] : {ty}\n"), &ty);
        check(count, &format!("  %s = slice %x at=[::-1] : {ty}\n  %r = add %u, %s : {ty}\n"), &ty);
        check(count, &format!("  %r = complex %u, %v : c64[{count}]\n"), &format!("c64[{count}]"));
        let whole = format!("i64[{count}]");
        check(count, &format!("  %s = cast %u to=i64 : {whole}\n  %r = add %s, %u0 : {whole}\n"), &whole);
    }
}

#[test]
fn numbers_are_drawn_in_turns_of_a_loop() {
    for count in COUNTS {
        let ty = format!("f32[{count}]");
        let lines = format!(
            "  %three = const 3 : i64[]\n  %last, %r = while (%i = %zero, %sum = %x) : (i64[], {ty}) {{
    %go = lt %i, %three : bool[]\n    yield %go\n  }} do {{
    %w = random_bits %key, %even : i64[{count}]\n    %w1 = shr %w, %by : i64[{count}]
    %w2 = and %w1, %mask : i64[{count}]\n    %w3 = cast %w2 to=f32 : {ty}\n    %w4 = add %sum, %w3 : {ty}
    %next = add %i, %one : i64[]\n    yield %next, %w4\n  }}\n"
        );
        check(count, &lines, &ty);
    }
}

//! Loops over numbers keep what they carry, and divisibility is what the interpreter says it is.

use std::hint::black_box;

use gw_eval::Array;
use gw_runtime::{Buffer, HostError, HostFn, Stream};
use gw_types::{DType, Scalar};

use crate::support;

/// A host that uses floating registers whenever it is asked.
struct Busy {
    asked: usize,
}

impl HostFn for Busy {
    fn print(&mut self, _: Stream, _: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn check_interrupt(&mut self) -> bool {
        self.asked += 1;
        let numbers: [f64; 32] = std::array::from_fn(|i| black_box(i as f64).sqrt() + 1.0);
        black_box(numbers.iter().product::<f64>()) < 0.0
    }
}

const FLOATS: &str = "func @floats(%n: i64[]) -> (f64[], f64[], f32[]) {
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %more = gt %n, %zero : bool[]
  %a = const 1.0 : f64[]
  %b = const 0.5 : f64[]
  %c = const 0.0 : f32[]
  %i, %x, %y, %z, %go = while (%j = %zero, %p = %a, %q = %b, %r = %c, %on = %more) : (i64[], f64[], f64[], f32[], bool[]) {
    yield %on
  } do {
    %1 = mul %p, %b : f64[]
    %2 = add %1, %q : f64[]
    %3 = sub %a, %q : f64[]
    %4 = cast %2 to=f32 : f32[]
    %5 = add %j, %one : i64[]
    %6 = lt %5, %n : bool[]
    yield %5, %2, %3, %4, %6
  }
  return %x, %y, %z
}";

#[test]
fn floats_outlive_the_question_whether_to_go_on() {
    let executable = gw_cpu::compile(&gw_ir::text::parse(FLOATS).expect("a graph")).expect("compiles");
    let mut host = Busy { asked: 0 };
    // A loop whose turns are counted before it begins asks nothing: this one has too many for that.
    let n = Buffer::scalar(DType::I64, Scalar::Int(20_000_001));
    let results = executable.run(&[&n], &mut host).expect("runs");
    assert_eq!(host.asked, 19);
    let found: Vec<f64> = results.iter().flat_map(|b| b.scalars().map(Scalar::to_f64)).collect();
    assert_eq!(found, [1.0, 0.5, 1.0]);
}

/// Checks that a divisor divides numbers at the ends of a dtype and around the divisor's multiples.
#[track_caller]
fn check_divisible(dtype: DType, least: i64, most: i64, divisor: i64) {
    let name = dtype.text();
    let near = |i: i64| [i.saturating_sub(1), i, i.saturating_add(1)];
    let multiples = [-7, -2, -1, 0, 1, 2, 9, most / divisor, least / divisor];
    let numbers = multiples.iter().flat_map(|&times| near(times.saturating_mul(divisor)));
    let numbers: Vec<i64> =
        numbers.chain([least, least + 1, most - 1, most]).map(|i| i.clamp(least, most)).collect();
    let text = format!(
        "func @f(%x: {name}[?0]) -> (bool[?0], bool[?0]) {{
  %c = const {divisor} : {name}[]
  %zero = const 0 : {name}[]
  %1 = mod %x, %c : {name}[?0]
  %2 = eq %1, %zero : bool[?0]
  %3 = ne %1, %zero : bool[?0]
  return %2, %3
}}"
    );
    let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let input = Array::new(dtype, vec![numbers.len()], numbers.into_iter().map(Scalar::Int));
    support::compare(&graph, &[input]).unwrap_or_else(|wrong| panic!("by {divisor}: {wrong}"));
}

#[test]
fn divisibility_needs_no_quotient() {
    for divisor in [3, 5, 6, 7, 12, 15, 100, 641, 1 << 30 | 1 << 29, i64::from(i32::MAX)] {
        check_divisible(DType::I32, i64::from(i32::MIN), i64::from(i32::MAX), divisor);
        check_divisible(DType::I64, i64::MIN, i64::MAX, divisor);
    }
    check_divisible(DType::I64, i64::MIN, i64::MAX, i64::MAX);
    check_divisible(DType::I64, i64::MIN, i64::MAX, i64::MAX - 1);
}

#[test]
fn words_and_their_halves_are_divided_alike() {
    let text = "func @f(%x: i64[?0], %y: i64[?0]) -> (i64[?0], i64[?0], bool[?0], bool[?0], i64[?0]) {
  %zero = const 0 : i64[]
  %three = const 3 : i64[]
  %five = const 5 : i64[]
  %nine = const 9 : i64[]
  %1 = mod %x, %y : i64[?0]
  %2 = floor_div %x, %y : i64[?0]
  %3 = eq %1, %zero : bool[?0]
  %4 = ne %1, %zero : bool[?0]
  %5 = mul %1, %three : i64[?0]
  %6 = mul %five, %5 : i64[?0]
  %7 = mul %6, %nine : i64[?0]
  return %1, %2, %3, %4, %7
}";
    let half = i64::from(i32::MAX);
    let ends = [half - 1, half, half + 1, 2 * half, 2 * half + 1, 2 * half + 2, i64::MAX];
    let (mut numbers, mut divisors) = (Vec::new(), Vec::new());
    for number in [i64::MIN, i64::MIN + 1, -half - 1, -7, -6, -1, 0, 1, 6, 7].into_iter().chain(ends) {
        for divisor in [i64::MIN, -half - 1, -6, -3, -1, 1, 3, 7].into_iter().chain(ends) {
            numbers.push(Scalar::Int(number));
            divisors.push(Scalar::Int(divisor));
        }
    }
    let graph = gw_ir::text::parse(text).expect("a graph");
    let inputs = [numbers, divisors].map(|side| Array::new(DType::I64, vec![side.len()], side));
    support::compare(&graph, &inputs).expect("as the interpreter");
}

#[test]
fn counters_are_divided_as_all_numbers_are() {
    for ty in ["i32", "i64"] {
        let text = format!(
            "func @f(%n: {ty}[]) -> ({ty}[], {ty}[], {ty}[]) {{
  %zero = const 0 : {ty}[]
  %one = const 1 : {ty}[]
  %six = const 6 : {ty}[]
  %seven = const 7 : {ty}[]
  %no = const false : bool[]
  %begun = lt %zero, %n : bool[]
  %i, %sum, %count, %left, %still = while (%j = %zero, %s = %zero, %c = %zero, %stop = %no, %on = %begun) : ({ty}[], {ty}[], {ty}[], bool[], bool[]) {{
    yield %on
  }} do {{
    %1 = add %j, %one : {ty}[]
    %2 = mod %1, %six : {ty}[]
    %3 = eq %2, %zero : bool[]
    %4 = cast %3 to={ty} : {ty}[]
    %5 = add %c, %4 : {ty}[]
    %6 = floor_div %j, %seven : {ty}[]
    %7 = mod %j, %seven : {ty}[]
    %8 = mul %6, %7 : {ty}[]
    %9 = add %s, %8 : {ty}[]
    %10 = gt %9, %n : bool[]
    %11 = or %10, %stop : bool[]
    %12 = not %11 : bool[]
    %13 = lt %1, %n : bool[]
    %14 = and %12, %13 : bool[]
    yield %1, %9, %5, %11, %14
  }}
  return %i, %sum, %count
}}"
        );
        let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        for n in [0, 1, 5, 6, 30, 1000] {
            let n = Array::scalar(graph.ty(graph.params()[0]).dtype, Scalar::Int(n));
            support::compare(&graph, &[n]).expect("as the interpreter");
        }
    }
}

#[test]
fn a_test_that_is_put_together_again_and_again_is_compiled() {
    let again: String = (0..60)
        .map(|i| {
            let next = i + 1;
            format!("    %p{next} = and %p{i}, %q{i} : bool[]\n    %q{next} = and %q{i}, %p{next} : bool[]\n")
        })
        .collect();
    let text = format!(
        "func @f(%n: i64[]) -> (i64[]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %yes = const true : bool[]
  %i, %still = while (%j = %zero, %on = %yes) : (i64[], bool[]) {{
    yield %on
  }} do {{
    %next = add %j, %one : i64[]
    %p0 = lt %next, %n : bool[]
    %q0 = ne %next, %n : bool[]
{again}    yield %next, %q60
  }}
  return %i
}}"
    );
    let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    support::compare(&graph, &[Array::scalar(DType::I64, Scalar::Int(9))]).expect("as the interpreter");
}

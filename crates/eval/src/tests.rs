//! Python's answers, one line each; the pages in `docs/ops` hold the rest.

use expect_test::{Expect, expect};
use gw_ir::text::{parse, parse_call, print_literal};
use gw_ir::{Piece, PrintFormat};
use gw_types::{DType, Scalar};

use super::*;

/// One op on literals.
#[track_caller]
fn check(call: &str, expected: &str) {
    let (op, attr, operands) = parse_call(call).expect("an op on literals");
    let operands: Vec<Array> = operands.iter().map(Array::from).collect();
    let found = match apply(op, &attr, &operands.iter().collect::<Vec<_>>()) {
        Ok(array) => print_literal(&array.to_literal()),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected, "{call}");
}

/// A whole graph: results, then what it printed.
#[track_caller]
fn check_graph(text: &str, inputs: &[Array], expected: Expect) {
    let graph = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let found = match run(&graph, inputs) {
        Ok(outcome) => {
            let results = outcome.results.iter().map(|array| print_literal(&array.to_literal()) + "\n");
            results.chain(outcome.printed.into_iter().map(|(_, text)| text)).collect()
        }
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&found);
}

fn i64_(value: i64) -> Array {
    Array::scalar(DType::I64, Scalar::Int(value))
}

#[test]
fn integers_divide_as_in_python() {
    check("floor_div [7, -7, 7, -7]:i32, [2, 2, -2, -2]:i32", "[3, -4, -4, 3]");
    check("mod [7, -7, 7, -7]:i32, [2, 2, -2, -2]:i32", "[1, 1, -1, -1]");
    check("floor_div -2147483648:i32, -1:i32", "-2147483648");
    check("mod -9223372036854775808:i64, -1:i64", "0");
    check("mod 1:i64, 0:i64", "ZeroDivision: integer modulo by zero");
}

#[test]
fn floats_divide_as_in_python() {
    check("floor_div [7.5, -7.5, 1.0, -1.0]:f64, [2.0, 2.0, 0.1, inf]:f64", "[3.0, -4.0, 9.0, -1.0]");
    check("mod [7.5, -7.5, 5.0, -5.0]:f64, [2.0, 2.0, -3.0, inf]:f64", "[1.5, 0.5, -1.0, inf]");
    check("floor_div [1.0, -1.0]:f32, 0.0:f32", "[inf, -inf]");
    check("mod [-0.0, 4.0]:f64, [1.0, -2.0]:f64", "[0.0, -0.0]");
}

#[test]
fn powers() {
    check("pow [2, -2, 0, 3]:i32, [10, 3, 0, 40]:i32", "[1024, -8, 1, 689956897]");
    check("shl 1:i64, -1:i64", "Value: negative shift count");
    check("pow 2:i32, -1:i32", "Value: integers to negative integer powers are not allowed");
    check("pow [2.0, -8.0]:f64, [-1.0, 0.5]:f64", "[0.5, nan]");
}

#[test]
fn integers_wrap_and_floats_round_to_their_dtype() {
    check("add 2147483647:i32, 1:i32", "-2147483648");
    check("mul 9223372036854775807:i64, 2:i64", "-2");
    check("abs -2147483648:i32", "-2147483648");
    check("add 0.1:f32, 0.2:f32", "0.3");
    check("add 0.1:f64, 0.2:f64", "0.30000000000000004");
    check("round [0.5, 1.5, -2.5]:f32", "[0.0, 2.0, -2.0]");
    check("cast [1e20, -1.7, nan]:f64 to=i32", "[2147483647, -1, 0]");
}

#[test]
fn shifts_stay_in_the_width() {
    check("shl [1, 1]:i32, [31, 32]:i32", "[-2147483648, 0]");
    check("shr [-8, -8]:i32, [1, 99]:i32", "[-4, -1]");
}

#[test]
fn nan_wins() {
    check("max [1.0, nan, nan]:f32, [nan, 1.0, 2.0]:f32", "[nan, nan, nan]");
    check("reduce_min [1.0, nan, -1.0]:f32 axes=[0]", "nan");
    check("arg_max [1.0, nan, 3.0, nan]:f32 axis=0", "1");
    check("ne nan:f32, nan:f32", "true");
}

#[test]
fn nothing_reduces_to_what_is_neutral() {
    check("reduce_sum []:f32[0,2] axes=[0]", "[0.0, 0.0]");
    check("reduce_max []:i32[0] axes=[0]", "-2147483648");
    check("reduce_min []:f32[0] axes=[0] keep", "[inf]");
    check("arg_max []:f32[0] axis=0", "Value: axis 0 has no elements to choose from");
    check("reduce_all []:bool[0] axes=[0]", "true");
}

#[test]
fn slices_and_indices_as_in_python() {
    check("slice [0, 1, 2, 3, 4]:i32 at=[-2:]", "[3, 4]");
    check("slice [0, 1, 2, 3, 4]:i32 at=[::-2]", "[4, 2, 0]");
    check("slice [0, 1, 2, 3, 4]:i32, 1:i64, 99:i64 at=[@1:@2:3]", "[1, 4]");
    check("index [[1, 2], [3, 4]]:i32, -1:i32 axis=1", "[2, 4]");
    check("gather [10, 20, 30]:i32, [[2, 0], [-1, 1]]:i64 axis=0", "[[30, 10], [30, 20]]");
    let message = "IndexOutOfRange: index 3 is out of range for an axis of length 3";
    check("index [10, 20, 30]:i32, 3:i64 axis=0", message);
}

#[test]
fn loops_and_branches() {
    let collatz = "
func @collatz(%n: i64[]) -> (i64[]) {
  %zero = const 0 : i64[]
  %last, %steps = while (%k = %n, %s = %zero) : (i64[], i64[]) {
    %one = const 1 : i64[]
    %more = ne %k, %one : bool[]
    yield %more
  } do {
    %one = const 1 : i64[]
    %two = const 2 : i64[]
    %odd = mod %k, %two : i64[]
    %is_odd = eq %odd, %one : bool[]
    %next = cond %is_odd : (i64[]) {
      %three = const 3 : i64[]
      %tripled = mul %k, %three : i64[]
      %more = add %tripled, %one : i64[]
      yield %more
    } else {
      %half = floor_div %k, %two : i64[]
      yield %half
    }
    %count = add %s, %one : i64[]
    yield %next, %count
  }
  return %steps
}";
    check_graph(
        collatz,
        &[i64_(27)],
        expect![[r#"
        111
    "#]],
    );
}

#[test]
fn effects_run_in_order_and_checks_fail() {
    let text = r#"
func @f(%x: i64[]) -> (i64[]) {
  print %x text="x is {0}\n" to=stdout
  %1 = const 3 : i64[]
  %2 = lt %x, %1 : bool[]
  check %2, %x kind=AssertionError text="{1} is too much" to=stderr
  print text="fine\n" to=stderr
  return %x
}"#;
    check_graph(
        text,
        &[i64_(2)],
        expect![[r#"
        2
        x is 2
        fine
    "#]],
    );
    check_graph(text, &[i64_(5)], expect!["Assertion: 5 is too much"]);
}

#[test]
fn inputs_are_judged() {
    let text = "func @f(%x: i64[?0], %y: i64[?0]) -> (i64[?0]) { %1 = add %x, %y : i64[?0] return %1 }";
    let row = |n: usize| Array::new(DType::I64, vec![n], vec![Scalar::Int(1); n]);
    check_graph(
        text,
        &[row(2), row(2)],
        expect![[r#"
        [2, 2]
    "#]],
    );
    check_graph(text, &[row(2), row(1)], expect!["ShapeMismatch: lengths 2 and 1 should be equal"]);
    check_graph(text, &[row(2)], expect!["ShapeMismatch: 1 inputs for 2 parameters"]);
    check_graph(text, &[row(2), i64_(2)], expect!["ShapeMismatch: an input is int64 of 0 axes, not i64[?0]"]);
}

#[test]
fn tensors_are_shown() {
    let show = |array: Array, summarize| {
        let pieces = vec![Piece::Operand(0)];
        format(&PrintFormat { pieces, stream: gw_ir::Stream::Stdout, summarize }, &[&array])
    };
    let floats = |xs: &[f64]| Array::new(DType::F32, vec![xs.len()], xs.iter().map(|&x| Scalar::Float(x)));
    assert_eq!(show(floats(&[1.0, 0.1, -2.5e-7, 1e16, 12345.678]), None), "[1 0.1 -2.5e-07 1e+16 12345.678]");
    assert_eq!(show(floats(&[715827904.0, -0.0625, 1.5e-5]), None), "[715827904 -0.0625 1.5e-05]");
    let ints = Array::new(DType::I32, vec![10], (0..10).map(Scalar::Int));
    assert_eq!(show(ints, Some(3)), "[0 1 2 ... 7 8 9]");
    let cube = Array::new(DType::I32, vec![2, 2, 1], (0..4).map(Scalar::Int));
    assert_eq!(show(cube, Some(3)), "[[[0]\n  [1]]\n\n [[2]\n  [3]]]");
    assert_eq!(show(Array::scalar(DType::Bool, Scalar::Bool(true)), None), "1");
}

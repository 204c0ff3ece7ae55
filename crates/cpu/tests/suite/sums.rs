//! Integers that are taken together in lanes, and numbers that count along, are what they are one by one.

use gw_eval::Array;
use gw_ir::text::parse;
use gw_types::{DType, Scalar};

use crate::support;

fn numbers(dtype: DType, count: usize, seed: usize) -> Array {
    let number =
        |i: usize| Scalar::wrapped(dtype, ((i * 7919 + seed * 104_729) % 4001) as i128 * 1_000_003 - 7);
    Array::new(dtype, vec![count], (0..count).map(number).collect::<Vec<_>>())
}

#[track_caller]
fn check(text: &str, inputs: &[Array]) {
    let graph = parse(text).unwrap_or_else(|said| panic!("{said:?}: {text}"));
    support::compare(&graph, inputs).unwrap_or_else(|said| panic!("{said}\n{text}"));
}

/// Sums of random chains over arrays, over numbers that count along, and of bools.
fn sum(dtype: DType, count: usize, seed: usize) -> String {
    let (one, all, bools) =
        (format!("{}[]", dtype.text()), format!("{}[{count}]", dtype.text()), format!("bool[{count}]"));
    let ops = ["add", "sub", "mul", "and", "or", "xor", "max", "min"];
    let op = |n: usize| ops[(seed / 3 + n * 5) % ops.len()];
    format!(
        "func @f(%x: {all}, %y: {all}, %n: {one}) -> ({one}, {one}, {one}) {{
  %zero = const 0 : {one}
  %step = const 1 : {one}
  %length = const {count} : {one}
  %turns = range %zero, %length, %step : {}[?0]
  %count = reshape %turns dims=[{count}] : {all}
  %0 = {first} %x, %y : {all}
  %1 = {second} %0, %count : {all}
  %2 = reduce_sum %1 axes=[0] : {one}
  %3 = mul %count, %n : {all}
  %4 = reduce_sum %3 axes=[0] : {one}
  %5 = lt %x, %y : {bools}
  %6 = cast %5 to={} : {all}
  %7 = reduce_sum %6 axes=[0] : {one}
  return %2, %4, %7
}}
",
        dtype.text(),
        dtype.text(),
        first = op(0),
        second = op(1),
    )
}

#[test]
fn sums_of_integers_agree() {
    for seed in 0..48 {
        let dtype = [DType::I32, DType::I64][seed % 2];
        let count = [1, 15, 16, 17, 40, 64, 333, 1000][seed / 2 % 8];
        let inputs = [
            numbers(dtype, count, seed),
            numbers(dtype, count, seed + 1),
            Array::scalar(dtype, Scalar::Int(-3)),
        ];
        check(&sum(dtype, count, seed), &inputs);
    }
}

#[test]
fn numbers_that_count_along_become_elements() {
    for (from, to) in [("i64", "f64"), ("i32", "f32"), ("i64", "i64"), ("i32", "i32")] {
        for length in [3, 16, 77] {
            let text = format!(
                "func @f(%first: {from}[], %end: {from}[]) -> ({from}[?0], {to}[?0]) {{
  %step = const 1 : {from}[]
  %0 = range %first, %end, %step : {from}[?0]
  %1 = cast %0 to={to} : {to}[?0]
  %2 = mul %1, %1 : {to}[?0]
  return %0, %2
}}
"
            );
            let dtype = if from == "i64" { DType::I64 } else { DType::I32 };
            let ends = [-5, length - 5].map(|end| Array::scalar(dtype, Scalar::Int(end)));
            check(&text, &ends);
        }
    }
}

#[test]
fn long_sums_of_short_integers_agree() {
    for count in [1, 15, 16, 17, 40, 333] {
        let text = format!(
            "func @f(%x: i32[{count}], %n: i32[]) -> (i64[], i64[]) {{
  %0 = mul %x, %n : i32[{count}]
  %1 = cast %0 to=i64 : i64[{count}]
  %2 = reduce_sum %1 axes=[0] : i64[]
  %3 = cast %x to=i64 : i64[{count}]
  %4 = reduce_sum %3 axes=[0] : i64[]
  return %2, %4
}}
"
        );
        check(&text, &[numbers(DType::I32, count, count), Array::scalar(DType::I32, Scalar::Int(7))]);
    }
}

#[test]
fn extremes_of_integers_agree() {
    for (ty, dtype) in [("i32", DType::I32), ("i64", DType::I64)] {
        for count in [1, 8, 15, 16, 17, 24, 31, 333] {
            for end in [0, 1, i64::from(i32::MAX), i64::from(i32::MIN)] {
                let text = format!(
                    "func @f(%x: {ty}[{count}], %n: {ty}[]) -> ({ty}[], {ty}[], {ty}[]) {{
  %0 = reduce_max %x axes=[0] : {ty}[]
  %1 = reduce_min %x axes=[0] : {ty}[]
  %2 = xor %x, %n : {ty}[{count}]
  %3 = reduce_min %2 axes=[0] : {ty}[]
  return %0, %1, %3
}}
"
                );
                check(&text, &[numbers(dtype, count, count), Array::scalar(dtype, Scalar::Int(end))]);
            }
        }
    }
}

/// Adds up what `body` makes of the counter `%j`, from `%first` below `%end`, to `%begin`.
fn total(ty: &str, body: &str) -> String {
    format!(
        "func @f(%first: i64[], %end: i64[], %begin: {ty}[], %k: {ty}[]) -> ({ty}[]) {{
  %one = const 1 : i64[]
  %seven = const 7 : {ty}[]
  %begins = lt %first, %end : bool[]
  %i, %s, %o = while (%j = %first, %t = %begin, %on = %begins) : (i64[], {ty}[], bool[]) {{
    yield %on
  }} do {{
    %next = add %j, %one : i64[]
    %c = cast %j to={ty} : {ty}[]
{body}
    %more = lt %next, %end : bool[]
    yield %next, %u, %more
  }}
  return %s
}}
"
    )
}

#[test]
fn totals_are_checked_once_where_they_are_far_from_the_ends() {
    let body = |ty: &str| {
        format!(
            "    %m = mul %c, %k checked : {ty}[]
    %r = mod %m, %seven : {ty}[]
    %u = add %t, %r checked : {ty}[]"
        )
    };
    for (ty, dtype) in [("i32", DType::I32), ("i64", DType::I64)] {
        let text = total(ty, &body(ty));
        let dumped = gw_cpu::dump_loops(&parse(&text).expect("a graph"));
        assert_eq!(dumped.matches("for ").count(), 2, "{dumped}");
        let most = if ty == "i32" { i64::from(i32::MAX) } else { i64::MAX };
        for length in [1, 15, 16, 100] {
            for begin in [0, -5, most - 600, most - 100, most, -most, 1 << 30] {
                for k in [0, 1, -3, most / 50] {
                    let ends = [-20, length - 20].map(|end| Array::scalar(DType::I64, Scalar::Int(end)));
                    let of = |number| Array::scalar(dtype, Scalar::Int(number));
                    let [first, end] = ends;
                    check(&text, &[first, end, of(begin), of(k)]);
                }
            }
        }
    }
}

#[test]
fn a_product_of_two_that_grow_is_checked_in_each_turn() {
    let body = "    %m = sub %c, %k : i32[]
    %p = mul %c, %m checked : i32[]
    %u = xor %t, %p : i32[]";
    let word = |number| Array::scalar(DType::I64, Scalar::Int(number));
    let short = |number| Array::scalar(DType::I32, Scalar::Int(number));
    for k in [90, 92_680, 92_684, 100_000] {
        check(&total("i32", body), &[word(0), word(k + 1), short(0), short(k)]);
    }
}

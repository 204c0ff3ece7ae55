//! Reductions of columns are those of the rows of the turned array, bit by bit.

use gw_eval::Array;
use gw_ir::text::parse;
use gw_types::{DType, Kind, Scalar};

use crate::support;

/// Numbers of several magnitudes: their sum shows its order. `wild` ones are zeros of both signs and NaN, too.
fn numbers(dtype: DType, lengths: &[usize], wild: bool) -> Array {
    let number = |i: usize| (((i * 7919) % 1009) as f64 - 500.0) * 1.37f64.powi((i % 31) as i32 - 12);
    let element = |i: usize| match dtype.kind() {
        Kind::Float if wild && i % 5 < 3 => Scalar::Float(if i.is_multiple_of(2) { 0.0 } else { -0.0 }),
        Kind::Float if wild && i % 701 == 700 => Scalar::Float(f64::NAN),
        Kind::Float => Scalar::Float(number(i)).cast(dtype),
        Kind::Bool => Scalar::Bool(i * i % 7 != 3),
        Kind::Int | Kind::Complex | Kind::Text => Scalar::Int((i * 7919 % 1009) as i64 - 500),
    };
    let count = lengths.iter().product();
    Array::new(dtype, lengths.to_vec(), (0..count).map(element).collect::<Vec<_>>())
}

/// A reduction of some axes, and how they become the last.
struct Case<'a> {
    reduce: &'a str,
    dtype: DType,
    lengths: &'a [usize],
    gone: &'a [usize],
    turn: &'a [usize],
    known: bool,
    wild: bool,
}

/// Reductions of an array, and of what is computed of it, beside the same of the array turned.
fn check(case: &Case) {
    let &Case { reduce, dtype, lengths, gone, turn, known, wild } = case;
    let length = |axis: usize| if known { lengths[axis].to_string() } else { format!("?{axis}") };
    let list = |axes: &mut dyn Iterator<Item = usize>| {
        format!("{}[{}]", dtype.text(), axes.map(length).collect::<Vec<_>>().join(","))
    };
    let rank = lengths.len();
    let joined = |axes: &[usize]| axes.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let own = list(&mut (0..rank));
    let kept = list(&mut (0..rank).filter(|axis| !gone.contains(axis)));
    let turned = list(&mut turn.iter().copied());
    let last: Vec<usize> = (rank - gone.len()..rank).collect();
    let (gone, last, turn) = (joined(gone), joined(&last), joined(turn));
    let [first, second] = if dtype == DType::Bool { ["xor", "or"] } else { ["mul", "add"] };
    let text = format!(
        "func @f(%x: {own}) -> ({kept}, {kept}, {kept}, {kept}) {{
  %1 = {reduce} %x axes=[{gone}] : {kept}
  %2 = transpose %x perm=[{turn}] : {turned}
  %3 = {reduce} %2 axes=[{last}] : {kept}
  %4 = {first} %x, %x : {own}
  %5 = {second} %4, %x : {own}
  %6 = {reduce} %5 axes=[{gone}] : {kept}
  %7 = transpose %5 perm=[{turn}] : {turned}
  %8 = {reduce} %7 axes=[{last}] : {kept}
  return %1, %3, %6, %8
}}"
    );
    let graph = parse(&text).unwrap_or_else(|wrong| panic!("{wrong}: {text}"));
    let input = [numbers(dtype, lengths, wild)];
    support::compare(&graph, &input).unwrap_or_else(|wrong| panic!("{text}: {wrong}"));
    let (found, _) = support::ran(&gw_cpu::compile(&graph).expect("code"), &input);
    let found = found.expect("what is left");
    let bits = |at: usize| support::bits(std::slice::from_ref(&found[at]));
    assert_eq!((bits(0), bits(2)), (bits(1), bits(3)), "{lengths:?} {text}");
}

#[test]
fn columns_are_reduced_as_rows_are() {
    let of_numbers = ["reduce_sum", "reduce_max", "reduce_min", "reduce_prod"];
    for (dtype, reduces) in [
        (DType::F32, &of_numbers[..]),
        (DType::F64, &of_numbers),
        (DType::I32, &of_numbers),
        (DType::I64, &of_numbers[..2]),
        (DType::Bool, &["reduce_all", "reduce_any"]),
    ] {
        for (at, reduce) in reduces.iter().enumerate() {
            for rows in [0, 64, 133] {
                for columns in [1, 17, 129] {
                    let (lengths, known) = ([rows, columns], (rows + columns + at) % 2 == 1);
                    let wild = ["reduce_max", "reduce_min"].contains(reduce);
                    check(&Case { reduce, dtype, lengths: &lengths, gone: &[0], turn: &[1, 0], known, wild });
                }
            }
        }
    }
}

#[test]
fn columns_of_several_axes() {
    for (known, reduce) in
        [(false, "reduce_sum"), (true, "reduce_sum"), (false, "reduce_max"), (true, "reduce_min")]
    {
        for (dtype, lengths, gone, turn) in [
            (DType::F32, &[3, 70, 20][..], &[0, 1][..], &[2, 0, 1][..]),
            (DType::F32, &[3, 70, 20], &[1], &[0, 2, 1]),
            (DType::F64, &[70, 3, 20], &[0], &[1, 2, 0]),
            (DType::F32, &[2, 5, 66, 130], &[0, 2], &[1, 3, 0, 2]),
            (DType::I32, &[2, 5, 66, 130], &[0, 2], &[1, 3, 0, 2]),
        ] {
            check(&Case { reduce, dtype, lengths, gone, turn, known, wild: reduce != "reduce_sum" });
        }
    }
}

#[test]
fn short_rows_are_put_behind_each_other() {
    for dtype in [DType::F32, DType::F64] {
        for (lengths, gone) in
            [([300, 8, 3], &[0][..]), ([70, 5, 4], &[0, 1]), ([9, 40, 33], &[0]), ([0, 7, 5], &[0])]
        {
            for known in [true, false] {
                let turn: Vec<usize> = (gone.len()..3).chain(0..gone.len()).collect();
                check(&Case {
                    reduce: "reduce_sum",
                    dtype,
                    lengths: &lengths,
                    gone,
                    turn: &turn,
                    known,
                    wild: true,
                });
            }
        }
    }
}

#[test]
fn wide_rows_are_taken_in_pieces() {
    for (reduce, columns, dtype, known) in [
        ("reduce_sum", 1023, DType::F32, true),
        ("reduce_sum", 1025, DType::F32, false),
        ("reduce_sum", 2177, DType::F64, true),
        ("reduce_max", 2177, DType::F32, false),
        ("reduce_min", 1025, DType::I32, true),
        ("reduce_any", 2177, DType::Bool, true),
    ] {
        let wild = reduce == "reduce_max";
        check(&Case { reduce, dtype, lengths: &[66, columns], gone: &[0], turn: &[1, 0], known, wild });
        check(&Case { reduce, dtype, lengths: &[2, 5, columns], gone: &[1], turn: &[0, 2, 1], known, wild });
    }
}

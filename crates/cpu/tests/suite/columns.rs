//! Sums of columns are those of the rows of the turned array, bit by bit.

use gw_eval::Array;
use gw_ir::text::parse;
use gw_types::{DType, Scalar};

use crate::support;

/// Numbers of several magnitudes: their sum shows its order.
fn numbers(dtype: DType, lengths: &[usize]) -> Array {
    let number = |i: usize| (((i * 7919) % 1009) as f64 - 500.0) * 1.37f64.powi((i % 31) as i32 - 12);
    let single = |x: f64| if dtype == DType::F32 { f64::from(x as f32) } else { x };
    let count = lengths.iter().product();
    Array::new(
        dtype,
        lengths.to_vec(),
        (0..count).map(|i| Scalar::Float(single(number(i)))).collect::<Vec<_>>(),
    )
}

/// Sums over `gone` of an array, and of what is computed of it, beside the same of the array turned by `turn`, whose last axes
/// are those that go.
fn check(dtype: DType, lengths: &[usize], gone: &[usize], turn: &[usize], known: bool) {
    let name = if dtype == DType::F32 { "f32" } else { "f64" };
    let length = |axis: usize| if known { lengths[axis].to_string() } else { format!("?{axis}") };
    let list = |axes: &mut dyn Iterator<Item = usize>| {
        format!("{name}[{}]", axes.map(length).collect::<Vec<_>>().join(","))
    };
    let rank = lengths.len();
    let joined = |axes: &[usize]| axes.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let own = list(&mut (0..rank));
    let kept = list(&mut (0..rank).filter(|axis| !gone.contains(axis)));
    let turned = list(&mut turn.iter().copied());
    let last: Vec<usize> = (rank - gone.len()..rank).collect();
    let (gone, last, turn) = (joined(gone), joined(&last), joined(turn));
    let text = format!(
        "func @f(%x: {own}) -> ({kept}, {kept}, {kept}, {kept}) {{
  %1 = reduce_sum %x axes=[{gone}] : {kept}
  %2 = transpose %x perm=[{turn}] : {turned}
  %3 = reduce_sum %2 axes=[{last}] : {kept}
  %4 = mul %x, %x : {own}
  %5 = add %4, %x : {own}
  %6 = reduce_sum %5 axes=[{gone}] : {kept}
  %7 = transpose %5 perm=[{turn}] : {turned}
  %8 = reduce_sum %7 axes=[{last}] : {kept}
  return %1, %3, %6, %8
}}"
    );
    let graph = parse(&text).unwrap_or_else(|wrong| panic!("{wrong}: {text}"));
    let input = [numbers(dtype, lengths)];
    support::compare(&graph, &input).unwrap_or_else(|wrong| panic!("{text}: {wrong}"));
    let (found, _) = support::ran(&gw_cpu::compile(&graph).expect("code"), &input);
    let found = found.expect("sums");
    let bytes = |at: usize| found[at].bytes().to_vec();
    assert_eq!((bytes(0), bytes(2)), (bytes(1), bytes(3)), "{lengths:?} {text}");
}

#[test]
fn columns_are_summed_as_rows_are() {
    for dtype in [DType::F32, DType::F64] {
        for rows in [0, 1, 3, 63, 64, 65, 200] {
            for columns in [1, 4, 15, 16, 128, 129, 300] {
                check(dtype, &[rows, columns], &[0], &[1, 0], rows % 2 == 1);
            }
        }
    }
}

#[test]
fn columns_of_several_axes() {
    for known in [false, true] {
        check(DType::F32, &[3, 70, 20], &[0, 1], &[2, 0, 1], known);
        check(DType::F32, &[3, 70, 20], &[1], &[0, 2, 1], known);
        check(DType::F64, &[70, 3, 20], &[0], &[1, 2, 0], known);
        check(DType::F32, &[2, 5, 66, 130], &[0, 2], &[1, 3, 0, 2], known);
    }
}

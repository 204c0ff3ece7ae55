//! Nodes that treat each row by itself are one loop over the rows, and give what they give one after the other.

use gw_cpu::Registers;
use gw_eval::Array;
use gw_ir::Graph;
use gw_types::{DType, Kind, Scalar};

use crate::support;

/// Numbers of either sign, none far from zero.
fn numbers(dtype: DType, lengths: &[usize], seed: usize) -> Array {
    let number = |i: usize| ((i * 37 + seed * 11) % 101) as i64 - 50;
    let scalar = |i: usize| match dtype.kind() {
        Kind::Float => Scalar::Float(number(i) as f64 * 0.05),
        Kind::Complex => Scalar::Complex(number(i) as f64 * 0.05, number(i * 3 + 1) as f64 * 0.02),
        Kind::Bool | Kind::Int | Kind::Text => Scalar::Int(number(i)),
    };
    let count = lengths.iter().product::<usize>();
    Array::new(dtype, lengths.to_vec(), (0..count).map(scalar).collect::<Vec<_>>())
}

/// Number of loops of a graph that stand in no other.
fn outermost_loops(graph: &Graph) -> usize {
    gw_cpu::dump_loops(graph).lines().filter(|line| line.starts_with("  for ")).count()
}

/// Compares a graph with the interpreter, and the number of its outermost loops.
#[track_caller]
fn check(text: &str, inputs: &[(DType, &[usize])], loops: usize) {
    let graph = gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let inputs: Vec<Array> =
        inputs.iter().enumerate().map(|(seed, (dtype, lengths))| numbers(*dtype, lengths, seed)).collect();
    support::compare(&graph, &inputs).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    assert_eq!(outermost_loops(&graph), loops, "{}", gw_cpu::dump_loops(&graph));
}

#[test]
fn softmax_is_one_loop() {
    let lines =
        include_str!("../../examples/arrays/softmax.gw").replace("1024]", "300]").replace("1024,", "3,");
    let text = format!("func @f(%x: f32[3,300]) -> (f32[3,300]) {{\n{lines}");
    check(&text, &[(DType::F32, &[3, 300])], 1);
}

#[test]
fn what_is_read_behind_the_rows_is_whole() {
    let text = "func @f(%x: f64[2,2,257]) -> (f64[2,2,257], f64[2,2,1], f64[2,2,257], f64[2,257,2], f64[]) {
  %n = const 257.0 : f64[]
  %1 = mul %x, %x : f64[2,2,257]
  %2 = reduce_sum %1 axes=[2] keep : f64[2,2,1]
  %3 = div %2, %n : f64[2,2,1]
  %4 = sub %1, %3 : f64[2,2,257]
  %two = const 2.0 : f64[]
  %m = add %n, %two : f64[]
  %5 = mul %4, %m : f64[2,2,257]
  %6 = reduce_min %5 axes=[2] keep : f64[2,2,1]
  %7 = add %6, %5 : f64[2,2,257]
  %8 = transpose %7 perm=[0,2,1] : f64[2,257,2]
  %9 = reduce_max %4 axes=[0,1,2] : f64[]
  return %5, %3, %7, %8, %9
}";
    check(text, &[(DType::F64, &[2, 2, 257])], 2);
}

#[test]
fn rows_meet_what_is_the_same_for_all() {
    let text =
        "func @f(%y: f32[300,3], %bias: f32[300], %scale: f32[1,300], %column: f32[3,1]) -> (f32[3,300]) {
  %x = transpose %y perm=[1,0] : f32[3,300]
  %1 = add %x, %bias : f32[3,300]
  %2 = reduce_max %1 axes=[1] keep : f32[3,1]
  %3 = mul %2, %column : f32[3,1]
  %4 = mul %1, %scale : f32[3,300]
  %5 = sub %4, %3 : f32[3,300]
  %6 = reduce_sum %5 axes=[1] keep : f32[3,1]
  %7 = sub %5, %6 : f32[3,300]
  return %7
}";
    check(
        text,
        &[(DType::F32, &[300, 3]), (DType::F32, &[300]), (DType::F32, &[1, 300]), (DType::F32, &[3, 1])],
        1,
    );
}

#[test]
fn a_loop_carries_what_rows_become() {
    let text = "func @f(%n: i64[], %x: i64[2,256]) -> (i64[2,256]) {
  %0 = const 0 : i64[]
  %1 = const 1 : i64[]
  %2, %3 = while (%i = %0, %y = %x) : (i64[], i64[2,256]) {
    %4 = lt %i, %n : bool[]
    yield %4
  } do {
    %5 = add %i, %1 : i64[]
    %6 = reduce_max %y axes=[1] keep : i64[2,1]
    %7 = sub %y, %6 : i64[2,256]
    %8 = reduce_sum %7 axes=[1] keep : i64[2,1]
    %9 = add %7, %8 : i64[2,256]
    yield %5, %9
  }
  return %3
}";
    let graph = gw_ir::text::parse(text).expect("a graph");
    let inputs = [Array::scalar(DType::I64, Scalar::Int(5)), numbers(DType::I64, &[2, 256], 1)];
    support::compare(&graph, &inputs).expect("as the interpreter");
}

#[test]
fn short_rows_and_single_passes_stay_as_they_are() {
    let text = "func @f(%x: f64[3,20]) -> (f64[3,20]) {
  %1 = reduce_sum %x axes=[1] keep : f64[3,1]
  %2 = sub %x, %1 : f64[3,20]
  return %2
}";
    check(text, &[(DType::F64, &[3, 20])], 2);
    let text = "func @f(%x: f64[3,300]) -> (f64[3,1]) {
  %1 = mul %x, %x : f64[3,300]
  %2 = reduce_sum %1 axes=[1] keep : f64[3,1]
  return %2
}";
    check(text, &[(DType::F64, &[3, 300])], 1);
}

/// Functions of complex rows of length `N`, in types `C` and `F` of parts, of which parts and whole numbers are read in, between and
/// behind the loops over them.
const OF_PAIRS: [&str; 6] = [
    "func @f(%z: C[3,N]) -> (C[3,1], C[3,N]) {
  %2 = reduce_sum %z axes=[1] keep : C[3,1]
  %3 = sub %z, %2 : C[3,N]
  return %2, %3
}",
    "func @f(%z: C[3,N]) -> (F[3,1], F[3,N]) {
  %1 = real %z : F[3,N]
  %2 = reduce_max %1 axes=[1] keep : F[3,1]
  %3 = sub %1, %2 : F[3,N]
  %4 = reduce_max %3 axes=[1] keep : F[3,1]
  return %4, %1
}",
    "func @f(%z: C[3,N]) -> (F[3,N], F[3,N], F[3,1]) {
  %n = const 0.01 : F[]
  %1 = abs %z : F[3,N]
  %2 = reduce_max %1 axes=[1] keep : F[3,1]
  %3 = sub %1, %2 : F[3,N]
  %4 = mul %3, %n : F[3,N]
  %5 = exp %4 : F[3,N]
  %6 = reduce_sum %5 axes=[1] keep : F[3,1]
  %7 = div %5, %6 : F[3,N]
  return %7, %1, %2
}",
    "func @f(%z: C[3,N]) -> (F[3,1], C[3,N], F[3,N]) {
  %n = const 0.01 : F[]
  %1 = reduce_sum %z axes=[1] keep : C[3,1]
  %re = real %1 : F[3,1]
  %im = imag %1 : F[3,1]
  %a = mul %re, %n : F[3,1]
  %b = mul %im, %n : F[3,1]
  %mean = complex %a, %b : C[3,1]
  %d = sub %z, %mean : C[3,N]
  %x = real %d : F[3,N]
  %y = imag %d : F[3,N]
  %xx = mul %x, %x : F[3,N]
  %yy = mul %y, %y : F[3,N]
  %s = add %xx, %yy : F[3,N]
  %v = reduce_sum %s axes=[1] keep : F[3,1]
  return %v, %d, %y
}",
    "func @f(%z: C[3,N]) -> (C[3,N], C[3,N], C[3,1], F[3,N]) {
  %1 = real %z : F[3,N]
  %2 = imag %z : F[3,N]
  %3 = reduce_max %1 axes=[1] keep : F[3,1]
  %4 = eq %1, %3 : bool[3,N]
  %5 = select %4, %2, %1 : F[3,N]
  %6 = reduce_max %5 axes=[1] keep : F[3,1]
  %7 = complex %3, %6 : C[3,1]
  %8 = mul %z, %7 : C[3,N]
  %9 = complex %5, %2 : C[3,N]
  %10 = reduce_sum %9 axes=[1] keep : C[3,1]
  return %8, %9, %10, %2
}",
    "func @f(%z: C[3,N]) -> (C[3,N], F[3,1]) {
  %0 = mul %z, %z : C[3,N]
  %1 = abs %0 : F[3,N]
  %2 = reduce_min %1 axes=[1] keep : F[3,1]
  %3 = cast %2 to=C : C[3,1]
  %4 = add %0, %3 : C[3,N]
  %5 = reduce_sum %4 axes=[1] keep : C[3,1]
  %6 = sub %4, %5 : C[3,N]
  %7 = imag %6 : F[3,N]
  %8 = reduce_max %7 axes=[1] keep : F[3,1]
  return %6, %8
}",
];

/// Compares the code for registers of each width with the interpreter.
#[track_caller]
fn check_in_all_widths(text: &str, inputs: &[(DType, &[usize])]) {
    let graph = gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let inputs: Vec<Array> =
        inputs.iter().enumerate().map(|(seed, (dtype, lengths))| numbers(*dtype, lengths, seed)).collect();
    support::compare(&graph, &inputs).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let buffers: Vec<_> = inputs.iter().map(support::buffer).collect();
    let run = |registers| {
        let code =
            gw_cpu::compile_for(&graph, registers).unwrap_or_else(|broken| panic!("{broken:?}\n{text}"));
        support::bits(&code.run(&buffers, &mut support::Recorder::default()).expect("runs"))
    };
    let wide = run(Registers::UpTo512);
    for narrower in [Registers::UpTo256, Registers::UpTo128] {
        assert_eq!(run(narrower), wide, "{narrower:?} {text}");
    }
}

#[test]
fn rows_of_pairs_agree_in_all_widths() {
    for (complex, part) in [(DType::C64, DType::F32), (DType::C128, DType::F64)] {
        for length in [1, 7, 255, 256, 257, 300, 600] {
            for text in OF_PAIRS {
                let text = text.replace(",N]", &format!(",{length}]"));
                let text = text.replace("C[", &format!("{}[", complex.text()));
                let text = text.replace("to=C", &format!("to={}", complex.text()));
                let text = text.replace("F[", &format!("{}[", part.text()));
                check_in_all_widths(&text, &[(complex, &[3, length])]);
            }
        }
    }
}

#[test]
fn rows_of_pairs_are_one_loop() {
    let text = "func @f(%z: c128[3,300]) -> (f64[3,300]) {
  %1 = abs %z : f64[3,300]
  %2 = reduce_max %1 axes=[1] keep : f64[3,1]
  %3 = sub %1, %2 : f64[3,300]
  return %3
}";
    check(text, &[(DType::C128, &[3, 300])], 1);
}

/// A row that waits for a loop is kept by none over rows of another length.
#[test]
fn rows_of_two_lengths_are_reduced_in_one_band() {
    let text = "func @f(%x: f32[3,300], %y: f32[3,256]) -> (f32[3,300], f32[3,256], f32[3,1], f32[3,1]) {
  %1 = mul %x, %x : f32[3,300]
  %2 = reduce_sum %y axes=[1] keep : f32[3,1]
  %3 = sub %1, %2 : f32[3,300]
  %4 = reduce_max %3 axes=[1] keep : f32[3,1]
  %5 = mul %y, %4 : f32[3,256]
  %6 = reduce_sum %1 axes=[1] keep : f32[3,1]
  return %1, %5, %6, %4
}";
    check_in_all_widths(text, &[(DType::F32, &[3, 300]), (DType::F32, &[3, 256])]);
}

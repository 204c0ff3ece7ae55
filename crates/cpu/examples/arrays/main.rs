//! Measures loops over arrays: a chain of ten elementwise ops, formulas with functions, sums, and a product of matrices.
//! `cargo run --release -p gw_cpu --example arrays [THREADS]`
#![allow(clippy::print_stdout, reason = "a measurement speaks")]

#[path = "../tiers/mod.rs"]
mod tiers;

use std::time::Instant;

use gw_runtime::{Buffer, HostError, HostFn, Stream};
use gw_types::DType;

struct Silent;

impl HostFn for Silent {
    fn print(&mut self, _: Stream, _: &str) -> Result<(), HostError> {
        Ok(())
    }
}

fn measure(what: &str, text: &str, lengths: &[usize], elements: usize) {
    let graph = gw_ir::text::parse(text).expect("a graph");
    let bytes: Vec<u8> = (0..lengths.iter().product::<usize>())
        .flat_map(|i| ((i % 4099) as f32 * 1e-3).to_le_bytes())
        .collect();
    let input = Buffer::from_bytes(DType::F32, lengths, &bytes);
    for (tier, executable, made) in tiers::codes(&graph) {
        let mut best = f64::INFINITY;
        for _ in 0..50 {
            let begun = Instant::now();
            executable.run(&[&input], &mut Silent).expect("runs");
            best = best.min(begun.elapsed().as_secs_f64());
        }
        let each = best * 1e9 / elements as f64;
        println!("{what:24} {tier:8} {:10.2} us  {each:.3} ns/element  made in {made:.2} ms", best * 1e6);
    }
}

/// The price of a call at strike 1, by the price of the stock.
const OPTIONS: &str = "func @options(%x: f32[?0]) -> (f32[?0]) {
  %half = const 0.5 : f32[]
  %one = const 1.0 : f32[]
  %rate = const 0.07 : f32[]
  %size = const 0.2 : f32[]
  %root = const 0.70710678 : f32[]
  %0 = add %x, %one : f32[?0]
  %1 = log %0 : f32[?0]
  %2 = add %1, %rate : f32[?0]
  %3 = div %2, %size : f32[?0]
  %4 = sub %3, %size : f32[?0]
  %5 = mul %3, %root : f32[?0]
  %6 = mul %4, %root : f32[?0]
  %7 = erf %5 : f32[?0]
  %8 = erf %6 : f32[?0]
  %9 = add %7, %one : f32[?0]
  %10 = add %8, %one : f32[?0]
  %11 = mul %9, %half : f32[?0]
  %12 = mul %10, %half : f32[?0]
  %13 = mul %0, %11 : f32[?0]
  %14 = neg %rate : f32[]
  %15 = exp %14 : f32[]
  %16 = mul %12, %15 : f32[?0]
  %17 = sub %13, %16 : f32[?0]
  return %17
}";

/// Body of a softmax of `%x`, behind the line that begins a function.
const SOFTMAX: &str = include_str!("softmax.gw");

const NORM: &str = "func @norm(%x: f32[1024,1024]) -> (f32[1024,1024]) {
  %n = const 1024.0 : f32[]
  %tiny = const 1e-5 : f32[]
  %1 = reduce_sum %x axes=[1] keep : f32[1024,1]
  %2 = div %1, %n : f32[1024,1]
  %3 = sub %x, %2 : f32[1024,1024]
  %4 = mul %3, %3 : f32[1024,1024]
  %5 = reduce_sum %4 axes=[1] keep : f32[1024,1]
  %6 = div %5, %n : f32[1024,1]
  %7 = add %6, %tiny : f32[1024,1]
  %8 = rsqrt %7 : f32[1024,1]
  %9 = mul %3, %8 : f32[1024,1024]
  return %9
}";

const GELU: &str = "func @gelu(%x: f32[1024,1024]) -> (f32[1024,1024]) {
  %half = const 0.5 : f32[]
  %one = const 1.0 : f32[]
  %root = const 0.70710678 : f32[]
  %1 = mul %x, %root : f32[1024,1024]
  %2 = erf %1 : f32[1024,1024]
  %3 = add %2, %one : f32[1024,1024]
  %4 = mul %x, %3 : f32[1024,1024]
  %5 = mul %4, %half : f32[1024,1024]
  return %5
}";

/// Function head that computes `%x` for the softmax.
const BLOCK: &str = "func @block(%in: f32[1024,1024]) -> (f32[1024,1024]) {
  %half = const 0.5 : f32[]
  %cubed = const 0.044715 : f32[]
  %slope = const 0.7978846 : f32[]
  %one = const 1.0 : f32[]
  %share = const 0.0009765625 : f32[]
  %tiny = const 1e-5 : f32[]
  %1 = mul %in, %half : f32[1024,1024]
  %2 = mul %in, %cubed : f32[1024,1024]
  %3 = mul %2, %in : f32[1024,1024]
  %4 = mul %3, %in : f32[1024,1024]
  %5 = add %in, %4 : f32[1024,1024]
  %6 = mul %5, %slope : f32[1024,1024]
  %7 = tanh %6 : f32[1024,1024]
  %8 = add %7, %one : f32[1024,1024]
  %9 = mul %1, %8 : f32[1024,1024]
  %10 = reduce_sum %9 axes=[1] keep : f32[1024,1]
  %11 = mul %10, %share : f32[1024,1]
  %12 = sub %9, %11 : f32[1024,1024]
  %13 = mul %12, %12 : f32[1024,1024]
  %14 = reduce_sum %13 axes=[1] keep : f32[1024,1]
  %15 = mul %14, %share : f32[1024,1]
  %16 = add %15, %tiny : f32[1024,1]
  %17 = sqrt %16 : f32[1024,1]
  %x = div %12, %17 : f32[1024,1024]
";

fn main() {
    let threads = std::env::args().nth(1).and_then(|count| count.parse().ok());
    gw_runtime::set_threads(threads.unwrap_or(1));
    let mut chain = "func @chain(%x: f32[?0]) -> (f32[?0]) {\n  %a0 = mul %x, %x : f32[?0]\n".to_owned();
    for i in 0..9 {
        let op = ["add", "mul", "sub"][i % 3];
        chain += &format!("  %a{} = {op} %a{i}, %x : f32[?0]\n", i + 1);
    }
    chain += "  return %a9\n}";
    measure("chain of 10, 4 KB", &chain, &[1 << 10], 1 << 10);
    measure("chain of 10, 256 KB", &chain, &[1 << 16], 1 << 16);
    measure("chain of 10, 16 MB", &chain, &[1 << 22], 1 << 22);
    let sum = "func @sum(%x: f32[?0]) -> (f32[]) {\n  %1 = reduce_sum %x axes=[0] : f32[]\n  return %1\n}";
    measure("sum, 256 KB", sum, &[1 << 16], 1 << 16);
    let columns =
        "func @sum(%x: f32[?0,?1]) -> (f32[?1]) {\n  %1 = reduce_sum %x axes=[0] : f32[?1]\n  return %1\n}";
    measure("sum of columns, 256 KB", columns, &[256, 256], 1 << 16);
    for (name, op) in [("exp", "exp"), ("log", "log"), ("tanh", "tanh"), ("erf", "erf")] {
        let text = format!("func @f(%x: f32[?0]) -> (f32[?0]) {{\n  %1 = {op} %x : f32[?0]\n  return %1\n}}");
        measure(&format!("{name}, 256 KB"), &text, &[1 << 16], 1 << 16);
    }
    measure("Black-Scholes, 400 KB", OPTIONS, &[100_000], 100_000);
    let head = "func @softmax(%x: f32[1024,1024]) -> (f32[1024,1024]) {\n";
    measure("softmax, 4 MB", &format!("{head}{SOFTMAX}"), &[1024, 1024], 1 << 20);
    measure("layer norm, 4 MB", NORM, &[1024, 1024], 1 << 20);
    measure("gelu, 4 MB", GELU, &[1024, 1024], 1 << 20);
    measure("gelu, norm, softmax", &format!("{BLOCK}{SOFTMAX}"), &[1024, 1024], 1 << 20);
    let product = "func @product(%x: f32[256,256]) -> (f32[256,256]) {
  %1 = matmul %x, %x : f32[256,256]
  return %1
}";
    measure("product 256", product, &[256, 256], 256 * 256 * 256 * 2);
    let greater = product.replace("256", "1024");
    measure("product 1024", &greater, &[1024, 1024], 1024 * 1024 * 1024 * 2);
    let less = product.replace("256", "64");
    measure("product 64", &less, &[64, 64], 64 * 64 * 64 * 2);
}

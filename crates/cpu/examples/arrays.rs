//! Measures loops over arrays: a chain of ten elementwise ops, a sum, and a product of matrices.
//! `cargo run --release -p gw_cpu --example arrays`
#![allow(clippy::print_stdout, reason = "a measurement speaks")]

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
    let executable = gw_cpu::compile(&graph).expect("compiles");
    let bytes: Vec<u8> =
        (0..lengths.iter().product::<usize>()).flat_map(|i| (i as f32 * 1e-3).to_le_bytes()).collect();
    let input = Buffer::from_bytes(DType::F32, lengths, &bytes);
    let mut best = f64::INFINITY;
    for _ in 0..50 {
        let begun = Instant::now();
        executable.run(&[&input], &mut Silent).expect("runs");
        best = best.min(begun.elapsed().as_secs_f64());
    }
    println!("{what:24} {:10.2} us  {:.3} ns/element", best * 1e6, best * 1e9 / elements as f64);
}

fn main() {
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
    let product = "func @product(%x: f32[256,256]) -> (f32[256,256]) {
  %1 = matmul %x, %x : f32[256,256]
  return %1
}";
    measure("product 256", product, &[256, 256], 256 * 256 * 256 * 2);
}

//! Measures a staged scalar loop: the lengths of all Collatz sequences below a million, in one graph, beside the same
//! loop compiled by rustc. `cargo run --release -p gw_cpu --example collatz`
#![allow(clippy::print_stdout, reason = "a measurement speaks")]

use std::hint::black_box;
use std::time::Instant;

use gw_runtime::{Buffer, HostError, HostFn, Stream};
use gw_types::{DType, Scalar};

struct Silent;

impl HostFn for Silent {
    fn print(&mut self, _: Stream, _: &str) -> Result<(), HostError> {
        Ok(())
    }
}

const LIMIT: i64 = 1_000_000;

fn graph(dtype: &str) -> String {
    format!(
        "func @collatz(%limit: {dtype}[]) -> ({dtype}[]) {{
  %1 = const 1 : {dtype}[]
  %2 = const 2 : {dtype}[]
  %3 = const 3 : {dtype}[]
  %0 = const 0 : {dtype}[]
  %start, %total = while (%n = %1, %sum = %0) : ({dtype}[], {dtype}[]) {{
    %4 = lt %n, %limit : bool[]
    yield %4
  }} do {{
    %last, %steps = while (%m = %n, %count = %0) : ({dtype}[], {dtype}[]) {{
      %5 = ne %m, %1 : bool[]
      yield %5
    }} do {{
      %6 = mod %m, %2 : {dtype}[]
      %7 = eq %6, %0 : bool[]
      %8 = cond %7 : ({dtype}[]) {{
        %9 = floor_div %m, %2 : {dtype}[]
        yield %9
      }} else {{
        %10 = mul %3, %m : {dtype}[]
        %11 = add %10, %1 : {dtype}[]
        yield %11
      }}
      %12 = add %count, %1 : {dtype}[]
      yield %8, %12
    }}
    %13 = add %sum, %steps : {dtype}[]
    %14 = add %n, %1 : {dtype}[]
    yield %14, %13
  }}
  return %total
}}"
    )
}

fn by_rustc(limit: i64) -> i64 {
    let mut total = 0i64;
    for start in 1..limit {
        let (mut n, mut steps) = (start, 0i64);
        while n != 1 {
            n = if n.rem_euclid(2) == 0 { n.div_euclid(2) } else { 3i64.wrapping_mul(n).wrapping_add(1) };
            steps += 1;
        }
        total = total.wrapping_add(steps);
    }
    total
}

fn main() {
    let begun = Instant::now();
    let total = by_rustc(black_box(LIMIT));
    let reference = begun.elapsed();
    let each = |elapsed: std::time::Duration| elapsed.as_secs_f64() * 1e9 / total as f64;
    println!("rustc   {:8.1} ms  {:.3} ns/iteration", reference.as_secs_f64() * 1e3, each(reference));
    let text = graph("i64");
    let parsed = gw_ir::text::parse(&text).expect("a graph");
    let begun = Instant::now();
    let executable = gw_cpu::compile(&parsed).expect("compiles");
    println!("compile {:8.3} ms", begun.elapsed().as_secs_f64() * 1e3);
    let limit = Buffer::scalar(DType::I64, Scalar::Int(LIMIT));
    for _ in 0..3 {
        let begun = Instant::now();
        let results = executable.run(&[&limit], &mut Silent).expect("runs");
        let elapsed = begun.elapsed();
        assert_eq!(results[0].scalars().next(), Some(Scalar::Int(total)));
        println!("graph   {:8.1} ms  {:.3} ns/iteration", elapsed.as_secs_f64() * 1e3, each(elapsed));
    }
    let begun = Instant::now();
    let one = Buffer::scalar(DType::I64, Scalar::Int(1));
    for _ in 0..100_000 {
        black_box(executable.run(&[&one], &mut Silent).expect("runs"));
    }
    println!("call    {:8.1} ns", begun.elapsed().as_secs_f64() * 1e9 / 1e5);
}

//! Measures loops over numbers as the front end stages them, each beside the same loop compiled by rustc.
//! `cargo run --release -p gw_cpu --example scalars`
#![allow(clippy::print_stdout, reason = "a measurement speaks")]

#[path = "../tiers/mod.rs"]
mod tiers;

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

/// `while i < n: x = x * 0.999 + 0.1; i += 1`; gives how often it went around.
fn floats(n: i64) -> i64 {
    let (mut x, mut i) = (1.0f64, 0);
    while i < n {
        x = x * 0.999 + 0.1;
        i += 1;
    }
    black_box(x);
    i
}

/// The lengths of all Collatz sequences below `n`, together.
fn collatz(n: i64) -> i64 {
    let mut total = 0i64;
    for start in 1..n {
        let mut m = start;
        while m != 1 {
            m = if m.rem_euclid(2) == 0 { m.div_euclid(2) } else { 3i64.wrapping_mul(m).wrapping_add(1) };
            total += 1;
        }
    }
    total
}

/// Primes below `n` by trial division; gives how often it divided.
fn primes(n: i64) -> i64 {
    let (mut count, mut divisions) = (0i64, 0);
    for i in 2..n {
        let (mut d, mut prime) = (2, true);
        while d * d <= i {
            divisions += 1;
            if i.rem_euclid(d) == 0 {
                prime = false;
                break;
            }
            d += 1;
        }
        count += i64::from(prime);
    }
    black_box(count);
    divisions
}

/// Numbers up to `n` that 15, else 5, else 3 divides.
fn fizz(n: i64) -> i64 {
    let (mut a, mut b, mut c) = (0i64, 0i64, 0i64);
    let mut i = 0;
    while i < n {
        i += 1;
        if i.rem_euclid(15) == 0 {
            a += 1;
        } else if i.rem_euclid(5) == 0 {
            b += 1;
        } else if i.rem_euclid(3) == 0 {
            c += 1;
        }
    }
    black_box((a, b, c));
    n
}

fn measure(what: &str, text: &str, n: i64, rust: fn(i64) -> i64) {
    let graph = gw_ir::text::parse(text).expect("a graph");
    let input = Buffer::scalar(DType::I64, Scalar::Int(n));
    for (tier, executable, made) in tiers::codes(&graph) {
        let (mut ours, mut theirs, mut steps) = (f64::INFINITY, f64::INFINITY, 1);
        for _ in 0..60 {
            let begun = Instant::now();
            steps = rust(black_box(n));
            theirs = theirs.min(begun.elapsed().as_secs_f64());
            let begun = Instant::now();
            executable.run(&[&input], &mut Silent).expect("runs");
            ours = ours.min(begun.elapsed().as_secs_f64());
        }
        let [ours, theirs] = [ours, theirs].map(|seconds| seconds * 1e9 / steps as f64);
        let ratio = ours / theirs;
        println!(
            "{what:10} {tier} {ours:6.3} ns/iteration   rustc {theirs:6.3}   ratio {ratio:.2}   made in {made:.2} ms"
        );
    }
}

fn main() {
    measure("floats", include_str!("floats.gw"), 1_000_000, floats);
    measure("collatz", include_str!("collatz.gw"), 30_000, collatz);
    measure("primes", include_str!("primes.gw"), 30_000, primes);
    measure("fizz", include_str!("fizz.gw"), 1_000_000, fizz);
}

//! Measures products of small matrices, as steps of recurrent networks need them.
//! `cargo run --release -p gw_kernels --example products`
#![allow(clippy::print_stdout, reason = "a measurement speaks")]
#![allow(unsafe_code, reason = "calls what machine code calls")]

use std::hint::black_box;
use std::time::Instant;

type Product = unsafe extern "C" fn(i64, i64, i64, *mut u8, *mut u8, i64, i64, *mut u8, i64, i64);

fn main() {
    // SAFETY: the kernel has this signature.
    let product = unsafe { std::mem::transmute::<*const u8, Product>(gw_kernels::MATMUL_F32.address) };
    for [m, n, k] in [
        [1, 32, 16],
        [1, 32, 32],
        [1, 128, 128],
        [1, 512, 256],
        [4, 32, 32],
        [16, 32, 32],
        [4, 128, 128],
        [16, 128, 128],
        [16, 512, 16],
        [16, 512, 128],
        [32, 512, 128],
        [64, 512, 128],
        [64, 64, 64],
        [8, 256, 784],
        [64, 256, 784],
        [256, 256, 256],
    ] {
        let (mut x, mut y) = (vec![1f32; m * k], vec![1f32; k * n]);
        let mut out = vec![0f32; m * n];
        let mut best = f64::INFINITY;
        for _ in 0..9 {
            let begun = Instant::now();
            for _ in 0..1000 {
                let starts =
                    [out.as_mut_ptr(), x.as_mut_ptr(), y.as_mut_ptr()].map(|start| black_box(start).cast());
                // SAFETY: m×k, k×n and m×n elements, row by row.
                unsafe {
                    product(
                        m as i64, n as i64, k as i64, starts[0], starts[1], k as i64, 1, starts[2], n as i64,
                        1,
                    );
                }
            }
            best = best.min(begun.elapsed().as_secs_f64() / 1000.0);
        }
        let speed = 2.0 * (m * n * k) as f64 / best * 1e-9;
        println!("[{m}, {k}] @ [{k}, {n}]: {:7.0} ns  {speed:6.1} GF/s", best * 1e9);
    }
}

//! Cholesky's triangle, the two triangles of elimination, and what is solved by triangles.

use super::blocks::{BLOCK, Block, add, dot, subtract_product, two_rows};
use super::{Job, are_finite};

pub(super) fn cholesky(job: &mut Job<'_>) {
    let n = job.lengths[1];
    let exists = factor(job.a, n);
    for (i, row) in job.out.chunks_exact_mut(n).enumerate() {
        let (lower, upper) = row.split_at_mut(i + 1);
        lower.copy_from_slice(&job.a[i * n..][..=i]);
        upper.fill(0.0);
        if !exists {
            row.fill(f64::NAN);
        }
    }
}

/// Replaces the lower triangle by Cholesky's; false if there is none.
fn factor(a: &mut [f64], n: usize) -> bool {
    for start in (0..n).step_by(BLOCK) {
        let stop = (start + BLOCK).min(n);
        for j in start..stop {
            let (upper, below) = a.split_at_mut((j + 1) * n);
            let row = &mut upper[j * n..];
            let square = row[j] - dot(&row[start..j], &row[start..j]);
            if square.is_nan() || square <= 0.0 || square.is_infinite() {
                return false;
            }
            let root = square.sqrt();
            row[j] = root;
            for other in below.chunks_exact_mut(n) {
                other[j] = (other[j] - dot(&other[start..j], &row[start..j])) / root;
            }
        }
        let left = n - stop;
        if left > 0 {
            let out = Block::of(a, n, [stop, stop]);
            let panel = Block::of(a, n, [stop, start]);
            // SAFETY: blocks of one matrix: rows from `stop` on, columns from `stop` on and those before it.
            unsafe { subtract_product([left, left, stop - start], out, panel, panel.transposed()) };
        }
    }
    true
}

pub(super) fn triangular_solve(job: &mut Job<'_>) {
    let [_, n, k] = job.lengths;
    substitute((job.a, n), job.how.lower, job.how.adjoint, false, (job.b, k));
    job.out.copy_from_slice(job.b);
}

pub(super) fn solve(job: &mut Job<'_>) {
    let [_, n, k] = job.lengths;
    let pivots = &mut job.work[..n];
    eliminate(job.a, n, pivots);
    let b = &mut *job.b;
    if job.how.adjoint {
        substitute((job.a, n), false, true, false, (b, k));
        substitute((job.a, n), true, true, true, (b, k));
        (0..n).rev().for_each(|j| swap(b, k, j, pivots[j] as usize));
    } else {
        (0..n).for_each(|j| swap(b, k, j, pivots[j] as usize));
        substitute((job.a, n), true, false, true, (b, k));
        substitute((job.a, n), false, false, false, (b, k));
    }
    job.out.copy_from_slice(b);
}

pub(super) fn det(job: &mut Job<'_>) {
    let n = job.lengths[1];
    let pivots = &mut job.work[..n];
    let finite = are_finite(job.a);
    eliminate(job.a, n, pivots);
    let (mut product, mut sign, mut log) = (1.0, 1.0, 0.0);
    for (j, &pivot) in pivots.iter().enumerate() {
        let turned = if pivot as usize == j { 1.0 } else { -1.0 };
        let across = job.a[j * n + j];
        product *= across * turned;
        sign *= if across == 0.0 { 0.0 } else { across.signum() * turned };
        log += across.abs().ln();
    }
    // Behind a column of zeros the numbers are none; the determinant is zero all the same.
    let singular = finite && (0..n).any(|j| job.a[j * n + j] == 0.0);
    let found = if singular { [0.0, 0.0, f64::NEG_INFINITY] } else { [product, sign, log] };
    job.out.copy_from_slice(&found);
}

/// Replaces a matrix by the triangles of elimination, the lower one with ones on its diagonal, rows being exchanged so that
/// what is divided by is the greatest of its column; says with which row each one was.
fn eliminate(a: &mut [f64], n: usize, pivots: &mut [f64]) {
    for start in (0..n).step_by(BLOCK) {
        let stop = (start + BLOCK).min(n);
        for (j, pivot) in pivots.iter_mut().enumerate().take(stop).skip(start) {
            let greater =
                |best: usize, i: usize| if a[i * n + j].abs() > a[best * n + j].abs() { i } else { best };
            let greatest = (j..n).fold(j, greater);
            *pivot = greatest as f64;
            swap(a, n, j, greatest);
            for i in j + 1..n {
                let (row, over) = two_rows(a, n, i, j);
                // A column of zeros is left as it is.
                if over[j] != 0.0 {
                    row[j] /= over[j];
                    let factor = -row[j];
                    add(&mut row[j + 1..stop], factor, &over[j + 1..stop]);
                }
            }
        }
        for (i, j) in (start..stop).flat_map(|i| (start..i).map(move |j| (i, j))) {
            let (row, over) = two_rows(a, n, i, j);
            let factor = -row[j];
            add(&mut row[stop..], factor, &over[stop..]);
        }
        let left = n - stop;
        if left > 0 {
            let (out, x) = (Block::of(a, n, [stop, stop]), Block::of(a, n, [stop, start]));
            let y = Block::of(a, n, [start, stop]);
            // SAFETY: three blocks of one matrix that have no element in common.
            unsafe { subtract_product([left, left, stop - start], out, x, y) };
        }
    }
}

/// Exchanges two rows.
fn swap(x: &mut [f64], width: usize, first: usize, second: usize) {
    if first != second {
        let (low, high) = x.split_at_mut(first.max(second) * width);
        low[first.min(second) * width..][..width].swap_with_slice(&mut high[..width]);
    }
}

/// Replaces `x`, whose rows are so wide, by what a triangle of `a`, transposed perhaps, times it gives: `t @ new = old`. With
/// `ones` those stand on its diagonal.
fn substitute(
    (a, n): (&mut [f64], usize),
    lower: bool,
    adjoint: bool,
    ones: bool,
    (x, k): (&mut [f64], usize),
) {
    let downwards = lower != adjoint;
    let place = |at: usize| if downwards { at } else { n - 1 - at };
    for start in (0..n).step_by(BLOCK) {
        let stop = (start + BLOCK).min(n);
        for at in start..stop {
            let i = place(at);
            for j in (start..at).map(place) {
                let (row, other) = two_rows(x, k, i, j);
                add(row, -if adjoint { a[j * n + i] } else { a[i * n + j] }, other);
            }
            if !ones {
                let over = a[i * n + i];
                x[i * k..][..k].iter_mut().for_each(|x| *x /= over);
            }
        }
        let left = n - stop;
        if left > 0 && k > 0 {
            let (done, open) = if downwards { (start, stop) } else { (n - stop, 0) };
            let block = match adjoint {
                false => Block::of(a, n, [open, done]),
                true => Block::of(a, n, [done, open]).transposed(),
            };
            let (out, known) = (Block::of(x, k, [open, 0]), Block::of(x, k, [done, 0]));
            // SAFETY: rows of `x` that are open and rows that are done are different ones.
            unsafe { subtract_product([left, k, stop - start], out, block, known) };
        }
    }
}

//! Fourier transforms of any length. A number with small prime factors is taken apart into them, factor by factor, from one
//! array into another and back (Stockham); another one is a convolution with a chirp (Bluestein), whose length is a power of 2.

use super::Job;
use std::f64::consts::TAU;

/// The greatest factor that is taken apart directly.
const GREATEST: usize = 31;

/// Complex numbers: their real parts and their imaginary ones.
struct Numbers<'a> {
    re: &'a mut [f64],
    im: &'a mut [f64],
}

impl<'a> Numbers<'a> {
    /// The first half holds the real parts.
    fn of(both: &'a mut [f64]) -> Self {
        let (re, im) = both.split_at_mut(both.len() / 2);
        Self { re, im }
    }

    fn get(&self, at: usize) -> [f64; 2] {
        [self.re[at], self.im[at]]
    }

    fn set(&mut self, at: usize, [re, im]: [f64; 2]) {
        (self.re[at], self.im[at]) = (re, im);
    }

    fn again(&mut self) -> Numbers<'_> {
        Numbers { re: self.re, im: self.im }
    }
}

/// Number of doubles that a transform of so many numbers works with, at most.
pub fn fft_work(n: usize) -> usize {
    if is_smooth(n) { 2 * n } else { 2 * n + 8 * padded(n) }
}

/// The transform of the numbers whose parts are the two rows, not divided by their number; the inverse one exchanges the parts.
pub(super) fn fft(job: &mut Job<'_>) {
    let n = job.lengths[1];
    let (mut x, mut out) = (Numbers::of(job.a), Numbers::of(job.out));
    if job.how.adjoint {
        std::mem::swap(&mut x.re, &mut x.im);
        std::mem::swap(&mut out.re, &mut out.im);
    }
    if is_smooth(n) {
        let mut roots = Numbers::of(&mut job.work[..2 * n]);
        fill_roots(&mut roots);
        if !transform(&mut x, &mut out, &roots) {
            out.re.copy_from_slice(x.re);
            out.im.copy_from_slice(x.im);
        }
    } else {
        by_chirp(&x, &mut out, job.work);
    }
}

/// `e^(-2πi k / n)`
fn root(k: usize, n: usize) -> [f64; 2] {
    let (sin, cos) = libm::sincos(TAU * k as f64 / n as f64);
    [cos, -sin]
}

fn fill_roots(roots: &mut Numbers<'_>) {
    let n = roots.re.len();
    (0..n).for_each(|k| roots.set(k, root(k, n)));
}

fn times([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a * c - b * d, a * d + b * c]
}

fn plus([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a + c, b + d]
}

fn minus([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a - c, b - d]
}

/// The least factor of a number, 4 before 2.
fn factor(n: usize) -> usize {
    if n.is_multiple_of(4) {
        return 4;
    }
    (2..=GREATEST).find(|&p| n.is_multiple_of(p)).unwrap_or(n)
}

fn is_smooth(n: usize) -> bool {
    let mut rest = n;
    while rest > 1 {
        let p = factor(rest);
        if p > GREATEST {
            return false;
        }
        rest /= p;
    }
    true
}

/// The power of 2 that has room for a convolution of so many numbers.
fn padded(n: usize) -> usize {
    (2 * n).next_power_of_two()
}

/// Goes from `x` to `y` and back, a factor each time; true if the result is in `y`. Both are changed.
fn transform(x: &mut Numbers<'_>, y: &mut Numbers<'_>, roots: &Numbers<'_>) -> bool {
    let (mut length, mut stride, mut in_y) = (x.re.len(), 1, false);
    while length > 1 {
        let p = factor(length);
        let (from, to) = if in_y { (y.again(), x.again()) } else { (x.again(), y.again()) };
        step(&from, to, roots, [length, stride, p]);
        (length, stride, in_y) = (length / p, stride * p, !in_y);
    }
    in_y
}

/// `stride` transforms of so many numbers, side by side: butterflies of `p`, turned.
fn step(from: &Numbers<'_>, mut to: Numbers<'_>, roots: &Numbers<'_>, [length, stride, p]: [usize; 3]) {
    let n = roots.re.len();
    let apart = length / p;
    for j in 0..apart {
        let turn = |k: usize| roots.get(j * k * stride % n);
        for q in 0..stride {
            let get = |k: usize| from.get(q + stride * (j + apart * k));
            let place = q + stride * p * j;
            match p {
                2 => {
                    let [a, b] = [get(0), get(1)];
                    to.set(place, plus(a, b));
                    to.set(place + stride, times(minus(a, b), turn(1)));
                }
                4 => {
                    let [a, b, c, d] = [get(0), get(1), get(2), get(3)];
                    let (ac, bd) = (plus(a, c), plus(b, d));
                    let (less, [re, im]) = (minus(a, c), minus(b, d));
                    to.set(place, plus(ac, bd));
                    to.set(place + stride, times(plus(less, [im, -re]), turn(1)));
                    to.set(place + 2 * stride, times(minus(ac, bd), turn(2)));
                    to.set(place + 3 * stride, times(minus(less, [im, -re]), turn(3)));
                }
                _ => {
                    for k in 0..p {
                        let part = |r: usize| times(get(r), roots.get(k * r % p * (n / p)));
                        let sum = (1..p).map(part).fold(get(0), plus);
                        to.set(place + k * stride, times(sum, turn(k)));
                    }
                }
            }
        }
    }
}

/// `e^(-πi k² / n)`
fn chirp(k: usize, n: usize) -> [f64; 2] {
    root((k as u128 * k as u128 % (2 * n as u128)) as usize, 2 * n)
}

/// A transform as a convolution: `2jk = j² + k² - (k - j)²`.
fn by_chirp(x: &Numbers<'_>, out: &mut Numbers<'_>, work: &mut [f64]) {
    let n = x.re.len();
    let m = padded(n);
    let (chirps, work) = work.split_at_mut(2 * n);
    let [mut chirps, work] = [Numbers::of(chirps), Numbers::of(work)];
    let (first, second) = (work.re, work.im);
    let (a, b) = first.split_at_mut(2 * m);
    let (other, roots) = second[..4 * m].split_at_mut(2 * m);
    let [mut a, mut b, mut other, mut roots] = [a, &mut b[..2 * m], other, roots].map(Numbers::of);
    fill_roots(&mut roots);
    for both in [&mut a, &mut b] {
        both.re.fill(0.0);
        both.im.fill(0.0);
    }
    for k in 0..n {
        let [re, im] = chirp(k, n);
        chirps.set(k, [re, im]);
        a.set(k, times(x.get(k), [re, im]));
        b.set(k, [re, -im]);
        b.set((m - k) % m, [re, -im]);
    }
    settled(&mut a, &mut other, &roots);
    settled(&mut b, &mut other, &roots);
    for k in 0..m {
        let [re, im] = times(a.get(k), b.get(k));
        // The inverse transform exchanges the parts.
        a.set(k, [im, re]);
    }
    settled(&mut a, &mut other, &roots);
    for k in 0..n {
        let [im, re] = a.get(k);
        out.set(k, times([re / m as f64, im / m as f64], chirps.get(k)));
    }
}

/// A transform in its place.
fn settled(x: &mut Numbers<'_>, other: &mut Numbers<'_>, roots: &Numbers<'_>) {
    if transform(x, other, roots) {
        x.re.copy_from_slice(other.re);
        x.im.copy_from_slice(other.im);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{How, Job};
    use super::*;

    #[test]
    fn transforms_are_sums_and_go_back() {
        for n in (1..70).chain([97, 128, 210, 251, 1000, 1021, 1024]) {
            let numbers: Vec<f64> = (0..2 * n).map(|k| ((k * 7919) % 101) as f64 / 50.0 - 1.0).collect();
            let run = |given: &[f64], adjoint: bool| {
                let (mut a, mut out, mut work) = (given.to_vec(), vec![0.0; 2 * n], vec![0.0; fft_work(n)]);
                let how = How { adjoint, ..How::default() };
                fft(&mut Job {
                    lengths: [2, n, 0],
                    how,
                    a: &mut a,
                    b: &mut [],
                    out: &mut out,
                    work: &mut work,
                });
                out
            };
            let found = run(&numbers, false);
            for k in 0..n {
                let part = |j: usize| times([numbers[j], numbers[n + j]], root(j * k % n, n));
                let [re, im] = (0..n).map(part).fold([0.0; 2], plus);
                assert!((found[k] - re).abs() + (found[n + k] - im).abs() < 1e-10 * n as f64, "{n} {k}");
            }
            let back = run(&found, true);
            let near = back.iter().zip(&numbers).all(|(x, y)| (x / n as f64 - y).abs() < 1e-12);
            assert!(near, "{n}");
        }
    }
}

//! Eigenvalues and eigenvectors of symmetric matrices: first three diagonals are left, then one.

use super::blocks::{add, both_rows, dot};
use super::qr::{reflect, reflection};
use super::{Job, are_finite, looks_up};

/// So often the values of one place are brought nearer to each other; three times are the rule.
const MOST: usize = 60;

pub(super) fn eigh(job: &mut Job<'_>) {
    let n = job.lengths[1];
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        job.a[j * n + i] = job.a[i * n + j];
    }
    let (vectors, rest) = job.work.split_at_mut(n * n);
    let (values, beside) = rest.split_at_mut(n);
    if !are_finite(job.a) || !found(job.a, n, vectors, values, &mut beside[..n]) {
        return job.out.fill(f64::NAN);
    }
    sort(values, vectors, n);
    let (first, below) = job.out.split_at_mut(n);
    first.copy_from_slice(values);
    for (j, vector) in vectors.chunks_exact(n).enumerate() {
        let sign = if looks_up(vector) { 1.0 } else { -1.0 };
        vector.iter().enumerate().for_each(|(i, x)| below[i * n + j] = sign * x);
    }
}

/// Values, and vectors as rows; false if they were not found.
fn found(a: &mut [f64], n: usize, vectors: &mut [f64], values: &mut [f64], beside: &mut [f64]) -> bool {
    let greatest = a.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let scale = if greatest == 0.0 { 1.0 } else { greatest };
    a.iter_mut().for_each(|x| *x /= scale);
    to_three_diagonals(a, n, values, beside);
    for (at, row) in vectors.chunks_exact_mut(n).enumerate() {
        row.fill(0.0);
        row[at] = 1.0;
        for k in (0..n.saturating_sub(2).min(at)).rev() {
            // The mirror's factor stands above its normal, which is in row k.
            reflect(&mut row[k + 1..], a[k * n + k], &a[k * n + k + 2..(k + 1) * n]);
        }
    }
    let done = to_one_diagonal(values, beside, vectors, n);
    values.iter_mut().for_each(|x| *x *= scale);
    done
}

/// Leaves the diagonal and what is beside it; in row `k` of the matrix the normal of mirror `k`, and its factor on the
/// diagonal.
fn to_three_diagonals(a: &mut [f64], n: usize, diagonal: &mut [f64], beside: &mut [f64]) {
    for k in 0..n {
        diagonal[k] = a[k * n + k];
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let row = &mut upper[k * n..];
        if k + 2 >= n {
            beside[k] = if k + 1 < n { row[k + 1] } else { 0.0 };
            continue;
        }
        let tau = reflection(&mut row[k + 1..]);
        beside[k] = row[k + 1];
        row[k] = tau;
        row[k + 1] = 1.0;
        // Of `a - v wᵀ - w vᵀ` with `w = p - (tau / 2) (p · v) v`, `p = tau a v`; `w` stands where `beside` is not made yet.
        let (v, w) = (&row[k + 1..], &mut beside[k + 1..]);
        for (p, below) in w.iter_mut().zip(lower.chunks_exact(n)) {
            *p = tau * dot(&below[k + 1..], v);
        }
        let half = -0.5 * tau * dot(w, v);
        add(w, half, v);
        for (at, below) in lower.chunks_exact_mut(n).enumerate() {
            add(&mut below[k + 1..], -v[at], w);
            add(&mut below[k + 1..], -w[at], v);
        }
    }
}

/// Implicit QL with Wilkinson's shifts, as EISPACK's `imtql2`; the rows of `vectors` turn along.
fn to_one_diagonal(d: &mut [f64], e: &mut [f64], vectors: &mut [f64], n: usize) -> bool {
    for low in 0..n {
        for turn in 0.. {
            let small = |&m: &usize| e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs());
            let high = (low..n - 1).find(small).unwrap_or(n - 1);
            if high == low {
                break;
            }
            if turn == MOST {
                return false;
            }
            chase(d, e, [low, high], &mut |i, sine, cosine| {
                let [x, y] = both_rows(vectors, n, [i, i + 1]);
                rotate(x, y, cosine, sine);
            });
        }
    }
    true
}

/// One step for the places from `low` to `high`; tells which rows turn by what.
fn chase(d: &mut [f64], e: &mut [f64], [low, high]: [usize; 2], turn: &mut dyn FnMut(usize, f64, f64)) {
    let mut g = (d[low + 1] - d[low]) / (2.0 * e[low]);
    let root = g.hypot(1.0);
    g = d[high] - d[low] + e[low] / (g + root.copysign(g));
    let (mut sine, mut cosine, mut p) = (1.0, 1.0, 0.0);
    for i in (low..high).rev() {
        let (f, b) = (sine * e[i], cosine * e[i]);
        let r = f.hypot(g);
        e[i + 1] = r;
        if r == 0.0 {
            d[i + 1] -= p;
            e[high] = 0.0;
            return;
        }
        (sine, cosine) = (f / r, g / r);
        g = d[i + 1] - p;
        let r = (d[i] - g) * sine + 2.0 * cosine * b;
        p = sine * r;
        d[i + 1] = g + p;
        g = cosine * r - b;
        turn(i, sine, cosine);
    }
    d[low] -= p;
    e[low] = g;
    e[high] = 0.0;
}

/// `x, y = c x - s y, s x + c y`
pub(super) fn rotate(x: &mut [f64], y: &mut [f64], cosine: f64, sine: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}

/// Ascending values, each with its vector.
fn sort(values: &mut [f64], vectors: &mut [f64], n: usize) {
    for at in 0..n {
        let least = (at..n).fold(at, |best, i| if values[i] < values[best] { i } else { best });
        if least != at {
            values.swap(at, least);
            let [x, y] = both_rows(vectors, n, [at, least]);
            x.swap_with_slice(y);
        }
    }
}

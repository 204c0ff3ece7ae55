//! Singular values by Hestenes' rotations: vectors are turned by pairs until each two stand upright on each other.

use super::blocks::{add, both_rows, dot};
use super::eigh::rotate;
use super::{Job, are_finite, looks_up};

/// So often all pairs are gone through; ten times are the rule.
const MOST: usize = 60;

pub(super) fn svd(job: &mut Job<'_>) {
    let [m, n, _] = job.lengths;
    let (count, length) = (m.min(n), m.max(n));
    if !are_finite(job.a) {
        return job.out.fill(f64::NAN);
    }
    let (long, rest) = job.work.split_at_mut(m * n);
    let (short, values) = rest.split_at_mut(count * count);
    let values = &mut values[..count];
    let greatest = job.a.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let scale = if greatest == 0.0 { 1.0 } else { greatest };
    // The vectors that are turned are the columns, or the rows if these are fewer.
    for (at, element) in long.iter_mut().enumerate() {
        let (vector, place) = (at / length, at % length);
        *element = job.a[if m < n { vector * n + place } else { place * n + vector }] / scale;
    }
    for (at, element) in short.iter_mut().enumerate() {
        *element = f64::from(u8::from(at % count == at / count));
    }
    let _nearer_than_this_they_do_not_come = (0..MOST).any(|_| !sweep(long, length, short, count));
    sort(long, length, short, values);
    normalise(long, length, values);
    write(job.out, [m, n], (long, short), values, scale);
}

/// Turns each pair; whether one was.
fn sweep(long: &mut [f64], length: usize, short: &mut [f64], count: usize) -> bool {
    let mut turned = false;
    for (i, j) in (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))) {
        let [x, y] = both_rows(long, length, [i, j]);
        let (xx, yy, xy) = (dot(x, x), dot(y, y), dot(x, y));
        if xy.abs() <= f64::EPSILON * (xx * yy).sqrt() {
            continue;
        }
        turned = true;
        let zeta = (yy - xx) / (2.0 * xy);
        let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
        let cosine = 1.0 / tangent.hypot(1.0);
        rotate(x, y, cosine, cosine * tangent);
        let [x, y] = both_rows(short, count, [i, j]);
        rotate(x, y, cosine, cosine * tangent);
    }
    turned
}

/// The longest vector first.
fn sort(long: &mut [f64], length: usize, short: &mut [f64], values: &mut [f64]) {
    let count = values.len();
    for (value, vector) in values.iter_mut().zip(long.chunks_exact(length)) {
        *value = dot(vector, vector).sqrt();
    }
    for at in 0..count {
        let greatest = (at..count).fold(at, |best, i| if values[i] > values[best] { i } else { best });
        if greatest != at {
            values.swap(at, greatest);
            for (vectors, width) in [(&mut *long, length), (&mut *short, count)] {
                let [x, y] = both_rows(vectors, width, [at, greatest]);
                x.swap_with_slice(y);
            }
        }
    }
}

/// Gives each vector length one; those without a length become what stands upright on all before them.
fn normalise(long: &mut [f64], length: usize, values: &[f64]) {
    for (at, &value) in values.iter().enumerate() {
        let (before, vector) = long.split_at_mut(at * length);
        let vector = &mut vector[..length];
        if value > 0.0 {
            vector.iter_mut().for_each(|x| *x /= value);
            continue;
        }
        let left = |place: usize| 1.0 - before.chunks_exact(length).map(|v| v[place] * v[place]).sum::<f64>();
        let farther = |best: usize, place: usize| if left(place) > left(best) { place } else { best };
        let axis = (0..length).fold(0, farther);
        vector.fill(0.0);
        vector[axis] = 1.0;
        // Once more for what the first time leaves.
        for other in before.chunks_exact(length).chain(before.chunks_exact(length)) {
            let along = -dot(vector, other);
            add(vector, along, other);
        }
        let norm = dot(vector, vector).sqrt();
        vector.iter_mut().for_each(|x| *x /= norm);
    }
}

/// Values over `u` over `v`; the vectors of `u` look up.
fn write(out: &mut [f64], [m, n]: [usize; 2], (long, short): (&[f64], &[f64]), values: &[f64], scale: f64) {
    let count = values.len();
    let (u, v) = if m < n { (short, long) } else { (long, short) };
    let (first, below) = out.split_at_mut(count);
    first.iter_mut().zip(values).for_each(|(out, value)| *out = scale * value);
    for j in 0..count {
        let (own_u, own_v) = (&u[j * m..][..m], &v[j * n..][..n]);
        let sign = if looks_up(own_u) { 1.0 } else { -1.0 };
        for (i, x) in own_u.iter().chain(own_v).enumerate() {
            below[i * count + j] = sign * x;
        }
    }
}

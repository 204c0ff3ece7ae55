//! Householder's reflections, as LAPACK makes them.

use super::Job;
use super::blocks::{add, dot};

pub(super) fn qr(job: &mut Job<'_>) {
    let [m, n, _] = job.lengths;
    let least = m.min(n);
    let (columns, taus) = job.work.split_at_mut(m * n);
    for (at, element) in columns.iter_mut().enumerate() {
        *element = job.a[at % m * n + at / m];
    }
    for i in 0..least {
        let (own, others) = columns.split_at_mut((i + 1) * m);
        let own = &mut own[i * m + i..];
        taus[i] = reflection(own);
        others.chunks_exact_mut(m).for_each(|other| reflect(&mut other[i..], taus[i], &own[1..]));
    }
    for (r, row) in job.out.chunks_exact_mut(m + n).enumerate() {
        let (of_r, of_q) = row.split_at_mut(n);
        for (j, element) in of_r.iter_mut().enumerate() {
            *element = if r <= j { columns[j * m + r] } else { 0.0 };
        }
        of_q.fill(0.0);
        of_q[r] = 1.0;
        for i in (0..least.min(r + 1)).rev() {
            reflect(&mut of_q[i..], taus[i], &columns[i * m + i + 1..(i + 1) * m]);
        }
    }
}

/// Replaces a vector by its image, a multiple of the first axis, and the rest of the normal of the mirror, which begins with
/// one; gives its factor. A vector that lies on the axis stays.
pub(super) fn reflection(x: &mut [f64]) -> f64 {
    let (&mut first, rest) = x.split_first_mut().expect("a vector has an element");
    let rest_length = dot(rest, rest).sqrt();
    if rest_length == 0.0 {
        return 0.0;
    }
    let image = -first.signum() * first.hypot(rest_length);
    let scale = 1.0 / (first - image);
    rest.iter_mut().for_each(|x| *x *= scale);
    x[0] = image;
    (image - first) / image
}

/// Reflects a vector by a mirror whose normal is one and then `rest`.
pub(super) fn reflect(x: &mut [f64], tau: f64, rest: &[f64]) {
    let by = tau * (x[0] + dot(rest, &x[1..]));
    x[0] -= by;
    add(&mut x[1..], -by, rest);
}

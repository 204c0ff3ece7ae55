//! Matrices taken apart and solved with, by what a textbook begins with: no pivots beyond the greatest of a column, no blocks.

use gw_ir::Attr;
use gw_types::Scalar;

use crate::EvalError;
use crate::array::{Array, broadcast, indices};
use crate::fault::misused;

/// A matrix in double precision.
type Rows = Vec<Vec<f64>>;

/// So often all pairs are turned, at most.
const TURNS: usize = 100;

/// The sums that Fourier transforms are.
pub(crate) fn fft(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let (&Attr::Adjoint(inverse), x) = (attr, args[0]) else { return Err(misused(attr)) };
    let (batch, &[parts, n]) = x.lengths.split_last_chunk::<2>().expect("parts have two axes");
    if parts != 2 {
        return Err(EvalError::shapes(format!("complex numbers have two rows, not {parts}")));
    }
    let sign = if inverse { 1.0 } else { -1.0 };
    let mut out = x.clone();
    for index in indices(batch) {
        let at = |part: usize, j: usize| [&index[..], &[part, j]].concat();
        for k in 0..n {
            let (mut re, mut im) = (0.0, 0.0);
            for j in 0..n {
                let (a, b) = (x.at(&at(0, j)).to_f64(), x.at(&at(1, j)).to_f64());
                let (sin, cos) = part_of_turn(j * k % n, n);
                let sin = sign * sin;
                (re, im) = (re + a * cos - b * sin, im + a * sin + b * cos);
            }
            out.set(&at(0, k), Scalar::Float(re));
            out.set(&at(1, k), Scalar::Float(im));
        }
    }
    Ok(out)
}

/// Sine and cosine of so many of `n` parts of a turn, exact for quarters.
fn part_of_turn(parts: usize, n: usize) -> (f64, f64) {
    const QUARTERS: [(f64, f64); 4] = [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)];
    if (4 * parts).is_multiple_of(n) {
        QUARTERS[4 * parts / n]
    } else {
        libm::sincos(std::f64::consts::TAU * parts as f64 / n as f64)
    }
}

/// `l @ lᵀ = x`, from the first row down.
pub(crate) fn cholesky(_: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    of_square(
        args[0],
        |n| [n, n],
        |x| {
            let n = x.len();
            let mut l = vec![vec![0.0; n]; n];
            for i in 0..n {
                for j in 0..=i {
                    let left = x[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
                    l[i][j] = if i == j { left.sqrt() } else { left / l[j][j] };
                }
                if !l[i][i].is_finite() || l[i][i] == 0.0 {
                    return vec![vec![f64::NAN; n]; n];
                }
            }
            l
        },
    )
}

/// The determinant, its sign, and the logarithm of its magnitude.
pub(crate) fn det(_: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let packed = of_square(
        args[0],
        |_| [1, 3],
        |x| {
            let (mut x, n) = (x.clone(), x.len());
            let finite = x.iter().flatten().all(|x| x.is_finite());
            let (mut sign, mut product, mut log) = (1.0, 1.0, 0.0);
            for j in 0..n {
                if clear_column(&mut x, j, n) {
                    sign = -sign;
                }
                sign *= if x[j][j] == 0.0 { 0.0 } else { x[j][j].signum() };
                product *= x[j][j].abs();
                log += x[j][j].abs().ln();
            }
            let singular = finite && (0..n).any(|j| x[j][j] == 0.0);
            vec![if singular { vec![0.0, 0.0, f64::NEG_INFINITY] } else { vec![product * sign, sign, log] }]
        },
    )?;
    let mut lengths = packed.lengths.clone();
    lengths.remove(lengths.len() - 2);
    Ok(Array::new(packed.dtype, lengths, packed.elements))
}

/// `r` and `qᵀ` side by side: Householder's reflections of the whole matrix with the unit matrix beside it.
pub(crate) fn qr(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let &Attr::Full(full) = attr else { return Err(misused(attr)) };
    let columns = *args[0].lengths.last().expect("a matrix has two axes");
    of_each(
        args[0],
        |m, n| [if full { m } else { m.min(n) }, n + m],
        |x| {
            let (m, n) = (x.len(), columns);
            let mut both = x.clone();
            both.iter_mut()
                .enumerate()
                .for_each(|(i, row)| row.extend((0..m).map(|j| f64::from(u8::from(i == j)))));
            for k in 0..m.min(n) {
                let mut normal: Vec<f64> = (k..m).map(|i| both[i][k]).collect();
                let rest: f64 = normal[1..].iter().map(|x| x * x).sum();
                if rest == 0.0 {
                    continue;
                }
                normal[0] += normal[0].signum() * (normal[0] * normal[0] + rest).sqrt();
                let square: f64 = normal.iter().map(|x| x * x).sum();
                let weighed = |j: usize| (k..m).map(|i| normal[i - k] * both[i][j]).sum::<f64>();
                let along: Vec<f64> = (0..n + m).map(weighed).collect();
                for (row, own) in both[k..].iter_mut().zip(&normal) {
                    row.iter_mut().zip(&along).for_each(|(x, along)| *x -= 2.0 * along / square * own);
                }
                (k + 1..m).for_each(|i| both[i][k] = 0.0);
            }
            both.truncate(if full { m } else { m.min(n) });
            both
        },
    )
}

/// Eigenvalues over eigenvectors: Jacobi's rotations of the matrix from both sides.
pub(crate) fn eigh(_: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    of_square(
        args[0],
        |n| [n + 1, n],
        |x| {
            let n = x.len();
            let mut a: Rows = (0..n).map(|i| (0..n).map(|j| x[i.max(j)][i.min(j)]).collect()).collect();
            if !a.iter().flatten().all(|x| x.is_finite()) {
                return vec![vec![f64::NAN; n]; n + 1];
            }
            let mut v: Rows = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
            for _ in 0..TURNS {
                for (p, q) in (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))) {
                    if a[p][q] == 0.0 {
                        continue;
                    }
                    let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                    let (s, c) = angle.sin_cos();
                    turn_columns(&mut a, [p, q], s, c);
                    let mut turned = transposed(&a, n);
                    turn_columns(&mut turned, [p, q], s, c);
                    a = transposed(&turned, n);
                    turn_columns(&mut v, [p, q], s, c);
                }
            }
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
            let vectors: Rows =
                order.iter().map(|&j| upwards(v.iter().map(|row| row[j]).collect())).collect();
            let values = order.iter().map(|&j| a[j][j]).collect();
            std::iter::once(values).chain(transposed(&vectors, n)).collect()
        },
    )
}

/// Singular values over `u` over `v`: columns are turned by pairs until they stand upright on each other.
pub(crate) fn svd(_: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let n = *args[0].lengths.last().expect("a matrix has two axes");
    of_each(
        args[0],
        |m, n| [1 + m + n, m.min(n)],
        |x| {
            let (m, count) = (x.len(), x.len().min(n));
            if !x.iter().flatten().all(|x| x.is_finite()) {
                return vec![vec![f64::NAN; count]; 1 + m + n];
            }
            let (u, s, v) = if m < n {
                let (v, s, u) = turned(&transposed(x, n));
                (u, s, v)
            } else {
                turned(x)
            };
            let looks: Vec<f64> =
                u.iter().map(|u| if upwards(u.clone()) == *u { 1.0 } else { -1.0 }).collect();
            let columns = |of: &Rows, length: usize| -> Rows {
                (0..length)
                    .map(|i| of.iter().zip(&looks).map(|(vector, sign)| sign * vector[i]).collect())
                    .collect()
            };
            std::iter::once(s).chain(columns(&u, m)).chain(columns(&v, n)).collect()
        },
    )
}

/// Of a matrix that is not wider than high: left vectors, values, right vectors.
fn turned(x: &Rows) -> (Rows, Vec<f64>, Rows) {
    let n = x.first().map_or(0, Vec::len);
    let (mut a, mut v) = (x.clone(), vec![vec![0.0; n]; n]);
    (0..n).for_each(|i| v[i][i] = 1.0);
    let product = |a: &Rows, p: usize, q: usize| a.iter().map(|row| row[p] * row[q]).sum::<f64>();
    for _ in 0..TURNS {
        for (p, q) in (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))) {
            if product(&a, p, q) == 0.0 {
                continue;
            }
            let angle = 0.5 * (2.0 * product(&a, p, q)).atan2(product(&a, q, q) - product(&a, p, p));
            let (s, c) = angle.sin_cos();
            turn_columns(&mut a, [p, q], s, c);
            turn_columns(&mut v, [p, q], s, c);
        }
    }
    let mut found: Vec<(f64, usize)> = (0..n).map(|j| (product(&a, j, j).sqrt(), j)).collect();
    found.sort_by(|x, y| y.0.total_cmp(&x.0));
    let column = |of: &Rows, j: usize, by: f64| -> Vec<f64> { of.iter().map(|row| row[j] / by).collect() };
    let left = found.iter().map(|&(s, j)| column(&a, j, s)).collect();
    let right = found.iter().map(|&(_, j)| column(&v, j, 1.0)).collect();
    (left, found.iter().map(|&(s, _)| s).collect(), right)
}

/// `t @ out = b`, from the row with one element on.
pub(crate) fn triangular_solve(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let &Attr::Triangle { lower, adjoint } = attr else { return Err(misused(attr)) };
    solved(args, |a, mut b| {
        let n = a.len();
        let t = |i: usize, j: usize| if adjoint { a[j][i] } else { a[i][j] };
        let downwards = lower != adjoint;
        let order: Vec<usize> = if downwards { (0..n).collect() } else { (0..n).rev().collect() };
        for (at, &i) in order.iter().enumerate() {
            for column in 0..b[i].len() {
                let known: f64 = order[..at].iter().map(|&j| t(i, j) * b[j][column]).sum();
                b[i][column] = (b[i][column] - known) / t(i, i);
            }
        }
        b
    })
}

/// `a @ out = b`, by elimination until the unit matrix is left.
pub(crate) fn solve(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let &Attr::Adjoint(adjoint) = attr else { return Err(misused(attr)) };
    solved(args, |a, b| {
        let n = a.len();
        let mut both = if adjoint { transposed(a, n) } else { a.clone() };
        both.iter_mut().zip(b).for_each(|(row, b)| row.extend(b));
        for j in 0..n {
            let _exchanged = clear_column(&mut both, j, n);
        }
        for j in (0..n).rev() {
            let over = both[j][j];
            both[j].iter_mut().for_each(|x| *x /= over);
            for i in 0..j {
                let factor = both[i][j];
                (j..both[i].len()).for_each(|at| both[i][at] -= factor * both[j][at]);
            }
        }
        both.into_iter().map(|row| row[n..].to_vec()).collect()
    })
}

/// Makes zeros below the diagonal of a column, with the row first whose element is the greatest; whether rows were exchanged.
fn clear_column(x: &mut Rows, j: usize, n: usize) -> bool {
    let greatest = (j..n).fold(j, |best, i| if x[i][j].abs() > x[best][j].abs() { i } else { best });
    x.swap(j, greatest);
    for i in j + 1..n {
        let factor = if x[j][j] == 0.0 { 0.0 } else { x[i][j] / x[j][j] };
        (j..x[i].len()).for_each(|at| x[i][at] -= factor * x[j][at]);
    }
    greatest != j
}

fn turn_columns(x: &mut Rows, [p, q]: [usize; 2], s: f64, c: f64) {
    x.iter_mut().for_each(|row| (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]));
}

/// A vector, or its opposite, so that its first element that is not much smaller than the greatest is positive.
fn upwards(x: Vec<f64>) -> Vec<f64> {
    let greatest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let first = x.iter().find(|x| x.abs() >= 0.55 * greatest);
    if first.is_some_and(|first| *first < 0.0) { x.into_iter().map(|x| -x).collect() } else { x }
}

fn transposed(x: &Rows, columns: usize) -> Rows {
    (0..columns).map(|j| x.iter().map(|row| row[j]).collect()).collect()
}

/// The matrix at this place of a batch.
fn matrix(x: &Array, batch: &[usize]) -> Rows {
    let (own, &[rows, columns]) = x.lengths.split_last_chunk::<2>().expect("a matrix has two axes");
    let place = batch[batch.len() - own.len()..].iter().zip(own);
    let place: Vec<usize> = place.map(|(&at, &length)| if length == 1 { 0 } else { at }).collect();
    let element = |i: usize, j: usize| x.at(&[&place[..], &[i, j]].concat()).to_f64();
    (0..rows).map(|i| (0..columns).map(|j| element(i, j)).collect()).collect()
}

/// The same of square ones.
fn of_square(
    x: &Array,
    made: impl Fn(usize) -> [usize; 2],
    f: impl Fn(&Rows) -> Rows,
) -> Result<Array, EvalError> {
    let &[rows, columns] = x.lengths.last_chunk::<2>().expect("a matrix has two axes");
    if rows != columns {
        return Err(EvalError::shapes(format!(
            "a matrix of {rows} rows and {columns} columns is not square"
        )));
    }
    of_each(x, |rows, _| made(rows), f)
}

/// Applies a function to each matrix of a batch; another function says the number of rows and columns of the
/// result.
fn of_each(
    x: &Array,
    made: impl Fn(usize, usize) -> [usize; 2],
    f: impl Fn(&Rows) -> Rows,
) -> Result<Array, EvalError> {
    let (batch, &[rows, columns]) = x.lengths.split_last_chunk::<2>().expect("a matrix has two axes");
    let made = made(rows, columns);
    let found = indices(batch).flat_map(|at| f(&matrix(x, &at))).flatten().map(Scalar::Float);
    Ok(Array::new(x.dtype, [batch, &made].concat(), found))
}

/// Applies a function to each matrix and its right side.
fn solved(args: &[&Array], f: impl Fn(&Rows, Rows) -> Rows) -> Result<Array, EvalError> {
    let [a, b] = [args[0], args[1]];
    let (a_batch, &[rows, columns]) = a.lengths.split_last_chunk::<2>().expect("a matrix has two axes");
    let (b_batch, &[held, right]) = b.lengths.split_last_chunk::<2>().expect("a matrix has two axes");
    if rows != columns || columns != held {
        return Err(EvalError::shapes(format!("a matrix of {rows}×{columns} and {held} rows do not fit")));
    }
    let batch = broadcast(a_batch, b_batch)?;
    let found = indices(&batch).flat_map(|at| f(&matrix(a, &at), matrix(b, &at)));
    let elements: Vec<Scalar> = found.flatten().map(Scalar::Float).collect();
    Ok(Array::new(a.dtype, [&batch[..], &[held, right]].concat(), elements))
}

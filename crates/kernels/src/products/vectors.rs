//! A matrix times a vector: several rows at a time, so that the memory is read at several places at once.
//!
//! Where the rows of the matrix meet the vector, each element is the sum of a row's products; where its columns do, the result is
//! a sum of rows. What is added to what depends neither on how many rows are taken at a time nor on the place of a row.

use super::matrix::Matrix;
use super::register::Lanes;
use super::rows::Real;

/// The fewest products of a sum that pay for the adding of lanes.
const FEWEST: usize = 32;

/// The most sums of a row that do not wait for each other.
const SUMS: usize = 32;

/// The elements of the result that stay in the nearest cache while rows are added to them.
const NEAR: usize = 2048;

/// A matrix with its rows in one piece, and the vector that it meets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Product<T> {
    rows: *const T,
    row_stride: isize,
    vector: *const T,
    step: isize,
    /// The number of rows.
    count: usize,
    /// The number of elements of a row.
    length: usize,
    /// True if each row meets the vector; else each column does.
    pub(crate) by_dots: bool,
}

impl<T: Real> Product<T> {
    /// The product of two matrices of which one is a vector, if it is of this kind and large enough.
    pub(crate) fn of([m, n, k]: [usize; 3], x: Matrix, y: Matrix) -> Option<Self> {
        let turned = |of: Matrix| Matrix { row_stride: of.column_stride, column_stride: of.row_stride, ..of };
        let (rows, columns, vector, step, count) = match (m, n) {
            (_, 1) => (x, turned(x), y, y.row_stride as isize, m),
            (1, _) => (turned(y), y, x, x.column_stride as isize, n),
            _ => return None,
        };
        let made = |matrix: Matrix, count: usize, length: usize, by_dots: bool| Self {
            rows: matrix.start.cast_const().cast(),
            row_stride: matrix.row_stride as isize,
            vector: vector.start.cast_const().cast(),
            step,
            count,
            length,
            by_dots,
        };
        if rows.column_stride == 1 && step == 1 && k >= FEWEST {
            return Some(made(rows, count, k, true));
        }
        (columns.column_stride == 1 && count >= FEWEST).then(|| made(columns, k, count, false))
    }

    /// The product into `out`, which holds as many elements as there are rows, or columns.
    ///
    /// # Safety
    /// Every element that the lengths and strides lead to lies in memory; `out` overlaps neither operand.
    pub(crate) unsafe fn by_machine(self, out: *mut T) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the caller's promise, and the machine has the instructions.
                return unsafe { by_avx512(self, out) };
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: likewise.
                return unsafe { by_avx2(self, out) };
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.in_registers::<[T; 8], 1, 2, { cfg!(target_arch = "aarch64") }>(out) }
    }

    /// # Safety
    /// As [`Product::by_machine`], on a machine with the registers.
    #[inline(always)]
    pub(crate) unsafe fn in_registers<V, const ROWS: usize, const CHAINS: usize, const FUSED: bool>(
        self,
        out: *mut T,
    ) where
        V: Lanes<T>,
    {
        // SAFETY: the caller's promise.
        unsafe {
            match self.by_dots {
                true => self.dots::<V, ROWS, CHAINS, FUSED>(out),
                false => self.sums::<V, FUSED>(out),
            }
        }
    }

    /// # Safety
    /// As [`Product::in_registers`], where each row meets the vector.
    #[inline(always)]
    unsafe fn dots<V: Lanes<T>, const ROWS: usize, const CHAINS: usize, const FUSED: bool>(
        self,
        out: *mut T,
    ) {
        let together = self.count - self.count % ROWS;
        // SAFETY: the caller's promise; rows stay below their number.
        unsafe {
            for first in (0..together).step_by(ROWS) {
                self.dots_of::<V, ROWS, CHAINS, FUSED>(first, out);
            }
            for row in together..self.count {
                self.dots_of::<V, 1, CHAINS, FUSED>(row, out);
            }
        }
    }

    /// # Safety
    /// As [`Product::dots`]; there are so many rows from the first one on.
    #[inline(always)]
    unsafe fn dots_of<V: Lanes<T>, const TAKEN: usize, const CHAINS: usize, const FUSED: bool>(
        self,
        first: usize,
        out: *mut T,
    ) {
        let turn = V::COUNT * CHAINS;
        let whole = self.length - self.length % turn;
        // SAFETY: the caller's promise.
        unsafe {
            let rows = self.rows_from::<TAKEN>(first);
            let mut sums = [[V::spread(T::ZERO); CHAINS]; TAKEN];
            for start in (0..whole).step_by(turn) {
                for chain in 0..CHAINS {
                    let at = start + chain * V::COUNT;
                    let factor = V::load(self.vector.add(at));
                    for (row, sums) in rows.iter().zip(&mut sums) {
                        sums[chain] = V::fused(factor, V::load(row.add(at)), sums[chain]);
                    }
                }
            }
            for (at, (row, sums)) in rows.iter().zip(sums).enumerate() {
                let mut sum = total(sums);
                for at in whole..self.length {
                    sum = added::<T, FUSED>(*self.vector.add(at), *row.add(at), sum);
                }
                out.add(first + at).write(sum);
            }
        }
    }

    /// # Safety
    /// There are so many rows from the first one on.
    #[inline(always)]
    unsafe fn rows_from<const TAKEN: usize>(self, first: usize) -> [*const T; TAKEN] {
        // SAFETY: the caller's promise.
        std::array::from_fn(|row| unsafe { self.rows.offset((first + row) as isize * self.row_stride) })
    }

    /// # Safety
    /// As [`Product::in_registers`], where each column meets the vector.
    #[inline(always)]
    unsafe fn sums<V: Lanes<T>, const FUSED: bool>(self, out: *mut T) {
        const ROWS: usize = 4;
        let together = self.count - self.count % ROWS;
        // SAFETY: the caller's promise; pieces and rows stay below their numbers.
        unsafe {
            for start in (0..self.length).step_by(NEAR) {
                let piece = (start, NEAR.min(self.length - start));
                for at in start..start + piece.1 {
                    out.add(at).write(T::ZERO);
                }
                for first in (0..together).step_by(ROWS) {
                    self.add_rows::<V, ROWS, FUSED>(first, piece, out);
                }
                for row in together..self.count {
                    self.add_rows::<V, 1, FUSED>(row, piece, out);
                }
            }
        }
    }

    /// # Safety
    /// As [`Product::sums`]; there are so many rows from the first one on, and so many columns from the first one of the piece on.
    #[inline(always)]
    unsafe fn add_rows<V: Lanes<T>, const TAKEN: usize, const FUSED: bool>(
        self,
        first: usize,
        (start, length): (usize, usize),
        out: *mut T,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let out = out.add(start);
            let rows = self.rows_from::<TAKEN>(first).map(|row| row.add(start));
            let factors: [T; TAKEN] =
                std::array::from_fn(|row| *self.vector.offset((first + row) as isize * self.step));
            let whole = length - length % V::COUNT;
            for at in (0..whole).step_by(V::COUNT) {
                let mut sum = V::load(out.add(at));
                for (row, &factor) in rows.iter().zip(&factors) {
                    sum = V::fused(V::spread(factor), V::load(row.add(at)), sum);
                }
                sum.store(out.add(at));
            }
            for at in whole..length {
                let mut sum = *out.add(at);
                for (row, &factor) in rows.iter().zip(&factors) {
                    sum = added::<T, FUSED>(factor, *row.add(at), sum);
                }
                out.add(at).write(sum);
            }
        }
    }
}

/// # Safety
/// As [`Product::by_machine`], on a machine with AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,fma")]
unsafe fn by_avx512<T: Real>(product: Product<T>, out: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { product.in_registers::<T::Wide, 4, 2, true>(out) }
}

/// # Safety
/// As [`Product::by_machine`], on a machine with AVX2 and fused products.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn by_avx2<T: Real>(product: Product<T>, out: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { product.in_registers::<T::Half, 2, 4, true>(out) }
}

/// `x * y + z`, rounded once on machines that have an instruction for it.
#[inline(always)]
fn added<T: Real, const FUSED: bool>(x: T, y: T, z: T) -> T {
    if FUSED { T::fused(x, y, z) } else { T::separate(x, y, z) }
}

/// The sum of all lanes, halves added to halves.
///
/// # Safety
/// The machine has the registers, which hold no more than [`SUMS`] lanes.
#[inline(always)]
unsafe fn total<T: Real, V: Lanes<T>, const CHAINS: usize>(sums: [V; CHAINS]) -> T {
    let mut parts = [T::ZERO; SUMS];
    for (chain, sum) in sums.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { sum.store(parts.as_mut_ptr().add(chain * V::COUNT)) };
    }
    let mut left = V::COUNT * CHAINS;
    while left > 1 {
        left /= 2;
        for at in 0..left {
            parts[at] = T::plus(parts[at], parts[at + left]);
        }
    }
    parts[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(of: &[f64], row_stride: usize, column_stride: usize) -> Matrix {
        let [row_stride, column_stride] = [row_stride, column_stride].map(|stride| stride as i64);
        Matrix { start: of.as_ptr().cast_mut().cast(), row_stride, column_stride }
    }

    /// Whole numbers, so that each order of adding gives the same.
    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|at| (at * 7 % 13) as f64 - 5.0).collect()
    }

    #[test]
    fn matrices_meet_vectors_on_both_sides() {
        for (m, k) in [(1, 32), (3, 33), (4, 64), (5, 100), (70, 257), (2, 5000), (5000, 32)] {
            let (x, v) = (numbers(m * k), numbers(k));
            let wanted: Vec<f64> = (0..m).map(|i| (0..k).map(|l| x[i * k + l] * v[l]).sum()).collect();
            let turned: Vec<f64> =
                (0..k).flat_map(|l| (0..m).map(move |i| (i, l))).map(|(i, l)| x[i * k + l]).collect();
            let column = matrix(&v, 1, 1);
            let products = [
                Product::of([m, 1, k], matrix(&x, k, 1), column),
                Product::of([m, 1, k], matrix(&turned, 1, m), column),
                Product::of([1, m, k], column, matrix(&turned, m, 1)),
                Product::of([1, m, k], column, matrix(&x, 1, k)),
            ];
            for product in products.into_iter().flatten() {
                let mut out = vec![f64::NAN; m];
                // SAFETY: m rows of k elements, k and m elements.
                unsafe { product.by_machine(out.as_mut_ptr()) };
                assert_eq!(out, wanted, "{m} times {k}, {}", product.by_dots);
                // SAFETY: likewise.
                unsafe { product.in_registers::<[f64; 8], 1, 2, false>(out.as_mut_ptr()) };
                assert_eq!(out, wanted, "{m} times {k}, {}", product.by_dots);
            }
        }
    }

    #[test]
    fn vectors_with_gaps_meet_columns_alone() {
        let (x, v) = (numbers(64 * 40), numbers(128));
        let gaps = matrix(&v, 2, 2);
        assert!(Product::<f64>::of([40, 1, 64], matrix(&x, 64, 1), gaps).is_none());
        assert!(
            Product::<f64>::of([40, 1, 64], matrix(&x, 1, 40), gaps).is_some_and(|product| !product.by_dots)
        );
        assert!(Product::<f64>::of([2, 2, 64], matrix(&x, 64, 1), gaps).is_none());
    }
}

//! A row times a matrix: a sum of the matrix's rows, in vectors as wide as the machine has.
//!
//! The step of a recurrent network is such a product, and too small to get back what a matrix product begins with.

use super::matrix::Matrix;
#[cfg(target_arch = "x86_64")]
use super::{lanes, register::Lanes};

/// The matrix stays in the nearer caches: so many bytes.
pub(crate) const NEAR: usize = 1 << 20;

/// A number that is multiplied and added.
pub(crate) trait Real: Copy {
    /// No product yet.
    const ZERO: Self;
    /// A register of 512 bits.
    #[cfg(target_arch = "x86_64")]
    type Wide: Lanes<Self>;
    /// A register of 256 bits.
    #[cfg(target_arch = "x86_64")]
    type Half: Lanes<Self>;
    /// A register of 128 bits.
    #[cfg(target_arch = "x86_64")]
    type Quarter: Lanes<Self>;
    /// `x * y + z`, rounded once.
    fn fused(x: Self, y: Self, z: Self) -> Self;
    /// `x * y + z`, rounded twice: without an instruction for it the other is a call.
    fn separate(x: Self, y: Self, z: Self) -> Self;
    /// `x + y`
    fn plus(x: Self, y: Self) -> Self;
}

macro_rules! real {
    ($ty:ident $wide:ident $half:ident $quarter:ident) => {
        impl Real for $ty {
            const ZERO: Self = 0.0;
            #[cfg(target_arch = "x86_64")]
            type Wide = lanes::$wide;
            #[cfg(target_arch = "x86_64")]
            type Half = lanes::$half;
            #[cfg(target_arch = "x86_64")]
            type Quarter = lanes::$quarter;
            #[inline(always)]
            fn fused(x: Self, y: Self, z: Self) -> Self {
                x.mul_add(y, z)
            }
            #[inline(always)]
            fn separate(x: Self, y: Self, z: Self) -> Self {
                x * y + z
            }
            #[inline(always)]
            fn plus(x: Self, y: Self) -> Self {
                x + y
            }
        }
    };
}

real!(f32 __m512 __m256 __m128);
real!(f64 __m512d __m256d __m128d);

/// Operands of the sums of a row's product: elements of the row, each with its row of the matrix.
#[derive(Clone, Copy)]
pub(crate) struct Pairs<T> {
    /// Number of pairs.
    pub(crate) count: usize,
    x: *const T,
    x_step: isize,
    y: *const T,
    y_step: isize,
}

impl<T: Copy> Pairs<T> {
    pub(crate) fn new(count: usize, x: Matrix, y: Matrix) -> Self {
        let (x_step, y_step) = (x.column_stride as isize, y.row_stride as isize);
        Self { count, x: x.start.cast_const().cast(), x_step, y: y.start.cast_const().cast(), y_step }
    }

    /// The same for the columns past the first `j`.
    #[inline(always)]
    pub(crate) fn past(self, j: usize) -> Self {
        Self { y: self.y.wrapping_add(j), ..self }
    }

    /// Element `l` of the row, and where row `l` of the matrix begins.
    ///
    /// # Safety
    /// Both lie in memory.
    #[inline(always)]
    pub(crate) unsafe fn pair(self, l: usize) -> (T, *const T) {
        // SAFETY: the caller's promise.
        unsafe { (*self.x.offset(l as isize * self.x_step), self.y.offset(l as isize * self.y_step)) }
    }
}

/// True if [`by_rows`] is the better way: one row, and a matrix with its rows in one piece.
pub(crate) fn suits<T>([m, n, k]: [usize; 3], y: Matrix) -> bool {
    m == 1 && y.column_stride == 1 && n * k * size_of::<T>() <= NEAR
}

/// `out[n] = x[k] @ y[k, n]` with the columns of `y` next to each other; takes n and k.
///
/// # Safety
/// Every element that the lengths and strides lead to lies in memory; `out` overlaps neither operand.
pub(crate) unsafe fn by_rows<T: Real>([n, k]: [usize; 2], out: *mut T, x: Matrix, y: Matrix) {
    let pairs = Pairs::new(k, x, y);
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the caller's promise, and the machine has the instructions.
            return unsafe { lanes::avx512(n, out, pairs) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: likewise.
            return unsafe { lanes::avx2(n, out, pairs) };
        }
    }
    // SAFETY: the caller's promise.
    unsafe { rows::<T, { cfg!(target_arch = "aarch64") }>(n, out, pairs) }
}

/// # Safety
/// As [`by_rows`], for `n` columns.
#[inline(always)]
pub(crate) unsafe fn rows<T: Real, const FUSED: bool>(n: usize, out: *mut T, pairs: Pairs<T>) {
    let mut j = 0;
    while j < n {
        // SAFETY: each block has at most the columns that are left.
        unsafe {
            let (out, pairs) = (out.add(j), pairs.past(j));
            j += match n - j {
                128.. => block::<T, FUSED, 128>(out, pairs),
                32.. => block::<T, FUSED, 32>(out, pairs),
                8.. => block::<T, FUSED, 8>(out, pairs),
                _ => block::<T, FUSED, 1>(out, pairs),
            };
        }
    }
}

/// `COLUMNS` elements, whose sums are kept in registers; gives how many they are.
///
/// # Safety
/// As [`by_rows`]; there are so many columns.
#[inline(always)]
unsafe fn block<T: Real, const FUSED: bool, const COLUMNS: usize>(out: *mut T, pairs: Pairs<T>) -> usize {
    let mut sums = [T::ZERO; COLUMNS];
    for l in 0..pairs.count {
        // SAFETY: the caller's promise.
        unsafe {
            let (factor, row) = pairs.pair(l);
            for (column, sum) in sums.iter_mut().enumerate() {
                let element = *row.add(column);
                *sum =
                    if FUSED { T::fused(factor, element, *sum) } else { T::separate(factor, element, *sum) };
            }
        }
    }
    // SAFETY: likewise.
    unsafe { out.cast::<[T; COLUMNS]>().write_unaligned(sums) };
    COLUMNS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_of_matrix_has_its_blocks() {
        for n in [1, 7, 8, 16, 31, 32, 127, 128, 129, 300] {
            let k = 7;
            let x: Vec<f64> = (0..k).map(|l| l as f64 - 4.0).collect();
            let y: Vec<f64> = (0..k * n).map(|at| (at % 11) as f64).collect();
            let mut out = vec![f64::NAN; n];
            let matrix = |of: &Vec<f64>, row_stride| Matrix {
                start: of.as_ptr().cast_mut().cast(),
                row_stride,
                column_stride: 1,
            };
            // SAFETY: k, k×n and n elements.
            unsafe { by_rows([n, k], out.as_mut_ptr(), matrix(&x, k as i64), matrix(&y, n as i64)) };
            for (j, sum) in out.iter().enumerate() {
                assert_eq!(*sum, (0..k).map(|l| x[l] * y[l * n + j]).sum::<f64>(), "{n} columns");
            }
        }
    }
}

//! Matrix products over strided operands.

mod conv;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod matrix;
mod register;
mod rows;
mod small;
mod tiles;
mod vectors;

pub use conv::{CONV2D_F32, CONV2D_F64, Geometry};
pub use matrix::Matrix;

use self::rows::Real;
use self::vectors::Product;
use crate::{Function, Word};

const PARAMS: &[Word] = &[
    Word::I64,
    Word::I64,
    Word::I64,
    Word::Ptr,
    Word::Ptr,
    Word::I64,
    Word::I64,
    Word::Ptr,
    Word::I64,
    Word::I64,
];

macro_rules! product {
    ($constant:ident $function:ident $ty:ident $body:ident) => {
        /// `out[m, n] = x[m, k] @ y[k, n]`; takes m, n, k, out (row-major), then x and y, each as its start and the
        /// strides of rows and columns.
        pub const $constant: Function =
            Function::of_arrays(stringify!($function), PARAMS, $function as *const u8);

        /// # Safety
        /// Every element that the lengths and strides lead to lies in memory; `out` overlaps neither operand.
        #[allow(clippy::too_many_arguments, reason = "the words of machine code")]
        unsafe extern "C" fn $function(
            m: i64,
            n: i64,
            k: i64,
            out: *mut u8,
            x: *mut u8,
            x_row: i64,
            x_column: i64,
            y: *mut u8,
            y_row: i64,
            y_column: i64,
        ) {
            let x = Matrix { start: x, row_stride: x_row, column_stride: x_column };
            let y = Matrix { start: y, row_stride: y_row, column_stride: y_column };
            // SAFETY: the caller's promise.
            unsafe { $body::<$ty>([m, n, k].map(|length| length as usize), out.cast::<$ty>(), x, y) }
        }
    };
}

product!(MATMUL_F32 matmul_f32 f32 of_reals);
product!(MATMUL_F64 matmul_f64 f64 of_reals);
product!(MATMUL_I32 matmul_i32 i32 of_integers);
product!(MATMUL_I64 matmul_i64 i64 of_integers);

/// # Safety
/// As `matmul_f32`.
unsafe fn of_reals<T: Real + From<i8> + 'static>(lengths: [usize; 3], out: *mut T, x: Matrix, y: Matrix) {
    if rows::suits::<T>(lengths, y) {
        // SAFETY: the caller's promise, and the columns of `y` are next to each other.
        return unsafe { rows::by_rows([lengths[1], lengths[2]], out, x, y) };
    }
    if small::suits(lengths) {
        // SAFETY: the caller's promise, and the lengths suit.
        return unsafe { small::by_machine(lengths, out, x, y) };
    }
    if let Some(product) = Product::of(lengths, x, y) {
        // SAFETY: the caller's promise; a result of one row or column is in one piece.
        return unsafe { product.by_machine(out) };
    }
    // SAFETY: the caller's promise.
    if unsafe { tiles::by_machine(lengths, out, x, y) } {
        return;
    }
    let [m, n, _] = lengths;
    // SAFETY: the caller's promise, and the result has room in between.
    unsafe {
        match y.column_stride != 1 && m < n && m * n <= BETWEEN {
            true => by_columns(lengths, out, x, y),
            false => by_blocks(lengths, (out, [n, 1]), x, y),
        }
    }
}

/// The most elements that a result has which is made column by column first.
const BETWEEN: usize = 2048;

/// With the result made column by column, and turned at the end: what is copied slowly is then the first matrix.
///
/// # Safety
/// As `matmul_f32`; the result has no more elements than [`BETWEEN`].
unsafe fn by_columns<T: Real + From<i8> + 'static>(lengths: [usize; 3], out: *mut T, x: Matrix, y: Matrix) {
    let [m, n, _] = lengths;
    let mut columns = [const { std::mem::MaybeUninit::<T>::uninit() }; BETWEEN];
    let start: *mut T = columns.as_mut_ptr().cast();
    // SAFETY: the caller's promise; the product writes the first m * n elements, and `out` holds as many.
    unsafe {
        by_blocks(lengths, (start, [1, m]), x, y);
        for i in 0..m {
            for j in 0..n {
                out.add(i * n + j).write(start.add(j * m + i).read());
            }
        }
    }
}

/// Block by block, which are copied first: slowly those of the matrix whose rows, seen from the result's longer stride, are
/// not next to each other.
///
/// # Safety
/// As `matmul_f32`; the strides are those of rows and columns of `out`.
unsafe fn by_blocks<T: Real + From<i8> + 'static>(
    [m, n, k]: [usize; 3],
    (out, strides): (*mut T, [usize; 2]),
    x: Matrix,
    y: Matrix,
) {
    let (one, zero) = (T::from(1), T::from(0));
    // SAFETY: the caller's promise; with `read_dst` false what is in `out` does not matter.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out,
            strides[1] as isize,
            strides[0] as isize,
            false,
            x.start.cast_const().cast::<T>(),
            x.column_stride as isize,
            x.row_stride as isize,
            y.start.cast_const().cast::<T>(),
            y.column_stride as isize,
            y.row_stride as isize,
            zero,
            one,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// Integers of a product wrap.
trait Wrapping: Copy + Default {
    fn add_product(self, x: Self, y: Self) -> Self;
}

impl Wrapping for i32 {
    fn add_product(self, x: Self, y: Self) -> Self {
        self.wrapping_add(x.wrapping_mul(y))
    }
}

impl Wrapping for i64 {
    fn add_product(self, x: Self, y: Self) -> Self {
        self.wrapping_add(x.wrapping_mul(y))
    }
}

/// # Safety
/// As `matmul_f32`.
unsafe fn of_integers<T: Wrapping>([m, n, k]: [usize; 3], out: *mut T, x: Matrix, y: Matrix) {
    // SAFETY: the caller's promise: row and column are below the lengths.
    let at = |matrix: &Matrix, row: usize, column: usize| unsafe {
        let offset = row as i64 * matrix.row_stride + column as i64 * matrix.column_stride;
        *matrix.start.cast_const().cast::<T>().offset(offset as isize)
    };
    for i in 0..m {
        for j in 0..n {
            let sum = (0..k).fold(T::default(), |sum, l| sum.add_product(at(&x, i, l), at(&y, l, j)));
            // SAFETY: `out` holds m rows of n elements.
            unsafe { out.add(i * n + j).write(sum) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_follow_strides() {
        let x: Vec<f32> = (0..6).map(|i| i as f32).collect();
        let mut out = [9f32; 4];
        let start = |v: &Vec<f32>| v.as_ptr().cast_mut().cast::<u8>();
        // SAFETY: x as 2×3, and as 3×2 by its strides.
        unsafe { matmul_f32(2, 2, 3, out.as_mut_ptr().cast(), start(&x), 3, 1, start(&x), 1, 3) };
        assert_eq!(out, [5.0, 14.0, 14.0, 50.0]);
    }

    #[test]
    fn a_turned_matrix_gives_the_same_product() {
        let numbers = |count: usize| (0..count).map(|i| (i % 13) as f64 - 6.0).collect::<Vec<f64>>();
        for [m, n, k] in [[20, 40, 30], [40, 20, 30], [17, 18, 19]] {
            let (x, y) = (numbers(m * k), numbers(k * n));
            let mut out = vec![7.0; m * n];
            let start = |v: &Vec<f64>| v.as_ptr().cast_mut().cast::<u8>();
            let [wide, high, deep] = [n, m, k].map(|length| length as i64);
            // SAFETY: x as m×k, and y as k×n by its strides.
            unsafe {
                matmul_f64(high, wide, deep, out.as_mut_ptr().cast(), start(&x), deep, 1, start(&y), 1, deep)
            };
            for (at, found) in out.iter().enumerate() {
                let wanted: f64 = (0..k).map(|l| x[at / n * k + l] * y[at % n * k + l]).sum();
                assert_eq!(*found, wanted, "{m}×{n}×{k}");
            }
        }
    }

    #[test]
    fn integers_wrap_and_nothing_sums_to_zero() {
        let x = [i32::MAX, 2];
        let mut out = [7i32];
        let start = x.as_ptr().cast_mut().cast::<u8>();
        // SAFETY: x as 1×2 and as 2×1.
        unsafe { matmul_i32(1, 1, 2, out.as_mut_ptr().cast(), start, 2, 1, start, 1, 1) };
        assert_eq!(out[0], i32::MAX.wrapping_mul(i32::MAX).wrapping_add(4));
        // SAFETY: no element is read.
        unsafe { matmul_i32(1, 1, 0, out.as_mut_ptr().cast(), start, 0, 1, start, 1, 1) };
        assert_eq!(out, [0]);
    }
}

//! Products of small matrices, as filters of a few numbers have them: each row of the result is one register.

#[cfg(target_arch = "x86_64")]
use super::lanes;
use super::matrix::Matrix;
use super::register::{Lanes, sums};
use super::rows::{Pairs, Real};

/// No length is greater.
pub(crate) const MOST: usize = 16;

/// True if [`by_machine`] is the better way.
pub(crate) fn suits(lengths: [usize; 3]) -> bool {
    lengths.iter().all(|length| (1..=MOST).contains(length))
}

/// `out[m, n] = x[m, k] @ y[k, n]`; takes m, n and k.
///
/// # Safety
/// Every element that the lengths and strides lead to lies in memory; the lengths [`suit`](suits); `out` overlaps neither
/// operand.
pub(crate) unsafe fn by_machine<T: Real>(lengths: [usize; 3], out: *mut T, x: Matrix, y: Matrix) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the caller's promise, and the machine has the instructions.
            return unsafe { lanes::small_avx512(lengths, out, x, y) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: likewise.
            return unsafe { lanes::small_avx2(lengths, out, x, y) };
        }
    }
    // SAFETY: the caller's promise.
    unsafe { product::<T, [T; MOST], [T; 8], [T; 4]>(lengths, out, x, y) }
}

/// In the narrowest of three registers that holds a row.
///
/// # Safety
/// As [`by_machine`], on a machine with the registers.
#[inline(always)]
pub(crate) unsafe fn product<T: Real, V: Lanes<T>, H: Lanes<T>, Q: Lanes<T>>(
    lengths: [usize; 3],
    out: *mut T,
    x: Matrix,
    y: Matrix,
) {
    // SAFETY: the caller's promise, and a row fits the register.
    unsafe {
        match lengths[1] {
            n if n <= Q::COUNT => in_register::<T, Q>(lengths, out, x, y),
            n if n <= H::COUNT => in_register::<T, H>(lengths, out, x, y),
            n if n <= V::COUNT => in_register::<T, V>(lengths, out, x, y),
            _ => in_register::<T, [T; MOST]>(lengths, out, x, y),
        }
    }
}

/// # Safety
/// As [`product`]; a row fits the register.
#[inline(always)]
unsafe fn in_register<T: Real, V: Lanes<T>>([m, n, k]: [usize; 3], out: *mut T, x: Matrix, y: Matrix) {
    let whole = n == V::COUNT;
    let mut rows = [[const { std::mem::MaybeUninit::<T>::uninit() }; MOST]; MOST];
    let mut last = [const { std::mem::MaybeUninit::<T>::uninit() }; MOST];
    // SAFETY: `rows` has room for `k` rows as long as the register, which are written before they are read; `last` has room
    // for one, and `out` for m rows of n.
    unsafe {
        let y = if whole && y.column_stride == 1 { y } else { copied(&mut rows, [k, n, V::COUNT], y) };
        for i in 0..m {
            let start = x.start.cast::<T>().offset(i as isize * x.row_stride as isize).cast();
            let pairs = Pairs::new(k, Matrix { start, ..x }, y);
            if whole {
                sums::<T, V, 1, 4>(out.add(i * n), pairs);
            } else {
                sums::<T, V, 1, 4>(last.as_mut_ptr().cast(), pairs);
                out.add(i * n).copy_from_nonoverlapping(last.as_ptr().cast(), n);
            }
        }
    }
}

/// A matrix with its rows in one piece, filled up with zeros to `width`.
///
/// # Safety
/// `k` rows of `n` elements lie in memory, neither longer than [`MOST`], and `n` is at most `width`.
#[inline(always)]
unsafe fn copied<T: Real>(
    rows: &mut [[std::mem::MaybeUninit<T>; MOST]; MOST],
    [k, n, width]: [usize; 3],
    y: Matrix,
) -> Matrix {
    for (l, row) in rows.iter_mut().enumerate().take(k) {
        for (j, element) in row.iter_mut().enumerate().take(width) {
            let at = l as i64 * y.row_stride + j as i64 * y.column_stride;
            // SAFETY: row and column are below the lengths.
            element.write(if j < n { unsafe { *y.start.cast::<T>().offset(at as isize) } } else { T::ZERO });
        }
    }
    Matrix { start: rows.as_mut_ptr().cast(), row_stride: MOST as i64, column_stride: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Real + From<i8> + PartialEq + std::fmt::Debug>() {
        let zero = T::from(0);
        for lengths in
            [[4, 4, 4], [2, 4, 4], [4, 1, 4], [1, 1, 1], [3, 5, 2], [16, 16, 16], [7, 13, 3], [2, 2, 9]]
        {
            let [m, n, k] = lengths;
            for (x_turned, y_turned) in [(false, false), (true, false), (false, true)] {
                let numbers =
                    |count: usize| (0..count).map(|i| T::from((i % 11) as i8 - 5)).collect::<Vec<T>>();
                let (x, y) = (numbers(m * k), numbers(k * n));
                let matrix = |of: &Vec<T>, [rows, columns]: [usize; 2], turned: bool| {
                    let [row_stride, column_stride] =
                        if turned { [1, rows as i64] } else { [columns as i64, 1] };
                    Matrix { start: of.as_ptr().cast_mut().cast(), row_stride, column_stride }
                };
                let mut out = vec![T::from(77); m * n];
                let (from, by) = (matrix(&x, [m, k], x_turned), matrix(&y, [k, n], y_turned));
                // SAFETY: as many elements as the lengths say.
                unsafe { by_machine(lengths, out.as_mut_ptr(), from, by) };
                let x_at = |i: usize, l: usize| if x_turned { x[l * m + i] } else { x[i * k + l] };
                let y_at = |l: usize, j: usize| if y_turned { y[j * k + l] } else { y[l * n + j] };
                for (at, element) in out.iter().enumerate() {
                    let wanted =
                        (0..k).fold(zero, |sum, l| T::separate(x_at(at / n, l), y_at(l, at % n), sum));
                    assert_eq!(*element, wanted, "{lengths:?}");
                }
            }
        }
    }

    #[test]
    fn every_small_product_is_one_of_rows() {
        check::<f32>();
        check::<f64>();
    }
}

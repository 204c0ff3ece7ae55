//! A few rows times a matrix that stays in the nearer caches: tiles of the result stand in registers, and neither matrix is copied first.

#[cfg(target_arch = "x86_64")]
use super::lanes;
use super::matrix::Matrix;
use super::register::Lanes;
use super::rows::{NEAR, Real};

/// More rows are worth the copies that the great products begin with. A run of a product that several threads share has more,
/// so that its sums are in the same order however many threads there are.
const MOST_ROWS: usize = 64;

/// Rows of a tall tile, which has three registers in each: with a row of the matrix and a factor these are 28 of 32 registers. A
/// strip of a matrix that fills the second cache is read half as often as by tiles of four rows.
const TALL: usize = 8;

/// Bytes of the shortest register.
const SHORTEST: usize = 16;

/// A few rows, and a near matrix with its rows in one piece, none shorter than the shortest register.
fn suits<T>([m, n, k]: [usize; 3], y: Matrix) -> bool {
    let is_near = n.saturating_mul(k).saturating_mul(size_of::<T>()) <= NEAR;
    (2..=MOST_ROWS).contains(&m) && is_near && y.column_stride == 1 && n * size_of::<T>() >= SHORTEST
}

/// `out[m, n] = x[m, k] @ y[k, n]` if this is the better way on this machine; takes m, n and k. Gives whether it was done.
///
/// # Safety
/// Every element that the lengths and strides lead to lies in memory; `out` overlaps neither operand.
pub(crate) unsafe fn by_machine<T: Real>(lengths: [usize; 3], out: *mut T, x: Matrix, y: Matrix) -> bool {
    if !suits::<T>(lengths, y) {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the caller's promise, and the machine has the instructions.
            unsafe { lanes::tiles_avx512(lengths, out, x, y) };
            return true;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: likewise.
            unsafe { lanes::tiles_avx2(lengths, out, x, y) };
            return true;
        }
    }
    false
}

/// `out[m, n] = x[m, k] @ y[k, n]` where the matrices lie.
#[derive(Clone, Copy)]
struct Operands<T> {
    depth: usize,
    out: *mut T,
    out_step: usize,
    x: *const T,
    x_steps: [isize; 2],
    y: *const T,
    y_step: isize,
}

/// `out[m, n] = x[m, k] @ y[k, n]` in the longest of three registers that is no longer than a row; takes m, n and k.
///
/// # Safety
/// Every element that the lengths and strides lead to lies in memory; the lengths [`suit`](suits); `out` overlaps neither
/// operand, and the machine has the registers.
#[inline(always)]
pub(crate) unsafe fn product<T: Real, V: Lanes<T>, H: Lanes<T>, Q: Lanes<T>, const WIDE: usize>(
    lengths: [usize; 3],
    out: *mut T,
    x: Matrix,
    y: Matrix,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match lengths[1] {
            n if n >= V::COUNT => in_strips::<T, V, WIDE>(lengths, out, x, y),
            n if n >= H::COUNT => in_strips::<T, H, WIDE>(lengths, out, x, y),
            _ => in_strips::<T, Q, WIDE>(lengths, out, x, y),
        }
    }
}

/// Strips of three registers for tall tiles where the machine has registers for them, else of `WIDE`, of two and of one; what
/// is left of the columns is made once more together with some before it, to the same bits, since each element is one sum
/// over `k` from the front.
///
/// # Safety
/// As [`product`]; a row is as long as a register at least.
#[inline(always)]
unsafe fn in_strips<T: Real, V: Lanes<T>, const WIDE: usize>(
    [m, n, k]: [usize; 3],
    out: *mut T,
    x: Matrix,
    y: Matrix,
) {
    let all = Operands {
        depth: k,
        out,
        out_step: n,
        x: x.start.cast_const().cast(),
        x_steps: [x.row_stride as isize, x.column_stride as isize],
        y: y.start.cast_const().cast(),
        y_step: y.row_stride as isize,
    };
    let mut j = 0;
    while j < n {
        let first = j.min(n - V::COUNT);
        let strip = Operands { out: all.out.wrapping_add(first), y: all.y.wrapping_add(first), ..all };
        // SAFETY: the caller's promise; a strip has at most the columns that are left, or the last ones.
        unsafe {
            j = first
                + match (n - first) / V::COUNT {
                    3.. if WIDE > 2 && m >= TALL => strip_of::<T, V, 3, TALL>(m, strip),
                    left if left >= WIDE => strip_of::<T, V, WIDE, 4>(m, strip),
                    2.. => strip_of::<T, V, 2, 8>(m, strip),
                    _ => strip_of::<T, V, 1, 8>(m, strip),
                };
        }
    }
}

/// `REGISTERS` of columns of all rows, `ROWS` at a time, then fewer; gives how many columns these are.
///
/// # Safety
/// As [`product`]; there are so many columns.
#[inline(always)]
unsafe fn strip_of<T: Real, V: Lanes<T>, const REGISTERS: usize, const ROWS: usize>(
    m: usize,
    of: Operands<T>,
) -> usize {
    let mut i = 0;
    while i < m {
        let left = m - i;
        let rows = Operands {
            out: of.out.wrapping_add(i * of.out_step),
            x: of.x.wrapping_offset(i as isize * of.x_steps[0]),
            ..of
        };
        // SAFETY: the caller's promise; a tile has at most the rows that are left.
        unsafe {
            i += if left >= ROWS {
                tile::<T, V, REGISTERS, ROWS>(rows)
            } else if left >= 4 {
                tile::<T, V, REGISTERS, 4>(rows)
            } else if left >= 2 {
                tile::<T, V, REGISTERS, 2>(rows)
            } else {
                tile::<T, V, REGISTERS, 1>(rows)
            };
        }
    }
    REGISTERS * V::COUNT
}

/// The first rows and columns; gives how many rows. No closures: what is not part of its caller has not the caller's registers.
///
/// # Safety
/// As [`product`]; there are so many rows and columns.
#[inline(always)]
unsafe fn tile<T: Real, V: Lanes<T>, const REGISTERS: usize, const ROWS: usize>(of: Operands<T>) -> usize {
    // SAFETY: the caller's promise; `l` stays below the depth.
    unsafe {
        let mut sums = [[V::spread(T::ZERO); REGISTERS]; ROWS];
        for l in 0..of.depth {
            let from = of.y.offset(l as isize * of.y_step);
            let mut row = [V::spread(T::ZERO); REGISTERS];
            for (at, part) in row.iter_mut().enumerate() {
                *part = V::load(from.add(at * V::COUNT));
            }
            let column = of.x.offset(l as isize * of.x_steps[1]);
            for (i, sums) in sums.iter_mut().enumerate() {
                let factor = V::spread(*column.offset(i as isize * of.x_steps[0]));
                for (sum, &part) in sums.iter_mut().zip(&row) {
                    *sum = V::fused(factor, part, *sum);
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            for (at, sum) in sums.iter().enumerate() {
                sum.store(of.out.add(i * of.out_step + at * V::COUNT));
            }
        }
    }
    ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    // SAFETY: a type, which calls nothing.
    type Product<T> = unsafe fn([usize; 3], *mut T, Matrix, Matrix);

    /// The products of this machine's registers, and of those of older ones.
    fn products<T: Real>() -> Vec<Product<T>> {
        let mut all: Vec<Product<T>> = vec![product::<T, [T; 4], [T; 4], [T; 2], 2>];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                all.push(lanes::tiles_avx512::<T>);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(lanes::tiles_avx2::<T>);
            }
        }
        all
    }

    fn check<T: Real + From<i8> + PartialEq + std::fmt::Debug>(lengths: [usize; 3], turned: bool) {
        let [m, n, k] = lengths;
        let numbers = |count: usize| (0..count).map(|i| T::from((i % 11) as i8 - 5)).collect::<Vec<T>>();
        let (x, y) = (numbers(m * k), numbers(k * n));
        let (row_stride, column_stride) = if turned { (1, m as i64) } else { (k as i64, 1) };
        let from = Matrix { start: x.as_ptr().cast_mut().cast(), row_stride, column_stride };
        let by = Matrix { start: y.as_ptr().cast_mut().cast(), row_stride: n as i64, column_stride: 1 };
        assert!(suits::<T>(lengths, by));
        let x_at = |i: usize, l: usize| if turned { x[l * m + i] } else { x[i * k + l] };
        for product in products::<T>() {
            let mut out = vec![T::from(77); m * n];
            // SAFETY: as many elements as the lengths say, and the machine has the registers.
            unsafe { product(lengths, out.as_mut_ptr(), from, by) };
            for (at, element) in out.iter().enumerate() {
                let term = |sum, l| T::separate(x_at(at / n, l), y[l * n + at % n], sum);
                assert_eq!(*element, (0..k).fold(T::ZERO, term), "{lengths:?}");
            }
        }
    }

    #[test]
    fn every_row_and_column_is_in_a_tile() {
        for m in [2, 3, 5, 8, 15, 64] {
            for n in [4, 5, 9, 15, 16, 17, 31, 33, 48, 63, 64, 79, 130] {
                check::<f32>([m, n, 7], m % 2 == 0);
                check::<f64>([m, n, 3], m % 2 == 1);
            }
        }
        check::<f32>([3, 20, 0], false);
    }
}

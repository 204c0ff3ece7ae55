//! Positions of the greatest and the least elements: of a row, and of columns that stand side by side. The first of equal ones is
//! taken, and the first NaN before all numbers.

use crate::wide::{Work, wide};
use crate::{Function, Word};

/// So many elements of a row are compared before their place is asked for.
const BLOCK: usize = 1024;

/// So many elements are compared with the best one before it is asked which of them is the first.
const CHUNK: usize = 32;

/// So many columns are looked at together.
const STRIP: usize = 64;

const ROW: &[Word] = &[Word::I64, Word::I64, Word::Ptr, Word::Ptr, Word::I64];
const COLUMNS: &[Word] = &[Word::I64, Word::I64, Word::Ptr, Word::Ptr, Word::I64, Word::I64];

/// An element that can be compared.
trait Element: Copy + PartialOrd {
    #[allow(clippy::eq_op, reason = "NaN alone differs from itself")]
    fn is_nan(self) -> bool {
        self != self
    }
}

impl Element for f32 {}
impl Element for f64 {}
impl Element for i32 {}
impl Element for i64 {}

macro_rules! extremes {
    ($row:ident $row_fn:ident $columns:ident $columns_fn:ident $ty:ident) => {
        /// Writes the position of `x`'s greatest element, or of its least; takes which of them (0: the greatest), the number of
        /// elements, where the position goes, the first element and the stride of the others.
        pub const $row: Function = Function::of_arrays(stringify!($row_fn), ROW, $row_fn as *const u8);

        /// The same for neighbouring columns; takes in the end how many there are.
        pub const $columns: Function =
            Function::of_arrays(stringify!($columns_fn), COLUMNS, $columns_fn as *const u8);

        /// # Safety
        /// There is at least one element, the elements that `n` and `stride` lead to lie in memory, and so does room for a position.
        unsafe extern "C" fn $row_fn(least: i64, n: i64, out: *mut u8, x: *const u8, stride: i64) {
            let (n, x) = (n as usize, x.cast::<$ty>());
            // SAFETY: the caller's promise.
            let place = unsafe {
                match (stride, least == 0) {
                    (1, true) => wide(Row { row: std::slice::from_raw_parts(x, n), better: |a, b| a > b }),
                    (1, false) => wide(Row { row: std::slice::from_raw_parts(x, n), better: |a, b| a < b }),
                    (_, true) => {
                        place_apart((0..n).map(|i| *x.offset((i as i64 * stride) as isize)), |a, b| a > b)
                    }
                    (_, false) => {
                        place_apart((0..n).map(|i| *x.offset((i as i64 * stride) as isize)), |a, b| a < b)
                    }
                }
            };
            // SAFETY: the caller's promise.
            unsafe { out.cast::<i64>().write(place as i64) }
        }

        /// # Safety
        /// There is at least one row, `width` elements lie in memory from each start of `n` rows on, and so does room for `width` positions.
        unsafe extern "C" fn $columns_fn(
            least: i64,
            n: i64,
            out: *mut u8,
            x: *const u8,
            stride: i64,
            width: i64,
        ) {
            let x = x.cast::<$ty>();
            for first in (0..width as usize).step_by(STRIP) {
                let wide_by = STRIP.min(width as usize - first);
                // SAFETY: the caller's promise.
                let row = |i: usize| unsafe {
                    std::slice::from_raw_parts(x.offset((i as i64 * stride) as isize).add(first), wide_by)
                };
                let mut places = [0; STRIP];
                if least == 0 {
                    wide(Columns { n: n as usize, row, places: &mut places, better: |a, b| a > b });
                } else {
                    wide(Columns { n: n as usize, row, places: &mut places, better: |a, b| a < b });
                }
                // SAFETY: the caller's promise.
                let out = unsafe { std::slice::from_raw_parts_mut(out.cast::<i64>().add(first), wide_by) };
                out.copy_from_slice(&places[..wide_by]);
            }
        }
    };
}

extremes!(ARG_ROW_F32 arg_row_f32 ARG_COLUMNS_F32 arg_columns_f32 f32);
extremes!(ARG_ROW_F64 arg_row_f64 ARG_COLUMNS_F64 arg_columns_f64 f64);
extremes!(ARG_ROW_I32 arg_row_i32 ARG_COLUMNS_I32 arg_columns_i32 i32);
extremes!(ARG_ROW_I64 arg_row_i64 ARG_COLUMNS_I64 arg_columns_i64 i64);

/// The place of the first element of a row that none is better than.
struct Row<'a, T, B> {
    row: &'a [T],
    better: B,
}

impl<T: Element, B: Fn(T, T) -> bool + Copy> Work for Row<'_, T, B> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { row, better } = self;
        let (mut best, mut home) = (row[0], 0);
        for (number, block) in row.chunks(BLOCK).enumerate() {
            let (found, has_nan) = best_of(block, better);
            if has_nan {
                return number * BLOCK + block.iter().position(|x| x.is_nan()).unwrap_or(0);
            }
            if better(found, best) {
                (best, home) = (found, number);
            }
        }
        home * BLOCK + place_of(&row[home * BLOCK..], best)
    }
}

/// The place of the first element that is this one; there is one.
#[inline(always)]
fn place_of<T: Element>(row: &[T], wanted: T) -> usize {
    let (chunks, _) = row.as_chunks::<CHUNK>();
    let mut start = 0;
    for chunk in chunks {
        let mut is_here = false;
        for &x in chunk {
            is_here |= x == wanted;
        }
        if is_here {
            break;
        }
        start += CHUNK;
    }
    start + row[start..].iter().position(|&x| x == wanted).unwrap_or(0)
}

/// The best of a block, and whether NaN is in it; lane by lane, for the order makes no difference.
#[inline(always)]
fn best_of<T: Element>(block: &[T], better: impl Fn(T, T) -> bool) -> (T, bool) {
    const LANES: usize = 32;
    let (mut best, mut nan) = ([block[0]; LANES], [false; LANES]);
    let chunks = block.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for lane in 0..LANES {
            let x = chunk[lane];
            best[lane] = if better(x, best[lane]) { x } else { best[lane] };
            nan[lane] |= x.is_nan();
        }
    }
    let (mut all, mut has_nan) = (block[0], false);
    for lane in 0..LANES {
        all = if better(best[lane], all) { best[lane] } else { all };
        has_nan |= nan[lane];
    }
    for &x in rest {
        all = if better(x, all) { x } else { all };
        has_nan |= x.is_nan();
    }
    (all, has_nan)
}

fn place_apart<T: Element>(row: impl Iterator<Item = T>, better: impl Fn(T, T) -> bool) -> usize {
    let mut found: Option<(T, usize)> = None;
    for (place, x) in row.enumerate() {
        if x.is_nan() {
            return place;
        }
        if found.is_none_or(|(best, _)| better(x, best)) {
            found = Some((x, place));
        }
    }
    found.map_or(0, |(_, place)| place)
}

/// The places of the best of each column.
struct Columns<'p, R, B> {
    n: usize,
    row: R,
    places: &'p mut [i64; STRIP],
    better: B,
}

impl<'a, T: Element + 'a, R: Fn(usize) -> &'a [T], B: Fn(T, T) -> bool> Work for Columns<'_, R, B> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let first = (self.row)(0);
        let mut best = [first[0]; STRIP];
        best[..first.len()].copy_from_slice(first);
        for i in 1..self.n {
            for ((best, place), &x) in best.iter_mut().zip(self.places.iter_mut()).zip((self.row)(i)) {
                let wins = !best.is_nan() && ((self.better)(x, *best) || x.is_nan());
                *best = if wins { x } else { *best };
                *place = if wins { i as i64 } else { *place };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<f64>> {
        let number = |i: u64| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44) as f64;
        let mut rows = Vec::new();
        for n in [1, 2, 31, 32, 33, 1023, 1024, 1025, 5000] {
            rows.push((0..n).map(number).collect::<Vec<_>>());
            rows.push((0..n).map(|i| (i % 3) as f64).collect());
            rows.push(vec![f64::NEG_INFINITY; n as usize]);
            rows.push((0..n).map(|i| if i * 5 >= n * 4 { f64::NAN } else { number(i) }).collect());
        }
        rows
    }

    macro_rules! check {
        ($row:ident $columns:ident $ty:ident) => {
            for row in rows() {
                let x: Vec<$ty> =
                    row.iter().flat_map(|&x| [x as $ty, (x as i64).wrapping_neg() as $ty]).collect();
                let n = row.len();
                for least in [0, 1] {
                    let wanted = [0, 1].map(|column| {
                        let column = x.iter().skip(column).step_by(2).copied();
                        if least == 0 {
                            place_apart(column, |a, b| a > b) as i64
                        } else {
                            place_apart(column, |a, b| a < b) as i64
                        }
                    });
                    let (mut places, mut one, mut dense) = ([-1i64; 2], -1i64, -1i64);
                    let first: Vec<$ty> = x.iter().step_by(2).copied().collect();
                    // SAFETY: `n` rows of two elements, room for the places.
                    unsafe {
                        $columns(least, n as i64, places.as_mut_ptr().cast(), x.as_ptr().cast(), 2, 2);
                        $row(least, n as i64, (&raw mut one).cast(), x.as_ptr().cast(), 2);
                        $row(least, n as i64, (&raw mut dense).cast(), first.as_ptr().cast(), 1);
                    }
                    assert_eq!((places, one, dense), (wanted, wanted[0], wanted[0]), "{n} {least}");
                }
            }
        };
    }

    #[test]
    fn the_first_of_the_best_is_taken() {
        check!(arg_row_f32 arg_columns_f32 f32);
        check!(arg_row_f64 arg_columns_f64 f64);
        check!(arg_row_i32 arg_columns_i32 i32);
        check!(arg_row_i64 arg_columns_i64 i64);
    }
}

//! Positions of the greatest and the least elements: of a row, and of columns that stand side by side. The first of equal ones is
//! taken, and the first NaN before all numbers.

use crate::wide::{Work, wide};
use crate::{Function, Word};

/// So many elements are compared side by side.
const LANES: usize = 16;

/// So many times as many are read before they are compared with the best ones.
const GROUP: usize = 4;

/// So many columns are looked at together.
const STRIP: usize = 64;

const ROW: &[Word] = &[Word::I64, Word::I64, Word::Ptr, Word::Ptr, Word::I64];
const COLUMNS: &[Word] = &[Word::I64, Word::I64, Word::Ptr, Word::Ptr, Word::I64, Word::I64];

/// An element that can be compared.
trait Element: Copy + PartialOrd {
    #[allow(clippy::eq_op, reason = "NaN alone differs from itself")]
    #[inline(always)]
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
        if row.len() < LANES {
            return place_apart(row.iter().copied(), better);
        }
        let (best, group, has_nan) = best_of(row, better);
        if has_nan {
            return row.iter().position(|x| x.is_nan()).unwrap_or(0);
        }
        let start = group as usize * GROUP * LANES;
        let end = row.len().min(start + GROUP * LANES);
        let mut first = u32::MAX;
        for (place, &x) in (0..).zip(&row[start..end]) {
            first = first.min(if x == best { place } else { u32::MAX });
        }
        start + first as usize
    }
}

/// The best of at least [`LANES`] elements, the first group in which it is, and whether NaN is anywhere.
#[inline(always)]
fn best_of<T: Element>(row: &[T], better: impl Fn(T, T) -> bool) -> (T, u32, bool) {
    let (mut best, mut home, mut nan) = ([row[0]; LANES], [0; LANES], [false; LANES]);
    let (groups, rest) = row.as_chunks::<LANES>().0.as_chunks::<GROUP>();
    for (group, [a, b, c, d]) in (0..).zip(groups) {
        for lane in 0..LANES {
            let (a, b, c, d) = (a[lane], b[lane], c[lane], d[lane]);
            let (ab, cd) = (if better(b, a) { b } else { a }, if better(d, c) { d } else { c });
            let all = if better(cd, ab) { cd } else { ab };
            home[lane] = if better(all, best[lane]) { group } else { home[lane] };
            best[lane] = if better(all, best[lane]) { all } else { best[lane] };
            nan[lane] |= a.is_nan() | b.is_nan() | c.is_nan() | d.is_nan();
        }
    }
    // The last elements may be looked at twice; those of an earlier group are not the first of the best here.
    for row in rest.iter().chain(row.last_chunk()) {
        for lane in 0..LANES {
            home[lane] = if better(row[lane], best[lane]) { groups.len() as u32 } else { home[lane] };
            best[lane] = if better(row[lane], best[lane]) { row[lane] } else { best[lane] };
            nan[lane] |= row[lane].is_nan();
        }
    }
    let mut has_nan = false;
    for lane in nan {
        has_nan |= lane;
    }
    let [all] =
        half::<T, 2, 1>(half::<T, 4, 2>(half::<T, 8, 4>(half(best, &better), &better), &better), &better);
    let mut first = u32::MAX;
    for lane in 0..LANES {
        first = first.min(if best[lane] == all { home[lane] } else { u32::MAX });
    }
    (all, first, has_nan)
}

/// The better ones of two halves.
#[inline(always)]
fn half<T: Element, const N: usize, const H: usize>(all: [T; N], better: &impl Fn(T, T) -> bool) -> [T; H] {
    let mut best = [all[0]; H];
    for lane in 0..H {
        best[lane] = if better(all[lane], all[lane + H]) { all[lane] } else { all[lane + H] };
    }
    best
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
        for n in (1..150).chain([1000, 1023, 1024, 1025, 5000]) {
            rows.push((0..n).map(number).collect::<Vec<_>>());
            rows.push((0..n).map(|i| (i % 3) as f64).collect());
            rows.push(vec![f64::NEG_INFINITY; n as usize]);
            rows.push((0..n).map(|i| if i + 3 >= n { 9.0 } else { -9.0 }).collect());
            rows.push((0..n).map(|i| if i + 3 >= n { -0.0 } else { 0.0 }).collect());
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

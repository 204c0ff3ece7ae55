//! Totals of columns, which stand side by side as the columns do: rows are added to them in double precision, and bools joined.

use crate::wide::{Work, wide};
use crate::{Function, Word};

const PARAMS: &[Word] =
    &[Word::Ptr, Word::I64, Word::I64, Word::I64, Word::I64, Word::Ptr, Word::I64, Word::I64];

/// So many rows of a lane are taken into its totals at once, so that these are read and written once.
const GROUP: usize = 4;

/// Totals that rows are added to.
#[derive(Clone, Copy)]
struct Totals<A> {
    start: *mut A,
    /// From those of one lane to those of the next.
    step: usize,
    /// Row `i` belongs to the lane of these bits of `i`.
    mask: usize,
}

/// Rows of elements.
#[derive(Clone, Copy)]
struct Rows<T> {
    /// The number of the first.
    first: usize,
    count: usize,
    start: *const T,
    step: isize,
    width: usize,
}

macro_rules! rows {
    ($constant:ident $function:ident $ty:ident $total:ident $taken:expr) => {
        /// Takes rows into the totals of their lanes, element by element, in order; gets the first lane's totals, the step from lane
        /// to lane, the bits of a row's number that say its lane, the number of the first row, how many rows, where the first
        /// begins, the step from row to row, and how many elements each has. Steps are in elements.
        pub const $constant: Function =
            Function::of_arrays(stringify!($function), PARAMS, $function as *const u8);

        /// # Safety
        /// The rows lie in memory, and so do totals for each lane, which no row overlaps.
        #[allow(clippy::too_many_arguments, reason = "the words of machine code")]
        unsafe extern "C" fn $function(
            totals: *mut $total,
            step: i64,
            mask: i64,
            first: i64,
            count: i64,
            start: *const $ty,
            row: i64,
            width: i64,
        ) {
            let [step, mask, first, count, width] =
                [step, mask, first, count, width].map(|number| number as usize);
            let totals = Totals { start: totals, step, mask };
            let rows = Rows { first, count, start, step: row as isize, width };
            // SAFETY: the caller's promise.
            unsafe { take_rows(totals, rows, $taken) }
        }
    };
}

rows!(ADD_ROWS_F32 add_rows_f32 f32 f64 |total, element| total + f64::from(element));
rows!(ADD_ROWS_F64 add_rows_f64 f64 f64 |total, element| total + element);
rows!(ANY_ROWS any_rows u8 u8 |total, element| total | element);
rows!(ALL_ROWS all_rows u8 u8 |total, element| total & element);

/// # Safety
/// As `add_rows_f32`.
unsafe fn take_rows<T: Copy, A: Copy>(totals: Totals<A>, rows: Rows<T>, taken: impl Fn(A, T) -> A) {
    wide(Taken { totals, rows, taken });
}

/// Rows that totals take in; whoever makes one promises what `take_rows` is promised.
struct Taken<T, A, F> {
    totals: Totals<A>,
    rows: Rows<T>,
    taken: F,
}

impl<T: Copy, A: Copy, F: Fn(A, T) -> A> Work for Taken<T, A, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (lanes, count) = (self.totals.mask + 1, self.rows.count);
        let grouped = count - count % (GROUP * lanes);
        for i in (0..grouped).step_by(GROUP * lanes) {
            for first in i..i + lanes {
                self.take_group(first, lanes);
            }
        }
        for i in grouped..count {
            let (totals, row) = (self.totals_of(i), self.row(i));
            for (total, &element) in totals.iter_mut().zip(row) {
                *total = (self.taken)(*total, element);
            }
        }
    }
}

impl<T: Copy, A: Copy, F: Fn(A, T) -> A> Taken<T, A, F> {
    /// Takes in rows of one lane, from `first` on, `lanes` apart.
    #[inline(always)]
    fn take_group(&self, first: usize, lanes: usize) {
        let rows: [&[T]; GROUP] = std::array::from_fn(|at| self.row(first + at * lanes));
        let [a, b, c, d] = rows.map(|row| &row[..self.rows.width]);
        let totals = &mut self.totals_of(first)[..self.rows.width];
        for column in 0..self.rows.width {
            let mut total = totals[column];
            for row in [a, b, c, d] {
                total = (self.taken)(total, row[column]);
            }
            totals[column] = total;
        }
    }

    #[inline(always)]
    fn row(&self, number: usize) -> &[T] {
        let rows = self.rows;
        // SAFETY: the maker's promise.
        unsafe { std::slice::from_raw_parts(rows.start.offset(number as isize * rows.step), rows.width) }
    }

    /// The totals of the lane of row `number`.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the totals are elsewhere, and one lane's are held at a time")]
    fn totals_of(&self, number: usize) -> &mut [A] {
        let lane = (self.rows.first + number) & self.totals.mask;
        // SAFETY: the maker's promise; rows and totals do not overlap.
        unsafe {
            std::slice::from_raw_parts_mut(self.totals.start.add(lane * self.totals.step), self.rows.width)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_added_to_its_lane() {
        let x: Vec<f32> = (0..7 * 21).map(|i| (i % 17) as f32).collect();
        let mut totals = vec![1.0; 4 * 20];
        // SAFETY: five rows of nineteen elements, from the third on, to four lanes of twenty.
        unsafe { add_rows_f32(totals.as_mut_ptr(), 20, 3, 2, 5, x[42..].as_ptr(), 21, 19) };
        for lane in 0..4 {
            for column in 0..20 {
                let rows = (2..7).filter(|row| row % 4 == lane && column < 19);
                let wanted = 1.0 + rows.map(|row| f64::from(x[row * 21 + column])).sum::<f64>();
                assert_eq!(totals[lane * 20 + column], wanted, "lane {lane}, column {column}");
            }
        }
    }

    #[test]
    fn rows_are_added_in_order() {
        let x: Vec<f64> = (0..83 * 37).map(|i| (f64::from(i) * 0.7).sin() * 10f64.powi(i % 23)).collect();
        for (lanes, first, count) in [(1, 0, 83), (1, 3, 4), (2, 1, 17), (8, 5, 70), (8, 0, 32), (16, 3, 80)]
        {
            let mut totals = vec![0.0; lanes * 37];
            let mut wanted = totals.clone();
            // SAFETY: rows of 37 elements, to as many lanes as there is room for.
            unsafe {
                add_rows_f64(totals.as_mut_ptr(), 37, lanes as i64 - 1, first, count, x.as_ptr(), 37, 37);
            }
            for row in 0..count as usize {
                for column in 0..37 {
                    wanted[(row + first as usize) % lanes * 37 + column] += x[row * 37 + column];
                }
            }
            assert_eq!(totals, wanted, "{lanes} lanes, {count} rows from {first} on");
        }
    }

    #[test]
    fn bools_of_rows_are_joined() {
        let x: Vec<u8> = (0..7 * 21).map(|i| u8::from(i % 19 == 3 || i % 21 > 17)).collect();
        let mut totals = [vec![0; 19], vec![1; 19]];
        // SAFETY: five rows of nineteen elements, from the third on.
        unsafe {
            any_rows(totals[0].as_mut_ptr(), 19, 0, 2, 5, x[42..].as_ptr(), 21, 19);
            all_rows(totals[1].as_mut_ptr(), 19, 0, 2, 5, x[42..].as_ptr(), 21, 19);
        }
        for column in 0..19 {
            let mut rows = (2..7).map(|row| x[row * 21 + column] == 1);
            assert_eq!(totals[0][column] == 1, rows.clone().any(|x| x));
            assert_eq!(totals[1][column] == 1, rows.all(|x| x));
        }
    }
}

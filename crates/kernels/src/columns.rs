//! Totals of columns, which stand side by side as the columns do: rows are added to them in double precision, and bools joined.

use crate::wide::{Work, wide};
use crate::{Function, Word};

const PARAMS: &[Word] =
    &[Word::Ptr, Word::I64, Word::I64, Word::I64, Word::I64, Word::Ptr, Word::I64, Word::I64];

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
        let Self { totals, rows, taken } = self;
        for i in 0..rows.count {
            let lane = (rows.first + i) & totals.mask;
            // SAFETY: the maker's promise; rows and totals do not overlap.
            let (totals, row) = unsafe {
                let row = rows.start.offset(i as isize * rows.step);
                let totals = totals.start.add(lane * totals.step);
                (
                    std::slice::from_raw_parts_mut(totals, rows.width),
                    std::slice::from_raw_parts(row, rows.width),
                )
            };
            for (total, &element) in totals.iter_mut().zip(row) {
                *total = taken(*total, element);
            }
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

//! Transposed copies of matrices, a tile of a few lines of memory at a time: each line is read once and written once, however far
//! from each other its neighbours are.

use crate::wide::{Work, wide};
use crate::{Function, Word};

/// Bytes of a line of memory: a tile has as many rows as it has elements.
const LINE: usize = 64;

/// So many rows and columns are done before others: their pages are at hand.
const BLOCK: usize = 256;

/// So many bytes are written past the caches: they would not stay there, and need not be read before.
const FAR: usize = 3 << 19;

const PARAMS: &[Word] = &[Word::I64, Word::I64, Word::I64, Word::Ptr, Word::I64, Word::Ptr, Word::I64];

/// Writes `to[i, j] = from[j, i]`; takes the bytes of an element (1, 2, 4 or 8), how many rows and columns `to` has, where it begins,
/// the step from row to row, and the same two of `from`. Steps are in elements.
pub const TRANSPOSE: Function = Function::of_arrays("transpose", PARAMS, transpose as *const u8);

/// # Safety
/// The rows of both matrices lie in memory, and those of `to` overlap none of `from`.
pub(crate) unsafe extern "C" fn transpose(
    size: i64,
    rows: i64,
    columns: i64,
    to: *mut u8,
    to_step: i64,
    from: *const u8,
    from_step: i64,
) {
    let lengths = [rows, columns].map(|length| length as usize);
    let steps = [to_step, from_step].map(|step| step as isize);
    match size {
        1 => wide(Copy { far: false, lengths, steps, to, from }),
        2 => wide(Copy { far: false, lengths, steps, to: to.cast::<u16>(), from: from.cast() }),
        4 => wide(Copy { far: false, lengths, steps, to: to.cast::<u32>(), from: from.cast() }),
        _ => wide(Copy { far: false, lengths, steps, to: to.cast::<u64>(), from: from.cast() }),
    }
}

/// A copy whose rows are columns of what is copied.
struct Copy<T> {
    /// True if lines are written past the caches.
    far: bool,
    lengths: [usize; 2],
    steps: [isize; 2],
    to: *mut T,
    from: *const T,
}

impl<T: std::marker::Copy + Default> Work for Copy<T> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        self.far = self.is_far();
        let [rows, columns] = self.lengths;
        for column in (0..columns).step_by(BLOCK) {
            for row in (0..rows).step_by(BLOCK) {
                self.block([row, column], [rows, columns]);
            }
        }
        #[cfg(target_arch = "x86_64")]
        if self.far {
            // Other threads may read what is written past the caches when this is done.
            // SAFETY: each machine of this kind has the instruction.
            unsafe { std::arch::x86_64::_mm_sfence() };
        }
    }
}

impl<T: std::marker::Copy + Default> Copy<T> {
    /// The rows and columns of a block from these on.
    #[inline(always)]
    fn block(&self, [row, column]: [usize; 2], [rows, columns]: [usize; 2]) {
        let (last_row, last_column) = (rows.min(row + BLOCK), columns.min(column + BLOCK));
        let tile = LINE / size_of::<T>();
        // Rows of what is read come one after the other as far as they lie side by side.
        for column in (column..last_column).step_by(tile) {
            for row in (row..last_row).step_by(tile) {
                if row + tile <= last_row && column + tile <= last_column {
                    match tile {
                        8 => self.tile::<8>(row, column),
                        16 => self.tile::<16>(row, column),
                        32 => self.tile::<32>(row, column),
                        _ => self.tile::<64>(row, column),
                    }
                } else {
                    self.rest([row, last_row.min(row + tile)], [column, last_column.min(column + tile)]);
                }
            }
        }
    }

    /// A whole tile, by way of registers or the stack.
    #[inline(always)]
    fn tile<const N: usize>(&self, row: usize, column: usize) {
        let mut read = [[T::default(); N]; N];
        for (at, line) in read.iter_mut().enumerate() {
            // SAFETY: the tile lies inside the matrix.
            *line = unsafe { self.source(column + at, row).cast::<[T; N]>().read_unaligned() };
        }
        for at in 0..N {
            let mut line = [T::default(); N];
            for (to, from) in line.iter_mut().zip(&read) {
                *to = from[at];
            }
            // SAFETY: likewise.
            unsafe { self.write(self.target(row + at, column).cast::<[T; N]>(), line) };
        }
    }

    /// True if lines of memory may be written past the caches: there are many, and they are whole.
    fn is_far(&self) -> bool {
        let [rows, columns] = self.lengths;
        let step = self.steps[0].unsigned_abs() * size_of::<T>();
        let is_whole = (self.to as usize).is_multiple_of(LINE) && step.is_multiple_of(LINE);
        cfg!(target_arch = "x86_64") && is_whole && rows * columns * size_of::<T>() >= FAR
    }

    /// # Safety
    /// A line of memory that is written begins here, at a multiple of its length if lines are far.
    #[inline(always)]
    unsafe fn write<const N: usize>(&self, to: *mut [T; N], line: [T; N]) {
        #[cfg(target_arch = "x86_64")]
        if self.far {
            use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
            let from = (&raw const line).cast::<__m128i>();
            for part in 0..LINE / size_of::<__m128i>() {
                // SAFETY: the caller's promise; each machine of this kind has the instruction.
                unsafe { _mm_stream_si128(to.cast::<__m128i>().add(part), _mm_loadu_si128(from.add(part))) };
            }
            return;
        }
        // SAFETY: the caller's promise.
        unsafe { to.write_unaligned(line) };
    }

    /// Elements of a tile that is not whole.
    #[inline(always)]
    fn rest(&self, [row, last_row]: [usize; 2], [column, last_column]: [usize; 2]) {
        for row in row..last_row {
            for column in column..last_column {
                // SAFETY: both are elements of the matrices.
                unsafe { self.target(row, column).write(self.source(column, row).read()) };
            }
        }
    }

    /// # Safety
    /// The element is one of the matrix that is read.
    #[inline(always)]
    unsafe fn source(&self, row: usize, column: usize) -> *const T {
        // SAFETY: the caller's promise.
        unsafe { self.from.offset(row as isize * self.steps[1]).add(column) }
    }

    /// # Safety
    /// The element is one of the matrix that is written.
    #[inline(always)]
    unsafe fn target(&self, row: usize, column: usize) -> *mut T {
        // SAFETY: the caller's promise.
        unsafe { self.to.offset(row as isize * self.steps[0]).add(column) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: std::marker::Copy + Default + PartialEq + std::fmt::Debug>(of: impl Fn(usize) -> T) {
        let lengths =
            [(0, 3), (1, 1), (8, 8), (7, 65), (130, 16), (129, 131), (64, 200), (3, 300), (260, 8192)];
        for (rows, columns) in lengths {
            let (to_step, from_step) = (columns + if columns < 8192 { 2 } else { 64 }, rows + 3);
            let from: Vec<T> = (0..columns * from_step).map(&of).collect();
            let mut room = vec![of(7); rows * to_step + LINE];
            let start = room.as_ptr().align_offset(LINE);
            let to = &mut room[start..];
            // SAFETY: both have so many rows and columns.
            unsafe {
                transpose(
                    size_of::<T>() as i64,
                    rows as i64,
                    columns as i64,
                    to.as_mut_ptr().cast(),
                    to_step as i64,
                    from.as_ptr().cast(),
                    from_step as i64,
                );
            }
            for row in 0..rows {
                for column in 0..columns {
                    assert_eq!(to[row * to_step + column], from[column * from_step + row], "{row} {column}");
                }
                assert_eq!(to[row * to_step + columns..][..2], [of(7); 2], "what is between rows stays");
            }
        }
    }

    #[test]
    fn rows_become_columns() {
        check(|at| at as u8);
        check(|at| at as u16);
        check(|at| at as f32);
        check(|at| at as u64);
    }
}

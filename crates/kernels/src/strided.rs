//! Copies of arrays that lie in memory in any steps: axes that lie one behind the other count as one, runs of neighbours are copied
//! whole, and where neighbours of the two sides are on different axes, planes are copied a tile at a time.

use crate::transpose::transpose;

/// So many rows and columns of a plane are done before others: their lines of memory are at hand.
const TILE: usize = 32;

/// One axis of a copy: the number of its positions, and the bytes from one to the next on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopiedAxis {
    /// The number of positions.
    pub length: usize,
    /// Bytes from one position to the next where elements are written.
    pub to: isize,
    /// Bytes from one position to the next where they are read.
    pub from: isize,
}

/// Copies elements of so many parts (1 or 2) of `size` bytes (1, 2, 4 or 8) from one array to another of the same lengths; the axes are put
/// in another order.
///
/// # Safety
/// Both arrays lie in memory from their first elements on, aligned to the parts of their elements, and no element that is written is one that is
/// read, or one that is written twice.
pub unsafe fn copy_strided(
    (size, parts): (usize, usize),
    axes: &mut [CopiedAxis],
    to: *mut u8,
    from: *const u8,
) {
    let Some(count) = gathered(axes) else { return };
    let axes = &mut axes[..count];
    // SAFETY: the caller's promise.
    unsafe {
        match (size, parts) {
            (1, _) => copy::<u8>(axes, to, from),
            (2, _) => copy::<u16>(axes, to, from),
            (4, 1) => copy::<u32>(axes, to, from),
            (4, _) => copy::<[u32; 2]>(axes, to, from),
            (_, 1) => copy::<u64>(axes, to, from),
            (_, _) => copy::<[u64; 2]>(axes, to, from),
        }
    }
}

/// Puts the axes in the order of what is written and joins those that lie one behind the other; gives how many are left, or
/// nothing if there are no elements.
fn gathered(axes: &mut [CopiedAxis]) -> Option<usize> {
    if axes.iter().any(|axis| axis.length == 0) {
        return None;
    }
    axes.sort_by_key(|axis| std::cmp::Reverse(axis.to.unsigned_abs()));
    let mut count = 0;
    for at in 0..axes.len() {
        let axis = axes[at];
        if axis.length == 1 {
            continue;
        }
        let length = axis.length as isize;
        let outer = axes[..count].last_mut();
        match outer.filter(|outer| outer.to == axis.to * length && outer.from == axis.from * length) {
            Some(outer) => *outer = CopiedAxis { length: outer.length * axis.length, ..axis },
            None => {
                axes[count] = axis;
                count += 1;
            }
        }
    }
    Some(count)
}

/// # Safety
/// As of [`copy_strided`].
unsafe fn copy<T: Copy>(axes: &mut [CopiedAxis], to: *mut u8, from: *const u8) {
    let Some((inner, outer)) = axes.split_last_mut() else {
        // SAFETY: the caller's promise: there is one element.
        return unsafe { to.cast::<T>().write(from.cast::<T>().read()) };
    };
    let step = |axis: &CopiedAxis| axis.from.unsigned_abs();
    let near = (0..outer.len()).filter(|&at| (1..step(inner)).contains(&step(&outer[at])));
    let near = near.min_by_key(|&at| step(&outer[at]));
    match near {
        Some(near) => {
            // The plane of both sides' neighbours is the innermost.
            outer[near..].rotate_left(1);
            let Some((rows, outer)) = outer.split_last() else { return };
            // SAFETY: the caller's promise.
            each(outer, to, from, &|to, from| unsafe { plane::<T>(*rows, *inner, to, from) });
        }
        // SAFETY: likewise.
        None => each(outer, to, from, &|to, from| unsafe { line::<T>(*inner, to, from) }),
    }
}

/// Calls `copy` with the addresses of each position of some axes.
fn each(axes: &[CopiedAxis], to: *mut u8, from: *const u8, copy: &impl Fn(*mut u8, *const u8)) {
    let Some((axis, inner)) = axes.split_first() else { return copy(to, from) };
    for at in 0..axis.length as isize {
        each(inner, to.wrapping_offset(at * axis.to), from.wrapping_offset(at * axis.from), copy);
    }
}

/// # Safety
/// The elements of the axis lie in memory on both sides, aligned.
unsafe fn line<T: Copy>(axis: CopiedAxis, to: *mut u8, from: *const u8) {
    let size = size_of::<T>() as isize;
    if (axis.to, axis.from) == (size, size) {
        // SAFETY: the caller's promise.
        return unsafe { std::ptr::copy_nonoverlapping(from.cast::<T>(), to.cast::<T>(), axis.length) };
    }
    for at in 0..axis.length as isize {
        // SAFETY: likewise.
        unsafe { to.offset(at * axis.to).cast::<T>().write(from.offset(at * axis.from).cast::<T>().read()) };
    }
}

/// Copies a plane whose rows are neighbours where they are read, and whose columns are where they are written.
///
/// # Safety
/// The elements of the plane lie in memory on both sides, aligned.
unsafe fn plane<T: Copy>(rows: CopiedAxis, columns: CopiedAxis, to: *mut u8, from: *const u8) {
    let size = size_of::<T>() as isize;
    let is_whole = rows.length >= TILE && columns.length >= TILE && size_of::<T>() == align_of::<T>();
    if is_whole && (columns.to, rows.from) == (size, size) && (rows.to % size, columns.from % size) == (0, 0)
    {
        let [row_count, column_count] = [rows.length, columns.length].map(|length| length as i64);
        let [to_step, from_step] = [rows.to / size, columns.from / size].map(|step| step as i64);
        // SAFETY: the caller's promise.
        return unsafe { transpose(size as i64, row_count, column_count, to, to_step, from, from_step) };
    }
    for column in (0..columns.length).step_by(TILE) {
        let part = CopiedAxis { length: TILE.min(columns.length - column), ..columns };
        let (to, from) = (step(to, column, columns.to), from.wrapping_offset(column as isize * columns.from));
        for row in 0..rows.length {
            let from = from.wrapping_offset(row as isize * rows.from);
            // SAFETY: likewise.
            unsafe { line::<T>(part, step(to, row, rows.to), from) };
        }
    }
}

fn step(to: *mut u8, at: usize, step: isize) -> *mut u8 {
    to.wrapping_offset(at as isize * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies a view of numbered elements to an array of its own and back; `axes` are lengths and steps in elements.
    fn check<T: Copy + PartialEq + std::fmt::Debug>(
        start: usize,
        axes: &[(usize, isize)],
        of: impl Fn(usize) -> T,
    ) {
        let parts = (align_of::<T>(), size_of::<T>() / align_of::<T>());
        let room: Vec<T> = (0..20_000).map(&of).collect();
        let size = size_of::<T>() as isize;
        let count: usize = axes.iter().map(|axis| axis.0).product();
        let mut dense = vec![of(3); count];
        let mut behind = 1;
        let mut there: Vec<CopiedAxis> = Vec::new();
        for &(length, from) in axes.iter().rev() {
            there.insert(0, CopiedAxis { length, to: behind as isize * size, from: from * size });
            behind *= length.max(1);
        }
        let back = |axis: &CopiedAxis| CopiedAxis { to: axis.from, from: axis.to, ..*axis };
        let mut again: Vec<CopiedAxis> = there.iter().map(back).collect();
        // SAFETY: the views lie in the room.
        unsafe {
            copy_strided(parts, &mut there, dense.as_mut_ptr().cast(), room.as_ptr().add(start).cast());
        }
        let mut returned = vec![of(5); room.len()];
        // SAFETY: likewise.
        unsafe {
            let to = returned.as_mut_ptr().add(start).cast();
            copy_strided(parts, &mut again, to, dense.as_ptr().cast());
        }
        let mut touched = vec![false; room.len()];
        for (number, &found) in dense.iter().enumerate() {
            let (mut left, mut at) = (number, start as isize);
            for &(length, step) in axes.iter().rev() {
                at += (left % length) as isize * step;
                left /= length;
            }
            assert_eq!(found, room[at as usize], "{axes:?} {number}");
            assert_eq!(returned[at as usize], found, "{axes:?} {number}");
            touched[at as usize] = true;
        }
        let rest = returned.iter().zip(&touched).filter(|(_, touched)| !**touched);
        assert!(rest.into_iter().all(|(found, _)| *found == of(5)), "what is between stays: {axes:?}");
    }

    #[test]
    fn elements_are_copied_in_any_steps_and_back() {
        let cases: &[(usize, &[(usize, isize)])] = &[
            (7, &[]),
            (0, &[(5, 1)]),
            (4, &[(5, -1)]),
            (3, &[(100, 7)]),
            (0, &[(0, 3), (4, 1)]),
            (0, &[(1, 9), (4, 1)]),
            (11, &[(40, 100), (50, 1)]),
            (0, &[(100, 1), (90, 100)]),
            (5, &[(40, 2), (41, 130)]),
            (9000, &[(35, -1), (64, 64)]),
            (9000, &[(35, -1), (64, -64)]),
            (0, &[(3, 1), (20, 60), (20, 3)]),
            (0, &[(20, 60), (20, 3), (3, 1)]),
            (2, &[(20, 60), (20, 3), (3, -1)]),
            (0, &[(33, 1), (4, 33), (40, 132)]),
            (0, &[(4, 33), (33, 1), (40, 132)]),
            (0, &[(3, 1), (4, 3), (5, 12), (6, 60), (2, 360)]),
        ];
        for &(start, axes) in cases {
            check::<u8>(start, axes, |at| (at % 251) as u8);
            check::<u16>(start, axes, |at| at as u16);
            check::<u32>(start, axes, |at| at as u32);
            check::<u64>(start, axes, |at| at as u64);
            check::<[u32; 2]>(start, axes, |at| [at as u32, !at as u32]);
            check::<[u64; 2]>(start, axes, |at| [at as u64, !at as u64]);
        }
    }

    #[test]
    fn an_element_may_be_read_many_times() {
        let (row, mut to) = ([1u32, 2, 3], [0u32; 6]);
        let mut axes = [(2, 12, 0), (3, 4, 4)].map(|(length, to, from)| CopiedAxis { length, to, from });
        // SAFETY: both arrays lie in memory.
        unsafe { copy_strided((4, 1), &mut axes, to.as_mut_ptr().cast(), row.as_ptr().cast()) };
        assert_eq!(to, [1, 2, 3, 1, 2, 3]);
    }

    #[test]
    fn axes_that_lie_one_behind_the_other_are_one() {
        let axis = |(length, to, from)| CopiedAxis { length, to, from };
        let mut axes = [(2, 96, 192), (3, 32, 64), (1, 8, 5), (4, 8, 8)].map(axis);
        assert_eq!(gathered(&mut axes), Some(2));
        assert_eq!(axes[..2], [(6, 32, 64), (4, 8, 8)].map(axis));
    }
}

//! Keys below a pivot and the others behind them, as many at once as registers of 512 bits hold.
//!
//! A piece is parted in place: blocks are read at both of its ends and written to both. Two blocks in registers leave room for
//! one at either end. The next block is read, from the end with less room, before the last one is written, so that its address
//! depends on no comparison of the block before it.

use std::arch::x86_64::__m512i;

use super::keys::Element;
use super::registers::Lanes;

/// So many registers are read at once.
const BLOCK: usize = 8;

/// So many keys do they hold.
const fn in_block<T: Lanes>() -> usize {
    BLOCK * T::LANES
}

/// A piece that is parted in place has at least so many keys.
pub(super) const fn least<T: Lanes>() -> usize {
    2 * in_block::<T>()
}

/// Moves the keys that are below a pivot to the front, and its equals with them if asked; gives how many there are.
///
/// # Safety
/// The machine has the instructions, and there are at least [`least`] keys.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")]
#[inline(never)]
pub(super) unsafe fn part<T: Lanes, const EQUALS: bool>(keys: &mut [T], pivot: T) -> usize {
    debug_assert!(keys.len() >= least::<T>(), "a piece is no shorter than two blocks");
    let ends = keys.as_mut_ptr_range();
    // SAFETY: the caller's promise; the room is that of the keys which are in registers.
    unsafe {
        let mut room = Room::<T, EQUALS> { left: ends.start, right: ends.end, pivot: T::all(pivot) };
        let mut unread = Unread { start: ends.start, end: ends.end };
        let kept = unread.block(true);
        let mut rows = unread.block(false);
        while unread.count() >= in_block::<T>() {
            let next = unread.block(room.is_less_at_left(&unread));
            room.write_block(rows);
            rows = next;
        }
        let (rest, count) = unread.rest();
        room.write_block(rows);
        room.write_rest(rest, count);
        room.write_rest(kept, in_block::<T>());
        room.left.offset_from_unsigned(ends.start)
    }
}

/// Writes keys, those that are below a pivot to the front; gives how many these are, and if there is a NaN, which is not.
///
/// # Safety
/// The machine has the instructions, and there is room for the keys, which lie elsewhere.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")]
#[inline(never)]
pub(super) unsafe fn part_over<T: Element + Lanes>(mut keys: &[T], to: *mut T, pivot: T) -> (usize, bool) {
    let mut any = false;
    // SAFETY: the caller's promise; the room is that of the keys that are left.
    unsafe {
        let mut room =
            Room::<T, false> { left: to, right: to.wrapping_add(keys.len()), pivot: T::all(pivot) };
        while keys.len() > in_block::<T>() + T::LANES {
            let (block, others) = keys.split_at(in_block::<T>());
            for key in block {
                any |= key.is_nan();
            }
            room.write_block(load(block.as_ptr()));
            keys = others;
        }
        for row in keys.chunks(T::LANES) {
            for key in row {
                any |= key.is_nan();
            }
            room.write_some(T::load(row.as_ptr(), row.len()), row.len());
        }
        (room.left.offset_from_unsigned(to), any)
    }
}

/// Keys that no register holds yet.
struct Unread<T> {
    start: *mut T,
    end: *mut T,
}

impl<T: Lanes> Unread<T> {
    #[inline(always)]
    fn count(&self) -> usize {
        (self.end.addr() - self.start.addr()) / size_of::<T>()
    }

    /// The first block of keys, or the last one.
    ///
    /// # Safety
    /// As [`part`]; there are as many keys.
    #[inline(always)]
    unsafe fn block(&mut self, is_first: bool) -> [__m512i; BLOCK] {
        let from = if is_first { self.start } else { self.end.wrapping_sub(in_block::<T>()) };
        let step = if is_first { in_block::<T>() } else { 0 };
        self.start = self.start.wrapping_add(step);
        self.end = self.end.wrapping_sub(in_block::<T>() - step);
        // SAFETY: the caller's promise.
        unsafe { load(from) }
    }

    /// All of them, which are less than a block, and how many.
    ///
    /// # Safety
    /// As [`part`].
    #[inline(always)]
    unsafe fn rest(&self) -> ([__m512i; BLOCK], usize) {
        let count = self.count();
        // SAFETY: the caller's promise; a row holds as many keys as are left.
        unsafe {
            let mut rows = [T::all(T::LAST); BLOCK];
            for (row, to) in rows[..count.div_ceil(T::LANES)].iter_mut().enumerate() {
                let at = row * T::LANES;
                *to = T::load(self.start.add(at), T::LANES.min(count - at));
            }
            (rows, count)
        }
    }
}

/// A block of keys.
///
/// # Safety
/// As [`part`]; as many lie in memory.
#[inline(always)]
unsafe fn load<T: Lanes>(from: *const T) -> [__m512i; BLOCK] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut rows = [T::all(T::LAST); BLOCK];
        for (row, to) in rows.iter_mut().enumerate() {
            *to = T::load(from.add(row * T::LANES), T::LANES);
        }
        rows
    }
}

/// The place between the keys that are written already, the lesser ones before it.
struct Room<T, const EQUALS: bool> {
    left: *mut T,
    right: *mut T,
    pivot: __m512i,
}

impl<T: Lanes, const EQUALS: bool> Room<T, EQUALS> {
    /// True if there is less room before the unread keys than behind them.
    #[inline(always)]
    fn is_less_at_left(&self, unread: &Unread<T>) -> bool {
        unread.start.addr() - self.left.addr() <= self.right.addr() - unread.end.addr()
    }

    /// # Safety
    /// As [`part`]; there is room for a block at either end, and for one register more in all.
    #[inline(always)]
    unsafe fn write_block(&mut self, rows: [__m512i; BLOCK]) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut lanes = [0; BLOCK];
            for row in 0..BLOCK {
                lanes[row] = self.lesser(rows[row]);
            }
            for row in 0..BLOCK {
                self.write(rows[row], lanes[row]);
            }
        }
    }

    /// # Safety
    /// As [`part`]; there is room for a register at either end that is not that of the other.
    #[inline(always)]
    unsafe fn write(&mut self, row: __m512i, lanes: u16) {
        let lesser = lanes.count_ones() as usize;
        // SAFETY: the caller's promise.
        unsafe { T::write_parted(self.left, self.right, lanes, row) };
        self.left = self.left.wrapping_add(lesser);
        self.right = self.right.wrapping_sub(T::LANES - lesser);
    }

    /// Writes as many keys of a block, without a word beyond them.
    ///
    /// # Safety
    /// As [`part`]; there is room for the keys.
    #[inline(always)]
    unsafe fn write_rest(&mut self, rows: [__m512i; BLOCK], count: usize) {
        for (row, &keys) in rows[..count.div_ceil(T::LANES)].iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { self.write_some(keys, T::LANES.min(count - row * T::LANES)) };
        }
    }

    /// Writes the keys of the first lanes, without a word beyond them.
    ///
    /// # Safety
    /// As [`part`]; there is room for the keys.
    #[inline(always)]
    unsafe fn write_some(&mut self, row: __m512i, count: usize) {
        let some = !(u32::MAX << count) as u16;
        // SAFETY: the caller's promise.
        unsafe {
            let lanes = self.lesser(row) & some;
            let lesser = lanes.count_ones() as usize;
            T::store(self.left, lesser, T::gathered(lanes, row));
            self.left = self.left.wrapping_add(lesser);
            self.right = self.right.wrapping_sub(count - lesser);
            T::store(self.right, count - lesser, T::gathered(!lanes & some, row));
        }
    }

    /// The lanes in which a key is below the pivot, or is its equal if asked.
    ///
    /// # Safety
    /// The machine has the instructions.
    #[inline(always)]
    unsafe fn lesser(&self, row: __m512i) -> u16 {
        // SAFETY: the caller's promise.
        unsafe {
            if EQUALS {
                return !T::below(self.pivot, row) & u16::MAX >> (16 - T::LANES);
            }
            T::below(row, self.pivot)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::quick::has_registers;
    use crate::sort::tests::kinds;

    fn is_parted<T: Element>(parted: &[T], row: &[T], count: usize, is_lesser: impl Fn(T) -> bool) {
        let keys = |row: &[T]| {
            let mut keys: Vec<u64> = row.iter().map(|x| x.own_key().into()).collect();
            keys.sort_unstable();
            keys
        };
        assert!(
            parted[..count].iter().all(|&x| is_lesser(x)) && !parted[count..].iter().any(|&x| is_lesser(x))
        );
        assert_eq!(keys(parted), keys(row), "{} keys", row.len());
    }

    fn check<T: Element + Lanes>(row: &[f64], convert: fn(f64) -> T) {
        let row: Vec<T> = row.iter().map(|&x| convert(x)).collect();
        let numbers: Vec<T> = row.iter().copied().filter(|x| !x.is_nan()).collect();
        let Some(&pivot) = numbers.get(numbers.len() / 3) else { return };
        let mut over = vec![T::NAN; row.len()];
        // SAFETY: the machine has the instructions, and there is room.
        let (count, any) = unsafe { part_over(&row, over.as_mut_ptr(), pivot) };
        assert_eq!(any, numbers.len() < row.len());
        is_parted(&over, &row, count, |x| x < pivot);
        if numbers.len() >= least::<T>() {
            let (mut keys, mut with_equals) = (numbers.clone(), numbers.clone());
            // SAFETY: the machine has the instructions, and there are as many keys.
            let counts =
                unsafe { [part::<T, false>(&mut keys, pivot), part::<T, true>(&mut with_equals, pivot)] };
            is_parted(&keys, &numbers, counts[0], |x| x < pivot);
            is_parted(&with_equals, &numbers, counts[1], |x| x <= pivot);
        }
    }

    #[test]
    fn parts_hold_all_keys_whatever_their_number() {
        for row in (0..700).chain([4096, 10_000]).filter(|_| has_registers()).flat_map(kinds) {
            check(&row, |x| x as f32);
            check(&row, |x| x);
            check(&row, |x| x as i32);
            check(&row, |x| x as i64);
        }
    }
}

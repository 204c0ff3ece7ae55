//! The elements of a row in ascending order, by registers or by their keys.

use super::keys::Element;
use super::radix::{self, Word as Digits};
use super::{Lanes, Row, by_machine, counts, narrow, span, words};
use crate::{Function, Word};

/// Rows of fewer elements have their keys compared, and nobody asks for their range.
const FEW: usize = 1000;

/// So many elements tell if it is worth asking for the range of all.
const SAMPLE: usize = 64;

const PARAMS: &[Word] = &[Word::I64, Word::Ptr, Word::Ptr, Word::Ptr, Word::I64];

macro_rules! kernel {
    ($sort:ident $sort_fn:ident $ty:ident) => {
        /// Writes `x`'s elements in ascending order; takes their number, where they go, room for as many, the first element and the
        /// stride of the others.
        pub const $sort: Function = Function::of_arrays(stringify!($sort_fn), PARAMS, $sort_fn as *const u8);

        /// # Safety
        /// There is room for `n` elements in `out` and in `scratch`, and the elements that `n` and `stride` lead to lie in memory.
        unsafe extern "C" fn $sort_fn(n: i64, out: *mut u8, scratch: *mut u8, x: *const u8, stride: i64) {
            // SAFETY: the caller's promise.
            unsafe { sort::<$ty>(Row { n: n as usize, x: x.cast(), stride }, out, scratch) }
        }
    };
}

kernel!(SORT_F32 sort_f32 f32);
kernel!(SORT_F64 sort_f64 f64);
kernel!(SORT_I32 sort_i32 i32);
kernel!(SORT_I64 sort_i64 i64);

/// # Safety
/// As [`SORT_F32`].
unsafe fn sort<T: Element + Lanes>(row: Row<T>, out: *mut u8, scratch: *mut u8)
where
    T::Key: Default + Digits,
{
    // SAFETY: the caller's promise.
    unsafe {
        if !by_range(row, out.cast(), scratch) {
            by_order(row, out, scratch);
        }
        restore(std::slice::from_raw_parts_mut(out.cast(), row.n), row);
    }
}

/// Writes whole numbers in order if they lie so close together that this takes less than to compare them all; says so.
///
/// # Safety
/// As [`SORT_F32`].
unsafe fn by_range<T: Element>(row: Row<T>, out: *mut T, scratch: *mut u8) -> bool {
    if T::ZERO.is_some() || row.n < FEW {
        return false;
    }
    let is_long = size_of::<T>() == size_of::<i64>();
    let most = if is_long { u32::BITS } else { counts::MOST_BITS };
    let sample = Row { n: SAMPLE, stride: row.stride * (row.n / SAMPLE) as i64, ..row };
    // SAFETY: the caller's promise; the sample is of the row.
    unsafe {
        if span(sample).1 > most {
            return false;
        }
        let (least, bits) = span(row);
        let are_few = counts::are_few(row.n, bits);
        if are_few {
            counts::sort(row, out, scratch, (least, bits));
        } else if is_long && bits <= most {
            narrow::sort(row, out, scratch, least);
        }
        are_few || is_long && bits <= most
    }
}

/// Writes elements in order, by registers or by their keys; zeros of both signs lie in any order, and so do
/// numbers that are flushed, which may lose their bits.
///
/// # Safety
/// As [`SORT_F32`].
pub(super) unsafe fn by_order<T: Element + Lanes>(row: Row<T>, out: *mut u8, scratch: *mut u8)
where
    T::Key: Default + Digits,
{
    // SAFETY: the caller's promise.
    unsafe {
        if !by_machine(row, out.cast()) {
            by_keys(row, out, scratch);
        }
    }
}

/// The order takes zeros of both signs, NaNs, and, where they are flushed, subnormal numbers for equal, and may have changed their bits:
/// they get those of the row.
///
/// # Safety
/// As [`SORT_F32`].
unsafe fn restore<T: Element>(sorted: &mut [T], row: Row<T>) {
    let Some(zero) = T::ZERO else { return };
    let start = sorted.partition_point(|&x| x < zero);
    let count = sorted[start..].partition_point(|&x| x == zero);
    let zeros = &mut sorted[start..start + count];
    // SAFETY: the caller's promise.
    unsafe { refill(zeros, row, |x| x == zero) };
    let of_zero = zero.key();
    if zeros.iter().any(|x| x.key() != of_zero) {
        zeros.sort_unstable_by_key(|x| x.key());
        let start = zeros.partition_point(|x| x.key() < of_zero);
        let count = zeros[start..].partition_point(|x| x.key() == of_zero);
        // SAFETY: the caller's promise.
        unsafe { refill(&mut zeros[start..start + count], row, |x| x.key() == of_zero) };
    }
    let numbers = sorted.partition_point(|x| !x.is_nan());
    // SAFETY: the caller's promise.
    unsafe { refill(&mut sorted[numbers..], row, T::is_nan) };
}

/// Writes elements of one kind in the order that they have in the row, which has as many.
///
/// # Safety
/// As [`SORT_F32`].
unsafe fn refill<T: Element>(to: &mut [T], row: Row<T>, is_one: impl Fn(T) -> bool) {
    if !to.is_empty() {
        // SAFETY: the caller's promise.
        let found = unsafe { row.all() }.filter(|&x| is_one(x));
        to.iter_mut().zip(found).for_each(|(to, x)| *to = x);
    }
}

/// # Safety
/// As [`SORT_F32`].
unsafe fn by_keys<T: Element>(row: Row<T>, out: *mut u8, scratch: *mut u8)
where
    T::Key: Default + Digits,
{
    // SAFETY: the caller's promise; a key has as many bits as its element.
    let keys = unsafe { words::<T::Key>(out, row.n) };
    // SAFETY: the caller's promise.
    let bits = fill(keys, unsafe { row.all() });
    if row.n < FEW || row.n > u32::MAX as usize {
        keys.sort_unstable();
    } else {
        // SAFETY: the caller's promise.
        radix::sort(keys, unsafe { words::<T::Key>(scratch, row.n) }, (0, bits));
    }
    keys.iter_mut().for_each(|key| *key = T::pattern(*key));
}

/// Writes the keys of elements; gives the bits in which some differ, counted from the lowest.
fn fill<T: Element>(keys: &mut [T::Key], elements: impl Iterator<Item = T>) -> u32 {
    let mut first = None;
    let mut differing = 0;
    for (key, element) in keys.iter_mut().zip(elements) {
        *key = element.own_key();
        let bits: u64 = (*key).into();
        differing |= bits ^ *first.get_or_insert(bits);
    }
    u64::BITS - differing.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::keys::ascending;
    use crate::sort::tests::{kinds, lengths, rows};

    fn check<T: Element + Lanes>(row: &[f64], convert: fn(f64) -> T)
    where
        T::Key: Default + Digits + std::fmt::Debug,
    {
        let n = row.len();
        for stride in [1, 2] {
            let x: Vec<T> = row.iter().flat_map(|&x| vec![convert(x); stride]).collect();
            let mut wanted: Vec<T> = x.iter().copied().step_by(stride).collect();
            wanted.sort_by(|&a, &b| ascending(a, b));
            let bits = |row: &[T]| row.iter().map(|x| x.own_key()).collect::<Vec<_>>();
            let (mut out, mut scratch) = (wanted.clone(), wanted.clone());
            let (to, room) = (out.as_mut_ptr(), scratch.as_mut_ptr());
            let row = Row { n, x: x.as_ptr(), stride: stride as i64 };
            // SAFETY: room for the elements, which lie in steps of the stride.
            unsafe {
                to.write_bytes(0, n);
                sort(row, to.cast(), room.cast());
                assert_eq!(bits(&out), bits(&wanted));
                by_keys(row, to.cast(), room.cast());
                restore(&mut out, row);
                assert_eq!(bits(&out), bits(&wanted));
            }
        }
    }

    #[test]
    fn elements_are_in_order_to_the_last_bit() {
        for row in rows(FEW).into_iter().chain(lengths().flat_map(kinds)) {
            check(&row, |x| x as f32);
            check(&row, |x| x);
            check(&row, |x| x as i32);
            check(&row, |x| x as i64);
            check(&row, |x| (x * 1e6) as i64);
            check(&row, |x| x as i64 & 63);
            check(&row, |x| x as i32 & 63);
        }
    }
}

//! Whole numbers of 64 bits that differ in 32 of them, sorted as numbers of 32 bits: registers hold twice as many, and half as
//! many bytes are moved.

use super::keys::Element;
use super::{Row, values};
use crate::wide::{Work, wide};

/// Writes elements in ascending order, whose keys are the least one and greater ones by less than `2^32`.
///
/// # Safety
/// There is room for the elements in `out` and in `scratch`, which have 64 bits, and they lie in memory.
pub(super) unsafe fn sort<T: Element>(row: Row<T>, out: *mut T, scratch: *mut u8, least: u64) {
    let n = row.n;
    let keys = scratch.cast::<i32>();
    let sorted = keys.wrapping_add(n);
    // SAFETY: the caller's promise: there is room for twice as many keys.
    unsafe {
        let to = std::slice::from_raw_parts_mut(keys, n);
        if row.stride == 1 {
            wide(Narrow { to, elements: std::slice::from_raw_parts(row.x, n).iter().copied(), least });
        } else {
            wide(Narrow { to, elements: row.all(), least });
        }
        values::by_order(Row { n, x: keys, stride: 1 }, sorted.cast(), out.cast());
        let to = std::slice::from_raw_parts_mut(out, n);
        wide(Widen { to, keys: std::slice::from_raw_parts(sorted, n), least });
    }
}

/// Elements that become keys of 32 bits.
struct Narrow<'a, I> {
    to: &'a mut [i32],
    elements: I,
    least: u64,
}

impl<T: Element, I: Iterator<Item = T>> Work for Narrow<'_, I> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (to, element) in self.to.iter_mut().zip(self.elements) {
            *to = (element.key().into() - self.least) as i32 ^ i32::MIN;
        }
    }
}

/// Keys of 32 bits that become elements.
struct Widen<'a, T> {
    to: &'a mut [T],
    keys: &'a [i32],
    least: u64,
}

impl<T: Element> Work for Widen<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (to, key) in self.to.iter_mut().zip(self.keys) {
            *to = T::of_key(self.least + u64::from((key ^ i32::MIN) as u32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_all_their_bits() {
        for first in [i64::MIN, -1 << 31, -7, 0, 1 << 40, i64::MAX - u32::MAX as i64] {
            for stride in [1, 3] {
                let number =
                    |i: i64| if i < 2 { i * i64::from(u32::MAX) } else { (i * 0x9E37_79B9) % (1 << 32) };
                let x: Vec<i64> = (0..3000).map(|i| first + number(i)).collect();
                let mut wanted: Vec<i64> = x.iter().copied().step_by(stride).collect();
                wanted.sort_unstable();
                let (mut out, mut scratch) = (vec![0i64; wanted.len()], vec![0u64; wanted.len()]);
                let row = Row { n: wanted.len(), x: x.as_ptr(), stride: stride as i64 };
                // SAFETY: the elements, and room for as many.
                unsafe { sort(row, out.as_mut_ptr(), scratch.as_mut_ptr().cast(), first.key()) };
                assert_eq!(out, wanted);
            }
        }
    }
}

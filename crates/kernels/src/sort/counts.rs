//! Whole numbers of which few are possible, counted instead of compared.

use super::keys::Element;
use super::{Row, words};

/// Keys that are counted differ in their lowest bits only, in so many at most: more counts do not fit the caches.
pub(super) const MOST_BITS: u32 = 15;

/// So many tables of counts take turns: an element does not wait for the count of the one before it, which is often the same.
const TABLES: usize = 4;

/// There are at least so many elements for each number that is possible.
const ELEMENTS: usize = 2 * TABLES;

/// True if counting is worth its while for so many elements, whose keys differ in so many bits.
pub(super) fn are_few(n: usize, bits: u32) -> bool {
    bits <= MOST_BITS && n >> bits >= ELEMENTS && u32::try_from(n).is_ok()
}

/// Writes elements in ascending order, whose keys are the least one and others that differ in so many bits from it.
///
/// # Safety
/// There is room for the elements in `out` and in `scratch`, they lie in memory, and they [`are_few`].
pub(super) unsafe fn sort<T: Element>(row: Row<T>, out: *mut T, scratch: *mut u8, (least, bits): (u64, u32)) {
    let kinds = 1 << bits;
    // SAFETY: the caller's promise: an element has the bits of a count, and there are more elements than counts.
    let (counts, elements) = unsafe { (words::<u32>(scratch, TABLES * kinds), row.all()) };
    for (place, element) in elements.enumerate() {
        counts[place % TABLES * kinds + (element.key().into() - least) as usize] += 1;
    }
    let mut next = out;
    for kind in 0..kinds {
        let count: u32 = (0..TABLES).map(|table| counts[table * kinds + kind]).sum();
        // SAFETY: all counts together are the number of the elements.
        unsafe {
            let end = next.add(count as usize);
            while next < end {
                next.write(T::of_key(least + kind as u64));
                next = next.add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::span;

    #[test]
    fn numbers_of_a_small_range_are_counted() {
        for (n, kinds) in [(16, 2), (1000, 3), (1000, 64), (5000, 500)] {
            for first in [-1, 0, i64::MIN, i64::MAX - kinds, -kinds / 2] {
                let x: Vec<i64> = (0..n).map(|i| first + i * 7919 % kinds).collect();
                let (mut wanted, mut out, mut scratch) =
                    (x.clone(), vec![0i64; x.len()], vec![0u64; x.len()]);
                wanted.sort_unstable();
                let row = Row { n: x.len(), x: x.as_ptr(), stride: 1 };
                // SAFETY: the elements, and room for as many.
                unsafe {
                    let (least, bits) = span(row);
                    assert!(are_few(row.n, bits));
                    sort(row, out.as_mut_ptr(), scratch.as_mut_ptr().cast(), (least, bits));
                }
                assert_eq!(out, wanted);
            }
        }
    }
}

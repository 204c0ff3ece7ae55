//! The elements of a row in ascending order, by their keys.

use std::ops::Range;

use super::keys::Element;
use super::radix::{self, Word as Digits};
use super::{Row, words};
use crate::{Function, Word};

/// Rows of fewer elements have their keys compared.
const FEW: usize = 1000;

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
unsafe fn sort<T: Element>(row: Row<T>, out: *mut u8, scratch: *mut u8)
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
    let run = zeros::<T>(keys);
    keys.iter_mut().for_each(|key| *key = T::pattern(*key));
    // SAFETY: the caller's promise.
    let row = unsafe { row.all() };
    for (to, zero) in keys[run].iter_mut().zip(row.filter(|x| x.is_zero())) {
        *to = T::pattern(zero.own_key());
    }
}

/// Places of zeros among sorted keys, if there are some of both signs: theirs is the order of the row.
fn zeros<T: Element>(keys: &[T::Key]) -> Range<usize> {
    let Some([negative, positive]) = T::ZEROS else { return 0..0 };
    let start = keys.partition_point(|&key| key < negative);
    let middle = keys.partition_point(|&key| key < positive);
    let end = keys.partition_point(|&key| key <= positive);
    if start < middle && middle < end { start..end } else { 0..0 }
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

    macro_rules! check {
        ($sort:ident $ty:ident $rows:expr) => {
            for row in $rows {
                let x: Vec<$ty> = row.iter().flat_map(|&x| [x as $ty, 7 as $ty]).collect();
                let mut wanted: Vec<$ty> = x.iter().copied().step_by(2).collect();
                wanted.sort_by(|&a, &b| ascending(a, b));
                let (mut out, mut scratch) = (vec![0 as $ty; row.len()], vec![0 as $ty; row.len()]);
                // SAFETY: room for the elements, which lie in steps of two.
                unsafe {
                    $sort(
                        row.len() as i64,
                        out.as_mut_ptr().cast(),
                        scratch.as_mut_ptr().cast(),
                        x.as_ptr().cast(),
                        2,
                    );
                }
                let bits = |row: &[$ty]| row.iter().map(|x| x.to_ne_bytes()).collect::<Vec<_>>();
                assert_eq!(bits(&out), bits(&wanted));
            }
        };
    }

    #[test]
    fn elements_are_in_order_to_the_last_bit() {
        let rows = || crate::sort::tests::rows(FEW).into_iter();
        let one_nan = |row: Vec<f64>| {
            row.into_iter().map(|x| if x.is_nan() { f64::NAN } else { x }).collect::<Vec<_>>()
        };
        check!(sort_f32 f32 rows().map(one_nan));
        check!(sort_f64 f64 rows().map(one_nan));
        check!(sort_i32 i32 rows());
        check!(sort_i64 i64 rows());
    }
}

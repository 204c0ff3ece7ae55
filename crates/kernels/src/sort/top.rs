//! Positions of the greatest elements of a row, kept in a heap.

use std::cmp::Ordering;

use super::keys::Element;
use crate::{Function, Word};

const PARAMS: &[Word] = &[Word::I64, Word::I64, Word::Ptr, Word::Ptr, Word::I64];

macro_rules! arg_top {
    ($constant:ident $function:ident $ty:ident) => {
        /// Writes the positions of `x`'s greatest elements, from the greatest down, of equal ones the first first, NaN being
        /// the greatest; takes the number of elements, how many positions are wanted, where they go, the first element and
        /// the stride of the others.
        pub const $constant: Function =
            Function::of_arrays(stringify!($function), PARAMS, $function as *const u8);

        /// # Safety
        /// There is room for `count` positions, which are at most `n`, and the elements that `n` and `stride` lead to lie in
        /// memory.
        unsafe extern "C" fn $function(n: i64, count: i64, out: *mut u8, x: *const u8, stride: i64) {
            if count == 0 {
                return;
            }
            // SAFETY: the caller's promise; the room is written before it is read as a slice.
            let kept = unsafe {
                let out = out.cast::<i64>();
                (0..count).for_each(|i| out.add(i as usize).write(i));
                std::slice::from_raw_parts_mut(out, count as usize)
            };
            let x = x.cast::<$ty>();
            // SAFETY: a place is below `n`, for which the caller promises an element.
            let at = |place: i64| unsafe { *x.offset((place * stride) as isize) };
            let order = |a: i64, b: i64| at(b).key().cmp(&at(a).key()).then(a.cmp(&b));
            (0..kept.len() / 2).rev().for_each(|parent| sink(kept, parent, order));
            let mut last = at(kept[0]).key();
            for place in count..n {
                if last < at(place).key() {
                    kept[0] = place;
                    sink(kept, 0, order);
                    last = at(kept[0]).key();
                }
            }
            kept.sort_unstable_by(|&a, &b| order(a, b));
        }
    };
}

arg_top!(ARG_TOP_F32 arg_top_f32 f32);
arg_top!(ARG_TOP_F64 arg_top_f64 f64);
arg_top!(ARG_TOP_I32 arg_top_i32 i32);
arg_top!(ARG_TOP_I64 arg_top_i64 i64);

/// Moves a parent of a heap down until none of its children is behind it in the order: the last of all is at its root.
fn sink(heap: &mut [i64], mut parent: usize, order: impl Fn(i64, i64) -> Ordering) {
    while let Some(&left) = heap.get(2 * parent + 1) {
        let right = heap.get(2 * parent + 2).filter(|&&right| order(right, left).is_gt());
        let child = 2 * parent + 1 + usize::from(right.is_some());
        if order(heap[child], heap[parent]).is_le() {
            return;
        }
        heap.swap(child, parent);
        parent = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::keys::ascending;

    #[test]
    fn the_greatest_are_those_in_front_when_all_are_sorted() {
        let x: Vec<f64> = (0..40).map(|i| if i == 17 { f64::NAN } else { f64::from(i * 7 % 13) }).collect();
        let mut sorted: Vec<i64> = (0..40).collect();
        sorted.sort_by(|&a, &b| ascending(x[b as usize], x[a as usize]));
        for count in 0..=40 {
            let mut out = vec![-1i64; count];
            // SAFETY: room for the positions, and forty elements.
            unsafe { arg_top_f64(40, count as i64, out.as_mut_ptr().cast(), x.as_ptr().cast(), 1) };
            assert_eq!(out, sorted[..count]);
        }
    }
}

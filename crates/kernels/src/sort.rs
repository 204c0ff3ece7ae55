//! Positions of the elements of a row in ascending order.

use std::cmp::Ordering;

use crate::{Function, Word};

const PARAMS: &[Word] = &[Word::I64, Word::Ptr, Word::Ptr, Word::I64];

macro_rules! arg_sort {
    ($constant:ident $function:ident $ty:ident) => {
        /// Writes the positions of `x`'s elements in ascending order, equal ones in the order that they have, NaN last;
        /// takes their number, where the positions go, the first element and the stride of the others.
        pub const $constant: Function = Function {
            name: stringify!($function),
            params: PARAMS,
            result: None,
            address: $function as *const u8,
            single: None,
        };

        /// # Safety
        /// There is room for `n` positions, and the elements that `n` and `stride` lead to lie in memory.
        unsafe extern "C" fn $function(n: i64, out: *mut u8, x: *const u8, stride: i64) {
            let (n, x) = (n as usize, x.cast::<$ty>());
            if n == 0 {
                return;
            }
            // SAFETY: the caller's promise; the room is written before it is read as a slice.
            let places = unsafe {
                let out = out.cast::<i64>();
                (0..n).for_each(|i| out.add(i).write(i as i64));
                std::slice::from_raw_parts_mut(out, n)
            };
            // SAFETY: a place is below `n`, for which the caller promises an element.
            let at = |place: i64| unsafe { *x.offset((place * stride) as isize) };
            places.sort_unstable_by(|&a, &b| ascending(at(a), at(b)).then(a.cmp(&b)));
        }
    };
}

arg_sort!(ARG_SORT_F32 arg_sort_f32 f32);
arg_sort!(ARG_SORT_F64 arg_sort_f64 f64);
arg_sort!(ARG_SORT_I32 arg_sort_i32 i32);
arg_sort!(ARG_SORT_I64 arg_sort_i64 i64);

/// The order of two elements; NaN is behind all numbers.
#[allow(clippy::eq_op, reason = "NaN alone differs from itself")]
fn ascending<T: PartialOrd>(x: T, y: T) -> Ordering {
    x.partial_cmp(&y).unwrap_or_else(|| (x != x).cmp(&(y != y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_last_and_equals_stay() {
        let x = [2.0, f64::NAN, -1.0, 2.0, f64::INFINITY, -0.0, 0.0];
        let mut out = [0i64; 7];
        // SAFETY: room for seven positions, and seven elements.
        unsafe { arg_sort_f64(7, out.as_mut_ptr().cast(), x.as_ptr().cast(), 1) };
        assert_eq!(out, [2, 5, 6, 0, 3, 4, 1]);
    }
}

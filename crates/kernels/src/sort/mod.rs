//! Elements of a row in ascending order, their positions, and those of the greatest in descending.
//!
//! A position stands in one word with the upper bits of its element's key, so that words alone are compared, or sorted by digits where
//! there are many. Equal elements keep their order, zeros of both signs are equal, NaN is last.

mod counts;
mod keys;
mod narrow;
#[cfg(target_arch = "x86_64")]
mod network;
#[cfg(target_arch = "x86_64")]
mod part;
#[cfg(target_arch = "x86_64")]
mod quick;
mod radix;
#[cfg(target_arch = "x86_64")]
mod registers;
mod top;
mod values;

use crate::wide::{Work, wide};
use crate::{Function, Word};
use keys::Element;
pub use top::{ARG_TOP_F32, ARG_TOP_F64, ARG_TOP_I32, ARG_TOP_I64};
pub use values::{SORT_F32, SORT_F64, SORT_I32, SORT_I64};
#[cfg(target_arch = "x86_64")]
use {quick::by_machine, registers::Lanes};

/// Rows of fewer elements have their words compared: passes over the buckets of digits would take longer.
const FEW: usize = 3000;

const PARAMS: &[Word] = &[Word::I64, Word::Ptr, Word::Ptr, Word::Ptr, Word::I64];

macro_rules! kernel {
    ($arg:ident $arg_fn:ident $ty:ident) => {
        /// Writes the positions of `x`'s elements in ascending order; takes their number, where the positions go, room for as many
        /// words of 64 bits, the first element and the stride of the others.
        pub const $arg: Function = Function::of_arrays(stringify!($arg_fn), PARAMS, $arg_fn as *const u8);

        /// # Safety
        /// There is room for `n` positions in `out` and in `scratch`, and the elements that `n` and `stride` lead to lie in memory.
        unsafe extern "C" fn $arg_fn(n: i64, out: *mut u8, scratch: *mut u8, x: *const u8, stride: i64) {
            // SAFETY: the caller's promise.
            unsafe { arg_sort::<$ty>(Row { n: n as usize, x: x.cast(), stride }, out, scratch) }
        }
    };
}

kernel!(ARG_SORT_F32 arg_sort_f32 f32);
kernel!(ARG_SORT_F64 arg_sort_f64 f64);
kernel!(ARG_SORT_I32 arg_sort_i32 i32);
kernel!(ARG_SORT_I64 arg_sort_i64 i64);

/// An element that [`by_machine`] sorts.
#[cfg(not(target_arch = "x86_64"))]
trait Lanes {}

#[cfg(not(target_arch = "x86_64"))]
impl<T> Lanes for T {}

/// Writes elements in order if the machine has instructions of its own for that; says so.
///
/// # Safety
/// None is asked.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn by_machine<T>(_: Row<T>, _: *mut T) -> bool {
    false
}

/// Elements that a stride apart lie in memory.
#[derive(Clone, Copy)]
struct Row<T> {
    n: usize,
    x: *const T,
    stride: i64,
}

impl<T: Element> Row<T> {
    /// # Safety
    /// `place` is below `n`.
    unsafe fn at(self, place: usize) -> T {
        // SAFETY: whoever made the row promised an element.
        unsafe { *self.x.offset((place as i64 * self.stride) as isize) }
    }

    /// # Safety
    /// The elements lie in memory.
    unsafe fn all(self) -> impl Iterator<Item = T> {
        // SAFETY: a place is below `n`.
        (0..self.n).map(move |place| unsafe { self.at(place) })
    }
}

/// The room that a caller gives, whose words may have any value.
///
/// # Safety
/// There is room for `n` words from `start` on, which nothing else uses meanwhile.
unsafe fn words<'a, T: Copy + Default>(start: *mut u8, n: usize) -> &'a mut [T] {
    let start = start.cast::<T>();
    // SAFETY: the caller's promise; each word is written before the slice is made.
    unsafe {
        (0..n).for_each(|i| start.add(i).write(T::default()));
        std::slice::from_raw_parts_mut(start, n)
    }
}

/// # Safety
/// As [`ARG_SORT_F32`].
unsafe fn arg_sort<T: Element>(row: Row<T>, out: *mut u8, scratch: *mut u8) {
    // SAFETY: a place is below `n`, for which the caller promises an element.
    let at = |place: u64| unsafe { row.at(place as usize) };
    // SAFETY: the caller's promise; a place has 64 bits, as a word has.
    let places = unsafe { words::<u64>(out, row.n) };
    if row.n > PLACE as usize {
        (0u64..).zip(places.iter_mut()).for_each(|(i, place)| *place = i);
        return places.sort_unstable_by_key(|&place| (at(place).key(), place));
    }
    // SAFETY: the caller's promise.
    let (least, bits) = unsafe { span(row) };
    if bits <= 1 {
        // SAFETY: the caller's promise.
        return unsafe { part(places, row, least) };
    }
    // SAFETY: the caller's promise.
    pack(places, unsafe { row.all() }, (least, bits));
    if row.n < FEW {
        places.sort_unstable();
    } else {
        // SAFETY: the caller's promise.
        radix::sort(places, unsafe { words::<u64>(scratch, row.n) }, (32, 32 + bits.min(32)));
    }
    if bits > 32 {
        let same = |a: &u64, b: &u64| a >> 32 == b >> 32;
        for run in places.chunk_by_mut(same).filter(|run| run.len() > 1) {
            run.sort_unstable_by_key(|&word| (at(word & PLACE).key(), word & PLACE));
        }
    }
    places.iter_mut().for_each(|word| *word &= PLACE);
}

/// The half of a word that holds a place.
const PLACE: u64 = u32::MAX as u64;

/// The least of the keys, and the bits of the difference to the greatest.
///
/// # Safety
/// The elements lie in memory.
unsafe fn span<T: Element>(row: Row<T>) -> (u64, u32) {
    // SAFETY: the caller's promise.
    let ends = unsafe {
        if row.stride == 1 {
            wide(Ends(std::slice::from_raw_parts(row.x, row.n).iter().copied()))
        } else {
            wide(Ends(row.all()))
        }
    };
    ends.map_or((0, 0), |[least, greatest]| (least, u64::BITS - (greatest - least).leading_zeros()))
}

/// Elements of which the least and the greatest key are wanted.
struct Ends<I>(I);

impl<T: Element, I: Iterator<Item = T>> Work for Ends<I> {
    type Output = Option<[u64; 2]>;

    #[inline(always)]
    fn run(self) -> Option<[u64; 2]> {
        let mut elements = self.0;
        let first = elements.next()?.key();
        let (mut least, mut greatest) = (first, first);
        for element in elements {
            let key = element.key();
            (least, greatest) = (least.min(key), greatest.max(key));
        }
        Some([least.into(), greatest.into()])
    }
}

/// Writes the places of elements of two kinds, those with the least key first.
///
/// # Safety
/// The elements lie in memory, one for each place.
unsafe fn part<T: Element>(places: &mut [u64], row: Row<T>, least: u64) {
    let is_other = |element: T| usize::from(element.key().into() != least);
    // SAFETY: the caller's promise.
    let (first, again) = unsafe { (row.all(), row.all()) };
    let others: usize = first.map(is_other).sum();
    let mut next = [0, row.n - others];
    for (place, element) in (0..).zip(again) {
        let kind = is_other(element);
        places[next[kind]] = place;
        next[kind] += 1;
    }
}

/// Joins the places of elements with the upper 32 bits of their keys, counted from the least.
fn pack<T: Element>(places: &mut [u64], elements: impl Iterator<Item = T>, (least, bits): (u64, u32)) {
    let shift = bits.saturating_sub(32);
    for ((i, place), element) in (0u64..).zip(places).zip(elements) {
        *place = (element.key().into() - least) >> shift << 32 | i;
    }
}

#[cfg(test)]
mod tests {
    use super::keys::ascending;
    use super::*;

    #[test]
    fn nan_is_last_and_equals_stay() {
        let x = [2.0, f64::NAN, -1.0, 2.0, f64::INFINITY, -0.0, 0.0];
        let (mut out, mut scratch) = ([0i64; 7], [0u64; 7]);
        // SAFETY: room for seven positions, and seven elements.
        unsafe {
            arg_sort_f64(7, out.as_mut_ptr().cast(), scratch.as_mut_ptr().cast(), x.as_ptr().cast(), 1)
        };
        assert_eq!(out, [2, 5, 6, 0, 3, 4, 1]);
    }

    /// Lengths around those of registers, networks and samples, and some beyond.
    pub(super) fn lengths() -> impl Iterator<Item = usize> {
        (0..40).chain((40..1000).step_by(23)).chain([127, 128, 129, 255, 256, 257, 2047, 2049, 10_000])
    }

    /// Rows of one length: random ones with all ends, few that differ, and orders that mislead a choice of pivots.
    pub(super) fn kinds(n: usize) -> [Vec<f64>; 8] {
        let number = |i: usize| (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
        let real = |i| (number(i) >> 11) as f64 / (1u64 << 42) as f64 - 1024.0;
        let ends = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 5e-324, f64::MAX, f64::MIN];
        let end = |i: usize| if number(i) >> 63 == 0 { real(i) } else { ends[number(i) as usize % 8] };
        let row = |element: &dyn Fn(usize) -> f64| (0..n).map(element).collect();
        [
            row(&real),
            row(&end),
            row(&|i| (number(i) >> 62) as f64),
            row(&|_| -7.5),
            row(&|i| i as f64),
            row(&|i| -(i as f64)),
            row(&|i| i.min(n - i) as f64),
            row(&|i| if i % 2 == 0 { i as f64 } else { -(i as f64) }),
        ]
    }

    /// Rows of many kinds, shorter and longer than what `few` are.
    pub(super) fn rows(few: usize) -> Vec<Vec<f64>> {
        let number = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut rows = Vec::new();
        for n in [0, 1, 2, few - 1, few, 5000] {
            let real = |i| f64::from_bits(number(i) >> 12 | 0x3FF0_0000_0000_0000) - 1.5;
            rows.push((0..n as u64).map(real).collect());
            rows.push((0..n as u64).map(|i| real(i) * 1e-300 + if i == 7 { 1e300 } else { 0.0 }).collect());
            rows.push((0..n as u64).map(|i| f64::from_bits(number(i))).collect());
            rows.push((0..n as u64).map(|i| (number(i) >> 60) as f64 - 8.0).collect());
            rows.push((0..n as u64).map(|i| (number(i) >> 63) as f64).collect());
            let zero = |i: u64| if number(i) >> 63 == 0 { -0.0 } else { 0.0 };
            rows.push((0..n as u64).map(|i| if i % 3 == 0 { real(i) } else { zero(i) }).collect());
        }
        rows
    }

    macro_rules! check {
        ($arg_sort:ident $ty:ident) => {
            for row in rows(FEW) {
                let x: Vec<$ty> = row.iter().flat_map(|&x| [x as $ty, x as $ty]).collect();
                let (n, mut wanted) = (row.len(), (0..row.len() as i64).collect::<Vec<_>>());
                wanted.sort_by(|&a, &b| ascending(x[2 * a as usize], x[2 * b as usize]));
                let (mut places, mut scratch) = (vec![0i64; n], vec![0u64; n]);
                // SAFETY: room for `n` words, and as many elements in steps of two.
                unsafe {
                    $arg_sort(
                        n as i64,
                        places.as_mut_ptr().cast(),
                        scratch.as_mut_ptr().cast(),
                        x.as_ptr().cast(),
                        2,
                    );
                }
                assert_eq!(places, wanted);
            }
        };
    }

    #[test]
    fn rows_are_in_order_whatever_their_length() {
        check!(arg_sort_f32 f32);
        check!(arg_sort_f64 f64);
        check!(arg_sort_i32 i32);
        check!(arg_sort_i64 i64);
    }
}
